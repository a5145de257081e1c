//! Addresses without a file: redirects and errors.

use std::fmt::{self, Write as _};

use contract::{
    errors::ErrorCode,
    headers::{CORS_EXPOSED, NOTHING_LOADED},
    media, routes,
};

use super::{
    super::{RETRY_SECONDS, patterns, site::HostedSite, tables},
    language, quote,
};

/// Writes the redirects of former addresses and of trailing slashes. Every target exists.
pub(super) fn write_redirects(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let rules = &site.rules.redirects;
    writeln!(
        out,
        "\t\t# Former addresses, and those with slugs of the other language, without `.md` or a slash at their ends."
    )?;
    writeln!(
        out,
        r#"		map {{path}} {{mecelle_bare}} {{mecelle_suffix}} {{
			~^(/.+)\.md$ ${{1}} .md
			~^(/.*[^/])/$ ${{1}} ""
			default {{path}} ""
		}}"#
    )?;
    writeln!(out, "\t\tmap {{mecelle_bare}} {{mecelle_section}} {{")?;
    for (from, to) in &rules.sections {
        writeln!(out, "\t\t\t~^{}(.+)$ {to}${{1}}", patterns::escape(from))?;
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
        r#"		@moved file {{mecelle_to}}.html
		route @moved {{
			import read_only
			import of_page
			@query expression {{query}} != ""
			redir @query {{mecelle_to}}{{mecelle_suffix}}?{{query}} 308
			redir {{mecelle_to}}{{mecelle_suffix}} 308
		}}
		error "nothing" 404"#
    )
}

/// Writes the error responses.
pub(super) fn errors(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    writeln!(out, "\thandle_errors {{\n\t\theader cache-control no-store")?;
    let reply = |out: &mut String, matcher: &str, name: &str, more: &str| -> fmt::Result {
        let all = tables::errors();
        let Some(error) = all.get(name) else { return Ok(()) };
        let body = quote(&error["body"].to_string().replace('\\', "\\\\"));
        writeln!(
            out,
            r#"		route {matcher} {{
{more}			header content-type {}
			header content-language en
			header content-security-policy "{NOTHING_LOADED}"
			header access-control-allow-origin *
			header access-control-expose-headers "{CORS_EXPOSED}"
			respond {body} {}
		}}"#,
            media::JSON,
            error["status"]
        )
    };
    let challenge = format!("\t\t\theader www-authenticate {}\n", quote(&tables::challenge(&site.manifest.site_url)));
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
    reply(out, &format!("@{unavailable}"), unavailable, &format!("\t\t\theader retry-after {RETRY_SECONDS}\n"))?;
    writeln!(
        out,
        r#"		@not_acceptable expression `{{err.status_code}} == 406`
		route @not_acceptable {{
			header content-type "{}"
			header content-language en
			header vary Accept"#,
        media::TEXT
    )?;
    writeln!(
        out,
        r#"			respond "Available here:
text/html {0}{{path}}
text/markdown {0}{{path}}.md
" 406
		}}"#,
        site.manifest.site_url
    )?;
    let prefixes = routes::JSON_PREFIXES.map(patterns::escape).join("|");
    writeln!(
        out,
        r"		@not_found {{
			expression `{{err.status_code}} == 404`
			path_regexp ^(?:{prefixes})(?:/|$)
		}}"
    )?;
    reply(out, "@not_found", ErrorCode::NotFound.as_str(), "")?;
    writeln!(
        out,
        r"		import of_page
		header cache-control no-store
		header +vary Accept
		@twin {{
			path_regexp \.md$
			not header_regexp Accept text/html
		}}
		vars @twin form md
		@md vars {{vars.form}} md"
    )?;
    let mut answers: Vec<_> = site.manifest.not_found.iter().collect();
    answers.sort_by_key(|answer| std::cmp::Reverse(answer.prefix.len()));
    for (number, answer) in answers.into_iter().enumerate() {
        writeln!(
            out,
            "\t\t@missing{number} path_regexp ^{}(?:/|$)\n\t\troute @missing{number} {{",
            patterns::escape(&answer.prefix)
        )?;
        for variant in answer.variants.iter().rev() {
            let matcher = if variant.media_type == media::MARKDOWN { "@md" } else { "" };
            writeln!(
                out,
                r#"			route {matcher} {{
{}			import serve /{} "{}"
			}}"#,
                language(variant),
                variant.file,
                variant.media_type
            )?;
        }
        writeln!(out, "\t\t}}")?;
    }
    writeln!(out, "\t}}")
}
