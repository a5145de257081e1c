//! Faults of a site: place, message and remedy. Faults that differ only in their place are merged.

use std::fmt::Display;

use contract::Locale;
use findings::messages::{self, Text};

const MAX_PLACES: usize = 3;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The paths with the fault; empty if it concerns the whole site.
    pub places: Vec<String>,
    pub fault: Text,
    pub remedy: Text,
}

pub(super) type Remedy = fn() -> Text;

impl Fault {
    /// Creates a fault of one place, or of the whole site if `place` is empty.
    pub(super) fn new(place: impl Display, fault: Text, remedy: impl FnOnce() -> Text) -> Self {
        let place = place.to_string();
        Self { places: if place.is_empty() { Vec::new() } else { vec![place] }, fault, remedy: remedy() }
    }

    /// Returns the places and the message.
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

/// Returns the first part of a path, to which rules of proxies apply. All pages of a language are one area.
pub(super) fn area(path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let (first, is_folder) = path.trim_start_matches('/').split_once('/').map_or((path, false), |it| (it.0, true));
    let name = first.trim_start_matches('/').split('.').next().unwrap_or_default();
    if Locale::ALL.iter().any(|locale| locale.as_str() == name) {
        return format!("/{name}");
    }
    if is_folder { format!("/{first}/") } else { path.to_owned() }
}

/// The faults of a check. Faults that differ only in their place are merged.
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

    /// Adds a fault at `place` unless `holds`.
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

    /// Adds a fault of a header field unless `holds`; `given` is the value that was sent, or empty.
    pub(super) fn expect_field(&mut self, place: &str, (name, given): (&str, &str), holds: bool, remedy: Remedy) {
        self.expect(place, holds, remedy, || {
            if given.is_empty() { messages::field_lacking(name) } else { messages::field_differs(name, given) }
        });
    }

    pub(super) fn into_vec(self) -> Vec<Fault> {
        self.0
    }
}

/// Why a check stopped early.
pub(super) enum End {
    /// A fault that prevents the rest of the check.
    Fault(Fault),
    /// The check does not apply, with the reason.
    Unjudged(Text),
}

impl From<Fault> for End {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}
