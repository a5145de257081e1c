//! `generator host NAME`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use findings::{clean, messages};
use hosts::{Host, write};

use super::{Input, build, fail, note};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  generator host cloudflare --out host --sidecar https://agents.firm.example\n  \
    generator host nginx --out host --content-only")]
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
    /// Build the site without MCP and registration, whatever `site.toml` offers, in place of using a build.
    #[arg(long, conflicts_with_all = ["dist", "sidecar"])]
    content_only: bool,
    /// Folder that contains the content, with `--content-only`.
    #[arg(long, default_value = "content", requires = "content_only")]
    content: PathBuf,
    /// Folder whose templates replace built-in ones, with `--content-only` [default: templates, if it exists]
    #[arg(long, requires = "content_only")]
    templates: Option<PathBuf>,
}

pub(super) fn names() -> impl TypedValueParser<Value = Host> {
    PossibleValuesParser::new(Host::ALL.map(Host::as_str)).try_map(|name| Host::parse(&name).ok_or(name))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let Arguments { name, dist, out, sidecar, .. } = arguments;
    if !arguments.content_only {
        return write_folder(*name, dist, out, sidecar.as_deref());
    }
    let made = tempfile::tempdir().map_err(|error| fail(&error))?;
    let input = Input::of(arguments.content.clone(), arguments.templates.clone());
    let build = build::Arguments::content_only(input, made.path().to_owned());
    build::run(&build)?;
    write_folder(*name, made.path(), out, None)
}

fn write_folder(host: Host, dist: &Path, out: &Path, sidecar: Option<&str>) -> Result<(), ExitCode> {
    let written = write(host, dist, out, sidecar).map_err(|error| fail(&error.map(clean)))?;
    note(&messages::host_written(
        messages::counted_files(written.files),
        host.as_str(),
        out.display(),
        written.site_url,
    ));
    if let Some(advice) = written.advice {
        note(&messages::note_of_host(advice));
    }
    Ok(())
}
