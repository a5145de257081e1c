# The demonstration firm, built and served on free ports of this machine.

bin=$CARGO_TARGET_DIR/debug
# The moment for which sites are built and checked, so that tests do not fail once dated content expires.
built_for=2026-11-21T09:00:00+03:00
servers=()

# Prints a port on which nothing listens, below the range of outgoing connections. No port is printed twice in a run.
free_port() {
  local port
  while port=$((10000 + RANDOM % 20000)); do
    mkdir "$work/ports/$port" 2>/dev/null || { [[ -d $work/ports ]] && continue || return 1; }
    (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  printf '%s' "$port"
}

# Sets where the site is built and served, for every step.
choose_address() {
  dist=$work/dist port=$(free_port)
  url=http://127.0.0.1:$port
}

build_site() {
  "$bin/generator" build --site-url "$url" --now "$built_for" --out "$dist"
}

# serve FOLDER PORT DIST SETTING...: serves a build. The folder holds the data, the secret and the log.
serve() {
  local folder=$1 port=$2 dist=$3
  shift 3
  mkdir -p "$folder"
  env MECELLE_LISTEN="127.0.0.1:$port" MECELLE_DIST="$dist" MECELLE_STORE="sqlite://$folder/store" \
    MECELLE_SECRET_FILE="$folder/secret" MECELLE_LOG_LEVEL=trace "$@" "$bin/sidecar" serve >"$folder/log" 2>&1 &
  servers+=($!)
  answers $! "http://127.0.0.1:$port/api/v1/health" || { cat "$folder/log"; return 1; }
}

# The server of all steps that do not disturb others. With a trusted provider, though it is never contacted, the service
# supports everything that the build offers, and so serves every document unchanged.
start_server() {
  local folder=$work/server/service
  mkdir -p "$folder"
  printf '[[provider]]\nissuer = "https://provider.example"\nname = "Example provider"\n' >"$work/trust.toml"
  printf 'client_ids = ["https://provider.example"]\nalgorithms = ["ES256"]\n' >>"$work/trust.toml"
  serve "$folder" "$port" "$dist" MECELLE_SITE_URL="$url" MECELLE_MAIL="outbox://$folder/outbox" \
    MECELLE_TRUST="$work/trust.toml" || return
  sandbox_key=$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["sandbox_key"])' "$dist/manifest.json")
}

# Waits until the address answers, for at most two minutes, which say nothing about speed; gives up at once if process $1 ends.
# Certificates are not checked here.
answers() {
  local end=$((SECONDS + 120))
  while ((SECONDS < end)); do
    kill -0 "$1" 2>/dev/null || { printf 'the server ended\n'; return 1; }
    curl --silent --fail --insecure --noproxy '*' --max-time 20 --output /dev/null "$2" && return
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
