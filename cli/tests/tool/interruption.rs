//! `Ctrl-C` during `claim --wait` ends only the wait.

use std::{fs, path::Path};

use crate::{
    registration::{BY_MAIL, CLAIMED, json},
    server::{Reply, Server},
    terminal::{self, TerminalSession},
};

const CTRL_C: &[u8] = b"\x03";
/// Shell script that survives the interrupt and prints the exit status of the tool.
const WAITING: &str = r#"trap : INT; "$0" claim --wait; echo "status $?""#;

/// Registers by e-mail, with the home `home`, at a server that follows `script` afterwards.
fn register(home: &Path, script: impl IntoIterator<Item = Reply>) -> (Server, Vec<(&'static str, String)>) {
    let server = Server::start([json(BY_MAIL)].into_iter().chain(script));
    let folder = |name: &str| home.join(name).to_str().unwrap().to_owned();
    let variables = vec![
        ("MECELLE_BASE_URL", server.url()),
        ("HOME", folder("")),
        ("MECELLE_CONFIG_DIR", folder("keys")),
        ("MECELLE_CACHE_DIR", folder("answers")),
        ("TERM", "xterm-256color".to_owned()),
    ];
    let (screen, code) = run_tool(&variables, &["register", "--email", "lawyer@firm.example"]);
    assert_eq!(code, Some(0), "{screen}");
    (server, variables)
}

fn run_tool(variables: &[(&str, String)], args: &[&str]) -> (String, Option<i32>) {
    terminal::run(args, &borrow(variables), (80, 200))
}

fn borrow<'a>(variables: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    variables.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

/// Returns every file in the key folder, with its contents.
fn kept_files(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder.join("keys")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = entries
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), fs::read_to_string(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Waits again until the claim is complete, and uses the key.
fn assert_claim_continues(server: &Server, variables: &[(&str, String)]) {
    server.then(json(CLAIMED));
    let (screen, code) = run_tool(variables, &["claim", "--wait"]);
    assert_eq!(code, Some(0), "{screen}");
    run_tool(variables, &["team"]);
    assert_eq!(server.requests().last().unwrap().fields["authorization"], "Bearer ak_second");
}

#[test]
fn ctrl_c_ends_the_wait_and_leaves_terminal_and_keys_unchanged() {
    let home = tempfile::tempdir().unwrap();
    let (server, variables) = register(home.path(), [Reply::error(400, "authorization_pending")]);
    let before = kept_files(home.path());
    let mut session = TerminalSession::shell(WAITING, &borrow(&variables));
    let settings = session.settings();
    session.wait_for("Ctrl-C only ends the waiting");
    session.type_in(CTRL_C);
    session.wait_for("status ");
    assert_eq!(session.settings(), settings);
    let (screen, _) = session.end();
    assert!(screen.ends_with("status 130\n"), "{screen}");
    // Without escape sequences, nothing has to be reset.
    assert!(!screen.contains('\x1b'), "{screen:?}");
    assert_eq!(kept_files(home.path()), before, "the key folder is unchanged");
    assert_claim_continues(&server, &variables);
}

#[test]
fn ctrl_c_during_a_reply_loses_no_key() {
    let home = tempfile::tempdir().unwrap();
    let (server, variables) = register(home.path(), [Reply::Stalled]);
    let before = kept_files(home.path());
    let mut session = TerminalSession::shell(WAITING, &borrow(&variables));
    server.wait_for(2);
    session.type_in(CTRL_C);
    assert!(session.end().0.ends_with("status 130\n"));
    assert_eq!(kept_files(home.path()), before);
    assert_claim_continues(&server, &variables);
}

#[test]
fn endless_filter_results_are_shown_at_once_and_end_with_ctrl_c() {
    let server = Server::start([]);
    let (url, script) =
        (server.url(), r#"trap : INT; "$0" health --no-cache --jq 'repeat("on and on")'; echo "status $?""#);
    let mut session = TerminalSession::shell(script, &[("MECELLE_BASE_URL", &url), ("TERM", "xterm-256color")]);
    session.wait_for("on and on");
    session.type_in(CTRL_C);
    assert!(session.end().0.ends_with("status 130\n"));
}
