//! Reloading settings by SIGHUP: all changes are taken over, or none.

use std::{
    fs::{self, OpenOptions},
    io::Write as _,
    os::unix::fs::PermissionsExt as _,
    path::PathBuf,
    process::Command,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

use contract::{
    agent_auth::{AssertionType, ID_JAG_PROFILE},
    manifest::FILE_NAME,
    routes,
};
use serde_json::json;
use sidecar::Clock;
use tests::{
    Agent as _, BuiltFirm, Firm as _, Process, Reply, Signal, StopOnDrop, build, build_for, built, content_of,
    copy_folder, eventually, files_below, get,
};

use crate::id_jag::Provider;

/// The program with an editable settings file.
struct Scene {
    firm: BuiltFirm,
    process: Process,
}

impl Scene {
    /// Starts the program with these settings; `~` is the folder of [`Scene::file`].
    fn with(settings: &str) -> Self {
        Self::of(built("firm"), settings)
    }

    fn of(firm: BuiltFirm, settings: &str) -> Self {
        write(&firm, settings);
        let process = Process::start(&mut program(&firm, "serve"));
        process.serving();
        Self { firm, process }
    }

    /// Returns the path of a file beside the settings.
    fn file(&self, name: &str) -> PathBuf {
        self.firm.dist().with_file_name(name)
    }

    /// Writes a trust list of these providers.
    fn trust(&self, providers: &[&Provider]) {
        let entries: String = providers.iter().map(|provider| provider.entry()).collect();
        fs::write(self.file("trust.toml"), format!("dev = true\n{entries}")).unwrap();
    }

    /// Changes the settings and waits for the reload. Returns its log line.
    fn take_over(&self, settings: &str) -> String {
        write(&self.firm, settings);
        self.process.send_signal(Signal::Reload);
        let line = self.process.wait_for_line("taken over");
        assert!(line.contains("INFO"), "{line}");
        line
    }

    /// Returns the error of `check-config` for the present settings.
    #[track_caller]
    fn check_config_error(&self) -> String {
        let output = program(&self.firm, "check-config").output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
        String::from_utf8(output.stderr).unwrap().trim().strip_prefix("sidecar: ").unwrap().to_owned()
    }

    /// Reloads the present settings and returns the logged refusal.
    #[track_caller]
    fn reload_error(&self) -> String {
        self.process.send_signal(Signal::Reload);
        let line = self.process.wait_for_line("refused");
        assert!(line.contains("ERROR") && line.contains("nothing was taken over"), "{line}");
        line
    }

    /// Registers a new user of `provider`.
    fn admit(&self, provider: &Provider) -> Reply {
        let assertion = provider.assertion(Clock::system().now().millis() / 1000, &json!({}));
        let kind = AssertionType::IdJag.as_str();
        let body = json!({ "type": "identity_assertion", "assertion_type": kind, "assertion": assertion });
        self.process.connection().post(routes::REGISTER, &body).unwrap()
    }

    /// Returns whether the metadata offers provider assertions.
    fn offers_providers(&self) -> bool {
        let reply = get(self.process.address(), routes::AUTHORIZATION_SERVER, &[]);
        reply.as_text().contains(ID_JAG_PROFILE)
    }
}

/// Returns the program with the settings file; only the number of workers is a variable.
fn program(firm: &BuiltFirm, arguments: &str) -> Command {
    let mut command: Command = tests::program(env!("CARGO_BIN_EXE_sidecar-under-test"), firm);
    command.env_remove("MECELLE_LISTEN").env_remove("MECELLE_DIST").env("MECELLE_WORKERS", "2");
    command.args([arguments, "--config"]).arg(firm.dist().with_file_name("sidecar.toml"));
    command
}

/// Writes `settings`, and three default lines unless `settings` has them.
fn write(firm: &BuiltFirm, settings: &str) {
    let file = firm.dist().with_file_name("sidecar.toml");
    let folder = file.parent().unwrap().display().to_string();
    let dist = firm.dist().display().to_string();
    let usual = [("listen", "127.0.0.1:0"), ("admin_listen", "127.0.0.1:0"), ("dist", dist.as_str())];
    let usual = usual.map(|(key, value)| match settings.lines().find(|line| line.starts_with(&format!("{key} = "))) {
        Some(line) => format!("{line}\n"),
        None => format!("{key} = '{value}'\n"),
    });
    let mut text = usual.concat();
    for line in settings.lines().filter(|line| !usual.contains(&format!("{line}\n"))) {
        text.extend([line, "\n"]);
    }
    // Atomically: a reload in progress must not read half of it.
    let new = file.with_extension("new");
    fs::write(&new, text.replace('~', &folder)).unwrap();
    fs::rename(new, file).unwrap();
}

#[test]
fn trust_list_changes_without_a_restart() {
    let (first, second) = (Provider::with_key("first"), Provider::with_key("second"));
    let scene = Scene::with("");
    assert!(!scene.offers_providers());
    assert_eq!(scene.admit(&first).text_of("error"), "unsupported_assertion_type");
    scene.trust(&[&first]);
    scene.take_over("trust = '~/trust.toml'\n");
    assert!(scene.offers_providers());
    let admitted = scene.admit(&first);
    assert_eq!(admitted.status, 200, "{}", admitted.as_text());
    assert_eq!(scene.admit(&second).text_of("error"), "invalid_issuer");
    scene.trust(&[&second]);
    scene.take_over("trust = '~/trust.toml'\n");
    assert_eq!(scene.admit(&first).text_of("error"), "invalid_issuer");
    assert_eq!(scene.admit(&second).status, 200);
    // As after a restart, earlier registrations stay valid until an operator revokes them.
    let credential = admitted.text_of("credential");
    assert_eq!(scene.process.connection().content(Some(&credential)).unwrap().status, 200);
    scene.take_over("");
    assert!(!scene.offers_providers());
    assert_eq!(scene.admit(&second).text_of("error"), "unsupported_assertion_type");
    scene.process.end();
}

/// Replaces the manifest of `firm` with that of `next`, of the same length and time, so that the service does not
/// notice it.
fn replace_unnoticed(process: &Process, firm: &BuiltFirm, next: &BuiltFirm) {
    let manifest = firm.dist().join(FILE_NAME);
    let _frozen = process.freeze();
    let modified = fs::metadata(&manifest).unwrap().modified().unwrap();
    let mut file = OpenOptions::new().write(true).open(&manifest).unwrap();
    file.write_all(&fs::read(next.dist().join(FILE_NAME)).unwrap()).unwrap();
    file.set_modified(modified).unwrap();
}

/// Pads the manifests of both builds to the same length.
fn equalize_lengths(builds: [&BuiltFirm; 2]) {
    let texts = builds.map(|firm| fs::read(firm.dist().join(FILE_NAME)).unwrap());
    let length = texts.iter().map(Vec::len).max().unwrap();
    for (firm, mut text) in builds.into_iter().zip(texts) {
        text.resize(length, b' ');
        fs::write(firm.dist().join(FILE_NAME), text).unwrap();
    }
}

#[test]
fn faulty_settings_change_nothing_and_are_logged_with_the_remedy() {
    let content = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("firm"), content.path());
    let site = content.path().join("site.toml");
    let renamed = fs::read_to_string(&site).unwrap().replacen("name = { en = \"", "name = { en = \"New ", 1);
    fs::write(&site, renamed).unwrap();
    let (firm, next) = (built("firm"), build(content.path()));
    equalize_lengths([&firm, &next]);
    let (known, stranger) = (Provider::with_key("known"), Provider::with_key("stranger"));
    fs::write(firm.dist().with_file_name("trust.toml"), format!("dev = true\n{}", known.entry())).unwrap();
    let scene = Scene::of(firm, "trust = '~/trust.toml'\n");
    for name in files_below(&next.dist()).keys().filter(|name| *name != FILE_NAME) {
        let to = scene.firm.dist().join(name);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(next.dist().join(name), to).unwrap();
    }
    replace_unnoticed(&scene.process, &scene.firm, &next);
    let name = || get(scene.process.address(), routes::CONTACT, &[]).text_of("firm");
    let old = name();
    let unchanged = |what: &str| {
        assert_eq!(name(), old, "{what}");
        assert_eq!(scene.admit(&known).status, 200, "{what}");
        assert_eq!(scene.admit(&stranger).text_of("error"), "invalid_issuer", "{what}");
    };

    scene.trust(&[&known, &stranger]);
    for (settings, words) in [
        ("trust = '~/trust.toml'\nworkres = 2\n", &["sidecar.toml:5", "did you mean `workers`?"][..]),
        ("trust = '~/trust.toml'\n[limit]\nletters = 1\n", &["sidecar.toml:5", "`limit`", "did you mean `limits`?"]),
        ("trust = '~/trust.toml'\n[limits]\nletters = -1\n", &["sidecar.toml:6", "from 0 to 4294967295"]),
        ("trust = '~/nowhere.toml'\n", &["sidecar.toml:4: `trust`", "nowhere.toml"]),
        ("trust = '~/trust.toml'\nmail = 'ftp://hunter2@mail.example'\n", &["sidecar.toml:5: `mail`", "smtp://"]),
    ] {
        write(&scene.firm, settings);
        let error = scene.reload_error();
        assert!(words.iter().all(|word| error.contains(word)) && !error.contains("hunter2"), "{settings}: {error}");
        unchanged(settings);
    }
    write(&scene.firm, "trust = '~/trust.toml'\n");
    fs::write(scene.file("trust.toml"), "[[provider]]\nisuer = 'https://agents.example'\n").unwrap();
    let error = scene.reload_error();
    assert!(error.contains("trust.toml:2") && error.contains("did you mean `issuer`?"), "{error}");
    unchanged("a wrong trust list");
    // The point of RFC 7515, A.3, with a changed first letter.
    let key = r#"{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y":"y_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#;
    let list =
        format!("[[provider]]\nissuer = 'https://agents.example'\nname = 'A'\njwks = '''{{\"keys\":[{key}]}}'''\n");
    fs::write(scene.file("trust.toml"), list).unwrap();
    let error = scene.reload_error();
    assert!(error.contains("trust.toml:4") && error.contains("its point is not on its curve"), "{error}");
    unchanged("a key with which nothing can be verified");
    // Security: the key of the local provider is an ordinary file, so only a service on loopback may trust it.
    dev_provider::make(&scene.file("dev")).unwrap();
    fs::copy(scene.file("dev").join(dev_provider::TRUST_FILE), scene.file("trust.toml")).unwrap();
    let error = scene.reload_error();
    assert!(error.contains("sidecar dev-provider") && error.contains("remove it from the list"), "{error}");
    unchanged("the provider for one machine");

    scene.trust(&[&known, &stranger]);
    scene.take_over("trust = '~/trust.toml'\n");
    assert!(name().starts_with("New "), "{}", name());
    assert_eq!(scene.admit(&stranger).status, 200);
    let metrics = scene.process.metrics();
    for row in ["mecelle_reloads_total{result=\"loaded\"} 1\n", "mecelle_reloads_total{result=\"refused\"} 8\n"] {
        assert!(metrics.contains(row), "{row} is not in\n{metrics}");
    }
    scene.process.end();
}

#[test]
fn reload_refuses_with_the_message_of_check_config() {
    const LOCAL: &str = "http://127.0.0.1:8080";
    let firm = build_for(&content_of("firm"), LOCAL);
    let other = build_for(&content_of("firm"), "https://other.example");
    dev_provider::make(&firm.dist().with_file_name("dev")).unwrap();
    let common = format!("trust = '~/dev/{}'\nsecret_file = '~/keys'\n", dev_provider::TRUST_FILE);
    let scene = Scene::of(firm, &common);
    copy_folder(&other.dist(), &scene.file("other"));
    let readable = scene.file("readable");
    fs::write(&readable, "01".repeat(32)).unwrap();
    fs::set_permissions(&readable, fs::Permissions::from_mode(0o644)).unwrap();
    for (setting, words) in [
        ("dist = '~/nowhere'", &["sidecar.toml:3: `dist`", "nowhere/manifest.json", "generator build"][..]),
        ("dist = '~/other'", &["remove it from the list", "sidecar.toml:4: `trust`"]),
        ("site_url = 'https://other.example'", &["sidecar.toml:6: `site_url`", "the build is for", LOCAL]),
        ("listen = '0.0.0.0:0'", &["sidecar.toml:4: `trust`", "remove it from the list"]),
        ("admin_listen = '127.0.0.1:99999'", &["sidecar.toml:2", "`admin_listen`"]),
        ("mail = 'smtp://mail.example?ca=/nowhere.pem'", &["sidecar.toml:6: `mail`", "/nowhere.pem"]),
        ("store = 'postgres://user@host/db?sslmod=require'", &["sidecar.toml:6: `store`", "`sslmode`"]),
    ] {
        write(&scene.firm, &format!("{common}{setting}\n[limits]\nloopback = true\ncontent_per_minute = 1\n"));
        let (found, error) = (scene.check_config_error(), scene.reload_error());
        assert!(error.contains(&found), "{setting}: {found}\nis not in\n{error}");
        assert!(words.iter().all(|word| error.contains(word)) && !error.contains("MECELLE_"), "{setting}: {error}");
        assert_eq!([0; 2].map(|_| scene.process.connection().content(None).unwrap().status), [200, 200], "{setting}");
    }
    for (keys, words) in [("~/readable", "chmod 600"), ("~/dist/keys", "which is published")] {
        write(&scene.firm, &common.replace("~/keys", keys));
        let (found, error) = (scene.check_config_error(), scene.reload_error());
        assert!(
            error.contains(&found) && error.contains("sidecar.toml:5: `secret_file`") && error.contains(words),
            "{error}"
        );
    }
    // The file at the old path is checked too.
    write(&scene.firm, &common);
    let keys = fs::read(scene.file("keys")).unwrap();
    fs::write(scene.file("keys"), "nonsense\n").unwrap();
    let (found, error) = (scene.check_config_error(), scene.reload_error());
    assert!(error.contains(&found) && found.contains("64 hexadecimal digits"), "{error}");
    // Without the file, a start would create another secret.
    fs::remove_file(scene.file("keys")).unwrap();
    scene.process.send_signal(Signal::Reload);
    let error = scene.process.wait_for_line("is missing; put a copy there");
    assert!(
        error.contains("WARN") && error.contains("sidecar.toml:5: `secret_file`") && error.contains("put a copy there")
    );
    scene.process.wait_for_line("were taken over");
    fs::write(scene.file("keys"), keys).unwrap();
    fs::set_permissions(scene.file("keys"), fs::Permissions::from_mode(0o600)).unwrap();
    // A restart needs only the files that the new settings name.
    fs::copy(scene.file("keys"), scene.file("moved")).unwrap();
    fs::write(scene.file("keys"), "nonsense\n").unwrap();
    scene.take_over(&common.replace("~/keys", "~/moved"));
    fs::rename(scene.file("moved"), scene.file("keys")).unwrap();
    write(&scene.firm, &common.replace("~/keys", "~/elsewhere"));
    scene.process.send_signal(Signal::Reload);
    let error = scene.process.wait_for_line("is missing; put a copy there");
    assert!(error.contains("/elsewhere"), "{error}");
    scene.process.wait_for_line("were taken over");
    // An empty file, as left by an editor or a full disk.
    fs::write(scene.file("sidecar.toml"), "\n").unwrap();
    let (found, error) = (scene.check_config_error(), scene.reload_error());
    assert!(error.contains(&found) && found.ends_with("to use the defaults"), "{error}");
    write(&scene.firm, &common);
    let list = scene.file("dev").join(dev_provider::TRUST_FILE);
    let trusted = fs::read(&list).unwrap();
    fs::write(&list, "").unwrap();
    let (found, error) = (scene.check_config_error(), scene.reload_error());
    assert!(error.contains(&found) && found.ends_with("to trust none"), "{error}");
    fs::write(&list, trusted).unwrap();
    scene.take_over(&common);
    scene.process.end();
}

#[test]
fn reload_logs_what_changed_and_when() {
    const SINCE: &str = "\nmecelle_reload_last_success_timestamp_seconds ";
    let scene = Scene::with("[limits]\nletters = 7\n");
    assert!(!scene.process.metrics().contains(SINCE), "nothing was taken over after the start");
    let line = scene.take_over("# Another line.\n[limits]\nletters = '07'\nloopback = false\n");
    assert!(line.contains("none of them has changed") && !line.contains("changed="), "{line}");
    let now = Clock::system().now().millis() / 1000;
    let metrics = scene.process.metrics();
    let since: i64 = metrics.split(SINCE).nth(1).unwrap().lines().next().unwrap().parse().unwrap();
    assert!((now - 60..=now).contains(&since), "{since} at {now}");

    let (known, other) = (Provider::with_key("known"), Provider::with_key("other"));
    scene.trust(&[&known]);
    let settings = "trust = '~/trust.toml'\n[limits]\nletters = 8\n";
    let line = scene.take_over(settings);
    assert!(line.contains("changed=\"trust, limits.letters\""), "{line}");
    assert!(scene.take_over(settings).contains("none of them has changed"));
    scene.trust(&[&known, &other]);
    let line = scene.take_over(settings);
    assert!(line.contains("changed=\"trust\""), "the content of the list counts: {line}");
    let line = scene.take_over(&format!("edge_secret = '{}'\nworkers = 3\n{settings}", "hunter2".repeat(5)));
    assert!(line.contains("none of them has changed"), "{line}");
    let line = scene.process.wait_for_line("need a restart");
    assert!(line.contains("settings=\"edge_secret\""), "{line}");
    let line = scene.process.wait_for_line("variables override them");
    assert!(line.contains("WARN") && line.contains("settings=\"workers\""), "{line}");
    let rest = scene.process.end();
    assert!(rest.iter().all(|line| !line.contains("hunter2") && !line.contains("override")), "{rest:?}");
}

#[test]
fn repaired_build_is_logged() {
    let scene = Scene::with("");
    let manifest = scene.firm.dist().join(FILE_NAME);
    let whole = fs::read(&manifest).unwrap();
    for _ in 0..2 {
        fs::write(&manifest, b"{\"format\": 1, \"build\": \"").unwrap();
        scene.process.wait_for_line("a build was refused");
        fs::write(&manifest, &whole).unwrap();
        let line = scene.process.wait_for_line("can be used again");
        assert!(line.contains("INFO") && line.contains(&scene.firm.report.build), "{line}");
    }
    scene.take_over("");
    let rest = scene.process.end();
    assert!(rest.iter().all(|line| !line.contains("can be used again")), "{rest:?}");
}

#[test]
fn local_provider_is_created_for_the_named_settings() {
    let scene = Scene::with("");
    let output = program(&scene.firm, "dev-provider").output().unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains(&format!("sidecar serve --config {}\n", scene.file("sidecar.toml").display())), "{stdout}");
}

#[test]
fn settings_are_taken_over_with_a_complete_build_only() {
    let scene = Scene::with("");
    let whole = fs::read(scene.firm.dist().join(FILE_NAME)).unwrap();
    fs::write(scene.firm.dist().join(FILE_NAME), b"{\"format\": 1, \"build\": \"").unwrap();
    scene.process.wait_for_line("a build was refused");
    let provider = Provider::with_key("k");
    scene.trust(&[&provider]);
    write(&scene.firm, "trust = '~/trust.toml'\n");
    assert!(scene.reload_error().contains("damaged"));
    assert!(!scene.offers_providers());
    assert_eq!(scene.admit(&provider).text_of("error"), "unsupported_assertion_type");
    fs::write(scene.firm.dist().join(FILE_NAME), whole).unwrap();
    scene.process.wait_for_line("taken over");
    assert_eq!(scene.admit(&provider).status, 200);
}

#[test]
fn new_limits_apply_at_once_and_keep_what_was_used() {
    let limits = |content: u32, anonymous: u32| {
        format!("[limits]\nloopback = true\ncontent_per_minute = {content}\nanonymous_per_client = {anonymous}\n")
    };
    let scene = Scene::with(&limits(2, 1));
    let mut connection = scene.process.connection();
    assert_eq!([0; 3].map(|_| connection.content(None).unwrap().status), [200, 200, 429]);
    assert_eq!([0; 2].map(|_| connection.register().unwrap().status), [200, 429]);

    let clock = Clock::system();
    let start = clock.now();
    scene.take_over(&limits(60, 3));
    assert_eq!([0; 3].map(|_| connection.register().unwrap().status), [200, 200, 429]);
    let reply = connection.content(None).unwrap();
    assert_eq!(reply.header("ratelimit-policy"), Some("\"content\";q=60;w=60"));
    let state = reply.header("ratelimit").unwrap();
    let left: u64 = state.split(['=', ';']).nth(2).unwrap().parse().unwrap();
    assert!(left <= clock.now().since(start).as_secs() + 1, "{state}: only what the time has brought");

    scene.take_over(&limits(60, 0));
    assert_eq!(connection.register().unwrap().status, 429);
    scene.take_over("");
    assert_eq!([0; 3].map(|_| connection.register().unwrap().status), [200, 200, 429], "five, as by default");
    scene.process.end();
}

#[test]
fn log_level_format_and_access_log_change_on_reload() {
    const ACCESS: &str = "\"target\":\"access\"";
    let scene = Scene::with("");
    let ask = || assert_eq!(get(scene.process.address(), "/en/about", &[]).status, 200);
    ask();
    scene.take_over("[log]\naccess = true\n");
    ask();
    assert!(scene.process.wait_for_line(ACCESS).starts_with('{'));
    write(&scene.firm, "[log]\nformat = 'json'\n");
    scene.process.send_signal(Signal::Reload);
    let line: serde_json::Value = serde_json::from_str(&scene.process.wait_for_line("taken over")).unwrap();
    assert_eq!((&line["level"], &line["target"]), (&json!("INFO"), &json!("sidecar::http::server::reload")));
    ask();
    write(&scene.firm, "[log]\nlevel = 'error'\n");
    // At this level no line reports the reload; the metrics count it.
    for reloads in [3, 4] {
        scene.process.send_signal(Signal::Reload);
        let row = format!("mecelle_reloads_total{{result=\"loaded\"}} {reloads}\n");
        eventually("the reload", || scene.process.metrics().contains(&row));
    }
    ask();
    let rest = scene.process.end();
    assert!(rest.iter().all(|line| !line.contains(ACCESS) && !line.contains("ended")), "{rest:?}");
}

#[test]
fn changed_settings_that_need_a_restart_are_logged() {
    let scene = Scene::with("");
    let address = scene.process.address();
    let copy = scene.file("copy");
    copy_folder(&scene.firm.dist(), &copy);
    write(&scene.firm, "mail = 'none'\nworkers = 7\nstore = 'sqlite://~/other.db'\ndist = '~/copy'\n");
    scene.process.send_signal(Signal::Reload);
    let line = scene.process.wait_for_line("need a restart");
    // The variable for the workers overrides the file.
    assert!(line.contains("WARN") && line.contains("settings=\"dist, store, mail\""), "{line}");
    assert_eq!(get(address, "/en/about", &[]).status, 200);
    assert!(!scene.file("other.db").exists());
    // The origin of the first build stays that of the service.
    write(&scene.firm, "listen = '127.0.0.1:1'\n");
    scene.process.send_signal(Signal::Reload);
    let line = scene.process.wait_for_line("need a restart");
    assert!(line.contains("settings=\"listen\""), "{line}");
    scene.take_over("");
    let rest = scene.process.end();
    assert!(rest.iter().all(|line| !line.contains("need a restart")), "{rest:?}");
}

#[test]
fn repeated_reloads_fail_no_request_and_leak_nothing() {
    const RELOADS: usize = 60;
    let provider = Provider::with_key("k");
    let scene = Scene::with("");
    scene.trust(&[&provider]);
    let settings = |round: usize| {
        let (trust, access) = (["", "trust = '~/trust.toml'\n"][round % 2], round.is_multiple_of(3));
        format!("{trust}[limits]\ncontent_per_minute = {}\n[log]\naccess = {access}\n", 1000 + round)
    };
    for round in 0..4 {
        scene.take_over(&settings(round));
    }
    let before = (scene.process.open_files(), scene.process.resident());
    let (stop, requests) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let _over = StopOnDrop(&stop);
        for _ in 0..2 {
            scope.spawn(|| {
                let mut connection = scene.process.connection();
                while !stop.load(Ordering::Relaxed) {
                    for path in [routes::TEAM, "/en/about", routes::AUTHORIZATION_SERVER] {
                        assert_eq!(connection.request("GET", path, &[]).status, 200, "{path}");
                        requests.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        for round in 0..RELOADS {
            write(&scene.firm, &settings(round));
            // Signals during a reload cause one further reload.
            (0..3).for_each(|_| scene.process.send_signal(Signal::Reload));
            scene.process.wait_for_line("taken over");
        }
    });
    assert!(requests.load(Ordering::Relaxed) > RELOADS, "{requests:?}");
    scene.take_over("trust = '~/trust.toml'\n");
    eventually("the last settings", || scene.offers_providers());
    assert_eq!(scene.admit(&provider).status, 200);
    eventually("the end of connections", || scene.process.open_files() <= before.0 + 2);
    let grown = scene.process.resident().saturating_sub(before.1);
    assert!(grown < 32 << 20, "{grown} bytes more");
    scene.process.end();
}
