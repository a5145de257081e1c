//! `generator host NAME`.

use std::{path::PathBuf, process::ExitCode};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use findings::{clean, messages};
use hosts::{Host, write};

use super::{fail, note};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  generator host cloudflare --out host --sidecar https://agents.firm.example")]
pub(crate) struct Arguments {
    /// Name of the host.
    #[arg(value_parser = names())]
    name: Host,
    /// Folder of the build.
    #[arg(long, default_value = "dist")]
    dist: PathBuf,
    /// Folder to write to; files of an earlier run are replaced.
    #[arg(long)]
    out: PathBuf,
    /// Origin of the sidecar, which answers `/mcp`, registration and requests with an issued credential.
    #[arg(long, value_name = "URL")]
    sidecar: Option<String>,
}

pub(super) fn names() -> impl TypedValueParser<Value = Host> {
    PossibleValuesParser::new(Host::ALL.map(Host::name)).try_map(|name| Host::named(&name).ok_or(name))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let Arguments { name, dist, out, sidecar } = arguments;
    let written = write(*name, dist, out, sidecar.as_deref()).map_err(|error| fail(&error.message().map(clean)))?;
    note(&messages::host_written(written.files, name.name(), out.display(), written.site_url));
    if let Some(advice) = written.advice {
        note(&messages::note_of_host(advice));
    }
    Ok(())
}
