//! Cloudflare Workers with static assets: `wrangler deploy` in the folder.

use serde_json::json;

use super::{HostFile, PUBLIC, opening_comment, site::HostedSite, tables};
use contract::{
    manifest::{Class, Coding, FILE_NAME, PARTS, PREVIOUS},
    routes,
};
use findings::messages::{self, Text};

const NAME: &str = "cloudflare";
/// Files of a version (developers.cloudflare.com, "Workers", "Limits") on paid plans.
const MAX_FILES: u64 = 100_000;
/// Files of a version on the free plan.
pub(super) const FREE_FILES: usize = 20_000;
/// Bytes of one asset (same page).
const MAX_FILE_BYTES: u64 = 25 << 20;
/// Bytes of the Worker after compression (same page): 10 MB on paid plans, 3 MB on the free one. Uncompressed, the
/// tables are about five times as long.
const MAX_WORKER_BYTES: u64 = 50_000_000;
/// The compatibility date of the runtime with which the module was tested.
const COMPATIBLE: &str = "2026-07-01";

/// Folders that are served without the Worker.
const DIRECT: [(&str, Class); 2] = [(routes::ASSETS, Class::Asset), (routes::DOCUMENTS, Class::Document)];

pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, Text> {
    let mut files = site.copies();
    let (what, remedy) = (messages::limit_of_files, messages::older_content_remedy_nginx);
    HostedSite::check_limit(NAME, what, files.len(), MAX_FILES, remedy)?;
    site.check_file_sizes(NAME, MAX_FILE_BYTES)?;
    let tables = tables::module(site);
    let (what, remedy) = (messages::limit_of_worker, messages::former_addresses_remedy);
    HostedSite::check_limit(NAME, what, tables.len(), MAX_WORKER_BYTES, remedy)?;
    let name = site.domain().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let mut first = vec!["/*".to_owned()];
    first.extend(DIRECT.map(|(folder, _)| format!("!{folder}/*")));
    let settings = json!({
        "name": name,
        "main": "worker/cloudflare.js",
        "compatibility_date": COMPATIBLE,
        // One public origin: none at workers.dev.
        "routes": [{ "pattern": site.domain(), "custom_domain": true }],
        // Whether a scheduled change is due; without the secret MECELLE_BUILD_HOOK, nothing is done.
        "triggers": { "crons": ["*/15 * * * *"] },
        "workers_dev": false,
        "preview_urls": false,
        "assets": {
            "directory": format!("./{PUBLIC}"),
            "binding": "ASSETS",
            "run_worker_first": first,
            "html_handling": "none",
            "not_found_handling": "none",
        },
    });
    files.extend(tables::edge("worker", tables));
    files.extend([
        HostFile::text(
            "wrangler.jsonc",
            format!("// {}; `wrangler deploy` puts it online.\n{settings:#}\n", opening_comment(NAME)),
        ),
        HostFile::text("worker/cloudflare.js", include_str!("../../../edge/cloudflare.js")),
        HostFile::text("worker/scheduled.js", include_str!("../../../edge/scheduled.js")),
        HostFile::text(format!("{PUBLIC}/_headers"), headers(site)),
        HostFile::text(format!("{PUBLIC}/.assetsignore"), assets_ignore()),
    ]);
    Ok(files)
}

/// Returns the header fields of the folders that are served without the Worker.
fn headers(site: &HostedSite<'_>) -> String {
    let mut text = format!("# {}.\n", opening_comment(NAME));
    for (folder, class) in DIRECT {
        let Some(policy) = site.manifest.classes.get(&class) else { continue };
        text.extend([folder, "/*\n"]);
        // Remove the host's own value first.
        text.extend(["  ! Cache-Control\n  Cache-Control: ", &policy.cache_control, "\n"]);
        for (name, value) in &policy.headers {
            text.extend(["  ", name, ": ", value, "\n"]);
        }
    }
    text
}

/// Returns files that must not be uploaded if the settings are pointed at a build.
fn assets_ignore() -> String {
    let mut names = vec![FILE_NAME.to_owned(), format!("{PARTS}/"), format!("{PREVIOUS}/")];
    names.extend(Coding::ALL.map(|coding| format!("*{}", coding.suffix())));
    format!("# {}.\n{}\n", opening_comment(NAME), names.join("\n"))
}
