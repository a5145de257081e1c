//! Folders for hosts: everything that a host is given to serve a build, made from its manifest alone.
//!
//! Each host has a file here that says how its rules are written. Which rules there are is known to [`site`], which
//! reads the build, and to [`rules`], which tells what follows a pattern from what must be listed. A folder is a pure
//! function of the build and of the sidecar's address; [`write`] alone writes it.

mod apache;
mod caddy;
mod cloudflare;
mod cloudfront;
mod error;
mod github_pages;
mod netlify;
mod nginx;
mod patterns;
mod redirects;
mod rules;
mod site;
mod tables;
#[cfg(test)]
mod tests;
mod vercel;
mod write;

use std::path::Path;

use contract::text::{Uri, host_of, is_this_machine};
use findings::messages::{self, Text};

pub use self::error::HostError;
use self::site::Site;

/// A host that a folder can be made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Host {
    /// Cloudflare Workers with static assets.
    Cloudflare,
    /// Netlify with edge functions.
    Netlify,
    /// Vercel with routing middleware.
    Vercel,
    /// `CloudFront` before a bucket.
    Cloudfront,
    /// GitHub Pages.
    GithubPages,
    /// nginx.
    Nginx,
    /// Caddy.
    Caddy,
    /// Apache, on shared hosting.
    Apache,
}

/// A folder that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Number of its files.
    pub files: usize,
    /// The origin that the build was made for.
    pub site_url: String,
    /// What to know before the folder is put online.
    pub advice: Option<Text>,
}

/// A file of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
struct HostFile {
    /// Path below the folder, with `/` between its segments.
    path: String,
    content: Content,
}

/// What a file of the folder contains.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    /// This text.
    Text(String),
    /// The bytes of this file of the build, which have this digest.
    Copied { file: String, digest: contract::manifest::Digest },
}

/// The part of the folder that readers see.
const PUBLIC: &str = "public";
/// After how many seconds a request is worth repeating that the sidecar did not answer; `edge/handle.js` says the same.
const RETRY_SECONDS: &str = "5";

impl Host {
    /// Every host, in the order in which documents list them.
    pub const ALL: [Self; 8] = [
        Self::Cloudflare,
        Self::Netlify,
        Self::Vercel,
        Self::Cloudfront,
        Self::GithubPages,
        Self::Nginx,
        Self::Caddy,
        Self::Apache,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cloudflare => "cloudflare",
            Self::Netlify => "netlify",
            Self::Vercel => "vercel",
            Self::Cloudfront => "cloudfront",
            Self::GithubPages => "github-pages",
            Self::Nginx => "nginx",
            Self::Caddy => "caddy",
            Self::Apache => "apache",
        }
    }

    /// Returns the host of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|host| host.name() == name)
    }

    /// Whether it passes requests on to a sidecar.
    const fn passes_on(self) -> bool {
        !matches!(self, Self::GithubPages | Self::Apache)
    }

    /// Whether it serves a site at another port than that of its scheme.
    const fn has_ports(self) -> bool {
        matches!(self, Self::Nginx | Self::Caddy | Self::Apache)
    }

    /// Returns the files of the folder, in the order of their paths.
    fn files(self, site: &Site<'_>) -> Result<Vec<HostFile>, HostError> {
        if site.sidecar.is_some() && !self.passes_on() {
            return Err(HostError::NoProxy(self.name()));
        }
        let mut files = match self {
            Self::Cloudflare => cloudflare::files(site),
            Self::Netlify => netlify::files(site),
            Self::Vercel => vercel::files(site),
            Self::Cloudfront => cloudfront::files(site),
            Self::GithubPages => github_pages::files(site),
            Self::Nginx => nginx::files(site),
            Self::Caddy => caddy::files(site),
            Self::Apache => apache::files(site),
        }?;
        files.sort_unstable_by(|one, other| one.path.cmp(&other.path));
        Ok(files)
    }
}

/// Returns the first words of a file that people might want to change, after the mark of its comments.
fn made_by(host: &str) -> String {
    format!("Made by `generator host {host}`, which overwrites it")
}

impl HostFile {
    fn text(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self { path: path.into(), content: Content::Text(text.into()) }
    }
}

/// Writes the folder `out` for `host` from the build in `dist`. Requests that need a service go to the sidecar at the
/// origin `sidecar`.
///
/// # Errors
/// If the build cannot be served by the host, or a folder cannot be read or written. Then `out` is as it was, but where
/// the error is [`HostError::Halfway`].
pub fn write(host: Host, dist: &Path, out: &Path, sidecar: Option<&str>) -> Result<Written, HostError> {
    if let Some(origin) = sidecar {
        // What runs in a network far away cannot reach this machine by such an address.
        let is_near = [Host::Nginx, Host::Caddy].contains(&host) && is_this_machine(host_of(origin));
        let wanted = match Uri::parse_origin(origin) {
            Ok(_) if origin.starts_with("https://") && !is_this_machine(host_of(origin)) || is_near => None,
            Ok(_) if is_this_machine(host_of(origin)) => Some(messages::reachable_address_wanted()),
            Ok(_) => Some(messages::https_origin_wanted()),
            Err(invalid) => Some(invalid.into()),
        };
        if let Some(wanted) = wanted {
            return Err(HostError::Sidecar { origin: origin.to_owned(), wanted });
        }
    }
    let build = site::read(dist)?;
    if let Some(origin) = sidecar.filter(|origin| *origin == build.site_url) {
        // Each request would come back.
        return Err(HostError::Sidecar { origin: origin.to_owned(), wanted: messages::other_origin_wanted() });
    }
    let site = Site::of(&build, sidecar).map_err(|error| match error {
        HostError::NeedsSidecar if !host.passes_on() => HostError::NoProxy(host.name()),
        other => other,
    })?;
    if !host.has_ports() && !site.port().is_empty() && !is_this_machine(host_of(&build.site_url)) {
        return Err(HostError::Port(host.name(), build.site_url));
    }
    let files = host.files(&site)?;
    write::write(dist, out, host.name(), &files)?;
    let advice = (host == Host::Cloudflare && files.len() > cloudflare::FREE_FILES).then(messages::cloudflare_paid);
    Ok(Written { files: files.len(), site_url: build.site_url, advice })
}
