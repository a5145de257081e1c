# Folders for other hosts than the sidecar, each as it runs there or as nearly as can be here.

host_tools=$root/tests/tools/hosts

# With TEST_BLESS set, the tables of docs/hosts.md are written.
hosts() {
  host_packages && host_run ${TEST_BLESS:+--bless} && host_run --spoiled
}

host_run() {
  bounded node "$host_tools/run.mjs" "$bin/generator" "$bin/sidecar" "$work/hosts" "$@"
}

host_packages() {
  local lock=$host_tools/package-lock.json mark=$host_tools/node_modules/.installed
  cmp -s "$lock" "$mark" && return
  # workerd is a program inside a package of its own, so no package has a reason to run its own script.
  bounded env -C "$host_tools" npm ci --ignore-scripts --no-audit --no-fund --fetch-retries 5 &&
    cp "$lock" "$mark"
}
