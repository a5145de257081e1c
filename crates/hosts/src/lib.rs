//! Folders for hosts: all files with which a host serves a build, made from the manifest only.
//!
//! Each host has a module that writes its rules; web servers share one. [`site`] reads the build; [`rules`] separates routes that follow a
//! pattern from routes that must be listed. A folder is a pure function of the build and the sidecar's address; only
//! [`write`] touches the disk.

mod cloudflare;
mod cloudfront;
mod github_pages;
mod netlify;
mod patterns;
mod redirects;
mod rules;
mod servers;
mod site;
mod tables;
mod template;
#[cfg(test)]
mod tests;
mod vercel;
mod write;

use std::path::Path;

use contract::{
    routes,
    text::{Uri, host_of, is_this_machine},
};
use findings::messages::{self, Text};

use self::site::HostedSite;

contract::names! {
    pub enum Host {
        /// Cloudflare Workers with static assets.
        Cloudflare "cloudflare",
        /// Netlify with edge functions.
        Netlify "netlify",
        /// Vercel with routing middleware.
        Vercel "vercel",
        /// `CloudFront` before a bucket.
        Cloudfront "cloudfront",
        /// GitHub Pages.
        GithubPages "github-pages",
        Nginx "nginx",
        Caddy "caddy",
        /// Apache, on shared hosting.
        Apache "apache",
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenFolder {
    pub files: usize,
    pub site_url: String,
    /// Hints for the operator before the folder is deployed.
    pub advice: Option<Text>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct HostFile {
    /// Path below the folder, with `/` between its segments.
    path: String,
    content: HostFileContent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum HostFileContent {
    Text(String),
    /// A file of the build, with its digest.
    Copied {
        file: String,
        digest: contract::manifest::FileDigest,
    },
}

/// The public part of the folder.
const PUBLIC: &str = "public";
/// Folder in [`PUBLIC`] of the errors that Apache sends itself.
const REPLIES: &str = ".replies";
/// `Retry-After` when the sidecar does not answer, in seconds; equal to the value in `edge/handle.js`.
const RETRY_SECONDS: &str = "5";

impl Host {
    /// Whether the host passes requests on to a sidecar.
    const fn passes_on(self) -> bool {
        !matches!(self, Self::GithubPages | Self::Apache)
    }

    /// Whether the host serves a site at a port other than the default of its scheme.
    const fn has_ports(self) -> bool {
        matches!(self, Self::Nginx | Self::Caddy | Self::Apache)
    }

    /// Returns the files of the folder, sorted by path.
    fn files(self, site: &HostedSite<'_>) -> Result<Vec<HostFile>, Text> {
        if site.sidecar.is_some() && !self.passes_on() {
            return Err(messages::host_without_proxy(self.as_str()));
        }
        let mut files = match self {
            Self::Cloudflare => cloudflare::files(site),
            Self::Netlify => netlify::files(site),
            Self::Vercel => vercel::files(site),
            Self::Cloudfront => cloudfront::files(site),
            Self::GithubPages => github_pages::files(site),
            Self::Nginx => servers::nginx(site),
            Self::Caddy => servers::caddy(site),
            Self::Apache => servers::apache(site),
        }?;
        files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }
}

/// Returns the opening comment of a generated file, without its comment mark.
fn opening_comment(host: &str) -> String {
    format!("Made by `generator host {host}`, which overwrites it")
}

impl HostFile {
    fn text(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), content: HostFileContent::Text(text.into()) }
    }
}

/// Writes the folder `out` for `host` from the build in `dist`. Requests to the service go to the origin `sidecar`.
///
/// # Errors
/// If the host cannot serve the build, or a folder cannot be read or written. `out` is then unchanged, unless the disk
/// fails while new files replace the former ones.
pub fn write(host: Host, dist: &Path, out: &Path, sidecar: Option<&str>) -> Result<WrittenFolder, Text> {
    if let Some(origin) = sidecar {
        // A remote edge network cannot reach a loopback address of this machine.
        let is_near = [Host::Nginx, Host::Caddy].contains(&host) && is_this_machine(host_of(origin));
        let wanted = match Uri::parse_origin(origin) {
            Ok(_) if origin.starts_with("https://") && !is_this_machine(host_of(origin)) || is_near => None,
            Ok(_) if is_this_machine(host_of(origin)) => Some(messages::reachable_address_wanted()),
            Ok(_) => Some(messages::https_origin_wanted()),
            Err(invalid) => Some(invalid.into()),
        };
        if let Some(wanted) = wanted {
            return Err(messages::sidecar_not_usable(wanted, origin));
        }
    }
    let build = site::read(dist)?;
    if let Some(origin) = sidecar.filter(|origin| *origin == build.site_url) {
        // A sidecar at the site's own origin would make requests loop.
        return Err(messages::sidecar_not_usable(messages::other_origin_wanted(), origin));
    }
    let site = HostedSite::of(&build, sidecar)?;
    if sidecar.is_none() && build.routes.iter().any(|route| route.path == routes::SERVER_CARD) {
        return Err(if host.passes_on() {
            messages::sidecar_needed()
        } else {
            messages::host_without_proxy(host.as_str())
        });
    }
    if !host.has_ports() && !site.port().is_empty() && !is_this_machine(host_of(&build.site_url)) {
        return Err(messages::host_without_ports(host.as_str(), build.site_url));
    }
    let files = host.files(&site)?;
    write::write(dist, out, host.as_str(), &files)?;
    let advice = (host == Host::Cloudflare && files.len() > cloudflare::FREE_FILES).then(messages::cloudflare_paid);
    Ok(WrittenFolder { files: files.len(), site_url: build.site_url, advice })
}
