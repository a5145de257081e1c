//! What the preview adds to pages, and its own pages.

use std::{collections::BTreeMap, fmt::Write as _};

use super::{Entry, OWN, View};
use crate::load::HeldBack;

/// Escapes text for HTML, also for values of attributes.
fn escape(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    // Memory takes everything that is written.
    let _ = tera::escape_html(text, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns a page of the preview itself.
fn document(title: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"stylesheet\" href=\"{OWN}/style.css\">\n\
         </head>\n<body class=\"preview-page\">\n{body}</body>\n</html>\n",
        escape(title)
    )
}

/// What is shown before a site could be built.
pub(super) fn empty() -> String {
    document("Preview", "<h1>Nothing to show yet</h1>\n<p>The site appears here once it can be built.</p>\n")
}

/// What is shown in place of a page that could not be rendered.
pub(super) fn failed(why: &str) -> String {
    document("Preview", &format!("<h1>This page could not be rendered</h1>\n<pre>{}</pre>\n", escape(why)))
}

/// Returns what is added at the end of a page: whether it is public, what was found, and the script that shows it again
/// when it changes.
pub(super) fn tools(view: &View, path: &str, fingerprint: impl std::fmt::Display) -> String {
    let entry = view.entries.iter().find(|entry| entry.path == path);
    let state = entry.and_then(|entry| entry.held_back).map(|held| format!(" <b>{}</b>", escape(&said(held))));
    let findings = &view.findings;
    let found = format!("{} errors, {} warnings", findings.errors(), findings.warnings());
    let mut out = format!(
        "<link rel=\"stylesheet\" href=\"{OWN}/style.css\">\n<aside class=\"preview-bar\" aria-label=\"Preview\">\
         <a href=\"{OWN}/\">Preview</a>{} <a href=\"{OWN}/views?path={}\">All views</a> <a href=\"{OWN}/#found\">{found}</a></aside>\n",
        state.unwrap_or_default(),
        escape(&encoded(path)),
    );
    if findings.errors() > 0 {
        let _ = writeln!(
            out,
            "<div class=\"preview-errors\" role=\"alert\"><h2>The site cannot be built like this</h2>\
             <p>Below is the last state that could be built.</p><pre>{}</pre></div>",
            escape(&findings.to_text(view.language, false)),
        );
    }
    let _ = writeln!(
        out,
        "<script src=\"{OWN}/script.js\" data-version=\"{}\" data-print=\"{fingerprint}\" data-path=\"{}\"></script>",
        view.version,
        escape(path),
    );
    out
}

/// Returns why an entry is not public.
fn said(held: HeldBack) -> String {
    match held {
        HeldBack::Draft => "Draft: not public".to_owned(),
        HeldBack::Early(moment) => format!("Not public before {moment}"),
        HeldBack::Expired(moment) => format!("Not public since {moment}"),
    }
}

/// Returns the overview: what changed since the last commit, what is held back, what was found, and every page.
pub(super) fn overview(view: &View, changed: &BTreeMap<String, &'static str>) -> String {
    let mut body =
        "<h1>Preview</h1>\n<p><a href=\"/\">The site</a></p>\n<h2>Changed since the last commit</h2>\n".to_owned();
    if changed.is_empty() {
        body += "<p>Nothing, as far as git knows.</p>\n";
    } else {
        body += "<table>\n<tr><th>File</th><th></th><th>Page</th></tr>\n";
        for (file, how) in changed {
            let page = view.entries.iter().find(|entry| entry.file == *file).map(link).unwrap_or_default();
            let _ = writeln!(body, "<tr><td>{}</td><td>{how}</td><td>{page}</td></tr>", escape(file));
        }
        body += "</table>\n";
    }
    body += "<h2>Not public</h2>\n<ul>\n";
    for entry in &view.entries {
        if let Some(held) = entry.held_back {
            let _ = writeln!(body, "<li>{}: {}</li>", link(entry), escape(&said(held)));
        }
    }
    body += "</ul>\n";
    let _ = writeln!(
        body,
        "<h2 id=\"found\">Found</h2>\n<pre>{}</pre>\n<h2>Pages</h2>",
        escape(&view.findings.to_text(view.language, false))
    );
    body += "<ul>\n";
    for entry in &view.entries {
        let _ = writeln!(body, "<li>{} ({})</li>", link(entry), entry.locale);
    }
    body += "</ul>\n";
    let _ = writeln!(
        body,
        "<script src=\"{OWN}/script.js\" data-version=\"{}\" data-print=\"\" data-path=\"{OWN}/\"></script>",
        view.version
    );
    document("Preview", &body)
}

fn link(entry: &Entry) -> String {
    format!("<a href=\"{0}\">{1}</a>", escape(&entry.path), escape(&entry.title))
}

/// Percent-encodes a path for a query.
fn encoded(path: &str) -> String {
    percent_encoding::utf8_percent_encode(path, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// Returns one page as a reader meets it on a screen, on a phone and on paper, as a program reads it, and as search
/// engines and other sites announce it.
pub(super) fn views(path: &str, html: &str, twin: &str) -> String {
    if html.is_empty() {
        return document("All views", &format!("<h1>All views</h1>\n<p>There is no page {}.</p>\n", escape(path)));
    }
    let (address, query) = (escape(path), escape(&encoded(path)));
    let title = between(html, "<title>", "</title>");
    let meta = |name: &str| between(html, &format!("{name}\" content=\""), "\"");
    let (description, url) = (meta("name=\"description"), between(html, "rel=\"canonical\" href=\"", "\""));
    let (og_title, og_description, site) =
        (meta("property=\"og:title"), meta("property=\"og:description"), meta("property=\"og:site_name"));
    let picture = meta("property=\"og:image");
    let picture =
        picture.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..])).unwrap_or_default();
    let picture = if picture.is_empty() { String::new() } else { format!("<img src=\"{picture}\" alt=\"\">") };
    // What the page says of itself is escaped there already.
    let body = format!(
        "<h1>All views of <a href=\"{address}\">{address}</a></h1>\n<div class=\"preview-views\">\n\
         <section><h2>Reader</h2><iframe src=\"{address}\" title=\"Reader\" width=\"1280\" height=\"900\"></iframe></section>\n\
         <section><h2>Phone</h2><iframe src=\"{address}\" title=\"Phone\" width=\"390\" height=\"844\"></iframe></section>\n\
         <section><h2>Print</h2><iframe src=\"{OWN}/print?path={query}\" title=\"Print\" width=\"794\" height=\"1123\"></iframe></section>\n\
         <section><h2>Markdown</h2><pre>{}</pre></section>\n\
         <section class=\"preview-result\"><h2>Search result</h2><p>{url}</p><p class=\"title\">{title}</p><p>{description}</p></section>\n\
         <section class=\"preview-card\"><h2>Share card</h2>{picture}<p>{site}</p><p class=\"title\">{og_title}</p><p>{og_description}</p></section>\n\
         </div>\n",
        escape(twin),
    );
    document("All views", &body)
}

fn between<'h>(html: &'h str, before: &str, behind: &str) -> &'h str {
    html.split_once(before).and_then(|(_, rest)| rest.split_once(behind)).map_or("", |(inside, _)| inside)
}

/// Returns a page with the style sheets of paper.
pub(super) fn printed(html: &str) -> String {
    html.replace("rel=\"stylesheet\" href=\"/", &format!("rel=\"stylesheet\" href=\"{OWN}/print.css?of=/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_the_content_becomes_markup_of_the_preview() {
        let page = views("/en/<script>", "<title>A &amp; B</title>", "<script>alert(1)</script>");
        assert!(!page.contains("<script>") && page.contains("A &amp; B"), "{page}");
        assert!(failed("<b>\"'").contains("&lt;b&gt;&quot;&#39;"));
    }
}
