# The workspace, compiled once: clippy is the compiler, and every step takes the programs that are built with the tests.

workspace_tests() {
  # As `cargo clippy -- -D warnings` passes it on.
  bounded env RUSTC_WORKSPACE_WRAPPER=clippy-driver CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__ \
    cargo test --workspace "$@"
}

build() {
  workspace_tests --no-run
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
