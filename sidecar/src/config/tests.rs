use super::*;

fn variables(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
    pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
}

fn error_of(toml: &str, pairs: &[(&str, &str)]) -> String {
    Config::parse(toml, variables(pairs)).unwrap_err().to_string()
}

#[test]
fn empty_configuration_is_the_default() {
    assert_eq!(Config::parse("", []).unwrap().values(), Config::default());
}

#[test]
fn file_is_read_and_the_environment_overrides_it() {
    let toml = "listen = '0.0.0.0:80'\nworkers = 3\ntrusted_proxies = ['10.0.0.0/8', '::1']\n\
                [limits]\ncontent_per_minute = 7\nloopback = true\n[log]\nformat = 'json'\nlevel = 'warn'\n";
    let config = Config::parse(toml, variables(&[("MECELLE_LISTEN", "127.0.0.1:0"), ("PATH", "/bin")])).unwrap();
    assert_eq!(config.listen, "127.0.0.1:0".parse().unwrap());
    assert_eq!(config.workers, 3);
    assert_eq!(config.trusted_proxies.len(), 2);
    assert_eq!(config.limits.content_per_minute.get(), 7);
    assert!(config.limits.loopback);
    assert_eq!(config.log.format, LogFormat::Json);
    assert_eq!(config.log.level, tracing::Level::WARN);
}

#[test]
fn edge_secret_is_long_and_is_never_printed() {
    let secret = "0123456789abcdef0123456789abcdef";
    let config = Config::parse("", variables(&[("MECELLE_EDGE_SECRET", secret)])).unwrap();
    assert!(config.edge_secret.is_some() && !format!("{config:?}").contains(secret));
    for wrong in
        [&secret[1..], "0123456789abcdef 0123456789abcdef", "ğ123456789abcdef0123456789abcdef", &"x".repeat(257)]
    {
        let message = error_of("", &[("MECELLE_EDGE_SECRET", wrong)]);
        assert!(message.contains("openssl rand") && !message.contains(wrong), "{message}");
    }
}

#[test]
fn unknown_key_is_refused_with_its_line_and_the_nearest_name() {
    let message = error_of("listen = '127.0.0.1:1'\n\nworker = 2\n", &[]);
    assert_eq!(message, "configuration:3: `worker`: unknown key; did you mean `workers`?");
    let message = error_of("[limits]\nloopbak = true\n", &[]);
    assert_eq!(message, "configuration:2: `limits.loopbak`: unknown key; did you mean `limits.loopback`?");
    for (table, near) in [("limit", "did you mean `limits`?"), ("logs", "did you mean `log`?"), ("xyz", "remove it")] {
        let message = error_of(&format!("\n[{table}]\nlinks = 2\n"), &[]);
        assert_eq!(message, format!("configuration:2: `{table}`: unknown table; {near}"));
    }
}

#[test]
fn unknown_variable_is_refused_with_the_nearest_name() {
    let message = error_of("", &[("MECELLE_LISTN", "x")]);
    assert_eq!(message, "environment variable MECELLE_LISTN: unknown variable; did you mean `MECELLE_LISTEN`?");
}

#[test]
fn unknown_variable_without_a_similar_name_is_refused() {
    let message = error_of("", &[("MECELLE_XYZ", "x")]);
    assert_eq!(message, "environment variable MECELLE_XYZ: unknown variable; remove it");
}

#[test]
fn variables_of_the_tool_are_ignored() {
    let pairs = variables(&contract::tool::VARIABLES.map(|name| (name, "value")));
    assert_eq!(Config::parse("", pairs).unwrap().values(), Config::default());
}

#[test]
fn variables_of_kubernetes_services_are_no_settings() {
    let linked = [
        ("MECELLE_SERVICE_HOST", "10.96.4.7"),
        ("MECELLE_SERVICE_PORT", "8080"),
        ("MECELLE_SERVICE_PORT_HTTP", "8080"),
        ("MECELLE_PORT", "tcp://10.96.4.7:8080"),
        ("MECELLE_PORT_8080_TCP", "tcp://10.96.4.7:8080"),
        ("MECELLE_PORT_8080_TCP_PROTO", "tcp"),
        ("MECELLE_PORT_8080_TCP_PORT", "8080"),
        ("MECELLE_PORT_8080_TCP_ADDR", "10.96.4.7"),
        ("MECELLE_PORT_53_UDP", "udp://[fd00::7]:53"),
        ("MECELLE_WEB_SERVICE_HOST", "fd00::7"),
        ("MECELLE_WEB_SERVICE_PORT_ADMIN", "8081"),
        ("MECELLE_WEB_PORT", "tcp://[fd00::7]:8081"),
        ("MECELLE_WEB_PORT_8081_TCP_ADDR", "fd00::7"),
    ];
    assert_eq!(Config::parse("", variables(&linked)).unwrap().values(), Config::default());
    for (name, _) in linked {
        assert!(NAMES.iter().all(|known| known.variable != name), "{name}");
    }
    for (name, value) in [
        ("MECELLE_PORT", "8080"),
        ("MECELLE_ADMIN_PORT", "8081"),
        ("MECELLE_PORTS", "tcp://10.96.4.7:8080"),
        ("MECELLE_PORT_X", "tcp://10.96.4.7:8080"),
        ("MECELLE_PORT_8080", "tcp://10.96.4.7:8080"),
        ("MECELLE_PORT_8080_HTTP_ADDR", "10.96.4.7"),
        ("MECELLE_PORT_8080_TCP_HOST", "10.96.4.7"),
        ("MECELLE_PORT_80800_TCP", "tcp://10.96.4.7:80800"),
        ("MECELLE_SERVICE_HOST", "firm.example"),
        ("MECELLE_SERVICE", "10.96.4.7"),
    ] {
        assert!(error_of("", &[(name, value)]).contains("unknown"), "{name}={value}");
    }
}

#[test]
fn admin_address_differs_from_the_public_one() {
    let own = |listen: &str, admin: &str| {
        Config::parse("", variables(&[("MECELLE_LISTEN", listen), ("MECELLE_ADMIN_LISTEN", admin)]))
    };
    for (listen, admin) in [
        ("127.0.0.1:7", "127.0.0.1:7"),
        ("0.0.0.0:7", "127.0.0.1:7"),
        ("127.0.0.1:7", "0.0.0.0:7"),
        ("[::]:7", "127.0.0.1:7"),
        ("[::1]:7", "[::]:7"),
        ("0.0.0.0:7", "[::]:7"),
        ("[::ffff:127.0.0.1]:7", "127.0.0.1:7"),
    ] {
        let message = own(listen, admin).unwrap_err().to_string();
        assert!(
            message.contains("MECELLE_ADMIN_LISTEN") && message.contains("give it another port"),
            "{listen}: {message}"
        );
    }
    for (listen, admin) in [
        ("127.0.0.1:0", "127.0.0.1:0"),
        ("0.0.0.0:7", "127.0.0.1:8"),
        ("127.0.0.1:7", "127.0.0.2:7"),
        ("0.0.0.0:7", "[::1]:7"),
    ] {
        assert!(own(listen, admin).is_ok(), "{listen} beside {admin}");
    }
    // The default of `listen` counts as well.
    let message = error_of("\nadmin_listen = '127.0.0.1:8080'\n", &[]);
    assert!(message.starts_with("configuration:2:") && message.contains("`listen`"), "{message}");
}

#[test]
fn wrong_value_is_reported_with_its_place_and_the_expected_form() {
    let message = error_of("", &[("MECELLE_WORKERS", "0")]);
    assert!(message.contains("MECELLE_WORKERS") && message.contains("from 1 to 512"), "{message}");
    let message = error_of("\nlisten = 'nowhere'\n", &[]);
    assert!(message.starts_with("configuration:2:") && message.contains("host and port"), "{message}");
    for url in ["firm.example", "https://firm.example/", "https://firm.example/path", "ftp://firm.example"] {
        assert!(error_of("", &[("MECELLE_SITE_URL", url)]).contains("an origin"), "{url}");
    }
}

#[test]
fn wide_proxy_networks_need_the_word_any() {
    for wide in ["0.0.0.0/0", "::/0", "10.0.0.0/8, 128.0.0.0/1", "::ffff:0.0.0.0/96", "2000::/3"] {
        let message = error_of("", &[("MECELLE_TRUSTED_PROXIES", wide)]);
        assert!(message.contains("MECELLE_TRUSTED_PROXIES") && message.contains("`any`"), "{wide}: {message}");
    }
    for (text, count) in [("any", 2), ("10.0.0.0/8, fc00::/7", 2), ("192.0.2.7", 1)] {
        let config = Config::parse("", variables(&[("MECELLE_TRUSTED_PROXIES", text)])).unwrap();
        assert_eq!(config.trusted_proxies.len(), count, "{text}");
    }
}

#[test]
fn host_may_be_a_name() {
    let config = Config::parse("", variables(&[("MECELLE_LISTEN", "localhost:7")])).unwrap();
    assert!(config.listen.ip().is_loopback() && config.listen.port() == 7, "{}", config.listen);
    let [v6, other, v4, later] =
        ["[::1]:1", "[2001:db8::1]:1", "127.0.0.1:1", "192.0.2.1:1"].map(|text| text.parse().unwrap());
    for (found, expected) in [
        (&[v6, v4][..], Some(v4)),
        (&[v6, other, v4, later], Some(v4)),
        (&[later, v4], Some(later)),
        (&[v6, other], Some(v6)),
        (&[], None),
    ] {
        assert_eq!(preferred(found.iter().copied()), expected, "{found:?}");
    }
}

#[test]
fn unknown_host_and_malformed_address_have_different_errors() {
    // Too long for a name, so that no lookup takes place.
    let unknown = format!("{}.example:8080", "a".repeat(64));
    assert!(error_of("", &[("MECELLE_LISTEN", &unknown)]).contains("can look up"));
    for text in ["localhost", "localhost:", ":8080", "localhost:http", "localhost:65536"] {
        let message = error_of("", &[("MECELLE_LISTEN", text)]);
        assert!(message.contains("host and port") && !message.contains("look up"), "{text}: {message}");
    }
}

#[test]
fn error_never_repeats_the_value() {
    assert!(!error_of("", &[("MECELLE_LOG_LEVEL", "hunter2")]).contains("hunter2"));
}

#[test]
fn broken_toml_names_the_line() {
    assert!(error_of("listen = '127.0.0.1:1'\nworkers = = 2\n", &[]).starts_with("configuration:2:"));
}

#[test]
fn repeated_key_and_table_are_named_with_both_lines() {
    let key = error_of("listen = '127.0.0.1:1'\n\nlisten = '127.0.0.1:2'\n", &[]);
    assert_eq!(key, "configuration:3: `listen` is set here and on line 1; remove one of the two");
    let table = error_of("[limits]\nlinks = 1\n[log]\naccess = true\n[limits]\nletters = 2\n", &[]);
    assert!(table.starts_with("configuration:5: `[limits]` is here and on line 1; move the lines below"), "{table}");
}

#[test]
fn number_out_of_bounds_is_refused_with_the_bounds() {
    let error = error_of("[limits]\ncontent_per_minute = 99999999999\n", &[]);
    assert!(error.starts_with("configuration:2: ") && error.ends_with("from 1 to 4294967295"), "{error}");
    let error = error_of("", &[("MECELLE_LIMITS_WRONG_CODES", "5000000000")]);
    assert!(error.ends_with("a whole number from 0 to 4294967295"), "{error}");
    let error = error_of("", &[("MECELLE_LIMITS_REGISTRATIONS", "-1")]);
    assert!(error.ends_with("a whole number from 0 to 18446744073709551615"), "{error}");
}

#[test]
fn setting_that_is_parsed_later_is_named_by_its_line_or_variable() {
    let names = |toml: &str, pairs: &[(&str, &str)]| {
        let config = Config::parse(toml, variables(pairs)).unwrap();
        ["store", "secret_file", "mail"].map(|key| config.settings.name(key))
    };
    let lines = ["configuration:1: `store`", "configuration:4: `secret_file`", "configuration:2: `mail`"];
    let toml = "store = 'a'\nmail = 'b'\n\nsecret_file = 'c'\n";
    assert_eq!(names(toml, &[]), lines);
    assert_eq!(names(toml, &[("MECELLE_STORE", "x")]), ["MECELLE_STORE", lines[1], lines[2]]);
    assert_eq!(names("mail = 'b'\n", &[])[0], "`store` in configuration");
    assert_eq!(Config::default().settings.name("limits.loopback"), "MECELLE_LIMITS_LOOPBACK");
}

#[test]
fn values_for_registration_are_kept() {
    let config = Config::parse("", variables(&[("MECELLE_STORE", "sqlite://a"), ("MECELLE_TRUST", "t.toml")])).unwrap();
    assert_eq!(config.registration.store.as_deref(), Some("sqlite://a"));
    assert_eq!(config.registration.trust.as_deref(), Some(Path::new("t.toml")));
}

#[test]
fn every_setting_is_reloaded_or_named_for_a_restart() {
    let own = Config::default();
    for name in NAMES {
        let value = match name.key {
            "site_url" => "https://firm.example",
            "listen" => "127.0.0.1:7",
            "admin_listen" => "127.0.0.1:9",
            "trusted_proxies" => "192.0.2.7",
            "admin_hosts" => "one.internal.example",
            "drain_seconds" => "7",
            "edge_secret" => "0123456789abcdef0123456789abcdef",
            "workers" => "511",
            "mcp.allowed_origins" => "https://app.example",
            "log.format" => "json",
            "log.level" => "trace",
            "log.access" | "limits.loopback" => "true",
            "report" => "false",
            key if key.starts_with("limits.") => "7",
            _ => "sqlite://elsewhere",
        };
        let read = Config::parse("", variables(&[(name.variable, value)])).unwrap();
        assert_ne!(read.clone().values(), own, "{}", name.key);
        let (renewed, changes) = own.renewed(&read);
        let is_taken_over = name.key == "trust" || name.key.starts_with("limits.") || name.key.starts_with("log.");
        if is_taken_over {
            assert_eq!((renewed, changes.taken_over, changes.fixed), (read, vec![name.key], vec![]));
        } else {
            assert_eq!(
                (renewed.clone().values(), changes.taken_over, changes.fixed),
                (own.clone(), vec![], vec![name.key])
            );
            // Later settings are compared with those in force.
            assert_eq!(renewed.renewed(&read).1.fixed, [name.key]);
        }
    }
    // The origin of the first build is not a change.
    let own = Config { site_url: Some("https://firm.example".to_owned()), ..own };
    assert_eq!(own.renewed(&Config::default()), (own.clone(), SettingsChanges::default()));
}

#[test]
fn changes_are_of_values_and_name_overridden_keys() {
    let read = |toml: &str| Config::parse(toml, variables(&[("MECELLE_WORKERS", "2")])).unwrap();
    let own = read("workers = 2\n[limits]\nletters = 7\n");
    let changes_to = |toml: &str| own.renewed(&read(toml)).1;
    let unchanged =
        "# Another line.\nlisten = '127.0.0.1:8080'\nworkers = 2\n[limits]\nletters = '0007'\nloopback = false\n";
    assert_eq!(changes_to(unchanged), SettingsChanges::default(), "other words for the same");
    let changed = changes_to("workers = 3\nadmin_listen = '127.0.0.1:7'\n[limits]\nloopback = true\n");
    assert_eq!(changed.taken_over, ["limits.loopback", "limits.letters"]);
    assert_eq!((&changed.fixed[..], &changed.overridden[..]), (&["admin_listen"][..], &["workers"][..]));
    assert_eq!(changes_to("[limits]\nletters = 7\n"), SettingsChanges::default(), "what had no effect is gone");
}

#[test]
fn settings_are_shown_without_their_values() {
    let config = Config::parse("", variables(&[("MECELLE_MAIL", "smtp://user:hunter2@mail.example")])).unwrap();
    assert!(!format!("{:?}", config.settings).contains("hunter2"));
}

#[test]
fn every_variable_is_its_key_in_capitals() {
    for name in NAMES {
        assert_eq!(name.variable, format!("MECELLE_{}", name.key.replace('.', "_").to_uppercase()));
    }
}
