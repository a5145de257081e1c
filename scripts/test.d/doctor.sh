# `generator doctor` against real proxies with a certificate of a private authority: set up as the documents describe, and
# broken on purpose.

doctor() {
  local folder=$work/doctor own_port secure plain status=0
  own_port=$(free_port) secure=$(free_port) plain=$(free_port)
  mkdir -p "$folder"
  certify "$folder" &&
    "$bin/generator" build --content tests/fixtures/firm/content --site-url "https://localhost:$secure" --now "$built_for" \
      --out "$folder/dist" &&
    serve "$folder/service" "$own_port" "$folder/dist" MECELLE_MAIL="outbox://$folder/outbox" \
      MECELLE_TRUSTED_PROXIES=127.0.0.1 MECELLE_LIMITS_REGISTRATION_PER_MINUTE=1000 MECELLE_LIMITS_MCP_PER_MINUTE=1000 || return
  # Columns: the proxy, the expected finding, the change that sed makes to its settings.
  examine nginx ' no faults' || status=1
  examine caddy ' no faults' || status=1
  examine nginx '503: the service behind the proxy does not answer' 's|location /agent/|location /oauth2/ { return 502; } &|' || status=1
  examine nginx '/mcp: POST with 256 KiB: 413' 's|client_max_body_size 256k|client_max_body_size 64k|' || status=1
  examine nginx 'Mcp-Name does not reach' 's|proxy_set_header Connection "";|& proxy_set_header Mcp-Name "";|' || status=1
  examine nginx 'lacks Link' 's|proxy_set_header Connection "";|& proxy_hide_header Link;|' || status=1
  examine nginx 'lacks WWW-Authenticate' 's|proxy_set_header Connection "";|& proxy_hide_header WWW-Authenticate;|' || status=1
  examine nginx '/mcp: answers 301, a redirect to' 's|location /agent/|location = /mcp { return 301 /mcp/; } &|' || status=1
  examine caddy 'X-Api-Key does not reach' 's|reverse_proxy .*|& {\nheader_up -X-Api-Key\n}|' || status=1
  examine caddy '/robots.txt: lacks' 's|reverse_proxy|respond /robots.txt "User-agent: *"\n&|' || status=1
  examine caddy 'lacks Vary' 's|reverse_proxy .*|& {\nheader_down -Vary\n}|' || status=1
  # The authority that the certificate is checked against.
  authority=/etc/ssl/certs/ca-certificates.crt examine nginx 'does not trust the authority' || status=1
  authority=$folder/none.pem examine nginx 'to a PEM file' || status=1
  return $status
}

# Creates an authority and a certificate for this machine in the folder $1.
certify() {
  local made=(openssl req -x509 -newkey ec -pkeyopt "ec_paramgen_curve:P-256" -nodes -days 2)
  "${made[@]}" -subj /CN=authority -keyout "$1/authority-key.pem" -out "$1/authority.pem" &&
    "${made[@]}" -subj /CN=localhost -addext subjectAltName=DNS:localhost -addext basicConstraints=critical,CA:FALSE \
      -CA "$1/authority.pem" -CAkey "$1/authority-key.pem" -keyout "$1/key.pem" -out "$1/cert.pem"
}

# Expects the doctor to print $2 for the proxy $1, whose settings sed changes by the remaining arguments.
examine() {
  local proxy=$1 wanted=$2 prefix printed='no answer' pid known=$folder/authority.pem
  shift 2
  prefix=$(mktemp -d -p "$folder")
  "doctored_$proxy" "$prefix" "$@" || return
  pid=${servers[-1]}
  # The next proxy uses the same port, whether this one answers or not.
  ! answers "$pid" "https://localhost:$secure/en" ||
    printed=$(unset SSL_CERT_DIR && SSL_CERT_FILE=${authority:-$known} "$bin/generator" --lang en doctor "https://localhost:$secure" 2>&1)
  kill "$pid" && wait "$pid"
  unset 'servers[-1]'
  [[ $printed == *"$wanted"* ]] || { printf '%s: no `%s` in\n%s\n' "$proxy" "$wanted" "$printed"; return 1; }
}

# deploy/nginx.conf with the names and ports of this machine.
doctored_nginx() {
  local prefix=$1 changes=(-e "s|listen 80;|listen 127.0.0.1:$plain;|; s|listen 443 |listen 127.0.0.1:$secure |; s|firm.example;|localhost;|")
  changes+=(-e "s|127.0.0.1:8080|127.0.0.1:$own_port|; s|/var/log/nginx/|$prefix/|")
  changes+=(-e "s|/etc/ssl/private/firm.example.key|$folder/key.pem|; s|/etc/ssl/firm.example.pem|$folder/cert.pem|")
  shift
  start_nginx "$prefix" nginx.conf "${changes[@]}" "${@/#/-e}"
}

# The settings for Caddy from docs/adopting.md, with the names and ports of this machine.
doctored_caddy() {
  local prefix=$1
  shift
  {
    printf '{\n\tadmin off\n\tauto_https disable_redirects\n\tservers {\n\t\tprotocols h1 h2\n\t}\n}\n'
    sed -n "/<<'END'\$/,/^END\$/p" docs/adopting.md | sed -e '1d;$d' -e "s|127.0.0.1:8080|127.0.0.1:$own_port|" \
      -e "s|^firm.example {|https://localhost:$secure {\n\ttls $folder/cert.pem $folder/key.pem|" "${@/#/-e}"
  } >"$prefix/Caddyfile"
  HOME=$prefix XDG_DATA_HOME=$prefix XDG_CONFIG_HOME=$prefix caddy run --config "$prefix/Caddyfile" 2>"$prefix/log" &
  servers+=($!)
}
