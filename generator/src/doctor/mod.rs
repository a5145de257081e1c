//! Examines a running site from outside: asks what readers, agents and caches ask, and says what is wrong and what to
//! change.
//!
//! It only reads. Apart from plain requests, it sends a credential that was never issued, calls of MCP that start
//! nothing, and incomplete requests to the addresses of the registration flow, which are refused before anything is
//! done. What answers decides what is expected: a file host cannot do what the sidecar does.

mod agents;
mod checks;
mod computed;
mod fault;
mod fields;
mod files;
mod judgement;
mod mcp;
mod probes;
mod visit;

use contract::{Locale, headers, routes, text::Uri};
use jiff::Timestamp;
use serde::Serialize;

pub use agents::{Point, Scanner, score};
pub use fault::Fault;
use fault::{End, Faults, Remedy};
use findings::messages::{self, Text};
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
    /// Nothing of the site, at any address.
    Nothing,
}

impl Kind {
    /// Returns what it is called.
    #[must_use]
    pub fn words(self) -> Text {
        match self {
            Self::Sidecar => messages::kind_sidecar(),
            Self::Edge => messages::kind_edge(),
            Self::Files => messages::kind_files(),
            Self::Nothing => messages::kind_nothing(),
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
    /// Why nothing can be said; none if something can.
    pub unjudged: Option<Text>,
}

/// A remedy with everything that it is for.
#[derive(Debug)]
pub struct Cause<'a> {
    /// What to change.
    pub remedy: &'a Text,
    /// What it puts right, found by all checks together.
    pub faults: Vec<Fault>,
}

impl Report {
    /// Returns what to change, each remedy once, in the order in which the checks found that it is needed.
    #[must_use]
    pub fn causes(&self) -> Vec<Cause<'_>> {
        let mut causes: Vec<(&Text, Faults)> = Vec::new();
        for fault in self.checks.iter().flat_map(|check| &check.faults) {
            let at = causes.iter().position(|(remedy, _)| **remedy == fault.remedy).unwrap_or_else(|| {
                causes.push((&fault.remedy, Faults::default()));
                causes.len() - 1
            });
            causes[at].1.push(fault.clone());
        }
        causes.into_iter().map(|(remedy, faults)| Cause { remedy, faults: faults.into_vec() }).collect()
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

/// Runs every check that fits what answers at `origin`; a fault in one does not stop the others. The clock there is
/// compared with `now`.
///
/// # Errors
/// If `origin` is not an origin, or nothing answers there.
pub fn examine(origin: &str, now: Timestamp) -> Result<Report, DoctorError> {
    let (mut visit, first) = visit(origin)?;
    visit.compare_clocks(&first, now);
    let (unreached, is_anything_there) = unreached(&visit);
    let kind = if is_anything_there { kind(&visit) } else { Kind::Nothing };
    let checks = match kind {
        Kind::Sidecar | Kind::Nothing => [&checks::ALL[..], &computed::SIDECAR, &fields::SIDECAR].concat(),
        Kind::Edge => [&checks::ALL[..], &computed::EDGE, &fields::EDGE].concat(),
        Kind::Files => files::ALL.to_vec(),
    };
    let examine = |(name, check): &checks::Named| {
        let mut faults = Faults::default();
        let ended = if kind == Kind::Nothing {
            Err(End::Unjudged(messages::unjudged_unreached()))
        } else {
            check(&visit, &mut faults)
        };
        let mut unjudged = None;
        match ended {
            Ok(()) => {}
            Err(End::Fault(fault)) => faults.push(fault),
            Err(End::Unjudged(why)) => unjudged = Some(why),
        }
        Examined { name: name(), faults: faults.into_vec(), unjudged }
    };
    let reach = Examined { name: messages::examined_reach(), faults: unreached, unjudged: None };
    let checks = [reach].into_iter().chain(checks.iter().map(examine)).collect();
    Ok(Report { site: visit.origin().to_owned(), kind, checks })
}

/// Addresses of which every deployment answers some.
const REACHED: [&str; 5] = [routes::ROBOTS_TXT, routes::SITEMAP, "/en", routes::TEAM, routes::HEALTH];

/// Returns the faults of addresses behind which nothing answers, or which lead elsewhere, and whether anything of the
/// site is there; if not, the faults of all addresses.
fn unreached(visit: &Visit) -> (Vec<Fault>, bool) {
    // Each with whether it counts where something of the site is there.
    let mut found = Vec::new();
    for path in REACHED {
        match visit.get(path, &[]) {
            Ok(answer) if answer.status == 200 => {}
            Ok(answer) => {
                let is_redirect = (300..400).contains(&answer.status);
                let about = if is_redirect { path } else { "/" };
                let fault = Fault { places: vec![path.to_owned()], ..Fault::of_status(visit, about, &answer) };
                found.push((fault, is_redirect || answer.status >= 502 && !answer.is_error()));
            }
            Err(fault) => found.push((fault, false)),
        }
    }
    let (is_anything_there, mut faults) = (found.len() < REACHED.len(), Faults::default());
    found.into_iter().filter(|it| it.1 || !is_anything_there).for_each(|(fault, _)| faults.push(fault));
    (faults.into_vec(), is_anything_there)
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
    let unreachable = |fault: Fault| DoctorError::Unreachable(trimmed.to_owned(), fault.fault);
    let answer = visit.get(routes::HEALTH, &[]).map_err(unreachable)?;
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

/// How the limit of the content API begins, which the sidecar alone counts and tells with every list.
const LIMIT: &str = "\"content\";";

/// Finds out what answers. A service of which a cache or a proxy spoils one answer still gives the others.
fn kind(visit: &Visit) -> Kind {
    let list = |fields: &[(&str, &str)]| visit.get(routes::TEAM, fields);
    // The sidecar counts, and calls a request what its client calls it, or by a name in a form of its own.
    let own_name = "mecelle-doctor";
    let is_of_sidecar = |path: &str| {
        visit.get(path, &[(headers::X_REQUEST_ID, own_name)]).is_ok_and(|answer| {
            let name = answer.field(headers::X_REQUEST_ID);
            [headers::RATE_LIMIT_POLICY, headers::RATE_LIMIT].iter().any(|it| answer.field(it).starts_with(LIMIT))
                || name == own_name
                || name.split('-').map(str::len).eq([16, 10])
        })
    };
    let is_sidecar = [routes::TEAM, routes::ROBOTS_TXT].into_iter().any(is_of_sidecar);
    if is_sidecar {
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
    let answer = visit.get(path, fields)?;
    if answer.status == 200 { Ok(answer) } else { Err(Fault::of_status(visit, path, &answer)) }
}

/// What to do where something is not there.
const PUBLISH: Remedy = messages::doctor_publish_help;
/// What to do where fields of requests are lost.
const FIELDS: Remedy = messages::doctor_request_fields_help;
/// What to do where a document has no type of its own.
const TYPES: Remedy = messages::doctor_types_help;
