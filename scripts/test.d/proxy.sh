# The proxy that operators start from, unchanged except for its names: in front of the service, with TLS.

proxy() {
  local plain secure unanswered
  plain=$(free_port) secure=$(free_port) unanswered=$(free_port)
  start_proxy "$work/proxy" "$port" "$plain" "$secure" || return 1
  # The same in front of a port on which nothing listens.
  start_proxy "$work/proxy-alone" "$(free_port)" "$(free_port)" "$unanswered" || return 1
  node "$node_tools/proxy.mjs" "$url" "$plain" "$secure" "$work/proxy" "$unanswered" "$work/proxy-alone" ||
    { tail -n 5 "$work/proxy/error.log"; return 1; }
}

# Starts the proxy in the folder $1 in front of the port $2; it listens on $3, and on $4 with TLS.
start_proxy() {
  local prefix=$1 upstream=$2 plain=$3 secure=$4
  mkdir -p "$prefix"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=firm.example \
    -addext subjectAltName=DNS:firm.example -keyout "$prefix/key.pem" -out "$prefix/cert.pem" || return 1
  start_nginx "$prefix" nginx.conf -e "s|127.0.0.1:8080|127.0.0.1:$upstream|" \
    -e "s|/etc/ssl/private/firm.example.key|$prefix/key.pem|; s|/etc/ssl/firm.example.pem|$prefix/cert.pem|" \
    -e "s|/var/log/nginx/|$prefix/|; s|listen 80;|listen 127.0.0.1:$plain;|; s|listen 443 |listen 127.0.0.1:$secure |"
}
