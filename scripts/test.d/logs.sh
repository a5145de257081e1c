# What the services of the other steps have logged, at trace level, searched for every secret that those steps came by.
#
# A step that starts services of its own keeps the log, the pepper and the messages of each as `log`, `secret` and
# `outbox` in `$work/<step>/<service>/`; what its judges are given they append to $SECRETS_FILE, one secret a line.

logs() {
  shopt -s nullglob
  local written=("$logs/sidecar.log" "$work"/*/*/log) messages=("$work/outbox" "$work"/*/*/outbox) status
  local known=$work/known-secrets planted=$work/planted.log
  shopt -u nullglob
  cat "$SECRETS_FILE" "$work/secret" "$work"/*/*/secret >"$known" || return
  printf '== what was logged\n'
  bounded "$bin/secrets-in-logs" "$known" "${messages[@]}" -- "${written[@]}" || return
  printf '\n== the same with a secret planted, which must be found\n'
  { cat "$logs/sidecar.log"; printf 'WARN said "%s"\n' "$(head -n 1 "$SECRETS_FILE" | tr -d '\n' | base64 -w 0)"; } >"$planted"
  bounded "$bin/secrets-in-logs" "$known" -- "$planted"
  status=$?
  ((status == 1))
}
