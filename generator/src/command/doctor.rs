//! `generator doctor URL`.

use std::process::ExitCode;

use clap::ValueEnum;
use contract::Locale;
use generator::{
    diagnostic::clean,
    doctor::{Fault, Point, Report, examine, score},
    messages::{self, Text},
};
use serde_json::{Value, json};

use super::{fail, language, note, now, write};

/// The site to ask.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Origin of the running site, such as `https://firm.example`.
    url: String,
    /// Score the site as public scanners of readiness for agents do.
    #[arg(long)]
    agents: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// One JSON object.
    Json,
}

/// Prints what is wrong with the site, and what to change.
pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    if arguments.agents { readiness(arguments) } else { health(arguments) }
}

fn health(arguments: &Arguments) -> Result<(), ExitCode> {
    let report = examine(&arguments.url, now()).map_err(|error| fail(&error.message()))?;
    let faults: usize = report.checks.iter().map(|check| check.faults.len()).sum();
    if arguments.format == Format::Json {
        write(&format!("{}\n", in_json(&report)))?;
    } else {
        write(&told(&report))?;
        note(&messages::doctor_summary(&arguments.url, report.checks.len(), faults));
    }
    if faults == 0 { Ok(()) } else { Err(ExitCode::FAILURE) }
}

/// Returns a report for programs, which know its checks by their English names.
fn in_json(report: &Report) -> Value {
    let language = language();
    let checks = report.checks.iter().map(|check| {
        let fault = |it: &Fault| json!({ "fault": &it.fault[language], "remedy": &it.remedy[language] });
        let faults: Vec<Value> = check.faults.iter().map(fault).collect();
        json!({ "name": &check.name[Locale::En], "faults": faults })
    });
    let (checks, remedies) = (checks.collect::<Vec<_>>(), report.remedies());
    let change: Vec<&str> = remedies.iter().map(|remedy| &remedy[language]).collect();
    json!({ "site": report.site, "kind": report.kind, "checks": checks, "change": change })
}

fn told(report: &Report) -> String {
    let language = language();
    let mut lines = vec![messages::kind_answers(report.kind.words())[language].to_owned()];
    for check in &report.checks {
        let verdict = if check.faults.is_empty() { messages::check_fine() } else { messages::check_with_faults() };
        lines.push(format!("{:7} {}", &verdict[language], &check.name[language]));
        lines.extend(check.faults.iter().map(|fault| format!("        {}", clean(&fault.fault[language]))));
    }
    let remedies = report.remedies();
    if !remedies.is_empty() {
        lines.push(format!("\n{}", &messages::to_change()[language]));
        lines.extend(remedies.iter().map(|remedy| format!("- {}", clean(&remedy[language]))));
    }
    lines.join("\n") + "\n"
}

fn readiness(arguments: &Arguments) -> Result<(), ExitCode> {
    let language = language();
    let points = score(&arguments.url).map_err(|error| fail(&error.message()))?;
    let reached = points.iter().filter(|point| point.holds == Some(true)).count();
    let asked = points.iter().filter(|point| point.holds.is_some()).count();
    if arguments.format == Format::Json {
        let point = |it: &Point| {
            let Point { scanner, name, holds, remedy } = it;
            json!({ "scanner": scanner, "name": name, "holds": holds, "remedy": &remedy[language] })
        };
        let checks: Vec<Value> = points.iter().map(point).collect();
        let all = json!({ "site": arguments.url, "points": reached, "of": asked, "checks": checks });
        write(&format!("{all}\n"))?;
    } else {
        let mut lines = Vec::new();
        for point in &points {
            let verdict = match point.holds {
                Some(true) => messages::check_fine(),
                Some(false) => messages::point_lacking(),
                None => Text::verbatim("-"),
            };
            lines.push(format!("{:7} {}: {}", &verdict[language], point.scanner.as_str(), point.name));
            if point.holds != Some(true) {
                lines.push(format!("        {}", &point.remedy[language]));
            }
        }
        lines.push(messages::points_reached(reached, asked)[language].to_owned());
        write(&(lines.join("\n") + "\n"))?;
    }
    if reached == asked { Ok(()) } else { Err(ExitCode::FAILURE) }
}
