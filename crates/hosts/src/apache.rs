//! Apache (2.4): an `.htaccess` for shared hosting, where nothing else can be configured.
//!
//! A request is rewritten to a file, and environment variables record its class, language and links; header fields are
//! added in one place. Apache reads the file on every request, so it must stay short.

use std::fmt::{self, Write as _};

use contract::{
    Locale,
    errors::ErrorCode,
    headers::{CORS_ALLOWED, CORS_EXPOSED, CORS_MAX_AGE, NOSNIFF, NOTHING_LOADED, REFERRERS},
    manifest::{Axis, Class, Route},
    media, routes,
};
use findings::messages;

use super::{HostError, HostFile, PUBLIC, opening_comment, patterns, site::HostedSite, tables};

const NAME: &str = "apache";
/// Rules for single addresses. Apache has no such limit, but parses them on each request: 2,000 take about a
/// millisecond.
const MAX_REDIRECTS: u64 = 4_000;
/// Header fields of every response.
const SAME: [&str; 2] = ["x-content-type-options", "referrer-policy"];
/// Folder of the error bodies that Apache sends itself.
const REPLIES: &str = ".replies";

/// Returns the files of the folder.
pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, HostError> {
    let listed = site.rules.redirects.listed.len();
    let (what, remedy) = (messages::limit_of_former_addresses, messages::slugs_of_other_language_remedy);
    HostedSite::check_limit(NAME, what, listed, MAX_REDIRECTS, remedy)?;
    let mut files = site.copies();
    let mut text = String::new();
    write_all(site, &mut text).map_err(|fmt::Error| HostError::Text)?;
    files.push(HostFile::text(format!("{PUBLIC}/.htaccess"), text));
    // Apache has one error document per status and no proxy.
    let unused = [ErrorCode::InternalError.as_str(), ErrorCode::Unavailable.as_str(), "no_credentials"];
    for (name, error) in tables::errors().into_iter().filter(|(name, _)| !unused.contains(&name.as_str())) {
        files.push(HostFile::text(format!("{PUBLIC}/{REPLIES}/{name}.json"), error["body"].to_string()));
    }
    files.push(HostFile::text(
        format!("{PUBLIC}/{REPLIES}/not_acceptable.txt"),
        "This page is available as text/html and, at its address with `.md` appended, as text/markdown.\n",
    ));
    Ok(files)
}

fn write_all(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        r"# {} For {}: upload all of `{PUBLIC}`, with the names that begin with a dot.
# Needed are mod_rewrite, mod_headers and mod_mime, and `AllowOverride All`.
Options -Indexes -MultiViews
DirectorySlash Off
AcceptPathInfo Off
AddDefaultCharset Off
RewriteEngine On
",
        opening_comment(NAME) + ".",
        site.manifest.site_url
    )?;
    types(site, out)?;
    errors(site, out)?;
    requests(site, out)?;
    for route in &site.rules.listed {
        write_route(route, out)?;
    }
    pages(site, out)?;
    write_redirects(site, out)?;
    fields(site, out)
}

fn types(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    for (end, kind) in tables::types(site) {
        writeln!(
            out,
            r#"RemoveType .{end}
RemoveLanguage .{end}
AddType "{}" .{end}"#,
            kind.as_str().unwrap_or_default()
        )?;
    }
    for locale in Locale::ALL {
        writeln!(out, "RemoveLanguage .{locale}")?;
    }
    writeln!(out)
}

/// Writes the error document of each status.
fn errors(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    for code in [ErrorCode::InvalidLocale, ErrorCode::InvalidApiKey, ErrorCode::MethodNotAllowed, ErrorCode::UriTooLong]
    {
        writeln!(out, "ErrorDocument {} /{REPLIES}/{}.json", code.status(), code.as_str())?;
    }
    writeln!(out, "ErrorDocument 406 /{REPLIES}/not_acceptable.txt\nErrorDocument 503 /{REPLIES}/no_service.json")?;
    writeln!(out, "ErrorDocument 404 /{}", site.not_found_file("", "html"))?;
    for answer in site.manifest.not_found.iter().filter(|answer| !answer.prefix.is_empty()) {
        let file = site.not_found_file(&format!("{}/", answer.prefix), "html");
        writeln!(
            out,
            r#"<If "%{{THE_REQUEST}} =~ m#^\S+ {}[/? ]#">
    ErrorDocument 404 /{file}
</If>"#,
            patterns::escape(&answer.prefix)
        )?;
    }
    let programs: Vec<&str> = routes::JSON_PREFIXES.iter().map(|prefix| prefix.trim_start_matches('/')).collect();
    let programs = patterns::escape(&programs.join("|"));
    writeln!(
        out,
        r#"<If "%{{THE_REQUEST}} =~ m#^\S+ /(?:{programs})[/? ]#">
    ErrorDocument 404 /{REPLIES}/not_found.json
</If>
"#
    )
}

/// Writes the rules that do not depend on the address.
fn requests(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let api = routes::JSON_PREFIXES[0].trim_start_matches('/');
    let key = patterns::escape(&site.manifest.sandbox_key);
    writeln!(
        out,
        r#"# Answers to errors, and files that a request was led to, stay as they are.
RewriteCond %{{ENV:REDIRECT_STATUS}} !^$
RewriteRule ^ - [END]
# What proves to an authority for certificates that the domain is the firm's.
RewriteRule ^\.well-known/(?:acme-challenge|pki-validation)/ - [END]
RewriteRule ^\.(?!well-known/) - [R=404,END]
# Security: what Apache would tidy or decode into a path has no address.
RewriteCond %{{THE_REQUEST}} "^\S+ [^? ]*(?://|\x5c|%2[fF]|%5[cC]|%25|%[01])"
RewriteRule ^ - [R=404,END]
RewriteCond %{{THE_REQUEST}} "^\S+ \S{{8193}}"
RewriteRule ^ - [R=414,END]"#
    )?;
    let computed = format!("(?:{}|agent/.*|oauth2/.*)", routes::MCP.trim_start_matches('/'));
    writeln!(out, "RewriteRule ^{computed}$ - [R=503,END]")?;
    let mut readable: Vec<String> = site
        .rules
        .listed
        .iter()
        .filter(|route| site.manifest.classes.get(&route.class).is_some_and(|policy| policy.cors))
        .map(|route| patterns::escape(route.path.trim_start_matches('/')))
        .collect();
    readable.extend(
        routes::JSON_PREFIXES.map(|prefix| format!("{}(?:/.*)?", patterns::escape(prefix.trim_start_matches('/')))),
    );
    let preflight = r"RewriteCond %{REQUEST_METHOD} =OPTIONS
RewriteCond %{HTTP:Origin} .
RewriteCond %{HTTP:Access-Control-Request-Method} .
";
    writeln!(out, "{preflight}RewriteRule ^(?:{})$ - [E=mecelle_preflight:1,R=204,END]", readable.join("|"))?;
    writeln!(out, "{preflight}RewriteRule ^ - [R=204,END]")?;
    writeln!(out, "RewriteCond %{{REQUEST_METHOD}} !^(?:GET|HEAD)$\nRewriteRule ^ - [R=405,END]")?;
    let described = [routes::OPENAPI, routes::OPENAPI_YAML, routes::OPENAPI_3_0];
    let described = described.map(|path| patterns::escape(path.trim_start_matches('/'))).join("|");
    let guarded = format!("(?:{api}(?:/.*)?|{described})");
    let issued = tables::issued_pattern();
    writeln!(out, "# Credentials: the sandbox key is as good as none, and only a sidecar knows any other.")?;
    writeln!(
        out,
        r#"RewriteCond %{{HTTP:Authorization}} "^(?i:bearer) +{} *$"
RewriteCond %{{HTTP:X-Api-Key}} "^(?:{key})?$"
RewriteRule ^{guarded}$ - [R=503,END]"#,
        issued.trim_matches(['^', '$'])
    )?;
    writeln!(
        out,
        r#"RewriteCond %{{HTTP:Authorization}} !^$
RewriteCond %{{HTTP:Authorization}} "!^(?i:bearer) +{key} *$"
RewriteRule ^{guarded}$ - [R=401,END]"#
    )?;
    writeln!(out, "RewriteCond %{{HTTP:X-Api-Key}} \"!^(?:{key})?$\"\nRewriteRule ^{guarded}$ - [R=401,END]\n")?;
    writeln!(out, "# HTML or Markdown. A pattern cannot count: of two weights it sees only whether they are equal.")?;
    writeln!(out, "RewriteRule ^ - [E=mecelle_form:html]")?;
    for (pattern, form) in patterns::ACCEPT.iter().rev() {
        writeln!(out, "RewriteCond %{{HTTP:Accept}} \"{pattern}\" [NC]\nRewriteRule ^ - [E=mecelle_form:{form}]")?;
    }
    let locale = patterns::percent_encodable("locale");
    writeln!(
        out,
        r"# The language that a query asks for; `none` where what it asks for is no language.
RewriteRule ^ - [E=mecelle_locale:{}]",
        Locale::DEFAULT
    )?;
    writeln!(
        out,
        "RewriteCond %{{QUERY_STRING}} \"(?:^|&){locale}(?:[=&]|$)\"\nRewriteRule ^ - [E=mecelle_locale:none]"
    )?;
    for it in Locale::ALL {
        writeln!(
            out,
            "RewriteCond %{{QUERY_STRING}} \"(?:^|&){locale}={}(?:&|$)\"\nRewriteRule ^ - [E=mecelle_locale:{it}]",
            patterns::percent_encodable(it.as_str())
        )?;
    }
    writeln!(
        out,
        r#"RewriteCond %{{QUERY_STRING}} "(?:^|&){locale}(?:=[^&]*)?&(?:.*&)?{locale}(?:[=&]|$)"
RewriteRule ^ - [E=mecelle_locale:none]
"#
    )
}

/// Writes the rule of a listed route.
fn write_route(route: &Route, out: &mut String) -> fmt::Result {
    let Some(variant) = route.variants.first() else { return Ok(()) };
    let (path, class) = (patterns::escape(route.path.trim_start_matches('/')), route.class.as_str());
    let language = |locale: Option<Locale>| locale.map(|it| format!(",E=mecelle_language:{it}")).unwrap_or_default();
    match route.axis {
        Some(Axis::Accept) => {
            writeln!(out, "RewriteCond %{{ENV:mecelle_form}} =none\nRewriteRule ^{path}$ - [R=406,END]")?;
            for (variant, form) in route.variants.iter().zip(["html", "md"]) {
                let location = variant.location.as_deref().unwrap_or_default();
                writeln!(
                    out,
                    r"RewriteCond %{{ENV:mecelle_form}} ={form}
RewriteRule ^{path}$ {} [E=mecelle_class:page{},E=mecelle_location:{location},END]",
                    variant.file,
                    language(variant.locale)
                )?;
            }
            Ok(())
        }
        Some(Axis::Locale) => {
            let (start, end) = variant.file.split_once(&format!(".{}.", Locale::DEFAULT)).unwrap_or_default();
            writeln!(out, "RewriteCond %{{ENV:mecelle_locale}} =none\nRewriteRule ^{path}$ - [R=400,END]")?;
            writeln!(
                out,
                "RewriteRule ^{path}$ {start}.%{{ENV:mecelle_locale}}.{end} [E=mecelle_class:{class},E=mecelle_language:%{{ENV:mecelle_locale}},END]"
            )
        }
        // Apache does not process a path again that is rewritten to itself, so its variables get no `REDIRECT_` prefix.
        None => {
            writeln!(
                out,
                "RewriteRule ^{path}$ {} [E=mecelle_class:{class}{},END]",
                variant.file,
                language(variant.locale)
            )
        }
    }
}

/// Writes the rules of routes that follow the pattern.
fn pages(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    for (folder, class) in [(routes::ASSETS, Class::Asset), (routes::DOCUMENTS, Class::Document)] {
        writeln!(out, "RewriteRule ^{}/ - [E=mecelle_class:{},END]", folder.trim_start_matches('/'), class.as_str())?;
    }
    for file in &site.rules.hidden {
        writeln!(out, "RewriteRule ^{}$ - [R=404,END]", patterns::escape(file.trim_end_matches(".html")))?;
    }
    for it in Locale::ALL {
        let file = "RewriteCond %{DOCUMENT_ROOT}/$1";
        writeln!(
            out,
            r"{file}.md -f
RewriteRule ^({it}(?:/.+)?)\.md$ $1.md [E=mecelle_class:twin,E=mecelle_language:{it},E=mecelle_page:/$1,END]"
        )?;
        writeln!(
            out,
            r"{file}.html -f
RewriteCond %{{ENV:mecelle_form}} =none
RewriteRule ^({it}(?:/.*[^/])?)$ - [R=406,END]"
        )?;
        for (form, end) in [("md", ".md"), ("html", "")] {
            writeln!(
                out,
                r"{file}.{form} -f
RewriteCond %{{ENV:mecelle_form}} ={form}
RewriteRule ^({it}(?:/.*[^/])?)$ $1.{form} [E=mecelle_class:page,E=mecelle_language:{it},E=mecelle_page:/$1,E=mecelle_location:/$1{end},END]"
            )?;
        }
    }
    writeln!(out)
}

/// Writes the redirects of former addresses and of trailing slashes. Every target exists.
fn write_redirects(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let rules = &site.rules.redirects;
    writeln!(
        out,
        "# Former addresses, and those with slugs of the other language, without `.md` or a slash at their ends."
    )?;
    writeln!(
        out,
        r"RewriteRule ^(.*?)(\.md)?$ - [E=mecelle_bare:/$1,E=mecelle_suffix:$2]
RewriteRule ^(.*[^/])/$ - [E=mecelle_bare:/$1]"
    )?;
    writeln!(out, "RewriteRule ^ - [E=mecelle_to:%{{ENV:mecelle_bare}}]")?;
    for (from, to) in &rules.sections {
        writeln!(
            out,
            "RewriteCond %{{ENV:mecelle_bare}} ^{}(.+)$\nRewriteRule ^ - [E=mecelle_to:{to}%1]",
            patterns::escape(from)
        )?;
    }
    let listed = || rules.listed.iter().filter(|(from, _)| !from.ends_with(".md"));
    for (from, to) in listed() {
        writeln!(out, "RewriteCond %{{ENV:mecelle_to}} ={from}\nRewriteRule ^ - [E=mecelle_to:{to}]")?;
    }
    writeln!(
        out,
        r"RewriteCond %{{DOCUMENT_ROOT}}%{{ENV:mecelle_to}}.html -f
RewriteCond %{{ENV:mecelle_to}} !^/[^/]*\.[^/]*$
RewriteRule ^ {}%{{ENV:mecelle_to}}%{{ENV:mecelle_suffix}} [R=308,END]",
        site.manifest.site_url
    )?;
    writeln!(out, "RewriteRule ^ - [R=404,END]\n")
}

/// Writes the header fields.
fn fields(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        r#"Header always set x-content-type-options {NOSNIFF}
Header always set referrer-policy {REFERRERS}
Header always set strict-transport-security "max-age=31536000" "expr=%{{HTTPS}} == 'on'""#
    )?;
    for (class, policy) in &site.manifest.classes {
        let when = format!(
            "\"expr=reqenv('REDIRECT_mecelle_class') == '{0}' || reqenv('mecelle_class') == '{0}'\"",
            class.as_str()
        );
        let mut set =
            |name: &str, value: &str| writeln!(out, "Header set {name} \"{}\" {when}", value.replace('"', "\\\""));
        set("cache-control", &policy.cache_control)?;
        for (name, value) in policy.headers.iter().filter(|(name, _)| !SAME.contains(&name.as_str())) {
            set(name, value)?;
        }
        if policy.credential {
            set("vary", "Authorization, X-Api-Key")?;
        }
        if policy.cors {
            set("access-control-allow-origin", "*")?;
            set("access-control-expose-headers", CORS_EXPOSED)?;
        }
        if *class == Class::Page {
            set("vary", "Accept")?;
        }
    }
    for (name, variable) in [("content-language", "language"), ("content-location", "location")] {
        for variable in [format!("REDIRECT_mecelle_{variable}"), format!("mecelle_{variable}")] {
            writeln!(out, "Header set {name} \"%{{{variable}}}e\" env={variable}")?;
        }
    }
    let url = &site.manifest.site_url;
    for (locale, links) in site.rules.links.iter() {
        let links = links.replace('"', "\\\"");
        // Apache does not process a path again that is rewritten to itself, so its variables get no `REDIRECT_` prefix.
        for page in ["REDIRECT_mecelle_page", "mecelle_page"] {
            let when = |end: &str| {
                format!("\"expr=-n reqenv('{page}') && %{{REQUEST_URI}} =~ m#^/{locale}[/.](?:.*\\.)?{end}$#\"")
            };
            let target = format!("{url}%{{{page}}}e");
            writeln!(
                out,
                r#"Header set link "<{target}.md>; rel=\"alternate\"; type=\"text/markdown\"{links}" {}"#,
                when("html")
            )?;
            writeln!(out, r#"Header set link "<{target}>; rel=\"canonical\"{links}" {}"#, when("md"))?;
        }
    }
    for variant in site.rules.listed.iter().flat_map(|route| &route.variants) {
        let when = format!("\"expr=%{{REQUEST_URI}} == '/{}'\"", variant.file);
        if let Some(link) = &variant.link {
            writeln!(out, "Header set link \"{}\" {when}", link.replace('"', "\\\""))?;
        }
        let end = variant.file.rsplit('.').next().unwrap_or_default();
        if media::of_extension(end) != Some(&variant.media_type) {
            writeln!(out, "Header set content-type \"{}\" {when}", variant.media_type.replace('"', "\\\""))?;
        }
    }
    let status = |status: &str| format!("\"expr=%{{REQUEST_STATUS}} {status}\"");
    if let Some(policy) = site.manifest.classes.get(&Class::Page) {
        writeln!(out, "Header always set cache-control \"{}\" {}", policy.cache_control, status("== 308"))?;
    }
    let refused = status(">= 400");
    writeln!(out, "Header always set cache-control no-store {refused}\nHeader unset cache-control {refused}")?;
    writeln!(out, "Header always set allow \"GET, HEAD\" {}", status("== 405"))?;
    writeln!(
        out,
        "Header always set www-authenticate \"{}\" {}",
        tables::challenge(url).replace('"', "\\\""),
        status("== 401")
    )?;
    let json = format!("\"expr=%{{REQUEST_URI}} =~ m#^/{REPLIES}/#\"");
    for (name, value) in [
        ("access-control-allow-origin", "*"),
        ("access-control-expose-headers", CORS_EXPOSED),
        ("content-language", "en"),
        ("content-security-policy", NOTHING_LOADED),
    ] {
        writeln!(out, "Header always set {name} \"{value}\" {json}")?;
    }
    for answer in &site.manifest.not_found {
        for variant in &answer.variants {
            writeln!(
                out,
                "Header always set content-language {} \"expr=%{{REQUEST_URI}} == '/{}'\"",
                variant.locale.map_or("", Locale::as_str),
                variant.file
            )?;
        }
    }
    for (name, value) in [("origin", "*"), ("methods", "GET, HEAD"), ("headers", CORS_ALLOWED)] {
        writeln!(out, "Header always set access-control-allow-{name} \"{value}\" env=mecelle_preflight")?;
    }
    writeln!(out, "Header always set access-control-max-age {CORS_MAX_AGE} env=mecelle_preflight")
}
