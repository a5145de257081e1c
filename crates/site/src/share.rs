//! Facts that both languages share: each file inherits them from the other and must not contradict it.

use content::{At, Field, FieldContent, FieldValue, Head, Kind, Lost, Record, Sharing, Values, fields_of};
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
struct Comparison<'a> {
    files: (&'a str, Option<&'a str>),
    /// Whether the entry may exist in one language only.
    may_be_alone: bool,
    /// The unreadable fields of each file.
    lost: [&'a Lost; 2],
    findings: &'a mut Vec<Finding>,
}

fn pair(first: &mut Record, mut second: Option<&mut Record>, findings: &mut Vec<Finding>) {
    let kind = first.kind;
    if let Some(second) = &mut second {
        (first.twin_lost, second.twin_lost) = (second.lost.clone(), first.lost.clone());
    }
    let (other_file, other_lost, other_values) = match second.as_deref_mut() {
        Some(Record { file, lost, values, .. }) => (Some(file.as_str()), &*lost, Some(values)),
        None => (None, &Lost::Nothing, None),
    };
    let mut comparison = Comparison {
        files: (&first.file, other_file),
        may_be_alone: kind.may_lack_translation(&first.key),
        lost: [&first.lost, other_lost],
        findings,
    };
    // The fields of an unreadable file are unknown.
    if !comparison.lost.contains(&&Lost::All) {
        comparison.entry(kind, &mut first.values, other_values);
    }
    for record in [Some(first), second].into_iter().flatten() {
        record.head = Head::of(kind, &record.values);
    }
}

/// Copies the value of a field to the other file if only one has a value.
fn inherit(name: &'static str, one: &mut Values, other: &mut Values) {
    match (one.find(name), other.find(name)) {
        (Some(fact), None) => other.set(name, inherited(fact)),
        (None, Some(fact)) => one.set(name, inherited(fact)),
        _ => {}
    }
}

fn inherited(fact: &At<FieldValue>) -> At<FieldValue> {
    let mut fact = At { inherited: true, ..fact.clone() };
    match &mut fact.value {
        FieldValue::List(items) => items.iter_mut().for_each(|item| item.inherited = true),
        FieldValue::Groups(groups) => groups.iter_mut().for_each(|group| group.inherited = true),
        FieldValue::Text(_) | FieldValue::Group(_) => {}
    }
    fact
}

/// Adds to each of two lists the items of the other one that it lacks.
fn inherit_items(name: &'static str, one: &mut Values, other: &mut Values) {
    inherit(name, one, other);
    let (Some(At { value: FieldValue::List(ours), .. }), Some(At { value: FieldValue::List(theirs), .. })) =
        (one.find_mut(name), other.find_mut(name))
    else {
        return;
    };
    let lacking = |own: &[At<String>], others: &[At<String>]| -> Vec<At<String>> {
        let lacking = others.iter().filter(|item| !own.contains(item));
        lacking.map(|item| At { inherited: true, ..item.clone() }).collect()
    };
    let (for_us, for_them) = (lacking(ours, theirs), lacking(theirs, ours));
    ours.extend(for_us);
    theirs.extend(for_them);
}

/// Completes the contact details with those of the main office.
fn take_from_main_office(contact: &mut Values) {
    let Some(At { value: main, .. }) = contact.groups("offices").first().cloned() else { return };
    for name in ["email", "telephone", "hours", "directions"] {
        if let (None, Some(fact)) = (contact.find(name), main.find(name)) {
            contact.set(name, fact.clone());
        }
    }
}

impl Comparison<'_> {
    /// Expects both files to be of one kind.
    fn entry(&mut self, kind: Kind, first: &mut Values, mut second: Option<&mut Values>) {
        let fields = fields_of(kind.folder());
        let is_contact = kind == Kind::Contact;
        for field in fields {
            // The main office may state what the contact entry requires.
            if !is_contact {
                self.require(field, first, second.as_deref());
            }
            self.field(field, first, second.as_deref_mut());
        }
        if is_contact {
            take_from_main_office(first);
            second.as_deref_mut().into_iter().for_each(take_from_main_office);
            for field in fields.iter().filter(|field| field.is_required) {
                self.require(field, first, second.as_deref());
                self.field(field, first, second.as_deref_mut());
            }
        }
    }

    /// Reports a shared field that neither file states.
    fn require(&mut self, field: &Field, first: &Values, second: Option<&Values>) {
        let name = field.name.as_str();
        let is_absent = first.find(name).is_none() && second.is_none_or(|second| second.find(name).is_none());
        // A missing file is reported elsewhere; it may be the one that would state the fact.
        let has_both = self.files.1.is_some();
        let is_required = field.is_required && field.sharing == Sharing::Shared;
        if is_required && is_absent && (has_both || self.may_be_alone) && !self.is_lost(name) {
            let place = Place::new(self.files.0, Span::START);
            let finding = Finding::new(Code::MISSING_FIELD, place, messages::shared_field_missing(name));
            self.findings.push(if has_both { finding.help(messages::shared_field_missing_help()) } else { finding });
        }
    }

    /// Shares a field between both files.
    fn field(&mut self, field: &'static Field, first: &mut Values, second: Option<&mut Values>) {
        let Some(second) = second else { return };
        let name = field.name.as_str();
        match (field.sharing, &field.content) {
            (Sharing::Own, _) => {}
            (Sharing::Shared, _) => self.same(name, name, first, second),
            (Sharing::Inherited, FieldContent::List(..)) => inherit_items(name, first, second),
            (Sharing::Inherited, FieldContent::Groups(fields, _)) => self.offices(name, fields, first, second),
            (Sharing::Inherited, _) => inherit(name, first, second),
        }
    }

    /// Inherits the whole list if one file has no offices, otherwise the fields that an office lacks in one file.
    fn offices(&mut self, name: &'static str, fields: &'static [Field], first: &mut Values, second: &mut Values) {
        if self.is_lost(name) {
            return;
        }
        match (first.groups(name).is_empty(), second.groups(name).is_empty()) {
            (false, true) => second.remove(name),
            (true, false) => first.remove(name),
            _ => {}
        }
        inherit(name, first, second);
        if let (Some(At { value: FieldValue::Groups(ours), .. }), Some(At { value: FieldValue::Groups(theirs), .. })) =
            (first.find_mut(name), second.find_mut(name))
        {
            self.same_offices(fields, ours, theirs);
        }
    }

    fn same_offices(&mut self, fields: &'static [Field], first: &mut [At<Values>], second: &mut [At<Values>]) {
        let keys = |offices: &[At<Values>]| -> Option<Vec<String>> {
            offices.iter().map(|office| office.value.get("key").map(|key| key.value)).collect()
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
            for Field { name, sharing, .. } in fields {
                match sharing {
                    Sharing::Own => {}
                    // The two languages may write it differently, so a difference is no finding.
                    Sharing::Inherited => inherit(name, one, other),
                    Sharing::Shared if one.has_failed(name) || other.has_failed(name) => {}
                    Sharing::Shared => self.same(&format!("offices.{name}"), name, one, other),
                }
            }
        }
    }

    /// Inherits a fact, and reports two different values.
    fn same(&mut self, path: &str, name: &'static str, first: &mut Values, second: &mut Values) {
        inherit(name, first, second);
        if let (Some(one), Some(other)) = (first.find(name), second.find(name))
            && one != other
            && !self.is_lost(path)
        {
            self.differs(path, one.span, other.span);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_the_other_language_are_inherited_even_by_a_file_that_has_none() {
        let items = |values: &Values| -> Vec<(String, bool)> {
            let list = values.list::<String>("aliases").unwrap().value;
            list.into_iter().map(|item| (item.value, item.inherited)).collect()
        };
        for (own, expected) in [(None, vec![("a", true)]), (Some("b"), vec![("b", false), ("a", true)])] {
            let [mut one, mut other] = [Values::default(), Values::default()];
            let list = |item: &str| At::new(FieldValue::List(vec![At::new(item.to_owned(), Span::START)]), Span::START);
            one.set("aliases", list("a"));
            if let Some(own) = own {
                other.set("aliases", list(own));
            }
            inherit_items("aliases", &mut one, &mut other);
            let expected: Vec<_> =
                expected.into_iter().map(|(item, is_inherited)| (item.to_owned(), is_inherited)).collect();
            assert_eq!(items(&other), expected);
            assert!(!items(&one)[0].1 && items(&one).len() == expected.len());
        }
    }
}
