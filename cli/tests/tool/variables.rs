//! Variables that are not UTF-8. Only Linux allows folders with such names.

use std::{
    ffi::OsStr,
    fs,
    os::unix::ffi::OsStrExt,
    process::{Command, Output, Stdio},
};

use crate::{
    registration::{ANONYMOUS, json},
    server::Server,
};

fn run(command: &str, server: &Server, variables: &[(&str, &OsStr)]) -> Output {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_mecelle"));
    tool.env_clear().env("MECELLE_BASE_URL", server.url()).envs(variables.iter().copied());
    tool.arg(command).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn invalid_key_or_host_variable_is_reported_and_not_replaced() {
    let server = Server::start([]);
    for (name, bytes) in [("MECELLE_API_KEY", &b"ak_\xff"[..]), ("MECELLE_BASE_URL", b"\xff")] {
        let output = run("team", &server, &[(name, OsStr::from_bytes(bytes))]);
        let notes = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{name}: {notes}");
        assert!(notes.contains(name) && !notes.contains("ak_"), "{notes}");
    }
    assert_eq!(server.requests().len(), 0);
}

#[test]
fn home_may_have_any_name() {
    let server = Server::start([json(ANONYMOUS)]);
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join(OsStr::from_bytes(b"fran\xe7ois"));
    for command in ["register", "team"] {
        let output = run(command, &server, &[("HOME", home.as_os_str())]);
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(server.requests()[1].fields["authorization"], "Bearer ak_first");
    assert!(home.join(".config/mecelle/registrations.json").is_file());
    assert_eq!(fs::read_dir(home.join(".cache/mecelle")).unwrap().count(), 1);
}
