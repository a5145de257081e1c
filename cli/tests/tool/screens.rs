//! Every screen, at 80 and 120 columns and in both languages. `MECELLE_BLESS=1` accepts what is shown now.

use std::{fs, path::PathBuf};

use crate::{
    server::{Reply, Server},
    terminal,
    tool::Tool,
};

const WIDTHS: [u16; 2] = [80, 120];

/// Compares `screen` with the expected file `name`; escape sequences and the port are made readable first.
#[track_caller]
fn compare(name: &str, screen: &str, server: &Server) {
    let screen = screen.replace('\u{1b}', "␛").replace(&server.url(), "http://127.0.0.1:PORT");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(format!("{name}.txt"));
    if std::env::vars().any(|(name, value)| name == "MECELLE_BLESS" && value == "1") {
        fs::write(&path, &screen).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(screen == expected, "{name} differs from {}; MECELLE_BLESS=1 accepts:\n{screen}", path.display());
}

fn shown(server: &Server, line: &str, width: u16) -> String {
    let args: Vec<&str> = line.split_whitespace().collect();
    let url = server.url();
    let variables = [("MECELLE_BASE_URL", url.as_str()), ("NO_COLOR", "1"), ("TERM", "xterm-256color")];
    terminal::run(&args, &variables, (width, 200)).0
}

#[test]
fn answers_fit_the_terminal_in_both_languages() {
    let server = Server::start([]);
    for command in ["practice-areas", "team", "publications", "contact"] {
        for locale in ["en", "tr"] {
            for width in WIDTHS {
                let screen = shown(&server, &format!("{command} --locale {locale}"), width);
                compare(&format!("{command}.{locale}.{width}"), &screen, &server);
                assert_within(&screen, width);
            }
        }
    }
}

#[test]
fn documents_about_the_service_fit_the_terminal() {
    let server = Server::start([]);
    for command in ["catalog", "health", "openapi"] {
        for width in WIDTHS {
            let screen = shown(&server, command, width);
            compare(&format!("{command}.{width}"), &screen, &server);
            assert_within(&screen, width);
        }
    }
}

#[test]
fn help_fits_the_terminal() {
    let server = Server::start([]);
    for width in WIDTHS {
        for (name, line) in [("help", "--help"), ("help-team", "team --help")] {
            compare(&format!("{name}.{width}"), &shown(&server, line, width), &server);
        }
    }
}

#[test]
fn a_registration_fits_the_terminal() {
    let body = r#"{"registration_id":"reg_7Qd","registration_type":"anonymous","credential_type":"api_key","credential":"ak_secret","credential_expires":"2026-11-22T10:00:00.000Z","scopes":["content.read","mcp.read"],"claim_token":"clm_secret","claim_token_expires":"2026-11-22T10:00:00.000Z"}"#;
    let server = Server::start([Reply::body("application/json", body)]);
    let folder = tempfile::tempdir().unwrap();
    let (url, keys) = (server.url(), folder.path().to_str().unwrap());
    let variables = [("MECELLE_BASE_URL", url.as_str()), ("NO_COLOR", "1"), ("MECELLE_CONFIG_DIR", keys)];
    let (screen, code) = terminal::run(&["register"], &variables, (120, 200));
    assert_eq!(code, Some(0));
    // The folder's name differs from run to run, and so may the place where its line breaks.
    let screen: Vec<_> =
        screen.split_whitespace().map(|word| if word.starts_with(keys) { "KEYS" } else { word }).collect();
    assert!(!screen.iter().any(|word| word.contains("secret")));
    compare("register", &(screen.join(" ") + "\n"), &server);
    compare("claim-help.80", &shown(&server, "claim --help", 80), &server);
}

#[test]
fn failures_are_told_in_a_few_lines() {
    let server = Server::start([Reply::error(401, "invalid_api_key")]);
    compare("refused.80", &shown(&server, "team", 80), &server);
    server.then(Reply::body("text/html", "<p>Hello"));
    compare("not-json.80", &shown(&server, "team", 80), &server);
    compare("usage.80", &shown(&server, "team --locale de", 80), &server);
}

#[test]
fn very_narrow_terminals_get_a_stack() {
    let server = Server::start([]);
    let screen = shown(&server, "team --locale tr", 24);
    compare("team.tr.24", &screen, &server);
    assert_within(&screen, 24);
}

#[test]
fn colours_and_links_are_for_terminals_that_show_them() {
    let server = Server::start([]);
    let url = server.url();
    let run = |more: &[(&str, &str)]| {
        let mut variables = vec![("MECELLE_BASE_URL", url.as_str())];
        variables.extend(more);
        terminal::run(&["team"], &variables, (80, 200)).0
    };
    compare("team-in-colour.80", &run(&[("TERM", "xterm-kitty")]), &server);
    let plain = run(&[("TERM", "xterm-256color"), ("NO_COLOR", "1")]);
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    let dumb = run(&[("TERM", "dumb"), ("VTE_VERSION", "7000")]);
    assert!(!dumb.contains('\u{1b}'), "{dumb:?}");
    let painted = run(&[("TERM", "xterm-256color")]);
    assert!(painted.contains("\u{1b}[1m") && !painted.contains("\u{1b}]8"), "{painted:?}");
}

#[test]
fn a_pager_opens_only_when_the_answer_is_longer_than_the_terminal() {
    let server = Server::start([]);
    let url = server.url();
    let run = |args: &[&str], rows| {
        let variables = [("MECELLE_BASE_URL", url.as_str()), ("MECELLE_PAGER", "sed s/^/paged:/"), ("NO_COLOR", "1")];
        terminal::run(args, &variables, (80, rows)).0
    };
    assert!(run(&["team"], 5).lines().all(|line| line.starts_with("paged:")), "{}", run(&["team"], 5));
    assert!(!run(&["team"], 60).contains("paged:"));
    assert!(!run(&["team", "--no-pager"], 5).contains("paged:"));
}

#[test]
fn a_terminal_obeys_nothing_in_bare_forms_either_and_a_pipe_gets_the_exact_bytes() {
    let body = "{\"ok\":true,\"service\":\"a\u{9b}31m\u{202e}\\u001b]0;x\\u0007\",\"sandbox\":true}\n";
    for form in [&["--output", "json"][..], &["--output", "csv"], &["--jq", ".service"]] {
        let server = Server::start([Reply::body("application/json", body)]);
        let url = server.url();
        let variables = [("MECELLE_BASE_URL", url.as_str()), ("NO_COLOR", "1"), ("TERM", "xterm-256color")];
        let (screen, _) = terminal::run(&[&["health"], form].concat(), &variables, (80, 200));
        assert!(screen.contains("31m"), "{form:?}: {screen:?}");
        assert!(!screen.contains(['\u{9b}', '\u{202e}', '\u{1b}', '\u{7}']), "{form:?}: {screen:?}");
    }
    let server = Server::start([Reply::body("application/json", body)]);
    assert_eq!(Tool::asking(&server.url()).run("health --output json").data, body.as_bytes());
}

#[track_caller]
fn assert_within(screen: &str, width: u16) {
    for line in screen.lines() {
        assert!(line.chars().count() <= usize::from(width), "wider than {width}: {line}");
    }
}
