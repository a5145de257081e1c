//! Examines a running site from outside: asks what readers, agents and caches ask, and says what is wrong and what to
//! change.
//!
//! It only reads. Apart from plain requests, it sends a credential that was never issued, calls of MCP that start nothing, and
//! incomplete requests to the addresses of the registration flow, which are refused before anything is done. What answers
//! decides what is expected: a file host cannot do what the sidecar does.

mod agents;
mod checks;
mod computed;
mod fields;
mod files;
mod visit;

use contract::{Locale, headers, routes, text::Uri};
use jiff::Timestamp;
use serde::Serialize;

use crate::messages::{self, Text};
pub use agents::{Point, Scanner, score};
use visit::{Answer, Visit};

/// What was found out about a site.
#[derive(Debug)]
pub struct Report {
    /// Its origin.
    pub site: String,
    /// What answers there.
    pub kind: Kind,
    /// The result of each check.
    pub checks: Vec<Examined>,
}

/// What answers for a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// The sidecar, perhaps behind a proxy.
    Sidecar,
    /// The edge module, or rules of a host, over the files of a build; perhaps with a sidecar behind.
    Edge,
    /// A host that hands out files and nothing more.
    Files,
}

impl Kind {
    /// Returns what it is called.
    #[must_use]
    pub fn words(self) -> Text {
        match self {
            Self::Sidecar => messages::kind_sidecar(),
            Self::Edge => messages::kind_edge(),
            Self::Files => messages::kind_files(),
        }
    }
}

/// The result of one check.
#[derive(Debug)]
pub struct Examined {
    /// What was examined.
    pub name: Text,
    /// What is wrong; empty if nothing is.
    pub faults: Vec<Fault>,
}

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What was found.
    pub fault: Text,
    /// What to change.
    pub remedy: Text,
}

impl Fault {
    fn new(fault: Text, remedy: impl FnOnce() -> Text) -> Self {
        Self { fault, remedy: remedy() }
    }
}

impl Report {
    /// Returns what to change, each remedy once.
    #[must_use]
    pub fn remedies(&self) -> Vec<&Text> {
        let mut remedies = Vec::new();
        for Fault { remedy, .. } in self.checks.iter().flat_map(|check| &check.faults) {
            if !remedies.contains(&remedy) {
                remedies.push(remedy);
            }
        }
        remedies
    }
}

/// The reason why nothing was examined.
#[derive(Debug)]
pub enum DoctorError {
    /// This is not the origin of a site.
    BadOrigin(String),
    /// The site at the origin does not answer at all, for a reason.
    Unreachable(String, Text),
    /// The certificates of the authorities that this machine trusts cannot be read.
    BadAuthorities(Text),
    /// The site answers under the same name with the other scheme.
    OtherScheme(String),
}

impl DoctorError {
    /// Returns the reason in words.
    #[must_use]
    pub fn message(&self) -> Text {
        match self {
            Self::BadOrigin(origin) => messages::origin_not_one(origin),
            Self::Unreachable(_, why) if why[Locale::DEFAULT].contains("UnknownIssuer") => {
                messages::site_of_unknown_authority(why.clone())
            }
            Self::BadAuthorities(why) => why.clone(),
            Self::Unreachable(origin, why) => messages::site_unreachable(why.clone(), other_scheme(origin)),
            Self::OtherScheme(origin) => messages::site_of_other_scheme(origin),
        }
    }
}

/// Runs every check that fits what answers at `origin`; a fault in one does not stop the others. The clock there is compared
/// with `now`.
///
/// # Errors
/// If `origin` is not an origin, or nothing answers there.
pub fn examine(origin: &str, now: Timestamp) -> Result<Report, DoctorError> {
    let (mut visit, first) = visit(origin)?;
    visit.compare_clocks(&first, now);
    let kind = kind(&visit);
    let examine = |(name, check): &checks::Named| {
        let mut faults = Vec::new();
        if let Err(why) = check(&visit, &mut faults) {
            faults.push(why);
        }
        Examined { name: name(), faults }
    };
    let checks = match kind {
        Kind::Sidecar => [&checks::ALL[..], &computed::SIDECAR, &fields::ALL].concat(),
        Kind::Edge => [&checks::ALL[..], &computed::EDGE].concat(),
        Kind::Files => files::ALL.to_vec(),
    };
    Ok(Report { site: visit.origin().to_owned(), kind, checks: checks.iter().map(examine).collect() })
}

/// Begins to ask the site at `origin`, and returns its first answer too.
fn visit(origin: &str) -> Result<(Visit, Answer), DoctorError> {
    let trimmed = origin.strip_suffix('/').unwrap_or(origin);
    let is_origin = trimmed.split_once("://").is_some_and(|(scheme, host)| {
        matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains(['/', '?', '#', '@'])
    });
    if !is_origin || Uri::parse(trimmed).is_err() {
        return Err(DoctorError::BadOrigin(origin.to_owned()));
    }
    let visit = Visit::new(trimmed).map_err(DoctorError::BadAuthorities)?;
    let answer = visit.get(routes::HEALTH, &[]).map_err(|why| DoctorError::Unreachable(trimmed.to_owned(), why))?;
    let other = other_scheme(trimmed);
    if (300..400).contains(&answer.status) && answer.field("location").starts_with(&format!("{other}/")) {
        return Err(DoctorError::OtherScheme(other));
    }
    Ok((visit, answer))
}

/// Returns the origin of the same name with the other of the two schemes.
fn other_scheme(origin: &str) -> String {
    match origin.split_once("://") {
        Some(("https", host)) => format!("http://{host}"),
        Some((_, host)) => format!("https://{host}"),
        None => origin.to_owned(),
    }
}

/// How the limit of the content API begins, which the sidecar alone counts and tells with every list. Proxies give
/// identifiers to requests too, so these prove nothing.
const LIMIT: &str = "\"content\";";

/// Finds out what answers. A service of which a cache or a proxy spoils one answer still gives the others.
fn kind(visit: &Visit) -> Kind {
    let list = |fields: &[(&str, &str)]| visit.get(routes::TEAM, fields);
    let told = [headers::RATE_LIMIT_POLICY, headers::RATE_LIMIT];
    if list(&[]).is_ok_and(|answer| told.iter().any(|name| answer.field(name).starts_with(LIMIT))) {
        return Kind::Sidecar;
    }
    let signs = [
        list(&[("authorization", checks::NEVER_ISSUED)]).is_ok_and(|answer| answer.status == 401),
        visit.get(&format!("{}?locale=xx", routes::TEAM), &[]).is_ok_and(|answer| answer.status == 400),
        visit.ask("POST", routes::TEAM, &[]).is_ok_and(|answer| !answer.field("allow").is_empty()),
        visit.get("/en", &[("accept", "text/markdown")]).is_ok_and(|answer| answer.has_type("text/markdown")),
    ];
    let computes = signs.into_iter().filter(|holds| *holds).count() >= 2;
    if computes { Kind::Edge } else { Kind::Files }
}

/// Returns an answer of status 200, or the fault.
fn found(visit: &Visit, path: &str, fields: &[(&str, &str)]) -> Result<Answer, Fault> {
    let answer = visit.get(path, fields).map_err(unanswered)?;
    if answer.status == 200 {
        Ok(answer)
    } else {
        Err(Fault::new(messages::answer_status(path, answer.status), PUBLISH))
    }
}

/// The fault of a request without an answer.
fn unanswered(why: Text) -> Fault {
    Fault::new(why, messages::doctor_answer_help)
}

/// What to do, in words.
type Remedy = fn() -> Text;

/// What to do where something is not there.
const PUBLISH: Remedy = messages::doctor_publish_help;
/// What to do where a document has no type of its own.
const TYPES: Remedy = messages::doctor_types_help;
