//! `dist/manifest.json`: the sidecar's only description of a build.
//!
//! The generator writes it last; the sidecar reads it first and verifies every file in it. It has no slug rules, no
//! page kinds and no words of the firm: a route is a path, a class with one policy, and variants.

use std::{
    collections::{BTreeMap, HashMap},
    mem,
};

use serde::{Deserialize, Serialize};

use crate::{Locale, named, names};

/// Name of the manifest inside `dist/`.
pub const FILE_NAME: &str = "manifest.json";
/// Folder inside `dist/` that holds the replaced files of the current build until the next manifest is written.
///
/// If the bytes at a file's path do not match the manifest, a reader uses `<digest>` here.
pub const PREVIOUS: &str = ".previous";
/// Folder inside `dist/` of the files of [`Part`]s, which are never compressed.
pub const PARTS: &str = ".parts";
/// Name of the part that holds the search index of each locale, in the format of the `search` crate. The id of a
/// document is the path of the page.
pub const SEARCH: &str = "search";
/// Name of the part that holds the laws that the firm added to the table of the `citations` crate, as JSON.
pub const LAWS: &str = "laws";
/// Prefix of the parts that replace files for a service with fewer abilities than the build offers:
/// `lesser/<set of abilities>/<file>`. An empty part removes the file.
pub const LESSER: &str = "lesser/";
/// The version of this format. A sidecar rejects other versions.
pub const FORMAT: u32 = 1;

/// A whole build. Code that does not need all routes at once reads them into another type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest<Routes = Vec<Route>> {
    /// [`FORMAT`].
    pub format: u32,
    /// Name of the build: the digest of the serialized manifest with this field empty.
    pub build: FileDigest,
    /// Origin of the site, without a path and without a trailing slash.
    pub site_url: String,
    /// The published, read-only key.
    pub sandbox_key: String,
    /// The next moment at which the site changes without an edit (RFC 3339), if anything is scheduled: build again then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_change: Option<String>,
    /// The policy of each class.
    pub classes: BTreeMap<Class, Policy>,
    /// Every path that answers 200, sorted by path, each once.
    pub routes: Routes,
    /// Every path that answers with a redirect, sorted by path; none is a route.
    pub redirects: Vec<Redirect>,
    /// Answers where no route matches, by path prefix; the longest matching prefix wins, `""` always matches.
    pub not_found: Vec<NotFound>,
    /// Files without an address that the sidecar reads, sorted by name and locale, each once.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<Part>,
}

/// The optional abilities of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Abilities {
    /// The service sends mail.
    pub mail: bool,
    /// The service trusts at least one provider.
    pub providers: bool,
}

/// The abilities that a service lacks for the offers of a build. At least one field is `true`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The service sends no mail.
    pub mail: bool,
    /// The service trusts no provider.
    pub providers: bool,
}

impl Abilities {
    /// Every set that lacks something.
    pub const LESSER: [Self; 3] = [
        Self { mail: true, providers: false },
        Self { mail: false, providers: true },
        Self { mail: false, providers: false },
    ];

    /// Returns the name of the part that replaces `file` for a service with only these abilities.
    pub fn part_name(self, file: &str) -> String {
        let having = match (self.mail, self.providers) {
            (true, true) => "all",
            (true, false) => "mail",
            (false, true) => "providers",
            (false, false) => "neither",
        };
        format!("{LESSER}{having}/{file}")
    }
}

impl Manifest {
    /// Replaces files by those for a service with `abilities`, so that documents offer only what the service supports.
    /// Returns the abilities without which files were replaced.
    pub fn narrow(&mut self, abilities: Abilities) -> Option<Missing> {
        let (lesser, parts): (Vec<Part>, _) =
            mem::take(&mut self.parts).into_iter().partition(|part| part.name.starts_with(LESSER));
        self.parts = parts;
        let of = |abilities: Abilities| {
            let prefix = abilities.part_name("");
            lesser.iter().filter_map(move |part| Some((part.name.strip_prefix(&prefix)?, &part.variant)))
        };
        let replaced: HashMap<&str, &Variant> = of(abilities).collect();
        self.routes.retain_mut(|route| {
            route.variants.iter_mut().all(|variant| match replaced.get(variant.file.as_str()) {
                Some(Variant { size: 0, .. }) => false,
                Some(Variant { file, size, digest, encodings, tokens, .. }) => {
                    *variant = Variant {
                        file: file.clone(),
                        size: *size,
                        digest: digest.clone(),
                        encodings: encodings.clone(),
                        tokens: *tokens,
                        ..variant.clone()
                    };
                    true
                }
                None => true,
            })
        });
        let mail = !abilities.mail && of(Abilities { mail: false, providers: true }).next().is_some();
        let providers = !abilities.providers && of(Abilities { mail: true, providers: false }).next().is_some();
        (mail || providers).then_some(Missing { mail, providers })
    }
}

/// The SHA-256 of a file's bytes in lower-case hexadecimal.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FileDigest(pub String);

impl FileDigest {
    /// Returns whether the digest has 64 lower-case hexadecimal digits.
    pub fn is_valid(&self) -> bool {
        self.0.len() == 64 && self.0.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    }
}

/// Returns whether `path` names a file below its folder, on every system.
///
/// Security: an attacker may have written the manifest.
pub fn is_file_path(path: &str) -> bool {
    !path.is_empty()
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
        && !path.chars().any(|letter| letter.is_control() || matches!(letter, '\\' | ':'))
}

named! {
    /// A kind of route, which determines its headers and the checks before it.
    pub enum Class {
        /// A list or the contact resource of the content API.
        Api "api",
        /// The state of the service.
        Health "health",
        /// The OpenAPI description.
        Description "description",
        /// A discovery document for programs.
        Discovery "discovery",
        /// An HTML page that also answers as Markdown.
        Page "page",
        /// The Markdown twin of a page at its own address.
        Twin "twin",
        /// A file at a fixed address: llms.txt, robots.txt, sitemap, auth.md, the icons.
        Text "text",
        /// Atom and JSON feeds.
        Feed "feed",
        /// A file with a fingerprint in its name.
        Asset "asset",
        /// A file to download, such as a PDF.
        Document "document",
        /// A file of the editor in the browser, which only some sites have.
        Editor "editor",
    }
}

/// The common settings of the routes of one class.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Policy {
    /// Value of `Cache-Control` on 200 and 304.
    pub cache_control: String,
    /// A credential, if sent, must be valid; adds `Authorization, X-Api-Key` to `Vary`.
    pub credential: bool,
    /// Scripts of other origins may read the response.
    pub cors: bool,
    /// Further response header fields, name and value, on 200.
    pub headers: Vec<(String, String)>,
}

/// The part of a request that selects a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Axis {
    /// The query parameter `locale`: exactly one variant for each locale.
    Locale,
    /// The request field `Accept`: one HTML and one Markdown variant.
    Accept,
}

/// A path that answers 200 to GET and HEAD.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Route {
    /// Absolute path, percent-decoded, without query.
    pub path: String,
    /// Selects the [`Policy`].
    pub class: Class,
    /// The selection of the variant; `None` with only one variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<Axis>,
    /// The variants; the first is the default.
    pub variants: Vec<Variant>,
}

/// One representation of a route, in all its encodings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Path of the file below `dist/`, with `/` between its parts.
    pub file: String,
    /// Value of `Content-Type`.
    pub media_type: String,
    /// Length of the file in bytes.
    pub size: u64,
    /// Digest of the file; its first half is the `ETag`.
    pub digest: FileDigest,
    /// Compressed siblings of the file: `file.br`, `file.zst`, `file.gz`.
    #[serde(default, skip_serializing_if = "Encodings::is_empty")]
    pub encodings: Encodings,
    /// Language of the content; the value of `Content-Language`, and of the `locale` axis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locale: Option<Locale>,
    /// Value of `Link` for this variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Value of `Content-Location`: the variant's own path, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub location: Option<String>,
    /// Value of `X-Markdown-Tokens`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
}

/// The compressed forms of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encodings {
    /// Brotli (RFC 7932), in `file.br`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub br: Option<Encoded>,
    /// Zstandard (RFC 8878), in `file.zst`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub zstd: Option<Encoded>,
    /// gzip (RFC 1952), in `file.gz`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gzip: Option<Encoded>,
}

impl Encodings {
    /// Returns whether the file has no compressed form.
    pub fn is_empty(&self) -> bool {
        self.br.is_none() && self.zstd.is_none() && self.gzip.is_none()
    }

    /// Returns the compressed form in `coding`.
    pub fn get(&self, coding: Coding) -> Option<&Encoded> {
        match coding {
            Coding::Br => self.br.as_ref(),
            Coding::Zstd => self.zstd.as_ref(),
            Coding::Gzip => self.gzip.as_ref(),
        }
    }
}

/// One compressed form.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Encoded {
    /// Length in bytes.
    pub size: u64,
    /// Digest of the compressed bytes; its first half is the `ETag` of this form.
    pub digest: FileDigest,
}

names! {
    /// A content coding that the build prepares, in the server's order of preference.
    pub enum Coding {
        /// Brotli.
        Br "br",
        /// Zstandard.
        Zstd "zstd",
        /// gzip.
        Gzip "gzip",
    }
}

impl Coding {
    /// Returns the ending of the compressed file's name.
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Br => ".br",
            Self::Zstd => ".zst",
            Self::Gzip => ".gz",
        }
    }
}

/// A path that answers 308 and keeps the query.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Redirect {
    /// Absolute path, percent-decoded. With `?` and a query, only requests with exactly this query are redirected, and
    /// the query is not kept: see [`split_query`].
    pub from: String,
    /// Absolute path of a route.
    pub to: String,
}

/// Splits the origin of a redirect into its path and its query.
pub fn split_query(from: &str) -> (&str, Option<&str>) {
    from.split_once('?').map_or((from, None), |(path, query)| (path, Some(query)))
}

/// Returns whether `from`, a decoded path with or without a query, may be the address of a page on a former site: the
/// settings of no host give one of its characters a meaning, and no trailing slash distinguishes it from another.
///
/// Security: these addresses are written into the settings of web servers, as the values of quoted strings.
pub fn is_former_address(from: &str) -> bool {
    // The limit of a key in the maps of nginx, with room for its target.
    if from.len() > 400 {
        return false;
    }
    let is_of_path = |letter: char| letter.is_alphanumeric() || "-_.~ ,+()".contains(letter);
    let is_segment = |part: &str| !matches!(part.trim(), "" | "." | "..") && part.chars().all(is_of_path);
    let is_path = |path: &str| path.strip_prefix('/').is_some_and(|rest| rest.split('/').all(is_segment));
    match split_query(from) {
        (path, None) => is_path(path),
        (path, Some(query)) => {
            let is_of_query = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~=&".contains(&byte);
            (path == "/" || (is_path(path) && path.bytes().all(|byte| byte.is_ascii_graphic())))
                && !query.is_empty()
                && query.bytes().all(is_of_query)
        }
    }
}

/// The answer below a prefix where no route matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotFound {
    /// Path prefix, on a segment boundary.
    pub prefix: String,
    /// One HTML and one Markdown variant, negotiated as on a page.
    pub variants: Vec<Variant>,
}

/// A file without an address: a form, a message, an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// The name, unique together with the variant's `locale`.
    pub name: String,
    /// The file.
    pub variant: Variant,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn former_address_has_no_character_that_a_host_interprets() {
        for from in ["/2019/05/12/kira-artisi", "/kira artışı.html", "/?p=123", "/index.php?option=x&id=7", "/a,b+(c)"]
        {
            assert!(is_former_address(from), "{from}");
        }
        for from in [
            "",
            "/",
            "a",
            "/a/",
            "//evil.example",
            "/a//b",
            "/../a",
            "/./a",
            "/ /a",
            "/a\"b",
            "/a'b",
            "/a$b",
            "/{a}",
            "/a;b",
            "/a\\b",
            "/a%20b",
            "/a\nb",
            "/*",
            "/:splat",
            "/a#b",
            "/?",
            "/?a=\"",
            "/?p=1 2",
            "/?a=%0d",
            "/ü?p=1",
        ] {
            assert!(!is_former_address(from), "{from:?}");
        }
    }

    #[test]
    fn file_path_stays_below_the_folder() {
        for path in ["index.html", "api/v1/team.en.json", ".well-known/api-catalog", "a..b/c"] {
            assert!(is_file_path(path), "{path}");
        }
        for path in ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a/", "./a", "a\0b", "a\\..\\b", "C:/x"] {
            assert!(!is_file_path(path), "{path:?}");
        }
    }

    #[test]
    fn narrow_replaces_files_and_returns_the_missing_abilities() {
        let variant = |file: &str, size| Variant {
            file: file.to_owned(),
            media_type: "text/plain".to_owned(),
            size,
            digest: FileDigest("ab".repeat(32)),
            encodings: Encodings::default(),
            locale: None,
            link: Some("</x>".to_owned()),
            location: None,
            tokens: None,
        };
        let route = |path: &str, file: &str| Route {
            path: path.to_owned(),
            class: Class::Text,
            axis: None,
            variants: vec![Variant { encodings: Encodings { br: None, ..Encodings::default() }, ..variant(file, 9) }],
        };
        let (mail, neither) = (Abilities::LESSER[0], Abilities::LESSER[2]);
        let part = |name: String, size| Part { variant: variant(&format!(".parts/{name}"), size), name };
        let built = Manifest {
            format: FORMAT,
            build: FileDigest::default(),
            site_url: String::new(),
            sandbox_key: String::new(),
            next_change: None,
            classes: BTreeMap::new(),
            routes: vec![route("/a", "a"), route("/a.md", "a"), route("/b", "b"), route("/c", "c")],
            redirects: Vec::new(),
            not_found: Vec::new(),
            parts: vec![
                part(mail.part_name("a"), 5),
                part(neither.part_name("a"), 4),
                part(neither.part_name("b"), 0),
                part("other".to_owned(), 3),
            ],
        };
        let narrowed = |abilities| {
            let mut manifest = built.clone();
            let missing = manifest.narrow(abilities);
            assert_eq!(manifest.parts.iter().map(|part| &*part.name).collect::<Vec<_>>(), ["other"]);
            let routes = manifest.routes.into_iter();
            let summaries = routes.map(|route| (route.path, route.variants[0].size, route.variants[0].link.is_some()));
            (summaries.collect::<Vec<_>>(), missing)
        };
        let routes =
            |sizes: &[(&str, u64)]| sizes.iter().map(|(path, size)| ((*path).to_owned(), *size, true)).collect();
        let whole: Vec<_> = routes(&[("/a", 9), ("/a.md", 9), ("/b", 9), ("/c", 9)]);
        assert_eq!(narrowed(Abilities { mail: true, providers: true }), (whole, None));
        let missing = Some(Missing { mail: false, providers: true });
        let lesser: Vec<_> = routes(&[("/a", 5), ("/a.md", 5), ("/b", 9), ("/c", 9)]);
        assert_eq!(narrowed(mail), (lesser, missing));
        // No file is replaced only because mail is missing, so `missing.mail` stays false.
        let least: Vec<_> = routes(&[("/a", 4), ("/a.md", 4), ("/c", 9)]);
        assert_eq!(narrowed(neither), (least, missing));
    }

    #[test]
    fn digest_is_no_path() {
        let digest = |text: &str| FileDigest(text.to_owned());
        assert!(digest(&"0a".repeat(32)).is_valid());
        for text in ["", "../../x", &"0A".repeat(32), &"0a".repeat(31), &"0g".repeat(32)] {
            assert!(!digest(text).is_valid(), "{text}");
        }
    }
}
