//! A small build on disk and a server for it.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    thread,
};

use contract::{
    Locale,
    manifest::{
        Axis, Class, Digest, Encoded, Encodings, FILE_NAME, FORMAT, Manifest, NotFound, Policy, Redirect, Route,
        Variant,
    },
    media, routes,
};
use sha2::Digest as _;
use sidecar::{Config, Dependencies, LimitSettings, RegistrationSettings, Running, Server, StartError};
use tempfile::TempDir;

use crate::{
    client::{Connection, Response},
    journal::Log,
    parts,
};

pub(crate) const SITE: &str = "https://firm.example";
pub(crate) const KEY: &str = "sandbox-key-0123456789";
pub(crate) const LIST_CACHE: &str = "public, max-age=300, stale-while-revalidate=3600";

/// A build that a test can change before and while it is served.
pub(crate) struct Build {
    folder: TempDir,
    dist: PathBuf,
    pub(crate) manifest: Manifest,
}

pub(crate) fn digest(bytes: &[u8]) -> Digest {
    let nibbles = sha2::Sha256::digest(bytes).into_iter().flat_map(|byte| [byte >> 4, byte & 15]);
    Digest(nibbles.filter_map(|nibble| char::from_digit(nibble.into(), 16)).collect())
}

fn policy(cache_control: &str, credential: bool, cors: bool, headers: &[(&str, &str)]) -> Policy {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Policy { cache_control: cache_control.to_owned(), credential, cors, headers }
}

impl Build {
    /// Creates a folder without a manifest.
    pub(crate) fn empty() -> Self {
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
            build: Digest::default(),
            site_url: SITE.to_owned(),
            sandbox_key: KEY.to_owned(),
            classes,
            routes: Vec::new(),
            redirects: Vec::new(),
            not_found: Vec::new(),
            parts: Vec::new(),
        };
        // In memory, if the system keeps files there: a disk that is busy with something else delays letters.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        let dist = folder.path().join("dist");
        fs::create_dir(&dist).unwrap();
        let mut build = Self { folder, dist, manifest };
        build.manifest.parts = parts::all(&build);
        build
    }

    /// Creates a build with a list, the health resource, a page with a twin, a discovery document and error pages.
    pub(crate) fn small() -> Self {
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

    pub(crate) fn path(&self) -> &Path {
        &self.dist
    }

    pub(crate) fn file_path(&self, file: &str) -> PathBuf {
        self.path().join(file)
    }

    /// Writes a file and describes it.
    pub(crate) fn file(&self, file: &str, body: &str, media_type: &str) -> Variant {
        self.write(file, body.as_bytes());
        Variant {
            file: file.to_owned(),
            media_type: media_type.to_owned(),
            size: body.len() as u64,
            digest: digest(body.as_bytes()),
            encodings: Encodings::default(),
            locale: None,
            link: None,
            location: None,
            tokens: None,
        }
    }

    /// Writes a file and three siblings that stand for its compressed forms.
    pub(crate) fn compressed(&self, file: &str, body: &str, media_type: &str) -> Variant {
        let form = |name: &str, suffix: &str| {
            let body = format!("{name}({body})");
            self.write(&format!("{file}{suffix}"), body.as_bytes());
            Some(Encoded { size: body.len() as u64, digest: digest(body.as_bytes()) })
        };
        let encodings = Encodings { br: form("br", ".br"), zstd: form("zstd", ".zst"), gzip: form("gzip", ".gz") };
        Variant { encodings, ..self.file(file, body, media_type) }
    }

    pub(crate) fn write(&self, file: &str, bytes: &[u8]) {
        let path = self.file_path(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn route(&mut self, path: &str, class: Class, axis: Option<Axis>, variants: Vec<Variant>) {
        self.manifest.routes.push(Route { path: path.to_owned(), class, axis, variants });
    }

    pub(crate) fn redirect(&mut self, from: &str, to: &str) {
        self.manifest.redirects.push(Redirect { from: from.to_owned(), to: to.to_owned() });
    }

    /// Adds a page and its twin, negotiated at `path` and explicit at `path.md`.
    pub(crate) fn page(&mut self, path: &str, html: &str, markdown: &str) {
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
    pub(crate) fn publish(&mut self) {
        self.manifest.routes.sort_by(|one, other| one.path.cmp(&other.path));
        self.manifest.redirects.sort_by(|one, other| one.from.cmp(&other.from));
        self.manifest
            .parts
            .sort_by(|one, other| (&one.name, one.variant.locale).cmp(&(&other.name, other.variant.locale)));
        self.manifest.build = Digest::default();
        self.manifest.build = digest(&serde_json::to_vec(&self.manifest).unwrap());
        self.publish_as_it_is();
    }

    /// Writes the manifest with whatever a test did to it.
    pub(crate) fn publish_as_it_is(&self) {
        self.publish_text(&serde_json::to_vec(&self.manifest).unwrap());
    }

    pub(crate) fn publish_text(&self, text: &[u8]) {
        let new = self.file_path("manifest.json.new");
        fs::write(&new, text).unwrap();
        fs::rename(new, self.file_path(FILE_NAME)).unwrap();
    }

    /// Returns the folder in which this build's service keeps registrations.
    pub(crate) fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub(crate) fn config(&self) -> Config {
        let store = format!("sqlite://{}/registrations.db", self.data().display());
        Config {
            registration: RegistrationSettings { store: Some(store), ..RegistrationSettings::default() },
            listen: ([127, 0, 0, 1], 0).into(),
            admin_listen: Some(([127, 0, 0, 1], 0).into()),
            dist: self.path().to_owned(),
            workers: 1,
            limits: LimitSettings::boundless(),
            ..Config::default()
        }
    }

    pub(crate) fn serve(self) -> Site {
        let config = self.config();
        self.serve_with(config, Dependencies::default())
    }

    pub(crate) fn serve_with(self, config: Config, parts: Dependencies) -> Site {
        let log = Log::begin(self.data());
        let running = Server::bind(config, parts).unwrap().start().unwrap();
        Site { _log: log, build: self, running }
    }

    /// Returns the reason why this build is not served.
    pub(crate) fn refusal(&self) -> String {
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

/// A build that is being served.
pub(crate) struct Site {
    /// Dropped, and so searched, first, while everything that tells what was secret still exists.
    _log: Log,
    pub(crate) build: Build,
    pub(crate) running: Running,
}

impl Site {
    /// Ends the service, does `meanwhile`, and serves the same build again with `config` and `parts`.
    pub(crate) fn served_anew(self, config: Config, parts: Dependencies, meanwhile: impl FnOnce()) -> Self {
        let Self { _log: log, build, running } = self;
        let end = thread::spawn(move || drop(running));
        meanwhile();
        end.join().unwrap();
        Self { _log: log, build, running: Server::bind(config, parts).unwrap().start().unwrap() }
    }

    pub(crate) fn connect(&self) -> Connection {
        Connection::open(self.running.address())
    }

    pub(crate) fn request(&self, method: &str, target: &str, lines: &[&str]) -> Response {
        self.connect().request(method, target, lines)
    }

    /// Posts `body` as `media_type`.
    pub(crate) fn post_as(&self, target: &str, media_type: &str, body: &[u8]) -> Response {
        let mut connection = self.connect();
        let head = format!(
            "POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {media_type}\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        connection.send(&[head.as_bytes(), body].concat());
        connection.response(false).unwrap()
    }

    pub(crate) fn get(&self, target: &str) -> Response {
        self.request("GET", target, &[])
    }

    pub(crate) fn get_with(&self, target: &str, lines: &[&str]) -> Response {
        self.request("GET", target, lines)
    }

    pub(crate) fn operator(&self, target: &str) -> Response {
        Connection::open(self.running.admin_address().unwrap()).request("GET", target, &[])
    }

    /// Waits until the build in force is no longer `old`.
    pub(crate) fn wait_for_another_build_than(&self, old: &str) {
        self.wait_until(|site| site.running.handle().build() != old);
    }

    pub(crate) fn wait_until(&self, mut done: impl FnMut(&Self) -> bool) {
        let mut looks = 0;
        while !done(self) {
            looks += 1;
            assert!(looks < 20_000, "it does not happen");
            // A round trip to the server takes time and yields the processor, so there is no need to sleep.
            self.operator("/livez");
        }
    }
}
