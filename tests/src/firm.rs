//! Builds of a firm in their own folders.

use contract::Locale;
use std::{
    collections::{BTreeMap, HashMap},
    fs, mem,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{LazyLock, Mutex, PoisonError},
};

use contract::{
    forms::search::SEARCH_PAGE,
    manifest::{FILE_NAME, Manifest},
};
use publish::{BuildReport, Compression, Publishing, publish};
use render::{Renderer, Theme};
use sidecar::{Clock, Config, Dependencies, LimitSettings};
use site::{EditorFile, Loading, Site, load};

use tempfile::TempDir;

use crate::{repository, service::Service};

/// The time of builds in tests.
pub const NOW: &str = "2026-11-21T09:00:00+03:00";
/// The origin of builds in tests.
pub const SITE_URL: &str = "https://ornek.example";

/// A build that a service can serve.
pub trait Firm: Sized {
    /// Returns the folder `dist/`.
    fn dist(&self) -> PathBuf;

    /// Returns the folder beside `dist/` for the data of a service.
    fn data(&self) -> PathBuf {
        self.dist().with_file_name("data")
    }

    /// Returns a configuration with free ports and without limits.
    fn config(&self) -> Config {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        Config {
            listen,
            admin_listen: Some(listen),
            dist: self.dist(),
            workers: 2,
            limits: LimitSettings::boundless(),
            ..Config::default()
        }
    }

    /// Serves the build with the default configuration.
    fn serve(self) -> Service<Self> {
        let config = self.config();
        self.serve_with(config)
    }

    /// Serves the build with `config`, whose ports should be 0.
    fn serve_with(self, config: Config) -> Service<Self> {
        Service::start(self, config, Dependencies::default())
    }

    /// Serves the build with `config` and `clock`.
    fn serve_by(self, config: Config, clock: &Clock) -> Service<Self> {
        Service::start(self, config, Dependencies { clock: clock.clone(), ..Dependencies::default() })
    }
}

/// A build of the generator, in a folder that is removed when this value is dropped.
#[derive(Debug)]
pub struct BuiltFirm {
    folder: TempDir,
    /// The report of publishing.
    pub report: BuildReport,
}

impl BuiltFirm {
    /// Returns a copy in another folder.
    #[must_use]
    pub fn copied(&self) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        copy_folder(&self.dist(), &folder.path().join("dist"));
        Self { folder, report: self.report.clone() }
    }

    #[must_use]
    pub fn manifest(&self) -> Manifest {
        serde_json::from_slice(&self.read(FILE_NAME)).expect("the manifest is JSON")
    }

    #[must_use]
    pub fn read(&self, file: &str) -> Vec<u8> {
        fs::read(self.dist().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }
}

impl Firm for BuiltFirm {
    fn dist(&self) -> PathBuf {
        self.folder.path().join("dist")
    }
}

/// Returns the content folder of the demonstration firm (`"content"`) or of a fixture.
#[must_use]
pub fn content_of(name: &str) -> PathBuf {
    match name {
        "content" => repository().join("content"),
        fixture => repository().join("tests/fixtures").join(fixture).join("content"),
    }
}

#[must_use]
pub fn templates() -> PathBuf {
    repository().join("templates")
}

/// Returns a copy of a build of the demonstration firm (`"content"`) or of a fixture; each is built once per process.
///
/// # Panics
/// When it cannot be built.
#[must_use]
pub fn built(name: &str) -> BuiltFirm {
    static BUILDS: LazyLock<Mutex<HashMap<String, BuildReport>>> = LazyLock::new(Mutex::default);
    // A static is never dropped, so a shell removes the folder.
    static FOLDER: LazyLock<PathBuf> = LazyLock::new(folder_of_this_process);

    let original = FOLDER.join(name);
    let mut builds = BUILDS.lock().unwrap_or_else(PoisonError::into_inner);
    let report = builds.entry(name.to_owned()).or_insert_with(|| build_from(&content_of(name), &original)).clone();
    drop(builds);
    let folder = TempDir::new().expect("a temporary folder");
    copy_folder(&original, &folder.path().join("dist"));
    BuiltFirm { folder, report }
}

/// Creates a folder that a shell removes when this process, and so the pipe, ends.
#[expect(clippy::zombie_processes, reason = "the shell outlives this process")]
fn folder_of_this_process() -> PathBuf {
    let folder = TempDir::new().expect("a temporary folder").keep();
    let mut shell = Command::new("sh");
    shell.args(["-c", "read -r line; rm -rf \"$1\"", "sh"]).arg(&folder).current_dir("/").stdin(Stdio::piped());
    let shell = shell.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a shell");
    mem::forget(shell.stdin);
    folder
}

/// Builds `content` with the repository's templates.
#[must_use]
pub fn build(content: &Path) -> BuiltFirm {
    let folder = TempDir::new().expect("a temporary folder");
    let report = build_from(content, &folder.path().join("dist"));
    BuiltFirm { folder, report }
}

/// Builds `content` as if the texts in `stale`, by their paths below it, lacked a change of the other language.
///
/// # Panics
/// When publishing fails.
#[must_use]
pub fn build_with_stale(content: &Path, stale: &[&str]) -> BuiltFirm {
    let folder = TempDir::new().expect("a temporary folder");
    let out = folder.path().join("dist");
    let stale = stale.iter().map(|file| (*file).to_owned()).collect();
    let publishing = Publishing { out: &out, ..publishing() };
    let report = load_and_publish(content, &templates(), publishing, |site| site.mark_stale(&stale));
    BuiltFirm { folder, report: report.expect("the build is published") }
}

/// Builds `content` with these files as the editor in the browser.
///
/// # Panics
/// When publishing fails.
#[must_use]
pub fn build_with_editor(content: &Path, editor: Vec<EditorFile>) -> BuiltFirm {
    let folder = TempDir::new().expect("a temporary folder");
    let out = folder.path().join("dist");
    let publishing = Publishing { out: &out, ..publishing() };
    let report = load_and_publish(content, &templates(), publishing, |site| site.editor = editor);
    BuiltFirm { folder, report: report.expect("the build is published") }
}

/// Builds `content` for another origin.
///
/// # Panics
/// When publishing fails.
#[must_use]
pub fn build_for(content: &Path, site_url: &str) -> BuiltFirm {
    let folder = TempDir::new().expect("a temporary folder");
    let out = folder.path().join("dist");
    let publishing = Publishing { out: &out, site_url, ..publishing() };
    let report = build_with(content, &templates(), publishing).expect("the build is published");
    BuiltFirm { folder, report }
}

/// Builds `content` into `out`, which may hold an earlier build.
pub fn build_from(content: &Path, out: &Path) -> BuildReport {
    try_build_from(content, out).expect("the build is published")
}

/// As `build_from`; an error is the message of the failure.
///
/// # Errors
/// When publishing fails.
pub fn try_build_from(content: &Path, out: &Path) -> Result<BuildReport, String> {
    build_with(content, &templates(), Publishing { out, ..publishing() })
}

/// Returns the options for publishing in tests.
#[must_use]
pub fn publishing() -> Publishing<'static> {
    Publishing {
        out: Path::new(""),
        compression: Compression::Fast,
        site_url: SITE_URL,
        sandbox_key: "",
        now: NOW.parse().expect("a moment"),
        verify: false,
        progress: None,
        known: None,
    }
}

/// Builds with other templates or options; the sandbox key is that of the content.
///
/// # Errors
/// When publishing fails.
pub fn build_with(content: &Path, templates: &Path, publishing: Publishing) -> Result<BuildReport, String> {
    load_and_publish(content, templates, publishing, |_| {})
}

fn load_and_publish(
    content: &Path,
    templates: &Path,
    publishing: Publishing,
    edit: impl FnOnce(&mut Site),
) -> Result<BuildReport, String> {
    let now = NOW.parse().expect("a moment");
    let loading = Loading { content, site_url: Some(publishing.site_url), now, drafts: false };
    let mut loaded = load(&loading).unwrap_or_else(|findings| panic!("{}", findings.to_text(Locale::En, false)));
    edit(&mut loaded.site);
    let theme = Theme::load(templates).expect("the templates load");
    let renderer = Renderer::new(&loaded.site, &theme);
    let publishing = Publishing { sandbox_key: &loaded.site.settings.sandbox_key, ..publishing };
    let plan = renderer.plan().map_err(|error| error.message()[Locale::En].to_owned())?;
    publish(&plan, &publishing).map_err(|error| error.message()[Locale::En].to_owned())
}

/// Returns every file below `folder` by its path, except the generator's own.
#[must_use]
pub fn files_below(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    walk(folder, folder, &mut files);
    files.retain(|path, _| ![".lock", ".build.json", ".known.json"].contains(&path.as_str()));
    files
}

fn walk(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            walk(root, &path, files);
        } else {
            let name = path.strip_prefix(root).expect("a path below the root").to_string_lossy().replace('\\', "/");
            files.insert(name, fs::read(&path).expect("a readable file"));
        }
    }
}

/// Copies `from` and everything below it to `to`.
pub fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a writable folder");
    for entry in fs::read_dir(from).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let target = to.join(path.file_name().expect("a name"));
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            fs::copy(&path, &target).expect("a copy");
        }
    }
}

/// Returns whether `path` is that of the search page or its Markdown, which no index contains.
#[must_use]
pub fn is_search(manifest: &Manifest, path: &str) -> bool {
    let pages = manifest.parts.iter().filter(|part| part.name == SEARCH_PAGE);
    let page = path.strip_suffix(".md").unwrap_or(path);
    pages.filter_map(|part| part.variant.location.as_deref()).any(|location| location == page)
}
