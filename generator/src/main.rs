//! The `generator` program: arguments in, exit status out.

mod command;

use std::{mem, process::ExitCode};

use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use contract::Locale;

/// The allocator. The site's pages are made from many small texts that one thread creates and drops; what a thread
/// frees, it can reuse without a lock. Huge pages are off (`no_thp`): they cost a sixth more memory and save no time.
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
    /// Check the content and the templates, and write nothing.
    Check(command::check::Arguments),
    /// Build, and build again whenever a file of the content or of the templates changes, or a scheduled change is due.
    Watch(command::build::Arguments),
    /// Show the site on this machine while it is written: drafts included, and again after every change.
    Preview(command::preview::Arguments),
    /// Start a firm's own site: a folder with settings, pages and samples, which builds at once.
    Init(command::init::Arguments),
    /// Start a new entry: its folder, its files and the fields that must be filled in.
    New(command::new::Arguments),
    /// Describe the fields of entries and of `site.toml` (JSON Schema), for the programs in which texts are written.
    Schema(command::schema::Arguments),
    /// List the files of the built-in theme, copy some to change them, and compare.
    Templates(command::templates::Arguments),
    /// List the entries that lack a translation, or whose translation is older than the original.
    Translations(command::translations::Arguments),
    /// Make the folder that a host is given to serve a build, rules and files.
    Host(command::host::Arguments),
    /// Explain the code of a finding, such as `E0101`; without one, list what is checked and every code.
    Explain {
        /// The code.
        code: Option<String>,
    },
    /// Compare two builds: which addresses are new, changed and gone, for each language.
    Diff(command::diff::Arguments),
    /// Ask a running site what its readers and agents ask, and say what is wrong.
    Doctor(command::doctor::Arguments),
}

fn main() -> ExitCode {
    // The help is printed while the arguments are read, so its language is looked for first.
    let words: Vec<_> = std::env::args_os().collect();
    let language = command::speak(&words);
    let mut program = Arguments::command();
    if language == Locale::Tr {
        program = command::help::in_turkish(program);
    }
    let arguments = match program.try_get_matches_from(words).and_then(|found| Arguments::from_arg_matches(&found)) {
        Ok(arguments) => arguments,
        Err(error) => return command::help::explain(&error),
    };
    let done = match arguments.command {
        // Dropping a big site takes a while. The process is about to end anyway, and the system then takes back all of
        // its memory at once.
        Command::Build(arguments) => command::build::run(&arguments).map(mem::forget),
        Command::Check(arguments) => command::check::run(&arguments),
        Command::Watch(arguments) => command::watch::run(&arguments),
        Command::Preview(arguments) => command::preview::run(arguments),
        Command::Init(arguments) => command::init::run(&arguments),
        Command::New(arguments) => command::new::run(&arguments),
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
