//! nginx (1.22 or newer): a server block and the folder that it serves.
//!
//! Maps decide by the request, locations by the address; locations record the class, language and links of their files.
//! Header fields are added in one place.

mod maps;
mod searches;

use std::fmt::{self, Write as _};

use contract::{
    Locale,
    errors::ErrorCode,
    headers::{NOSNIFF, REFERRERS},
    manifest::{Axis, Class, Coding, Route},
    media, routes,
};

use super::{HostError, HostFile, PUBLIC, RETRY_SECONDS, opening_comment, patterns, site::HostedSite, tables};

const NAME: &str = "nginx";

/// Returns the files of the folder.
pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, HostError> {
    let mut files = site.copies();
    files.extend(site.compressed_copies(Coding::Gzip));
    let mut text = String::new();
    write_all(site, &mut text).map_err(|fmt::Error| HostError::Text)?;
    // Several sites may share a server and its variables. No value of a build contains a dollar sign.
    let own = format!("mecelle_{}_", site.tag());
    let text = text.replace("$mecelle_", &format!("${own}")).replace("?<mecelle_", &format!("?<{own}"));
    files.push(HostFile::text("nginx.conf", text));
    Ok(files)
}

fn write_all(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let (domain, url) = (site.domain(), &site.manifest.site_url);
    write!(
        out,
        r"# {}. For {url}: for /etc/nginx/conf.d/.
# Put the folder `{PUBLIC}` where `root` says, and the certificate's files at their places. The machine needs, once, in a file
# before this one such as 00-mecelle.conf: map_hash_bucket_size 512; map_hash_max_size 65536; variables_hash_max_size 4096;

",
        opening_comment(NAME)
    )?;
    maps::maps_of_requests(site, out)?;
    maps::maps_of_fields(site, out)?;
    maps::maps_of_addresses(site, out)?;
    if let Some(origin) = site.sidecar {
        let (scheme, authority) = origin.split_once("://").unwrap_or_default();
        let port = if authority.contains(':') {
            ""
        } else if scheme == "https" {
            ":443"
        } else {
            ":80"
        };
        write!(
            out,
            r"# nginx looks the name up when it starts, and does not start without an answer: /etc/hosts can give one.
upstream {} {{
    server {authority}{port};
    keepalive 16;
}}

",
            upstream(site)
        )?;
    }
    let port = site.port().trim_start_matches(':');
    if site.has_tls() {
        let port = if port.is_empty() { "443" } else { port };
        write!(
            out,
            r"server {{
    listen 80;
    listen [::]:80;
    server_name {domain};
    access_log off;
    {CHALLENGES}    # Security: not the host of the request, which a cache could hand to readers who asked for another one.
    location / {{ return 308 {url}$request_uri; }}
}}

server {{
    listen {port} ssl http2;
    listen [::]:{port} ssl http2;
    ssl_certificate /etc/ssl/{domain}.pem;
    ssl_certificate_key /etc/ssl/private/{domain}.key;
    ssl_protocols TLSv1.2 TLSv1.3;
"
        )?;
    } else {
        let port = if port.is_empty() { "80" } else { port };
        writeln!(out, "server {{\n    listen {port};\n    listen [::]:{port};")?;
    }
    write!(
        out,
        r"    server_name {domain};
    add_header Strict-Transport-Security {} always;

    # Security: links in emails hold secrets, which would be in the access log and, if the sidecar is down, among the errors.
    access_log off;
    error_log /var/log/nginx/error.log crit;

    root /srv/{domain}/{PUBLIC};
    set $mecelle_site {url};
    {CHALLENGES}{SERVER}",
        transport_security(site)
    )?;
    fields(site, out)?;
    errors(site, out)?;
    for route in &site.rules.listed {
        location(route, site, out)?;
    }
    pages(site, out)?;
    service(site, out)?;
    out.push_str("}\n");
    Ok(())
}

/// Returns the name of the upstream for the sidecar.
fn upstream(site: &HostedSite<'_>) -> String {
    format!("mecelle_{}_sidecar", site.tag())
}

/// Returns the value of `Strict-Transport-Security`; empty without TLS, so that nginx omits the field.
fn transport_security(site: &HostedSite<'_>) -> &'static str {
    if site.has_tls() { "\"max-age=31536000\"" } else { "\"\"" }
}

/// Where ACME clients put their challenge files (RFC 8555, 8.3): the same folder in which Debian's nginx looks before
/// it has these settings.
const CHALLENGES: &str = "location ^~ /.well-known/acme-challenge/ { root /var/www/html; default_type text/plain; }\n";

/// Settings of every server.
const SERVER: &str = r#"    merge_slashes off;
    max_ranges 0;
    absolute_redirect off;
    # Longer addresses than nginx takes of itself, so that what is too long is told in the same words.
    large_client_header_buffers 4 16k;
    gzip_static on;
    # For caches before this server too, which add `Via`; `gzip_static` obeys this.
    gzip_proxied any;
    gzip_vary on;
    types { }
    default_type application/octet-stream;
    set $mecelle_class "";
    set $mecelle_language "";
    set $mecelle_link "";
    set $mecelle_location "";
    set $mecelle_varies "";
    set $mecelle_retry "";

    if ($mecelle_long) { return 414; }
    # Security: what nginx would tidy or decode into a path has no address.
    if ($mecelle_misleading) { return 404; }

"#;

/// The beginning of every location that is only read.
const READ_ONLY: &str =
    "        if ($mecelle_preflight) { return 204; }\n        if ($mecelle_unread) { return 405; }\n";

fn fields(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    for (name, value) in [
        ("Cache-Control", "$mecelle_cache_control"),
        ("Allow", "$mecelle_allow"),
        ("Retry-After", "$mecelle_retry"),
        ("WWW-Authenticate", "$mecelle_challenge"),
        ("Content-Language", "$mecelle_language"),
        ("Content-Location", "$mecelle_location"),
        ("Link", "$mecelle_link"),
        ("Vary", "$mecelle_varies"),
        ("Vary", "$mecelle_credentials"),
        ("Access-Control-Allow-Origin", "$mecelle_readable"),
        ("Access-Control-Expose-Headers", "$mecelle_exposed"),
        ("Access-Control-Allow-Methods", "$mecelle_preflight_methods"),
        ("Access-Control-Allow-Headers", "$mecelle_preflight_fields"),
        ("Access-Control-Max-Age", "$mecelle_preflight_age"),
        (maps::REFERRERS_FIELD, REFERRERS),
        (maps::NOSNIFF_FIELD, NOSNIFF),
    ] {
        writeln!(out, "    add_header {name} {value} always;")?;
    }
    for name in maps::own_fields(site) {
        writeln!(out, "    add_header {name} $mecelle_{} always;", name.replace('-', "_"))?;
    }
    writeln!(out)
}

/// The error page of unknown addresses, for readers.
const MISSING: &str = "$mecelle_missing.$mecelle_missing_form";

/// Writes the error pages. A location that sets one must set all.
fn error_pages(out: &mut String, indent: &str, missing: &str) -> fmt::Result {
    for code in [ErrorCode::InvalidApiKey, ErrorCode::MethodNotAllowed, ErrorCode::UriTooLong] {
        writeln!(out, "{indent}error_page {} @{};", code.status(), code.as_str())?;
    }
    writeln!(out, "{indent}error_page 406 @not_acceptable;\n{indent}error_page 404 {missing};")
}

/// Writes the errors that nginx sends itself, with the sidecar's bodies.
fn errors(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    error_pages(out, "    ", MISSING)?;
    for (name, error) in tables::errors() {
        let (status, body) = (&error["status"], error["body"].to_string().replace('\'', "\\'"));
        let retry = if name == ErrorCode::Unavailable.as_str() { RETRY_SECONDS } else { "\"\"" };
        writeln!(
            out,
            r#"    location @{name} {{
        set $mecelle_class refused;
        set $mecelle_language en;
        set $mecelle_link "";
        set $mecelle_location "";
        set $mecelle_varies "";
        set $mecelle_retry {retry};
        default_type {};
        return {status} '{body}';
    }}"#,
            media::JSON
        )?;
    }
    for variant in site.manifest.not_found.iter().flat_map(|answer| &answer.variants) {
        let language = variant.locale.map_or("", Locale::as_str);
        writeln!(
            out,
            r#"    location = /{} {{
        internal;
        set $mecelle_class page;
        set $mecelle_language "{language}";
        set $mecelle_link "";
        set $mecelle_location "";
        set $mecelle_varies Accept;
        types {{ }}
        default_type '{}';
    }}"#,
            variant.file, variant.media_type
        )?;
    }
    Ok(())
}

/// Writes the location of a listed route.
fn location(route: &Route, site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let Some(variant) = route.variants.first() else { return Ok(()) };
    let language = variant.locale.map_or("", Locale::as_str);
    if route.axis == Some(Axis::Accept) {
        let file = variant.file.trim_end_matches(".html");
        let (place, name) = (format!("= {}", route.path), maps::variable(file));
        return page(out, &place, language, &format!("/{file}"), &format!("$mecelle_own_{name}"), &name);
    }
    writeln!(
        out,
        r"    location = {} {{
        set $mecelle_class {};
{READ_ONLY}",
        route.path,
        route.class.as_str()
    )?;
    if site.manifest.classes.get(&route.class).is_some_and(|policy| policy.credential) {
        writeln!(out, "        if ($mecelle_credential = invalid) {{ return 401; }}")?;
        writeln!(out, "        if ($mecelle_credential = issued) {{ rewrite ^ /.sidecar last; }}")?;
    }
    if let Some(link) = &variant.link {
        writeln!(out, "        set $mecelle_link '{link}';")?;
    }
    writeln!(out, "        types {{ }}\n        default_type '{}';", variant.media_type)?;
    if route.axis == Some(Axis::Locale) {
        let (start, end) = variant.file.split_once(&format!(".{}.", Locale::DEFAULT)).unwrap_or_default();
        error_pages(out, "        ", MISSING)?;
        writeln!(out, "        error_page 400 @{};", ErrorCode::InvalidLocale.as_str())?;
        writeln!(
            out,
            r"        if ($mecelle_locale = none) {{ return 400; }}
        set $mecelle_language $mecelle_locale;"
        )?;
        writeln!(out, "        try_files /{start}.$mecelle_locale.{end} =404;\n    }}")
    } else {
        writeln!(
            out,
            r#"        set $mecelle_language "{language}";
        try_files /{} =404;
    }}"#,
            variant.file
        )
    }
}

/// Writes the location of the pages at `place`; `file` is the file name without extension, `location` the value of
/// `Content-Location`, `links` the suffix of the variable with their links.
fn page(out: &mut String, place: &str, language: &str, file: &str, location: &str, links: &str) -> fmt::Result {
    writeln!(
        out,
        r"    location {place} {{
        set $mecelle_class page;
{READ_ONLY}        set $mecelle_language {language};
        set $mecelle_varies Accept;
        set $mecelle_location {location};
        set $mecelle_link $mecelle_links_{links};
        types {{
            '{}' html;
            '{}' md;
        }}
        try_files {file}.$mecelle_form @moved;
    }}",
        media::HTML,
        media::MARKDOWN
    )
}

fn pages(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    for (folder, class) in [(routes::ASSETS, Class::Asset), (routes::DOCUMENTS, Class::Document)] {
        writeln!(
            out,
            r"    location {folder}/ {{
        set $mecelle_class {};
{READ_ONLY}        types {{",
            class.as_str()
        )?;
        for (end, kind) in tables::types(site) {
            writeln!(out, "            '{}' {end};", kind.as_str().unwrap_or_default())?;
        }
        writeln!(out, "        }}\n    }}")?;
    }
    for file in &site.rules.hidden {
        let path = file.trim_end_matches(".html");
        if path != *file {
            writeln!(out, "    location = /{path} {{ return 404; }}")?;
        }
    }
    for prefix in routes::JSON_PREFIXES {
        let prefix = patterns::escape(prefix);
        writeln!(
            out,
            r"    location ~ ^{prefix}(?:/|$) {{
        set $mecelle_class refused;
        if ($mecelle_preflight) {{ return 204; }}"
        )?;
        if prefix == routes::JSON_PREFIXES[0] {
            writeln!(
                out,
                r"        if ($mecelle_unread) {{ return 405; }}
        if ($mecelle_credential = invalid) {{ return 401; }}"
            )?;
        }
        writeln!(out, "        return 404;")?;
        error_pages(out, "        ", &format!("@{}", ErrorCode::NotFound.as_str()))?;
        writeln!(out, "    }}")?;
    }
    for locale in Locale::ALL {
        writeln!(
            out,
            r"    location ~ ^/{locale}(?:/.+)?\.md$ {{
        set $mecelle_class twin;
{READ_ONLY}        set $mecelle_language {locale};
        set $mecelle_link $mecelle_canonical_{locale};
        types {{ }}
        default_type '{}';
        try_files $uri @moved;
    }}",
            media::MARKDOWN
        )?;
        let place = format!("~ ^/{locale}(?:/|$)");
        page(out, &place, locale.as_str(), "$uri", "$uri$mecelle_end", locale.as_str())?;
    }
    searches::searches(site, out)?;
    out.push_str(MOVED);
    Ok(())
}

/// Addresses without a file: moved, with a trailing slash, without an acceptable form, or unknown.
const MOVED: &str = r#"    location / { return 404; }
    location @not_acceptable {
        set $mecelle_class refused;
        set $mecelle_language en;
        default_type "text/plain; charset=utf-8";
        return 406 "Available here:
text/html $mecelle_site$uri
text/markdown $mecelle_site$uri.md
";
    }
    location @moved {
        set $mecelle_link "";
        set $mecelle_location "";
        set $mecelle_target $mecelle_to$mecelle_suffix;
        if (!-f $document_root$mecelle_to.html) { return 404; }
        if ($mecelle_target = $uri) { return 406; }
        return 308 $mecelle_target$is_args$args;
    }
"#;

/// Writes the locations that the sidecar answers.
fn service(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let places = [
        (format!("= {}", routes::MCP), "no_service"),
        ("^~ /agent/".to_owned(), "no_service"),
        ("^~ /oauth2/".to_owned(), "no_service"),
        ("= /.sidecar".to_owned(), "no_credentials"),
    ];
    for (place, without) in places {
        writeln!(out, "    location {place} {{")?;
        if without == "no_credentials" {
            writeln!(out, "        internal;")?;
        }
        let Some((scheme, authority)) = site.sidecar.and_then(|origin| origin.split_once("://")) else {
            writeln!(
                out,
                r"        error_page 503 @{without};
        return 503;
    }}"
            )?;
            continue;
        };
        let verified = match scheme {
            "https" => {
                r"proxy_ssl_verify on;
        proxy_ssl_verify_depth 3;
        proxy_ssl_trusted_certificate /etc/ssl/certs/ca-certificates.crt;
        "
            }
            _ => "",
        };
        let host = authority.split(':').next().unwrap_or_default();
        // The sidecar's headers are complete: a location that adds a field inherits none of the server's.
        writeln!(
            out,
            r#"        add_header Strict-Transport-Security {} always;
        proxy_pass {scheme}://{}$request_uri;
        proxy_http_version 1.1;
        proxy_set_header Connection "";
        proxy_set_header Host $host{};
        proxy_ssl_server_name on;
        proxy_ssl_name {host};
        {verified}# MECELLE_TRUSTED_PROXIES must name this machine for the sidecar to believe it.
        proxy_set_header X-Forwarded-For $remote_addr;
        client_max_body_size 256k;
        error_page 502 504 =503 @{};
    }}"#,
            transport_security(site),
            upstream(site),
            site.port(),
            ErrorCode::Unavailable.as_str()
        )?;
    }
    Ok(())
}
