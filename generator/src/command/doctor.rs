//! `generator doctor URL`.

use std::{path::PathBuf, process::ExitCode};

use contract::Locale;
use findings::{
    clean,
    messages::{self, Text},
};
use generator::doctor::{Cause, Examined, Fault, Point, Report, check_schedule, examine, score};
use serde_json::{Value, json};

use super::{TextOrJson, fail, language, note, now, write};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Origin of the running site, such as `https://firm.example`.
    url: String,
    /// Folder of the build that is online; report a scheduled change that is overdue.
    #[arg(long, value_name = "FOLDER")]
    build: Option<PathBuf>,
    /// Score the readiness of the site for agents as public scanners do.
    #[arg(long)]
    agents: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = TextOrJson::Text)]
    format: TextOrJson,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    if arguments.agents { readiness(arguments) } else { health(arguments) }
}

fn health(arguments: &Arguments) -> Result<(), ExitCode> {
    let mut report = examine(&arguments.url, now()).map_err(|error| fail(&error))?;
    if let Some(build) = &arguments.build {
        report.checks.push(check_schedule(build, now()));
    }
    let causes = report.causes();
    let faults: usize = causes.iter().map(|cause| cause.faults.len()).sum();
    if arguments.format == TextOrJson::Json {
        write(&format!("{}\n", to_json(&report, &causes)))?;
    } else {
        write(&to_text(&report, &causes))?;
        let counted = match faults {
            0 => messages::no_faults(),
            1 => messages::one_fault(),
            _ => messages::counted_faults(faults),
        };
        let examined = report.checks.iter().filter(|check| check.unjudged.is_none()).count();
        note(&messages::doctor_summary(&arguments.url, examined, counted));
    }
    if faults == 0 { Ok(()) } else { Err(ExitCode::FAILURE) }
}

/// Returns the report as JSON. Checks have their English names in every language.
fn to_json(report: &Report, causes: &[Cause<'_>]) -> Value {
    let language = language();
    let checks = report.checks.iter().map(|check| {
        let fault = |it: &Fault| {
            let Fault { places, remedy, .. } = it;
            json!({ "fault": &it.text()[language], "places": places, "remedy": &remedy[language] })
        };
        let faults: Vec<Value> = check.faults.iter().map(fault).collect();
        let unjudged = check.unjudged.as_ref().map(|why| &why[language]);
        json!({ "name": &check.name[Locale::En], "faults": faults, "not_examined": unjudged })
    });
    let checks: Vec<Value> = checks.collect();
    let change: Vec<&str> = causes.iter().map(|cause| &cause.remedy[language]).collect();
    json!({ "site": report.site, "kind": report.kind, "checks": checks, "change": change })
}

/// Returns the faults with their remedies, then the checks without faults, then those that were not carried out.
fn to_text(report: &Report, causes: &[Cause<'_>]) -> String {
    let language = language();
    let mut lines = vec![messages::kind_answers(report.kind.words())[language].to_owned()];
    for (index, Cause { remedy, faults }) in causes.iter().enumerate() {
        let mut lead = format!("{}.", index + 1);
        lines.push(String::new());
        for fault in faults {
            lines.push(format!("{lead:3} {}", clean(&fault.text()[language])));
            lead.clear();
        }
        lines.push(format!("    {}", clean(&messages::to_change((*remedy).clone())[language])));
    }
    lines.push(String::new());
    let names = |checks: Vec<&Examined>| Text::list(checks.into_iter().map(|check| check.name.clone()));
    let fine = report.checks.iter().filter(|check| check.faults.is_empty() && check.unjudged.is_none()).collect();
    lines.extend(names(fine).map(|checks| messages::in_order(checks)[language].to_owned()));
    let mut reasons: Vec<&Text> = Vec::new();
    for why in report.checks.iter().filter_map(|check| check.unjudged.as_ref()) {
        if reasons.contains(&why) {
            continue;
        }
        reasons.push(why);
        let checks = report.checks.iter().filter(|check| check.unjudged.as_ref() == Some(why)).collect();
        lines.extend(names(checks).map(|checks| messages::not_judged(why.clone(), checks)[language].to_owned()));
    }
    lines.join("\n") + "\n"
}

fn readiness(arguments: &Arguments) -> Result<(), ExitCode> {
    let language = language();
    let points = score(&arguments.url).map_err(|error| fail(&error))?;
    let reached = points.iter().filter(|point| point.holds == Some(true)).count();
    let examined = points.iter().filter(|point| point.holds.is_some()).count();
    if arguments.format == TextOrJson::Json {
        let point = |it: &Point| {
            let Point { scanner, name, holds, remedy } = it;
            json!({ "scanner": scanner, "name": name, "holds": holds, "remedy": &remedy[language] })
        };
        let checks: Vec<Value> = points.iter().map(point).collect();
        let all = json!({ "site": arguments.url, "points": reached, "of": examined, "checks": checks });
        write(&format!("{all}\n"))?;
    } else {
        let mut lines = Vec::new();
        for point in &points {
            let verdict = match point.holds {
                Some(true) => messages::check_fine(),
                Some(false) => messages::point_lacking(),
                None => Text::verbatim("-"),
            };
            lines.push(format!("{:7} {}: {}", &verdict[language], point.scanner, point.name));
            if point.holds != Some(true) {
                lines.push(format!("        {}", &point.remedy[language]));
            }
        }
        lines.push(messages::points_reached(reached, examined)[language].to_owned());
        write(&(lines.join("\n") + "\n"))?;
    }
    if reached == examined { Ok(()) } else { Err(ExitCode::FAILURE) }
}
