//! The commands of the program, one per file. They read arguments, call the library and tell a person what happened.

pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod init;
pub(crate) mod new;
pub(crate) mod preview;
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
    diagnostic::{Finding, Findings, clean},
    fix::{self, Fixes},
    load_with, misfits,
    render::{Renderer, Theme},
    site::KnownFiles,
    vanished::vanished,
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
        let (site, findings) = self.examine(examine, load_with, known)?;
        self.print(&findings)?;
        site.ok_or(ExitCode::FAILURE)
    }

    /// Does the same without printing what is found; there is a site if no finding is an error.
    fn examine(
        &self,
        examine: Examine,
        load: fn(&Loading, &mut KnownFiles) -> Result<Loaded, Findings>,
        known: &mut KnownFiles,
    ) -> Result<(Option<(Loaded, Theme)>, Findings), ExitCode> {
        let loading = self.loading();
        let theme = match self.templates() {
            Some(folder) => Theme::load(folder),
            None => Theme::built_in(),
        };
        let (loaded, theme) = match (load(&loading, known), theme) {
            (Ok(loaded), Ok(theme)) => (loaded, theme),
            (loaded, theme) => {
                let loaded = loaded.map_or_else(|findings| findings, |loaded| loaded.warnings);
                let theme = theme.map_or_else(|findings| findings, |theme| theme.warnings().clone());
                return Ok((None, loaded.and(theme)));
            }
        };
        let mut findings = loaded.warnings.clone().and(theme.warnings().clone());
        findings = findings.and(misfits(&loading, &loaded.site, &theme));
        if examine == Examine::Pages && findings.errors() == 0 {
            let faults = Renderer::new(&loaded.site, &theme).faults();
            findings = findings.and(faults.map_err(|error| fail(&error))?).and(vanished(&loading, &loaded.site));
        }
        let site = (findings.errors() == 0).then_some((loaded, theme));
        Ok((site, findings))
    }

    fn loading(&self) -> Loading<'_> {
        Loading { content: &self.content, site_url: self.site_url.as_deref(), now: self.moment(), drafts: self.drafts }
    }

    /// Shows what can be rewritten, rewrites it unless that is only a trial, and returns what will remain.
    fn fix(&self, is_trial: bool) -> Result<Findings, ExitCode> {
        let Fixes { changes, left } = match fix::find(&self.loading()) {
            Ok(fixes) => fixes,
            Err(findings) => {
                self.print(&findings)?;
                return Err(ExitCode::FAILURE);
            }
        };
        let root = self.content.display().to_string();
        for change in &changes {
            // Another format has the requested output to itself.
            match self.format {
                Format::Text => write(&clean_lines(&change.diff(&root)))?,
                Format::Json | Format::Github => tell(&clean_lines(&change.diff(&root))),
            }
        }
        for change in changes.iter().filter(|_| !is_trial) {
            change.apply().map_err(|error| fail(&format!("{root}/{} cannot be rewritten: {error}", change.file)))?;
        }
        let visible: usize = changes.iter().map(|change| change.visible).sum();
        let seen = if visible > 0 { format!("; {visible} changes alter what readers see") } else { String::new() };
        note(&match (changes.len(), is_trial) {
            (0, _) => "nothing to rewrite".to_owned(),
            (files, true) => format!("files to rewrite without --dry-run: {files}{seen}"),
            (files, false) => format!("files rewritten: {files}{seen}"),
        });
        Ok(left)
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

/// Returns lines without anything else that a terminal would obey.
fn clean_lines(text: &str) -> String {
    text.split_inclusive('\n').map(|line| clean(line.trim_end_matches('\n')) + "\n").collect()
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
