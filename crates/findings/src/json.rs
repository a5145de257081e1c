//! Findings for programs: one JSON object per line, the summary last.

use contract::Locale;
use serde_json::json;

use super::{Accepted, Finding, Findings};

impl Findings {
    /// Returns one object per line; the last one is the summary.
    pub fn to_json_lines(&self, locale: Locale) -> String {
        let mut out = String::new();
        for finding in &self.items {
            out.push_str(&self.object(finding, locale).to_string());
            out.push('\n');
        }
        let summary = json!({
            "summary": &self.summary()[locale],
            "errors": self.errors(),
            "warnings": self.warnings(),
            "files": self.files,
            "accepted": self.accepted.iter().map(accepted).collect::<Vec<_>>(),
        });
        out.push_str(&summary.to_string());
        out.push('\n');
        out
    }

    fn object(&self, finding: &Finding, locale: Locale) -> serde_json::Value {
        let place = |place: &super::Place| {
            json!({
                "file": self.path(place),
                "line": place.span.line,
                "column": place.span.column,
                "length": place.span.length,
            })
        };
        let related: Vec<_> = finding
            .related
            .iter()
            .map(|(other, words)| {
                let mut object = place(other);
                object["message"] = json!(&words[locale]);
                object
            })
            .collect();
        let mut object = json!({
            "severity": finding.severity().as_str(),
            "code": finding.code.id(),
            "title": finding.code.title(locale),
            "message": &finding.message[locale],
            "label": finding.label.as_ref().map(|label| &label[locale]),
            "help": finding.help.iter().map(|help| &help[locale]).collect::<Vec<_>>(),
            "place": place(&finding.place),
        });
        if !related.is_empty() {
            object["related"] = json!(related);
        }
        if finding.more > 0 {
            object["more"] = json!(finding.more);
        }
        object
    }
}

fn accepted(passage: &Accepted) -> serde_json::Value {
    let Accepted { code, file, words, reason, name, until, register: _ } = passage;
    json!({ "code": code.id(), "file": file, "words": words, "reason": reason, "name": name, "until": until })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Place, Span};

    #[test]
    fn every_line_is_an_object() {
        let span = Span { line: 2, column: 3, length: 4 };
        let finding = Finding::new(Code::UNKNOWN_FIELD, Place::new("a/en.md", span), "a \"quoted\" word");
        let lines = Findings::new(vec![finding], "content", 1).to_json_lines(Locale::En);
        let objects: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects[0]["place"]["file"], "content/a/en.md");
        assert_eq!(objects[0]["message"], "a \"quoted\" word");
        assert_eq!(objects[1]["errors"], 1);
    }
}
