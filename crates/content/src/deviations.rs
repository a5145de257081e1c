//! The register of accepted deviations: `deviations.toml` beside `site.toml`.

use contract::text::Date;
use findings::{Code, Finding, Span, messages, nearest};

use super::{
    At,
    fields::Fields,
    node::Node,
    problem::{Problem, Reading},
    text::Lines,
    toml, types,
    values::{self, LINE, SENTENCES},
};

/// The most entries: the check searches the text for each.
const MAX_DEVIATIONS: usize = 200;

/// A passage that counsel accepts despite an advisory check.
#[derive(Clone, Debug)]
pub struct Deviation {
    pub code: Code,
    /// Path below the content folder.
    pub file: At<String>,
    /// The words of the passage, exactly as in the text.
    pub words: At<String>,
    pub reason: String,
    /// The person who accepts it.
    pub name: String,
    /// The day of acceptance.
    pub date: At<Date>,
    /// The last day of its validity.
    pub until: At<Date>,
}

/// Reads the register. Leaves out entries with an unreadable field.
pub fn read_deviations(text: &str, file: &str) -> (Vec<Deviation>, Vec<Finding>) {
    let (pairs, mut findings) = toml::parse(text, &Lines::of(text), file);
    let Some(pairs) = pairs else { return (Vec::new(), findings) };
    let mut fields = Fields::new(file, Span { line: 1, column: 1, length: 1 }, &pairs);
    let groups = fields.groups("deviation", None, deviation);
    if let Some(first) = groups.get(MAX_DEVIATIONS) {
        let message = messages::too_many_deviations(groups.len(), MAX_DEVIATIONS);
        let finding = fields.finding(Code::TOO_LONG, first.span, message);
        fields.report(finding.help(messages::too_many_deviations_help()));
    }
    let deviations = groups.into_iter().take(MAX_DEVIATIONS).filter_map(|group| group.value).collect();
    findings.extend(fields.finish().0);
    (deviations, findings)
}

fn deviation(fields: &mut Fields) -> Option<Deviation> {
    let code = fields.required("code", &types::pattern(advisory_code, "^T[0-9]{4}$", messages::form_advisory_code));
    let file = fields.required("file", &types::text(LINE));
    let words = fields.required("words", &types::text(LINE));
    let reason = fields.required("reason", &types::text(SENTENCES));
    let name = fields.required("name", &types::text(LINE));
    let (date, until) = (fields.required_day("date"), fields.required_day("until"));
    let (reason, name) = (reason?.value, name?.value);
    Some(Deviation { code: code?.value, file: file?, words: words?, reason, name, date: date?, until: until? })
}

fn advisory_code(node: &Node) -> Reading<Code> {
    let (text, _) = values::scalar(node)?;
    let known = || Code::ALL.into_iter().filter(|code| code.is_advisory());
    if let Some(code) = Code::find(text).filter(|code| code.is_advisory()) {
        return Ok(code);
    }
    let problem = Problem::new(Code::NOT_ONE_OF, messages::deviation_code(text)).help(messages::deviation_code_help());
    Err(Some(match nearest(text, known().map(Code::id)) {
        Some(id) => problem.label(messages::did_you_mean(id)),
        None => problem,
    }))
}
