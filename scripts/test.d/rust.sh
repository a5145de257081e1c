# The workspace, compiled once: clippy is the compiler, and every step takes the programs that are built with the tests.

workspace_tests() {
  env RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo test --workspace "$@"
}

build() {
  take_libraries && workspace_tests --no-run && fill "$libraries" keep_libraries
}

# The libraries of others, compiled: in a fresh clone they are copied and not compiled again. Cargo itself sees what fits.
libraries=$(cached libraries "$root"/{Cargo.lock,Cargo.toml,rust-toolchain.toml} <(rustc -vV))

take_libraries() {
  [[ ! -e $CARGO_TARGET_DIR/debug && -e $libraries/.complete ]] || return 0
  mkdir -p "$CARGO_TARGET_DIR" && cp -a "$libraries/debug" "$CARGO_TARGET_DIR"
}

# Links cost no space: what belongs to this workspace is removed before the rest is copied.
keep_libraries() {
  local linked=$CARGO_TARGET_DIR/libraries
  rm -rf "$linked" "$libraries/debug" && mkdir "$linked" && cp -al "$CARGO_TARGET_DIR/debug" "$linked" &&
    cargo clean -q --workspace --target-dir "$linked" && cp -a "$linked/debug" "$libraries" && rm -rf "$linked"
}

# A warning fails this step alone, so that it hides no test. Cargo repeats the warnings of what it does not compile again.
lints() {
  ! grep -A 12 '^warning: ' "$logs/build.log"
}

# run_tests [CARGO OPTION...]: the test programs that the options name, each of which reports how long every test took. A long
# run has the tests that are ignored, too.
run_tests() {
  local runner ignored=()
  ((TEST_TIMES == 1)) || ignored=(-- --include-ignored)
  runner=CARGO_TARGET_$(rustc -vV | sed -n 's/^host: //p' | tr 'a-z-' 'A-Z_')_RUNNER
  env "$runner=$root/scripts/timed_tests" RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo test --workspace --no-fail-fast "$@" "${ignored[@]}"
}

# The tests of steps that ran which took more than 10 seconds, longest first.
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

# What judges the programs together, the sidecar and the tool.
suites() {
  run_tests --test suite --test sidecar --test program --test tool
}

# They kill, stop and cut off what they start.
drills() {
  run_tests --test drills
}
