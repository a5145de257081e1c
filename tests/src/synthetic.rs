//! A small synthetic firm: a build whose manifest a test can change before and while it is served. Its documents are
//! short; its forms consist of their name, locale and slots; its compressed variants are readable text.

use std::{collections::BTreeMap, fs, path::PathBuf};

use contract::{
    Locale,
    forms::{Form, MessageKind, MessagePiece, Slot, WORDS},
    manifest::{
        Axis, Class, Encoded, Encodings, FILE_NAME, FORMAT, FileDigest, Manifest, NotFound, Part, Policy, Redirect,
        Route, Variant,
    },
    media, routes,
};
use sha2::Digest as _;
use sidecar::{Dependencies, Server, StartError};
use tempfile::TempDir;

use crate::firm::Firm;

/// The origin of the firm.
pub const SITE: &str = "https://firm.example";
/// Its sandbox key.
pub const KEY: &str = "sandbox-key-0123456789";
/// `Cache-Control` of its lists.
pub const LIST_CACHE: &str = "public, max-age=300, stale-while-revalidate=3600";

/// A build that a test can change before and while it is served.
#[derive(Debug)]
pub struct SyntheticFirm {
    folder: TempDir,
    /// Written by [`SyntheticFirm::publish`].
    pub manifest: Manifest,
}

impl Firm for SyntheticFirm {
    fn dist(&self) -> PathBuf {
        self.folder.path().join("dist")
    }
}

/// Returns the digest of `bytes` in the format of the manifest.
#[must_use]
pub fn sha256(bytes: &[u8]) -> FileDigest {
    let nibbles = sha2::Sha256::digest(bytes).into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    FileDigest(nibbles.filter_map(|nibble| char::from_digit(nibble.into(), 16)).collect())
}

fn policy(cache_control: &str, credential: bool, cors: bool, headers: &[(&str, &str)]) -> Policy {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Policy { cache_control: cache_control.to_owned(), credential, cors, headers }
}

impl SyntheticFirm {
    /// Creates a folder without a manifest.
    pub fn empty() -> Self {
        let classes = BTreeMap::from([
            (Class::Api, policy(LIST_CACHE, true, true, &[])),
            (Class::Health, policy("no-store", true, true, &[])),
            (Class::Description, policy("public, max-age=60", true, true, &[])),
            (Class::Discovery, policy("public, max-age=60", false, true, &[])),
            (
                Class::Page,
                policy("public, max-age=60", false, false, &[("content-security-policy", "default-src 'self'")]),
            ),
            (Class::Twin, policy("public, max-age=60", false, false, &[])),
            (Class::Asset, policy("public, max-age=31536000, immutable", false, false, &[])),
        ]);
        let manifest = Manifest {
            format: FORMAT,
            build: FileDigest::default(),
            site_url: SITE.to_owned(),
            sandbox_key: KEY.to_owned(),
            next_change: None,
            classes,
            routes: Vec::new(),
            redirects: Vec::new(),
            not_found: Vec::new(),
            parts: Vec::new(),
        };
        // In memory if possible: a busy disk delays emails.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let mut build = Self { folder, manifest };
        fs::create_dir(build.dist()).unwrap();
        build.manifest.parts = parts(&build);
        build
    }

    /// Creates a build with a list, the health resource, a page with a twin, a discovery document and error pages.
    pub fn small() -> Self {
        let mut build = Self::empty();
        let lists = Locale::ALL.map(|locale| {
            let body = format!("{{\"locale\":\"{locale}\",\"count\":0}}");
            let mut variant = build.compressed(&format!("api/team.{locale}.json"), &body, media::JSON);
            variant.locale = Some(locale);
            variant
        });
        build.route(routes::TEAM, Class::Api, Some(Axis::Locale), lists.to_vec());
        let health = build.file("api/health.json", "{\"ok\":true}", media::JSON);
        build.route(routes::HEALTH, Class::Health, None, vec![health]);
        let catalog = build.file("catalog.json", "{\"linkset\":[]}", media::LINKSET);
        let link = format!("<{SITE}{}>; rel=\"api-catalog\"", routes::API_CATALOG);
        build.route(routes::API_CATALOG, Class::Discovery, None, vec![Variant { link: Some(link), ..catalog }]);
        build.page("/en", "<p>Home</p>", "# Home\n");
        build.page("/en/about", "<p>About the firm</p>", "# About the firm\n");
        let css = build.compressed("assets/site.0123.css", "body{color:black}", media::CSS);
        build.route("/assets/site.0123.css", Class::Asset, None, vec![css]);
        build.redirect("/en/former", "/en/about");
        let strangers = build.variants("404", "<p>Nothing here</p>", "# Nothing here\n", Locale::En);
        let turkish = build.variants("tr/404", "<p>Burada bir şey yok</p>", "# Burada bir şey yok\n", Locale::Tr);
        build.manifest.not_found = vec![
            NotFound { prefix: String::new(), variants: strangers },
            NotFound { prefix: "/tr".to_owned(), variants: turkish },
        ];
        build.publish();
        build
    }

    #[must_use]
    pub fn file_path(&self, file: &str) -> PathBuf {
        self.dist().join(file)
    }

    /// Writes a file and returns its variant.
    pub fn file(&self, file: &str, body: &str, media_type: &str) -> Variant {
        self.write(file, body.as_bytes());
        Variant {
            file: file.to_owned(),
            media_type: media_type.to_owned(),
            size: body.len() as u64,
            digest: sha256(body.as_bytes()),
            encodings: Encodings::default(),
            locale: None,
            link: None,
            location: None,
            tokens: None,
        }
    }

    /// Writes a file and three siblings in place of its compressed variants.
    pub fn compressed(&self, file: &str, body: &str, media_type: &str) -> Variant {
        let form = |name: &str, suffix: &str| {
            let body = format!("{name}({body})");
            self.write(&format!("{file}{suffix}"), body.as_bytes());
            Some(Encoded { size: body.len() as u64, digest: sha256(body.as_bytes()) })
        };
        let encodings = Encodings { br: form("br", ".br"), zstd: form("zstd", ".zst"), gzip: form("gzip", ".gz") };
        Variant { encodings, ..self.file(file, body, media_type) }
    }

    /// Writes a file that the manifest does not describe.
    pub fn write(&self, file: &str, bytes: &[u8]) {
        let path = self.file_path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn route(&mut self, path: &str, class: Class, axis: Option<Axis>, variants: Vec<Variant>) {
        self.manifest.routes.push(Route { path: path.to_owned(), class, axis, variants });
    }

    pub fn redirect(&mut self, from: &str, to: &str) {
        self.manifest.redirects.push(Redirect { from: from.to_owned(), to: to.to_owned() });
    }

    /// Adds a page and its twin, negotiated at `path` and explicit at `path.md`.
    pub fn page(&mut self, path: &str, html: &str, markdown: &str) {
        let variants = self.variants(path.trim_start_matches('/'), html, markdown, Locale::En);
        let twin = Variant { location: None, ..variants[1].clone() };
        self.route(path, Class::Page, Some(Axis::Accept), variants);
        self.route(&format!("{path}.md"), Class::Twin, None, vec![twin]);
    }

    fn variants(&self, stem: &str, html: &str, markdown: &str, locale: Locale) -> Vec<Variant> {
        let html = self.compressed(&format!("{stem}.html"), html, media::HTML);
        let markdown = self.compressed(&format!("{stem}.md"), markdown, media::MARKDOWN);
        vec![
            Variant {
                locale: Some(locale),
                location: Some(format!("/{stem}")),
                link: Some(format!("</{stem}.md>; rel=\"alternate\"; type=\"text/markdown\"")),
                ..html
            },
            Variant { locale: Some(locale), location: Some(format!("/{stem}.md")), tokens: Some(7), ..markdown },
        ]
    }

    /// Sorts the manifest, names the build and writes the manifest, as the generator does last.
    pub fn publish(&mut self) {
        self.manifest.routes.sort_by(|one, other| one.path.cmp(&other.path));
        self.manifest.redirects.sort_by(|one, other| one.from.cmp(&other.from));
        self.manifest
            .parts
            .sort_by(|one, other| (&one.name, one.variant.locale).cmp(&(&other.name, other.variant.locale)));
        self.manifest.build = FileDigest::default();
        self.manifest.build = sha256(&serde_json::to_vec(&self.manifest).unwrap());
        self.publish_as_it_is();
    }

    /// Writes the manifest unsorted and with its present name.
    pub fn publish_as_it_is(&self) {
        self.publish_text(&serde_json::to_vec(&self.manifest).unwrap());
    }

    /// Replaces the manifest with `text`.
    pub fn publish_text(&self, text: &[u8]) {
        let new = self.file_path("manifest.json.new");
        fs::write(&new, text).unwrap();
        fs::rename(new, self.file_path(FILE_NAME)).unwrap();
    }

    /// Returns the error for which this build is not served.
    pub fn status_and_error(&self) -> String {
        match Server::bind(self.config(), Dependencies::default()) {
            Err(StartError::Dist(error)) => {
                let message = error.to_string();
                assert!(!message.contains('\n'), "one line: {message}");
                message
            }
            Err(error) => panic!("{error}"),
            Ok(_) => panic!("the build was accepted"),
        }
    }
}

/// Writes every part, in the order of the manifest.
fn parts(build: &SyntheticFirm) -> Vec<Part> {
    let mut parts = Vec::new();
    for locale in Locale::ALL {
        let mut add = |name: String, text: &str, media_type| {
            let file = build.file(&format!(".parts/{name}.{locale}"), text, media_type);
            parts.push(Part { name, variant: Variant { locale: Some(locale), ..file } });
        };
        for form in Form::ALL {
            add(form.part(), &form_text(form, locale), media::HTML);
        }
        for kind in MessageKind::ALL {
            for piece in MessagePiece::ALL {
                let slots = if piece == MessagePiece::Subject { &[][..] } else { kind.slots() };
                let text = format!("{} {} {locale}{}\n", kind.as_str(), piece.as_str(), slot_text(slots));
                add(kind.part(piece), &text.replace('\n', if slots.is_empty() { "" } else { "\n" }), media::TEXT);
            }
        }
        add(WORDS.to_owned(), &words(locale), media::JSON);
    }
    parts.sort_by(|one, other| (&one.name, one.variant.locale).cmp(&(&other.name, other.variant.locale)));
    parts
}

/// Returns a form such as `<p>claim en agent=[…] …</p>`.
fn form_text(form: Form, locale: Locale) -> String {
    format!("<p>{} {locale}{}</p>\n", form.as_str(), slot_text(form.slots()))
}

fn slot_text(slots: &[Slot]) -> String {
    slots.iter().map(|slot| format!(" {}=[{}]", slot.as_str(), slot.marker())).collect::<Vec<_>>().concat()
}

fn words(locale: Locale) -> String {
    let months: Vec<_> = (1..=12).map(|month| format!("{locale}-{month}")).collect();
    serde_json::json!({
        "months": months,
        "moment": "{day} {month} {year} {hour}:{minute}",
        "offset_minutes": 180,
        "scopes": {"openid": "o", "profile": "p", "mcp.read": "m", "content.read": "c"},
        "no_provider": "nobody",
        "no_match_phrase": "none",
        "sender_name": "A firm",
        "sender_address": "info@firm.example",
    })
    .to_string()
}
