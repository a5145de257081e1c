//! GitHub Pages: an artifact of plain files. The host reads neither query nor method nor `Accept`. It has no redirects:
//! the addresses of a former site get pages that lead on.

use std::collections::BTreeSet;

use contract::manifest::Axis;
use findings::messages::{self, Text};

use super::{HostFile, HostFileContent, PUBLIC, rules::locale_of, site::HostedSite};

const NAME: &str = "github-pages";
/// Bytes of a published site (docs.github.com, "GitHub Pages limits"): 1 GB.
const MAX_BYTES: u64 = 1_000_000_000;

pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, Text> {
    let bytes = site.public_files().values().fold(0_u64, |sum, variant| sum.saturating_add(variant.size));
    let (what, remedy) = (messages::limit_of_bytes, messages::large_documents_remedy);
    HostedSite::check_limit(NAME, what, bytes as usize, MAX_BYTES, remedy)?;
    let mut files = site.copies();
    let mut taken: BTreeSet<String> = files.iter().map(|file| file.path.clone()).collect();
    let folders: BTreeSet<String> =
        taken.iter().flat_map(|path| path.match_indices('/').map(|(at, _)| path[..at].to_owned())).collect();
    // A route whose file has another name gets a copy named after its address. One that depends on the query gets none:
    // 404 is better than a response in the wrong language.
    for route in &site.rules.listed {
        let variant = match route.axis {
            Some(Axis::Accept | Axis::Locale) => continue,
            None => route.variants.first(),
        };
        let path = format!("{PUBLIC}{}", route.path);
        if let Some(variant) = variant
            && !folders.contains(&path)
            && taken.insert(path.clone())
        {
            let content = HostFileContent::Copied { file: variant.file.clone(), digest: variant.digest.clone() };
            files.push(HostFile { path, content });
        }
    }
    for (from, to) in site.rules.redirects.pages().filter(|(from, _)| locale_of(from).is_none()) {
        let end = if from.ends_with(".html") { "" } else { "/index.html" };
        let path = format!("{PUBLIC}{from}{end}");
        if !folders.contains(&path) && taken.insert(path.clone()) {
            files.push(HostFile::text(path, page_of_former_address(&format!("{}{to}", site.manifest.site_url))));
        }
    }
    // Without this file, GitHub omits files that begin with a dot or an underscore.
    files.push(HostFile::text(format!("{PUBLIC}/.nojekyll"), ""));
    Ok(files)
}

/// Returns a page that leads on to `address` without a script. Search engines treat it as a redirect.
fn page_of_former_address(address: &str) -> String {
    format!(
        "<!doctype html>\n<meta charset=\"utf-8\">\n<title>{address}</title>\n<link rel=\"canonical\" href=\"{address}\">\n\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n<p><a href=\"{address}\">{address}</a>\n"
    )
}
