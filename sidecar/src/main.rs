//! The `sidecar` program. Everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    sidecar::cli::run(std::env::args_os())
}
