# `make run` as a newcomer runs it: every address and command that it prints must answer. The programs are built already.

welcome() {
  local folder=$work/run address=127.0.0.1:$(free_port) answered looks
  tree_in "$folder"
  # Cargo may build into any folder.
  ln -s "$(dirname "$bin")" "$folder/built"
  CARGO_TARGET_DIR=$folder/built make -C "$folder" run LISTEN="$address" CARGO=true >"$folder/said" 2>&1 &
  servers+=($!)
  # `make run` renders the site before it serves.
  for ((looks = 0; looks < 600; looks++)); do
    grep -q '^  Stop' "$folder/said" && break
    sleep 0.2
  done
  answers $! "http://$address/api/v1/health" || { cat "$folder/said"; return 1; }
  cat "$folder/said"
  answered=$(commands "$folder/said" | while read -r command; do bash -c "$command"; done)
  printf 'answered: %s\n' "$answered"
  [[ $answered == "200 200 200 200 200 200 401 " ]] && registering "$folder" "$address"
}

# Runs the commands of README.md under "Register as an agent" in the folder $1, against the server $2. Exactly the commands
# marked `# refused` fail.
registering() {
  local block
  block=$(awk '/^### Register as an agent/ { on = 1 } on && /^```$/ { exit } show { print } on && /^```sh$/ { show = 1 }' "$root/README.md")
  grep '# refused$' <<<"$block" | sed 's/ *#.*//' >"$1/refused.expected"
  block=$(sed "s|127.0.0.1:8080|$2|; s|target/debug|built/debug|" <<<"$block")
  (cd "$1" && SITE=http://$2 MECELLE_CONFIG_DIR=$1/keys MECELLE_CACHE_DIR=$1/answers \
    bash -c "set -o pipefail; trap 'echo \"\$BASH_COMMAND\" >>refused' ERR; $block")
  diff "$1/refused.expected" "$1/refused"
}

# Links the tree into the new folder $1, except the developer's own `dist/` and `data/`.
tree_in() {
  local entry
  mkdir "$1"
  for entry in "$root"/*; do
    case ${entry##*/} in dist | data | target) ;; *) ln -s "$entry" "$1" ;; esac
  done
}

# Prints the suggested commands, and a curl command for each bare address; each writes the status of its response.
commands() {
  local quiet="--silent --max-time 10 --output /dev/null --write-out '%{http_code} '"
  grep '^  Open' -A 1 "$1" | grep -o 'http://[^ ]*' | sed "s|.*|curl '&' $quiet|"
  grep -o 'curl .*' "$1" | sed "s|\$| $quiet|"
}
