//! Findings for a person: the sentence, the place, the line with a caret, the remedy.

use std::fmt::Write as _;

use super::{Finding, Findings, Place, Severity, Span};

/// The widest part of a source line that is shown, in characters.
const WIDTH: usize = 100;

impl Findings {
    /// Every finding and a summary, for a terminal; `colour` adds escape sequences.
    #[must_use]
    pub fn to_text(&self, colour: bool) -> String {
        let mut out = String::new();
        for finding in &self.items {
            self.write(&mut out, finding, colour);
            out.push('\n');
        }
        out.push_str(&self.summary());
        out.push('\n');
        out
    }

    fn write(&self, out: &mut String, finding: &Finding, colour: bool) {
        let paint = |text: &str, code: &str| {
            if colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
        };
        let tone = if finding.severity() == Severity::Error { "1;31" } else { "1;33" };
        let head = format!("{}[{}]", finding.severity().as_str(), finding.code.id());
        let _ = writeln!(out, "{}: {}", paint(&head, tone), paint(&finding.message, "1"));

        let span = finding.place.span;
        let number = if span.line == 0 { String::new() } else { span.line.to_string() };
        let indent = " ".repeat(number.len());
        let gutter = paint("|", "1;34");
        let _ = writeln!(out, "{indent}{} {}", paint("-->", "1;34"), self.address(&finding.place));
        if let Some(line) = finding.source_line.as_deref().filter(|_| span.line > 0) {
            let shown = Window::of(line, span);
            let label = finding.label.as_deref().unwrap_or_default();
            let caret = format!("{} {label}", "^".repeat(shown.length));
            let _ = writeln!(out, "{indent} {gutter}");
            let row = format!("{} {gutter} {}", paint(&number, "1;34"), shown.text);
            let _ = writeln!(out, "{}", row.trim_end());
            let _ = writeln!(out, "{indent} {gutter} {}{}", " ".repeat(shown.before), paint(caret.trim_end(), tone));
        } else if let Some(label) = &finding.label {
            let _ = writeln!(out, "{indent} = {label}");
        }
        for (place, words) in &finding.related {
            let _ = writeln!(out, "{indent} {} {}: {words}", paint("::", "1;34"), self.address(place));
        }
        for help in &finding.help {
            let _ = writeln!(out, "{indent} = {help}");
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

/// The part of a line around a span, without anything that would move the caret.
struct Window {
    text: String,
    /// Characters before the span.
    before: usize,
    /// Characters of the span.
    length: usize,
}

impl Window {
    fn of(line: &str, span: Span) -> Self {
        let characters: Vec<char> = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let start = (span.column.max(1) as usize - 1).min(characters.len());
        let length = (span.length.max(1) as usize).min((characters.len() - start).max(1)).min(WIDTH - 20);
        if characters.len() <= WIDTH {
            return Self { text: characters.into_iter().collect(), before: start, length };
        }
        let from = start.saturating_sub(if start + length < WIDTH { start } else { 40 });
        let to = (from + WIDTH).max(start + length).min(characters.len());
        let (head, tail) = (if from > 0 { "… " } else { "" }, if to < characters.len() { " …" } else { "" });
        let text = format!("{head}{}{tail}", characters[from..to].iter().collect::<String>());
        Self { text, before: start - from + head.chars().count(), length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Code;

    fn finding(line: u32, column: u32, length: u32, source: &str) -> Finding {
        let place = Place::new("publications/kvkk/tr.md", Span { line, column, length });
        let mut finding = Finding::new(Code::UNKNOWN_FIELD, place, "unknown field `catgory`");
        finding.source_line = Some(source.to_owned());
        finding.did_you_mean(Some("category")).help("allowed here: title, slug")
    }

    #[test]
    fn a_finding_shows_its_line_and_a_caret() {
        let text = Findings::new(vec![finding(6, 1, 7, "catgory: data-protection")], "content", 2).to_text(false);
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
    fn the_caret_stands_under_the_right_turkish_letter() {
        let text = Findings::new(vec![finding(12, 9, 5, "title: İş hukuku: ğüşıöç")], "", 1).to_text(false);
        assert!(text.contains("12 | title: İş hukuku: ğüşıöç\n   |         ^^^^^ did"), "{text}");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let line = format!("{}HERE{}", "ş".repeat(500), "ı".repeat(500));
        let text = Findings::new(vec![finding(3, 501, 4, &line)], "", 1).to_text(false);
        let rows: Vec<&str> = text.lines().collect();
        let at = rows[3].chars().position(|c| c == 'H').unwrap();
        assert_eq!(rows[4].chars().position(|c| c == '^'), Some(at));
        assert!(rows[3].chars().count() < 115, "{text}");
    }

    #[test]
    fn a_span_beyond_the_line_does_no_harm() {
        for (column, length) in [(0, 0), (99, 99), (3, u32::MAX)] {
            let text = Findings::new(vec![finding(1, column, length, "ab\tc")], "", 1).to_text(true);
            assert!(text.contains('^'));
        }
    }
}
