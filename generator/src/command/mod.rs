//! The commands of the program, one per file. They read arguments, call the library and print the result.

pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod convert;
pub(crate) mod diff;
pub(crate) mod doctor;
pub(crate) mod explain;
pub(crate) mod help;
pub(crate) mod host;
pub(crate) mod import;
pub(crate) mod init;
pub(crate) mod new;
pub(crate) mod preview;
mod progress;
pub(crate) mod schema;
pub(crate) mod templates;
pub(crate) mod translations;
pub(crate) mod watch;

use std::{
    collections::BTreeSet,
    env,
    ffi::OsString,
    fs,
    io::{ErrorKind, IsTerminal as _, Write as _},
    path::{self, Component, Path, PathBuf},
    process::ExitCode,
    sync::OnceLock,
};

use citations::Cited;
use clap::ValueEnum;
use contract::Locale;
use editor::{Bundle, PACKAGE};
use findings::{
    Code, Finding, Findings, clean,
    messages::{self, Say, Text},
};
use generator::{
    citing::{CitingPlace, CitingPlaces, citing_places},
    fix::{self, FileChange, Fixes},
    templates::misfits,
    translations::stale_files,
    vanished::find_vanished,
};
use jiff::Timestamp;
use render::{Renderer, Theme};
use serde_json::json;
use site::{KnownFiles, Loaded, Loading, Site, load_with_known_files};

/// The language of all output, from the arguments or the environment.
static LANGUAGE: OnceLock<Locale> = OnceLock::new();

/// Sets the language of all output: that of `--lang`, otherwise that of the environment.
pub(crate) fn set_language(arguments: &[OsString]) -> Locale {
    let mut words = arguments.iter().filter_map(|argument| argument.to_str());
    let requested = words.find_map(|word| word.strip_prefix("--lang")).and_then(|rest| match rest.strip_prefix('=') {
        Some(value) => value.parse().ok(),
        None if rest.is_empty() => words.next()?.parse().ok(),
        None => None,
    });
    *LANGUAGE.get_or_init(|| requested.unwrap_or_else(language_of_environment))
}

fn language() -> Locale {
    LANGUAGE.get().copied().unwrap_or(Locale::DEFAULT)
}

/// The first of these variables that is not empty names the language, as for every program (POSIX, 8.2).
#[expect(clippy::disallowed_methods, reason = "the language of messages is a setting of the environment")]
fn language_of_environment() -> Locale {
    let variables = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter();
    let named = variables.filter_map(|name| std::env::var(name).ok()).find(|value| !value.is_empty());
    named.as_deref().and_then(|value| value.get(..2)?.parse().ok()).unwrap_or(Locale::DEFAULT)
}

/// The default folder of templates.
const TEMPLATES: &str = "templates";
/// How many unreviewed texts `check` names.
const UNREVIEWED: usize = 10;

/// Arguments of commands that read the content.
#[derive(Debug, clap::Args)]
pub(crate) struct Input {
    /// Folder that contains the content.
    #[arg(long, default_value = "content")]
    content: PathBuf,
    /// Folder whose templates, interface words and assets replace built-in ones [default: templates, if it exists]
    #[arg(long)]
    templates: Option<PathBuf>,
    /// Origin of the site; overrides `site.toml`.
    #[arg(long)]
    site_url: Option<String>,
    /// Moment for which to build (RFC 3339) [default: now]; it determines which scheduled entries are published
    #[arg(long)]
    now: Option<Timestamp>,
    /// Include drafts, and articles before their publication or after their expiry.
    #[arg(long)]
    drafts: bool,
    /// Output format of the findings.
    #[arg(long, value_enum, default_value_t = FindingsFormat::Text)]
    format: FindingsFormat,
    /// In text, list every place of the findings, also placeholders and what occurs often.
    #[arg(long)]
    all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsFormat {
    /// For a terminal.
    Text,
    /// One JSON object per line.
    Json,
    /// Annotations of a pull request.
    Github,
    /// A SARIF 2.1.0 report with paths from the root of the repository; for `check`.
    Sarif,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TextOrJson {
    /// For a terminal.
    Text,
    /// One JSON object.
    Json,
}

impl Input {
    /// Returns the arguments for the content and the templates in these folders.
    fn of(content: PathBuf, templates: Option<PathBuf>) -> Self {
        Self { content, templates, site_url: None, now: None, drafts: false, format: FindingsFormat::Text, all: false }
    }

    /// Loads the content and the theme, renders every page, and prints all findings in one report.
    pub(crate) fn check(&self) -> Result<Findings, ExitCode> {
        let (loaded, theme, mut findings) = self.load(&mut KnownFiles::default())?;
        let faults = Renderer::new(&loaded.site, &theme).faults();
        findings = findings
            .and(faults.map_err(|error| fail(&error.message()))?)
            .and(find_vanished(&self.loading(), &loaded.site));
        self.print(&findings)?;
        let site = &loaded.site;
        let unreviewed: Vec<&str> = site.unreviewed().collect();
        if let Some(months) = site.settings.review_after.filter(|_| !unreviewed.is_empty()) {
            let more = if unreviewed.len() > UNREVIEWED { ", …" } else { "" };
            let files = unreviewed[..unreviewed.len().min(UNREVIEWED)].join(", ") + more;
            note(&messages::texts_unreviewed(unreviewed.len(), months, files));
        }
        Ok(findings)
    }

    /// Lists the places that cite a law. Of the findings, returns and prints those of these places: the texts that state
    /// the law as of a day before its change.
    pub(crate) fn list_citing(&self, changed: &Cited) -> Result<Findings, ExitCode> {
        let (Loaded { site, .. }, _, findings) = self.load(&mut KnownFiles::default())?;
        let laws = &site.settings.laws;
        let number = changed.law().unwrap_or_default();
        let Some(law) = laws.get(number) else { return Err(fail(&messages::law_unknown(number))) };
        let title = format!("{changed} ({})", law.name(language() == Locale::Tr));
        let CitingPlaces { cited: places, without_law } =
            citing_places(&site, laws, changed).map_err(|error| fail(&error))?;
        let root = self.content.display();
        for CitingPlace { file, line, text } in &places {
            write(&match self.format {
                FindingsFormat::Json => {
                    format!("{}\n", json!({ "cites": number, "file": file, "line": line, "text": text }))
                }
                _ => format!("{root}/{file}:{line}: {}\n", clean(text)),
            })?;
        }
        let is_listed = |finding: &Finding| {
            let (file, line) = (&finding.place.file, finding.place.span.line as usize);
            finding.code == Code::LAW_CHANGED
                && places.iter().any(|place| place.line == line && *file == format!("{root}/{}", place.file))
        };
        let findings = findings.only(is_listed);
        if !findings.is_empty() {
            self.print(&findings)?;
        }
        let files: BTreeSet<&str> = places.iter().map(|place| place.file.as_str()).collect();
        note(&match (places.len(), messages::counted_files(files.len())) {
            (0, _) => messages::law_not_cited(title),
            (1, files) => messages::law_cited_once(files, title),
            (count, files) => messages::law_cited(count, files, title),
        });
        if !without_law.is_empty() {
            let files: BTreeSet<&str> = without_law.iter().map(|place| place.file.as_str()).collect();
            let files = files.into_iter().collect::<Vec<_>>().join(", ");
            note(&messages::articles_without_law(number, without_law.len(), files));
        }
        Ok(findings)
    }

    /// Loads the content and the theme; photographs in `known` are not read again. If there are errors, prints all
    /// findings; otherwise returns them, so that later ones can join the same report.
    pub(crate) fn load(&self, known: &mut KnownFiles) -> Result<(Loaded, Theme, Findings), ExitCode> {
        match self.read(load_with_known_files, known) {
            (Some((loaded, theme)), findings) => Ok((loaded, theme, findings)),
            (None, findings) => Err(self.print_failure(&findings)),
        }
    }

    /// Reads the content with `load`, and the theme, without printing. The site is `None` if a finding is an error.
    fn read(
        &self,
        load: fn(&Loading, &mut KnownFiles) -> Result<Loaded, Findings>,
        known: &mut KnownFiles,
    ) -> (Option<(Loaded, Theme)>, Findings) {
        let loading = self.loading();
        let theme = match self.templates() {
            Some(folder) => Theme::load(folder),
            None => Theme::built_in(),
        };
        let (mut loaded, theme) = match (load(&loading, known), theme) {
            (Ok(loaded), Ok(theme)) => (loaded, theme),
            (loaded, theme) => {
                let loaded = loaded.map_or_else(|findings| findings, |loaded| loaded.warnings);
                let theme = theme.map_or_else(|findings| findings, |theme| theme.warnings().clone());
                return (None, loaded.and(theme));
            }
        };
        loaded.site.mark_stale(&stale_files(&self.content));
        let findings = loaded.warnings.clone().and(theme.warnings().clone());
        let findings = findings.and(misfits(&loading, &loaded.site, &theme));
        let site = (findings.errors() == 0).then_some((loaded, theme));
        (site, findings)
    }

    /// Adds the editor in the browser, if the site has one.
    pub(crate) fn add_editor(&self, site: &mut Site) -> Result<(), Text> {
        if site.settings.editor.is_some() {
            let root = real(&self.content).parent().map(Path::to_owned).unwrap_or_default();
            let program = env::current_exe().unwrap_or_default();
            let shared = program.parent().unwrap_or(Path::new("")).join("../share/mecelle");
            site.editor = editor::files(site, Bundle::load([root, shared].map(|folder| folder.join(PACKAGE)))?);
        }
        Ok(())
    }

    fn loading(&self) -> Loading<'_> {
        Loading { content: &self.content, site_url: self.site_url.as_deref(), now: self.moment(), drafts: self.drafts }
    }

    /// Prints the changes, applies them unless it is a trial, and returns the remaining findings.
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
            // Standard output is only for the requested format.
            match self.format {
                FindingsFormat::Text => write(&clean_lines(&change.diff(&root, language())))?,
                FindingsFormat::Json | FindingsFormat::Github | FindingsFormat::Sarif => {
                    write_error(&clean_lines(&change.diff(&root, language())));
                }
            }
        }
        for change in changes.iter().filter(|_| !is_trial) {
            let failed = |error| fail(&messages::file_not_rewritten(format_args!("{root}/{}", change.file), error));
            change.apply().map_err(failed)?;
        }
        let visible: usize = changes.iter().map(|change| change.visible).sum();
        let outcome = match (changes.len(), is_trial) {
            (0, _) => messages::nothing_to_rewrite(),
            (files, true) => messages::files_to_rewrite(files),
            (files, false) => messages::files_rewritten(files),
        };
        note(&if visible > 0 { messages::rewritten_visibly(outcome, visible) } else { outcome });
        let attributes = repository(&real(&self.content)).map(|root| root.join(".gitattributes"));
        if let Some(attributes) = attributes.filter(|_| changes.iter().any(FileChange::changes_line_ends))
            && !fs::read_to_string(&attributes).is_ok_and(|text| text.contains("eol=lf"))
        {
            note(&messages::line_ends_of_git(attributes.display()));
        }
        Ok(left)
    }

    /// Returns the folder of overrides, if there is one.
    pub(crate) fn templates(&self) -> Option<&Path> {
        self.templates.as_deref().or_else(|| Some(Path::new(TEMPLATES)).filter(|folder| folder.is_dir()))
    }

    /// Returns the folder of overrides to watch, which may appear later.
    pub(crate) fn templates_to_watch(&self) -> &Path {
        self.templates.as_deref().unwrap_or(Path::new(TEMPLATES))
    }

    /// Prints findings that end a build.
    fn print_failure(&self, findings: &Findings) -> ExitCode {
        self.print(findings).err().unwrap_or(ExitCode::FAILURE)
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
            FindingsFormat::Text => {
                let colour = std::io::stderr().is_terminal() && !no_colour();
                let to_text = if self.all { Findings::to_whole_text } else { Findings::to_text };
                write_error(&to_text(findings, language(), colour));
                Ok(())
            }
            FindingsFormat::Json => write(&findings.to_json_lines(language())),
            FindingsFormat::Github => write(&findings.to_annotations(language(), &self.in_repository())),
            FindingsFormat::Sarif => write(&findings.to_sarif(language(), &self.in_repository())),
        }
    }

    /// Returns a function that makes paths relative to the root of the repository, or to this folder if there is none.
    fn in_repository(&self) -> impl Fn(&str) -> Option<String> {
        let content = real(&self.content);
        let root = repository(&content).map_or_else(|| real(Path::new(".")), Path::to_owned);
        move |path| below(&root, path)
    }
}

/// Returns the root of the repository that contains `folder`.
fn repository(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|folder| folder.join(".git").exists())
}

/// Returns `path` relative to `root`, with `/` between its parts; `None` if it is not below it.
fn below(root: &Path, path: &str) -> Option<String> {
    let path = real(Path::new(path));
    let parts = path.strip_prefix(root).ok()?.iter().map(|part| part.to_str()).collect::<Option<Vec<_>>>()?;
    Some(parts.join("/"))
}

/// Returns the absolute path with links resolved as far as it exists.
fn real(folder: &Path) -> PathBuf {
    let absolute = path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let mut real = PathBuf::new();
    for component in absolute.components() {
        if component == Component::ParentDir {
            real.pop();
        } else {
            real.push(component);
            real = real.canonicalize().unwrap_or(real);
        }
    }
    real
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

/// Writes to standard output. A closed pipe (`| head`) is not a failure.
fn write(text: &str) -> Result<(), ExitCode> {
    let mut stream = std::io::stdout().lock();
    match stream.write_all(text.as_bytes()).and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(fail(&messages::output_not_written(error))),
        _ => Ok(()),
    }
}

/// Removes control characters except line feeds.
fn clean_lines(text: &str) -> String {
    text.split_inclusive('\n').map(|line| clean(line.trim_end_matches('\n')) + "\n").collect()
}

/// Writes to standard error. If that is closed, the text is lost.
fn write_error(text: &str) {
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}

/// Writes one line to standard error.
fn note(line: &dyn Say) {
    write_error(&format!("{}\n", line.say(language())));
}

fn fail(error: &dyn Say) -> ExitCode {
    let language = language();
    write_error(&format!("{}: {}\n", &messages::error()[language], error.say(language)));
    ExitCode::FAILURE
}
