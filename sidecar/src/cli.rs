//! The command line.

use std::{ffi::OsString, path::PathBuf, process::ExitCode};

use clap::{Parser, Subcommand};

use crate::{Config, Parts, Server, log};

/// Serve a built site with content negotiation.
///
/// Settings come from the file and from MECELLE_* environment variables, which win.
#[derive(Debug, Parser)]
#[command(name = "sidecar", version, max_term_width = 100)]
struct Arguments {
    /// Configuration file (TOML)
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Clone, Copy, Debug, Default, Subcommand)]
enum Command {
    /// Serve until SIGTERM or SIGINT; SIGHUP looks at the build again (the default)
    #[default]
    Serve,
    /// Check the configuration and the build, then end
    CheckConfig,
}

/// Runs the program with `arguments`, the first of which is its own name.
///
/// Ends with 0 when all went well, 1 when the service could not start, 2 when the arguments are wrong.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too; printing fails only where nobody reads.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    match start(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("sidecar: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let config = Config::read(arguments.config.as_deref())?;
    match arguments.command.unwrap_or_default() {
        Command::Serve => {
            log::start(config.log);
            // Every connection is an open file; the system's soft limit is made for programs with few.
            if let Err(error) = rlimit::increase_nofile_limit(u64::MAX) {
                tracing::warn!("the limit on open files stays as it is: {error}");
            }
            let workers = config.workers;
            let server = Server::bind(config, Parts::default())?;
            tracing::info!(
                address = %server.address(), build = server.handle().build(), workers, "serving"
            );
            server.run()?;
            tracing::info!("ended");
        }
        Command::CheckConfig => {
            let report = crate::edge::check(&config)?;
            println!("{report}");
        }
    }
    Ok(())
}
