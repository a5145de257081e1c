//! Builds that are served, and builds that are refused with one line.

use std::fs;

use contract::{
    Locale,
    manifest::{Axis, Class, FILE_NAME, PREVIOUS, Part, SEARCH, Variant},
    media,
};
use proptest::prelude::*;
use sidecar::{Dependencies, Server};
use tests::{Firm as _, SITE, SyntheticFirm, sha256};

use crate::mcp_site;

#[test]
fn folder_without_a_build_names_the_remedy() {
    let message = SyntheticFirm::empty().status_and_error();
    assert!(message.contains(FILE_NAME) && message.contains("generator build"), "{message}");
}

#[test]
fn damaged_file_is_refused_by_name() {
    let build = SyntheticFirm::small();
    for (file, bytes, problem) in [
        ("en/about.html", &b"<p>About the firn</p>"[..], "does not have the digest"),
        ("en/about.html", b"short", "has 5 bytes"),
        ("en/about.html.br", b"", "has 0 bytes"),
    ] {
        let path = build.file_path(file);
        let right = fs::read(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        let message = build.status_and_error();
        assert!(message.contains(&format!("{file:?}")) && message.contains(problem), "{message}");
        fs::write(path, right).unwrap();
    }
    fs::remove_file(build.file_path("en.md")).unwrap();
    assert!(build.status_and_error().contains("\"en.md\""));
    fs::create_dir(build.file_path("en.md")).unwrap();
    assert!(build.status_and_error().contains("not a regular file"));
}

#[test]
fn replaced_file_is_served_from_the_retained_ones() {
    let build = SyntheticFirm::small();
    for file in ["en/about.html", "en/about.md.gz"] {
        let bytes = fs::read(build.file_path(file)).unwrap();
        build.write(&format!("{PREVIOUS}/{}", sha256(&bytes).0), &bytes);
        build.write(file, b"of the next build");
    }
    let site = build.serve();
    assert_eq!(site.get("/en/about", &[]).as_text(), "<p>About the firm</p>");
    let markdown = site.get("/en/about.md", &["Accept-Encoding: gzip"]);
    assert_eq!(markdown.as_text(), "gzip(# About the firm\n)");
}

#[test]
fn retained_file_with_another_digest_is_refused() {
    let build = SyntheticFirm::small();
    let right = fs::read(build.file_path("en.html")).unwrap();
    build.write(&format!("{PREVIOUS}/{}", sha256(&right).0), b"wrong too");
    build.write("en.html", b"wrong");
    assert!(build.status_and_error().contains("\"en.html\""));
}

#[test]
fn malformed_manifest_is_refused() {
    let build = SyntheticFirm::small();
    for text in [&b""[..], b"{", b"null", b"[]", b"{}", b"{\"format\":1}", b"\xff\xfe", b"{\"format\":\"1\"}"] {
        build.publish_text(text);
        assert!(build.status_and_error().contains("manifest"));
    }
    build.publish_text(b"{\"format\":2,\"something\":\"new\"}");
    assert!(build.status_and_error().contains("format 2"));
}

#[test]
fn index_of_another_version_is_refused_with_the_remedy() {
    let rest = "\0".repeat(1024);
    for (begin, problem) in [
        (
            "MCSI\x4d\0\0\0",
            "another version of the generator wrote the search index of the build (format 77, expected format",
        ),
        ("MCSJ\x4d\0\0\0", "cannot be used (no search index)"),
    ] {
        let mut build = mcp_site::build(0);
        let file = build.file(".parts/search.en", &format!("{begin}{rest}"), "application/byte-stream");
        let variant = Variant { locale: Some(Locale::En), ..file };
        build.manifest.parts.push(Part { name: SEARCH.to_owned(), variant });
        build.publish();
        let message = build.status_and_error();
        assert!(message.contains(problem) && message.contains("`generator"), "{message}");
        assert!(!message.contains("manifest"), "{message}");
    }
}

#[test]
fn manifest_that_contradicts_itself_is_refused() {
    type Change = fn(&mut SyntheticFirm);
    let changes: [(&str, Change); 25] = [
        ("not sorted", |build| build.manifest.routes.reverse()),
        ("not sorted", |build| {
            let twice = build.manifest.routes[0].clone();
            build.manifest.routes.insert(0, twice);
        }),
        ("absolute, decoded path", |build| build.manifest.routes[0].path = "/../etc".to_owned()),
        ("absolute, decoded path", |build| build.manifest.routes[0].path = "//evil.example".to_owned()),
        ("has no policy", |build| drop(build.manifest.classes.remove(&Class::Page))),
        ("each locale", |build| drop(of(build, Class::Api).variants.pop())),
        ("each locale", |build| of(build, Class::Api).variants[1].locale = None),
        ("one HTML and one Markdown", |build| of(build, Class::Page).variants.truncate(1)),
        ("exactly one variant", |build| of(build, Class::Page).axis = None),
        ("each locale", |build| of(build, Class::Page).axis = Some(Axis::Locale)),
        ("exactly one variant", |build| of(build, Class::Health).variants.clear()),
        ("below the folder", |build| of(build, Class::Health).variants[0].file = "/etc/passwd".to_owned()),
        ("below the folder", |build| of(build, Class::Health).variants[0].file = "a/../../b".to_owned()),
        ("below the folder", |build| of(build, Class::Health).variants[0].file = "a\0b".to_owned()),
        ("SHA-256", |build| of(build, Class::Health).variants[0].digest.0.push('0')),
        ("header value", |build| of(build, Class::Health).variants[0].media_type = "a/b\r\nx: y".to_owned()),
        ("header value", |build| of(build, Class::Page).variants[0].link = Some("\u{1}".to_owned())),
        ("computes", |build| header(build, "Content-Length", "1")),
        ("illegal name", |build| header(build, "a b", "1")),
        ("header value", |build| header(build, "x-a", "1\r\nx-b: 2")),
        ("not a route", |build| build.manifest.redirects[0].to = "https://evil.example/".to_owned()),
        ("route and a redirect", |build| build.manifest.redirects[0].from = "/en".to_owned()),
        ("the empty one", |build| drop(build.manifest.not_found.remove(0))),
        ("`site_url`", |build| build.manifest.site_url = format!("{SITE}/\" evil")),
        ("has no bytes", |build| {
            let mut variants = build.manifest.routes.iter_mut().map(|route| &mut route.variants[0]);
            variants.find_map(|variant| variant.encodings.br.as_mut()).unwrap().size = 0;
        }),
    ];
    for (index, (problem, change)) in changes.into_iter().enumerate() {
        let mut build = SyntheticFirm::small();
        change(&mut build);
        build.publish_as_it_is();
        let message = build.status_and_error();
        assert!(message.contains(problem), "change {index}: {message}");
    }
}

#[test]
fn altered_manifest_is_refused() {
    let mut build = SyntheticFirm::small();
    of(&mut build, Class::Page).variants[0].link = Some("</other.md>; rel=\"alternate\"".to_owned());
    build.publish_as_it_is();
    assert!(build.status_and_error().contains("the digest of the manifest"));
    build.publish();
    build.serve();
}

fn of(build: &mut SyntheticFirm, class: Class) -> &mut contract::manifest::Route {
    build.manifest.routes.iter_mut().find(|route| route.class == class).unwrap()
}

fn header(build: &mut SyntheticFirm, name: &str, value: &str) {
    build.manifest.classes.get_mut(&Class::Page).unwrap().headers.push((name.to_owned(), value.to_owned()));
}

#[test]
fn build_for_another_site_is_refused() {
    let build = SyntheticFirm::small();
    let mut config = build.config();
    config.site_url = Some("https://other.example".to_owned());
    let Err(error) = Server::bind(config, Dependencies::default()) else { panic!("accepted") };
    let message = error.to_string();
    assert!(message.contains(SITE) && message.contains("--site-url https://other.example"), "{message}");
}

#[test]
fn port_in_use_is_named_with_its_setting() {
    let site = SyntheticFirm::small().serve();
    let mut config = site.firm.config();
    config.listen = site.address();
    let Err(error) = Server::bind(config, Dependencies::default()) else { panic!("accepted") };
    let message = error.to_string();
    assert!(message.contains("MECELLE_LISTEN") && message.contains(&site.address().to_string()), "{message}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn manifest_with_any_byte_changed_is_served_or_refused_but_never_a_panic(position: prop::sample::Index, byte: u8) {
        thread_local! {
            static BUILD: SyntheticFirm = SyntheticFirm::small();
        }
        BUILD.with(|build| {
            let mut text = serde_json::to_vec(&build.manifest).unwrap();
            let position = position.index(text.len());
            text[position] = byte;
            build.publish_text(&text);
            let _ = Server::bind(build.config(), Dependencies::default());
        });
    }
}

#[test]
fn form_with_other_slots_is_refused_by_name() {
    for (part, text, problem) in [
        ("forms/claim-code", "<p>{{=agent}} {{=code}} {{=expires}}</p>", "lacks the slot `token`"),
        ("forms/access-mailed", "<p>{{=email}} {{=token}}</p>", "has a slot \"token\" that nothing fills"),
        ("forms/access-mailed", "<a href=\"{{=email}}\">x</a>", "has the slot `email` where no value is safe"),
        ("forms/access-mailed", "<script>let a = '{{=email}}'</script>", "has the slot `email` where no value is safe"),
        ("messages/access.subject", "Two\nlines", "is not one line"),
        ("forms/words", "{}", "missing field"),
    ] {
        let mut build = SyntheticFirm::small();
        let at = build.manifest.parts.iter().position(|known| known.name == part).unwrap();
        let variant = build.file(&build.manifest.parts[at].variant.file, text, media::HTML);
        let locale = build.manifest.parts[at].variant.locale;
        build.manifest.parts[at].variant = Variant { locale, ..variant };
        build.publish();
        let message = build.status_and_error();
        assert!(message.contains(&format!("{part:?} in `en`")) && message.contains(problem), "{message}");
    }
}

#[test]
fn build_without_a_form_is_refused() {
    let mut build = SyntheticFirm::small();
    build.manifest.parts.retain(|part| part.name != "forms/error");
    build.publish();
    assert!(build.status_and_error().contains("part \"forms/error\" is missing in `en`"));
}
