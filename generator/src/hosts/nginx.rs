//! nginx (1.22 or newer): a server block and the folder that it serves.
//!
//! What depends on the request is decided by maps; what depends on the address, by locations, which note the class, the
//! language and the links of what they serve. Fields are then added in one place.

use std::fmt::{self, Write as _};

use contract::{
    Locale,
    errors::ErrorCode,
    headers::{CORS_ALLOWED, CORS_EXPOSED, CORS_MAX_AGE, NOSNIFF, NOTHING_LOADED, REFERRERS},
    manifest::{Axis, Class, Coding, Route},
    media, routes,
};

use super::{HostError, HostFile, PUBLIC, patterns, site::Site, tables};

const NAME: &str = "nginx";
/// Fields that everything has.
const NOSNIFF_FIELD: &str = "x-content-type-options";
const REFERRERS_FIELD: &str = "referrer-policy";

/// Returns the files of the folder.
pub(super) fn files(site: &Site<'_>) -> Result<Vec<HostFile>, HostError> {
    let mut files = site.copies();
    files.extend(site.compressed(Coding::Gzip));
    let mut text = String::new();
    write_all(site, &mut text).map_err(|fmt::Error| HostError::Text)?;
    files.push(HostFile::text("nginx.conf", text));
    Ok(files)
}

fn write_all(site: &Site<'_>, out: &mut String) -> fmt::Result {
    let (domain, url) = (site.domain(), &site.manifest.site_url);
    write!(
        out,
        "# Made by `generator host {NAME}` for {url}: for /etc/nginx/conf.d/.\n\
         # Put the folder `{PUBLIC}` where `root` says, and the certificate's files at their places.\n\n"
    )?;
    // Before the first map, or nginx has chosen already.
    let size = (4 * site.rules.redirects.listed.len()).next_power_of_two().max(2048);
    writeln!(out, "map_hash_bucket_size 512;\nmap_hash_max_size {size};\n")?;
    maps_of_requests(site, out)?;
    maps_of_fields(site, out)?;
    maps_of_addresses(site, out)?;
    if let Some(origin) = site.sidecar {
        let (scheme, authority) = origin.split_once("://").unwrap_or_default();
        let port = if authority.contains(':') {
            ""
        } else if scheme == "https" {
            ":443"
        } else {
            ":80"
        };
        write!(out, "upstream mecelle_sidecar {{\n    server {authority}{port};\n    keepalive 16;\n}}\n\n")?;
    }
    write!(
        out,
        "server {{\n    listen 80;\n    listen [::]:80;\n    server_name {domain};\n    access_log off;\n    \
         # Security: not the host of the request, which a cache could hand to readers who asked for another one.\n    \
         return 308 https://$server_name$request_uri;\n}}\n\n\
         server {{\n    listen 443 ssl http2;\n    listen [::]:443 ssl http2;\n    server_name {domain};\n    \
         ssl_certificate /etc/ssl/{domain}.pem;\n    ssl_certificate_key /etc/ssl/private/{domain}.key;\n    \
         ssl_protocols TLSv1.2 TLSv1.3;\n    add_header Strict-Transport-Security \"max-age=31536000\" always;\n\n    \
         root /srv/mecelle/{PUBLIC};\n    set $mecelle_site {url};\n{SERVER}"
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

/// What every server needs, whatever the site.
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

    if ($mecelle_long) { return 414; }
    # Security: what nginx would tidy or decode into a path has no address.
    if ($mecelle_misleading) { return 404; }

"#;

/// What comes before everything that is only read.
const READ_ONLY: &str =
    "        if ($mecelle_preflight) { return 204; }\n        if ($mecelle_unread) { return 405; }\n";

fn maps_of_requests(site: &Site<'_>, out: &mut String) -> fmt::Result {
    let locale = patterns::encoded("locale");
    writeln!(out, "# The language that a query asks for; `none` where what it asks for is no language.")?;
    writeln!(out, "map $args $mecelle_locale {{\n    default {};", Locale::DEFAULT)?;
    writeln!(out, "    \"~(?:^|&){locale}(?:=[^&]*)?&(?:.*&)?{locale}(?:[=&]|$)\" none;")?;
    for it in Locale::ALL {
        writeln!(out, "    \"~(?:^|&){locale}={}(?:&|$)\" {it};", patterns::encoded(it.as_str()))?;
    }
    writeln!(out, "    \"~(?:^|&){locale}(?:[=&]|$)\" none;\n}}")?;
    writeln!(out, "# HTML or Markdown. A pattern cannot count: of two weights it sees only whether they are equal.")?;
    writeln!(out, "map $http_accept $mecelle_form {{\n    default html;")?;
    for (pattern, form) in patterns::ACCEPT {
        writeln!(out, "    \"~*{pattern}\" {form};")?;
    }
    writeln!(out, "}}\nmap $mecelle_form $mecelle_end {{\n    default \"\";\n    md .md;\n}}")?;
    writeln!(out, "map \"$mecelle_form $http_accept $uri\" $mecelle_missing_form {{\n    default html;\n    ~^md md;")?;
    writeln!(out, "    \"~^html (?:\\*/\\*)? /.*\\.md$\" md;\n}}")?;
    let key = patterns::escaped(&site.manifest.sandbox_key);
    let issued = tables::issued();
    let issued = issued.trim_matches(['^', '$']);
    writeln!(out, "# Credentials: the sandbox key is as good as none, and only a sidecar knows any other.")?;
    writeln!(out, "map $http_authorization $mecelle_token {{\n    default invalid;\n    \"\" none;")?;
    writeln!(out, "    \"~^(?i:bearer) +{key} *$\" none;\n    \"~^(?i:bearer) +{issued} *$\" issued;\n}}")?;
    writeln!(
        out,
        "map $http_x_api_key $mecelle_key {{\n    default invalid;\n    \"\" none;\n    \"~^{key}$\" none;\n}}"
    )?;
    writeln!(
        out,
        "map \"$mecelle_token $mecelle_key\" $mecelle_credential {{\n    default invalid;\n    \"none none\" none;\n    \"issued none\" issued;\n}}"
    )?;
    writeln!(
        out,
        "map \"$request_method:$http_origin:$http_access_control_request_method\" $mecelle_preflight {{\n    default \"\";\n    \"~^OPTIONS:.+:.+$\" 1;\n}}"
    )?;
    writeln!(out, "map $request_method $mecelle_unread {{\n    default 1;\n    GET \"\";\n    HEAD \"\";\n}}")?;
    writeln!(out, "map $request_uri $mecelle_long {{\n    default \"\";\n    \"~^.{{8193}}\" 1;\n}}")?;
    writeln!(
        out,
        "map $request_uri $mecelle_misleading {{\n    default \"\";\n    \"~^[^?]*(?://|\\x5c|%2[fF]|%5[cC]|%25|%[01])\" 1;\n}}\n"
    )
}

fn maps_of_fields(site: &Site<'_>, out: &mut String) -> fmt::Result {
    let classes = &site.manifest.classes;
    let mut map = |from: &str, to: &str, values: &[(String, String)]| {
        writeln!(out, "map {from} $mecelle_{to} {{\n    default \"\";")?;
        values.iter().try_for_each(|(key, value)| writeln!(out, "    {key} '{value}';"))?;
        writeln!(out, "}}")
    };
    let of_classes = |value: &dyn Fn(&contract::manifest::Policy) -> Option<String>| -> Vec<(String, String)> {
        classes.iter().filter_map(|(class, policy)| Some((class.as_str().to_owned(), value(policy)?))).collect()
    };
    map("$mecelle_class", "cache", &of_classes(&|policy| Some(policy.cache_control.clone())))?;
    for name in own_fields(site) {
        let find = |policy: &contract::manifest::Policy| {
            policy.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.replace('\'', "\\'"))
        };
        let mut values = of_classes(&find);
        if name == "content-security-policy" {
            values.push(("refused".to_owned(), NOTHING_LOADED.replace('\'', "\\'")));
        }
        map("$mecelle_class", &name.replace('-', "_"), &values)?;
    }
    let any = || "*".to_owned();
    let mut readable = of_classes(&|policy| policy.cors.then(any));
    readable.push(("refused".to_owned(), any()));
    map("$mecelle_class", "readable", &readable)?;
    map(
        "$mecelle_class",
        "credentials",
        &of_classes(&|policy| policy.credential.then(|| "Authorization, X-Api-Key".to_owned())),
    )?;
    let only = |key: &str, value: &str| vec![(key.to_owned(), value.replace('\'', "\\'"))];
    map("\"$status$mecelle_readable\"", "exposed", &only("~^(?!204).*\\*$", CORS_EXPOSED))?;
    map("\"$status$mecelle_readable\"", "preflight_methods", &only("204*", "GET, HEAD"))?;
    map("\"$status$mecelle_readable\"", "preflight_fields", &only("204*", CORS_ALLOWED))?;
    map("\"$status$mecelle_readable\"", "preflight_age", &only("204*", CORS_MAX_AGE))?;
    map("$status", "allow", &only("405", "GET, HEAD"))?;
    map("$status", "challenge", &only("401", &tables::challenge(&site.manifest.site_url)))?;
    writeln!(
        out,
        "map $status $mecelle_cache_control {{\n    default $mecelle_cache;\n    204 \"\";\n    \"~^[45]\" no-store;\n}}\n"
    )
}

/// Returns the names of the fields that the policies of classes add, apart from those that everything has.
fn own_fields<'a>(site: &Site<'a>) -> Vec<&'a str> {
    let policies = site.manifest.classes.values();
    let mut names: Vec<&str> =
        policies.flat_map(|policy| policy.headers.iter().map(|(name, _)| name.as_str())).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| ![NOSNIFF_FIELD, REFERRERS_FIELD].contains(name));
    names
}

fn fields(site: &Site<'_>, out: &mut String) -> fmt::Result {
    for (name, value) in [
        ("Cache-Control", "$mecelle_cache_control"),
        ("Allow", "$mecelle_allow"),
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
        (REFERRERS_FIELD, REFERRERS),
        (NOSNIFF_FIELD, NOSNIFF),
    ] {
        writeln!(out, "    add_header {name} {value} always;")?;
    }
    for name in own_fields(site) {
        writeln!(out, "    add_header {name} $mecelle_{} always;", name.replace('-', "_"))?;
    }
    writeln!(out)
}

fn maps_of_addresses(site: &Site<'_>, out: &mut String) -> fmt::Result {
    let rules = &site.rules.redirects;
    writeln!(
        out,
        "# Former addresses, and those with slugs of the other language, without `.md` or a slash at their ends."
    )?;
    writeln!(out, "map $uri $mecelle_bare {{\n    default $uri;\n    \"~^(?<mecelle_page>/.+)\\.md$\" $mecelle_page;")?;
    writeln!(out, "    \"~^(?<mecelle_folder>/.*[^/])/$\" $mecelle_folder;\n}}")?;
    writeln!(out, "map $uri $mecelle_suffix {{\n    default \"\";\n    ~\\.md$ .md;\n}}")?;
    writeln!(out, "map $mecelle_bare $mecelle_section {{\n    default $mecelle_bare;")?;
    for (number, (from, to)) in rules.sections.iter().enumerate() {
        let from = patterns::escaped(from);
        writeln!(out, "    \"~^{from}(?<mecelle_rest{number}>.+)$\" {to}$mecelle_rest{number};")?;
    }
    writeln!(out, "}}")?;
    for (from, to, otherwise) in [("section", "slug", "section"), ("bare", "to", "slug")] {
        writeln!(out, "map $mecelle_{from} $mecelle_{to} {{\n    default $mecelle_{otherwise};")?;
        for (from, to) in rules.listed.iter().filter(|(from, _)| !from.ends_with(".md")) {
            writeln!(out, "    {from} {to};")?;
        }
        writeln!(out, "}}")?;
    }
    link_maps(site, out)?;
    let answers = site.manifest.not_found.iter().filter(|answer| !answer.prefix.is_empty());
    writeln!(
        out,
        "map $uri $mecelle_missing {{\n    default /{};",
        site.missing("", "html").trim_end_matches(".html")
    )?;
    for answer in answers {
        let file = site.missing(&format!("{}/", answer.prefix), "html");
        writeln!(out, "    ~^{}(?:/|$) /{};", patterns::escaped(&answer.prefix), file.trim_end_matches(".html"))?;
    }
    writeln!(out, "}}\n")
}

/// Writes the values of `Link` and `Content-Location` of pages in both forms.
fn link_maps(site: &Site<'_>, out: &mut String) -> fmt::Result {
    let url = &site.manifest.site_url;
    for (locale, links) in site.rules.links.iter() {
        let canonical = format!("<{url}$mecelle_bare>; rel=\"canonical\"{links}");
        let alternate = format!("<{url}$mecelle_bare.md>; rel=\"alternate\"; type=\"text/markdown\"{links}");
        writeln!(out, "map $mecelle_form $mecelle_canonical_{locale} {{\n    default '{canonical}';\n}}")?;
        writeln!(
            out,
            "map $mecelle_form $mecelle_links_{locale} {{\n    default '{alternate}';\n    md '{canonical}';\n}}"
        )?;
    }
    for route in site.rules.listed.iter().filter(|route| route.axis == Some(Axis::Accept)) {
        let [page, twin] = route.variants.as_slice() else { continue };
        let name = variable(page.file.trim_end_matches(".html"));
        for (what, page, twin) in [("links", &page.link, &twin.link), ("own", &page.location, &twin.location)] {
            let (page, twin) = (page.as_deref().unwrap_or_default(), twin.as_deref().unwrap_or_default());
            writeln!(out, "map $mecelle_form $mecelle_{what}_{name} {{\n    default '{page}';\n    md '{twin}';\n}}")?;
        }
    }
    Ok(())
}

/// What answers where nothing is, for readers.
const MISSING: &str = "$mecelle_missing.$mecelle_missing_form";

/// Writes where errors lead. A location that names one of them has to name all.
fn error_pages(out: &mut String, indent: &str, missing: &str) -> fmt::Result {
    for code in [ErrorCode::InvalidApiKey, ErrorCode::MethodNotAllowed, ErrorCode::UriTooLong] {
        writeln!(out, "{indent}error_page {} @{};", code.status(), code.as_str())?;
    }
    writeln!(out, "{indent}error_page 406 @not_acceptable;\n{indent}error_page 404 {missing};")
}

/// Writes the replies that nginx makes by itself, in the words of the sidecar.
fn errors(site: &Site<'_>, out: &mut String) -> fmt::Result {
    error_pages(out, "    ", MISSING)?;
    let clear = "set $mecelle_link \"\";\n        set $mecelle_location \"\";\n        set $mecelle_varies";
    for (name, error) in tables::errors() {
        let (status, body) = (&error["status"], error["body"].to_string().replace('\'', "\\'"));
        writeln!(
            out,
            "    location @{name} {{\n        set $mecelle_class refused;\n        set $mecelle_language en;\n        {clear} \"\";"
        )?;
        writeln!(out, "        default_type {};\n        return {status} '{body}';\n    }}", media::JSON)?;
    }
    for variant in site.manifest.not_found.iter().flat_map(|answer| &answer.variants) {
        let language = variant.locale.map_or("", Locale::as_str);
        writeln!(
            out,
            "    location = /{} {{\n        internal;\n        set $mecelle_class page;\n        set $mecelle_language \"{language}\";",
            variant.file
        )?;
        writeln!(
            out,
            "        {clear} Accept;\n        types {{ }}\n        default_type '{}';\n    }}",
            variant.media_type
        )?;
    }
    Ok(())
}

/// Writes the location of a route that is listed.
fn location(route: &Route, site: &Site<'_>, out: &mut String) -> fmt::Result {
    let Some(variant) = route.variants.first() else { return Ok(()) };
    let language = variant.locale.map_or("", Locale::as_str);
    if route.axis == Some(Axis::Accept) {
        return page(out, &format!("= {}", route.path), language, variant.file.trim_end_matches(".html"));
    }
    writeln!(
        out,
        "    location = {} {{\n        set $mecelle_class {};\n{READ_ONLY}",
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
            "        if ($mecelle_locale = none) {{ return 400; }}\n        set $mecelle_language $mecelle_locale;"
        )?;
        writeln!(out, "        try_files /{start}.$mecelle_locale.{end} =404;\n    }}")
    } else {
        writeln!(
            out,
            "        set $mecelle_language \"{language}\";\n        try_files /{} =404;\n    }}",
            variant.file
        )
    }
}

/// Writes the location of pages, whose files have the name `file` without its end.
fn page(out: &mut String, place: &str, language: &str, file: &str) -> fmt::Result {
    let (location, links, file) = match file {
        "$uri" => ("$uri$mecelle_end".to_owned(), language.to_owned(), file.to_owned()),
        _ => (format!("$mecelle_own_{}", variable(file)), variable(file), format!("/{file}")),
    };
    writeln!(
        out,
        "    location {place} {{\n        set $mecelle_class page;\n{READ_ONLY}        set $mecelle_language {language};"
    )?;
    writeln!(out, "        set $mecelle_varies Accept;\n        set $mecelle_location {location};")?;
    writeln!(out, "        set $mecelle_link $mecelle_links_{links};")?;
    writeln!(
        out,
        "        types {{\n            '{}' html;\n            '{}' md;\n        }}",
        media::HTML,
        media::MARKDOWN
    )?;
    writeln!(out, "        try_files {file}.$mecelle_form @moved;\n    }}")
}

/// Returns the name of a file as a part of the name of a variable.
fn variable(file: &str) -> String {
    file.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}

fn pages(site: &Site<'_>, out: &mut String) -> fmt::Result {
    for (folder, class) in [(routes::ASSETS, Class::Asset), (routes::DOCUMENTS, Class::Document)] {
        writeln!(
            out,
            "    location {folder}/ {{\n        set $mecelle_class {};\n{READ_ONLY}        types {{",
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
        let prefix = patterns::escaped(prefix);
        writeln!(
            out,
            "    location ~ ^{prefix}(?:/|$) {{\n        set $mecelle_class refused;\n        if ($mecelle_preflight) {{ return 204; }}"
        )?;
        if prefix == routes::JSON_PREFIXES[0] {
            writeln!(
                out,
                "        if ($mecelle_unread) {{ return 405; }}\n        if ($mecelle_credential = invalid) {{ return 401; }}"
            )?;
        }
        writeln!(out, "        return 404;")?;
        error_pages(out, "        ", &format!("@{}", ErrorCode::NotFound.as_str()))?;
        writeln!(out, "    }}")?;
    }
    for locale in Locale::ALL {
        writeln!(
            out,
            "    location ~ ^/{locale}(?:/.+)?\\.md$ {{\n        set $mecelle_class twin;\n{READ_ONLY}        set $mecelle_language {locale};"
        )?;
        writeln!(
            out,
            "        set $mecelle_link $mecelle_canonical_{locale};\n        types {{ }}\n        default_type '{}';",
            media::MARKDOWN
        )?;
        writeln!(out, "        try_files $uri @moved;\n    }}")?;
        page(out, &format!("~ ^/{locale}(?:/|$)"), locale.as_str(), "$uri")?;
    }
    out.push_str(MOVED);
    Ok(())
}

/// Where no file is: an address that moved, one with a slash too many, one whose forms are not acceptable, or nothing.
const MOVED: &str = "    location / { return 404; }
    location @not_acceptable {
        set $mecelle_class refused;
        set $mecelle_language en;
        default_type \"text/plain; charset=utf-8\";
        return 406 \"Available here:\ntext/html $mecelle_site$uri\ntext/markdown $mecelle_site$uri.md\n\";
    }
    location @moved {
        set $mecelle_link \"\";
        set $mecelle_location \"\";
        set $mecelle_target $mecelle_to$mecelle_suffix;
        if (!-f $document_root$mecelle_to.html) { return 404; }
        if ($mecelle_target = $uri) { return 406; }
        return 308 $mecelle_target$is_args$args;
    }
";

/// Writes what a sidecar answers.
fn service(site: &Site<'_>, out: &mut String) -> fmt::Result {
    let places = [format!("= {}", routes::MCP), "/agent/".to_owned(), "/oauth2/".to_owned(), "= /.sidecar".to_owned()];
    for place in places {
        let internal = if place.contains(".sidecar") { "        internal;\n" } else { "" };
        writeln!(out, "    location {place} {{\n{internal}")?;
        match site.sidecar {
            None => {
                let name = if internal.is_empty() { "no_service" } else { "no_credentials" };
                writeln!(out, "        error_page 503 @{name};\n        return 503;\n    }}")?;
            }
            Some(origin) => {
                let (scheme, authority) = origin.split_once("://").unwrap_or_default();
                let host = authority.split(':').next().unwrap_or_default();
                writeln!(
                    out,
                    "        proxy_pass {scheme}://mecelle_sidecar$request_uri;\n        proxy_http_version 1.1;"
                )?;
                writeln!(
                    out,
                    "        proxy_set_header Connection \"\";\n        proxy_set_header Host $host;\n        proxy_ssl_server_name on;\n        proxy_ssl_name {host};"
                )?;
                writeln!(
                    out,
                    "        # MECELLE_TRUSTED_PROXIES must name this machine for the sidecar to believe it.\n        proxy_set_header X-Forwarded-For $remote_addr;\n        client_max_body_size 256k;\n    }}"
                )?;
            }
        }
    }
    Ok(())
}
