//! Signals to processes that the tests started, by their numbers.

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::TIMEOUT;

/// What a process is told to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Freeze.
    Stop,
    /// Continue.
    Continue,
    /// End in an orderly way.
    End,
    /// Read again what is kept in files.
    Reload,
}

/// Sends `signal` to each of `processes`; it is not an error if one is gone.
pub fn send(signal: Signal, processes: &[u32]) {
    let name = match signal {
        Signal::Stop => "STOP",
        Signal::Reload => "HUP",
        Signal::Continue => "CONT",
        Signal::End => "TERM",
    };
    // The command is built into the shell; the program of this name is not installed everywhere.
    let mut shell = Command::new("sh");
    shell.args(["-c", "signal=$1; shift; for process; do kill -$signal $process; done", "sh", name]);
    shell.args(processes.iter().map(u32::to_string)).stderr(Stdio::null());
    assert!(shell.status().is_ok(), "a shell");
}

/// Freezes `processes`, and waits until each of them is frozen or gone: when the signal comes, the system first
/// finishes what it is doing for a process, such as starting another.
#[expect(clippy::disallowed_methods, reason = "a bounded wait needs the clock")]
pub(crate) fn stand_still(processes: &[u32]) {
    send(Signal::Stop, processes);
    let is_at_work = |process: &u32| fields(*process).is_some_and(|fields| !fields.starts_with(['T', 'Z']));
    let start = Instant::now();
    while processes.iter().any(is_at_work) {
        assert!(start.elapsed() < TIMEOUT, "a process does not stop");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the processes that `parent` started and that still exist.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.filter(|process| parent_of(*process) == Some(parent)).collect()
}

fn parent_of(process: u32) -> Option<u32> {
    fields(process)?.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Returns what the system says about a process after its name, which is in brackets and may contain anything: first
/// its state, then its parent.
fn fields(process: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(text.rsplit_once(')')?.1.trim_start().to_owned())
}
