//! Facts that both languages share: each file inherits them from the other and must not contradict it.

use content::{At, ContactFacts, Facts, Kind, Lost, OfficeFacts, Record};
use findings::{Code, Finding, Place, Span, messages};

/// Copies shared facts between the two files of each entry. Expects sorted `records`: the two files are neighbours.
pub fn share(records: &mut [Record]) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut rest = records;
    while let Some((first, others)) = rest.split_first_mut() {
        let is_pair = others.first().is_some_and(|next| (next.kind, &next.key) == (first.kind, &first.key));
        let (second, others) = others.split_at_mut(usize::from(is_pair));
        pair(first, second.first_mut(), &mut findings);
        rest = others;
    }
    findings
}

/// Compares the fields of one entry, in one or two files.
struct Sharing<'a> {
    files: (&'a str, Option<&'a str>),
    /// Whether the entry may exist in one language only.
    may_be_alone: bool,
    /// The unreadable fields of each file.
    lost: [&'a Lost; 2],
    findings: &'a mut Vec<Finding>,
}

fn pair(first: &mut Record, second: Option<&mut Record>, findings: &mut Vec<Finding>) {
    let kind = first.kind;
    let may_be_alone = kind.may_lack_translation(&first.key);
    if let Some(second) = second {
        (first.twin_lost, second.twin_lost) = (second.lost.clone(), first.lost.clone());
        let lost = [&first.lost, &second.lost];
        let mut sharing = Sharing { files: (&first.file, Some(&second.file)), may_be_alone, lost, findings };
        let (Some(facts), Some(other)) = (&mut first.facts, &mut second.facts) else { return };
        sharing.head(kind, &mut first.head, Some(&mut second.head));
        sharing.facts(facts, Some(other));
    } else {
        let lost = [&first.lost, &Lost::Nothing];
        let mut sharing = Sharing { files: (&first.file, None), may_be_alone, lost, findings };
        let Some(facts) = &mut first.facts else { return };
        sharing.head(kind, &mut first.head, None);
        sharing.facts(facts, None);
    }
}

/// Applies a method to the fields of one name in the first and, if present, the second file.
macro_rules! each {
    ($sharing:ident, $first:ident, $second:ident: $($method:ident $field:ident),* $(,)?) => {
        { $( $sharing.$method(stringify!($field), &mut $first.$field, $second.as_mut().map(|s| &mut s.$field)) );*; }
    };
}

/// Adds to `own` the values of `others` that it lacks.
fn inherit_each<T: PartialEq>(own: &mut Vec<At<T>>, others: Vec<At<T>>) {
    for other in others {
        if own.iter().all(|known| known.value != other.value) {
            own.push(At { inherited: true, ..other });
        }
    }
}

/// Copies the value of one field to the other if only one has a value.
fn inherit<T: Clone>(one: &mut Option<At<T>>, other: &mut Option<At<T>>) {
    match (&*one, &*other) {
        (Some(fact), None) => *other = Some(At { inherited: true, ..fact.clone() }),
        (None, Some(fact)) => *one = Some(At { inherited: true, ..fact.clone() }),
        _ => {}
    }
}

fn inherited_office(office: &At<OfficeFacts>) -> At<OfficeFacts> {
    At { inherited: true, ..office.clone() }
}

/// Completes the contact details with those of the main office.
fn take_from_main_office(contact: &mut ContactFacts) {
    let Some(At { value: main, .. }) = contact.offices.first() else { return };
    contact.email = contact.email.take().or_else(|| main.email.clone());
    contact.telephone = contact.telephone.take().or_else(|| main.telephone.clone());
    contact.hours = contact.hours.take().or_else(|| main.hours.clone());
    contact.directions = contact.directions.take().or_else(|| main.directions.clone());
}

impl Sharing<'_> {
    fn head(&mut self, kind: Kind, first: &mut content::Head, mut second: Option<&mut content::Head>) {
        match kind {
            Kind::PracticeAreas | Kind::Pages => each!(self, first, second: required updated),
            Kind::Publications => each!(self, first, second: optional updated),
            Kind::Team => {
                self.required("name", &mut first.title, second.as_mut().map(|s| &mut s.title));
                each!(self, first, second: required slug, required updated);
                // Since both languages share the slug, they also share its former ones.
                if let Some(second) = second {
                    let both = (first.aliases.clone(), second.aliases.clone());
                    inherit_each(&mut first.aliases, both.1);
                    inherit_each(&mut second.aliases, both.0);
                }
            }
            Kind::Network => self.required("name", &mut first.title, second.as_mut().map(|s| &mut s.title)),
            Kind::Contact => {}
        }
    }

    /// Expects both files to be of one kind.
    fn facts(&mut self, first: &mut Facts, second: Option<&mut Facts>) {
        macro_rules! of_kind {
            ($kind:ident, $first:ident: $($fields:tt)*) => {{
                let mut second = second.and_then(|facts| if let Facts::$kind(facts) = facts { Some(facts) } else { None });
                each!(self, $first, second: $($fields)*)
            }};
        }
        match first {
            Facts::Area(first) => of_kind!(Area, first: optional order),
            Facts::Member(first) => of_kind!(Member, first:
                optional order, optional name_language, optional email, optional telephone, optional linkedin,
                optional languages, optional practice_areas, optional portrait, optional portrait_focus),
            Facts::Article(first) => of_kind!(Article, first:
                optional date, optional author, optional authors, optional category, optional draft, optional publish,
                optional expires),
            Facts::Associate(first) => of_kind!(Associate, first:
                required country, required relation, optional network, optional url),
            Facts::Contact(first) => {
                let mut second = second.and_then(|facts| match facts {
                    Facts::Contact(facts) => Some(facts),
                    _ => None,
                });
                if let Some(second) = &mut second {
                    self.offices(&mut first.offices, &mut second.offices);
                }
                each!(self, first, second: optional email, optional telephone, optional telephone_display,
                    optional directions, optional linkedin, optional hours, optional languages);
                take_from_main_office(first);
                if let Some(second) = &mut second {
                    take_from_main_office(second);
                }
                each!(self, first, second: required email, required telephone);
            }
            Facts::Page => {}
        }
    }

    /// Inherits the whole list if one file has no offices, otherwise the fields that an office lacks in one file.
    fn offices(&mut self, first: &mut Vec<At<OfficeFacts>>, second: &mut Vec<At<OfficeFacts>>) {
        if self.is_lost("offices") {
            return;
        }
        match (first.is_empty(), second.is_empty()) {
            (false, true) => *second = first.iter().map(inherited_office).collect(),
            (true, false) => *first = second.iter().map(inherited_office).collect(),
            (true, true) => {}
            (false, false) => self.same_offices(first, second),
        }
    }

    fn same_offices(&mut self, first: &mut [At<OfficeFacts>], second: &mut [At<OfficeFacts>]) {
        let keys = |offices: &[At<OfficeFacts>]| -> Option<Vec<String>> {
            offices.iter().map(|office| Some(office.value.key.as_ref()?.value.clone())).collect()
        };
        let (Some(ours), Some(theirs)) = (keys(first), keys(second)) else { return };
        if ours != theirs {
            let (one, Some(other)) = self.files else { return };
            let finding = Finding::new(
                Code::OFFICES,
                Place::new(other, second[0].span),
                messages::offices_differ(theirs.join(", "), ours.join(", ")),
            );
            let finding = finding.related(Place::new(one, first[0].span), messages::offices_differ_there());
            self.findings.push(finding.help(messages::offices_differ_help()));
            return;
        }
        for (At { value: one, .. }, At { value: other, .. }) in first.iter_mut().zip(second) {
            let is_known = |name: &str| !one.lost.contains(&name) && !other.lost.contains(&name);
            let known = ["postal_code", "country", "telephone", "email", "hours", "directions"].map(is_known);
            // The two languages may write these differently, so a difference is no finding.
            inherit(&mut one.name, &mut other.name);
            inherit(&mut one.street, &mut other.street);
            inherit(&mut one.city, &mut other.city);
            macro_rules! same {
                ($($at:literal $field:ident),*) => { $(
                    if known[$at] {
                        let name = concat!("offices.", stringify!($field));
                        self.optional(name, &mut one.$field, Some(&mut other.$field));
                    }
                )* };
            }
            same!(0 postal_code, 1 country, 2 telephone, 3 email, 4 hours, 5 directions);
        }
    }

    /// Inherits an optional fact, and reports two different values.
    fn optional<T: Clone + PartialEq>(
        &mut self,
        name: &str,
        first: &mut Option<At<T>>,
        second: Option<&mut Option<At<T>>>,
    ) {
        let Some(second) = second else { return };
        match (&*first, &*second) {
            (Some(fact), None) => *second = Some(At { inherited: true, ..fact.clone() }),
            (None, Some(fact)) => *first = Some(At { inherited: true, ..fact.clone() }),
            (Some(one), Some(other)) if one != other && !self.is_lost(name) => self.differs(name, one.span, other.span),
            _ => {}
        }
    }

    /// Inherits a fact, and reports it as missing if neither file states it.
    fn required<T: Clone + PartialEq>(
        &mut self,
        name: &str,
        first: &mut Option<At<T>>,
        second: Option<&mut Option<At<T>>>,
    ) {
        let is_absent = first.is_none() && second.as_ref().is_none_or(|second| second.is_none());
        // A missing file is reported elsewhere; it may be the one that would state the fact.
        let has_both = self.files.1.is_some();
        if is_absent && (has_both || self.may_be_alone) && !self.is_lost(name) {
            let place = Place::new(self.files.0, Span::START);
            let finding = Finding::new(Code::MISSING_FIELD, place, messages::shared_field_missing(name));
            self.findings.push(if has_both { finding.help(messages::shared_field_missing_help()) } else { finding });
        }
        self.optional(name, first, second);
    }

    /// Returns whether the value of a field is unknown, wholly or in part, in one of the files.
    fn is_lost(&self, name: &str) -> bool {
        self.lost.iter().any(|lost| lost.has(name))
    }

    fn differs(&mut self, name: &str, one: Span, other: Span) {
        let place = |file: &str, span| Place::new(file, span);
        let (first, Some(second)) = self.files else { return };
        let message = messages::shared_field_differs(name);
        let finding = Finding::new(Code::SHARED_FIELD_DIFFERS, place(second, other), message)
            .related(place(first, one), messages::shared_field_differs_there())
            .help(messages::shared_field_differs_help());
        self.findings.push(finding);
    }
}
