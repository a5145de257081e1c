//! Caddy (2.6 or newer): a site block and the folder that it serves.
//!
//! Rules are tried in their order. Each notes in variables what the answer is, and the rule that serves adds the fields.

use std::fmt::{self, Write as _};

use contract::{
    Locale,
    errors::ErrorCode,
    headers::{CORS_ALLOWED, CORS_EXPOSED, CORS_MAX_AGE, NOSNIFF, NOTHING_LOADED, REFERRERS},
    manifest::{Axis, Class, Coding, Route, Variant},
    media, routes,
};

use super::{HostError, HostFile, PUBLIC, patterns, site::Site, tables};

const NAME: &str = "caddy";

/// Returns the files of the folder.
pub(super) fn files(site: &Site<'_>) -> Result<Vec<HostFile>, HostError> {
    let mut files = site.copies();
    files.extend(Coding::ALL.into_iter().flat_map(|coding| site.compressed(coding)));
    let mut text = String::new();
    write_all(site, &mut text).map_err(|fmt::Error| HostError::Text)?;
    files.push(HostFile::text("Caddyfile", text));
    Ok(files)
}

fn write_all(site: &Site<'_>, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "# Made by `generator host {NAME}` for {}.\n# Put the folder `{PUBLIC}` where `root` says; `caddy validate`, then reload.\n",
        site.manifest.site_url
    )?;
    snippets(site, out)?;
    writeln!(
        out,
        "{} {{\n\troot * /srv/mecelle/{PUBLIC}\n\theader x-content-type-options {NOSNIFF}\n\theader referrer-policy {REFERRERS}\n\theader strict-transport-security \"max-age=31536000\"\n\troute {{",
        site.domain()
    )?;
    requests(site, out)?;
    service(site, out)?;
    for (number, route) in site.rules.listed.iter().enumerate() {
        listed(number, route, site, out)?;
    }
    programs(out)?;
    folders(site, out)?;
    for locale in Locale::ALL {
        pages(site, locale, out)?;
    }
    moved(site, out)?;
    out.push_str("\t}\n");
    errors(site, out)?;
    out.push_str("}\n");
    Ok(())
}

/// Writes what several rules share.
fn snippets(site: &Site<'_>, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "(serve) {{\n\trewrite * {{args.0}}\n\theader content-type \"{{args.1}}\"\n\tfile_server {{\n\t\tprecompressed br zstd gzip\n\t\tdisable_canonical_uris\n\t}}\n}}"
    )?;
    out.push_str("(read_only) {\n\t@unread not method GET HEAD\n\terror @unread \"method\" 405\n}\n");
    let issued = tables::issued();
    let (issued, key) = (issued.trim_matches(['^', '$']), patterns::escaped(&site.manifest.sandbox_key));
    let refuse = if site.sidecar.is_some() {
        "import sidecar @issued".to_owned()
    } else {
        "error @issued \"credentials\" 503".to_owned()
    };
    writeln!(
        out,
        "(credential) {{\n\t@issued {{\n\t\theader_regexp Authorization \"^(?i:bearer) +{issued} *$\"\n\t\tnot {{\n\t\t\theader X-Api-Key *\n\t\t\tnot header X-Api-Key {0}\n\t\t}}\n\t}}\n\t{refuse}\n\
         \t@token {{\n\t\theader Authorization *\n\t\tnot header_regexp Authorization \"^(?i:bearer) +{key} *$\"\n\t}}\n\terror @token \"credential\" 401\n\
         \t@key {{\n\t\theader X-Api-Key *\n\t\tnot header X-Api-Key {0}\n\t}}\n\terror @key \"credential\" 401\n}}",
        site.manifest.sandbox_key
    )?;
    if let Some(origin) = site.sidecar {
        writeln!(
            out,
            "(sidecar) {{\n\t# MECELLE_TRUSTED_PROXIES must name this machine for the sidecar to believe it.\n\treverse_proxy {{args.0}} {origin} {{\n\t\theader_up Host {{host}}\n\t}}\n}}"
        )?;
    }
    for (class, policy) in &site.manifest.classes {
        writeln!(out, "(of_{}) {{\n\theader cache-control \"{}\"", class.as_str(), policy.cache_control)?;
        for (name, value) in &policy.headers {
            writeln!(out, "\theader {name} \"{value}\"")?;
        }
        if policy.cors {
            writeln!(
                out,
                "\theader access-control-allow-origin *\n\theader access-control-expose-headers \"{CORS_EXPOSED}\""
            )?;
        }
        if policy.credential {
            writeln!(out, "\theader +vary \"Authorization, X-Api-Key\"")?;
        }
        writeln!(out, "}}")?;
    }
    writeln!(out)
}

/// Writes what is decided before the address is looked at.
fn requests(site: &Site<'_>, out: &mut String) -> fmt::Result {
    out.push_str(FORM);
    let locale = patterns::encoded("locale");
    writeln!(
        out,
        "\t\t# The language that a query asks for; `none` where what it asks for is no language.\n\t\tmap {{query}} {{mecelle_locale}} {{"
    )?;
    writeln!(out, "\t\t\t\"~(?:^|&){locale}(?:=[^&]*)?&(?:.*&)?{locale}(?:[=&]|$)\" none")?;
    for it in Locale::ALL {
        writeln!(out, "\t\t\t\"~(?:^|&){locale}={}(?:&|$)\" {it}", patterns::encoded(it.as_str()))?;
    }
    writeln!(out, "\t\t\t\"~(?:^|&){locale}(?:[=&]|$)\" none\n\t\t\tdefault {}\n\t\t}}", Locale::DEFAULT)?;
    let classes = &site.manifest.classes;
    let readable = site.rules.listed.iter().filter(|route| classes.get(&route.class).is_some_and(|policy| policy.cors));
    let mut readable: Vec<String> = readable.map(|route| patterns::escaped(&route.path)).collect();
    readable.extend(routes::JSON_PREFIXES.map(|prefix| format!("{}(?:/.*)?", patterns::escaped(prefix))));
    let computed = if site.sidecar.is_some() { format!("\t\t\tnot path_regexp {COMPUTED}\n") } else { String::new() };
    writeln!(
        out,
        "\t\t@preflight {{\n\t\t\tmethod OPTIONS\n\t\t\theader Origin *\n\t\t\theader Access-Control-Request-Method *\n{computed}\t\t}}\n\t\troute @preflight {{"
    )?;
    writeln!(
        out,
        "\t\t\t@readable path_regexp ^(?:{})$\n\t\t\troute @readable {{\n\t\t\t\theader access-control-allow-origin *\n\t\t\t\theader access-control-allow-methods \"GET, HEAD\"",
        readable.join("|")
    )?;
    writeln!(
        out,
        "\t\t\t\theader access-control-allow-headers \"{CORS_ALLOWED}\"\n\t\t\t\theader access-control-max-age {CORS_MAX_AGE}\n\t\t\t}}\n\t\t\trespond 204\n\t\t}}"
    )
}

/// What only a sidecar answers.
const COMPUTED: &str = "^/(?:mcp$|agent/|oauth2/)";

/// How HTML or Markdown is chosen, and what is refused at once. Later rules win.
const FORM: &str = r#"		@long expression size({uri}) > 8192
		error @long "long" 414
		# Security: what Caddy would tidy or decode into a path has no address.
		@misleading expression {uri}.matches("^[^?]*(?://|\\\\|%2[fF]|%5[cC]|%25|%[01])")
		error @misleading "address" 404
		# HTML or Markdown. A pattern cannot count: two weights are not compared.
		vars form html
		@named {
			header_regexp Accept (?i)text/(?:x-)?markdown
			not header_regexp Accept (?i)text/html
		}
		vars @named form md
		@whole header_regexp Accept "(?i)^(?:[^\"]|\"[^\"]*\")*text/(?:x-)?markdown\s*(?:;\s*charset=utf-8\s*)?(?:,|$)"
		vars @whole form md
		@quoted header_regexp Accept "(?i)^[^\"]*\"[^\"]*text/markdown[^\"]*\"[^\"]*text/html"
		vars @quoted form html
		@zero header_regexp Accept "(?i)text/(?:x-)?markdown\s*;\s*q=(?:0(?:\.0*)?\s*(?:,|$)|[2-9]|1\.0*[1-9])"
		vars @zero form html
		@refused header_regexp Accept "(?i)text/html\s*;\s*q=0(?:\.0*)?\s*(?:,|$)"
		vars @refused form md
		@other {
			header_regexp Accept "(?i)^\s*[a-z0-9.+*-]+/[a-z0-9.+*-]+"
			not header_regexp Accept (?i)text/html|text/(?:x-)?markdown|text/\*|\*/\*
		}
		vars @other form none
		@nothing header_regexp Accept ^\s*\*/\*\s*;\s*q=0(?:\.0*)?\s*$
		vars @nothing form none
"#;

fn service(site: &Site<'_>, out: &mut String) -> fmt::Result {
    writeln!(out, "\t\t@computed path_regexp {COMPUTED}")?;
    if site.sidecar.is_some() {
        writeln!(out, "\t\timport sidecar @computed")
    } else {
        writeln!(out, "\t\terror @computed \"service\" 503")
    }
}

fn language(variant: &Variant) -> String {
    variant.locale.map(|locale| format!("\t\t\theader content-language {locale}\n")).unwrap_or_default()
}

/// Writes a link as a value in quotes.
fn quoted(link: &str) -> String {
    format!("\"{}\"", link.replace('"', "\\\""))
}

/// Writes the rule of a route that is listed.
fn listed(number: usize, route: &Route, site: &Site<'_>, out: &mut String) -> fmt::Result {
    let Some(variant) = route.variants.first() else { return Ok(()) };
    let (path, class) = (patterns::escaped(&route.path), route.class.as_str());
    writeln!(out, "\t\t@at{number} path_regexp ^{path}$\n\t\troute @at{number} {{\n\t\t\timport read_only")?;
    if site.manifest.classes.get(&route.class).is_some_and(|policy| policy.credential) {
        writeln!(out, "\t\t\timport credential")?;
    }
    match route.axis {
        Some(Axis::Accept) => {
            writeln!(
                out,
                "\t\t\t@none vars {{vars.form}} none\n\t\t\terror @none \"accept\" 406\n\t\t\theader +vary Accept\n\t\t\timport of_page"
            )?;
            for (variant, form) in route.variants.iter().zip(["html", "md"]) {
                let location = variant.location.as_deref().unwrap_or_default();
                let link = variant.link.as_deref().unwrap_or_default();
                writeln!(
                    out,
                    "\t\t\t@{form} vars {{vars.form}} {form}\n\t\t\troute @{form} {{\n{}\t\t\theader content-location {location}\n\t\t\theader link {}\n\t\t\timport serve /{} \"{}\"\n\t\t\t}}",
                    language(variant),
                    quoted(link),
                    variant.file,
                    variant.media_type
                )?;
            }
        }
        Some(Axis::Locale) => {
            let (start, end) = variant.file.split_once(&format!(".{}.", Locale::DEFAULT)).unwrap_or_default();
            writeln!(
                out,
                "\t\t\t@none vars {{mecelle_locale}} none\n\t\t\terror @none \"locale\" 400\n\t\t\timport of_{class}\n\t\t\theader content-language {{mecelle_locale}}\n\t\t\timport serve /{start}.{{mecelle_locale}}.{end} \"{}\"",
                variant.media_type
            )?;
        }
        None => {
            writeln!(out, "\t\t\timport of_{class}\n{}", language(variant))?;
            if let Some(link) = &variant.link {
                writeln!(out, "\t\t\theader link {}", quoted(link))?;
            }
            writeln!(out, "\t\t\timport serve /{} {}", variant.file, quoted(&variant.media_type))?;
        }
    }
    writeln!(out, "\t\t}}")
}

/// Writes what is answered where nothing is for programs.
fn programs(out: &mut String) -> fmt::Result {
    let api = routes::JSON_PREFIXES[0];
    let prefixes = routes::JSON_PREFIXES.map(patterns::escaped).join("|");
    writeln!(
        out,
        "\t\t@api path_regexp ^{api}(?:/|$)\n\t\troute @api {{\n\t\t\timport read_only\n\t\t\timport credential\n\t\t\terror \"nothing\" 404\n\t\t}}"
    )?;
    writeln!(out, "\t\t@programs path_regexp ^(?:{prefixes}|/\\..*)(?:/|$)\n\t\terror @programs \"nothing\" 404")
}

fn folders(site: &Site<'_>, out: &mut String) -> fmt::Result {
    writeln!(out, "\t\tmap {{path}} {{mecelle_type}} {{")?;
    for (end, kind) in tables::types(site) {
        writeln!(out, "\t\t\t~\\.{end}$ \"{}\"", kind.as_str().unwrap_or_default())?;
    }
    writeln!(out, "\t\t\tdefault application/octet-stream\n\t\t}}")?;
    for (folder, class) in [(routes::ASSETS, Class::Asset), (routes::DOCUMENTS, Class::Document)] {
        if !site.manifest.classes.contains_key(&class) {
            continue;
        }
        let class = class.as_str();
        writeln!(
            out,
            "\t\t@{class} {{\n\t\t\tpath_regexp ^{folder}/\n\t\t\tfile\n\t\t}}\n\t\troute @{class} {{\n\t\t\timport read_only\n\t\t\timport of_{class}\n\t\t\timport serve {{path}} {{mecelle_type}}\n\t\t}}"
        )?;
    }
    for (number, file) in site.rules.hidden.iter().enumerate() {
        let path = patterns::escaped(file.trim_end_matches(".html"));
        writeln!(out, "\t\t@hidden{number} path_regexp ^/{path}$\n\t\terror @hidden{number} \"nothing\" 404")?;
    }
    Ok(())
}

/// Writes the rules of the pages of a locale and of their Markdown.
fn pages(site: &Site<'_>, locale: Locale, out: &mut String) -> fmt::Result {
    let (url, links) = (&site.manifest.site_url, site.rules.links[locale].replace('"', "\\\""));
    let canonical = |page: &str| format!("\t\t\theader link \"<{url}{page}>; rel=\\\"canonical\\\"{links}\"");
    writeln!(
        out,
        "\t\t@twin_{locale} {{\n\t\t\tpath_regexp twin ^(/{locale}(?:/.+)?)\\.md$\n\t\t\tfile\n\t\t}}\n\t\troute @twin_{locale} {{\n\t\t\timport read_only\n\t\t\timport of_twin\n\t\t\theader content-language {locale}\n{}\n\t\t\timport serve {{path}} \"{}\"\n\t\t}}",
        canonical("{re.twin.1}"),
        media::MARKDOWN
    )?;
    writeln!(
        out,
        "\t\t@page_{locale} {{\n\t\t\tpath_regexp ^/{locale}(?:/.*[^/])?$\n\t\t\tfile {{path}}.html\n\t\t}}\n\t\troute @page_{locale} {{\n\t\t\timport read_only\n\t\t\t@none vars {{vars.form}} none\n\t\t\terror @none \"accept\" 406"
    )?;
    writeln!(
        out,
        "\t\t\timport of_page\n\t\t\theader +vary Accept\n\t\t\theader content-language {locale}\n\t\t\t@md vars {{vars.form}} md\n\t\t\troute @md {{\n\t\t\theader content-location {{path}}.md\n{}\n\t\t\timport serve {{path}}.md \"{}\"\n\t\t\t}}",
        canonical("{path}"),
        media::MARKDOWN
    )?;
    writeln!(
        out,
        "\t\t\theader content-location {{path}}\n\t\t\theader link \"<{url}{{path}}.md>; rel=\\\"alternate\\\"; type=\\\"text/markdown\\\"{links}\"\n\t\t\timport serve {{path}}.html \"{}\"\n\t\t}}",
        media::HTML
    )
}

/// Writes the rules of addresses that moved, and of a slash too many. Whatever is led to exists.
fn moved(site: &Site<'_>, out: &mut String) -> fmt::Result {
    let rules = &site.rules.redirects;
    writeln!(
        out,
        "\t\t# Former addresses, and those with slugs of the other language, without `.md` or a slash at their ends."
    )?;
    writeln!(
        out,
        "\t\tmap {{path}} {{mecelle_bare}} {{mecelle_suffix}} {{\n\t\t\t~^(/.+)\\.md$ ${{1}} .md\n\t\t\t~^(/.*[^/])/$ ${{1}} \"\"\n\t\t\tdefault {{path}} \"\"\n\t\t}}"
    )?;
    writeln!(out, "\t\tmap {{mecelle_bare}} {{mecelle_section}} {{")?;
    for (from, to) in &rules.sections {
        writeln!(out, "\t\t\t~^{}(.+)$ {to}${{1}}", patterns::escaped(from))?;
    }
    writeln!(out, "\t\t\tdefault {{mecelle_bare}}\n\t\t}}")?;
    for (from, to, otherwise) in [("section", "slug", "section"), ("bare", "to", "slug")] {
        writeln!(out, "\t\tmap {{mecelle_{from}}} {{mecelle_{to}}} {{")?;
        for (from, to) in rules.listed.iter().filter(|(from, _)| !from.ends_with(".md")) {
            writeln!(out, "\t\t\t{from} {to}")?;
        }
        writeln!(out, "\t\t\tdefault {{mecelle_{otherwise}}}\n\t\t}}")?;
    }
    writeln!(
        out,
        "\t\t@moved file {{mecelle_to}}.html\n\t\troute @moved {{\n\t\t\timport read_only\n\t\t\timport of_page\n\t\t\t@query expression {{query}} != \"\"\n\t\t\tredir @query {{mecelle_to}}{{mecelle_suffix}}?{{query}} 308\n\t\t\tredir {{mecelle_to}}{{mecelle_suffix}} 308\n\t\t}}\n\t\terror \"nothing\" 404"
    )
}

/// Writes what errors are answered with.
fn errors(site: &Site<'_>, out: &mut String) -> fmt::Result {
    writeln!(out, "\thandle_errors {{\n\t\theader cache-control no-store")?;
    let reply = |out: &mut String, matcher: &str, name: &str, more: &str| -> fmt::Result {
        let all = tables::errors();
        let Some(error) = all.get(name) else { return Ok(()) };
        let body = quoted(&error["body"].to_string().replace('\\', "\\\\"));
        writeln!(
            out,
            "\t\troute {matcher} {{\n{more}\t\t\theader content-type {}\n\t\t\theader content-language en\n\t\t\theader content-security-policy \"{NOTHING_LOADED}\"\n\t\t\theader access-control-allow-origin *\n\t\t\theader access-control-expose-headers \"{CORS_EXPOSED}\"\n\t\t\trespond {body} {}\n\t\t}}",
            media::JSON,
            error["status"]
        )
    };
    let challenge = format!("\t\t\theader www-authenticate {}\n", quoted(&tables::challenge(&site.manifest.site_url)));
    for (status, message, name, more) in [
        (400, "locale", ErrorCode::InvalidLocale.as_str(), ""),
        (401, "credential", ErrorCode::InvalidApiKey.as_str(), challenge.as_str()),
        (405, "method", ErrorCode::MethodNotAllowed.as_str(), "\t\t\theader allow \"GET, HEAD\"\n"),
        (414, "long", ErrorCode::UriTooLong.as_str(), ""),
        (503, "service", "no_service", ""),
        (503, "credentials", "no_credentials", ""),
    ] {
        writeln!(out, "\t\t@{name} expression `{{err.status_code}} == {status} && {{err.message}} == \"{message}\"`")?;
        reply(out, &format!("@{name}"), name, more)?;
    }
    let unavailable = ErrorCode::Unavailable.as_str();
    writeln!(out, "\t\t@{unavailable} expression `{{err.status_code}} == 502 || {{err.status_code}} == 504`")?;
    reply(out, &format!("@{unavailable}"), unavailable, "\t\t\theader retry-after 5\n")?;
    writeln!(
        out,
        "\t\t@not_acceptable expression `{{err.status_code}} == 406`\n\t\troute @not_acceptable {{\n\t\t\theader content-type \"{}\"\n\t\t\theader content-language en\n\t\t\theader vary Accept",
        media::TEXT
    )?;
    writeln!(
        out,
        "\t\t\trespond \"Available here:\ntext/html {0}{{path}}\ntext/markdown {0}{{path}}.md\n\" 406\n\t\t}}",
        site.manifest.site_url
    )?;
    let prefixes = routes::JSON_PREFIXES.map(patterns::escaped).join("|");
    writeln!(
        out,
        "\t\t@not_found {{\n\t\t\texpression `{{err.status_code}} == 404`\n\t\t\tpath_regexp ^(?:{prefixes})(?:/|$)\n\t\t}}"
    )?;
    reply(out, "@not_found", ErrorCode::NotFound.as_str(), "")?;
    writeln!(
        out,
        "\t\timport of_page\n\t\theader cache-control no-store\n\t\theader +vary Accept\n\t\t@twin {{\n\t\t\tpath_regexp \\.md$\n\t\t\tnot header_regexp Accept text/html\n\t\t}}\n\t\tvars @twin form md\n\t\t@md vars {{vars.form}} md"
    )?;
    let mut answers: Vec<_> = site.manifest.not_found.iter().collect();
    answers.sort_by_key(|answer| std::cmp::Reverse(answer.prefix.len()));
    for (number, answer) in answers.into_iter().enumerate() {
        writeln!(
            out,
            "\t\t@missing{number} path_regexp ^{}(?:/|$)\n\t\troute @missing{number} {{",
            patterns::escaped(&answer.prefix)
        )?;
        for variant in answer.variants.iter().rev() {
            let matcher = if variant.media_type == media::MARKDOWN { "@md" } else { "" };
            writeln!(
                out,
                "\t\t\troute {matcher} {{\n{}\t\t\timport serve /{} \"{}\"\n\t\t\t}}",
                language(variant),
                variant.file,
                variant.media_type
            )?;
        }
        writeln!(out, "\t\t}}")?;
    }
    writeln!(out, "\t}}")
}
