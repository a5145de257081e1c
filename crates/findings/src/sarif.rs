//! Findings as SARIF 2.1.0 (OASIS), which code forges store and compare between branches.

use std::{collections::BTreeMap, fmt::Write as _};

use contract::Locale;
use serde_json::{Value, json};

use super::{Code, Finding, Findings, Place, Span};

const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The manual, where the Debian package puts it.
const MANUAL: &str = "file:///usr/share/doc/mecelle/docs/editors.md";

impl Findings {
    /// Returns one report in the language of `locale`. `below_root` makes a path relative to the root of the
    /// repository, with `/` between its parts; a file outside of the repository keeps its path.
    pub fn to_sarif(&self, locale: Locale, below_root: &dyn Fn(&str) -> Option<String>) -> String {
        let codes: BTreeMap<&str, Code> = self.items.iter().map(|finding| (finding.code.id(), finding.code)).collect();
        let place = |place: &Place| {
            let path = self.path(place);
            location(&below_root(&path).unwrap_or(path), place.span)
        };
        let results: Vec<Value> = self.items.iter().map(|finding| result(finding, locale, &codes, &place)).collect();
        let report = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": {
                    "name": "Mecelle generator",
                    "informationUri": MANUAL,
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": codes.values().map(|code| rule(*code, locale)).collect::<Vec<_>>(),
                }},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        });
        report.to_string() + "\n"
    }
}

fn rule(code: Code, locale: Locale) -> Value {
    json!({
        "id": code.id(),
        "shortDescription": { "text": code.title(locale) },
        "fullDescription": { "text": code.explanation(locale) },
        "help": { "text": code.explain(locale) },
        "defaultConfiguration": { "level": code.severity().as_str() },
    })
}

fn result(finding: &Finding, locale: Locale, codes: &BTreeMap<&str, Code>, place: &dyn Fn(&Place) -> Value) -> Value {
    let more = Findings::more(finding);
    let texts = [&finding.message].into_iter().chain(&finding.label).chain(&finding.help).chain(&more);
    let message: Vec<&str> = texts.map(|text| &text[locale]).collect();
    let mut result = json!({
        "ruleId": finding.code.id(),
        "ruleIndex": codes.keys().position(|id| *id == finding.code.id()),
        "level": finding.severity().as_str(),
        "message": { "text": message.join("\n") },
        "locations": [place(&finding.place)],
    });
    if !finding.related.is_empty() {
        let related = finding.related.iter().map(|(other, words)| {
            let mut location = place(other);
            location["message"] = json!({ "text": &words[locale] });
            location
        });
        result["relatedLocations"] = related.collect();
    }
    result
}

/// Returns the location of a place. `endColumn` is exclusive.
fn location(path: &str, span: Span) -> Value {
    let mut physical = json!({ "artifactLocation": { "uri": uri(path), "uriBaseId": "%SRCROOT%" } });
    if span.line > 0 {
        physical["region"] = json!({
            "startLine": span.line,
            "startColumn": span.column,
            "endColumn": span.column + span.length.max(1),
        });
    }
    json!({ "physicalLocation": physical })
}

/// Percent-encodes a path as a relative reference (RFC 3986). A colon in the first segment would end a scheme.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sarif_names_files_from_the_root_and_each_rule_once() {
        let span = Span { line: 6, column: 3, length: 7 };
        let at = |file: &str| Place::new(file, span);
        let findings = vec![
            Finding::new(Code::UNKNOWN_FIELD, at("çay ve/tr.md"), "one").help("do this"),
            Finding::new(Code::UNKNOWN_FIELD, at("b.md"), "two").related(at("a.md"), "first here"),
            Finding::new(Code::PICTURE_NOT_USED, Place::file("c.svg"), "three"),
        ];
        let report = Findings::new(findings, "../content", 3)
            .to_sarif(Locale::En, &|path| path.strip_prefix("../").map(str::to_owned));
        let run = &serde_json::from_str::<Value>(&report).unwrap()["runs"][0];
        let rules: Vec<_> = run["tool"]["driver"]["rules"].as_array().unwrap().iter().map(|it| &it["id"]).collect();
        let results = run["results"].as_array().unwrap();
        assert_eq!((rules.len(), results.len()), (2, 3));
        for result in results {
            let rule = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
            assert_eq!(&result["ruleId"], rules[rule]);
        }
        let place = |at: usize| &results[at]["locations"][0]["physicalLocation"];
        assert_eq!(place(0)["artifactLocation"]["uri"], "content/b.md");
        assert_eq!(place(0)["region"], json!({ "startLine": 6, "startColumn": 3, "endColumn": 10 }));
        assert_eq!(place(1)["region"], Value::Null);
        assert_eq!(results[1]["level"], "warning");
        assert_eq!(place(2)["artifactLocation"]["uri"], "content/%C3%A7ay%20ve/tr.md");
        assert_eq!(results[2]["message"]["text"], "one\ndo this");
        assert_eq!(results[0]["relatedLocations"][0]["message"]["text"], "first here");
    }
}
