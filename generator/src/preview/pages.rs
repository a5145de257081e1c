//! The bar of the preview on pages of the site, and the preview's own pages.

use std::{collections::BTreeMap, fmt::Write as _};

use findings::messages::{self, Text};
use site::HeldBack;

use super::{
    OWN, PageEntry, View, escape,
    report::{self, ListPlaces},
    words,
};

/// Returns a page of the preview itself.
fn document(view: &View, title: &Text, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{}</title>\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"stylesheet\" href=\"{OWN}/style.css\">\n\
         </head>\n<body class=\"preview-page\">\n<main>\n{body}</main>\n</body>\n</html>\n",
        view.language,
        words(view, title)
    )
}

/// Returns the page that is shown before the first build.
pub(super) fn empty_page(view: &View) -> String {
    let (heading, when) = (messages::nothing_to_show(), messages::nothing_to_show_yet());
    let body = format!("<h1>{}</h1>\n<p>{}</p>\n", words(view, &heading), words(view, &when));
    document(view, &messages::preview(), &body)
}

/// Returns the page that replaces one that could not be rendered.
pub(super) fn failure_page(view: &View, why: &Text) -> String {
    let body = format!("<h1>{}</h1>\n<pre>{}</pre>\n", words(view, &messages::page_fails()), words(view, why));
    document(view, &messages::preview(), &body)
}

/// Returns the bar at the end of a page: whether the page is public, the findings, and the script that reloads it.
pub(super) fn tools(view: &View, path: &str, fingerprint: impl std::fmt::Display) -> String {
    let entry = view.entries.iter().find(|entry| entry.path == path);
    let state =
        entry.and_then(|entry| entry.held_back).map(|held| format!(" <b>{}</b>", words(view, &held_back_text(held))));
    let findings = &view.findings;
    let mut out = format!(
        "<link rel=\"stylesheet\" href=\"{OWN}/style.css\">\n\
         <aside class=\"preview-bar\" lang=\"{}\" aria-label=\"{preview}\"><a href=\"{OWN}/\">{preview}</a>{} \
         <a href=\"{OWN}/views?path={}\">{}</a> <a href=\"{OWN}/#found\">{}</a></aside>\n",
        view.language,
        state.unwrap_or_default(),
        escape(&percent_encode(path)),
        words(view, &messages::all_views()),
        words(view, &messages::counted_findings(findings.errors(), findings.warnings())),
        preview = words(view, &messages::preview()),
    );
    if findings.errors() > 0 {
        let _ = writeln!(
            out,
            "<div class=\"preview-errors\" lang=\"{}\" role=\"alert\"><details open><summary>{}</summary><p>{}</p>{}</details></div>",
            view.language,
            words(view, &messages::site_not_buildable()),
            words(view, &messages::last_buildable_state()),
            report::list(view, ListPlaces::Files),
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

/// Returns the bar at the foot of the editor: the number of findings, which opens the list.
pub(super) fn editor_bar(view: &View) -> String {
    let findings = &view.findings;
    format!(
        "<aside class=\"preview-bar preview-of-editor\" lang=\"{}\" role=\"status\" data-version=\"{}\"><details{}><summary>{}: {}</summary>\
         {}</details></aside>",
        view.language,
        view.version,
        if findings.errors() > 0 { " open" } else { "" },
        words(view, &messages::preview()),
        words(view, &messages::counted_findings(findings.errors(), findings.warnings())),
        report::list(view, ListPlaces::Forms),
    )
}

/// Returns why an entry is not public.
fn held_back_text(held: HeldBack) -> Text {
    match held {
        HeldBack::Draft => messages::not_public_draft(),
        HeldBack::Early(moment) => messages::not_public_before(moment),
        HeldBack::Expired(moment) => messages::not_public_since(moment),
    }
}

/// Returns the overview: changes since the last commit, entries that are held back, findings, and every page.
pub(super) fn overview(view: &View, changed: &BTreeMap<String, Text>) -> String {
    let mut body = format!(
        "<h1>{}</h1>\n<p><a href=\"/\">{}</a></p>\n<h2>{}</h2>\n",
        words(view, &messages::preview()),
        words(view, &messages::the_site()),
        words(view, &messages::changed_since_commit()),
    );
    if changed.is_empty() {
        let _ = writeln!(body, "<p>{}</p>", words(view, &messages::nothing_changed()));
    } else {
        let (file, page) = (messages::file_heading(), messages::page_heading());
        let _ =
            writeln!(body, "<table>\n<tr><th>{}</th><th></th><th>{}</th></tr>", words(view, &file), words(view, &page));
        for (file, how) in changed {
            let page = view.entries.iter().find(|entry| entry.file == *file).map(link).unwrap_or_default();
            let how = words(view, how);
            let _ = writeln!(body, "<tr><td>{}</td><td>{how}</td><td>{page}</td></tr>", escape(file));
        }
        body += "</table>\n";
    }
    let _ = writeln!(body, "<h2>{}</h2>\n<ul>", words(view, &messages::not_public()));
    for entry in &view.entries {
        if let Some(held) = entry.held_back {
            let _ = writeln!(body, "<li>{}: {}</li>", link(entry), words(view, &held_back_text(held)));
        }
    }
    let _ = writeln!(
        body,
        "</ul>\n<h2 id=\"found\">{}</h2>\n{}<h2>{}</h2>\n<ul>",
        words(view, &messages::found_heading()),
        report::list(view, ListPlaces::Files),
        words(view, &messages::pages_heading()),
    );
    for entry in &view.entries {
        let _ = writeln!(body, "<li>{} ({})</li>", link(entry), entry.locale);
    }
    body += "</ul>\n";
    let _ = writeln!(
        body,
        "<script src=\"{OWN}/script.js\" data-version=\"{}\" data-print=\"\" data-path=\"{OWN}/\"></script>",
        view.version
    );
    document(view, &messages::preview(), &body)
}

fn link(entry: &PageEntry) -> String {
    format!("<a href=\"{0}\">{1}</a>", escape(&entry.path), escape(&entry.title))
}

/// Percent-encodes a path for a query.
fn percent_encode(path: &str) -> String {
    percent_encoding::utf8_percent_encode(path, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// Returns all views of a page: on a screen, on a phone and on paper, as Markdown, as a search result and as a share
/// card.
pub(super) fn views(view: &View, path: &str, html: &str, twin: &str) -> String {
    let heading = messages::all_views();
    if html.is_empty() {
        let absent = messages::page_absent(path);
        let body = format!("<h1>{}</h1>\n<p>{}</p>\n", words(view, &heading), words(view, &absent));
        return document(view, &heading, &body);
    }
    let (address, query) = (escape(path), escape(&percent_encode(path)));
    let title = between(html, "<title>", "</title>");
    let meta = |name: &str| between(html, &format!("{name}\" content=\""), "\"");
    let (description, url) = (meta("name=\"description"), between(html, "rel=\"canonical\" href=\"", "\""));
    let (og_title, og_description, site) =
        (meta("property=\"og:title"), meta("property=\"og:description"), meta("property=\"og:site_name"));
    let picture = meta("property=\"og:image");
    let picture =
        picture.split_once("://").and_then(|(_, rest)| rest.find('/').map(|at| &rest[at..])).unwrap_or_default();
    let picture = if picture.is_empty() { String::new() } else { format!("<img src=\"{picture}\" alt=\"\">") };
    let frame = |name: &Text, source: &str, width: u32, height: u32| {
        let name = words(view, name);
        format!(
            "<section><h2>{name}</h2>\
             <iframe src=\"{source}\" title=\"{name}\" width=\"{width}\" height=\"{height}\"></iframe></section>\n"
        )
    };
    // The address is escaped here; the metadata of the page is escaped in the page.
    let of = messages::all_views_of(format_args!("<a href=\"{address}\">{address}</a>"));
    let body = format!(
        "<h1>{}</h1>\n<div class=\"preview-views\">\n{}{}{}\
         <section><h2>{}</h2><pre>{}</pre></section>\n\
         <section class=\"preview-result\"><h2>{}</h2><p>{url}</p><p class=\"title\">{title}</p><p>{description}</p></section>\n\
         <section class=\"preview-card\"><h2>{}</h2>{picture}<p>{site}</p><p class=\"title\">{og_title}</p><p>{og_description}</p></section>\n\
         </div>\n",
        &of[view.language],
        frame(&messages::view_of_reader(), &address, 1280, 900),
        frame(&messages::view_of_phone(), &address, 390, 844),
        frame(&messages::view_of_print(), &format!("{OWN}/print?path={query}"), 794, 1123),
        words(view, &messages::view_of_markdown()),
        escape(twin),
        words(view, &messages::view_of_search()),
        words(view, &messages::view_of_share()),
    );
    document(view, &heading, &body)
}

fn between<'h>(html: &'h str, before: &str, behind: &str) -> &'h str {
    html.split_once(before).and_then(|(_, rest)| rest.split_once(behind)).map_or("", |(inside, _)| inside)
}

pub(super) fn with_print_styles(html: &str) -> String {
    html.replace("rel=\"stylesheet\" href=\"/", &format!("rel=\"stylesheet\" href=\"{OWN}/print.css?of=/"))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use contract::Locale;
    use findings::Findings;

    use super::*;

    #[test]
    fn nothing_of_the_content_becomes_markup_of_the_preview() {
        for language in Locale::ALL {
            let view = View {
                language,
                version: 0,
                build: None,
                content: PathBuf::new(),
                findings: Findings::default(),
                entries: Vec::new(),
            };
            let page = views(&view, "/en/<script>", "<title>A &amp; B</title>", "<script>alert(1)</script>");
            assert!(!page.contains("<script>") && page.contains("A &amp; B"), "{page}");
            assert!(failure_page(&view, &Text::verbatim("<b>\"'")).contains("&lt;b&gt;&quot;&#39;"));
        }
    }
}
