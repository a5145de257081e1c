//! Findings for a terminal: the message, the place, the line with a caret, the remedy.

use std::{collections::HashMap, fmt::Write as _};

use contract::{Locale, text::is_invisible};

use super::{Finding, Findings, Place, Severity, Span};
use crate::messages;

/// Findings of a kind that are shown with their lines; if there are more, they are listed below the first.
const MAX_SHOWN: usize = 3;
/// Lines of such a list, so that one mistake does not fill more than a screen.
const MAX_LISTED: usize = 20;

impl Findings {
    /// Returns every finding and a summary; `colour` adds escape sequences.
    #[must_use]
    pub fn to_text(&self, locale: Locale, colour: bool) -> String {
        let mut kinds: HashMap<&str, Vec<&Finding>> = HashMap::new();
        for finding in &self.items {
            kinds.entry(finding.code.id()).or_default().push(finding);
        }
        let mut out = String::new();
        for finding in &self.items {
            match kinds.get_mut(finding.code.id()) {
                Some(alike) if alike.len() > MAX_SHOWN => {
                    let alike = std::mem::take(alike);
                    self.write(&mut out, finding, locale, colour);
                    self.list(&mut out, finding, &alike[1..], locale);
                }
                // They are listed below the first.
                Some(alike) if alike.is_empty() => continue,
                _ => self.write(&mut out, finding, locale, colour),
            }
            out.push('\n');
        }
        out.extend([&self.summary()[locale], "\n"]);
        if let Some(accepted) = self.accepted.first() {
            let file = self.path(&Place::file(accepted.register));
            out.extend([&messages::accepted_deviations(clean(&file), self.accepted.len())[locale], "\n"]);
        }
        out
    }

    /// Lists the places of further findings of a kind, each with the texts that the first does not have: one line for
    /// each file and text.
    fn list(&self, out: &mut String, first: &Finding, others: &[&Finding], locale: Locale) {
        let texts_of = |finding: &Finding| -> Vec<String> {
            let related =
                finding.related.iter().map(|(place, words)| format!("{}: {}", self.address(place), &words[locale]));
            let texts = [&finding.message].into_iter().chain(&finding.label).chain(&finding.help);
            texts.map(|text| text[locale].to_owned()).chain(related).collect()
        };
        let known = texts_of(first);
        let words = |finding: &Finding| {
            texts_of(finding).into_iter().filter(|words| !known.contains(words)).collect::<Vec<_>>().join("; ")
        };
        let indent = " ".repeat(first.place.span.line.checked_ilog10().map_or(0, |digits| digits as usize + 1));
        let number = |findings: &[&Finding]| findings.iter().map(|finding| 1 + finding.more).sum::<usize>();
        let mut files: Vec<&str> = others.iter().map(|finding| finding.place.file.as_str()).collect();
        files.dedup();
        let files = if files.len() == 1 { messages::one_file() } else { messages::files(files.len()) };
        let _ = writeln!(out, "{indent} = {}", &messages::more_alike(number(others), files)[locale]);
        let is_one_line = |a: &&Finding, b: &&Finding| a.place.file == b.place.file && words(a) == words(b);
        let mut left = number(others);
        for alike in others.chunk_by(is_one_line).take(MAX_LISTED) {
            left -= number(alike);
            let mut line = self.address(&alike[0].place);
            for Span { line: number, column, .. } in alike[1..].iter().map(|finding| finding.place.span) {
                let _ = write!(line, ", {number}:{column}");
            }
            let uncounted: usize = alike.iter().map(|finding| finding.more).sum();
            if uncounted > 0 {
                let _ = write!(line, ", … (+{uncounted})");
            }
            let words = words(alike[0]);
            let colon = if words.is_empty() { "" } else { ": " };
            let _ = writeln!(out, "{indent}   {}", clean(&format!("{line}{colon}{words}")));
        }
        if left > 0 {
            let _ = writeln!(out, "{indent}   {}", &messages::more_lines(left)[locale]);
        }
    }

    fn write(&self, out: &mut String, finding: &Finding, locale: Locale, colour: bool) {
        let paint = |text: &str, code: &str| {
            if colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
        };
        let tone = if finding.severity() == Severity::Error { "1;31" } else { "1;33" };
        let head = format!("{}[{}]", &finding.severity().word()[locale], finding.code.id());
        let _ = writeln!(out, "{}: {}", paint(&head, tone), paint(&clean(&finding.message[locale]), "1"));

        let span = finding.place.span;
        let number = if span.line == 0 { String::new() } else { span.line.to_string() };
        let indent = " ".repeat(number.len());
        let gutter = paint("|", "1;34");
        let _ = writeln!(out, "{indent}{} {}", paint("-->", "1;34"), clean(&self.address(&finding.place)));
        if let Some(excerpt) = &finding.source {
            let label = finding.label.as_ref().map(|label| clean(&label[locale])).unwrap_or_default();
            let caret = format!("{} {label}", "^".repeat(excerpt.length));
            let _ = writeln!(out, "{indent} {gutter}");
            let row = format!("{} {gutter} {}", paint(&number, "1;34"), excerpt.text);
            let _ = writeln!(out, "{}", row.trim_end());
            let _ = writeln!(out, "{indent} {gutter} {}{}", " ".repeat(excerpt.before), paint(caret.trim_end(), tone));
        } else if let Some(label) = &finding.label {
            let _ = writeln!(out, "{indent} = {}", clean(&label[locale]));
        }
        for (place, words) in &finding.related {
            let _ = writeln!(
                out,
                "{indent} {} {}: {}",
                paint("::", "1;34"),
                clean(&self.address(place)),
                clean(&words[locale])
            );
        }
        for help in &finding.help {
            let _ = writeln!(out, "{indent} = {}", clean(&help[locale]));
        }
        if let Some(more) = Self::more(finding) {
            let _ = writeln!(out, "{indent} = {}", &more[locale]);
        }
    }

    /// `content/team/x/en.md:6:1`
    pub(super) fn address(&self, place: &Place) -> String {
        let path = self.path(place);
        match place.span {
            Span { line: 0, .. } => path,
            Span { line, column, .. } => format!("{path}:{line}:{column}"),
        }
    }
}

/// Replaces control and other invisible characters. Security: file names, values of fields and answers of servers may
/// contain terminal escape sequences.
#[must_use]
pub fn clean(text: &str) -> String {
    text.chars().map(|letter| if is_invisible(letter) { '\u{fffd}' } else { letter }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Excerpts};

    fn finding(line: u32, column: u32, length: u32, source: &str) -> Finding {
        let place = Place::new("publications/kvkk/tr.md", Span { line, column, length });
        let mut finding = Finding::new(Code::UNKNOWN_FIELD, place, "unknown field `catgory`");
        finding.source = Some(Excerpts::of(source).cut(finding.place.span));
        finding.did_you_mean(Some("category")).help("allowed here: title, slug")
    }

    #[test]
    fn finding_shows_its_line_and_a_caret() {
        let text =
            Findings::new(vec![finding(6, 1, 7, "catgory: data-protection")], "content", 2).to_text(Locale::En, false);
        let expected = "\
error[E0107]: unknown field `catgory`
 --> content/publications/kvkk/tr.md:6:1
  |
6 | catgory: data-protection
  | ^^^^^^^ did you mean `category`?
  = allowed here: title, slug

1 error in 2 files
";
        assert_eq!(text, expected);
    }

    #[test]
    fn caret_is_under_the_right_turkish_letter() {
        let text = Findings::new(vec![finding(12, 9, 5, "title: İş hukuku: ğüşıöç")], "", 1).to_text(Locale::En, false);
        assert!(text.contains("12 | title: İş hukuku: ğüşıöç\n   |         ^^^^^ did"), "{text}");
    }

    #[test]
    fn escape_sequences_in_content_are_removed() {
        let place = Place::new("a\u{1b}]0;x\u{7}.md", Span { line: 1, column: 1, length: 1 });
        let mut finding = Finding::new(Code::UNKNOWN_FIELD, place, "unknown field `\u{1b}[2J\n\u{202e}`");
        finding.source = Some(Excerpts::of("\u{202e}\u{1b}[2J").cut(finding.place.span));
        let text = Findings::new(vec![finding.help("\u{9b}31m")], "content", 1).to_text(Locale::En, false);
        assert!(text.chars().all(|letter| letter == '\n' || !is_invisible(letter)), "{text:?}");
        assert!(text.starts_with("error[E0107]: unknown field `\u{fffd}[2J\u{fffd}\u{fffd}`\n"), "{text:?}");
    }
}
