//! Caddy (2.6 or newer): a site block and the folder that it serves.
//!
//! Rules are tried in order. Variables record the response, and the rule that serves it adds the header fields.

mod errors;

use std::fmt::{self, Write as _};

use contract::{
    Locale,
    headers::{CORS_ALLOWED, CORS_EXPOSED, CORS_MAX_AGE, NOSNIFF, REFERRERS},
    manifest::{Axis, Class, Coding, Route, Variant},
    media, routes,
};

use super::{HostError, HostFile, PUBLIC, opening_comment, patterns, site::HostedSite, tables};

const NAME: &str = "caddy";

/// Returns the files of the folder.
pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, HostError> {
    let mut files = site.copies();
    files.extend(Coding::ALL.into_iter().flat_map(|coding| site.compressed_copies(coding)));
    let mut text = String::new();
    write_all(site, &mut text).map_err(|fmt::Error| HostError::Text)?;
    files.push(HostFile::text("Caddyfile", add_site_tag(&text, &site.tag())));
    Ok(files)
}

/// Adds the site's tag to the names of snippets: several sites may share a server.
fn add_site_tag(text: &str, tag: &str) -> String {
    let line = |line: &str| {
        let words = line.trim_start();
        let (start, end) = match (words.strip_prefix('('), words.strip_prefix("import ")) {
            (Some(name), _) => ("(", name),
            (_, Some(name)) => ("import ", name),
            _ => return format!("{line}\n"),
        };
        format!("{}{start}mecelle_{tag}_{end}\n", &line[..line.len() - words.len()])
    };
    text.lines().map(line).collect()
}

fn write_all(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        r"# {}. For {}.
# Put the folder `{PUBLIC}` where `root` says; `caddy validate`, then reload.
",
        opening_comment(NAME),
        site.manifest.site_url
    )?;
    snippets(site, out)?;
    writeln!(
        out,
        r"{} {{
	root * /srv/{}/{PUBLIC}
	header x-content-type-options {NOSNIFF}
	header referrer-policy {REFERRERS}",
        site.manifest.site_url,
        site.domain()
    )?;
    if site.has_tls() {
        writeln!(out, "\theader strict-transport-security \"max-age=31536000\"")?;
    }
    writeln!(out, "\troute {{")?;
    requests(site, out)?;
    service(site, out)?;
    for (number, route) in site.rules.listed.iter().enumerate() {
        write_route(number, route, site, out)?;
    }
    programs(out)?;
    folders(site, out)?;
    for locale in Locale::ALL {
        pages(site, locale, out)?;
    }
    errors::write_redirects(site, out)?;
    out.push_str("\t}\n");
    errors::errors(site, out)?;
    out.push_str("}\n");
    Ok(())
}

/// Writes the snippets that several rules share.
fn snippets(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        r#"(serve) {{
	rewrite * {{args.0}}
	header content-type "{{args.1}}"
	file_server {{
		precompressed br zstd gzip
		disable_canonical_uris
	}}
}}"#
    )?;
    out.push_str(
        r#"(read_only) {
	@unread not method GET HEAD
	error @unread "method" 405
}
"#,
    );
    let issued = tables::issued_pattern();
    let (issued, key) = (issued.trim_matches(['^', '$']), patterns::escape(&site.manifest.sandbox_key));
    let refuse = if site.sidecar.is_some() {
        "import sidecar @issued".to_owned()
    } else {
        "error @issued \"credentials\" 503".to_owned()
    };
    writeln!(
        out,
        r#"(credential) {{
	@issued {{
		header_regexp Authorization "^(?i:bearer) +{issued} *$"
		not {{
			header X-Api-Key *
			not header X-Api-Key {0}
		}}
	}}
	{refuse}
	@token {{
		header Authorization *
		not header_regexp Authorization "^(?i:bearer) +{key} *$"
	}}
	error @token "credential" 401
	@key {{
		header X-Api-Key *
		not header X-Api-Key {0}
	}}
	error @key "credential" 401
}}"#,
        site.manifest.sandbox_key
    )?;
    if let Some(origin) = site.sidecar {
        writeln!(
            out,
            r"(sidecar) {{
	# MECELLE_TRUSTED_PROXIES must name this machine for the sidecar to believe it.
	reverse_proxy {{args.0}} {origin} {{
		header_up Host {{host}}{}
	}}
}}",
            site.port()
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

/// Writes the rules that do not depend on the address.
fn requests(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    out.push_str(FORM);
    let locale = patterns::percent_encodable("locale");
    writeln!(
        out,
        r"		# The language that a query asks for; `none` where what it asks for is no language.
		map {{query}} {{mecelle_locale}} {{"
    )?;
    writeln!(out, "\t\t\t\"~(?:^|&){locale}(?:=[^&]*)?&(?:.*&)?{locale}(?:[=&]|$)\" none")?;
    for it in Locale::ALL {
        writeln!(out, "\t\t\t\"~(?:^|&){locale}={}(?:&|$)\" {it}", patterns::percent_encodable(it.as_str()))?;
    }
    writeln!(
        out,
        r#"			"~(?:^|&){locale}(?:[=&]|$)" none
			default {}
		}}"#,
        Locale::DEFAULT
    )?;
    let classes = &site.manifest.classes;
    let readable = site.rules.listed.iter().filter(|route| classes.get(&route.class).is_some_and(|policy| policy.cors));
    let mut readable: Vec<String> = readable.map(|route| patterns::escape(&route.path)).collect();
    readable.extend(routes::JSON_PREFIXES.map(|prefix| format!("{}(?:/.*)?", patterns::escape(prefix))));
    let computed = if site.sidecar.is_some() { format!("\t\t\tnot path_regexp {COMPUTED}\n") } else { String::new() };
    writeln!(
        out,
        r"		@preflight {{
			method OPTIONS
			header Origin *
			header Access-Control-Request-Method *
{computed}		}}
		route @preflight {{"
    )?;
    writeln!(
        out,
        r#"			@readable path_regexp ^(?:{})$
			route @readable {{
				header access-control-allow-origin *
				header access-control-allow-methods "GET, HEAD""#,
        readable.join("|")
    )?;
    writeln!(
        out,
        r#"				header access-control-allow-headers "{CORS_ALLOWED}"
				header access-control-max-age {CORS_MAX_AGE}
			}}
			respond 204
		}}"#
    )
}

/// Paths that only a sidecar answers.
const COMPUTED: &str = "^/(?:mcp$|agent/|oauth2/)";

/// Selects HTML or Markdown, and rejects malformed requests. Later rules win.
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

fn service(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    writeln!(out, "\t\t@computed path_regexp {COMPUTED}")?;
    if site.sidecar.is_some() {
        writeln!(out, "\t\timport sidecar @computed")?;
        let searches: Vec<String> = site.searches.iter().map(|path| patterns::escape(path)).collect();
        if searches.is_empty() {
            return Ok(());
        }
        writeln!(
            out,
            "\t\t@asked {{\n\t\t\tmethod GET HEAD\n\t\t\tpath_regexp ^(?:{})(?:\\.md)?$\n\t\t\tquery q=*\n\t\t}}",
            searches.join("|")
        )?;
        writeln!(out, "\t\timport sidecar @asked")
    } else {
        writeln!(out, "\t\terror @computed \"service\" 503")
    }
}

fn language(variant: &Variant) -> String {
    variant.locale.map(|locale| format!("\t\t\theader content-language {locale}\n")).unwrap_or_default()
}

/// Quotes a value.
fn quote(link: &str) -> String {
    format!("\"{}\"", link.replace('"', "\\\""))
}

/// Writes the rule of a listed route.
fn write_route(number: usize, route: &Route, site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let Some(variant) = route.variants.first() else { return Ok(()) };
    let (path, class) = (patterns::escape(&route.path), route.class.as_str());
    writeln!(
        out,
        r"		@at{number} path_regexp ^{path}$
		route @at{number} {{
			import read_only"
    )?;
    if site.manifest.classes.get(&route.class).is_some_and(|policy| policy.credential) {
        writeln!(out, "\t\t\timport credential")?;
    }
    match route.axis {
        Some(Axis::Accept) => {
            writeln!(
                out,
                r#"			@none vars {{vars.form}} none
			error @none "accept" 406
			header +vary Accept
			import of_page"#
            )?;
            for (variant, form) in route.variants.iter().zip(["html", "md"]) {
                let location = variant.location.as_deref().unwrap_or_default();
                let link = variant.link.as_deref().unwrap_or_default();
                writeln!(
                    out,
                    r#"			@{form} vars {{vars.form}} {form}
			route @{form} {{
{}			header content-location {location}
			header link {}
			import serve /{} "{}"
			}}"#,
                    language(variant),
                    quote(link),
                    variant.file,
                    variant.media_type
                )?;
            }
        }
        Some(Axis::Locale) => {
            let (start, end) = variant.file.split_once(&format!(".{}.", Locale::DEFAULT)).unwrap_or_default();
            writeln!(
                out,
                r#"			@none vars {{mecelle_locale}} none
			error @none "locale" 400
			import of_{class}
			header content-language {{mecelle_locale}}
			import serve /{start}.{{mecelle_locale}}.{end} "{}""#,
                variant.media_type
            )?;
        }
        None => {
            writeln!(out, "\t\t\timport of_{class}\n{}", language(variant))?;
            if let Some(link) = &variant.link {
                writeln!(out, "\t\t\theader link {}", quote(link))?;
            }
            writeln!(out, "\t\t\timport serve /{} {}", variant.file, quote(&variant.media_type))?;
        }
    }
    writeln!(out, "\t\t}}")
}

/// Writes the errors of unknown addresses for programs.
fn programs(out: &mut String) -> fmt::Result {
    let api = routes::JSON_PREFIXES[0];
    let prefixes = routes::JSON_PREFIXES.map(patterns::escape).join("|");
    writeln!(
        out,
        r#"		@api path_regexp ^{api}(?:/|$)
		route @api {{
			import read_only
			import credential
			error "nothing" 404
		}}"#
    )?;
    writeln!(out, "\t\t@programs path_regexp ^(?:{prefixes}|/\\..*)(?:/|$)\n\t\terror @programs \"nothing\" 404")
}

fn folders(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
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
            r"		@{class} {{
			path_regexp ^{folder}/
			file
		}}
		route @{class} {{
			import read_only
			import of_{class}
			import serve {{path}} {{mecelle_type}}
		}}"
        )?;
    }
    for (number, file) in site.rules.hidden.iter().enumerate() {
        let path = patterns::escape(file.trim_end_matches(".html"));
        writeln!(out, "\t\t@hidden{number} path_regexp ^/{path}$\n\t\terror @hidden{number} \"nothing\" 404")?;
    }
    Ok(())
}

/// Writes the rules of a locale's pages and their Markdown.
fn pages(site: &HostedSite<'_>, locale: Locale, out: &mut String) -> fmt::Result {
    let (url, links) = (&site.manifest.site_url, site.rules.links[locale].replace('"', "\\\""));
    let canonical = |page: &str| format!(r#"			header link "<{url}{page}>; rel=\"canonical\"{links}""#);
    writeln!(
        out,
        r#"		@twin_{locale} {{
			path_regexp twin ^(/{locale}(?:/.+)?)\.md$
			file
		}}
		route @twin_{locale} {{
			import read_only
			import of_twin
			header content-language {locale}
{}
			import serve {{path}} "{}"
		}}"#,
        canonical("{re.twin.1}"),
        media::MARKDOWN
    )?;
    writeln!(
        out,
        r#"		@page_{locale} {{
			path_regexp ^/{locale}(?:/.*[^/])?$
			file {{path}}.html
		}}
		route @page_{locale} {{
			import read_only
			@none vars {{vars.form}} none
			error @none "accept" 406"#
    )?;
    writeln!(
        out,
        r#"			import of_page
			header +vary Accept
			header content-language {locale}
			@md vars {{vars.form}} md
			route @md {{
			header content-location {{path}}.md
{}
			import serve {{path}}.md "{}"
			}}"#,
        canonical("{path}"),
        media::MARKDOWN
    )?;
    writeln!(
        out,
        r#"			header content-location {{path}}
			header link "<{url}{{path}}.md>; rel=\"alternate\"; type=\"text/markdown\"{links}"
			import serve {{path}}.html "{}"
		}}"#,
        media::HTML
    )
}
