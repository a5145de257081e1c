//! The `generator` program: arguments in, exit status out.

mod command;

use std::{mem, process::ExitCode};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use contract::Locale;

/// Rendering allocates and frees many small texts in each thread; mimalloc reuses them without a lock. Huge pages are
/// off (`no_thp`): they cost a sixth more memory and save no time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Builds a law firm's site from Markdown.
#[derive(Debug, Parser)]
#[command(name = "generator", version, propagate_version = true)]
struct Arguments {
    /// Language of the messages: `en` or `tr` [default: that of `LC_ALL`, `LC_MESSAGES` or `LANG`]
    #[arg(long, global = true, value_name = "LANGUAGE", value_parser = ["en", "tr"])]
    lang: Option<String>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check the content and write the whole site to `dist/`.
    Build(command::build::Arguments),
    /// Check the content and the templates; write nothing without `--fix`.
    Check(command::check::Arguments),
    /// Build the site, and build it again when content or templates change, or a scheduled change is due.
    Watch(command::build::Arguments),
    /// Serve the site with its drafts on this machine, and update it after every change.
    Preview(command::preview::Arguments),
    /// Create the site of a firm: a folder with settings, pages and samples that can be built at once.
    Init(command::init::Arguments),
    /// Create an entry: its folder, its files and the fields to fill in.
    New(command::new::Arguments),
    /// Arrange a content folder for the editor in the browser: names of texts, places and form of fields.
    Convert(command::convert::Arguments),
    #[expect(clippy::doc_markdown, reason = "help names programs as they are written")]
    /// Make entries of documents of Word or LibreOffice, or of an export of WordPress, and list what cannot be carried over.
    Import(command::import::Arguments),
    /// Describe the fields of entries and of `site.toml` as JSON Schema, for text editors.
    Schema(command::schema::Arguments),
    /// List, copy and compare the files of the built-in theme.
    Templates(command::templates::Arguments),
    /// List the entries that lack a translation, or whose translation is older than the original.
    Translations(command::translations::Arguments),
    /// Write the folder for a host: the files of a build and the settings of the host.
    Host(command::host::Arguments),
    /// Explain the code of a finding, such as `E0101`; without a code, list the checks and all codes.
    Explain {
        /// Code of a finding.
        code: Option<String>,
    },
    /// Compare two builds: list new, changed and removed addresses for each language.
    Diff(command::diff::Arguments),
    /// Send a running site the requests of readers and agents, and report what is wrong.
    Doctor(command::doctor::Arguments),
}

fn main() -> ExitCode {
    // clap prints the help while it parses, so the language is determined first.
    let words: Vec<_> = std::env::args_os().collect();
    let language = command::set_language(&words);
    let mut program = Arguments::command();
    if language == Locale::Tr {
        program = command::help::in_turkish(program);
    }
    let arguments = match program.try_get_matches_from(words).and_then(|found| Arguments::from_arg_matches(&found)) {
        Ok(arguments) => arguments,
        Err(error) => return command::help::explain(&error),
    };
    let done = match arguments.command {
        // Dropping a big site takes time; at the end of the process the system frees its memory at once.
        Command::Build(arguments) => command::build::run(&arguments).map(mem::forget),
        Command::Check(arguments) => command::check::run(&arguments),
        Command::Watch(arguments) => command::watch::run(&arguments),
        Command::Preview(arguments) => command::preview::run(arguments),
        Command::Init(arguments) => command::init::run(&arguments),
        Command::New(arguments) => command::new::run(&arguments),
        Command::Convert(arguments) => command::convert::run(&arguments),
        Command::Import(arguments) => command::import::run(&arguments),
        Command::Schema(arguments) => command::schema::run(&arguments),
        Command::Templates(arguments) => command::templates::run(&arguments),
        Command::Translations(arguments) => command::translations::run(&arguments),
        Command::Host(arguments) => command::host::run(&arguments),
        Command::Explain { code } => command::explain::run(code.as_deref()),
        Command::Diff(arguments) => command::diff::run(&arguments),
        Command::Doctor(arguments) => command::doctor::run(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(status) => status,
    }
}
