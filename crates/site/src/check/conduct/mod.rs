//! Passages that counsel should review under the rules on lawyers' advertising and on personal data.
//!
//! A finding is advice, not a violation; without findings, the rules may still be broken. Each kind is reported once
//! per file. Accepted passages are listed in `deviations.toml`.

mod deviations;
mod folded;
mod notice;
mod patterns;

use std::{borrow::Cow, cmp::Reverse, ops::Range};

use content::{Checks, DEVIATIONS, Deviation, Kind, Lines, PageKind, SETTINGS, Tree};
use contract::Locale;
use findings::{
    Accepted, Code, FileFindings, Finding, Place, Span,
    messages::{self, Text},
};
use jiff::{Timestamp, civil::Date, tz::TimeZone};

use self::{
    folded::{Folded, values},
    patterns::Topic,
};
use super::{CheckedText, starter};

/// Bytes around a passage that are searched for quotation marks and brackets.
const MAX_PARAGRAPH: usize = 4000;
/// Characters of a passage in a finding.
const MAX_SHOWN: usize = 60;

/// The context of these checks.
#[derive(Debug, Default)]
pub(crate) struct Conduct {
    pub(crate) checks: Checks,
    /// In the order of the register.
    deviations: Vec<Deviation>,
    today: Date,
    /// The site has a privacy notice.
    has_notice: bool,
}

/// A passage for review.
struct Passage {
    code: Code,
    /// Range in the file.
    range: Range<usize>,
    /// The message; `None` if it is made from the words of the passage.
    message: Option<Text>,
}

/// A file with the text that readers see.
struct ExaminedFile<'a> {
    file: &'a str,
    whole: &'a str,
    folded: Folded,
    about: Topic,
    /// `None` for both languages.
    language: Option<Locale>,
    is_excepted: &'a dyn Fn(&Range<usize>) -> bool,
    span: &'a dyn Fn(Range<usize>) -> Span,
}

impl Conduct {
    /// Creates the context, and returns the problems of the register of deviations that do not depend on texts.
    pub(crate) fn new(deviations: Vec<Deviation>, tree: &Tree, now: Timestamp) -> (Self, Vec<Finding>) {
        let today = now.to_zoned(TimeZone::UTC).date();
        let has_notice = tree.entries.iter().any(|entry| entry.kind == Kind::Pages && notice::is_notice(&entry.key));
        let conduct = Self { checks: Checks::default(), deviations, today, has_notice };
        let is_file = |file: &str| file == SETTINGS || tree.entries.iter().any(|entry| entry.file == file);
        let findings =
            conduct.deviations.iter().filter_map(|it| deviations::entry_fault(it, today, &is_file)).collect();
        (conduct, findings)
    }

    /// Returns, as text, everything on which the findings in a text depend besides the text. Only deviations depend on
    /// the day.
    pub(crate) fn circumstances(&self) -> String {
        let day = (!self.deviations.is_empty()).then_some(self.today);
        format!("{:?} {:?} {day:?} {}", self.checks, self.deviations, self.has_notice)
    }

    /// Returns the deviations that are valid today.
    pub(crate) fn accepted(&self) -> Vec<Accepted> {
        let in_force = self.deviations.iter().filter(|it| deviations::is_in_force(it, self.today));
        let accepted = in_force.map(|it| Accepted {
            code: it.code,
            file: it.file.value.clone(),
            words: it.words.value.clone(),
            reason: it.reason.clone(),
            name: it.name.clone(),
            until: it.until.value.to_string(),
            register: DEVIATIONS,
        });
        accepted.collect()
    }

    /// Checks the texts of `site.toml`.
    pub(crate) fn of_settings(&self, text: &str) -> Vec<Finding> {
        let lines = Lines::of(text);
        let mut folded = Folded::default();
        for (_, range) in values(text, '=') {
            folded.push(&text[range.clone()], range.start);
            folded.part(range.end);
        }
        self.examine(
            &ExaminedFile {
                file: SETTINGS,
                whole: text,
                folded,
                about: Topic::Firm,
                language: None,
                is_excepted: &|range| is_quoted(text, range, false),
                span: &|range| lines.span(text, range),
            },
            Vec::new(),
        )
    }

    /// Returns whether both checks are off and the register is empty.
    const fn is_idle(&self) -> bool {
        !self.checks.advertising && !self.checks.personal_data && self.deviations.is_empty()
    }

    const fn is_on(&self, code: Code) -> bool {
        if code.is_of_advertising() { self.checks.advertising } else { self.checks.personal_data }
    }

    /// Returns the findings in a file, and those about unused entries of the register.
    fn examine(&self, subject: &ExaminedFile, more: Vec<Passage>) -> Vec<Finding> {
        let whole = subject.whole;
        let found = patterns::find(&subject.folded.text, subject.about, subject.language).into_iter();
        let found =
            found.map(|(code, range)| Passage { code, range: subject.folded.range(&range, whole), message: None });
        let mut hits: Vec<Passage> = found.filter(|hit| !(subject.is_excepted)(&hit.range)).chain(more).collect();
        hits.retain(|hit| self.is_on(hit.code));
        // Two rows may match the same words: the longer passage is reported.
        hits.sort_by_key(|hit| (hit.code.id(), hit.range.start, Reverse(hit.range.end)));
        hits.dedup_by(|hit, before| hit.code == before.code && hit.range.start < before.range.end);

        let mut findings = Vec::new();
        for deviation in self.deviations.iter().filter(|it| it.file.value == subject.file) {
            let places = deviations::find_places(deviation, &subject.folded, whole);
            let covers = |hit: &Passage| hit.code == deviation.code && overlaps_one(&places, &hit.range);
            let is_needed = hits.iter().any(covers) || !self.is_on(deviation.code);
            findings.extend(deviations::unused_entry(deviation, &places, is_needed));
            if deviations::is_in_force(deviation, self.today) {
                hits.retain(|hit| !covers(hit));
            }
        }
        for of_kind in hits.chunk_by(|a, b| a.code == b.code) {
            let mut finding = finding(subject, &of_kind[0]);
            finding.more = of_kind.len() - 1;
            findings.push(finding);
        }
        findings
    }
}

/// Returns whether `range` overlaps one of `places`, which are sorted and disjoint.
fn overlaps_one(places: &[Range<usize>], range: &Range<usize>) -> bool {
    let behind = places.partition_point(|place| place.end <= range.start);
    places.get(behind).is_some_and(|place| place.start < range.end)
}

/// Checks a text and the fields above it.
pub(super) fn text(prose: &CheckedText, findings: &mut FileFindings) {
    let (conduct, body) = (prose.conduct, prose.body_start);
    if conduct.is_idle() {
        return;
    }
    let (fields, typed) = prose.whole.split_at(body);
    let whole = if typed == prose.text { Cow::Borrowed(prose.whole) } else { [fields, prose.text].concat().into() };
    let whole = &*whole;
    let mut folded = Folded::default();
    let (mut title, mut email) = (0..0, None);
    for (name, range) in values(&whole[..body], ':') {
        folded.push(&whole[range.clone()], range.start);
        folded.part(range.end);
        match name {
            "title" => title = trim_range(whole, range),
            "email" => email = Some(trim_range(whole, range)),
            _ => {}
        }
    }
    folded.part(body);
    let fields = folded.text.len();
    folded.push(prose.text, body);

    let mut hits = Vec::new();
    let is_notice = prose.kind == Kind::Pages && PageKind::of(prose.key) == PageKind::PrivacyNotice;
    let fields_text = &folded.text[fields..];
    // A linked document may have the contents that the page lacks.
    let leads_elsewhere = prose.survey.links.iter().any(|link| markdown::is_document(&link.destination));
    if is_notice && !leads_elsewhere {
        let missing = notice::missing_duties(fields_text, prose.locale).map(messages::notice_lacks);
        hits.extend(missing.map(|message| Passage { code: Code::NOTICE_LACKS, range: title, message: Some(message) }));
    }
    if let Some(range) = email.filter(|_| prose.kind == Kind::Contact && !conduct.has_notice) {
        hits.push(Passage { code: Code::NO_NOTICE, range, message: Some(messages::no_notice()) });
    }
    let has_transfers = || leads_elsewhere || notice::mentions_transfers(fields_text, prose.locale);
    let about = match prose.kind {
        Kind::Publications => Topic::Law,
        Kind::PracticeAreas => Topic::Area,
        Kind::Pages if is_notice && !has_transfers() => Topic::Notice,
        _ => Topic::Firm,
    };
    let is_excepted = |range: &Range<usize>| {
        let is_of_text = range.start >= body;
        let in_text = range.start.saturating_sub(body)..range.end.saturating_sub(body);
        is_quoted(whole, range, is_of_text)
            || is_of_text && (prose.is_shown_as_written(&in_text) || is_in(&prose.survey.quotations, &in_text))
    };
    findings.extend(conduct.examine(
        &ExaminedFile {
            file: prose.file,
            whole,
            folded,
            about,
            language: Some(prose.locale),
            is_excepted: &is_excepted,
            span: &|range| match range.start.checked_sub(body) {
                Some(start) => (prose.span)(start..range.end - body),
                None => prose.lines.span(prose.whole, range),
            },
        },
        hits,
    ));
}

fn trim_range(text: &str, range: Range<usize>) -> Range<usize> {
    let words = &text[range.clone()];
    let start = range.start + words.len() - words.trim_start().len();
    start..start + words.trim().len()
}

/// Returns whether one of `outer`, which are sorted and disjoint, contains `range`.
fn is_in(outer: &[Range<usize>], range: &Range<usize>) -> bool {
    let behind = outer.partition_point(|other| other.start <= range.start);
    behind.checked_sub(1).is_some_and(|at| range.end <= outer[at].end)
}

/// Returns whether a passage is inside quotation marks or a placeholder. With `straight`, straight quotation marks
/// count too; in values they are part of the syntax.
fn is_quoted(text: &str, range: &Range<usize>, straight: bool) -> bool {
    let start = text.floor_char_boundary(range.start.saturating_sub(MAX_PARAGRAPH));
    let end = text.ceil_char_boundary(text.len().min(range.end + MAX_PARAGRAPH));
    let before = text[start..range.start].rsplit("\n\n").next().unwrap_or_default();
    let after = text[range.end..end].split("\n\n").next().unwrap_or_default();
    let count = |marks: &[char]| before.matches(marks).count();
    let is_between = count(&['“', '«']) > count(&['”', '»']) && after.contains(['”', '»']);
    let is_straight = straight && count(&['"']) % 2 == 1 && after.contains('"');
    let bracket = before.rfind('[').map(|at| &before[at..]).filter(|open| !open.contains(']'));
    is_between || is_straight || bracket.is_some_and(starter::begins_placeholder)
}

fn finding(subject: &ExaminedFile, hit: &Passage) -> Finding {
    let words: Vec<&str> = subject.whole[hit.range.clone()].split_whitespace().collect();
    let mut words: String = words.join(" ").chars().filter(|letter| *letter != '*').take(MAX_SHOWN).collect();
    if words.chars().count() == MAX_SHOWN {
        words.push('…');
    }
    let message = hit.message.clone().unwrap_or_else(|| match hit.code {
        Code::BUNDLED_CONSENT => messages::bundled_consent(&words),
        Code::TRANSFER_UNSAID => messages::transfer_unsaid(&words),
        code => messages::reads_as(&words, kind(code)),
    });
    let span = (subject.span)(hit.range.clone());
    let finding = Finding::new(hit.code, Place::new(subject.file, span), message);
    let finding = finding.help(match hit.code {
        Code::NO_NOTICE => messages::no_notice_help(),
        Code::NOTICE_LACKS => messages::notice_lacks_help(),
        Code::BUNDLED_CONSENT => messages::bundled_consent_help(),
        Code::TRANSFER_UNSAID => messages::transfer_unsaid_help(),
        _ => messages::reads_as_help(),
    });
    finding.help(messages::deviation_help(hit.code.id()))
}

/// Returns the name of what a passage may be.
fn kind(code: Code) -> Text {
    match code {
        Code::CLAIM_OF_SUCCESS => messages::claim_of_success(),
        Code::SUPERLATIVE => messages::superlative(),
        Code::CLAIM_OF_SPECIALTY => messages::claim_of_specialty(),
        Code::COMPARISON => messages::comparison(),
        Code::PRICE => messages::price(),
        Code::SOLICITATION => messages::solicitation(),
        _ => messages::names_clients(),
    }
}
