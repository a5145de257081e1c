//! Checks `deploy/` and `docs/operators.md` against the program.

use std::{
    fs,
    process::{Command, Output},
};

use contract::errors::ErrorCode;
use sidecar::{LimitSettings, NAMES};
use tests::{Firm as _, SyntheticFirm, repository};

use crate::agent;

/// Returns the first code span in the manual that begins with `beginning`, on one line.
fn code_span(beginning: &str) -> String {
    let manual = fs::read_to_string(repository().join("docs/operators.md")).unwrap();
    let mut pieces = manual.split('`').filter(|piece| piece.starts_with(beginning));
    pieces.next().unwrap().split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs the check of the manual with `line` as the environment file.
fn check(build: &SyntheticFirm, line: &str) -> Output {
    let folder = build.file_path("etc");
    fs::create_dir_all(&folder).unwrap();
    let path = folder.display().to_string();
    fs::write(folder.join("environment"), format!("{line}\n")).unwrap();
    let (dist, store) = (build.dist(), build.data().join("registrations.db"));
    let settings = format!("dist = '{}'\nstore = 'sqlite://{}'\n", dist.display(), store.display());
    fs::write(folder.join("sidecar.toml"), settings).unwrap();
    // Under the name of the installed program.
    let programs = build.file_path("bin");
    fs::create_dir_all(&programs).unwrap();
    let _ = std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_sidecar-under-test"), programs.join("sidecar"));
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", &code_span("( set -a;").replace("/etc/mecelle", &path)]);
    shell.env_clear().env("PATH", programs).output().unwrap()
}

#[test]
fn documented_values_are_read_to_their_end() {
    let build = agent::anonymous_build();
    let line = code_span("MECELLE_MAIL='");
    let right = check(&build, &line);
    assert!(right.status.success(), "{line}: {}", String::from_utf8_lossy(&right.stderr));
    let (start, last) = line.trim_end_matches('\'').rsplit_once('=').unwrap();
    assert!(start.contains('&'), "what only quotes keep together: {line}");
    let wrong = check(&build, &format!("{start}=not{last}'"));
    assert_eq!(wrong.status.code(), Some(1), "{}", String::from_utf8_lossy(&wrong.stdout));
    assert!(String::from_utf8(wrong.stderr).unwrap().contains("MECELLE_MAIL"));
}

#[test]
fn manual_marks_every_setting_that_a_reload_takes_over() {
    let manual = fs::read_to_string(repository().join("docs/operators.md")).unwrap();
    let section = manual.split("\n## ").find(|section| section.starts_with("Changed settings")).unwrap();
    for name in NAMES {
        let key = if name.key.starts_with("limits.") { "limits.…" } else { name.key };
        assert!(section.contains(&format!("`{key}`")), "{key}");
    }
}

#[test]
fn manuals_name_the_default_limits() {
    let read = |name: &str| fs::read_to_string(repository().join("docs").join(name)).unwrap();
    let manuals = read("operators.md") + &read("registrations.md");
    let defaults = format!("{:?}", LimitSettings::default());
    let mut count = 0;
    for row in manuals.lines().filter(|line| line.starts_with("| `MECELLE_LIMITS_")) {
        let cells: Vec<_> = row.trim_matches('|').split(" | ").map(|cell| cell.trim().trim_matches('`')).collect();
        // `limits.*letters*` settings are `emails` in the program.
        let field = cells[1].trim_start_matches("limits.").replace("letters", "emails");
        let expected = format!(" {field}: {}", cells[cells.len() - 1].replace(',', ""));
        assert!([", ", " }"].iter().any(|end| defaults.contains(&(expected.clone() + end))), "{row}\n{defaults}");
        count += 1;
    }
    assert_eq!(count, NAMES.iter().filter(|name| name.key.starts_with("limits.")).count());
}

#[test]
fn proxy_refuses_with_the_messages_of_the_contract() {
    let proxy = fs::read_to_string(repository().join("deploy/nginx.conf")).unwrap();
    for code in [ErrorCode::InvalidRequest, ErrorCode::PayloadTooLarge, ErrorCode::UriTooLong, ErrorCode::Unavailable] {
        let line = format!("{} '{}';", code.status(), serde_json::to_string(&code.response()).unwrap());
        assert!(proxy.contains(&line), "{line}");
    }
}
