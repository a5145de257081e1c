//! Vercel: static files behind routing middleware. `vercel deploy --prod` in the folder.

use contract::{
    headers::{NOSNIFF, NOTHING_LOADED, REFERRERS, X_ROBOTS_TAG},
    manifest::Class,
    routes,
};
use findings::messages::{self, Text};
use serde_json::{Value, json};

use super::{HostFile, HostFileContent, PUBLIC, site::HostedSite, tables};

const NAME: &str = "vercel";
/// Files of a deployment by the command line (vercel.com/docs/limits): 15,000 of the Hobby plan's source files.
const MAX_FILES: u64 = 15_000;
/// Bytes of a file that is uploaded by the command line (the same): 100 MB.
const MAX_FILE_BYTES: u64 = 100_000_000;
/// Bytes of the middleware after compression (vercel.com/docs, "Edge runtime", "Code size limit"): 1 MB on the Hobby
/// plan. Uncompressed, the tables are about five times as long.
const MAX_MIDDLEWARE_BYTES: u64 = 5_000_000;

/// Number of generated files besides those of the build.
const ADDED: usize = 6;

pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, Text> {
    let mut files = site.copies();
    for file in &mut files {
        if let HostFileContent::Copied { file: name, .. } = &file.content
            && !format!("/{name}").starts_with(&format!("{}/", routes::ASSETS))
        {
            file.path = format!("{PUBLIC}/_files/{name}");
        }
    }
    let (what, remedy) = (messages::limit_of_files, messages::older_content_remedy_cloudflare);
    HostedSite::check_limit(NAME, what, files.len() + ADDED, MAX_FILES, remedy)?;
    site.check_file_sizes(NAME, MAX_FILE_BYTES)?;
    let tables = tables::module(site);
    let (what, remedy) = (messages::limit_of_middleware, messages::former_addresses_remedy);
    HostedSite::check_limit(NAME, what, tables.len(), MAX_MIDDLEWARE_BYTES, remedy)?;
    let settings = json!({
        "$schema": "https://openapi.vercel.sh/vercel.json",
        "framework": null,
        "buildCommand": "",
        "installCommand": "",
        "outputDirectory": PUBLIC,
        "cleanUrls": false,
        "headers": [
            { "source": format!("{}/(.*)", routes::ASSETS), "headers": fields(site) },
            { "source": "/_files/(.*)", "headers": hidden_file_headers() },
        ],
    });
    files.extend(tables::edge("edge", tables));
    files.extend([
        HostFile::text("vercel.json", format!("{settings:#}\n")),
        HostFile::text("package.json", "{ \"private\": true, \"type\": \"module\" }\n"),
        HostFile::text("middleware.js", include_str!("../../../edge/vercel.js")),
    ]);
    Ok(files)
}

/// Returns the header fields of the files that the middleware reads. They have public addresses of their own, where
/// scripts must not run and which search engines must not list.
fn hidden_file_headers() -> Value {
    let fields = [
        (X_ROBOTS_TAG, "noindex"),
        ("content-security-policy", NOTHING_LOADED),
        ("x-content-type-options", NOSNIFF),
        ("referrer-policy", REFERRERS),
    ];
    fields.map(|(key, value)| json!({ "key": key, "value": value })).to_vec().into()
}

fn fields(site: &HostedSite<'_>) -> Vec<Value> {
    let Some(policy) = site.manifest.classes.get(&Class::Asset) else { return Vec::new() };
    let cache = [("cache-control", policy.cache_control.as_str())];
    let others = policy.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    cache.into_iter().chain(others).map(|(key, value)| json!({ "key": key, "value": value })).collect()
}
