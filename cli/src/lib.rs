//! `mecelle`: reads a firm's public content from a terminal or a script.
//!
//! [`run`] is the whole tool. Variables, terminal and clock are arguments, so that tests run every screen and fault in-
//! process. The tool shares no code with the generator or the sidecar: it uses the service like any other client.

mod args;
mod base_url;
mod client;
mod commands;
mod exit;
mod failure;
mod host;
mod key;
mod keyring;
mod output;
mod private;
mod settings;
mod surroundings;
mod trouble;
mod typed;

use std::{ffi::OsString, io};

use clap::FromArgMatches;

use crate::{
    args::{Arguments, mistake},
    failure::Failure,
    output::{style::Style, text::clean},
    typed::TypedLine,
};
pub use crate::{
    exit::Exit,
    surroundings::{Out, Screen, Surroundings, ToolClock},
};

/// Runs the tool once; `args` begins with the name of the program. Data goes to `out.data`, everything else to
/// `out.notes`.
pub fn run(args: impl IntoIterator<Item = OsString>, env: &Surroundings, out: &mut Out<'_>) -> Exit {
    let args: Vec<OsString> = args.into_iter().collect();
    let typed = TypedLine::of(&args);
    let mut command = args::command(env);
    let matches = command.try_get_matches_from_mut(args);
    let (name, result) = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => {
            (arguments.command.name(), commands::run(&arguments, &typed, env, out).map(|()| Exit::Success))
        }
        Err(error) if mistake::is_help(&error) => ("", write_help(&error, env, out)),
        Err(error) => {
            // `help` has no help of its own.
            let names = command.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help");
            let name = typed.command(names).unwrap_or_default();
            return report_failure(&mistake::usage_failure(&error, name), name, &typed, env, out);
        }
    };
    match result.and_then(|exit| out.data.flush().map_err(Failure::Write).map(|()| exit)) {
        Ok(exit) => exit,
        // A reader that closes the pipe early (`mecelle team | head -1`) is no failure.
        Err(Failure::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(failure) => report_failure(&failure, name, &typed, env, out),
    }
}

fn report_failure(failure: &Failure, command: &str, typed: &TypedLine, env: &Surroundings, out: &mut Out<'_>) -> Exit {
    let style = Style::of_notes(env);
    let (remedy, next) = failure.advice(command, typed);
    let (url, request) = failure.request();
    let mut lines = vec![format!("{} {}", style.error("error:"), clean(&failure.message()))];
    for (label, text) in [("help", remedy.as_deref()), ("url", url), ("request", request), ("try", next.as_deref())] {
        lines.extend(text.map(|text| format!("  {} {}", style.faint(&format!("{label}:")), clean(text))));
    }
    // If the error stream is closed, there is no place to report it.
    let _ = writeln!(out.notes, "{}", lines.join("\n"));
    failure.exit()
}

/// Writes help or the version: as data if requested, as notes for a bare `mecelle`.
fn write_help(error: &clap::Error, env: &Surroundings, out: &mut Out<'_>) -> Result<Exit, Failure> {
    let is_data = !error.use_stderr();
    let style = if is_data { Style::of_data(env) } else { Style::of_notes(env) };
    let text = if style.colour { error.render().ansi().to_string() } else { error.render().to_string() };
    let stream = if is_data { &mut out.data } else { &mut out.notes };
    stream.write_all(text.as_bytes()).map_err(Failure::Write)?;
    Ok(if is_data { Exit::Success } else { Exit::Usage })
}
