//! The sidecar answers every row of the table (`crates/answers`).

use std::{collections::BTreeSet, fs};

use answers::{Names, Row, TABLE};
use contract::{
    headers::CONTENT_USAGE,
    manifest::{Class, Manifest},
};
use findings::messages;
use tests::{BuiltFirm, Firm as _, Reply, Service, build, content_of, copy_folder};

/// Returns the values of the table's names at a build.
fn names(manifest: &Manifest) -> Names {
    let field = |name: &str| {
        let fields = &manifest.classes[&Class::Page].headers;
        fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str()).unwrap()
    };
    let policy = field("content-security-policy").split_inclusive("; ");
    let script = policy.filter(|part| part.starts_with("script-src ")).collect::<String>();
    let asset = |end: &str| {
        let routes = manifest.routes.iter().filter(|route| route.class == Class::Asset);
        routes.map(|route| route.path.clone()).find(|path| path.ends_with(end)).unwrap()
    };
    let found = [
        ("site", manifest.site_url.clone()),
        ("key", manifest.sandbox_key.clone()),
        ("script", script),
        ("usage", field(CONTENT_USAGE).to_owned()),
        ("css", asset(".css")),
        ("svg", asset(".svg")),
        ("font", asset(".woff2")),
        ("long", "a".repeat(8200)),
    ];
    let found = found.map(|(name, value)| (name.to_owned(), value));
    Names(TABLE.names.clone().into_iter().chain(found).collect())
}

/// Sends the request of a row.
fn send(service: &Service, row: &Row, names: &Names) -> Reply {
    let fill = |text: &str| names.fill(text).expect(text);
    let lines: Vec<_> = row.fields.iter().map(|(name, value)| format!("{name}: {}", fill(value))).collect();
    let lines: Vec<_> = lines.iter().map(String::as_str).collect();
    tests::request(service.address(), &row.method, &fill(&row.path), &lines, row.body.as_bytes())
}

/// Returns what is wrong with the response to a row.
fn wrong(service: &Service, row: &Row, names: &Names) -> Option<String> {
    let mut names = names.clone();
    if row.fields.values().any(|value| value.contains("{etag}") || value.contains("{strong}")) {
        let mut first = row.clone();
        first.fields.remove("if-none-match");
        let tag = send(service, &first, &names).header("etag").unwrap().to_owned();
        names.0.extend([("strong".to_owned(), tag.trim_start_matches("W/").to_owned()), ("etag".to_owned(), tag)]);
    }
    let reply = send(service, row, &names);
    if reply.status != row.status {
        return Some(format!("is answered {}, not {}", reply.status, row.status));
    }
    let lines = |name: &str| {
        let lines = reply.headers.iter().filter(|(known, _)| known == name);
        lines.map(|(_, value)| value.as_str()).collect()
    };
    let fields = row.differing_fields(&names, lines);
    let field = fields.first().map(|(name, given)| format!("{name} is `{given}`, not `{}`", row.has[*name]));
    field.or_else(|| wrong_body(service, row, &names, &reply))
}

fn wrong_body(service: &Service, row: &Row, names: &Names, reply: &Reply) -> Option<String> {
    let fill = |text: &String| names.fill(text).expect(text);
    let published = row.file.as_ref().map(fill).map(|path| service.firm.read(path.trim_start_matches('/')));
    let text = row.text.as_ref().map(|text| fill(text).into_bytes());
    let empty = row.empty.then(Vec::new);
    let is_meant = [published, text, empty].iter().flatten().all(|meant| *meant == reply.body)
        && row.is_said_by(&reply.body)
        && row.error.as_ref().is_none_or(|code| {
            let body = reply.json();
            body["error"] == **code && body.as_object().unwrap().keys().eq(["error", "message", "resolution"])
        });
    (!is_meant).then(|| format!("has the body {:.80}", String::from_utf8_lossy(&reply.body)))
}

/// Serves the firm of the tests, with the pages for hosts, and everything that it offers.
fn serve() -> Service {
    let folder = tempfile::TempDir::new().unwrap();
    for name in ["firm", "hosts"] {
        copy_folder(&content_of(name), folder.path());
    }
    let firm: BuiltFirm = build(folder.path());
    let trust = folder.path().join("trust.toml");
    fs::write(&trust, "[[provider]]\nissuer = \"https://provider.example\"\nname = \"Example provider\"\n").unwrap();
    let mut config = firm.config();
    config.registration.trust = Some(trust);
    firm.serve_with(config)
}

#[test]
fn sidecar_answers_every_row_of_the_table() {
    let service = serve();
    let names = names(&service.firm.manifest());
    let wrong: Vec<_> =
        TABLE.rows().filter_map(|row| Some(format!("{}: {}", row.id, wrong(&service, row, &names)?))).collect();
    assert!(TABLE.rows().count() > 250 && wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn table_of_answers_has_no_unknown_or_repeated_name() {
    let ids: BTreeSet<_> = TABLE.rows().map(|row| row.id.as_str()).collect();
    assert_eq!(ids.len(), TABLE.rows().count());
    for host in &TABLE.hosts {
        for id in host.except.iter().flat_map(|exception| &exception.rows) {
            assert!(ids.contains(id.as_str()), "{}: {id} is no row", host.name);
        }
    }
    for of in TABLE.points.iter().flat_map(|point| &point.all).map(|condition| condition.of.as_str()) {
        assert!(ids.contains(of), "{of} is no row");
    }
    let messages = TABLE.rows().flat_map(|row| [&row.fault, &row.remedy]).flatten();
    for message in messages.chain(TABLE.points.iter().map(|point| &point.remedy)) {
        assert!(messages::of_doctor(message, &|_| String::new()).is_some(), "{message} is no message");
    }
}
