//! `doctor`: its report about a running site.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    sync::Arc,
    thread,
};

use contract::Locale;

use super::{generator, run, text, turkish::output_in};

#[test]
fn doctor_reports_an_unreachable_site() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let output = run(&["doctor", &format!("http://127.0.0.1:{port}")]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("does not answer"));
    assert!(text(&run(&["doctor", "firm.example"]).stderr).contains("https://firm.example"));
}

#[test]
fn doctor_names_unreadable_certificate_authorities() {
    for language in Locale::ALL {
        let output = generator()
            .args(["--lang", language.as_str(), "doctor", "https://127.0.0.1:1"])
            .env_remove("SSL_CERT_DIR")
            .env("SSL_CERT_FILE", "no-such-file.pem")
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1));
        let stderr = text(&output.stderr);
        assert!(stderr.contains("no-such-file.pem") && stderr.contains("`SSL_CERT_FILE`"), "{stderr}");
    }
}

#[test]
fn doctor_requires_the_scheme_of_the_site() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let location = format!("https://{host}/api/v1/health");
    let served = thread::spawn(move || {
        let mut client = listener.accept().unwrap().0;
        let answer = format!("HTTP/1.1 308 Permanent Redirect\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n");
        BufReader::new(client.try_clone().unwrap())
            .lines()
            .map_while(Result::ok)
            .take_while(|it| !it.is_empty())
            .count();
        client.write_all(answer.as_bytes()).unwrap();
    });
    let redirected = run(&["doctor", &format!("http://{host}")]);
    served.join().unwrap();
    assert!(
        text(&redirected.stderr).contains(&format!("served at https://{host}: use that address")),
        "{redirected:?}"
    );
    // A server without TLS does not understand a TLS handshake.
    let plain = answering("{}");
    let output = run(&["doctor", &plain.replace("http://", "https://")]);
    assert!(text(&output.stderr).contains(&format!("if it is served at {plain}, use that address")), "{output:?}");
}

#[test]
fn doctor_names_the_scheme_of_the_build() {
    let body = "{\"issuer\":\"ORIGIN\",\"resource\":\"ORIGIN\"}";
    let stdout =
        text(&run(&["doctor", &answering_with(|site| body.replace("ORIGIN", &site.replace("http", "https")))]).stdout);
    assert!(stdout.contains("the build is for https://127.0.0.1:"), "{stdout}");
}

/// Starts a site that gives the same answer, with a rate limit field, to every request; returns its address.
fn answering(body: &'static str) -> String {
    answering_with(|_| body.to_owned())
}

/// Starts such a site whose answer depends on its own address.
fn answering_with(body: impl Fn(&str) -> String) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = format!("http://{}", listener.local_addr().unwrap());
    let body: Arc<str> = body(&site).into();
    thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            let body = Arc::clone(&body);
            thread::spawn(move || {
                let mut lines = BufReader::new(client.try_clone().unwrap()).lines().map_while(Result::ok);
                while lines.by_ref().take_while(|line| !line.is_empty()).count() > 0 {
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nRateLimit-Policy: \"content\";q=600;w=60\r\nContent-Length: {}\r\n\r\n{body}",
                        body.len()
                    );
                    if client.write_all(head.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    site
}

#[test]
fn doctor_prints_no_control_characters() {
    let site = answering("{\"items\":[{\"url\":\"https://x.example/\\u001b]0;x\\u0007\"}]}");
    let output = run(&["doctor", &site]);
    let stdout = text(&output.stdout);
    assert!(stdout.contains("https://x.example/"), "{stdout}");
    assert!(!stdout.contains(['\u{1b}', '\u{7}']), "{stdout:?}");
}

#[test]
fn doctor_accepts_only_a_sitemap_or_a_sitemap_index() {
    for (body, is_one) in [("<urlset></urlset>", true), ("<sitemapindex></sitemapindex>", true), ("{}", false)] {
        let stdout = text(&run(&["doctor", &answering(body)]).stdout);
        assert_eq!(!stdout.contains("/sitemap.xml: does not contain"), is_one, "{stdout}");
    }
}

#[test]
fn doctor_bypasses_the_proxy_for_loopback() {
    let (site, silent) = (answering("{}"), TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let proxy = format!("http://{silent}");
    let output =
        generator().args(["doctor", &site]).env("HTTP_PROXY", &proxy).env("http_proxy", &proxy).output().unwrap();
    let stderr = text(&output.stderr);
    assert!(stderr.contains(" checks, ") && !stderr.contains("does not answer"), "{stderr}");
}

#[test]
fn doctor_prints_its_findings_as_json() {
    let site = answering("{}");
    let examine = |arguments: &[&str]| {
        let output = run(&[&["doctor", &site, "--format", "json"], arguments].concat());
        assert_eq!(output.status.code(), Some(1));
        serde_json::from_slice::<serde_json::Value>(&output.stdout).unwrap()
    };
    let report = examine(&[]);
    assert_eq!((&report["site"], &report["kind"]), (&site.as_str().into(), &"sidecar".into()));
    let fault = &report["checks"][2]["faults"][0];
    assert_eq!(fault["fault"], "/api/v1/health: lacks `ok`", "{report}");
    assert!(report["change"].as_array().unwrap().contains(&fault["remedy"]), "{report}");
    let readiness = examine(&["--agents"]);
    assert!(readiness["points"].as_u64().unwrap() < readiness["of"].as_u64().unwrap(), "{readiness}");
    let last = readiness["checks"].as_array().unwrap().last().unwrap();
    assert_eq!((&last["name"], &last["holds"]), (&"dnsAid".into(), &serde_json::Value::Null));
}

#[test]
fn doctor_prints_the_requested_language() {
    let site = answering("{}");
    for language in Locale::ALL {
        let report = output_in(language, &["doctor", &site], 1);
        assert!(report.contains("/api/v1/health") && report.contains("/.well-known/api-catalog"), "{report}");
        let readiness = output_in(language, &["doctor", &site, "--agents"], 1);
        assert!(readiness.contains("isitagentready.com: dnsAid\n"), "{readiness}");
        output_in(language, &["doctor", "firm.example"], 1);
        output_in(language, &["doctor", "http://127.0.0.1:1"], 1);
    }
    let report = run(&["--lang", "tr", "doctor", &site, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_slice(&report.stdout).unwrap();
    let check = &report["checks"][2];
    assert_eq!(
        (&check["name"], &check["faults"][0]["fault"]),
        (&"health".into(), &"/api/v1/health: yanıtta `ok` yok".into())
    );
}
