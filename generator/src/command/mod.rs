//! The commands of the program, one per file. They read arguments, call the library and tell a person what happened.

pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod host;
pub(crate) mod init;
pub(crate) mod new;
mod progress;
pub(crate) mod templates;
pub(crate) mod translations;
pub(crate) mod watch;

use std::{
    fmt::Display,
    io::{ErrorKind, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use clap::ValueEnum;
use generator::{
    Loaded, Loading,
    diagnostic::{Finding, Findings},
    load_with, misfits,
    render::{Renderer, Theme},
    site::KnownFiles,
};
use jiff::Timestamp;

/// The default folder of templates.
const TEMPLATES: &str = "templates";

/// What is read, and for which moment.
#[derive(Debug, clap::Args)]
pub(crate) struct Input {
    /// Folder that contains the content.
    #[arg(long, default_value = "content")]
    content: PathBuf,
    /// Folder whose templates, interface words and assets replace built-in ones [default: templates, if it exists]
    #[arg(long)]
    templates: Option<PathBuf>,
    /// Origin of the site, instead of the one in `site.toml`.
    #[arg(long)]
    site_url: Option<String>,
    /// The moment for which to build (RFC 3339), instead of now; it decides which scheduled entries are published.
    #[arg(long)]
    now: Option<Timestamp>,
    /// Include drafts, and articles that are not yet, or no longer, published.
    #[arg(long)]
    drafts: bool,
    /// Output format of the findings.
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    /// For a terminal.
    Text,
    /// One JSON object a line.
    Json,
    /// Annotations of a pull request.
    Github,
}

/// How far a theme is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Examine {
    /// Only what can be seen in its files.
    Files,
    /// Everything that a build would find, by rendering all pages.
    Pages,
}

impl Input {
    /// Loads the content and the theme, and prints every finding about either in one report.
    pub(crate) fn load(&self, examine: Examine) -> Result<(Loaded, Theme), ExitCode> {
        self.load_with(examine, &mut KnownFiles::default())
    }

    /// Does the same without reading the photographs that are known.
    pub(crate) fn load_with(&self, examine: Examine, known: &mut KnownFiles) -> Result<(Loaded, Theme), ExitCode> {
        let loading = Loading {
            content: &self.content,
            site_url: self.site_url.as_deref(),
            now: self.moment(),
            drafts: self.drafts,
        };
        let theme = match self.templates() {
            Some(folder) => Theme::load(folder),
            None => Theme::built_in(),
        };
        let (loaded, theme) = match (load_with(&loading, known), theme) {
            (Ok(loaded), Ok(theme)) => (loaded, theme),
            (loaded, theme) => {
                let loaded = loaded.map_or_else(|findings| findings, |loaded| loaded.warnings);
                let theme = theme.map_or_else(|findings| findings, |theme| theme.warnings().clone());
                self.print(&loaded.and(theme))?;
                return Err(ExitCode::FAILURE);
            }
        };
        let mut findings = loaded.warnings.clone().and(theme.warnings().clone());
        findings = findings.and(misfits(&loading, &loaded.site, &theme));
        if examine == Examine::Pages && findings.errors() == 0 {
            let faults = Renderer::new(&loaded.site, &theme).faults();
            findings = findings.and(faults.map_err(|error| fail(&error))?);
        }
        self.print(&findings)?;
        if findings.errors() > 0 { Err(ExitCode::FAILURE) } else { Ok((loaded, theme)) }
    }

    /// Returns the folder that replaces parts of the built-in theme, if there is one.
    pub(crate) fn templates(&self) -> Option<&Path> {
        self.templates.as_deref().or_else(|| Some(Path::new(TEMPLATES)).filter(|folder| folder.is_dir()))
    }

    /// Returns the folder to watch for templates, which may appear later.
    pub(crate) fn templates_to_watch(&self) -> &Path {
        self.templates.as_deref().unwrap_or(Path::new(TEMPLATES))
    }

    /// Prints a finding that ends a build.
    fn refuse(&self, finding: Finding) -> ExitCode {
        let findings = Findings::new(vec![finding], self.content.display().to_string(), 1);
        self.print(&findings).err().unwrap_or(ExitCode::FAILURE)
    }

    /// Returns the moment for which to build.
    pub(crate) fn moment(&self) -> Timestamp {
        self.now.unwrap_or_else(now)
    }

    fn content(&self) -> &Path {
        &self.content
    }

    pub(crate) fn print(&self, findings: &Findings) -> Result<(), ExitCode> {
        match self.format {
            Format::Text => {
                tell(&findings.to_text(std::io::stderr().is_terminal() && !no_colour()));
                Ok(())
            }
            Format::Json => write(&findings.to_json_lines()),
            Format::Github => write(&findings.to_annotations()),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place where the generator reads the clock")]
fn now() -> Timestamp {
    Timestamp::try_from(std::time::SystemTime::now()).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// <https://no-color.org>
#[expect(clippy::disallowed_methods, reason = "the one variable that the generator knows is a convention of terminals")]
fn no_colour() -> bool {
    std::env::var("NO_COLOR").is_ok_and(|value| !value.is_empty())
}

/// Writes the requested output. A reader may have seen enough before its end; that is not a failure.
fn write(text: &str) -> Result<(), ExitCode> {
    let mut stream = std::io::stdout().lock();
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(fail(&format!("the output cannot be written: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes everything other than the requested output. If the error stream is gone, the text is lost.
fn tell(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes one such line.
fn note(line: &dyn Display) {
    tell(&format!("{line}\n"));
}

fn fail(error: &dyn Display) -> ExitCode {
    note(&format!("error: {error}"));
    ExitCode::FAILURE
}
