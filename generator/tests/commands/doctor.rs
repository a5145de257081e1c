//! `doctor`: what it says about a running site.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    thread,
};

use crate::{generator, run, text};

#[test]
fn doctor_says_when_nobody_is_there() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let asked = run(&["doctor", &format!("http://127.0.0.1:{port}")]);
    assert_eq!(asked.status.code(), Some(1));
    assert!(text(&asked.stderr).contains("does not answer"));
    assert!(text(&run(&["doctor", "firm.example"]).stderr).contains("https://firm.example"));
}

/// Starts a site that gives the same answer to every request, as the sidecar would repeat its identifier, and returns its
/// address.
fn answering(body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || {
                let mut lines = BufReader::new(client.try_clone().unwrap()).lines().map_while(Result::ok);
                while lines.by_ref().take_while(|line| !line.is_empty()).count() > 0 {
                    let head = format!(
                        "HTTP/1.1 200 OK\r\nX-Request-Id: mecelle-doctor\r\nContent-Length: {}\r\n\r\n{body}",
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
fn doctor_repeats_nothing_that_a_terminal_would_obey() {
    let site = answering("{\"items\":[{\"url\":\"https://x.example/\\u001b]0;x\\u0007\"}]}");
    let output = run(&["doctor", &site]);
    let told = text(&output.stdout);
    assert!(told.contains("https://x.example/"), "{told}");
    assert!(!told.contains(['\u{1b}', '\u{7}']), "{told:?}");
}

#[test]
fn doctor_takes_the_sitemap_of_a_large_site_and_nothing_else_in_its_place() {
    for (body, is_one) in [("<urlset></urlset>", true), ("<sitemapindex></sitemapindex>", true), ("{}", false)] {
        let told = text(&run(&["doctor", &answering(body)]).stdout);
        assert_eq!(!told.contains("/sitemap.xml does not contain"), is_one, "{told}");
    }
}

#[test]
fn doctor_asks_a_site_on_this_machine_without_a_proxy() {
    let (site, nobody) = (answering("{}"), TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let proxy = format!("http://{nobody}");
    let asked =
        generator().args(["doctor", &site]).env("HTTP_PROXY", &proxy).env("http_proxy", &proxy).output().unwrap();
    let said = text(&asked.stderr);
    assert!(said.contains(" checks, ") && !said.contains("does not answer"), "{said}");
}
