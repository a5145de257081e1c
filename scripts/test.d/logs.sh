# Searches what the services of the other steps logged, at trace level, for every secret that those steps came across.
#
# A step that starts services keeps the log, the pepper and the messages of each as `log`, `secret` and `outbox` in
# `$work/<step>/<service>/`; judges append the secrets that they are given to $SECRETS_FILE, one a line.
# Tests in Rust whose services are part of their own process keep `<name>.<process>.log` and `.secrets` in $JOURNAL.

# The journals of those tests. If one of them kept nothing, something is wrong.
journals=(suite sidecar registration-unit)

logs() {
  shopt -s nullglob
  local written=() messages=("$work"/*/*/outbox) name log
  # The root in which packages are tried has a folder of this name.
  for log in "$work"/*/*/log; do [[ -f $log ]] && written+=("$log"); done
  local known=$work/known-secrets kept
  shopt -u nullglob
  cat "$SECRETS_FILE" "$work"/*/*/secret >"$known" || return
  search "what was logged" "$known" "${messages[@]}" -- "${written[@]}" || return
  for name in "${journals[@]}"; do
    kept=0
    for log in "$JOURNAL/$name".*.log; do
      # An empty log belongs to a process that ended before it had anything to say; one without secrets met none.
      [[ -s $log && -s ${log%.log}.secrets ]] || continue
      kept=$((kept + 1))
      search "what $name logged" "${log%.log}.secrets" -- "$log" || return
    done
    ((kept)) || { printf 'nothing was recorded by %s\n' "$name"; return 1; }
  done
}

# Searches logs for secrets, `SECRETS... -- LOG...`, and once more with one planted, which must be found.
search() {
  local title=$1 known=$2 planted=$work/planted.log status
  shift
  printf '== %s\n' "$title"
  "$bin/secrets-in-logs" "$@" || return
  { cat "${!#}"; printf 'WARN said "%s"\n' "$(head -n 1 "$known" | tr -d '\n' | base64 -w 0)"; } >"$planted"
  "$bin/secrets-in-logs" "$known" -- "$planted" >"$planted.found"
  status=$?
  ((status == 1)) || { printf 'a planted secret was not found (%d)\n' "$status"; cat "$planted.found"; return 1; }
}
