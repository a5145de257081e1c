//! The program from start to end, and its one-line refusals.

use std::{
    fs::{File, OpenOptions},
    io::{ErrorKind, Write as _, pipe},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _},
    path::Path,
    process::Command,
    thread,
    time::Duration,
};

use contract::routes;
use rustix::fs::OFlags;
use socket2::SockRef;
use tests::{Agent as _, Connection, Firm as _, Process, SITE, Signal, SyntheticFirm, eventually, get, read_some};

use crate::agent;

pub(crate) fn program(build: &SyntheticFirm) -> Command {
    tests::program(env!("CARGO_BIN_EXE_sidecar-under-test"), build)
}

#[test]
fn program_serves_until_a_signal_ends_it() {
    let build = SyntheticFirm::small();
    let service = Process::start(program(&build).env("MECELLE_LOG_FORMAT", "json"));
    // Before the line about serving come those about the folders of mail and secrets.
    let mut log = service.serving().into_iter().map(|line| serde_json::from_str::<serde_json::Value>(&line).unwrap());
    let serving = log.next_back().unwrap();
    assert_eq!(serving["message"], "serving");
    let address = serving["address"].as_str().unwrap().parse().unwrap();
    assert_eq!(get(address, "/en/about", &[]).status, 200);
    let mode = std::fs::metadata(build.data()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700, "what is kept about registrations is for their service alone");
    assert!(service.end().last().unwrap().contains("ended"));
}

#[test]
fn audit_lines_have_their_target_in_both_formats() {
    for (format, audit) in [("text", " INFO audit: event="), ("json", "\"target\":\"audit\"")] {
        let build = agent::build();
        let service = Process::start(program(&build).env("MECELLE_LOG_FORMAT", format));
        assert_eq!(service.connection().register().unwrap().status, 200, "{format}");
        let rest = service.end();
        let is_audited = |event: &str| {
            let mut lines = rest.iter().filter(|line| line.contains(event));
            lines.next().is_some_and(|line| line.contains(audit))
        };
        assert!(is_audited("registration.created") && is_audited("credential.issued"), "{rest:?}");
        assert!(rest.iter().any(|line| line.contains("ended") && !line.contains(audit)), "{rest:?}");
    }
}

#[test]
fn access_log_has_a_line_for_each_request_and_no_sender() {
    const TRACE: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let build = SyntheticFirm::small();
    for (access, format) in [("true", "text"), ("true", "json"), ("false", "json")] {
        let mut command = program(&build);
        let service = Process::start(command.env("MECELLE_LOG_ACCESS", access).env("MECELLE_LOG_FORMAT", format));
        let address = service.address();
        let trace = format!("traceparent: {TRACE}");
        let sender = ["User-Agent: Spy/1.0", "X-Forwarded-For: 203.0.113.9", "X-Api-Key: hunter2", &trace];
        let page = get(address, "/en/about?email=ayse@person.example", &sender);
        let nothing = get(address, "/nothing/secret", &["traceparent: ayse@person.example"]);
        let malformed = get(address, "/h\u{e2}kim/secret", &[]);
        assert_eq!((page.status, nothing.status, malformed.status), (200, 404, 400));
        let lines: Vec<_> = service.end().into_iter().filter(|line| line.contains("\"access\"")).collect();
        if access == "false" {
            assert_eq!(lines, Vec::<String>::new());
            continue;
        }
        assert_eq!(lines.len(), 3, "{lines:?}");
        for (line, (reply, class)) in lines.iter().zip([(&page, "page"), (&nothing, "none"), (&malformed, "none")]) {
            for secret in ["Spy", "203.0.113", "127.0.0.1", "hunter2", "ayse", "/en/about", "secret"] {
                assert!(!line.contains(secret), "{secret}: {line}");
            }
            let mut line: serde_json::Map<String, serde_json::Value> = serde_json::from_str(line).unwrap();
            let mut take = |name: &str| line.remove(name).unwrap_or_default();
            assert!(take("duration_seconds").as_f64().is_some_and(|seconds| (0.0..10.0).contains(&seconds)));
            assert!(take("timestamp").is_string());
            assert_eq!(take("request_id"), reply.header("x-request-id").unwrap());
            assert_eq!(take("traceparent").as_str(), (class == "page").then_some(TRACE));
            let rest = serde_json::json!({
                "level": "INFO", "target": "access", "class": class, "status": reply.status, "bytes": reply.body.len(),
            });
            assert_eq!(serde_json::Value::Object(line), rest);
        }
    }
}

#[test]
fn unnamed_proxy_is_logged_once() {
    let build = SyntheticFirm::small();
    let service = Process::start(&mut program(&build));
    let address = service.address();
    for _ in 0..3 {
        let answer = get(address, routes::TEAM, &["X-Forwarded-For: 203.0.113.1"]);
        assert_eq!(answer.status, 200);
    }
    assert_eq!(service.end().iter().filter(|line| line.contains("MECELLE_TRUSTED_PROXIES")).count(), 1);
}

#[test]
fn named_proxy_without_forwarded_header_is_logged() {
    let build = SyntheticFirm::small();
    let service = Process::start(program(&build).env("MECELLE_TRUSTED_PROXIES", "127.0.0.1,::1"));
    let address = service.address();
    for _ in 0..2 {
        assert_eq!(get(address, routes::TEAM, &[]).status, 200);
    }
    let warnings: Vec<_> = service.end().into_iter().filter(|line| line.contains("X-Forwarded-For")).collect();
    assert!(warnings.len() == 1 && !warnings[0].contains("name it"), "{warnings:?}");
}

#[test]
fn edge_secret_is_not_logged() {
    let build = SyntheticFirm::small();
    let secret = "0123456789abcdef0123456789abcdef";
    let mut command = program(&build);
    let service = Process::start(command.env("MECELLE_EDGE_SECRET", secret).env("MECELLE_LOG_LEVEL", "trace"));
    let address = service.address();
    for value in [format!("{secret} 203.0.113.1"), format!("{secret}x 203.0.113.1"), format!("wrong {secret}")] {
        assert_eq!(get(address, routes::TEAM, &[&format!("X-Mecelle-Edge: {value}")]).status, 200);
    }
    let lines = service.end();
    assert!(lines.iter().all(|line| !line.contains(secret)), "{lines:?}");
    assert_eq!(
        lines.iter().filter(|line| line.contains("MECELLE_EDGE_SECRET")).count(),
        1,
        "a wrong secret is logged once"
    );
    let short = command.env("MECELLE_EDGE_SECRET", &secret[1..]).arg("check-config").output().unwrap();
    let value = String::from_utf8(short.stderr).unwrap();
    assert!(!short.status.success() && value.contains("edge_secret") && !value.contains(&secret[1..]), "{value}");
}

#[test]
fn store_path_that_names_a_folder_is_refused_before_anything_is_created() {
    let build = SyntheticFirm::small();
    let place = build.data().join("etc");
    std::fs::create_dir_all(place.join("folder")).unwrap();
    for command in ["serve", "check-config", "purge"] {
        let store = format!("sqlite://{}/folder", place.display());
        let output = program(&build).arg(command).env("MECELLE_STORE", store).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        let refusal = text.lines().last().unwrap();
        assert!(output.status.code() == Some(1) && refusal.contains("name a file in it"), "{command}: {text}");
        assert_eq!(place.read_dir().unwrap().count(), 1, "{command}");
    }
}

#[test]
fn closed_pipe_ends_the_program_quietly() {
    let build = build_with_store();
    for command in [&["check-config"][..], &["export", "--email", "a@firm.example"], &["purge"], &["revoke", "--all"]] {
        let (data, log) = (pipe().unwrap().1, pipe().unwrap().1);
        let ended = program(&build).args(command).stdout(data).stderr(log).status().unwrap();
        assert_eq!(ended.code(), Some(0), "{command:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn output_error_is_printed_in_one_line() {
    let build = build_with_store();
    let full = || OpenOptions::new().write(true).open("/dev/full").unwrap();
    for command in [&["check-config"][..], &["export", "--email", "a@firm.example"], &["purge"], &["revoke", "--all"]] {
        let output = program(&build).args(command).stdout(full()).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {stderr}");
        assert!(stderr.lines().count() == 1 && stderr.contains("cannot be written"), "{command:?}: {stderr}");
        let ended = program(&build).args(command).stderr(full()).output().unwrap();
        assert_eq!(ended.status.code(), Some(0), "{command:?} needs no log");
    }
    let ended = program(&SyntheticFirm::empty()).arg("check-config").stderr(full()).status().unwrap();
    assert_eq!(ended.code(), Some(1), "though it cannot say why");
}

#[test]
fn unusable_address_is_refused_with_the_remedy() {
    let build = SyntheticFirm::small();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = taken.local_addr().unwrap().to_string();
    for variable in ["MECELLE_LISTEN", "MECELLE_ADMIN_LISTEN"] {
        // The second address is reserved for documentation (RFC 5737).
        for (address, remedy) in
            [(taken.as_str(), "stop the program that uses it"), ("192.0.2.1:7", "does not have that address")]
        {
            let output = program(&build).env(variable, address).output().unwrap();
            let text = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{text}");
            let refusal = text.lines().last().unwrap();
            assert!([address, remedy, variable].iter().all(|part| refusal.contains(part)), "{refusal}");
        }
    }
    let one = program(&build).env("MECELLE_LISTEN", "0.0.0.0:7").env("MECELLE_ADMIN_LISTEN", "127.0.0.1:7").output();
    let text = String::from_utf8(one.unwrap().stderr).unwrap();
    assert!(text.lines().count() == 1 && text.contains("give it another port"), "{text}");
}

#[test]
fn variables_of_kubernetes_services_are_ignored() {
    let build = SyntheticFirm::small();
    let linked = || {
        let mut command = program(&build);
        command.env("MECELLE_PORT", "tcp://10.96.4.7:8080").env("MECELLE_PORT_8080_TCP_ADDR", "10.96.4.7");
        command.env("MECELLE_SERVICE_HOST", "10.96.4.7");
        command
    };
    let service = Process::start(&mut linked());
    service.serving();
    service.end();
    let copy = build.data().with_file_name("copy.db").display().to_string();
    for arguments in [
        &["check-config"][..],
        &["backup", &copy],
        &["export", "--email", "a@firm.example"],
        &["erase", "--email", "a@firm.example"],
        &["revoke", "--all"],
        &["purge"],
        &["restore", &copy],
    ] {
        let output = linked().args(arguments).output().unwrap();
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn store_secret_and_copy_inside_the_published_folder_are_refused() {
    let build = SyntheticFirm::small();
    let service = Process::start(&mut program(&build));
    service.serving();
    service.end();
    let inside = |name: &str| build.file_path(name).display().to_string();
    let (store, copy) = (format!("sqlite://{}", inside("registrations.db")), inside("copy.db"));
    for (arguments, setting) in [
        (&["serve"][..], ("MECELLE_STORE", store.as_str())),
        (&["check-config"], ("MECELLE_SECRET_FILE", &inside("secret"))),
        (&["backup", &copy], ("MECELLE_MAIL", "none")),
    ] {
        let output = program(&build).args(arguments).env(setting.0, setting.1).output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && stderr.contains("which is published"), "{arguments:?}: {stderr}");
    }
    for name in ["registrations.db", "secret", "copy.db"] {
        assert!(!build.file_path(name).exists(), "{name}");
    }
}

#[test]
fn operator_sees_registrations_as_a_table_or_as_json() {
    let build = agent::build();
    let service = Process::start(&mut program(&build));
    let ids: Vec<_> = (0..3)
        .map(|_| {
            let reply = service.connection().register().unwrap();
            // Each registration gets its own time.
            thread::sleep(Duration::from_millis(2));
            reply.text_of("registration_id")
        })
        .collect();
    let ask = |arguments: &str| program(&build).args(arguments.split(' ')).output().unwrap();
    let printed = |arguments: &str| {
        let output = ask(arguments);
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(printed(&format!("revoke --registration {}", ids[2])).0, "1 registration was revoked\n");
    let (table, log) = printed("registrations --limit 2");
    let lines: Vec<_> = table.lines().skip(1).collect();
    assert!(
        lines.len() == 2 && lines[0].starts_with(&ids[2]) && lines[1].starts_with(&ids[1]),
        "the newest first: {table}"
    );
    assert!(log.contains("left_off=1") && log.contains("--limit"), "{log}");
    let (json, log) = printed("registrations --format json --state unclaimed --since 2020-01-01 --limit 9");
    let listed: serde_json::Value = serde_json::from_str(&json).unwrap();
    let names: Vec<_> = listed.as_array().unwrap().iter().map(|it| it["registration_id"].as_str().unwrap()).collect();
    assert_eq!((names, log.contains("left_off")), (vec![ids[1].as_str(), ids[0].as_str()], false));
    assert_eq!(printed("registrations --format json --since 2999-01-01T00:00:00Z").0, "[]\n");
    let details: serde_json::Value = serde_json::from_str(&printed(&format!("show {}", ids[2])).0).unwrap();
    assert_eq!((details["state"].as_str(), details["ended_by"].as_str()), (Some("revoked"), Some("operator")));
    assert!(details["ended"].as_str().unwrap() >= details["created"].as_str().unwrap(), "{details}");
    let (table, _) = printed(&format!("show {} --format table", ids[2]));
    assert!(table.lines().any(|line| line.split_whitespace().eq(["ended_by", "operator"])), "{table}");
    let counted: serde_json::Value = serde_json::from_str(&printed("stats").0).unwrap();
    assert_eq!((&counted["registrations"], &counted["by_type"]["anonymous"]["revoked"]), (&3.into(), &1.into()));
    let (table, _) = printed("stats --format table");
    assert!(table.lines().any(|line| line.split_whitespace().eq(["by_type.anonymous.revoked", "1"])), "{table}");
    for (arguments, helps) in
        [("--since yesterday", "write a day such as 2026-11-21"), ("--limit 0", "write a whole number from 1")]
    {
        let output = ask(&format!("registrations {arguments}"));
        let log = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.code() == Some(2) && log.contains(helps), "{log}");
    }
}

#[test]
fn wrong_arguments_exit_with_status_two() {
    let output = program(&SyntheticFirm::empty()).arg("serv").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn configuration_can_be_checked_without_serving() {
    let build = SyntheticFirm::small();
    let file = build.file_path("sidecar.toml");
    std::fs::write(&file, format!("site_url = '{SITE}'\n[limits]\ncontent_per_minute = 60\n")).unwrap();
    let output = program(&build).args(["check-config", "--config"]).arg(&file).output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8(output.stdout).unwrap().contains(&build.manifest.build.0));
    std::fs::write(&file, "site_url = 'https://other.example'\n").unwrap();
    let output = program(&build).args(["check-config", "--config"]).arg(&file).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn check_config_refuses_what_the_start_refuses() {
    let build = SyntheticFirm::small();
    let secret = build.data().with_file_name("nonsense");
    std::fs::write(&secret, "nonsense").unwrap();
    std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o600)).unwrap();
    for (name, value, message) in [
        ("MECELLE_MAIL", "smtp://mail.example?ca=/nowhere.pem", "/nowhere.pem"),
        ("MECELLE_STORE", "postgres://user@host:port/database", "MECELLE_STORE"),
        ("MECELLE_STORE", "postgres://user@host/database?sslmod=verify-full", "did you mean `sslmode`?"),
        ("MECELLE_STORE", "postgres://user@host/database?sslrootcert=/nowhere.pem", "/nowhere.pem"),
        ("MECELLE_SECRET_FILE", secret.to_str().unwrap(), "64 hexadecimal digits"),
    ] {
        let output = program(&build).arg("check-config").env(name, value).output().unwrap();
        let text = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(1) && text.contains(message), "{text}");
        assert!(!build.data().exists(), "it creates nothing");
    }
}

#[test]
fn example_configuration_is_valid_but_for_its_folders() {
    let build = SyntheticFirm::small();
    let sample = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/sidecar.toml");
    let (dist, data) = (build.dist().display().to_string(), build.data().display().to_string());
    let text = std::fs::read_to_string(sample).unwrap();
    let own = text.replace("/srv/mecelle/dist", &dist).replace("/var/lib/mecelle", &data);
    assert!(own.contains(&format!("dist = \"{dist}\"")) && own.contains(&format!("sqlite://{data}/")), "{own}");
    let file = build.file_path("sidecar.toml");
    std::fs::write(&file, own).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_sidecar-under-test"));
    let output = command.env_clear().args(["check-config", "--config"]).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn build_with_unsupported_offers_is_served_without_them_and_fails_check_config() {
    let build = agent::build();
    let check = |settings: &[(&str, &str)]| {
        let output = program(&build).arg("check-config").envs(settings.iter().copied()).output().unwrap();
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let (no_trust, no_mail) = ("set MECELLE_TRUST", "set MECELLE_MAIL");
    let (status, stderr) = check(&[]);
    assert_eq!(status, Some(1), "{stderr}");
    assert!(stderr.contains("offers more than this service honours"), "{stderr}");
    assert!(stderr.contains(no_trust) && !stderr.contains(no_mail), "{stderr}");
    let (status, stderr) = check(&[("MECELLE_MAIL", "none")]);
    assert!(status == Some(1) && stderr.contains(no_trust) && stderr.contains(no_mail), "{stderr}");
    let trust = build.file_path("trust.toml");
    std::fs::write(
        &trust,
        "[[provider]]\nissuer = 'https://agents.example'\nname = 'Agents'\njwks_uri = 'https://agents.example/keys'\n",
    )
    .unwrap();
    let (status, stderr) = check(&[("MECELLE_TRUST", trust.to_str().unwrap())]);
    assert_eq!(status, Some(0), "{stderr}");
    let empty = build.data().with_file_name("none.toml");
    std::fs::write(&empty, "# None yet.\n").unwrap();
    let (status, stderr) = check(&[("MECELLE_TRUST", empty.to_str().unwrap())]);
    assert!(
        status == Some(1) && stderr.contains("none.toml, or remove id-jag") && !stderr.contains(no_trust),
        "{stderr}"
    );

    let service = Process::start(&mut program(&build));
    let log = service.serving();
    service.end();
    let log = log.iter().filter(|line| line.contains("until then such requests are refused"));
    assert!(log.clone().all(|line| line.contains("WARN") && line.contains(no_trust)));
    assert_eq!(log.count(), 1);
}

#[test]
fn check_config_requires_only_what_the_build_offers() {
    let build = agent::anonymous_build();
    let output = program(&build).arg("check-config").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = program(&build).arg("check-config").env("MECELLE_MAIL", "none").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("set MECELLE_MAIL") && !stderr.contains("MECELLE_TRUST"), "{stderr}");

    let service = Process::start(&mut program(&build));
    let log = service.serving();
    service.end();
    assert!(log.iter().all(|line| !line.contains("until then such requests are refused")), "{log:?}");
}

#[test]
fn diagnose_prints_a_line_for_each_part_and_its_remedy_without_a_secret() {
    let build = agent::anonymous_build();
    let run = |settings: &[(&str, &str)]| {
        let output = program(&build).arg("diagnose").envs(settings.iter().copied()).output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        assert!(!out.contains("hunter2") && !err.contains("hunter2"), "{out}{err}");
        (output.status.code(), out)
    };
    let line = |text: &str, part: &str| {
        let found = text.lines().find(|line| line.split_whitespace().nth(1) == Some(part));
        found.unwrap_or_else(|| panic!("no line for {part}: {text}")).to_owned()
    };
    let (status, out) = run(&[]);
    assert_eq!(status, Some(0), "{out}");
    for (part, begins) in [("build", "ok"), ("clock", "ok"), ("disk", "ok"), ("store", "note"), ("mail", "note")] {
        assert!(line(&out, part).starts_with(begins), "{part}: {out}");
    }
    assert!(!build.data().exists(), "it creates nothing");
    assert!(line(&out, "secret").contains("does not exist; the next start creates it"), "{out}");

    let service = Process::start(&mut program(&build));
    service.serving();
    service.end();
    let (status, out) = run(&[]);
    assert!(status == Some(0) && line(&out, "secret").contains("can be used"), "{out}");
    // Only root can give a folder away; the file in it stays root's.
    if std::os::unix::fs::chown(build.data(), Some(65_534), None).is_ok() {
        let (status, out) = run(&[]);
        assert!(status == Some(1) && line(&out, "secret").contains("run `chown --reference="), "{out}");
        assert!(line(&out, "access").starts_with("fault") && line(&out, "access").contains("cannot "), "{out}");
    }

    let (_, out) = run(&[("MECELLE_MAIL", "none")]);
    assert!(line(&out, "mail").starts_with("note"), "{out}");

    // Nothing listens at either port.
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (store, mail) = (format!("postgres://u:hunter2@{}/db", free()), format!("smtp://u:hunter2@{}", free()));
    let trust = build.file_path("trust.toml");
    let keys = format!(
        "dev = true\n[[provider]]\nissuer = 'https://agents.example'\nname = 'Agents'\njwks_uri = 'http://localhost:{}/keys'\n",
        free().port()
    );
    std::fs::write(&trust, keys).unwrap();
    let (status, out) =
        run(&[("MECELLE_STORE", &store), ("MECELLE_MAIL", &mail), ("MECELLE_TRUST", trust.to_str().unwrap())]);
    assert_eq!(status, Some(1), "{out}");
    for part in ["store", "mail", "provider"] {
        assert!(line(&out, part).starts_with("fault"), "{part}: {out}");
    }
    let (status, out) = run(&[("MECELLE_STORE", "postgres://u:hunter2@h/db?sslmod=require")]);
    assert!(status == Some(1) && line(&out, "settings").contains("did you mean `sslmode`?"), "{out}");
}

#[test]
fn connection_reset_before_reading_is_not_counted() {
    let build = agent::build();
    let service = Process::start(program(&build).env("MECELLE_WORKERS", "1"));
    let address = service.address();
    let head = "Host: a\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n";
    let request = format!("POST {} HTTP/1.1\r\n{head}{{\"type\":\"anonymous\"}}", routes::REGISTER);
    // The service finds the connection reset.
    service.send_signal(Signal::Stop);
    let mut reset = TcpStream::connect(address).unwrap();
    reset.write_all(request.as_bytes()).unwrap();
    SockRef::from(&reset).set_linger(Some(Duration::ZERO)).unwrap();
    drop(reset);
    let mut connection = Connection::open(address);
    connection.send(request.as_bytes());
    service.send_signal(Signal::Continue);
    assert_eq!(connection.response(false).unwrap().status, 200);
    drop(connection);
    assert_eq!(service.end().iter().filter(|line| line.contains("registration.created")).count(), 1);
}

#[test]
fn service_waiting_for_its_build_ends_at_once() {
    let build = SyntheticFirm::small();
    let manifest = build.file_path("manifest.json");
    std::fs::remove_file(&manifest).unwrap();
    assert!(Command::new("mkfifo").arg(&manifest).status().unwrap().success());
    let service = Process::start(&mut program(&build));
    let _never_written = read_pipe(&manifest);
    service.end();
}

#[test]
fn connection_before_the_build_is_loaded_is_refused_at_once() {
    let build = SyntheticFirm::small();
    let manifest = build.file_path("manifest.json");
    let text = std::fs::read(&manifest).unwrap();
    std::fs::remove_file(&manifest).unwrap();
    assert!(Command::new("mkfifo").arg(&manifest).status().unwrap().success());
    let (address, admin) = (free_address(), free_address());
    let mut command = program(&build);
    command.env("MECELLE_LISTEN", address.to_string()).env("MECELLE_ADMIN_LISTEN", admin.to_string());
    let service = Process::start(&mut command);
    let mut into = read_pipe(&manifest);
    for early in [address, admin] {
        assert_eq!(TcpStream::connect(early).unwrap_err().kind(), ErrorKind::ConnectionRefused);
    }
    std::fs::rename(&manifest, build.file_path("pipe")).unwrap();
    std::fs::write(&manifest, &text).unwrap();
    into.write_all(&text).unwrap();
    drop(into);
    service.serving();
    assert_eq!(get(address, "/en", &[]).status, 200);
    assert_eq!(get(admin, "/livez", &[]).status, 200);
    service.end();
}

#[test]
fn reload_of_the_current_build_logs_the_other_changes() {
    let build = SyntheticFirm::small();
    let service = Process::start(&mut program(&build));
    service.serving();
    service.send_signal(Signal::Reload);
    let line = service.wait_for_line("taken over");
    assert!(line.contains(" INFO ") && line.contains("trust list"), "{line}");
    service.end();
    // Where only warnings are logged, the operator sees the result too.
    let address = free_address();
    let mut command = program(&build);
    command.env("MECELLE_LISTEN", address.to_string()).env("MECELLE_LOG_LEVEL", "warn");
    let service = Process::start(&mut command);
    eventually("the service answers", || TcpStream::connect(address).is_ok());
    assert_eq!(get(address, "/en", &[]).status, 200);
    service.send_signal(Signal::Reload);
    service.wait_for_line("taken over");
    service.end();
}

#[test]
fn reload_before_the_build_is_complete_is_harmless() {
    let build = SyntheticFirm::small();
    let manifest = build.file_path("manifest.json");
    let text = std::fs::read(&manifest).unwrap();
    let (pipe, whole) = (build.file_path("pipe"), build.file_path("whole"));
    std::fs::rename(&manifest, &whole).unwrap();
    assert!(Command::new("mkfifo").arg(&manifest).status().unwrap().success());
    let service = Process::start(&mut program(&build));
    let mut into = read_pipe(&manifest);
    std::fs::rename(&manifest, pipe).unwrap();
    std::fs::rename(&whole, &manifest).unwrap();
    service.send_signal(Signal::Reload);
    into.write_all(&text).unwrap();
    drop(into);
    service.serving();
    service.end();
}

#[test]
fn service_whose_public_side_is_full_is_alive() {
    /// Minimum number of connections under that limit.
    const PLACES: usize = 30;

    /// Returns whether a request to `stream` is answered within `seconds`.
    fn is_answered(stream: &mut TcpStream, seconds: u64) -> bool {
        stream.set_read_timeout(Some(Duration::from_secs(seconds))).unwrap();
        stream.write_all(b"HEAD /en/about HTTP/1.1\r\nHost: test.example\r\n\r\n").unwrap();
        read_some(stream, &mut [0; 4096]).is_ok_and(|count| count > 0)
    }

    let build = SyntheticFirm::small();
    let (program, admin) = (program(&build), free_address());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "ulimit -n 320; exec \"$0\""]).arg(program.get_program()).env_clear();
    command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("MECELLE_WORKERS", "1").env("MECELLE_ADMIN_LISTEN", admin.to_string());
    let service = Process::start(&mut command);
    let address = service.address();
    let mut held = Vec::new();
    loop {
        let mut stream = TcpStream::connect(address).unwrap();
        // An admitted connection is answered even on a busy machine; one over the limit waits in vain.
        if !is_answered(&mut stream, if held.len() < PLACES { 30 } else { 1 }) {
            break;
        }
        held.push(stream);
    }
    assert!(held.len() >= PLACES && held.len() < 320, "{} were answered", held.len());
    for target in ["/livez", "/readyz", "/metrics"] {
        assert_eq!(get(admin, target, &[]).status, 200, "{target}");
    }
    assert!(held.iter_mut().all(|stream| is_answered(stream, 30)), "none of them had to go for it");
    service.end();
}

/// Returns a free address that other tests do not take meanwhile: theirs are at 127.0.0.1.
pub(crate) fn free_address() -> SocketAddr {
    let host = if cfg!(target_os = "linux") { "127.0.0.2" } else { "127.0.0.1" };
    TcpListener::bind((host, 0)).unwrap().local_addr().unwrap()
}

/// Returns a build for which a service has already created the store.
fn build_with_store() -> SyntheticFirm {
    let build = agent::anonymous_build();
    let service = Process::start(&mut program(&build));
    service.serving();
    service.end();
    build
}

/// Opens the writing end of a pipe once its reader exists.
fn read_pipe(path: &Path) -> File {
    for _ in 0..12_000 {
        // The open fails while there is no reader.
        match OpenOptions::new().write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed()).open(path) {
            Ok(file) => return file,
            Err(_) => thread::sleep(Duration::from_millis(10)),
        }
    }
    panic!("no reader of {}", path.display());
}
