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

# The tests of the generator, which expect nothing in time: all whose names begin otherwise than drills, sidecar, suite and tool.
generator_tests() {
  ! ls -d generator/tests/[dst]* 2>/dev/null || { echo 'A test of that name would be run by no step.'; return 1; }
  workspace_tests --test '[!dst]*'
}

# What judges the programs together, the sidecar and the tool.
suites() {
  workspace_tests --test suite --test sidecar --test tool
}

# They wait for most of their time.
drills() {
  workspace_tests --test drills
}
