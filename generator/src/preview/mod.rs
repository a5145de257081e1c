//! A site on this machine while it is written: built in memory, served, and shown again when a file changes.
//!
//! It answers GET on loopback only, from the same renderer as a build, and adds to each page what an editor needs: what
//! was found, and whether the page is public yet. Nothing is written to disk.

mod build;
mod http;
mod pages;

use std::{
    collections::BTreeMap,
    hash::BuildHasher as _,
    io,
    net::{SocketAddr, TcpListener},
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use contract::{Locale, media, text::is_invisible};
use foldhash::quality::FixedState;

use crate::translations;
use build::{Answer, Build};
use findings::{
    Findings,
    messages::{self, Text},
};
use http::{Request, Response};
use render::Theme;
use site::{HeldBack, Loaded};

/// Where the pages and files of the preview itself are; no page of a site has such an address.
const OWN: &str = "/_preview";
/// How long a browser waits for news before it is told that there are none, so that it knows that the preview is alive.
const PULSE: Duration = Duration::from_secs(10);

/// A site, and what was found in it last.
#[derive(Debug)]
pub struct Preview {
    state: Mutex<State>,
    changed: Condvar,
    content: PathBuf,
    /// The language of what the preview itself says.
    language: Locale,
    /// What a request may name as its host.
    hosts: Vec<String>,
}

#[derive(Debug)]
struct State {
    /// Counts what was shown.
    version: u64,
    /// The last site that could be built.
    build: Option<Build>,
    findings: Findings,
    entries: Vec<Entry>,
}

/// A page of the site, for the overview.
#[derive(Clone, Debug)]
struct Entry {
    path: String,
    title: String,
    locale: Locale,
    /// Path below the content folder.
    file: String,
    held_back: Option<HeldBack>,
}

impl Preview {
    /// Returns a preview without a site, which is to be served at `address`; `content` is the folder that is written
    /// in.
    #[must_use]
    pub fn new(address: SocketAddr, content: PathBuf, language: Locale) -> Self {
        let port = address.port();
        let names = ["127.0.0.1".to_owned(), "localhost".to_owned(), "[::1]".to_owned(), host(address)];
        let mut hosts: Vec<String> = names.iter().map(|name| format!("{name}:{port}")).collect();
        // Browsers leave out the port that a scheme has by itself.
        if port == 80 {
            hosts.extend(names);
        }
        let state = State { version: 0, build: None, findings: Findings::default(), entries: Vec::new() };
        Self { state: Mutex::new(state), changed: Condvar::new(), content, language, hosts }
    }

    /// Shows a site, or what keeps it from being built; the last one that could be built then stays behind it.
    pub fn show(&self, site: Option<(Loaded, Theme)>, findings: Findings) {
        let shown = site.map(|(loaded, theme)| (entries(&loaded), Build::start(loaded.site, theme)));
        let mut state = self.state();
        state.version += 1;
        state.findings = findings;
        if let Some((entries, build)) = shown {
            (state.entries, state.build) = (entries, Some(build));
        }
        drop(state);
        self.changed.notify_all();
    }

    /// Answers requests until the process ends.
    ///
    /// # Errors
    /// When the system accepts no more connections.
    pub fn serve(self: &Arc<Self>, listener: &TcpListener) -> io::Result<()> {
        http::serve(listener, self)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether a request names this machine as its host.
    ///
    /// Security: a page of another site may have a name that leads to this machine, and could then read what is not
    /// public yet.
    fn is_meant(&self, host: &str) -> bool {
        self.hosts.iter().any(|own| own.eq_ignore_ascii_case(host))
    }

    /// Returns the answer to a request.
    fn answer(&self, request: &Request) -> Response {
        let own = request.path.strip_prefix(OWN).filter(|rest| rest.is_empty() || rest.starts_with('/'));
        match own {
            Some("" | "/") => {
                Response::new(200, media::HTML, pages::overview(&self.view(), &changed_files(&self.content)))
            }
            Some("/script.js") => Response::new(200, "text/javascript; charset=utf-8", include_str!("script.js")),
            Some("/style.css") => Response::new(200, "text/css; charset=utf-8", include_str!("style.css")),
            Some("/views") => {
                Response::new(200, media::HTML, self.views(request.field("path").as_deref().unwrap_or("/")))
            }
            Some("/print") => self.printed(request.field("path").as_deref().unwrap_or("/")),
            Some("/print.css") => self.print_style(request.field("of").as_deref().unwrap_or_default()),
            Some(_) => self.absent(&messages::preview_page_absent()),
            None => self.page(&request.path),
        }
    }

    fn absent(&self, words: &Text) -> Response {
        Response::text(404, &words[self.language])
    }

    /// Returns a page or file of the site.
    fn page(&self, path: &str) -> Response {
        let view = self.view();
        let answer = view.build.as_ref().map(|build| build.get(path));
        match answer {
            Some(Answer::File { media_type, bytes }) if media_type != media::HTML => {
                Response::new(200, media_type, bytes)
            }
            Some(Answer::File { bytes, .. }) => with_tools(200, &bytes, path, &view),
            Some(Answer::NotFound(bytes)) => with_tools(404, &bytes, path, &view),
            Some(Answer::Moved(to)) => Response::moved(&to),
            Some(Answer::Failed(why)) => with_tools(500, pages::failed(&view, &why).as_bytes(), path, &view),
            None => with_tools(200, pages::empty(&view).as_bytes(), path, &view),
        }
    }

    /// Returns one page in every form in which people and programs meet it.
    fn views(&self, path: &str) -> String {
        let view = self.view();
        let text = |path: &str| match view.build.as_ref().map(|build| build.get(path)) {
            Some(Answer::File { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => String::new(),
        };
        pages::views(&view, path, &text(path), &text(&site::twin_path(path)))
    }

    /// Returns a page as it is printed.
    fn printed(&self, path: &str) -> Response {
        match self.view().build.map(|build| build.get(path)) {
            Some(Answer::File { media_type, bytes }) if media_type == media::HTML => {
                Response::new(200, media::HTML, pages::printed(&String::from_utf8_lossy(&bytes)))
            }
            _ => self.absent(&messages::printed_page_absent()),
        }
    }

    /// Returns a style sheet with what it says of paper in force on the screen.
    fn print_style(&self, path: &str) -> Response {
        match self.view().build.map(|build| build.get(path)) {
            Some(Answer::File { media_type, bytes }) if media_type.starts_with("text/css") => {
                let style = String::from_utf8_lossy(&bytes);
                let style = style.replace("@media screen", "@media not all").replace("@media print", "@media all");
                Response::new(200, media_type, style)
            }
            _ => self.absent(&messages::style_sheet_absent()),
        }
    }

    /// Returns what is shown now.
    fn view(&self) -> View {
        let state = self.state();
        View {
            language: self.language,
            version: state.version,
            build: state.build.clone(),
            findings: state.findings.clone(),
            entries: state.entries.clone(),
        }
    }

    /// Waits until a page differs from the one with this fingerprint, and returns `None` if it does; after a while
    /// without news, or when something else changed, returns the version that was looked at.
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
            Some(Answer::File { bytes, .. } | Answer::NotFound(bytes)) => String::from_utf8_lossy(&bytes).into_owned(),
            _ => return None,
        };
        (fingerprint(&html, &view.findings) == print).then_some(now)
    }
}

/// Returns a page with what an editor needs at its end.
fn with_tools(status: u16, html: &[u8], path: &str, view: &View) -> Response {
    let html = String::from_utf8_lossy(html);
    let tools = pages::tools(view, path, fingerprint(&html, &view.findings));
    let end = html.rfind("</body>").unwrap_or(html.len());
    Response::new(status, media::HTML, [&html[..end], &tools, &html[end..]].concat())
}

/// What is shown at one moment.
#[derive(Clone, Debug)]
struct View {
    language: Locale,
    version: u64,
    build: Option<Build>,
    findings: Findings,
    entries: Vec<Entry>,
}

/// Returns what distinguishes a page, and what was found, from any other.
fn fingerprint(html: &str, findings: &Findings) -> String {
    format!("{:016x}", FixedState::default().hash_one((html, findings.to_text(Locale::En, false))))
}

/// Returns the host of an address as a URL writes it.
fn host(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

fn entries(loaded: &Loaded) -> Vec<Entry> {
    let mut entries = Vec::new();
    for (locale, content) in loaded.site.content.iter() {
        entries.extend(content.documents().map(|(_, document, _)| Entry {
            path: document.path.clone(),
            title: document.title.clone(),
            locale,
            file: document.origin.file.clone(),
            held_back: loaded.held_back.get(&document.origin.file).copied(),
        }));
    }
    entries
}

/// Returns the files below `content` that differ from the last commit, and how; empty if git does not know.
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
    fn preview_answers_without_a_port_on_port_80_alone() {
        let preview = |port| Preview::new(([127, 0, 0, 1], port).into(), PathBuf::new(), Locale::En);
        for (port, host, is_meant) in [
            (80, "127.0.0.1", true),
            (80, "LocalHost", true),
            (80, "localhost:80", true),
            (80, "[::1]", true),
            (80, "firm.example", false),
            (8080, "localhost", false),
            (8080, "localhost:8080", true),
        ] {
            assert_eq!(preview(port).is_meant(host), is_meant, "{port}: {host}");
        }
    }
}
