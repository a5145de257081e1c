# Folders for other hosts than the sidecar, each in the host's own runtime or the nearest that runs here.

host_tools=$root/tests/tools/hosts

# With TEST_BLESS set, the tables of docs/hosts.md are written.
hosts() {
  host_run ${TEST_BLESS:+--bless} && host_run --spoiled
}

host_run() {
  node "$host_tools/run.mjs" "$bin/generator" "$bin/sidecar" "$work/hosts" "$@"
}
