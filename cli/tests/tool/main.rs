//! Tests of the tool from outside: against a server with faults, in a pipe and in a pseudo-terminal.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by a panic")]

mod advice;
mod bytes;
mod completion;
mod faults;
mod forms;
mod help;
#[cfg(unix)]
mod interruption;
mod kept_host;
mod proxy;
mod publications;
mod registration;
#[cfg(unix)]
mod screens;
mod search;
mod secure;
mod server;
mod stored;
#[cfg(unix)]
mod terminal;
mod tool;
#[cfg(target_os = "linux")]
mod variables;
