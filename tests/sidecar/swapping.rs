//! New builds under load.

use std::{
    fs,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use contract::{
    manifest::{Class, Encoded, FILE_NAME},
    media, routes,
};
use tests::{Connection, Firm as _, StopOnDrop, SyntheticFirm, eventually, sha256};

use crate::Site;

/// Publishes a build whose two documents contain the same number.
fn publish_number(site: &mut Site, number: usize) {
    let one = site.firm.file("one.json", &format!("{number}"), media::JSON);
    let other = site.firm.file("other.json", &format!("{number}"), media::JSON);
    site.firm.manifest.routes.retain(|route| !["/one", "/other"].contains(&route.path.as_str()));
    site.firm.route("/one", Class::Discovery, None, vec![one]);
    site.firm.route("/other", Class::Discovery, None, vec![other]);
    site.firm.publish();
}

#[test]
fn new_build_is_noticed_and_served() {
    let mut site = SyntheticFirm::small().serve();
    let old = site.build();
    site.firm.page("/en/new", "<p>New</p>", "# New\n");
    site.firm.publish();
    site.wait_for_another_build_than(&old);
    assert_eq!(site.get("/en/new", &[]).as_text(), "<p>New</p>");
    let metrics = site.metrics();
    for row in ["mecelle_reloads_total{result=\"loaded\"} 1\n", "mecelle_reload_duration_seconds_count 1\n"] {
        assert!(metrics.contains(row), "{row} is not in\n{metrics}");
    }
}

#[test]
fn damaged_build_is_refused_and_the_old_one_stays() {
    let mut site = SyntheticFirm::small().serve();
    let old = site.build();
    site.firm.page("/en/new", "<p>New</p>", "# New\n");
    fs::write(site.firm.file_path("en/new.html"), "<p>Damaged</p>").unwrap();
    site.firm.publish();
    eventually("the refusal", || site.metrics().contains("{result=\"refused\"} 1\n"));
    assert_eq!(site.build(), old);
    assert_eq!((site.get("/en/new", &[]).status, site.get("/en/about", &[]).status), (404, 200));
    site.firm.page("/en/newer", "<p>Newer</p>", "# Newer\n");
    fs::write(site.firm.file_path("en/new.html"), "<p>New</p>").unwrap();
    site.firm.publish();
    site.wait_for_another_build_than(&old);
    assert_eq!(site.get("/en/newer", &[]).status, 200);
}

#[test]
fn build_for_another_site_than_the_first_is_refused_though_no_setting_names_one() {
    let mut site = SyntheticFirm::small().serve();
    let old = site.build();
    let own = std::mem::replace(&mut site.firm.manifest.site_url, "https://other.example".to_owned());
    site.firm.publish();
    eventually("the refusal", || site.metrics().contains("{result=\"refused\"} 1\n"));
    assert_eq!(site.build(), old);
    site.firm.manifest.site_url = own;
    site.firm.page("/en/new", "<p>New</p>", "# New\n");
    site.firm.publish();
    site.wait_for_another_build_than(&old);
}

#[test]
fn changed_compressed_variant_has_its_own_length_and_tag() {
    let mut build = SyntheticFirm::small();
    let document = build.compressed("doc.json", "{}", media::JSON);
    let empty = build.file("empty.json", "", media::JSON);
    build.route("/doc", Class::Discovery, None, vec![document]);
    build.route("/empty", Class::Discovery, None, vec![empty]);
    build.publish();
    let mut site = build.serve();
    let answers = |site: &Site, forms: [(&str, &str); 3]| {
        for (coding, body) in forms {
            let answer = site.get("/doc", &[&format!("Accept-Encoding: {coding}")]);
            let tag = format!("\"{}\"", &sha256(body.as_bytes()).0[..32]);
            assert_eq!((answer.as_text(), answer.header("etag")), (body, Some(tag.as_str())), "{coding}");
            assert_eq!(answer.header("content-length"), Some(body.len().to_string().as_str()), "{coding}");
            assert_eq!(answer.header("content-encoding"), body.starts_with(coding).then_some(coding), "{coding}");
        }
        assert_eq!((site.get("/empty", &[]).status, site.get("/empty", &[]).as_text()), (200, ""));
    };
    answers(&site, [("br", "br({})"), ("gzip", "gzip({})"), ("identity", "{}")]);
    for br in [Some("br in another way"), None] {
        let old = site.build();
        if let Some(br) = br {
            site.firm.write("doc.json.br", br.as_bytes());
        }
        let mut routes = site.firm.manifest.routes.iter_mut();
        let document = &mut routes.find(|route| route.path == "/doc").unwrap().variants[0];
        document.encodings.br = br.map(|br| Encoded { size: br.len() as u64, digest: sha256(br.as_bytes()) });
        site.firm.publish();
        site.wait_for_another_build_than(&old);
        answers(&site, [("br", br.unwrap_or("{}")), ("gzip", "gzip({})"), ("identity", "{}")]);
    }
}

#[test]
fn vanished_manifest_changes_nothing() {
    let site = SyntheticFirm::small().serve();
    fs::remove_file(site.firm.file_path(FILE_NAME)).unwrap();
    site.reload();
    eventually("the refusal", || site.metrics().contains("{result=\"refused\"} 1\n"));
    assert_eq!(site.get("/en/about", &[]).status, 200);
}

#[test]
fn hundred_builds_under_load_fail_no_request_and_mix_no_version() {
    let mut site = SyntheticFirm::small().serve();
    publish_number(&mut site, 0);
    site.reload();
    eventually("the new document", || site.get("/one", &[]).status == 200);
    let (address, ended) = (site.address(), AtomicBool::new(false));
    thread::scope(|scope| {
        let _stop = StopOnDrop(&ended);
        for _ in 0..2 {
            scope.spawn(|| {
                let mut connection = Connection::open(address);
                let mut seen = 0;
                while !ended.load(Ordering::SeqCst) {
                    for target in ["/one", "/other"] {
                        let response = connection.request("GET", target, &[]);
                        assert_eq!(response.status, 200);
                        let number: usize = response.as_text().parse().unwrap();
                        assert!(number >= seen, "an older build after a newer one");
                        seen = number;
                    }
                    assert_eq!(connection.request("GET", routes::TEAM, &[]).status, 200);
                }
            });
        }
        for number in 1..=100 {
            let old = site.build();
            publish_number(&mut site, number);
            site.reload();
            site.wait_for_another_build_than(&old);
        }
    });
    assert_eq!(site.get("/one", &[]).as_text(), "100");
}
