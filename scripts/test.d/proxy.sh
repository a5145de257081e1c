# The proxy that operators are given to start from, as it stands but for its names: before the service, with TLS.

proxy() {
  local prefix=$work/proxy plain secure
  plain=$(free_port) secure=$(free_port)
  mkdir -p "$prefix/temp"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=firm.example \
    -addext subjectAltName=DNS:firm.example -keyout "$prefix/key.pem" -out "$prefix/cert.pem" || return 1
  sed -e "s|127.0.0.1:8080|127.0.0.1:$port|; s|/etc/ssl/private/firm.example.key|$prefix/key.pem|" \
    -e "s|/etc/ssl/firm.example.pem|$prefix/cert.pem|; s|/var/log/nginx/|$prefix/|" \
    -e "s|listen 80;|listen 127.0.0.1:$plain;|; s|listen 443 |listen 127.0.0.1:$secure |; /listen \[::\]/d" \
    "$root/deploy/nginx.conf" >"$prefix/mecelle.conf"
  {
    printf 'daemon off;\nuser %s;\npid nginx.pid;\nevents { worker_connections 64; }\nhttp {\n' "$(id -un) $(id -gn)"
    for folder in client_body proxy fastcgi uwsgi scgi; do printf '%s_temp_path temp/%s;\n' $folder $folder; done
    printf 'include mecelle.conf;\n}\n'
  } >"$prefix/nginx.conf"
  nginx -p "$prefix" -c nginx.conf -e error.log &
  servers+=($!)
  bounded node "$node_tools/proxy.mjs" "$url" "$plain" "$secure" "$prefix" || { tail -n 5 "$prefix/error.log"; return 1; }
}
