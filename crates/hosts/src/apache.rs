//! Apache, on shared hosting: an `.htaccess` in the folder that Apache serves.

use contract::errors::ErrorCode;
use findings::messages;

use super::{HostError, HostFile, PUBLIC, REPLIES, site::HostedSite, tables, template};

/// Rules for single addresses. Apache has no such limit, but parses them on each request: 2,000 take about a
/// millisecond.
const MAX_REDIRECTS: u64 = 4_000;

/// Returns the files of the folder.
pub(super) fn files(site: &HostedSite<'_>) -> Result<Vec<HostFile>, HostError> {
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
