//! `generator init`.

use std::{path::PathBuf, process::ExitCode};

use generator::init::{InitError, NewSite, init};

use super::{fail, note, now, tell};

/// The firm whose site is started.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  \
    generator init erguvan --name-en \"Erguvan Attorneys at Law\" --name-tr \"Erguvan Avukatlık Ortaklığı\" \\\n    \
    --site-url https://erguvan.example")]
pub(crate) struct Arguments {
    /// Folder to make; it must not exist, or hold nothing but git's own folder.
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
    /// Short name, for headers and titles; otherwise the words with which both names begin.
    #[arg(long, value_name = "TEXT")]
    short_name: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let site = NewSite {
        name_en: &arguments.name_en,
        name_tr: &arguments.name_tr,
        short_name: arguments.short_name.as_deref(),
        site_url: &arguments.site_url,
        now: now(),
    };
    let files = init(&arguments.folder, &site).map_err(|error| {
        if let InitError::Findings(findings) = &error {
            tell(&findings.to_text(false));
        }
        fail(&error)
    })?;
    let folder = arguments.folder.display();
    note(&format!(
        "made `{folder}` with {files} files; next:\n  \
         cd \"{folder}\"\n  \
         generator check    # lists what is to be filled in\n  \
         generator preview  # shows it at http://127.0.0.1:8080"
    ));
    Ok(())
}
