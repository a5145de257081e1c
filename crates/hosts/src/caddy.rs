//! Caddy: a site block and the folder that it serves.

use contract::manifest::Coding;

use super::{HostError, HostFile, site::HostedSite, template};

/// Returns the files of the folder.
pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, HostError> {
    let mut files = site.copies();
    files.extend(Coding::ALL.into_iter().flat_map(|coding| site.compressed_copies(coding)));
    files.push(HostFile::text("Caddyfile", template::render(include_str!("../templates/Caddyfile.tera"), '"', site)?));
    Ok(files)
}
