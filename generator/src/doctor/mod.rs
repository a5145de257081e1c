//! Looks at a running site from outside: asks what readers, agents and caches ask, and says what is wrong.
//!
//! Only reads; what it sends beside plain questions is one credential that nobody was ever given.

mod checks;
mod visit;

use std::fmt;

use contract::text::Uri;

use visit::Visit;

/// What one check found.
#[derive(Debug)]
pub struct Examined {
    /// What was looked at.
    pub name: &'static str,
    /// What is wrong, each with what to do; empty if nothing is.
    pub faults: Vec<String>,
}

/// Why nothing was examined.
#[derive(Debug)]
pub enum DoctorError {
    /// This is no origin of a site.
    BadOrigin(String),
    /// The site does not answer at all.
    Unreachable(String),
}

impl fmt::Display for DoctorError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadOrigin(text) => {
                write!(out, "`{text}` is not the origin of a site: write it as https://firm.example, without a path")
            }
            Self::Unreachable(why) => write!(out, "the site does not answer: {why}"),
        }
    }
}

impl std::error::Error for DoctorError {}

/// Runs every check against the site at `origin`; a fault in one does not keep the others from running.
///
/// # Errors
/// When `origin` is none, or nothing answers there.
pub fn examine(origin: &str) -> Result<Vec<Examined>, DoctorError> {
    let trimmed = origin.strip_suffix('/').unwrap_or(origin);
    let is_origin = trimmed.split_once("://").is_some_and(|(scheme, host)| {
        matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains(['/', '?', '#', '@'])
    });
    if !is_origin || Uri::parse(trimmed).is_err() {
        return Err(DoctorError::BadOrigin(origin.to_owned()));
    }
    let visit = Visit::new(trimmed);
    visit.get(contract::routes::HEALTH, &[]).map_err(DoctorError::Unreachable)?;
    let examine = |(name, check): &(&'static str, checks::Check)| {
        let mut faults = Vec::new();
        if let Err(why) = check(&visit, &mut faults) {
            faults.push(why);
        }
        Examined { name, faults }
    };
    Ok(checks::ALL.iter().map(examine).collect())
}
