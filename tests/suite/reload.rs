//! A new build comes into service without a restart, a damaged one never.

use std::{
    fs,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
};

use contract::{manifest::FILE_NAME, routes};
use sidecar::Config;
use tempfile::TempDir;
use tests::{Service, build, build_from, content_of, copy_folder, eventually, get};

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
    let firm = build(content.path());
    let config = Service::config(&firm);
    let config = Config { admin_listen: Some(config.listen), ..config };
    Service::with(config, firm)
}

#[test]
fn builds_are_swapped_under_load_without_a_failed_or_mixed_answer() {
    let content = editable();
    let service = serve(&content);
    let (stop, asked) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    for path in [routes::TEAM, routes::CONTACT, "/en/about", "/tr"] {
                        let reply = get(service.address(), path, &[]);
                        assert_eq!(reply.status, 200, "{path}");
                        asked.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
        for round in 0..5 {
            let name = format!("Round {round}");
            rename_firm(&content, &name);
            let report = build_from(content.path(), &service.dist());
            eventually("the new build", || service.build() == report.build);
            let reply = get(service.address(), routes::TEAM, &[]);
            assert_eq!(reply.json()["firm"], name.as_str());
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!(asked.load(Ordering::Relaxed) > 20);
}

#[test]
fn a_damaged_build_is_refused_and_the_old_one_stays() {
    let content = editable();
    let service = serve(&content);
    let old = service.build();
    let answer = service.get(routes::TEAM, &[]).body;
    fs::write(service.dist().join(FILE_NAME), b"{\"format\": 1, \"build\": \"").unwrap();
    service.reload();
    eventually("the refusal", || !service.metrics().contains("mecelle_reloads_total{result=\"refused\"} 0"));
    assert_eq!(service.build(), old);
    assert_eq!(service.get(routes::TEAM, &[]).body, answer);
    rename_firm(&content, "After the damage");
    let report = build_from(content.path(), &service.dist());
    eventually("recovery", || service.build() == report.build);
    assert_ne!(report.build, old);
}
