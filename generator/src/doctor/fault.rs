//! What is wrong with a site: where, what, and what to change. Faults with one cause are told as one.

use std::fmt::Display;

use contract::Locale;
use findings::messages::{self, Text};

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
