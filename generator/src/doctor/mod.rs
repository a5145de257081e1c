//! Examines a running site from outside: asks what readers, agents and caches ask, and says what is wrong.
//!
//! It only reads. Apart from plain requests, it sends one credential that was never issued to anybody.

mod checks;
mod visit;

use std::fmt;

use contract::text::Uri;

use visit::Visit;

/// The result of one check.
#[derive(Debug)]
pub struct Examined {
    /// What was examined.
    pub name: &'static str,
    /// What is wrong, each fault with what to do about it; empty if nothing is wrong.
    pub faults: Vec<String>,
}

/// The reason why nothing was examined.
#[derive(Debug)]
pub enum DoctorError {
    /// This is not the origin of a site.
    BadOrigin(String),
    /// The site at the origin does not answer at all, for a reason.
    Unreachable(String, String),
    /// The site answers under the same name with the other scheme.
    OtherScheme(String),
}

impl fmt::Display for DoctorError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadOrigin(text) => {
                write!(out, "`{text}` is not the origin of a site: write it as https://firm.example, without a path")
            }
            Self::Unreachable(origin, why) => {
                let other = other_scheme(origin);
                write!(out, "the site does not answer: {why}; if it is served as {other}, ask that")
            }
            Self::OtherScheme(origin) => write!(out, "the site is served as {origin}: ask that"),
        }
    }
}

impl std::error::Error for DoctorError {}

/// Runs every check against the site at `origin`; a fault in one does not stop the others.
///
/// # Errors
/// If `origin` is not an origin, or nothing answers there.
pub fn examine(origin: &str) -> Result<Vec<Examined>, DoctorError> {
    let trimmed = origin.strip_suffix('/').unwrap_or(origin);
    let is_origin = trimmed.split_once("://").is_some_and(|(scheme, host)| {
        matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains(['/', '?', '#', '@'])
    });
    if !is_origin || Uri::parse(trimmed).is_err() {
        return Err(DoctorError::BadOrigin(origin.to_owned()));
    }
    let visit = Visit::new(trimmed);
    let answer = visit.get(contract::routes::HEALTH, &[]);
    let answer = answer.map_err(|why| DoctorError::Unreachable(trimmed.to_owned(), why))?;
    let other = other_scheme(trimmed);
    if (300..400).contains(&answer.status) && answer.field("location").starts_with(&format!("{other}/")) {
        return Err(DoctorError::OtherScheme(other));
    }
    let examine = |(name, check): &(&'static str, checks::Check)| {
        let mut faults = Vec::new();
        if let Err(why) = check(&visit, &mut faults) {
            faults.push(why);
        }
        Examined { name, faults }
    };
    Ok(checks::ALL.iter().map(examine).collect())
}

/// Returns the origin of the same name with the other of the two schemes.
fn other_scheme(origin: &str) -> String {
    match origin.split_once("://") {
        Some(("https", host)) => format!("http://{host}"),
        Some((_, host)) => format!("https://{host}"),
        None => origin.to_owned(),
    }
}
