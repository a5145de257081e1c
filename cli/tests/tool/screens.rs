//! Screens at 80 and 120 columns in both languages. `MECELLE_BLESS=1` writes the expected files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    registration::{ANONYMOUS, json},
    search,
    server::{Reply, Server},
    terminal,
    tool::Tool,
};

const WIDTHS: [u16; 2] = [80, 120];

/// Compares `screen` with the expected file `name`, with readable escape sequences and a fixed port.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "the environment decides whether to bless")]
fn compare(name: &str, screen: &str, server: &Server) {
    let screen = screen.replace('\u{1b}', "␛").replace(&server.url(), "http://127.0.0.1:PORT");
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/expected").join(format!("{name}.txt"));
    if std::env::vars().any(|(name, value)| name == "MECELLE_BLESS" && value == "1") {
        fs::write(&path, &screen).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(screen == expected, "{name} differs from {}; MECELLE_BLESS=1 accepts:\n{screen}", path.display());
}

fn render(server: &Server, line: &str, width: u16) -> String {
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
                let screen = render(&server, &format!("{command} --locale {locale}"), width);
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
            let screen = render(&server, command, width);
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
            compare(&format!("{name}.{width}"), &render(&server, line, width), &server);
        }
    }
}

/// Returns the screen with `home` as home, on a terminal of `width` columns.
fn render_at(home: &Path, server: &Server, args: &[&str], width: u16) -> String {
    let (url, home) = (server.url(), home.to_str().unwrap());
    let folder = |name: &str| format!("{home}/{name}");
    let (keys, answers) = (folder("keys"), folder("answers"));
    let variables = [
        ("MECELLE_BASE_URL", url.as_str()),
        ("HOME", home),
        ("MECELLE_CONFIG_DIR", &keys),
        ("MECELLE_CACHE_DIR", &answers),
        ("NO_COLOR", "1"),
        ("TERM", "xterm-256color"),
    ];
    terminal::run(args, &variables, (width, 200)).0
}

#[test]
fn search_fits_the_terminal_in_both_languages() {
    for (locale, words) in [("en", "remote work"), ("tr", "uzaktan çalışma")] {
        for width in WIDTHS {
            let server = Server::start([search::several(locale)]);
            let screen = render(&server, &format!("search {words} --locale {locale}"), width);
            compare(&format!("search.{locale}.{width}"), &screen, &server);
            assert_within(&screen, width);
        }
    }
}

#[test]
fn registration_fits_the_terminal_from_its_beginning_to_its_end() {
    let registered = r#"{"registration_id":"reg_7Qd","registration_type":"anonymous","credential_type":"api_key","credential":"ak_secret","credential_expires":"2026-11-22T10:00:00.000Z","scopes":["content.read","mcp.read"],"claim_token":"clm_secret","claim_token_expires":"2026-11-22T10:00:00.000Z"}"#;
    let started = r#"{"registration_id":"reg_7Qd","claim_attempt_id":"cla_1","status":"initiated","expires_at":"2026-11-21T11:00:00.000Z","expires_in":3600,"interval":5,"match_phrase":"maple lantern"}"#;
    let claimed = r#"{"registration_id":"reg_7Qd","status":"claimed","credential_type":"api_key","credential":"ak_secret","credential_expires":"2027-02-19T10:00:00.000Z","scopes":["openid","profile","mcp.read","content.read"]}"#;
    for width in WIDTHS {
        let server = Server::start([json(registered), json(started), json(claimed), Reply::Good, json("")]);
        let home = tempfile::tempdir().unwrap();
        for (name, line) in [
            ("register", "register".to_owned()),
            ("claim-email", "claim --email lawyer@firm.example".to_owned()),
            ("claim-code", "claim --code 123456".to_owned()),
            ("whoami", "whoami".to_owned()),
            ("logout", "logout".to_owned()),
            ("use", format!("use {}", server.url())),
            ("whoami-sandbox", "whoami".to_owned()),
        ] {
            let screen = render_at(home.path(), &server, &line.split(' ').collect::<Vec<_>>(), width);
            assert!(!screen.contains("secret"), "{screen}");
            compare(&format!("{name}.{width}"), &screen, &server);
            assert_within(&screen, width);
        }
        compare(&format!("claim-help.{width}"), &render(&server, "claim --help", width), &server);
    }
}

#[test]
fn failures_are_reported_in_a_few_lines() {
    let server = Server::start([Reply::error(401, "invalid_api_key")]);
    compare("refused.80", &render(&server, "team --api-key ak_other", 80), &server);
    server.then(Reply::body("text/html", "<p>Hello"));
    compare("not-json.80", &render(&server, "team", 80), &server);
    compare("usage.80", &render(&server, "team --locale de", 80), &server);
}

#[test]
fn narrow_terminals_show_stacked_rows() {
    let server = Server::start([]);
    for width in [24, 40] {
        let screen = render(&server, "team --locale tr", width);
        compare(&format!("team.tr.{width}"), &screen, &server);
        assert_within(&screen, width);
    }
}

#[test]
fn colours_and_links_are_written_only_for_terminals_that_support_them() {
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
fn pager_opens_only_when_the_answer_is_longer_than_the_terminal() {
    let server = Server::start([]);
    let url = server.url();
    let run = |args: &[&str], rows| {
        let variables = [("MECELLE_BASE_URL", url.as_str()), ("MECELLE_PAGER", "sed s/^/paged:/"), ("NO_COLOR", "1")];
        terminal::run(args, &variables, (80, rows)).0
    };
    assert!(run(&["team"], 5).lines().all(|line| line.starts_with("paged:")), "{}", run(&["team"], 5));
    assert!(!run(&["team"], 60).contains("paged:"));
    assert!(!run(&["team", "--no-pager"], 5).contains("paged:"));
    let answers = tempfile::tempdir().unwrap();
    let variables = |term| {
        let answers = answers.path().to_str().unwrap();
        [("MECELLE_BASE_URL", url.as_str()), ("MECELLE_CACHE_DIR", answers), ("TERM", term), ("NO_COLOR", "1")]
    };
    // With a cache folder, the pager replaces the tool's process.
    let own = [&variables("xterm")[..], &[("PAGER", "sed s/^/paged:/")]].concat();
    let (screen, code) = terminal::run(&["team"], &own, (80, 5));
    assert!(code == Some(0) && screen.lines().all(|line| line.starts_with("paged:")), "{screen}");
    let files = fs::read_dir(answers.path()).unwrap().map(|file| file.unwrap().file_name());
    assert_eq!(files.filter(|name| name.to_string_lossy().contains("page")).count(), 0);
    // `less` would print warnings.
    assert!(!terminal::run(&["team"], &variables("dumb"), (80, 5)).0.contains("WARNING"));
    for missing in ["no-such-pager", "no-such-pager --style=plain -x%3 ~/a[b]*"] {
        let missing = [&variables("xterm")[..], &[("PAGER", missing)]].concat();
        let (screen, code) = terminal::run(&["team"], &missing, (80, 5));
        assert!(code == Some(0) && screen.contains("Kerem"), "{screen}");
    }
}

#[test]
fn pager_may_be_any_command_of_the_shell() {
    let server = Server::start([]);
    let (url, answers) = (server.url(), tempfile::tempdir().unwrap());
    for pager in ["sed 's/^/a b:/'", "cat | sed s/^/a\\ b:/", "MARK='a b:'; sed \"s/^/$MARK/\""] {
        let variables = [
            ("MECELLE_BASE_URL", url.as_str()),
            ("MECELLE_CACHE_DIR", answers.path().to_str().unwrap()),
            ("NO_COLOR", "1"),
            ("PAGER", pager),
        ];
        let (screen, code) = terminal::run(&["team"], &variables, (80, 5));
        assert_eq!(code, Some(0), "{pager}: {screen}");
        assert!(screen.contains("Kerem") && screen.lines().all(|line| line.starts_with("a b:")), "{pager}: {screen}");
    }
    let variables = [("MECELLE_BASE_URL", url.as_str()), ("NO_COLOR", "1"), ("PAGER", "cat -n")];
    assert!(terminal::run(&["team"], &variables, (80, 5)).0.contains("     2\t"), "only `cat` alone is no pager");
}

#[test]
fn pager_may_be_in_the_home_or_follow_variables() {
    use std::os::unix::fs::PermissionsExt;
    let server = Server::start([]);
    let (url, home) = (server.url(), tempfile::tempdir().unwrap());
    let pager = home.path().join("pager");
    fs::write(&pager, "#!/bin/sh\nexec sed s/^/paged:/\n").unwrap();
    fs::set_permissions(&pager, fs::Permissions::from_mode(0o700)).unwrap();
    for pager in ["~/pager", "LESS=FRX sed s/^/paged:/"] {
        let variables = [
            ("MECELLE_BASE_URL", url.as_str()),
            ("HOME", home.path().to_str().unwrap()),
            ("NO_COLOR", "1"),
            ("MECELLE_PAGER", pager),
        ];
        let (screen, code) = terminal::run(&["team"], &variables, (80, 5));
        assert!(code == Some(0) && screen.lines().all(|line| line.starts_with("paged:")), "{pager}: {screen}");
    }
}

#[test]
fn registration_advice_is_not_hidden_by_a_pager() {
    let server = Server::start([json(ANONYMOUS), json(ANONYMOUS)]);
    let (url, home) = (server.url(), tempfile::tempdir().unwrap());
    let folder = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (keys, answers) = (folder("keys"), folder("answers"));
    let variables = [
        ("MECELLE_BASE_URL", url.as_str()),
        ("MECELLE_CONFIG_DIR", &keys),
        ("MECELLE_CACHE_DIR", &answers),
        ("MECELLE_PAGER", "sed s/^/paged:/"),
        ("NO_COLOR", "1"),
    ];
    for form in ["json", "table"] {
        let (screen, code) = terminal::run(&["register", "-o", form], &variables, (80, 5));
        assert_eq!(code, Some(0), "{screen}");
        assert!(screen.contains("mecelle claim --email") && !screen.contains("paged:"), "{screen}");
        assert_eq!(screen.contains("which stays valid until it expires"), form == "table", "{screen}");
    }
}

#[test]
fn bare_formats_are_sanitized_on_a_terminal_and_exact_in_a_pipe() {
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
