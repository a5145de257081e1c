//! Findings as workflow commands, which a code forge shows beside the changed line.

use std::fmt::Write as _;

use contract::Locale;

use super::Findings;

impl Findings {
    /// Returns one `::error …` or `::warning …` command per line. `below_root` makes a path relative to the root of the
    /// repository; `None` keeps it.
    pub fn to_annotations(&self, locale: Locale, below_root: &dyn Fn(&str) -> Option<String>) -> String {
        let mut out = String::new();
        for finding in &self.items {
            let span = finding.place.span;
            let place = match span.line {
                0 => String::new(),
                line => {
                    let last = span.column + span.length.max(1) - 1;
                    format!(",line={line},col={},endColumn={last}", span.column)
                }
            };
            let related =
                finding.related.iter().map(|(place, words)| format!("{}: {}", self.address(place), &words[locale]));
            let message: Vec<String> = std::iter::once(&finding.message)
                .chain(&finding.label)
                .map(|text| text[locale].to_owned())
                .chain(related)
                .chain(finding.help.iter().map(|help| help[locale].to_owned()))
                .chain(Self::more(finding).map(|more| more[locale].to_owned()))
                .collect();
            let path = self.path(&finding.place);
            let _ = writeln!(
                out,
                "::{} file={}{place},title={}::{}",
                finding.severity().as_str(),
                property(&below_root(&path).unwrap_or(path)),
                property(&format!("{} {}", finding.code.id(), finding.code.title(locale))),
                data(&message.join("\n")),
            );
        }
        out
    }
}

/// Escapes a message.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property's value.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use contract::Locale;

    use crate::{Code, Finding, Findings, Place, Span};

    #[test]
    fn annotation_stays_on_one_line() {
        let span = Span { line: 6, column: 1, length: 7 };
        let finding = Finding::new(Code::UNKNOWN_FIELD, Place::new("a/tr.md", span), "unknown: 100 %")
            .did_you_mean(Some("category"));
        let text = Findings::new(vec![finding], "content", 1).to_annotations(Locale::En, &|_| None);
        assert_eq!(
            text,
            "::error file=content/a/tr.md,line=6,col=1,endColumn=7,title=E0107 unknown field::unknown: 100 %25%0Adid \
             you mean `category`?\n"
        );
    }
}
