//! `generator doctor URL`.

use std::process::ExitCode;

use generator::{diagnostic::clean, doctor::examine};

use super::{fail, note, write};

/// Whom to ask.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Origin of the running site, such as `https://firm.example`.
    url: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let examined = examine(&arguments.url).map_err(|error| fail(&error))?;
    let mut report = Vec::new();
    for check in &examined {
        report.push(format!("{:7} {}", if check.faults.is_empty() { "ok" } else { "FAULT" }, check.name));
        report.extend(check.faults.iter().map(|fault| format!("        {}", clean(fault))));
    }
    write(&(report.join("\n") + "\n"))?;
    let faults: usize = examined.iter().map(|check| check.faults.len()).sum();
    note(&format!("{}: {} checks, {faults} faults", arguments.url, examined.len()));
    if faults == 0 { Ok(()) } else { Err(ExitCode::FAILURE) }
}
