//! Facts that are the same in both languages: each file inherits them from the other, and must not contradict it.

use crate::{
    diagnostic::{Code, Finding, Place, Span},
    source::{At, Facts, Kind, Lost, Record},
};

/// Lets the two files of each entry inherit from each other. `records` are sorted, so the two files are neighbours.
pub(crate) fn share(records: &mut [Record]) -> Vec<Finding> {
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

/// The fields of one entry, in one or two files.
struct Sharing<'a> {
    files: (&'a str, Option<&'a str>),
    /// Fields of each file that could not be read.
    lost: [&'a Lost; 2],
    findings: &'a mut Vec<Finding>,
}

fn pair(first: &mut Record, second: Option<&mut Record>, findings: &mut Vec<Finding>) {
    let kind = first.kind;
    if let Some(second) = second {
        (first.twin_lost, second.twin_lost) = (second.lost.clone(), first.lost.clone());
        let lost = [&first.lost, &second.lost];
        let mut sharing = Sharing { files: (&first.file, Some(&second.file)), lost, findings };
        let (Some(facts), Some(other)) = (&mut first.facts, &mut second.facts) else { return };
        sharing.head(kind, &mut first.head, Some(&mut second.head));
        sharing.facts(facts, Some(other));
    } else {
        let lost = [&first.lost, &Lost::Nothing];
        let mut sharing = Sharing { files: (&first.file, None), lost, findings };
        let Some(facts) = &mut first.facts else { return };
        sharing.head(kind, &mut first.head, None);
        sharing.facts(facts, None);
    }
}

/// Applies a method to fields of the same name of one or two groups of facts.
macro_rules! each {
    ($sharing:ident, $first:ident, $second:ident: $($method:ident $field:ident),* $(,)?) => {
        { $( $sharing.$method(stringify!($field), &mut $first.$field, $second.as_mut().map(|s| &mut s.$field)) );*; }
    };
}

/// Adds to `own` those of `others` that it does not have.
fn inherit_each<T: PartialEq>(own: &mut Vec<At<T>>, others: Vec<At<T>>) {
    for other in others {
        if own.iter().all(|known| known.value != other.value) {
            own.push(At { inherited: true, ..other });
        }
    }
}

impl Sharing<'_> {
    fn head(&mut self, kind: Kind, first: &mut crate::source::Head, mut second: Option<&mut crate::source::Head>) {
        match kind {
            Kind::PracticeAreas | Kind::Pages => each!(self, first, second: needs updated),
            Kind::Publications => each!(self, first, second: may updated),
            Kind::Team => {
                self.needs("name", &mut first.title, second.as_mut().map(|s| &mut s.title));
                each!(self, first, second: needs slug, needs updated);
                // Since both languages share the slug, they also share its former ones.
                if let Some(second) = second {
                    let both = (first.aliases.clone(), second.aliases.clone());
                    inherit_each(&mut first.aliases, both.1);
                    inherit_each(&mut second.aliases, both.0);
                }
            }
            Kind::Network => self.needs("name", &mut first.title, second.as_mut().map(|s| &mut s.title)),
            Kind::Contact => {}
        }
    }

    /// Both files are of one kind.
    fn facts(&mut self, first: &mut Facts, second: Option<&mut Facts>) {
        macro_rules! of_kind {
            ($kind:ident, $first:ident: $($fields:tt)*) => {{
                let mut second = second.and_then(|facts| if let Facts::$kind(facts) = facts { Some(facts) } else { None });
                each!(self, $first, second: $($fields)*)
            }};
        }
        match first {
            Facts::Area(first) => of_kind!(Area, first: may order),
            Facts::Member(first) => of_kind!(Member, first:
                may order, may email, may telephone, may linkedin, may languages, may practice_areas, may portrait,
                may portrait_focus),
            Facts::Article(first) => of_kind!(Article, first:
                may date, may author, may category, may draft, may publish, may expires),
            Facts::Associate(first) => of_kind!(Associate, first: needs country, needs relation, may network, may url),
            Facts::Office(first) => of_kind!(Office, first:
                needs email, needs telephone, may telephone_display, may directions, may linkedin, may hours,
                may languages),
            Facts::Page => {}
        }
    }

    /// Inherits an optional fact.
    fn may<T: Clone + PartialEq>(&mut self, name: &str, first: &mut Option<At<T>>, second: Option<&mut Option<At<T>>>) {
        let Some(second) = second else { return };
        match (&*first, &*second) {
            (Some(fact), None) => *second = Some(At { inherited: true, ..fact.clone() }),
            (None, Some(fact)) => *first = Some(At { inherited: true, ..fact.clone() }),
            (Some(one), Some(other)) if one != other && !self.is_lost(name) => self.differs(name, one.span, other.span),
            _ => {}
        }
    }

    /// Inherits a fact that one of the two files must state.
    fn needs<T: Clone + PartialEq>(
        &mut self,
        name: &str,
        first: &mut Option<At<T>>,
        second: Option<&mut Option<At<T>>>,
    ) {
        let is_absent = first.is_none() && second.as_ref().is_none_or(|second| second.is_none());
        // If one of the files does not exist, that is reported, and the fact may be intended for that file.
        if is_absent && self.files.1.is_some() && !self.is_lost(name) {
            let place = Place::new(self.files.0, Span::START);
            let finding = Finding::new(Code::MISSING_FIELD, place, format!("required field `{name}` is missing"));
            self.findings.push(finding.help("it is the same in both languages: write it in `en.md` or in `tr.md`"));
        }
        self.may(name, first, second);
    }

    /// Whether one of the files may have a field whose value, or part of it, is not known.
    fn is_lost(&self, name: &str) -> bool {
        self.lost.iter().any(|lost| lost.has(name))
    }

    fn differs(&mut self, name: &str, one: Span, other: Span) {
        let place = |file: &str, span| Place::new(file, span);
        let (first, Some(second)) = self.files else { return };
        let message = format!("field `{name}` differs from its translation");
        let finding = Finding::new(Code::SHARED_FIELD_DIFFERS, place(second, other), message)
            .related(place(first, one), "the other value is here")
            .help("the fact is the same in both languages: correct one of the two, or remove one");
        self.findings.push(finding);
    }
}
