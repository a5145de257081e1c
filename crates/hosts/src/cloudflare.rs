//! Cloudflare Workers with static assets: `wrangler deploy` in the folder.

use serde_json::json;

use super::{HostError, HostFile, PUBLIC, made_by, site::Site, tables};
use contract::{
    manifest::{Class, Coding, FILE_NAME, PARTS, PREVIOUS},
    routes,
};
use findings::messages;

const NAME: &str = "cloudflare";
/// Files of a version (developers.cloudflare.com, "Workers", "Limits") on paid plans.
const MAX_FILES: u64 = 100_000;
/// The same on the free plan.
pub(super) const FREE_FILES: usize = 20_000;
/// Bytes of one asset (the same).
const MAX_FILE_BYTES: u64 = 25 << 20;
/// Bytes of the Worker after compression (the same): 10 MB on paid plans, 3 MB on the free one. Not compressed, the
/// tables are about five times as long.
const MAX_WORKER_BYTES: u64 = 50_000_000;
/// The day for whose behaviour of the runtime the module was tested.
const COMPATIBLE: &str = "2026-07-01";

/// Folders that need no decision, so that the Worker does not run for them.
const DIRECT: [(&str, Class); 2] = [(routes::ASSETS, Class::Asset), (routes::DOCUMENTS, Class::Document)];

/// Returns the files of the folder.
pub(super) fn files(site: &Site<'_>) -> Result<Vec<HostFile>, HostError> {
    let mut files = site.copies();
    let (what, remedy) = (messages::limit_of_files, messages::older_content_remedy_nginx);
    Site::within(NAME, what, files.len(), MAX_FILES, remedy)?;
    site.has_small_files(NAME, MAX_FILE_BYTES)?;
    let tables = tables::module(site);
    let (what, remedy) = (messages::limit_of_worker, messages::former_addresses_remedy);
    Site::within(NAME, what, tables.len(), MAX_WORKER_BYTES, remedy)?;
    let name = site.domain().replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
    let mut first = vec!["/*".to_owned()];
    first.extend(DIRECT.map(|(folder, _)| format!("!{folder}/*")));
    let settings = json!({
        "name": name,
        "main": "worker/cloudflare.js",
        "compatibility_date": COMPATIBLE,
        // One public origin: none at workers.dev.
        "routes": [{ "pattern": site.domain(), "custom_domain": true }],
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
            format!("// {}; `wrangler deploy` puts it online.\n{settings:#}\n", made_by(NAME)),
        ),
        HostFile::text("worker/cloudflare.js", include_str!("../../../edge/cloudflare.js")),
        HostFile::text(format!("{PUBLIC}/_headers"), headers(site)),
        HostFile::text(format!("{PUBLIC}/.assetsignore"), ignored()),
    ]);
    Ok(files)
}

/// Returns the fields of the folders for which the Worker does not run.
fn headers(site: &Site<'_>) -> String {
    let mut text = format!("# {}.\n", made_by(NAME));
    for (folder, class) in DIRECT {
        let Some(policy) = site.manifest.classes.get(&class) else { continue };
        text.extend([folder, "/*\n"]);
        // What the host sets by itself is taken back first.
        text.extend(["  ! Cache-Control\n  Cache-Control: ", &policy.cache_control, "\n"]);
        for (name, value) in &policy.headers {
            text.extend(["  ", name, ": ", value, "\n"]);
        }
    }
    text
}

/// Returns what is never uploaded, should someone point the settings at a build.
fn ignored() -> String {
    let mut names = vec![FILE_NAME.to_owned(), format!("{PARTS}/"), format!("{PREVIOUS}/")];
    names.extend(Coding::ALL.map(|coding| format!("*{}", coding.suffix())));
    format!("# {}.\n{}\n", made_by(NAME), names.join("\n"))
}
