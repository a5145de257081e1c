# The workspace, compiled once: clippy is the compiler, and every step uses the programs that are built with the tests.

workspace_tests() {
  env RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo test --workspace "$@"
}

build() {
  take_libraries && workspace_tests --no-run && fill "$libraries" keep_libraries
}

# Compiled dependencies: a fresh clone copies them and does not compile them again. Cargo decides which of them fit.
libraries=$(cached libraries "$root"/{Cargo.lock,Cargo.toml,rust-toolchain.toml} <(rustc -vV))

take_libraries() {
  [[ ! -e $CARGO_TARGET_DIR/debug && -e $libraries/.complete ]] || return 0
  mkdir -p "$CARGO_TARGET_DIR" && cp -a "$libraries/debug" "$CARGO_TARGET_DIR"
}

# Hard links take no space: the workspace's own files are removed before the rest is copied.
keep_libraries() {
  local linked=$CARGO_TARGET_DIR/libraries
  rm -rf "$linked" "$libraries/debug" && mkdir "$linked" && cp -al "$CARGO_TARGET_DIR/debug" "$linked" &&
    cargo clean -q --workspace --target-dir "$linked" && cp -a "$linked/debug" "$libraries" && rm -rf "$linked"
}

# Only this step fails on a warning, so that a warning hides no test. Cargo repeats the warnings of crates that it does not
# compile again.
lints() {
  ! grep -A 12 '^warning: ' "$logs/build.log"
}

# run_tests [CARGO OPTION...]: runs the test programs that the options name; each reports the time of every test. A long run
# includes ignored tests.
run_tests() {
  local runner ignored=()
  ((TEST_TIMES == 1)) || ignored=(-- --include-ignored)
  runner=CARGO_TARGET_$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')_RUNNER
  env "$runner=$root/scripts/timed_tests" RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo test --workspace --no-fail-fast "$@" "${ignored[@]}"
}

# Prints the tests of this run that took more than 10 seconds, longest first.
slow_tests() {
  local found
  found=$(grep -hE '^test .* <[0-9]{2,}\.[0-9]+s>$' "$logs"/{unit,suites,generator,drills}.log 2>/dev/null |
    sed -E 's/^test (.*) \.\.\. [A-Za-z]+ <([0-9.]+)s>$/\2 \1/' | sort -nr)
  [[ ! $found ]] || printf '\nTests in Rust that took more than 10 seconds:\n%s\n' "$(awk '{ printf "%6.1f s  %s\n", $1, $2 }' <<<"$found")"
}

unit_tests() {
  run_tests --lib --bins
}

generator_tests() {
  run_tests --test it
}

# Tests of the programs together, of the sidecar and of the tool.
suites() {
  run_tests --test suite --test sidecar --test program --test tool
}

# Drills kill, stop and cut off the programs that they start.
drills() {
  run_tests --test drills
}
