//! The findings as a list for the pages of the preview: the errors first, each kind together.

use std::{collections::BTreeMap, fmt::Write as _, fs};

use content::{language_of, split, tidy};
use contract::{Locale, routes};
use findings::{
    Finding, Findings, Place, Severity, clean,
    messages::{self, Text},
    number, number_of_files,
};

use super::{View, escape, words};

/// Findings of a kind that are shown with their lines; others are listed below the first.
const MAX_SHOWN: usize = 3;

/// How a list names the place of a finding.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ListPlaces {
    /// By its file, with a link to its page.
    Files,
    /// By its entry in the editor, with a link, and by the line of its text.
    Forms,
}

/// Returns the list, and the summary below it.
pub(super) fn list(view: &View, places: ListPlaces) -> String {
    let findings = &view.findings;
    let report = FindingList { view, places };
    let mut kinds: BTreeMap<(Severity, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in findings.items() {
        kinds.entry((finding.severity(), finding.code.id())).or_default().push(finding);
    }
    let mut out = "<ol class=\"preview-findings\">\n".to_owned();
    for alike in kinds.values() {
        let shown = if alike.len() > MAX_SHOWN { 1 } else { alike.len() };
        for (at, finding) in alike[..shown].iter().enumerate() {
            report.write(&mut out, finding, if at + 1 == shown { &alike[shown..] } else { &[] });
        }
    }
    let _ = writeln!(out, "</ol>\n<p>{}</p>", words(view, &findings.summary()));
    out
}

struct FindingList<'v> {
    view: &'v View,
    places: ListPlaces,
}

impl FindingList<'_> {
    /// Writes a finding, and the places of those that are like it.
    fn write(&self, out: &mut String, finding: &Finding, others: &[&Finding]) {
        let (view, language) = (self.view, self.view.language);
        let severity = finding.severity();
        let _ = writeln!(
            out,
            "<li class=\"preview-{}\"><p><b>{}</b>: {}</p>\n<p class=\"place\">{}</p>",
            severity.as_str(),
            words(view, &severity.word()),
            self.sentence(&finding.message),
            self.place(&finding.place),
        );
        if let Some(excerpt) = &finding.source {
            let [before, within, rest] = excerpt.parts().map(|part| escape(&part));
            let _ = writeln!(out, "<blockquote>{before}<mark>{within}</mark>{rest}</blockquote>");
        }
        let related =
            finding.related.iter().map(|(place, text)| format!("{}: {}", self.place(place), self.sentence(text)));
        let remedies = finding.label.iter().chain(&finding.help).map(|text| self.sentence(text));
        let more = Findings::more(finding).map(|text| self.sentence(&text));
        for line in remedies.chain(related).chain(more) {
            let _ = writeln!(out, "<p>{line}</p>");
        }
        if !others.is_empty() {
            let heading = messages::more_alike(number(others), number_of_files(others));
            let _ = writeln!(out, "<details><summary>{}</summary><ul>", words(view, &heading));
            for other in others {
                let _ = writeln!(out, "<li>{}: {}</li>", self.place(&other.place), self.sentence(&other.message));
            }
            *out += "</ul></details>\n";
        }
        let _ = writeln!(
            out,
            "<details><summary>{} ({})</summary><p>{}</p></details></li>",
            words(view, &messages::what_it_means()),
            finding.code.id(),
            with_code(&escape(finding.code.explanation(language))),
        );
    }

    fn sentence(&self, text: &Text) -> String {
        with_code(&escape(&clean(&text[self.view.language])))
    }

    /// Returns a place, with a link if it is in an entry.
    fn place(&self, place: &Place) -> String {
        let View { findings, entries, .. } = self.view;
        let path = findings.path(place);
        let content = self.view.content.display().to_string();
        let content = content.strip_prefix("./").unwrap_or(&content).trim_end_matches('/');
        let file = path.strip_prefix(content).map_or(&*path, |file| file.trim_start_matches('/'));
        let entry = entries.iter().find(|entry| entry.file == file);
        let link =
            |address: &str, title: &str| format!("<a href=\"{}\">{}</a>", escape(address), escape(&clean(title)));
        match (self.places, entry, form_of(file)) {
            (ListPlaces::Files, Some(entry), _) => link(&entry.path, &findings.address(place)),
            (ListPlaces::Files, None, _) | (ListPlaces::Forms, _, None) => escape(&clean(&findings.address(place))),
            (ListPlaces::Forms, _, Some((address, locale))) => {
                let form = link(&address, entry.map_or(file, |entry| &entry.title));
                let language = words(self.view, &messages::language(locale));
                let number = self.line_of_text(file, place.span.line).map(messages::line_of_text);
                let part = number.map(|number| format!(", {}", words(self.view, &number)));
                format!("{form} ({language}{})", part.unwrap_or_default())
            }
        }
    }

    /// Returns the line of the text behind the fields that is line `line` of `file`.
    fn line_of_text(&self, file: &str, line: u32) -> Option<usize> {
        let text = fs::read_to_string(self.view.content.join(file)).ok()?;
        let text = tidy(&text);
        let body = split(&text, file).ok()?.body;
        let above = text.lines().count() - body.trim_start().lines().count();
        (line as usize).checked_sub(above).filter(|line| *line > 0)
    }
}

/// Returns the address of the form in the editor for a file of an entry, `team/ada/index.tr.md`, and its language.
fn form_of(file: &str) -> Option<(String, Locale)> {
    let [kind, key, name] = file.split('/').collect::<Vec<_>>().try_into().ok()?;
    Some((format!("{}#/collections/{kind}/entries/{key}/index", routes::ADMIN), language_of(name, key)?))
}

/// Returns escaped text with what stands between backticks as code.
fn with_code(escaped: &str) -> String {
    let mut parts = escaped.split('`');
    let mut out = parts.next().unwrap_or_default().to_owned();
    while let Some(code) = parts.next() {
        match parts.next() {
            Some(rest) => {
                let _ = write!(out, "<code>{code}</code>{rest}");
            }
            None => out.extend(["`", code]),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backticks_in_pairs_are_code() {
        let cases = [
            ("use `a`, not `b`", "use <code>a</code>, not <code>b</code>"),
            ("`a", "`a"),
            ("a `b` c ` d", "a <code>b</code> c ` d"),
            ("", ""),
        ];
        for (text, expected) in cases {
            assert_eq!(with_code(text), expected);
        }
    }
}
