//! What is wrong with a site: where, what, and what to change. Faults with one cause are told as one.

use std::{borrow::Cow, fmt::Display};

use contract::{Locale, routes};

use super::visit::{Answer, Visit};
use crate::messages::{self, Text};

/// How many places of a fault are named.
const MAX_PLACES: usize = 3;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The addresses at which it was found; none if it is about the whole site.
    pub places: Vec<String>,
    /// What was found there.
    pub fault: Text,
    /// What to change.
    pub remedy: Text,
}

/// What to do, in words.
pub(super) type Remedy = fn() -> Text;

impl Fault {
    /// Creates a fault of one place, or of the whole site if that is empty.
    pub(super) fn new(place: impl Display, fault: Text, remedy: impl FnOnce() -> Text) -> Self {
        let place = place.to_string();
        Self { places: if place.is_empty() { Vec::new() } else { vec![place] }, fault, remedy: remedy() }
    }

    /// Creates the fault of an answer with another status than the one that was expected, or of something else than the
    /// service. What is to be done depends on what answers: errors of the service are in its own form, those of a proxy
    /// are not.
    pub(super) fn of_status(visit: &Visit, path: &str, answer: &Answer) -> Self {
        let (status, area) = (answer.status, area(path));
        let is_own = answer.is_error() || answer.json().is_ok_and(|told| told["jsonrpc"].is_string());
        let location = answer.field("location");
        let origin = location.split('/').take(3).collect::<Vec<_>>().join("/");
        let is_whole = location.starts_with("http://") || location.starts_with("https://");
        let (fault, remedy) = match status {
            300..=399 if is_whole && origin != visit.origin() => {
                (messages::redirected(status, &origin), meant(visit, &origin))
            }
            300..=399 if !location.is_empty() => {
                (messages::redirected(status, led(visit, path, location)), messages::doctor_redirect_help())
            }
            503 if is_own => (messages::service_unavailable(status), messages::doctor_store_help(routes::HEALTH)),
            502..=504 | 520..=530 => (messages::service_down(status), messages::doctor_start_help()),
            _ if is_own && status == 403 => (messages::answer_status(status), messages::doctor_host_help()),
            _ if is_own && status == 415 => (messages::answer_status(status), messages::doctor_request_fields_help()),
            413 => (messages::answer_status(status), messages::doctor_body_help()),
            429 => (messages::answer_status(status), messages::doctor_wait_help()),
            _ if is_own => (messages::answer_status(status), messages::doctor_publish_help()),
            403 if area.starts_with("/.") => (messages::kept_out(status), messages::doctor_hidden_help(area)),
            401 | 403 => (messages::kept_out(status), messages::doctor_kept_out_help(area)),
            405 | 501 => (messages::answer_status(status), messages::doctor_methods_help()),
            _ if area.starts_with("/.") => (messages::answer_status(status), messages::doctor_hidden_help(area)),
            _ => (answer.told(), messages::doctor_area_help(area)),
        };
        Self::new(path, fault, || remedy)
    }

    /// Returns what was found and where.
    #[must_use]
    pub fn text(&self) -> Text {
        if self.places.is_empty() {
            return self.fault.clone();
        }
        let named = self.places.iter().take(MAX_PLACES).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = self.places.len().saturating_sub(MAX_PLACES);
        let places = if more > 0 { messages::places_and_more(named, more) } else { Text::verbatim(named) };
        Text::build(|locale: Locale| format!("{}: {}", &places[locale], &self.fault[locale]))
    }
}

/// Returns the first part of a path, which proxies have rules for; that of all pages of a language is one.
pub(super) fn area(path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let (first, is_folder) = path.trim_start_matches('/').split_once('/').map_or((path, false), |it| (it.0, true));
    let name = first.trim_start_matches('/').split('.').next().unwrap_or_default();
    if Locale::ALL.iter().any(|locale| locale.as_str() == name) {
        return format!("/{name}");
    }
    if is_folder { format!("/{first}/") } else { path.to_owned() }
}

/// Returns where a redirect leads. What differs from address to address is left out, so that all are told as one.
fn led<'a>(visit: &Visit, path: &str, location: &'a str) -> Cow<'a, str> {
    let bare = |target: &'a str| target.split('?').next().unwrap_or_default();
    let target = bare(location.strip_prefix(visit.origin()).unwrap_or(location));
    let rest = target.strip_prefix(path.split('?').next().unwrap_or_default());
    match rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => format!("…{rest}").into(),
        // The same page with another query, or the site itself.
        None if location.starts_with('?') => "…".into(),
        None if target.is_empty() => "/".into(),
        None => target.into(),
    }
}

/// Returns what to do about an address of another site than the one that is asked.
pub(super) fn meant(visit: &Visit, address: &str) -> Text {
    let other = super::other_scheme(visit.origin());
    if address == other || address.starts_with(&format!("{other}/")) {
        return messages::doctor_scheme_help(other);
    }
    messages::doctor_origin_help()
}

/// The faults of a check. Those that differ in their place alone become one.
#[derive(Default)]
pub(super) struct Faults(Vec<Fault>);

impl Faults {
    pub(super) fn push(&mut self, fault: Fault) {
        let Some(known) = self.0.iter_mut().find(|it| it.fault == fault.fault && it.remedy == fault.remedy) else {
            self.0.push(fault);
            return;
        };
        for place in fault.places {
            if !known.places.contains(&place) {
                known.places.push(place);
            }
        }
    }

    /// Adds a fault at `place` unless something holds.
    pub(super) fn expect(
        &mut self,
        place: &str,
        holds: bool,
        remedy: impl FnOnce() -> Text,
        fault: impl FnOnce() -> Text,
    ) {
        if !holds {
            self.push(Fault::new(place, fault(), remedy));
        }
    }

    /// Adds a fault unless an answer `holds`. Where it comes from something in front of the service, that is the fault
    /// instead.
    pub(super) fn expect_answer(
        &mut self,
        visit: &Visit,
        (path, answer): (&str, &Answer),
        holds: bool,
        remedy: Remedy,
        fault: impl FnOnce() -> Text,
    ) {
        let is_refused = answer.status == 503 || answer.status >= 400 && !answer.is_own();
        if !holds {
            self.push(if is_refused || matches!(answer.status, 300..=303 | 305..=399) {
                Fault::of_status(visit, path, answer)
            } else {
                Fault::new(path, fault(), remedy)
            });
        }
    }

    /// Adds a fault unless a field of the answer at `place` says what it must; `given` is what it says.
    pub(super) fn expect_field(&mut self, place: &str, (name, given): (&str, &str), holds: bool, remedy: Remedy) {
        self.expect(place, holds, remedy, || {
            if given.is_empty() { messages::field_lacking(name) } else { messages::field_differs(name, given) }
        });
    }

    pub(super) fn into_vec(self) -> Vec<Fault> {
        self.0
    }
}

/// Why a check ends before its end.
pub(super) enum End {
    /// Something is wrong, without which the check cannot continue.
    Fault(Fault),
    /// Nothing can be said, for a reason.
    Unjudged(Text),
}

impl From<Fault> for End {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
