//! nginx: a server block and the folder that it serves.

use contract::manifest::Coding;

use super::{HostError, HostFile, site::HostedSite, template};

/// Returns the files of the folder.
pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, HostError> {
    let mut files = site.copies();
    files.extend(site.compressed_copies(Coding::Gzip));
    let text = template::render(include_str!("../templates/nginx.conf.tera"), '\'', site)?;
    // Several sites may share a server and its variables. No value of a build contains a dollar sign.
    let own = format!("mecelle_{}_", site.tag());
    let text = text.replace("$mecelle_", &format!("${own}")).replace("?<mecelle_", &format!("?<{own}"));
    files.push(HostFile::text("nginx.conf", text));
    Ok(files)
}
