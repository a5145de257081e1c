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
use contract::Locale;
use registration::registrar::overview::{self, RegistrationFilter};
use usage::{Month, UsageFormat};

use crate::{
    Config, Dependencies, Foreground, StartError,
    log::{self, Log},
    operator::{self, FileTask, ReportFormat, ReportRequest, RevokeTarget, StoreTask, Task},
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
    /// Serve until SIGTERM or SIGINT; on SIGHUP reload build, trust list, limits and log settings (default)
    #[default]
    Serve,
    /// Check the configuration and the build, then exit
    CheckConfig,
    /// Examine what the service relies on: build, clock, access, disk, store, mail, trust list, keys, proxies, limits
    ///
    /// Prints a line for each, with the remedy, and no secret. Sends no message. Exit code 1 if something is wrong.
    Diagnose,
    /// Copy the store into a new file while the service runs, then open the copy and count its registrations
    Backup {
        /// File to create; with --keep, a folder
        file: PathBuf,
        /// Create a file named for the time in the folder, and delete all but the newest NUMBER of such files
        #[arg(long, value_name = "NUMBER", value_parser = count)]
        keep: Option<NonZeroUsize>,
    },
    /// Replace the store with a backup; stop the service first
    ///
    /// Registrations that have ended in the present store, or whose credential is no longer valid there, are revoked in
    /// the copy. Without a present store, all registrations are revoked.
    Restore {
        /// Backup made by `sidecar backup`
        file: PathBuf,
    },
    /// Print all data stored about an e-mail address, as JSON
    Export {
        /// E-mail address
        #[arg(long)]
        email: String,
    },
    /// Revoke the registrations of an e-mail address and delete all data about it
    Erase {
        /// E-mail address
        #[arg(long)]
        email: String,
    },
    /// List registrations, newest first, with masked e-mail addresses
    Registrations {
        /// Show only registrations in this state
        #[arg(long, value_parser = PossibleValuesParser::new(overview::STATES))]
        state: Option<String>,
        /// Show only registrations created on this day (UTC) or later; or a moment (2026-11-21T13:45:00+03:00)
        #[arg(long, value_name = "DAY", value_parser = since)]
        since: Option<Time>,
        /// Show at most NUMBER registrations, newest first; the log names the number of those not shown
        #[arg(long, value_name = "NUMBER", value_parser = count)]
        limit: Option<NonZeroUsize>,
        /// Output format
        #[arg(long, value_enum, default_value_t = ReportFormat::Table)]
        format: ReportFormat,
    },
    /// Show one registration: state, scopes, and when and how it ended
    Show {
        /// ID of the registration
        id: String,
        /// Output format
        #[arg(long, value_enum, default_value_t = ReportFormat::Json)]
        format: ReportFormat,
    },
    /// Count registrations and credentials by type and state, and waiting e-mails
    Stats {
        /// Output format
        #[arg(long, value_enum, default_value_t = ReportFormat::Json)]
        format: ReportFormat,
    },
    /// Report what was read in a month: kinds of readers, pages and formats, tools, dead addresses, searches
    ///
    /// The service counts requests without any trace of who sent them, and writes the counts every hour and at its end.
    /// Answers of a cache or CDN in front of it are not counted; --log reads the log of the CDN instead.
    Report {
        /// Month to report on; default: the present one
        #[arg(long, value_name = "YYYY-MM")]
        month: Option<Month>,
        /// Output format
        #[arg(long, value_parser = PossibleValuesParser::new(UsageFormat::ALL.map(UsageFormat::as_str)), default_value = "text")]
        format: String,
        /// Language of text and html
        #[arg(long, value_parser = PossibleValuesParser::new(Locale::ALL.map(Locale::as_str)), default_value = "en")]
        locale: String,
        /// Log of a CDN to read instead of the counts in the store, unpacked (docs/operators.md names the format)
        #[arg(long, value_name = "FILE")]
        log: Option<PathBuf>,
    },
    /// Delete expired data now, instead of leaving it to the service
    Purge,
    /// Create a provider of identity assertions for tests on this machine
    ///
    /// Write its key and a trust list into the folder of the store; keep existing files. A service that other machines
    /// can reach rejects the list.
    DevProvider,
    /// Revoke registrations; their credentials are rejected from the next request on
    #[command(group = clap::ArgGroup::new("which").required(true))]
    Revoke {
        /// All registrations
        #[arg(long, group = "which")]
        all: bool,
        /// The registration with this ID
        #[arg(long, group = "which", value_name = "ID")]
        registration: Option<String>,
        /// Registrations of this e-mail address
        #[arg(long, group = "which")]
        email: Option<String>,
        /// Registrations by assertions of this agent provider
        #[arg(long, group = "which", value_name = "URL")]
        issuer: Option<String>,
        /// Only those of this user of the provider: `sub` of its assertions
        #[arg(long, requires = "issuer", value_name = "ID")]
        subject: Option<String>,
    },
}

impl Command {
    /// Returns the operator's task on the store; `None` for commands that need no store.
    fn task(self) -> Option<Task> {
        Some(match self {
            Self::Serve | Self::CheckConfig | Self::Diagnose | Self::DevProvider => return None,
            Self::Backup { file, keep } => Task::File(FileTask::Backup(file, keep)),
            Self::Restore { file } => Task::File(FileTask::Restore(file)),
            Self::Export { email } => Task::Store(StoreTask::Export(email)),
            Self::Erase { email } => Task::Store(StoreTask::Erase(email)),
            Self::Registrations { state, since, limit, format } => {
                Task::Store(StoreTask::List(RegistrationFilter { state, since, limit }, format))
            }
            Self::Show { id, format } => Task::Store(StoreTask::Show(id, format)),
            Self::Stats { format } => Task::Store(StoreTask::Stats(format)),
            Self::Report { month, format, locale, log } => {
                let (format, locale) = (UsageFormat::parse(&format)?, locale.parse().ok()?);
                let request = ReportRequest { month, format, locale };
                log.map_or_else(
                    || Task::Store(StoreTask::Report(request.clone())),
                    |log| Task::Log(request.clone(), log),
                )
            }
            Self::Purge => Task::Store(StoreTask::Purge),
            Self::Revoke { all: true, .. } => Task::Store(StoreTask::Revoke(RevokeTarget::All)),
            Self::Revoke { registration: Some(id), .. } => {
                Task::Store(StoreTask::Revoke(RevokeTarget::Registration(id)))
            }
            Self::Revoke { email: Some(email), .. } => Task::Store(StoreTask::Revoke(RevokeTarget::Email(email))),
            Self::Revoke { issuer: Some(issuer), subject: Some(subject), .. } => {
                Task::Store(StoreTask::Revoke(RevokeTarget::User { issuer, subject }))
            }
            Self::Revoke { issuer, .. } => Task::Store(StoreTask::Revoke(RevokeTarget::Issuer(issuer?))),
        })
    }
}

/// Parses a number of rows.
fn count(text: &str) -> Result<NonZeroUsize, &'static str> {
    text.parse().map_err(|_| "write a whole number from 1")
}

fn since(text: &str) -> Result<Time, &'static str> {
    Time::parse(text).ok_or("write a day such as 2026-11-21, or a moment such as 2026-11-21T13:45:00Z")
}

/// Runs the program with `arguments`, the first of which is its own name.
///
/// Exit codes: 0 for success; 1 if the service does not start, a check finds something or a command fails; 2 for wrong
/// arguments.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are errors to clap, too. Printing fails only on a closed stream.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let mut log = Log::default();
    match start(&arguments, &mut log) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            log.write_line(&format!("sidecar: {problem}"));
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
            log.start_service(config.log).map_err(StartError::System)?;
            // Every connection is an open file; the system's soft limit is too low for a server.
            if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
                tracing::warn!("cannot raise the limit on open files: {error}");
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
        Command::Diagnose => {
            let config = config()?;
            log::start(config.log);
            let found = operator::diagnose::run(&config, &Clock::system());
            print(found.text.trim_end())?;
            if found.faults > 0 {
                return Err(format!("faults: {}; correct what their lines name", found.faults).into());
            }
        }
        Command::DevProvider => {
            let mut config = config()?;
            // The setting may already name the trust list that is written now.
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

/// Prints the result of a command. A closed pipe is not a failure: `head` closes it early.
fn print(text: &str) -> Result<(), Box<dyn Error>> {
    let mut stream = io::stdout().lock();
    match writeln!(stream, "{text}").and_then(|()| stream.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(format!("the command succeeded, but its result cannot be written: {error}").into())
        }
        _ => Ok(()),
    }
}
