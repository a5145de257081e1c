//! Configuration for nginx: the routes of a build as plain static files.

use std::fmt::Write as _;

use contract::manifest::{Axis, Class, Manifest, Route};

/// A `server`-level include that serves a build from `root`: types, addresses without endings, languages of the API,
/// redirects, caching and security headers, and the page for unknown paths.
///
/// What only the sidecar can do is left out: credentials, `Accept` negotiation, content-based `ETag`, 405 in JSON.
#[must_use]
pub fn nginx(manifest: &Manifest) -> String {
    let mut out = String::from(
        "# Include inside a `server` block, with `root` set to this folder's parent.\n\
         # Needs in the `http` block: map $arg_locale $mecelle_locale { default en; tr tr; }\n\
         default_type application/octet-stream;\ngzip_static on;\n",
    );
    out.push_str("location ~ /\\. {\n    location ^~ /.well-known/ { try_files $uri =404; }\n    return 404;\n}\n");
    for redirect in &manifest.redirects {
        let _ = writeln!(out, "location = {} {{ return 308 {}$is_args$args; }}", redirect.from, redirect.to);
    }
    for route in &manifest.routes {
        if !matches!(route.class, Class::Asset) {
            location(&mut out, manifest, route);
        }
    }
    if let Some(policy) = manifest.classes.get(&Class::Asset) {
        let _ = writeln!(out, "location /assets/ {{");
        headers(&mut out, &policy.cache_control, &policy.headers, None, None);
        out.push_str("    try_files $uri =404;\n}\n");
    }
    for answer in &manifest.not_found {
        let prefix = if answer.prefix.is_empty() { "/" } else { &answer.prefix };
        if let Some(variant) = answer.variants.first() {
            let _ = writeln!(out, "location {prefix} {{ error_page 404 /{}; try_files $uri =404; }}", variant.file);
        }
    }
    out
}

fn location(out: &mut String, manifest: &Manifest, route: &Route) {
    let (Some(variant), Some(policy)) = (route.variants.first(), manifest.classes.get(&route.class)) else { return };
    let _ = writeln!(out, "location = {} {{", route.path);
    let essence = variant.media_type.replace('"', "\\\"");
    let _ = writeln!(out, "    types {{ }}\n    default_type \"{essence}\";");
    let language = variant.locale.filter(|_| route.axis != Some(Axis::Locale)).map(contract::Locale::as_str);
    headers(out, &policy.cache_control, &policy.headers, language, variant.link.as_deref());
    let file = match route.axis {
        Some(Axis::Locale) => variant.file.replace(".en.", ".$mecelle_locale."),
        _ => variant.file.clone(),
    };
    let _ = writeln!(out, "    try_files /{file} =404;\n}}");
}

fn headers(
    out: &mut String,
    cache_control: &str,
    more: &[(String, String)],
    language: Option<&str>,
    link: Option<&str>,
) {
    let mut add = |name: &str, value: &str| {
        let _ = writeln!(out, "    add_header {name} \"{}\" always;", value.replace('"', "\\\""));
    };
    add("Cache-Control", cache_control);
    for (name, value) in more {
        add(name, value);
    }
    if let Some(language) = language {
        add("Content-Language", language);
    }
    if let Some(link) = link {
        add("Link", link);
    }
}
