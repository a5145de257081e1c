# Folders for other hosts than the sidecar, each as it runs there or as nearly as can be here.

host_tools=$root/tests/tools/hosts

# With TEST_BLESS set, the tables of docs/hosts.md are written.
hosts() {
  host_run ${TEST_BLESS:+--bless} && host_run --spoiled
}

host_run() {
  node "$host_tools/run.mjs" "$bin/generator" "$bin/sidecar" "$work/hosts" "$@"
}
