//! A new build is served without a restart; a damaged one is refused.

use std::{
    fs,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

use aws_lc_rs::digest::{SHA256, digest};
use contract::{manifest::FILE_NAME, routes};
use tempfile::TempDir;
use tests::{Firm as _, Reply, Service, StopOnDrop, build, build_from, content_of, copy_folder, eventually, get};

fn editable() -> TempDir {
    let folder = TempDir::new().unwrap();
    copy_folder(&content_of("firm"), folder.path());
    folder
}

fn rename_firm(content: &TempDir, name: &str) {
    let path = content.path().join("site.toml");
    let text = fs::read_to_string(&path).unwrap();
    let line = text.lines().find(|line| line.starts_with("name = { en = ")).unwrap().to_owned();
    fs::write(&path, text.replacen(&line, &format!("name = {{ en = \"{name}\", tr = \"{name}\" }}"), 1)).unwrap();
}

fn serve(content: &TempDir) -> Service {
    build(content.path()).serve()
}

/// Asserts that the header fields of a response belong to its body.
#[track_caller]
fn assert_of_one_build(path: &str, reply: &Reply) {
    assert_eq!(reply.status, 200, "{path}");
    let digest = format!("{:?}", digest(&SHA256, &reply.body));
    let tag = &digest.trim_start_matches("SHA256:")[..32];
    assert_eq!(reply.header("etag"), Some(format!("\"{tag}\"").as_str()), "{path}");
    assert_eq!(reply.header("content-length"), Some(reply.body.len().to_string().as_str()), "{path}");
}

/// Returns the round of the build of a response; `None` is older than the first.
fn round(reply: &Reply) -> Option<usize> {
    reply.text_of("firm").strip_prefix("Round ").map(|round| round.parse().unwrap())
}

#[test]
fn builds_are_swapped_under_load_without_a_failed_or_mixed_answer() {
    let content = editable();
    let service = serve(&content);
    let (stop, requests) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        let _over = StopOnDrop(&stop);
        for _ in 0..2 {
            scope.spawn(|| {
                let mut seen = None;
                while !stop.load(Ordering::Relaxed) {
                    for path in [routes::TEAM, routes::CONTACT, "/en/about", "/tr"] {
                        for coding in ["br", "identity"] {
                            let reply = get(service.address(), path, &[&format!("Accept-Encoding: {coding}")]);
                            assert_of_one_build(path, &reply);
                            requests.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                    let now = round(&get(service.address(), routes::TEAM, &[]));
                    assert!(now >= seen, "an older build after a newer one: {now:?}, {seen:?}");
                    seen = now;
                }
            });
        }
        for round in 0..5 {
            let name = format!("Round {round}");
            rename_firm(&content, &name);
            let report = build_from(content.path(), &service.firm.dist());
            eventually("the new build", || service.build() == report.build);
            let reply = get(service.address(), routes::TEAM, &[]);
            assert_eq!(reply.json()["firm"], name.as_str());
        }
    });
    assert!(requests.load(Ordering::Relaxed) > 20);
}

#[test]
fn damaged_build_is_refused_and_the_old_one_stays() {
    let content = editable();
    let service = serve(&content);
    let old = service.build();
    let answer = service.get(routes::TEAM, &[]).body;
    fs::write(service.firm.dist().join(FILE_NAME), b"{\"format\": 1, \"build\": \"").unwrap();
    service.reload();
    eventually("the refusal", || !service.metrics().contains("mecelle_reloads_total{result=\"refused\"} 0"));
    assert_eq!(service.build(), old);
    assert_eq!(service.get(routes::TEAM, &[]).body, answer);
    rename_firm(&content, "After the damage");
    let report = build_from(content.path(), &service.firm.dist());
    eventually("recovery", || service.build() == report.build);
    assert_ne!(report.build, old);
}
