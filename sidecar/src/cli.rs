//! The command line.

use std::{
    error::Error,
    ffi::OsString,
    io::{self, ErrorKind, Write as _},
    num::NonZeroUsize,
    path::PathBuf,
    process::ExitCode,
};

use clap::{Parser, Subcommand, builder::PossibleValuesParser};
use clock::{Clock, Time};
use registration::registrar::overview::{self, RegistrationFilter};

use crate::{
    Config, Dependencies, Foreground, StartError,
    log::{self, Log},
    operator::{self, FileTask, Format, StoreTask, Target, Task},
    services::ResolvedConfig,
};

/// Serve a built site with content negotiation.
///
/// Settings come from the file and from MECELLE_* environment variables, which take precedence;
/// docs/operators.md describes every one.
#[derive(Debug, Parser)]
#[command(name = "sidecar", version, max_term_width = 100)]
struct Arguments {
    /// Configuration file (TOML)
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Clone, Debug, Default, Subcommand)]
enum Command {
    /// Serve until SIGTERM or SIGINT; SIGHUP takes over build, trust list, limits and log settings (the default)
    #[default]
    Serve,
    /// Check the configuration and the build, then exit
    CheckConfig,
    /// Copy the store into a new file while the service runs
    Backup {
        /// File to create
        file: PathBuf,
    },
    /// Replace the store with a backup copy; the service must not be running
    ///
    /// Credentials not valid in the present store are revoked in the copy; without a present store, all of them.
    Restore {
        /// A copy that `backup` made
        file: PathBuf,
    },
    /// Print everything that is kept about an e-mail address, as JSON
    Export {
        /// The address
        #[arg(long)]
        email: String,
    },
    /// End and delete everything about an e-mail address
    Erase {
        /// The address
        #[arg(long)]
        email: String,
    },
    /// List registrations, newest first, with masked e-mail addresses
    Registrations {
        /// Those in this state alone
        #[arg(long, value_parser = PossibleValuesParser::new(overview::STATES))]
        state: Option<String>,
        /// Those that began on this day (UTC) or later; or a moment (2026-11-21T13:45:00+03:00)
        #[arg(long, value_name = "DAY", value_parser = since)]
        since: Option<Time>,
        /// The newest so many alone; the log says how many are left off
        #[arg(long, value_name = "NUMBER")]
        limit: Option<NonZeroUsize>,
        /// How they are shown
        #[arg(long, value_enum, default_value_t = Format::Table)]
        format: Format,
    },
    /// Show one registration: its state, when and by whom it was ended, and what it may be used for
    Show {
        /// Its name
        id: String,
        /// How it is shown
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
    },
    /// Count registrations and credentials by type and state, and messages that wait
    Stats {
        /// How they are shown
        #[arg(long, value_enum, default_value_t = Format::Json)]
        format: Format,
    },
    /// Delete now what the service would delete in the course of time
    Purge,
    /// Make a provider of identity assertions for trying things out on this machine
    ///
    /// Writes its key and a trust list into the folder of the store, or keeps what is there. A service that others can
    /// reach refuses the list.
    DevProvider,
    /// End registrations; their credentials are refused on the next call
    #[command(group = clap::ArgGroup::new("which").required(true))]
    Revoke {
        /// All of them
        #[arg(long, group = "which")]
        all: bool,
        /// One of them
        #[arg(long, group = "which", value_name = "ID")]
        registration: Option<String>,
        /// Those of an e-mail address
        #[arg(long, group = "which")]
        email: Option<String>,
        /// Those that an agent provider vouched for
        #[arg(long, group = "which", value_name = "URL")]
        issuer: Option<String>,
    },
}

impl Command {
    /// The operator's task on the store; `None` if the command is another one.
    fn task(self) -> Option<Task> {
        Some(match self {
            Self::Serve | Self::CheckConfig | Self::DevProvider => return None,
            Self::Backup { file } => Task::File(FileTask::Backup(file)),
            Self::Restore { file } => Task::File(FileTask::Restore(file)),
            Self::Export { email } => Task::Store(StoreTask::Export(email)),
            Self::Erase { email } => Task::Store(StoreTask::Erase(email)),
            Self::Registrations { state, since, limit, format } => {
                Task::Store(StoreTask::List(RegistrationFilter { state, since, limit }, format))
            }
            Self::Show { id, format } => Task::Store(StoreTask::Show(id, format)),
            Self::Stats { format } => Task::Store(StoreTask::Stats(format)),
            Self::Purge => Task::Store(StoreTask::Purge),
            Self::Revoke { all: true, .. } => Task::Store(StoreTask::Revoke(Target::All)),
            Self::Revoke { registration: Some(id), .. } => Task::Store(StoreTask::Revoke(Target::Registration(id))),
            Self::Revoke { email: Some(email), .. } => Task::Store(StoreTask::Revoke(Target::Email(email))),
            Self::Revoke { issuer, .. } => Task::Store(StoreTask::Revoke(Target::Issuer(issuer?))),
        })
    }
}

fn since(text: &str) -> Result<Time, &'static str> {
    Time::parse(text).ok_or("write a day, as 2026-11-21, or a moment, as 2026-11-21T13:45:00Z")
}

/// Runs the program with `arguments`, the first of which is its own name.
///
/// Exits with 0 if all went well, 1 if the service could not start, a check found something or an operator's command
/// failed, 2 if the arguments are wrong.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too; printing fails only if nobody reads.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut log = Log::default();
    match start(&arguments, &mut log) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            log.tell(&format!("sidecar: {problem}"));
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: &Arguments, log: &mut Log) -> Result<(), Box<dyn Error>> {
    let config = || Config::read(arguments.config.as_deref());
    match arguments.command.clone().unwrap_or_default() {
        Command::Serve => {
            let mut foreground = Foreground::listen()?;
            let config = config()?;
            log.start_beside(config.log).map_err(StartError::System)?;
            // Every connection is an open file; the system's soft limit is made for programs with few.
            if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
                tracing::warn!("the limit on open files stays as it is: {error}");
            }
            if let Some(server) = foreground.bind(config, Dependencies::default())? {
                let file = arguments.config.clone();
                server.run(foreground, move || Config::read(file.as_deref()))?;
            }
            tracing::info!("ended");
        }
        Command::CheckConfig => {
            let report = crate::http::check(&config()?)?;
            print(&report)?;
        }
        Command::DevProvider => {
            let mut config = config()?;
            // The list that is written now may be named already.
            config.registration.trust = None;
            let made = dev_provider::make(&ResolvedConfig::of(&config)?.folder())?;
            print(&made.for_service_with(arguments.config.clone()).to_string())?;
        }
        command => {
            let config = config()?;
            log::start(config.log);
            if let Some(task) = command.task() {
                print(&operator::run(&config, &task, &Clock::system())?)?;
            }
        }
    }
    Ok(())
}

/// Prints the result of a command. A reader may have seen enough before the end, which is not a failure.
fn print(text: &str) -> Result<(), Box<dyn Error>> {
    let mut stream = io::stdout().lock();
    match writeln!(stream, "{text}").and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("the command has been carried out, but its result cannot be written: {error}").into())
        }
        _ => Ok(()),
    }
}
