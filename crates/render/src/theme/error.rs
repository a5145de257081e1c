//! Errors of templates, as findings.

use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use findings::{
    Code, Finding, Place, Span,
    messages::{self, Text},
    nearest,
};
use tera::{ErrorKind, ReportError};

/// A rendering error, as a finding that names the file relative to the theme.
#[derive(Debug)]
pub struct ThemeError(Box<Finding>);

impl ThemeError {
    pub(crate) fn new(finding: Finding) -> Self {
        Self(Box::new(finding))
    }

    pub(crate) fn into_finding(self) -> Finding {
        *self.0
    }

    /// Returns the place and the reason.
    pub(crate) fn message(&self) -> Text {
        let Place { file, span } = &self.0.place;
        self.0.message.map(|words| match span.line {
            0 => format!("{file}: {words}"),
            line => format!("{file}:{line}:{}: {words}", span.column),
        })
    }
}

impl From<tera::Error> for ThemeError {
    fn from(error: tera::Error) -> Self {
        let finding = findings(&error).into_iter().next();
        Self::new(finding.unwrap_or_else(|| engine_finding(Code::TEMPLATE_FAILS, Place::file(""), &error)))
    }
}

/// Maximum number of recorded faults.
const MAX_NOTED: usize = 1000;

/// How to handle a template that fails.
#[derive(Clone, Debug, Default)]
pub(crate) enum OnFault {
    #[default]
    Stop,
    /// Record the fault and continue without the template's text, to find other faults.
    Note(Arc<Mutex<Vec<Finding>>>),
}

impl OnFault {
    /// Returns the rendered text, or `instead` if rendering failed and the fault was recorded.
    pub(super) fn take<T>(&self, rendered: Result<T, tera::Error>, instead: T) -> Result<T, ThemeError> {
        match (rendered, self) {
            (Ok(rendered), _) => Ok(rendered),
            (Err(error), Self::Stop) => Err(error.into()),
            (Err(error), Self::Note(noted)) => {
                record(noted, ThemeError::from(error).into_finding());
                Ok(instead)
            }
        }
    }

    /// Records findings about a page, if faults are recorded.
    pub(super) fn record(&self, found: impl Iterator<Item = Finding>) {
        if let Self::Note(noted) = self {
            found.for_each(|finding| record(noted, finding));
        }
    }

    pub(crate) fn recorded_findings(&self) -> Vec<Finding> {
        match self {
            Self::Stop => Vec::new(),
            Self::Note(noted) => noted.lock().unwrap_or_else(PoisonError::into_inner).clone(),
        }
    }
}

/// Records a finding once: many pages have the same fault.
fn record(noted: &Mutex<Vec<Finding>>, finding: Finding) {
    let mut noted = noted.lock().unwrap_or_else(PoisonError::into_inner);
    if noted.len() < MAX_NOTED && !noted.contains(&finding) {
        noted.push(finding);
    }
}

/// Returns a finding with a message of the template engine.
fn engine_finding(code: Code, place: Place, words: impl fmt::Display) -> Finding {
    Finding::new(code, place, messages::template_engine_says(words))
}

/// Returns the findings of a report of the template engine.
pub(super) fn findings(error: &tera::Error) -> Vec<Finding> {
    let at_start = |code, file: &str, message: Text| {
        Finding::new(code, Place::new(file, Span { line: 1, column: 1, length: 1 }), message)
    };
    vec![match error.kind() {
        ErrorKind::SyntaxError(report) => of_report(Code::TEMPLATE_SYNTAX, report),
        ErrorKind::RenderingError(report) => of_report(code_of(report.message()), report),
        ErrorKind::Msg(reports) => return parse_reports(reports),
        ErrorKind::MissingParent { current, parent } => {
            at_start(Code::UNKNOWN_NAME, current, messages::template_without_parent(parent))
        }
        ErrorKind::CircularExtend { tpl, inheritance_chain: chain }
        | ErrorKind::CircularInclude { tpl, include_chain: chain } => {
            at_start(Code::TEMPLATE_FAILS, tpl, messages::template_in_a_circle(chain.join(", ")))
        }
        ErrorKind::TemplateNotFound(name) => {
            Finding::new(Code::UNKNOWN_NAME, Place::file(name.as_str()), messages::template_absent())
        }
        _ => engine_finding(Code::TEMPLATE_FAILS, Place::file(""), first_line(&error.to_string())),
    }]
}

/// Returns the code of a fault that occurred during rendering.
fn code_of(message: &str) -> Code {
    const UNKNOWN: [&str; 4] =
        ["Field `", "Variable `", "Tried to render a variable", "Cannot index into an undefined"];

    if message.starts_with(NO_FILE) {
        Code::ASSET_NOT_FOUND
    } else if message.contains("`undefined`") || UNKNOWN.iter().any(|opening| message.starts_with(opening)) {
        Code::UNKNOWN_VALUE
    } else {
        Code::TEMPLATE_FAILS
    }
}

/// Start of the message for a file missing in `assets/`.
const NO_FILE: &str = "there is no file";

fn of_report(code: Code, report: &ReportError) -> Finding {
    let span = report.span();
    let length = if span.end_line == span.start_line { span.end_col.saturating_sub(span.start_col) } else { 1 };
    let place = Span { line: span.start_line as u32, column: span.start_col as u32 + 1, length: length.max(1) as u32 };
    finding_with_names(code, Place::new(report.filename(), place), report.message())
}

/// Returns the finding for a message; names that the engine lists become a suggestion and a remedy.
fn finding_with_names(code: Code, place: Place, message: &str) -> Finding {
    if code == Code::ASSET_NOT_FOUND {
        return Finding::new(code, place, missing_asset(message));
    }
    let (report, names) = ["Available fields: ", "Available variables: "]
        .into_iter()
        .find_map(|opening| message.split_once(opening))
        .unwrap_or((message, ""));
    let report = first_line(report.trim().trim_end_matches('.'));
    let finding = if report.is_empty() {
        Finding::new(code, place, messages::template_fails())
    } else {
        engine_finding(code, place, report)
    };
    if names.is_empty() {
        return finding;
    }
    let unknown = message.split('`').nth(1).unwrap_or_default();
    let mut known: Vec<&str> = names.split(", ").map(str::trim).collect();
    known.sort_unstable();
    finding.did_you_mean(nearest(unknown, known.iter().copied())).help(messages::names_known_here(known.join(", ")))
}

/// Restores both languages of the message of the function `asset`, which the engine passes on in English.
fn missing_asset(message: &str) -> Text {
    let mut names = message.split('`').skip(1).step_by(2);
    match (names.next().unwrap_or_default(), names.next()) {
        (name, Some(nearest)) => messages::asset_absent_meant(name, nearest),
        (name, None) => messages::asset_absent(name),
    }
}

/// Parses a list of reports, which the engine passes on as text:
///
/// ```text
/// error: Unknown filter `x`
///   --> pages/team.html:3:5
/// ```
fn parse_reports(reports: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut lines = reports.lines();
    while let Some(line) = lines.next() {
        let Some(message) = line.strip_prefix("error: ") else { continue };
        let place = lines.next().and_then(|line| line.trim().strip_prefix("--> ")).and_then(place);
        let place = place.unwrap_or_else(|| Place::file(""));
        let code = if message.starts_with("Unknown ") { Code::UNKNOWN_NAME } else { Code::TEMPLATE_FAILS };
        findings.push(engine_finding(code, place, message));
    }
    if findings.is_empty() {
        // ``Component `x` is defined in both `a.html` and `b.html` ``
        let file = reports.split('`').rfind(|part| part.contains('.') && !part.contains(' '));
        findings.push(engine_finding(Code::TEMPLATE_FAILS, Place::file(file.unwrap_or_default()), first_line(reports)));
    }
    findings
}

/// `pages/team.html:3:5`
fn place(text: &str) -> Option<Place> {
    let mut parts = text.rsplitn(3, ':');
    let (column, line, file) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?);
    Some(Place::new(file, Span { line, column, length: 1 }))
}

fn first_line(text: &str) -> String {
    text.strip_prefix("error: ").unwrap_or(text).lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use tera::{Context, Tera};

    use super::*;

    fn locations(error: &tera::Error) -> Vec<(Code, String, u32, u32)> {
        let location = |it: Finding| (it.code, it.place.file, it.place.span.line, it.place.span.column);
        findings(error).into_iter().map(location).collect()
    }

    fn parse_error(templates: &[(&str, &str)]) -> tera::Error {
        Tera::new().add_raw_templates(templates.iter().copied()).unwrap_err()
    }

    #[test]
    fn report_of_the_engine_becomes_a_finding_with_code_and_place() {
        let place = |code, file: &str, line, column| vec![(code, file.to_owned(), line, column)];
        let several =
            parse_error(&[("a.html", "{{ 1 | shout }}\n{% include 'gone.html' %}"), ("b.html", "{{ <gone /> }}")]);
        let expected = [("a.html", 1), ("a.html", 2), ("b.html", 1)];
        let locations_of: Vec<_> =
            locations(&several).into_iter().map(|(code, file, line, _)| (code, file, line)).collect();
        assert_eq!(locations_of, expected.map(|(file, line)| (Code::UNKNOWN_NAME, file.to_owned(), line)));
        assert_eq!(locations(&parse_error(&[("a.html", "x\n  {% if %}")]))[0].0, Code::TEMPLATE_SYNTAX);
        let parent = parse_error(&[("a.html", "{% extends 'gone.html' %}")]);
        assert_eq!(locations(&parent), place(Code::UNKNOWN_NAME, "a.html", 1, 1));
        let circle = parse_error(&[("a.html", "{% include 'a.html' %}")]);
        assert_eq!(locations(&circle), place(Code::TEMPLATE_FAILS, "a.html", 1, 1));
        let component = "{% component x() %}{% endcomponent x %}";
        let twice = parse_error(&[("a.html", component), ("b.html", component)]);
        assert_eq!(locations(&twice), place(Code::TEMPLATE_FAILS, "b.html", 0, 0));
    }

    #[test]
    fn failed_template_becomes_a_finding_with_code_and_place() {
        for (template, code) in [
            ("ş {{ page.gone }}", Code::UNKNOWN_VALUE),
            ("ş {{ nothing }}", Code::UNKNOWN_VALUE),
            ("ş {% for x in page.gone %}{% endfor %}", Code::UNKNOWN_VALUE),
            ("ş {{ page.gone | upper }}", Code::UNKNOWN_VALUE),
            ("ş {{ page.title + 1 }}", Code::TEMPLATE_FAILS),
        ] {
            let mut engine = Tera::new();
            engine.add_raw_template("a.html", template).unwrap();
            let mut context = Context::new();
            context.insert("page", &std::collections::BTreeMap::from([("title", "x")]));
            let (found, file, line, column) = locations(&engine.render("a.html", &context).unwrap_err()).remove(0);
            assert_eq!((found, file.as_str(), line), (code, "a.html", 1), "{template}");
            assert!(column > 2, "{template}: {column}");
        }
    }
}
