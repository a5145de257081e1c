# The demonstration firm, built and served on free ports of this machine.

bin=$CARGO_TARGET_DIR/debug
# The moment for which sites are built and checked, so that the tests do not fail once content that is valid until some
# day expires.
built_for=2026-11-21T09:00:00+03:00
servers=()

free_port() {
  python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

build_site() {
  dist=$work/dist
  port=$(free_port)
  url=http://127.0.0.1:$port
  bounded "$bin/generator" build --site-url "$url" --now "$built_for" --out "$dist"
}

# With a provider that is trusted, though never asked, the service can honour everything that the build offers, and so
# serves every document unchanged.
start_server() {
  printf '[[provider]]\nissuer = "https://provider.example"\nname = "Example provider"\n' >"$work/trust.toml"
  printf 'client_ids = ["https://provider.example"]\nalgorithms = ["ES256"]\n' >>"$work/trust.toml"
  MECELLE_SITE_URL=$url MECELLE_LISTEN=127.0.0.1:$port MECELLE_DIST=$dist \
    MECELLE_STORE=sqlite://$work/store.sqlite MECELLE_SECRET_FILE=$work/secret MECELLE_MAIL=outbox://$work/outbox \
    MECELLE_TRUST=$work/trust.toml MECELLE_LOG_LEVEL=trace "$bin/sidecar" serve >"$logs/sidecar.log" 2>&1 &
  servers+=($!)
  sandbox_key=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["sandbox_key"])' "$dist/manifest.json")
  answers $! "$url/api/v1/health" || { cat "$logs/sidecar.log"; return 1; }
}

# Waits until the address answers, for at most 15 seconds; gives up at once if process $1 ends.
answers() {
  local end=$((SECONDS + 15))
  while ((SECONDS < end)); do
    kill -0 "$1" 2>/dev/null || { printf 'the server ended\n'; return 1; }
    python3 -c 'import sys, urllib.request; urllib.request.urlopen(sys.argv[1], timeout=1)' "$2" 2>/dev/null && return
    sleep 0.1
  done
  printf '%s does not answer\n' "$2"
  return 1
}

stop_servers() {
  ((${#servers[@]})) || return 0
  kill "${servers[@]}" 2>/dev/null
  wait "${servers[@]}" 2>/dev/null
  servers=()
}
