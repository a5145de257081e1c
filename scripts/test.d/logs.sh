# Searches the logs of all services that other steps started, at trace level, for every secret that those steps used.
#
# A step that starts services keeps the log, the pepper and the messages of each as `log`, `secret` and `outbox` in
# `$work/<step>/<service>/`; judges append the secrets that they receive to $SECRETS_FILE, one a line. Rust tests whose services
# run in their own process keep `<name>.<process>.log` and `.secrets` in $JOURNAL.

# Names of the journals of those tests. A test program without a journal is an error.
journals=(suite sidecar registration-unit)

logs() {
  shopt -s nullglob
  local written=() messages=("$work"/*/*/outbox) name log
  # The root in which packages are tried has a folder of this name.
  for log in "$work"/*/*/log; do [[ -f $log ]] && written+=("$log"); done
  local known=$work/known-secrets kept
  shopt -u nullglob
  cat "$SECRETS_FILE" "$work"/*/*/secret >"$known" || return
  search "logs of services" "$known" "${messages[@]}" -- "${written[@]}" || return
  for name in "${journals[@]}"; do
    kept=0
    for log in "$JOURNAL/$name".*.log; do
      # An empty log belongs to a process that ended before it logged; one without secrets used none.
      [[ -s $log && -s ${log%.log}.secrets ]] || continue
      kept=$((kept + 1))
      search "log of $name" "${log%.log}.secrets" -- "$log" || return
    done
    ((kept)) || { printf 'no journal of %s has a log with secrets\n' "$name"; return 1; }
  done
}

# Searches logs for secrets, `SECRETS... -- LOG...`; then searches once more with a planted secret, which must be found.
search() {
  local title=$1 known=$2 planted=$work/planted.log status
  shift
  printf '== %s\n' "$title"
  "$bin/secrets-in-logs" "$@" || return
  { cat "${!#}"; printf 'WARN planted "%s"\n' "$(head -n 1 "$known" | tr -d '\n' | base64 -w 0)"; } >"$planted"
  "$bin/secrets-in-logs" "$known" -- "$planted" >"$planted.found"
  status=$?
  ((status == 1)) || { printf 'a planted secret was not found (%d)\n' "$status"; cat "$planted.found"; return 1; }
}
