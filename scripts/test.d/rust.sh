# The workspace, compiled once: clippy is the compiler, and every step takes the programs that are built with the tests.

workspace_tests() {
  bounded env RUSTC_WORKSPACE_WRAPPER=clippy-driver cargo test --workspace "$@"
}

build() {
  workspace_tests --no-run
}

# A warning fails this step alone, so that it hides no test. Cargo repeats the warnings of what it does not compile again.
lints() {
  ! grep -A 12 '^warning: ' "$logs/build.log"
}

unit_tests() {
  workspace_tests --lib --bins
}

# Every other test but the drills, which wait for most of their time.
suites() {
  workspace_tests --test '[!d]*'
}

drills() {
  workspace_tests --test drills
}
