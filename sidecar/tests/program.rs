//! The shipped program starts; `tests/sidecar` tests everything else.

use std::process::Command;

#[test]
fn help_names_the_command_that_serves() {
    let output = Command::new(env!("CARGO_BIN_EXE_sidecar")).arg("--help").output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains("serve"));
}
