//! `generator init`.

use std::{path::PathBuf, process::ExitCode};

use findings::messages;
use generator::init::{Forge, InitError, NewSite, init};
use hosts::Host;

use super::{fail, language, note, now, write_error};

#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    generator init erguvan --name-en \"Erguvan Attorneys at Law\" --name-tr \"Erguvan Avukatlık Ortaklığı\" \\\n    \
    --site-url https://erguvan.example")]
pub(crate) struct Arguments {
    /// Folder to create; it must not exist, or contain only `.git`.
    folder: PathBuf,
    /// Name of the firm in English.
    #[arg(long, value_name = "TEXT")]
    name_en: String,
    /// Name of the firm in Turkish.
    #[arg(long, value_name = "TEXT")]
    name_tr: String,
    /// Origin of the site, such as `https://erguvan.example`.
    #[arg(long, value_name = "URL")]
    site_url: String,
    /// Short name for headers and titles [default: the words with which both names begin]
    #[arg(long, value_name = "TEXT")]
    short_name: Option<String>,
    /// Forges for which to write workflows that check changes and publish them.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "NAME,...")]
    forge: Vec<Forge>,
    /// Host to publish to: one of those of `generator host` [default: the sidecar on a machine of your own]
    #[arg(long, value_parser = super::host::names(), value_name = "NAME")]
    host: Option<Host>,
    /// Start a site that no sidecar serves: without MCP and registration; `--host` implies it.
    #[arg(long)]
    content_only: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let mut forges = Vec::new();
    for forge in &arguments.forge {
        if !forges.contains(forge) {
            forges.push(*forge);
        }
    }
    let site = NewSite {
        name_en: &arguments.name_en,
        name_tr: &arguments.name_tr,
        short_name: arguments.short_name.as_deref(),
        site_url: &arguments.site_url,
        now: now(),
        forges: &forges,
        host: arguments.host,
        has_service: arguments.host.is_none() && !arguments.content_only,
    };
    let files = init(&arguments.folder, &site).map_err(|error| {
        if let InitError::Findings(findings) = &error {
            write_error(&findings.as_ref().clone().errors_alone().to_text(language(), false));
        }
        fail(&error.message())
    })?;
    note(&messages::site_started(arguments.folder.display(), files, "http://127.0.0.1:8080"));
    Ok(())
}
