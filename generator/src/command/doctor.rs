//! `generator doctor URL`.

use std::process::ExitCode;

use clap::ValueEnum;
use generator::{
    diagnostic::clean,
    doctor::{Report, examine, score},
};
use serde_json::json;

use super::{fail, note, write};

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
    let report = examine(&arguments.url).map_err(|error| fail(&error))?;
    let faults: usize = report.checks.iter().map(|check| check.faults.len()).sum();
    if arguments.format == Format::Json {
        let change = report.remedies();
        let Report { site, kind, checks } = &report;
        write(&format!("{}\n", json!({ "site": site, "kind": kind, "checks": checks, "change": change })))?;
    } else {
        write(&told(&report))?;
        note(&format!("{}: {} checks, {faults} faults", arguments.url, report.checks.len()));
    }
    if faults == 0 { Ok(()) } else { Err(ExitCode::FAILURE) }
}

fn told(report: &Report) -> String {
    let mut lines = vec![format!("{} answers", report.kind)];
    for check in &report.checks {
        lines.push(format!("{:7} {}", if check.faults.is_empty() { "ok" } else { "FAULT" }, check.name));
        lines.extend(check.faults.iter().map(|fault| format!("        {}", clean(&fault.fault))));
    }
    let remedies = report.remedies();
    if !remedies.is_empty() {
        lines.push("\nto change:".to_owned());
        lines.extend(remedies.iter().map(|remedy| format!("- {remedy}")));
    }
    lines.join("\n") + "\n"
}

fn readiness(arguments: &Arguments) -> Result<(), ExitCode> {
    let points = score(&arguments.url).map_err(|error| fail(&error))?;
    let reached = points.iter().filter(|point| point.holds == Some(true)).count();
    let asked = points.iter().filter(|point| point.holds.is_some()).count();
    if arguments.format == Format::Json {
        let all = json!({ "site": arguments.url, "points": reached, "of": asked, "checks": points });
        write(&format!("{all}\n"))?;
    } else {
        let mut lines = Vec::new();
        for point in &points {
            let verdict = point.holds.map_or("-", |holds| if holds { "ok" } else { "LACKS" });
            lines.push(format!("{verdict:7} {}: {}", point.scanner.as_str(), point.name));
            if point.holds != Some(true) {
                lines.push(format!("        {}", point.remedy));
            }
        }
        write(&format!("{}\n{reached} of {asked} points\n", lines.join("\n")))?;
    }
    if reached == asked { Ok(()) } else { Err(ExitCode::FAILURE) }
}
