//! Signals to processes that the tests started, by their numbers.

use std::{
    fs,
    process::{Command, Stdio},
};

/// What a process is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// To stand still.
    Stop,
    /// To go on.
    Continue,
    /// To end in order.
    End,
    /// To look again at what is kept in files.
    Reload,
}

/// Sends `signal` to each of `processes`; one that is gone is no fault.
pub fn send(signal: Signal, processes: &[u32]) {
    let name = match signal {
        Signal::Stop => "STOP",
        Signal::Reload => "HUP",
        Signal::Continue => "CONT",
        Signal::End => "TERM",
    };
    // The shell has the command built in; the program of this name is not everywhere.
    let mut shell = Command::new("sh");
    shell.args(["-c", "signal=$1; shift; for process; do kill -$signal $process; done", "sh", name]);
    shell.args(processes.iter().map(u32::to_string)).stderr(Stdio::null());
    assert!(shell.status().is_ok(), "a shell");
}

/// The processes that `parent` started and that are still there.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.filter(|process| parent_of(*process) == Some(parent)).collect()
}

/// The second field after the name, which stands in brackets and may hold anything.
fn parent_of(process: u32) -> Option<u32> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    text.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
}
