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

# The tests of the generator and of the tool: all whose names do not begin as drills, sidecar and suite do.
programs() {
  ! ls -d {generator,cli,crates/*}/tests/[ds]* 2>/dev/null || { echo 'A test of that name would be run by no step.'; return 1; }
  workspace_tests --test '[!ds]*'
}

# What judges the programs together, and the sidecar.
suites() {
  workspace_tests --test suite --test sidecar
}

# They wait for most of their time.
drills() {
  workspace_tests --test drills
}
