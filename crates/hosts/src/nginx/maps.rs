//! The maps of the nginx settings: by request, by class and status, and by address.

use std::fmt::{self, Write as _};

use contract::{
    Locale,
    headers::{CORS_ALLOWED, CORS_EXPOSED, CORS_MAX_AGE, NOTHING_LOADED},
    manifest::{Axis, Policy},
};

use super::super::{patterns, site::HostedSite, tables};

/// Header fields of every response.
pub(super) const NOSNIFF_FIELD: &str = "x-content-type-options";
pub(super) const REFERRERS_FIELD: &str = "referrer-policy";

/// Writes the maps that parse the request.
pub(super) fn maps_of_requests(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let locale = patterns::percent_encodable("locale");
    writeln!(out, "# The language that a query asks for; `none` where what it asks for is no language.")?;
    writeln!(out, "map $args $mecelle_locale {{\n    default {};", Locale::DEFAULT)?;
    writeln!(out, "    \"~(?:^|&){locale}(?:=[^&]*)?&(?:.*&)?{locale}(?:[=&]|$)\" none;")?;
    for it in Locale::ALL {
        writeln!(out, "    \"~(?:^|&){locale}={}(?:&|$)\" {it};", patterns::percent_encodable(it.as_str()))?;
    }
    writeln!(out, "    \"~(?:^|&){locale}(?:[=&]|$)\" none;\n}}")?;
    writeln!(out, "# HTML or Markdown. A pattern cannot count: of two weights it sees only whether they are equal.")?;
    writeln!(out, "map $http_accept $mecelle_form {{\n    default html;")?;
    for (pattern, form) in patterns::ACCEPT {
        writeln!(out, "    \"~*{pattern}\" {form};")?;
    }
    writeln!(
        out,
        r#"}}
map $mecelle_form $mecelle_end {{
    default "";
    md .md;
}}"#
    )?;
    writeln!(
        out,
        r#"map "$mecelle_form $http_accept $uri" $mecelle_missing_form {{
    default html;
    ~^md md;"#
    )?;
    writeln!(out, "    \"~^html (?:\\*/\\*)? /.*\\.md$\" md;\n}}")?;
    let key = patterns::escape(&site.manifest.sandbox_key);
    let issued = tables::issued_pattern();
    let issued = issued.trim_matches(['^', '$']);
    writeln!(out, "# Credentials: the sandbox key is as good as none, and only a sidecar knows any other.")?;
    writeln!(
        out,
        r#"map $http_authorization $mecelle_token {{
    default invalid;
    "" none;"#
    )?;
    writeln!(
        out,
        r#"    "~^(?i:bearer) +{key} *$" none;
    "~^(?i:bearer) +{issued} *$" issued;
}}"#
    )?;
    writeln!(
        out,
        r#"map $http_x_api_key $mecelle_key {{
    default invalid;
    "" none;
    "~^{key}$" none;
}}"#
    )?;
    writeln!(
        out,
        r#"map "$mecelle_token $mecelle_key" $mecelle_credential {{
    default invalid;
    "none none" none;
    "issued none" issued;
}}"#
    )?;
    writeln!(
        out,
        r#"map "$request_method:$http_origin:$http_access_control_request_method" $mecelle_preflight {{
    default "";
    "~^OPTIONS:.+:.+$" 1;
}}"#
    )?;
    writeln!(
        out,
        r#"map $request_method $mecelle_unread {{
    default 1;
    GET "";
    HEAD "";
}}"#
    )?;
    writeln!(
        out,
        r#"map $request_uri $mecelle_long {{
    default "";
    "~^.{{8193}}" 1;
}}"#
    )?;
    writeln!(
        out,
        r#"map $request_uri $mecelle_misleading {{
    default "";
    "~^[^?]*(?://|\x5c|%2[fF]|%5[cC]|%25|%[01])" 1;
}}
"#
    )
}

/// Writes the maps of header fields by class and status.
pub(super) fn maps_of_fields(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let classes = &site.manifest.classes;
    let mut map = |from: &str, to: &str, values: &[(String, String)]| {
        writeln!(out, "map {from} $mecelle_{to} {{\n    default \"\";")?;
        values.iter().try_for_each(|(key, value)| writeln!(out, "    {key} '{value}';"))?;
        writeln!(out, "}}")
    };
    let of_classes = |value: &dyn Fn(&Policy) -> Option<String>| -> Vec<(String, String)> {
        classes.iter().filter_map(|(class, policy)| Some((class.as_str().to_owned(), value(policy)?))).collect()
    };
    map("$mecelle_class", "cache", &of_classes(&|policy| Some(policy.cache_control.clone())))?;
    for name in own_fields(site) {
        let find = |policy: &Policy| {
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
        r#"map $status $mecelle_cache_control {{
    default $mecelle_cache;
    204 "";
    "~^[45]" no-store;
}}
"#
    )
}

/// Returns the names of header fields that class policies add, except those of every response.
pub(super) fn own_fields<'a>(site: &HostedSite<'a>) -> Vec<&'a str> {
    let policies = site.manifest.classes.values();
    let mut names: Vec<&str> =
        policies.flat_map(|policy| policy.headers.iter().map(|(name, _)| name.as_str())).collect();
    names.sort_unstable();
    names.dedup();
    names.retain(|name| ![NOSNIFF_FIELD, REFERRERS_FIELD].contains(name));
    names
}

/// Writes the maps of redirects and of page links.
pub(super) fn maps_of_addresses(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let rules = &site.rules.redirects;
    writeln!(
        out,
        "# Former addresses, and those with slugs of the other language, without `.md` or a slash at their ends."
    )?;
    writeln!(
        out,
        r#"map $uri $mecelle_bare {{
    default $uri;
    "~^(?<mecelle_page>/.+)\.md$" $mecelle_page;"#
    )?;
    writeln!(out, "    \"~^(?<mecelle_folder>/.*[^/])/$\" $mecelle_folder;\n}}")?;
    writeln!(
        out,
        r#"map $uri $mecelle_suffix {{
    default "";
    ~\.md$ .md;
}}"#
    )?;
    writeln!(out, "map $mecelle_bare $mecelle_section {{\n    default $mecelle_bare;")?;
    for (number, (from, to)) in rules.sections.iter().enumerate() {
        let from = patterns::escape(from);
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
        site.not_found_file("", "html").trim_end_matches(".html")
    )?;
    for answer in answers {
        let file = site.not_found_file(&format!("{}/", answer.prefix), "html");
        writeln!(out, "    ~^{}(?:/|$) /{};", patterns::escape(&answer.prefix), file.trim_end_matches(".html"))?;
    }
    writeln!(out, "}}\n")
}

/// Writes the values of `Link` and `Content-Location` of pages in both forms.
fn link_maps(site: &HostedSite<'_>, out: &mut String) -> fmt::Result {
    let url = &site.manifest.site_url;
    for (locale, links) in site.rules.links.iter() {
        let canonical = format!("<{url}$mecelle_bare>; rel=\"canonical\"{links}");
        let alternate = format!(r#"<{url}$mecelle_bare.md>; rel="alternate"; type="text/markdown"{links}"#);
        writeln!(
            out,
            r"map $mecelle_form $mecelle_canonical_{locale} {{
    default '{canonical}';
}}"
        )?;
        writeln!(
            out,
            r"map $mecelle_form $mecelle_links_{locale} {{
    default '{alternate}';
    md '{canonical}';
}}"
        )?;
    }
    for route in site.rules.listed.iter().filter(|route| route.axis == Some(Axis::Accept)) {
        let [page, twin] = route.variants.as_slice() else { continue };
        let name = variable(page.file.trim_end_matches(".html"));
        for (what, page, twin) in [("links", &page.link, &twin.link), ("own", &page.location, &twin.location)] {
            let (page, twin) = (page.as_deref().unwrap_or_default(), twin.as_deref().unwrap_or_default());
            writeln!(
                out,
                r"map $mecelle_form $mecelle_{what}_{name} {{
    default '{page}';
    md '{twin}';
}}"
            )?;
        }
    }
    Ok(())
}

/// Returns a file name as a part of a variable name.
pub(super) fn variable(file: &str) -> String {
    file.replace(|letter: char| !letter.is_ascii_alphanumeric(), "_")
}
