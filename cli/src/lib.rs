//! `mecelle`: reads a firm's public content from a terminal or a script.
//!
//! [`run`] is the whole tool. What it learns from the machine (variables, terminal, clock) is an argument, so every
//! screen and every fault is tested in-process. It links nothing of the generator or the sidecar: it knows the
//! service as any other client does.

mod args;
mod base_url;
mod client;
mod commands;
mod exit;
mod failure;
mod keyring;
mod output;
mod private;
mod settings;
mod surroundings;

use std::{
    ffi::OsString,
    io::{self, Write},
};

use clap::FromArgMatches;

use crate::{args::Arguments, failure::Failure, output::style::Style};
pub use crate::{
    exit::Exit,
    settings::{DEFAULT_BASE_URL, SANDBOX_KEY},
    surroundings::{Clock, Out, Screen, Surroundings},
};

/// Runs the tool once: `args` begin with the program's name. Data goes to `out.data`, everything else to `out.notes`.
pub fn run(args: impl IntoIterator<Item = OsString>, env: &Surroundings, out: &mut Out<'_>) -> Exit {
    let mut command = args::command(env);
    let matches = command.try_get_matches_from_mut(args);
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => return explain(&error.format(&mut command), env, out),
    };
    let name = arguments.command.name();
    let told = match commands::run(&arguments, env, out) {
        Ok(()) => out.data.flush().map_err(Failure::Write),
        Err(failure) => Err(failure),
    };
    match told {
        Ok(()) => Exit::Success,
        // The reader has seen enough (`mecelle team | head -1`): that is no failure of anyone.
        Err(Failure::Write(error)) if error.kind() == io::ErrorKind::BrokenPipe => Exit::Success,
        Err(failure) => {
            // Nobody is left to tell when the error stream is gone too.
            let _ = failure.tell(name, Style::of_notes(env), out.notes);
            failure.exit()
        }
    }
}

/// Help and version are data; a usage error is not.
fn explain(error: &clap::Error, env: &Surroundings, out: &mut Out<'_>) -> Exit {
    let is_data = !error.use_stderr();
    let style = if is_data { Style::of_data(env) } else { Style::of_notes(env) };
    let text = if style.colour { error.render().ansi().to_string() } else { error.render().to_string() };
    let stream = if is_data { &mut out.data } else { &mut out.notes };
    let _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    if is_data { Exit::Success } else { Exit::Usage }
}
