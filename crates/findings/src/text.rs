//! Findings for a terminal: the message, the place, the line with a caret, the remedy.

use std::{collections::BTreeMap, fmt::Write as _};

use contract::{Locale, text::is_invisible};

use super::{Finding, Findings, Place, Severity, Span};
use crate::messages::{self, Text};

/// Findings of a kind that are shown with their lines; if there are more, they are listed below the first.
const MAX_SHOWN: usize = 3;
/// Lines of such a list, so that one mistake does not fill more than a screen.
const MAX_LISTED: usize = 20;

impl Findings {
    /// Returns the findings and a summary; `colour` adds escape sequences. What a new site has still to replace is one
    /// line for each kind, above the findings about the firm's own texts.
    pub fn to_text(&self, locale: Locale, colour: bool) -> String {
        self.text(locale, colour, false)
    }

    /// Returns every place of every finding, and a summary.
    pub fn to_whole_text(&self, locale: Locale, colour: bool) -> String {
        self.text(locale, colour, true)
    }

    fn text(&self, locale: Locale, colour: bool, whole: bool) -> String {
        let mut kinds: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
        for finding in &self.items {
            kinds.entry(finding.code.id()).or_default().push(finding);
        }
        let mut out = String::new();
        for alike in kinds.values_mut() {
            if !whole && alike.len() > MAX_SHOWN && alike[0].code.is_of_new_site() {
                self.write_kind(&mut out, &std::mem::take(alike), locale, colour);
            }
        }
        for finding in &self.items {
            match kinds.get_mut(finding.code.id()) {
                Some(alike) if alike.len() > MAX_SHOWN => {
                    let alike = std::mem::take(alike);
                    self.write(&mut out, finding, locale, colour);
                    self.list(&mut out, finding, &alike[1..], locale, if whole { usize::MAX } else { MAX_LISTED });
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

    /// Writes the findings of a kind as one line.
    fn write_kind(&self, out: &mut String, alike: &[&Finding], locale: Locale, colour: bool) {
        let code = alike[0].code;
        let place = clean(&self.address(&alike[0].place));
        let all = messages::kind_in_files(code.title(locale), number(alike), number_of_files(alike), place);
        let _ = writeln!(out, "{}: {}\n", head(alike[0], locale, colour), &all[locale]);
    }

    /// Lists the places of further findings of a kind, each with the texts that the first does not have: one line for
    /// each file and text.
    fn list(&self, out: &mut String, first: &Finding, others: &[&Finding], locale: Locale, lines: usize) {
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
        let _ = writeln!(out, "{indent} = {}", &messages::more_alike(number(others), number_of_files(others))[locale]);
        let is_one_line = |a: &&Finding, b: &&Finding| a.place.file == b.place.file && words(a) == words(b);
        let mut left = number(others);
        for alike in others.chunk_by(is_one_line).take(lines) {
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
        let paint = |text: &str, code: &str| paint(text, code, colour);
        let tone = tone(finding);
        let _ = writeln!(out, "{}: {}", head(finding, locale, colour), paint(&clean(&finding.message[locale]), "1"));

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
    #[must_use]
    pub fn address(&self, place: &Place) -> String {
        let path = self.path(place);
        match place.span {
            Span { line: 0, .. } => path,
            Span { line, column, .. } => format!("{path}:{line}:{column}"),
        }
    }
}

/// Returns `text` with an escape sequence around it if output has colours.
fn paint(text: &str, code: &str, colour: bool) -> String {
    if colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
}

fn tone(finding: &Finding) -> &'static str {
    if finding.severity() == Severity::Error { "1;31" } else { "1;33" }
}

/// `error[E0107]`
fn head(finding: &Finding, locale: Locale, colour: bool) -> String {
    let head = format!("{}[{}]", &finding.severity().word()[locale], finding.code.id());
    paint(&head, tone(finding), colour)
}

/// Returns the number of `findings`, including those that are only counted.
#[must_use]
pub fn number(findings: &[&Finding]) -> usize {
    findings.iter().map(|finding| 1 + finding.more).sum()
}

/// Returns the number of files of `findings`, which are sorted by file.
#[must_use]
pub fn number_of_files(findings: &[&Finding]) -> Text {
    let of_file = |a: &&Finding, b: &&Finding| a.place.file == b.place.file;
    messages::counted_files(findings.chunk_by(of_file).count())
}

/// Replaces control and other invisible characters. Security: file names, values of fields and answers of servers may
/// contain terminal escape sequences.
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
    fn placeholders_of_a_new_site_are_one_line_above_the_other_findings() {
        let at =
            |code, file: &str, line| Finding::new(code, Place::new(file, Span { line, column: 3, length: 1 }), "x");
        let placeholders = (1..=30).map(|line| at(Code::PLACEHOLDER, if line > 25 { "b.md" } else { "c.md" }, line));
        let words = (31..=33).map(|line| at(Code::DEMONSTRATION_WORD, "d.md", line));
        let own = at(Code::UNKNOWN_FIELD, "a.md", 1);
        let findings = Findings::new(placeholders.chain(words).chain([own]).collect(), "content", 4);
        let text = findings.to_text(Locale::En, false);
        let title = Code::PLACEHOLDER.title(Locale::En);
        let first = format!("warning[W0320]: {title}: 30 in 2 files, the first at content/b.md:26:3; ");
        assert!(text.starts_with(&first), "{text}");
        assert!(text.contains("lists them\n\nerror[E0107]: x\n --> content/a.md:1:3\n"), "{text}");
        assert_eq!(text.matches("W0321").count(), 3, "few of a kind are shown: {text}");
        assert!(text.ends_with("1 error, 33 warnings in 4 files\n"), "{text}");
        let whole = findings.to_whole_text(Locale::Tr, false);
        assert!(whole.contains("content/b.md:26:3") && whole.contains("content/b.md:27:3, 28:3"), "{whole}");
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
