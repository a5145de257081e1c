# The project's own commands on a different machine: the path of an ordinary account, Debian's Node, unusual shell settings.

machine() {
  local status=0 path release=$work/release target
  # On Debian, only root has `sbin` in its path.
  path=$(tr : '\n' <<<"$PATH" | grep -v '/sbin/*$' | paste -sd :)
  expect_ok "installed programs are found, wherever cargo builds" \
    env PATH="$path" CARGO_TARGET_DIR="$(realpath --relative-to=. "$CARGO_TARGET_DIR")" TEST_LOGS="$work/machine" \
    scripts/test server || status=1
  expect_ok "make licences checks the licences" env TEST_LOGS="$work/machine" make -s licences || status=1
  printf 'Object.defineProperty(process, "version", { value: "v18.20.4" });\n' >"$work/old-node.cjs"
  expect_ok "an old Node can fetch the packages of the judges" \
    env -C "$node_kept" NODE_OPTIONS="--require $work/old-node.cjs" npm ci --ignore-scripts --dry-run || status=1
  expect_ok "without a folder to work in, no step starts" \
    bash -c '! said=$(TMPDIR=$1 scripts/test format 2>&1) && ! grep passed <<<"$said"' - "$work/nowhere" || status=1
  # The unoptimized build stands in for the release, which takes long to compile.
  tree_in "$release"
  mkdir "$release/built"
  ln -s "$bin" "$release/built/release"
  expect_ok "make build renders the firm" make -C "$release" build CARGO=true CARGO_TARGET_DIR=built || status=1
  expect_ok "make build uses the best compression" grep 'br 11' "$release/dist/.build.json" || status=1
  for target in $(sed -n 's/^\.PHONY: //p' Makefile); do
    expect_ok "make help lists make $target" bash -c 'make -s help | grep "^  make $1 "' - "$target" || status=1
  done
  return $status
}

# Runs a function or program; prints `ok` and the title $1, or `FAIL`, the title and the output.
expect_ok() {
  local title=$1 said=$work/said.$BASHPID
  shift
  if "$@" >"$said" 2>&1; then
    printf 'ok    %s\n' "$title"
  else
    printf 'FAIL  %s\n' "$title"
    cat "$said"
    return 1
  fi
}
