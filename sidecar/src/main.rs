//! The `sidecar` program. Everything is in the library.

use std::process::ExitCode;

/// An answer is a dozen small allocations that one worker makes and drops: what it frees it gets back without a lock, and
/// what a crowd of connections took goes back to the system.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    sidecar::cli::run(std::env::args_os())
}
