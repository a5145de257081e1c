//! Suggested commands name the same host.

use std::fs;

use cli::Exit;

use crate::{
    registration::{ANONYMOUS, BY_MAIL, json},
    server::{Reply, Server},
    tool::{Outcome, Tool},
};

/// Runs `line` with `--base-url` against a server that follows `script`, after `before`.
fn run(script: impl IntoIterator<Item = Reply>, before: &str, line: &str) -> (Outcome, String) {
    let server = Server::start(script);
    let named = format!("--base-url {}", server.url());
    let tool = Tool::asking("").learned(&server.url());
    if !before.is_empty() {
        tool.run(&format!("{before} {named}"));
    }
    (tool.run(&format!("{line} {named}")), named)
}

#[test]
fn suggested_command_names_the_same_host() {
    let status = |status, code| Reply::error(status, code);
    let moved = status(308, "moved").with("Location", "/elsewhere");
    for (script, before, line, next) in [
        (vec![json(ANONYMOUS), status(401, "invalid_api_key")], "register", "team", "mecelle register"),
        (vec![json(BY_MAIL), status(401, "otp_invalid")], "register", "claim --code 1", "mecelle claim --code CODE"),
        (
            vec![json(BY_MAIL), status(410, "otp_expired")],
            "register",
            "claim --code 1",
            "mecelle claim --email ADDRESS",
        ),
        (vec![], "", "claim --code 1", "mecelle register"),
        (vec![Reply::CutOff { announced: 9, body: Vec::new() }], "", "register", "mecelle whoami"),
        (vec![json("{}")], "", "register", "mecelle whoami"),
        (vec![status(410, "gone")], "", "team", "mecelle catalog"),
        (vec![status(501, "unavailable")], "", "team", "mecelle health"),
        (vec![status(501, "unavailable")], "", "health", "mecelle health --retries 5"),
        (vec![moved], "", "team", "mecelle catalog"),
    ] {
        let (outcome, named) = run(script, before, &format!("{line} --retries 0"));
        assert!(outcome.notes.ends_with(&format!("  try: {next} {named}\n")), "{line}: {}", outcome.notes);
    }
    let mut script = vec![json(BY_MAIL)];
    script.extend(vec![Reply::error(400, "authorization_pending"); 720]);
    let (outcome, named) = run(script, "register", "claim --wait");
    assert!(outcome.notes.ends_with(&format!("  try: mecelle claim --code CODE {named}\n")), "{}", outcome.notes);
}

#[test]
fn advice_below_the_data_names_the_same_host() {
    for (script, before, line, next) in [
        (vec![json(ANONYMOUS)], "", "register", "mecelle claim --email ADDRESS"),
        (vec![json(BY_MAIL)], "", "register --email you@firm.example", "mecelle claim --code CODE"),
        (vec![json(BY_MAIL), json(BY_MAIL)], "register", "claim --email a@b.example", "mecelle claim --code CODE"),
        (vec![json(ANONYMOUS), Reply::error(501, "unavailable")], "register", "logout", "mecelle logout --forget"),
    ] {
        let (outcome, named) = run(script, before, line);
        assert!(outcome.notes.contains(&format!("{next} {named}\n")), "{line}: {}", outcome.notes);
    }
}

#[test]
fn help_names_no_host() {
    let (outcome, _) = run([], "", "team --locale de");
    assert!(outcome.notes.ends_with("  try: mecelle team --help\n"), "{}", outcome.notes);
}

/// Makes the key file unwritable, even for the superuser: the name of its temporary file would be too long.
#[cfg(unix)]
fn make_unwritable(tool: &Tool) {
    let file = tool.keyring();
    let long = file.with_file_name(format!("{}.json", "k".repeat(250)));
    fs::rename(&file, &long).unwrap();
    std::os::unix::fs::symlink(long, file).unwrap();
}

#[cfg(unix)]
#[test]
fn key_that_cannot_be_deleted_is_not_revoked() {
    let server = Server::start([json(ANONYMOUS)]);
    let tool = Tool::asking(&server.url());
    tool.run("register");
    make_unwritable(&tool);
    let outcome = tool.run("logout");
    assert_eq!((outcome.exit, server.requests().len()), (Exit::Failure, 1), "{}", outcome.notes);
    assert!(outcome.notes.contains("registrations.json cannot be used"), "{}", outcome.notes);
}

#[cfg(unix)]
#[test]
fn refused_key_that_cannot_be_deleted_is_reported() {
    let refused = || Reply::error(401, "invalid_api_key");
    let server = Server::start([json(ANONYMOUS), refused(), refused()]);
    let tool = Tool::asking(&server.url());
    tool.run("register");
    make_unwritable(&tool);
    for line in ["team", "whoami"] {
        let outcome = tool.run(line);
        assert_eq!(outcome.exit, Exit::Authentication, "{line}");
        for words in ["could not be deleted", "registrations.json", &format!("try: mecelle {line} --api-key ''")] {
            assert!(outcome.notes.contains(words), "{words} is missing in: {}", outcome.notes);
        }
    }
}
