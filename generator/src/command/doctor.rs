//! `generator doctor URL`.

use std::process::ExitCode;

use generator::{diagnostic::clean, doctor::examine};

use super::fail;

/// Whom to ask.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Origin of the running site, such as `https://firm.example`.
    url: String,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let examined = examine(&arguments.url).map_err(|error| fail(&error))?;
    for check in &examined {
        println!("{:7} {}", if check.faults.is_empty() { "ok" } else { "FAULT" }, check.name);
        for fault in &check.faults {
            println!("        {}", clean(fault));
        }
    }
    let faults: usize = examined.iter().map(|check| check.faults.len()).sum();
    eprintln!("{}: {} checks, {faults} faults", arguments.url, examined.len());
    if faults == 0 { Ok(()) } else { Err(ExitCode::FAILURE) }
}
