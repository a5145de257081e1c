//! The program from start to end: failed starts, refused builds, and the orderly end.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::{SocketAddr, TcpStream},
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::Command,
    time::Duration,
};

use contract::{manifest::FILE_NAME, routes};
use tests::{
    Agent as _, BuiltFirm, Firm as _, Process, Signal, build, build_from, built, content_of, copy_folder, eventually,
    files_below, get, secrets,
};

/// Longer than any step on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(2);

/// Returns the program on a build, with log level `trace`.
pub(crate) fn program(firm: &BuiltFirm) -> Command {
    let mut command = tests::program(env!("CARGO_BIN_EXE_sidecar-under-test"), firm);
    command.env("MECELLE_WORKERS", "1").env("MECELLE_LOG_LEVEL", "trace");
    command
}

fn start(firm: &BuiltFirm, log: &Path) -> Process {
    Process::serve(&mut program(firm), log)
}

fn log_contains(log: &Path, text: &str) -> bool {
    fs::read_to_string(log).is_ok_and(|log| log.contains(text))
}

/// Sends only the beginning of a registration, and returns the connection with the rest.
fn begin_registration(address: SocketAddr) -> (TcpStream, &'static [u8]) {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    let head = format!(
        "POST {} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{{\"type\"",
        routes::REGISTER
    );
    stream.write_all(head.as_bytes()).unwrap();
    (stream, b":\"anonymous\"}")
}

#[test]
fn sigterm_finishes_responses_and_exits_with_zero() {
    let firm = built("firm");
    let log = firm.dist().with_file_name("log");
    let mut process = start(&firm, &log);
    let mut idle = process.connection();
    assert_eq!(idle.content(None).unwrap().status, 200);
    let (mut stream, rest) = begin_registration(process.address());
    // There is one worker: when it answers a later connection, it has accepted the unfinished request.
    assert_eq!(process.connection().content(None).unwrap().status, 200);
    process.send_signal(Signal::End);
    eventually("the announcement", || log_contains(&log, "answers in progress are finished first"));
    eventually("the end of new connections", || TcpStream::connect(process.address()).is_err());
    stream.write_all(rest).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    secrets::harvest(answer.as_bytes());
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    assert!(idle.content(None).is_err(), "the idle connection was not awaited");
    assert_eq!(process.wait().code(), Some(0));
    assert!(fs::read_to_string(&log).unwrap().trim_end().ends_with("ended"));

    // The registration is stored, in one file without a write-ahead log.
    let data = firm.dist().with_file_name("data");
    assert!(data.join("registrations.db").exists() && !data.join("registrations.db-wal").exists());
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    let registered: serde_json::Value = serde_json::from_str(body).unwrap();
    let again = start(&firm, &firm.dist().with_file_name("log-again"));
    let key = registered["credential"].as_str().unwrap();
    assert_eq!(again.connection().content(Some(key)).unwrap().status, 200);
    let found = secrets::found_in(&fs::read(&log).unwrap());
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn copied_build_is_served_once_it_is_complete() {
    let content = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("firm"), content.path());
    let firm = build(content.path());
    let log = firm.dist().with_file_name("log");
    let process = start(&firm, &log);
    let site = content.path().join("site.toml");
    let renamed = fs::read_to_string(&site).unwrap().replacen("name = { en = \"", "name = { en = \"New ", 1);
    fs::write(&site, renamed).unwrap();
    let next = build(content.path());
    let copy = |name: &str| {
        let to = firm.dist().join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(next.dist().join(name), to).unwrap();
    };
    copy(FILE_NAME);
    eventually("the refusal", || log_contains(&log, "a build was refused"));
    let files = files_below(&next.dist());
    files.keys().filter(|name| *name != FILE_NAME).for_each(|name| copy(name));
    eventually("the whole build", || log_contains(&log, &next.report.build));
    let name = get(process.address(), routes::CONTACT, &[]).text_of("firm");
    assert!(name.starts_with("New "), "{name}");
    // Retries with the same reason are logged once.
    let logged = fs::read_to_string(&log).unwrap();
    let refusals: Vec<&str> =
        logged.lines().filter_map(|line| line.split_once("a build was refused").map(|it| it.1)).collect();
    assert!(refusals.windows(2).all(|two| two[0] != two[1]), "{refusals:?}");
}

/// Runs a start that fails with status 1, and returns its one line.
#[track_caller]
fn start_error(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    let lines: Vec<&str> = stderr.lines().collect();
    assert_eq!((output.status.code(), lines.len()), (Some(1), 1), "{stderr}");
    assert!(lines[0].starts_with("sidecar: "), "{stderr}");
    assert!(output.stdout.is_empty());
    lines[0].to_owned()
}

#[test]
fn failed_start_prints_one_line_with_the_remedy() {
    let firm = built("firm");
    let folder = firm.dist().with_file_name("settings");
    fs::create_dir(&folder).unwrap();
    let write = |name: &str, text: &str| {
        fs::write(folder.join(name), text).unwrap();
        folder.join(name).display().to_string()
    };
    let running = start(&firm, &folder.join("log"));
    let taken = running.address().to_string();
    let nowhere = folder.join("nowhere").display().to_string();
    let readable = write("readable", &"01".repeat(32));
    fs::set_permissions(&readable, fs::Permissions::from_mode(0o644)).unwrap();
    let unknown_issuer = write("trust.toml", "[[provider]]\nisuer = 'https://agents.example'\n");
    for (variable, value, message) in [
        ("LISTEN", taken.as_str(), &[taken.as_str(), "MECELLE_LISTEN: ", "stop the program that uses it"][..]),
        ("ADMIN_LISTEN", &taken, &[&taken, "MECELLE_ADMIN_LISTEN"]),
        ("LISTEN", "8080", &["MECELLE_LISTEN", "such as `127.0.0.1:8080`"]),
        ("DIST", &nowhere, &[&nowhere, "MECELLE_DIST: ", "run `generator build`, or name the folder"]),
        ("SITE_URL", "https://other.example", &["https://ornek.example", "--site-url https://other.example"]),
        ("SITE_URL", "https://other.example/x", &["MECELLE_SITE_URL", "such as `https://firm.example`"]),
        ("LOG_LEVEL", "loud", &["MECELLE_LOG_LEVEL", "`error`, `warn`"]),
        ("LIMITS_CONTENT_PER_MINUTE", "0", &["MECELLE_LIMITS_CONTENT_PER_MINUTE", "from 1 to 4294967295"]),
        ("TRUSTED_PROXIES", "here", &["MECELLE_TRUSTED_PROXIES", "such as `10.0.0.0/8"]),
        ("STORE", "mysql://hunter2@db.example/x", &["MECELLE_STORE", "sqlite://path/to/file", "postgres://"]),
        ("STORE", "sqlite:///proc/none/x.db", &["MECELLE_STORE", "/proc/none"]),
        ("MAIL", "ftp://hunter2@mail.example", &["MECELLE_MAIL", "smtp://"]),
        ("SECRET_FILE", &readable, &["MECELLE_SECRET_FILE", "chmod 600"]),
        ("TRUST", &nowhere, &[&nowhere, "MECELLE_TRUST"]),
        ("TRUST", &unknown_issuer, &["trust.toml:2", "did you mean `issuer`?"]),
        ("WORKERS", "0", &["MECELLE_WORKERS"]),
        ("WROKERS", "1", &["MECELLE_WROKERS", "did you mean `MECELLE_WORKERS`?"]),
    ] {
        let stderr = start_error(program(&firm).env(format!("MECELLE_{variable}"), value));
        for word in message {
            assert!(stderr.contains(word), "{variable}: {word:?} is not in {stderr:?}");
        }
        assert!(!stderr.contains("hunter2"), "{variable}: {stderr}");
    }
    let stderr = start_error(program(&firm).arg("--config").arg(&nowhere));
    assert!(stderr.contains(&nowhere) && stderr.contains("correct the file or --config"), "{stderr}");
    for (text, message) in [
        ("listen = '127.0.0.1:0'\nworkres = 2\n", &["settings.toml:2", "did you mean `workers`?"][..]),
        ("[limits]\nloopback = 'perhaps'\n", &["settings.toml:2", "`true` or `false`"]),
        ("listen = \n", &["settings.toml:1"]),
    ] {
        let mut command = program(&firm);
        command.env_remove("MECELLE_LISTEN").arg("--config").arg(write("settings.toml", text));
        let stderr = start_error(&mut command);
        assert!(message.iter().all(|word| stderr.contains(word)), "{stderr}");
    }
    fs::write(firm.dist().join("en.html"), "<p>Damaged").unwrap();
    let stderr = start_error(&mut program(&firm));
    assert!(stderr.contains("\"en.html\"") && stderr.contains("run `generator build --verify`"), "{stderr}");
}

#[test]
fn damaged_build_is_refused_with_one_log_line() {
    let content = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("firm"), content.path());
    let firm = build(content.path());
    let log = firm.dist().with_file_name("log");
    let process = start(&firm, &log);
    let answer = process.connection().content(None).unwrap().body;
    fs::write(firm.dist().join(FILE_NAME), b"{\"format\": 1, \"build\": \"").unwrap();
    eventually("the refusal", || log_contains(&log, "a build was refused"));
    assert_eq!(process.connection().content(None).unwrap().body, answer);
    let refusals = || -> Vec<String> {
        let logged = fs::read_to_string(&log).unwrap();
        logged.lines().filter(|line| line.contains("a build was refused")).map(str::to_owned).collect()
    };
    let refused = refusals();
    let [line] = &refused[..] else { panic!("{refused:?}") };
    assert!(line.contains("ERROR") && line.contains(&format!("kept=\"{}\"", firm.report.build)), "{line}");
    assert!(line.contains("damaged") && line.contains("run `generator build`"), "{line}");
    // The refusal is logged again on SIGHUP.
    process.send_signal(Signal::Reload);
    eventually("the second refusal", || refusals().len() == 2);
    assert_eq!(process.connection().content(None).unwrap().body, answer);
    let site = content.path().join("site.toml");
    fs::write(&site, fs::read_to_string(&site).unwrap().replacen("name = { en = \"", "name = { en = \"New ", 1))
        .unwrap();
    let report = build_from(content.path(), &firm.dist());
    eventually("the next build", || log_contains(&log, &report.build));
    assert_ne!(process.connection().content(None).unwrap().body, answer);
}
