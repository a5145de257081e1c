# Folders for other hosts than the sidecar, each in the host's own runtime or the nearest that runs here.

host_tools=$root/tests/tools/hosts

hosts() {
  host_run && host_run --spoiled
}

host_run() {
  node "$host_tools/run.mjs" "$bin/generator" "$bin/sidecar" "$work/hosts" "$@"
}
