//! Web servers: a folder to serve, and the settings of nginx, Caddy or Apache from a template.

use contract::{errors::ErrorCode, manifest::Coding};
use findings::messages::{self, Text};

use super::{HostFile, PUBLIC, REPLIES, site::HostedSite, tables, template};

/// Rules for single addresses. Apache has no such limit, but parses them on each request: 2,000 take about a
/// millisecond.
const MAX_REDIRECTS: u64 = 4_000;

pub(super) fn nginx(site: &HostedSite<'_>) -> Result<Vec<HostFile>, Text> {
    let mut files = site.copies();
    files.extend(site.compressed_copies(Coding::Gzip));
    let text = template::render(include_str!("../templates/nginx.conf.tera"), '\'', site)?;
    // Several sites may share a server and its variables. No value of a build contains a dollar sign.
    let own = format!("mecelle_{}_", site.tag());
    let text = text.replace("$mecelle_", &format!("${own}")).replace("?<mecelle_", &format!("?<{own}"));
    files.push(HostFile::text("nginx.conf", text));
    Ok(files)
}

pub(super) fn caddy(site: &HostedSite<'_>) -> Result<Vec<HostFile>, Text> {
    let mut files = site.copies();
    files.extend(Coding::ALL.into_iter().flat_map(|coding| site.compressed_copies(coding)));
    files.push(HostFile::text("Caddyfile", template::render(include_str!("../templates/Caddyfile.tera"), '"', site)?));
    Ok(files)
}

/// Writes an `.htaccess` for shared hosting.
pub(super) fn apache(site: &HostedSite<'_>) -> Result<Vec<HostFile>, Text> {
    let listed = site.rules.redirects.listed.len();
    let (what, remedy) = (messages::limit_of_former_addresses, messages::slugs_of_other_language_remedy);
    HostedSite::check_limit("apache", what, listed, MAX_REDIRECTS, remedy)?;
    let mut files = site.copies();
    let text = template::render(include_str!("../templates/htaccess.tera"), '"', site)?;
    files.push(HostFile::text(format!("{PUBLIC}/.htaccess"), text));
    // Apache has one error document per status and no proxy.
    let unused = [ErrorCode::InternalError.as_str(), ErrorCode::Unavailable.as_str(), "no_credentials"];
    for (name, error) in tables::errors().into_iter().filter(|(name, _)| !unused.contains(&name.as_str())) {
        files.push(HostFile::text(format!("{PUBLIC}/{REPLIES}/{name}.json"), error["body"].to_string()));
    }
    files.push(HostFile::text(
        format!("{PUBLIC}/{REPLIES}/not_acceptable.txt"),
        "This page is available as text/html and, at its address with `.md` appended, as text/markdown.\n",
    ));
    Ok(files)
}
