//! Reads the front matter of entries by the rows of their kinds.

use contract::Locale;
use findings::{Code, Finding, Span, messages};

use super::{
    At, FieldValue, Kind, Lost, PageKind, Values,
    fields::fields_of,
    reader::{FieldSource, read},
    yaml,
};

/// The fields of an entry's file, with findings.
#[derive(Debug)]
pub struct EntryFields {
    pub values: Values,
    pub lost: Lost,
    pub findings: Vec<Finding>,
}

pub fn read_entry((kind, key, locale): (Kind, &str, Locale), fields: &str, file: &str) -> EntryFields {
    let (pairs, mut findings) = yaml::parse(fields, file, 2);
    let Some(pairs) = pairs else { return EntryFields { values: Values::default(), lost: Lost::All, findings } };
    let unaddressed = Some(key).filter(|_| kind == Kind::Pages && !PageKind::of(key).has_slug());
    let source = FieldSource { file, start: Span::START, locale, unaddressed };
    let (mut values, more) = read(source, fields_of(kind.folder()), &pairs);
    findings.extend(more);
    check_hours(&mut values, source, &mut findings);
    if let Some(At { value: FieldValue::Groups(offices), .. }) = values.find_mut("offices") {
        for office in offices {
            check_hours(&mut office.value, source, &mut findings);
        }
    }
    EntryFields { lost: Lost::of(values.failed.clone()), values, findings }
}

/// Checks the order of opening and closing time. Drops hours with an unreadable field, which would also be reported as
/// different from the other language's hours; an empty group counts as absent.
fn check_hours(values: &mut Values, source: FieldSource, findings: &mut Vec<Finding>) {
    let hours = values.group("hours");
    if let [Some(opens), Some(closes)] = ["opens", "closes"].map(|name| hours.get::<String>(name))
        && opens.value >= closes.value
    {
        let message = messages::hours_reversed(&closes.value, &opens.value);
        findings.push(source.finding(Code::HOURS_ORDER, closes.span, message));
    }
    if !hours.failed.is_empty() || *hours == Values::default() {
        values.remove("hours");
    }
}

/// Returns the keys of the authors of a publication, each once: `author` before `authors`.
pub fn author_keys(publication: &Values) -> Vec<String> {
    let mut keys: Vec<String> = publication.get("author").map(|author| author.value).into_iter().collect();
    let others = publication.list("authors").into_iter().flat_map(|list| list.value).map(|author| author.value);
    for key in others {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}
