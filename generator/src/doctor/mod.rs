//! Examines a running site from outside: sends the requests of readers, agents and caches, and reports faults with
//! their remedies.
//!
//! The doctor changes nothing on the site. Besides plain requests it sends a credential that was never issued, MCP
//! calls without effect, and incomplete requests to the registration flow, which the service rejects. The checks depend
//! on the [`DeploymentKind`] of server: a file host cannot do what the sidecar does.

mod agents;
mod checks;
mod computed;
mod fault;
mod fields;
mod files;
mod judgement;
mod mcp;
mod rows;
mod visit;

use std::{fs, path::Path};

use contract::{
    Locale, headers,
    manifest::{FILE_NAME, Manifest},
    routes,
    text::Uri,
};
use jiff::Timestamp;
use serde::Serialize;

pub use agents::{Point, score};
pub use fault::Fault;
use fault::{End, Faults, Remedy};
use findings::messages::{self, Text};
use visit::{Answer, Visit};

/// The result of an examination.
#[derive(Debug)]
pub struct Report {
    /// Origin of the site.
    pub site: String,
    pub kind: DeploymentKind,
    pub checks: Vec<Examined>,
}

/// The kind of server that answers for a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DeploymentKind {
    /// The sidecar, perhaps behind a proxy.
    Sidecar,
    /// The edge module, or rules of a host, over the files of a build; perhaps with a sidecar behind.
    Edge,
    /// A host that only serves files.
    Files,
    /// No part of the site, at any address.
    Nothing,
}

impl DeploymentKind {
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
    pub name: Text,
    pub faults: Vec<Fault>,
    /// Why the check could not be carried out.
    pub unjudged: Option<Text>,
}

/// A remedy with the faults that it removes.
#[derive(Debug)]
pub struct Cause<'a> {
    pub remedy: &'a Text,
    /// Faults of all checks with this remedy.
    pub faults: Vec<Fault>,
}

impl Report {
    /// Groups the faults by remedy, in the order in which the checks found them.
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

/// Runs every check for the kind of server at `origin`; a fault in one check does not stop the others. The clock of the
/// server is compared with `now`.
///
/// # Errors
/// If `origin` is not an origin, or nothing answers there.
pub fn examine(origin: &str, now: Timestamp) -> Result<Report, Text> {
    let (mut visit, first) = visit(origin)?;
    visit.compare_clocks(&first, now);
    let (unreached, is_anything_there) = check_reach(&visit);
    let kind = if is_anything_there { kind(&visit) } else { DeploymentKind::Nothing };
    let checks = match kind {
        DeploymentKind::Sidecar | DeploymentKind::Nothing => {
            [&checks::ALL[..], &computed::SIDECAR, &fields::SIDECAR].concat()
        }
        DeploymentKind::Edge => [&checks::ALL[..], &computed::EDGE, &fields::EDGE].concat(),
        DeploymentKind::Files => files::ALL.to_vec(),
    };
    let examine = |(name, check): &checks::Named| {
        let mut faults = Faults::default();
        let ended = if kind == DeploymentKind::Nothing {
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

/// Checks whether the site should have changed since the build in `folder`.
pub fn check_schedule(folder: &Path, now: Timestamp) -> Examined {
    let manifest = fs::read(folder.join(FILE_NAME)).ok();
    let manifest = manifest.and_then(|bytes| serde_json::from_slice::<Manifest>(&bytes).ok());
    let (mut faults, mut unjudged) = (Vec::new(), None);
    match manifest.map(|manifest| manifest.next_change.and_then(|moment| moment.parse::<Timestamp>().ok())) {
        Some(Some(moment)) if moment <= now => {
            faults.push(Fault::new("", messages::change_overdue(moment), messages::change_overdue_remedy));
        }
        Some(_) => {}
        None => unjudged = Some(messages::unjudged_no_build(folder.display())),
    }
    Examined { name: messages::examined_schedule(), faults, unjudged }
}

/// Addresses of which every deployment serves at least one.
const REACHED: [&str; 5] = [routes::ROBOTS_TXT, routes::SITEMAP, "/en", routes::TEAM, routes::HEALTH];

/// Requests [`REACHED`], and returns the faults and whether any of them is served. If none is, the faults of all are
/// returned; otherwise only redirects and errors of a proxy.
fn check_reach(visit: &Visit) -> (Vec<Fault>, bool) {
    // Each fault with a flag: whether it is reported although other addresses are served.
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

/// Returns a client for the site at `origin`, and its first answer.
fn visit(origin: &str) -> Result<(Visit, Answer), Text> {
    let trimmed = origin.strip_suffix('/').unwrap_or(origin);
    let is_origin = trimmed.split_once("://").is_some_and(|(scheme, host)| {
        matches!(scheme, "http" | "https") && !host.is_empty() && !host.contains(['/', '?', '#', '@'])
    });
    if !is_origin || Uri::parse(trimmed).is_err() {
        return Err(messages::origin_not_one(origin));
    }
    let visit = Visit::new(trimmed)?;
    let other = other_scheme(trimmed);
    let answer = visit.get(routes::HEALTH, &[]).map_err(|Fault { fault: why, .. }| {
        if why[Locale::DEFAULT].contains("UnknownIssuer") {
            messages::site_of_unknown_authority(why)
        } else {
            messages::site_unreachable(why, &other)
        }
    })?;
    if (300..400).contains(&answer.status) && answer.field("location").starts_with(&format!("{other}/")) {
        return Err(messages::site_of_other_scheme(other));
    }
    Ok((visit, answer))
}

/// Returns the origin with `http` and `https` exchanged.
fn other_scheme(origin: &str) -> String {
    match origin.split_once("://") {
        Some(("https", host)) => format!("http://{host}"),
        Some((_, host)) => format!("https://{host}"),
        None => origin.to_owned(),
    }
}

/// The start of the content API's rate limit fields, which only the sidecar sends.
const LIMIT: &str = "\"content\";";

/// Determines the kind of server. Several signs are tested, because a cache or a proxy may spoil one answer.
fn kind(visit: &Visit) -> DeploymentKind {
    let list = |fields: &[(&str, &str)]| visit.get(routes::TEAM, fields);
    // The sidecar sends its rate limit, and a request id: that of the client, or one of its own form.
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
        return DeploymentKind::Sidecar;
    }
    let signs = [
        list(&[("authorization", checks::NEVER_ISSUED)]).is_ok_and(|answer| answer.status == 401),
        visit.get(&format!("{}?locale=xx", routes::TEAM), &[]).is_ok_and(|answer| answer.status == 400),
        visit.ask("POST", routes::TEAM, &[]).is_ok_and(|answer| !answer.field("allow").is_empty()),
        visit.get("/en", &[("accept", "text/markdown")]).is_ok_and(|answer| answer.has_type("text/markdown")),
    ];
    let computes = signs.into_iter().filter(|holds| *holds).count() >= 2;
    if computes { DeploymentKind::Edge } else { DeploymentKind::Files }
}

/// Requests `path` and returns the answer if its status is 200.
fn get_ok(visit: &Visit, path: &str, fields: &[(&str, &str)]) -> Result<Answer, Fault> {
    let answer = visit.get(path, fields)?;
    if answer.status == 200 { Ok(answer) } else { Err(Fault::of_status(visit, path, &answer)) }
}

const PUBLISH: Remedy = messages::doctor_publish_help;
const QUERY: Remedy = messages::doctor_query_help;
const VARY: Remedy = messages::doctor_vary_help;
const ERRORS: Remedy = messages::doctor_errors_help;
const HEADERS: Remedy = messages::doctor_headers_help;
const METHODS: Remedy = messages::doctor_methods_help;
const BODIES: Remedy = messages::doctor_bodies_help;
const OFFER: Remedy = messages::doctor_offer_help;
const FIELDS: Remedy = messages::doctor_request_fields_help;
const TYPES: Remedy = messages::doctor_types_help;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scheduled_change_is_overdue_once_its_moment_has_passed() {
        let folder = tempfile::tempdir().unwrap();
        let check = |now: &str| check_schedule(folder.path(), now.parse().unwrap());
        assert!(check("2026-12-01T06:00:00Z").unjudged.is_some(), "there is no build");
        let manifest = serde_json::json!({
            "format": contract::manifest::FORMAT, "build": "", "site_url": "", "sandbox_key": "", "classes": {}, "routes": [],
            "redirects": [], "not_found": [], "next_change": "2026-12-01T06:00:00Z",
        });
        fs::write(folder.path().join(FILE_NAME), manifest.to_string()).unwrap();
        for (now, faults) in [("2026-12-01T05:59:59Z", 0), ("2026-12-01T06:00:00Z", 1)] {
            let examined = check(now);
            assert_eq!((examined.faults.len(), examined.unjudged), (faults, None), "{now}");
        }
        let late = check("2027-01-01T00:00:00Z");
        assert!(late.faults[0].text()[Locale::En].contains("2026-12-01T06:00:00Z"));
    }
}
