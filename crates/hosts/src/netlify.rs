//! Netlify: static files with rules, and edge functions for the rest. `netlify deploy` in the folder.
//!
//! Ordinary page views run no function: pages, their header fields and redirects come from the rules.

use contract::{
    Locale,
    manifest::{Class, Policy},
    routes,
};
use findings::messages::{self, Text};
use serde_json::json;

use super::{HostFile, PUBLIC, opening_comment, site::HostedSite, tables};

const NAME: &str = "netlify";
/// Files in one folder (docs.netlify.com, "Deploys", "Deploy limits"): 54,000.
const MAX_FILES_OF_FOLDER: u64 = 54_000;
/// Bytes of an edge function after compression (docs.netlify.com, "Edge functions", "Limits"): 20 MB. Uncompressed, the
/// tables are about five times as long.
const MAX_FUNCTION_BYTES: u64 = 100 << 20;
/// Lines of `_redirects`: more slow every request down, and Netlify's support recommends fewer.
const MAX_REDIRECTS: u64 = 100_000;

pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, Text> {
    let mut files = site.copies();
    let largest = site.largest_folder();
    let (what, remedy) = (messages::limit_of_folder, messages::older_content_remedy);
    HostedSite::check_limit(NAME, what, largest, MAX_FILES_OF_FOLDER, remedy)?;
    let tables = tables::module(site);
    let (what, remedy) = (messages::limit_of_edge_function, messages::former_addresses_remedy);
    HostedSite::check_limit(NAME, what, tables.len(), MAX_FUNCTION_BYTES, remedy)?;
    let redirects = redirects(site);
    let lines = redirects.lines().count();
    HostedSite::check_limit(NAME, messages::limit_of_redirects, lines, MAX_REDIRECTS, remedy)?;
    files.extend(tables::edge("netlify/edge", tables));
    files.extend([
        HostFile::text(
            "netlify.toml",
            format!("# {}; `netlify deploy --prod` puts it online.\n[build]\npublish = \"{PUBLIC}\"\n\n[build.processing]\nskip_processing = true\n", opening_comment(NAME)),
        ),
        HostFile::text("netlify/edge/netlify.js", include_str!("../../../edge/netlify.js")),
        HostFile::text("netlify/edge/scheduled.js", include_str!("../../../edge/scheduled.js")),
        HostFile::text("netlify/functions/scheduled.mjs", include_str!("../../../edge/netlify-scheduled.js")),
        HostFile::text(format!("{PUBLIC}/_headers"), headers(site)),
        HostFile::text(format!("{PUBLIC}/_redirects"), redirects),
    ]);
    files.extend(functions(site));
    Ok(files)
}

/// Returns the edge functions; at most one runs for a request.
fn functions(site: &HostedSite<'_>) -> [HostFile; 3] {
    let mut documents: Vec<String> =
        routes::JSON_PREFIXES.iter().flat_map(|prefix| [(*prefix).to_owned(), format!("{prefix}/*")]).collect();
    // Markdown, files by their own names, and addresses with a trailing slash: Netlify would answer the latter two
    // itself.
    documents.extend(["/*.md", "/*.html", "/*/"].map(str::to_owned));
    documents.extend(site.rules.redirects.sections.iter().map(|(from, _)| format!("{from}*")));
    let is_known = |path: &str| {
        routes::JSON_PREFIXES.iter().any(|it| path.starts_with(&format!("{it}/"))) || path.ends_with(".md")
    };
    let listed = site.rules.listed.iter().filter(|route| route.class != Class::Page && !is_known(&route.path));
    documents.extend(listed.map(|route| route.path.clone()));
    documents.extend(site.searches.iter().map(|path| (*path).to_owned()));
    documents.sort_unstable();
    documents.dedup();
    // Encoded addresses: the rules compare what is sent, and the host would decode slashes.
    documents.push("/(.*%.*)".to_owned());
    let direct = [routes::ASSETS, routes::DOCUMENTS].map(|folder| format!("{folder}/*"));
    let elsewhere: Vec<&String> = documents.iter().chain(&direct).collect();
    // Markdown is named, or nothing is acceptable, or the value is no list as browsers send it, or it names neither
    // HTML nor `text/*` nor `*/*`. The pattern uses only the syntax that all regex engines share.
    let accept = r"^(.*[mM][aA][rR][kK][dD][oO][wW][nN].*|[^,]*|.*q=0(\.0*)?\s*(,.*)?|\s*([^tT*\s,][^,]*|[tT][eE][xX][tT]/[^hH*,][^,]*)(,\s*([^tT*\s,][^,]*|[tT][eE][xX][tT]/[^hH*,][^,]*))*)$";
    let function = |name: &str, config: serde_json::Value| {
        HostFile::text(
            format!("netlify/edge-functions/{name}.js"),
            format!(
                "// {}.\nexport {{ default }} from '../edge/netlify.js';\n\nexport const config = {config:#};\n",
                opening_comment(NAME)
            ),
        )
    };
    [
        function("documents", json!({ "path": documents })),
        function(
            "markdown",
            json!({ "path": "/*", "excludedPath": elsewhere, "method": ["GET", "HEAD"], "header": { "accept": accept } }),
        ),
        function(
            "methods",
            json!({ "path": "/*", "excludedPath": documents, "method": ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"] }),
        ),
    ]
}

/// Returns the header fields of files that no function serves.
fn headers(site: &HostedSite<'_>) -> String {
    let mut text = format!("# {}.\n", opening_comment(NAME));
    let classes = &site.manifest.classes;
    let mut rule = |path: &str, policy: Option<&Policy>, more: &[(&str, &str)]| {
        let Some(policy) = policy else { return };
        text.extend([path, "\n  cache-control: ", &policy.cache_control, "\n"]);
        let fields = policy.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        for (name, value) in fields.chain(more.iter().copied()) {
            text.extend(["  ", name, ": ", value, "\n"]);
        }
    };
    let page = classes.get(&Class::Page);
    for (path, locale) in [("/".to_owned(), Locale::DEFAULT)]
        .into_iter()
        .chain(Locale::ALL.into_iter().flat_map(|it| [(format!("/{it}"), it), (format!("/{it}/*"), it)]))
    {
        rule(&path, page, &[("content-language", locale.as_str()), ("vary", "Accept")]);
    }
    rule(&format!("{}/*", routes::ASSETS), classes.get(&Class::Asset), &[]);
    rule(&format!("{}/*", routes::DOCUMENTS), classes.get(&Class::Document), &[]);
    text
}

/// Whether a rule names an address as requests do. Requests percent-encode all other characters, and rules compare
/// neither their encoding nor its case.
fn is_literal(from: &str) -> bool {
    from.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Returns the redirects of pages, and the pages for unknown addresses.
fn redirects(site: &HostedSite<'_>) -> String {
    let rules = &site.rules.redirects;
    let mut text = format!("# {}.\n", opening_comment(NAME));
    for (from, to) in rules.pages().filter(|(from, _)| is_literal(from)) {
        text.extend([from, " ", to, " 308!\n"]);
    }
    for ((path, query), to) in &rules.queries {
        text.extend([*path, " ", &query.replace('&', " "), " ", *to, " 308!\n"]);
    }
    for file in site.rules.hidden.iter().filter(|file| file.ends_with(".html")) {
        text.extend(["/", file.trim_end_matches(".html"), " /", *file, " 404!\n"]);
    }
    let mut prefixes: Vec<_> = site.manifest.not_found.iter().map(|answer| answer.prefix.as_str()).collect();
    prefixes.sort_by_key(|prefix| std::cmp::Reverse(prefix.len()));
    for prefix in prefixes {
        text.extend([prefix, "/* /", site.not_found_file(&format!("{prefix}/"), "html"), " 404\n"]);
    }
    text
}
