//! Serves a site on loopback while it is edited: built in memory, and updated when a file changes.
//!
//! The pages come from the same renderer as a build; each gets a bar with the findings and whether the page is public.
//! Nothing is written to disk.

mod build;
mod http;
mod pages;
mod report;

use std::{
    collections::BTreeMap,
    hash::BuildHasher as _,
    io,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use contract::{Locale, manifest::Class, media, routes, text::is_invisible};
use foldhash::quality::FixedState;

use crate::translations;
use build::{PreviewAnswer, PreviewBuild};
use findings::{
    Findings,
    messages::{self, Text},
};
use http::{PreviewRequest, PreviewResponse};
use render::Theme;
use site::{HeldBack, Loaded, Site};

/// The path of the preview's own pages and files; no page of a site has it.
const OWN: &str = "/_preview";
/// The interval of keep-alive comments in the event stream.
const PULSE: Duration = Duration::from_secs(10);

/// A site with its last findings.
#[derive(Debug)]
pub struct Preview {
    state: Mutex<PreviewState>,
    changed: Condvar,
    content: PathBuf,
    /// The language of the preview's own texts.
    language: Locale,
    /// Accepted values of `Host`.
    hosts: Vec<String>,
}

#[derive(Debug)]
struct PreviewState {
    /// Number of changes of the findings; a new site comes with new ones.
    version: u64,
    /// The last site that could be built.
    build: Option<PreviewBuild>,
    findings: Findings,
    entries: Vec<PageEntry>,
}

/// A page in the overview.
#[derive(Clone, Debug)]
struct PageEntry {
    path: String,
    title: String,
    locale: Locale,
    /// Path below the content folder.
    file: String,
    held_back: Option<HeldBack>,
}

impl Preview {
    /// Creates a preview without a site, to be served at `address`; `content` is the edited folder.
    pub fn new(address: SocketAddr, content: PathBuf, language: Locale) -> Self {
        let port = address.port();
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned(), host(address)];
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        // Browsers leave out the default port.
        if port == 80 {
            hosts.extend(names);
        }
        let state = PreviewState { version: 0, build: None, findings: Findings::default(), entries: Vec::new() };
        Self { state: Mutex::new(state), changed: Condvar::new(), content, language, hosts }
    }

    /// Shows a site with its findings, and returns it. If it could not be built (`None`), the last site stays.
    pub fn show(&self, site: Option<(Loaded, Theme)>, findings: Findings) -> Option<Arc<Site>> {
        let shown = site.map(|(loaded, theme)| (entries(&loaded), Arc::new(loaded.site), theme));
        let site = shown.as_ref().map(|(_, site, _)| Arc::clone(site));
        if let Some((entries, site, theme)) = shown {
            let build = PreviewBuild::start(site, theme);
            let mut state = self.state();
            (state.entries, state.build) = (entries, Some(build));
        }
        self.replace_findings(findings);
        site
    }

    /// Shows these findings in place of the last ones.
    pub fn replace_findings(&self, findings: Findings) {
        let mut state = self.state();
        state.version += 1;
        state.findings = findings;
        drop(state);
        self.changed.notify_all();
    }

    /// Answers requests until the process ends.
    ///
    /// # Errors
    /// If the system repeatedly accepts no connection.
    pub fn serve(self: &Arc<Self>, listener: &TcpListener) -> io::Result<()> {
        http::serve(listener, self)
    }

    fn state(&self) -> MutexGuard<'_, PreviewState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether `Host` names this machine.
    ///
    /// Security: against DNS rebinding, by which a page of another site could read drafts.
    fn is_own_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    fn answer(&self, request: &PreviewRequest) -> PreviewResponse {
        let own = request.path.strip_prefix(OWN).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match own {
            Some("" | "/") => {
                PreviewResponse::new(200, media::HTML, pages::overview(&self.view(), &changed_files(&self.content)))
            }
            Some("/script.js") => {
                PreviewResponse::new(200, "text/javascript; charset=utf-8", include_str!("script.js"))
            }
            Some("/editor.js") => {
                PreviewResponse::new(200, "text/javascript; charset=utf-8", include_str!("editor.js"))
            }
            Some("/editor") => PreviewResponse::new(200, media::HTML, pages::editor_bar(&self.view())),
            Some("/style.css") => PreviewResponse::new(200, "text/css; charset=utf-8", include_str!("style.css")),
            Some("/views") => {
                PreviewResponse::new(200, media::HTML, self.views(request.field("path").as_deref().unwrap_or("/")))
            }
            Some("/print") => self.render_print(request.field("path").as_deref().unwrap_or("/")),
            Some("/print.css") => self.print_style(request.field("of").as_deref().unwrap_or_default()),
            Some(_) => self.not_found(&messages::preview_page_absent()),
            None => self.page(request),
        }
    }

    fn not_found(&self, words: &Text) -> PreviewResponse {
        PreviewResponse::text(404, &words[self.language])
    }

    /// Returns a page or file of the site; pages get the bar of the preview.
    fn page(&self, request: &PreviewRequest) -> PreviewResponse {
        let (path, view) = (request.path.as_str(), self.view());
        let answer = view.build.as_ref().map(|build| build.get(&request.address()));
        match answer {
            Some(PreviewAnswer::File { media_type, bytes }) if media_type != media::HTML => {
                PreviewResponse::new(200, media_type, bytes)
            }
            Some(PreviewAnswer::File { bytes, .. }) if path == routes::ADMIN => with_editor_bar(&bytes, &view),
            Some(PreviewAnswer::File { bytes, .. }) => with_tools(200, &bytes, path, &view),
            Some(PreviewAnswer::NotFound(bytes)) => with_tools(404, &bytes, path, &view),
            Some(PreviewAnswer::Moved(to)) => PreviewResponse::redirect(&to),
            Some(PreviewAnswer::Failed(why)) => {
                with_tools(500, pages::failure_page(&view, &why).as_bytes(), path, &view)
            }
            None => with_tools(200, pages::empty_page(&view).as_bytes(), path, &view),
        }
    }

    fn views(&self, path: &str) -> String {
        let view = self.view();
        let text = |path: &str| match view.build.as_ref().map(|build| build.get(path)) {
            Some(PreviewAnswer::File { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => String::new(),
        };
        pages::views(&view, path, &text(path), &text(&site::twin_path(path)))
    }

    /// Returns a page with its print style.
    fn render_print(&self, path: &str) -> PreviewResponse {
        match self.view().build.map(|build| build.get(path)) {
            Some(PreviewAnswer::File { media_type, bytes }) if media_type == media::HTML => {
                PreviewResponse::new(200, media::HTML, pages::with_print_styles(&String::from_utf8_lossy(&bytes)))
            }
            _ => self.not_found(&messages::printed_page_absent()),
        }
    }

    /// Returns a style sheet whose print rules apply on the screen.
    fn print_style(&self, path: &str) -> PreviewResponse {
        match self.view().build.map(|build| build.get(path)) {
            Some(PreviewAnswer::File { media_type, bytes }) if media_type.starts_with("text/css") => {
                let style = String::from_utf8_lossy(&bytes);
                let style = style.replace("@media screen", "@media not all").replace("@media print", "@media all");
                PreviewResponse::new(200, media_type, style)
            }
            _ => self.not_found(&messages::style_sheet_absent()),
        }
    }

    fn view(&self) -> View {
        let state = self.state();
        View {
            language: self.language,
            version: state.version,
            build: state.build.clone(),
            content: self.content.clone(),
            findings: state.findings.clone(),
            entries: state.entries.clone(),
        }
    }

    /// Waits until the page differs from the fingerprint `print`, and returns `None`. After [`PULSE`], or if the page
    /// is unchanged in a new version, returns the current version.
    fn wait(&self, path: &str, version: u64, print: &str) -> Option<u64> {
        let state = self.state();
        let (state, _) = self
            .changed
            .wait_timeout_while(state, PULSE, |state| state.version == version)
            .unwrap_or_else(PoisonError::into_inner);
        let now = state.version;
        drop(state);
        if now == version {
            return Some(version);
        }
        let view = self.view();
        let html = match view.build.as_ref().map(|build| build.get(path)) {
            Some(PreviewAnswer::File { bytes, .. } | PreviewAnswer::NotFound(bytes)) => {
                String::from_utf8_lossy(&bytes).into_owned()
            }
            _ => return None,
        };
        (fingerprint(&html, &view.findings) == print).then_some(now)
    }
}

/// Returns a page with the bar of the preview at its end.
fn with_tools(status: u16, html: &[u8], path: &str, view: &View) -> PreviewResponse {
    let html = String::from_utf8_lossy(html);
    let tools = pages::tools(view, path, fingerprint(&html, &view.findings));
    let end = html.rfind("</body>").unwrap_or(html.len());
    PreviewResponse::new(status, media::HTML, [&html[..end], &tools, &html[end..]].concat())
}

/// Returns the page of the editor with the findings at its end. A change updates them, because a new page would lose what is not saved.
fn with_editor_bar(html: &[u8], view: &View) -> PreviewResponse {
    let html = String::from_utf8_lossy(html);
    let bar = format!(
        "<link rel=\"stylesheet\" href=\"{OWN}/style.css\">\n<div id=\"preview-of-editor\">{}</div>\n\
         <script src=\"{OWN}/editor.js\"></script>\n",
        pages::editor_bar(view),
    );
    let end = html.rfind("</body>").unwrap_or(html.len());
    PreviewResponse::new(200, media::HTML, [&html[..end], &bar, &html[end..]].concat()).with_policy(Class::Editor)
}

/// A snapshot of the state.
#[derive(Clone, Debug)]
struct View {
    language: Locale,
    version: u64,
    build: Option<PreviewBuild>,
    /// The edited folder.
    content: PathBuf,
    findings: Findings,
    entries: Vec<PageEntry>,
}

/// Escapes text for HTML, also for values of attributes.
fn escape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    // Writing to memory cannot fail.
    let _ = tera::escape_html(text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns a message as HTML.
fn words(view: &View, text: &Text) -> String {
    escape(&text[view.language])
}

/// Returns a hash of a page and its findings.
fn fingerprint(html: &str, findings: &Findings) -> String {
    format!("{:016x}", FixedState::default().hash_one((html, findings.to_text(Locale::En, false))))
}

/// Returns the host of an address in the form of a URL.
fn host(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

fn entries(loaded: &Loaded) -> Vec<PageEntry> {
    let mut entries = Vec::new();
    for (locale, content) in loaded.site.content.iter() {
        entries.extend(content.documents().map(|(_, document, _)| PageEntry {
            path: document.path.clone(),
            title: document.title.clone(),
            locale,
            file: document.origin.file.clone(),
            held_back: loaded.held_back.get(&document.origin.file).copied(),
        }));
    }
    entries
}

/// Returns the files below `content` that differ from the last commit, each with its change; empty without git.
fn changed_files(content: &std::path::Path) -> BTreeMap<String, Text> {
    let status =
        translations::git(content, &["-c", "core.quotePath=false", "status", "--porcelain", "-uall", "--", "."]);
    let prefix = translations::git(content, &["rev-parse", "--show-prefix"]).unwrap_or_default();
    let prefix = prefix.trim();
    let file = |line: &str| {
        let (how, path) = (line.get(..2)?, line.get(3..)?);
        let path = path.rsplit(" -> ").next().unwrap_or(path).strip_prefix(prefix)?;
        let how = match how.trim() {
            "??" | "A" => messages::file_is_new(),
            "D" => messages::file_is_deleted(),
            _ => messages::file_is_changed(),
        };
        Some((path.to_owned(), how))
    };
    let is_clean = |(path, _): &(String, Text)| !path.chars().any(is_invisible);
    status.unwrap_or_default().lines().filter_map(file).filter(is_clean).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preview_accepts_a_host_without_port_only_on_port_80() {
        let preview = |port| Preview::new(([127, 0, 0, 1], port).into(), PathBuf::new(), Locale::En);
        for (port, host, is_own) in [
            (80, "127.0.0.1", true),
            (80, "LocalHost", true),
            (80, "localhost:80", true),
            (80, "[::1]", true),
            (80, "firm.example", false),
            (8080, "localhost", false),
            (8080, "localhost:8080", true),
        ] {
            assert_eq!(preview(port).is_own_host(host), is_own, "{port}: {host}");
        }
    }
}
