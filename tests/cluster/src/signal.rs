//! Signals to processes that the tests started.

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::TIMEOUT;

/// A signal, named by its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// Freeze.
    Stop,
    /// Continue.
    Continue,
    /// End in an orderly way.
    End,
    /// Reload files.
    Reload,
}

/// Sends `signal` to each of `processes`; it is not an error if one has ended.
pub fn send(signal: Signal, processes: &[u32]) {
    let name = match signal {
        Signal::Stop => "STOP",
        Signal::Reload => "HUP",
        Signal::Continue => "CONT",
        Signal::End => "TERM",
    };
    // `kill` is built into the shell; the program is not installed everywhere.
    let mut shell = Command::new("sh");
    shell.args(["-c", "signal=$1; shift; for process; do kill -$signal $process; done", "sh", name]);
    shell.args(processes.iter().map(u32::to_string)).stderr(Stdio::null());
    assert!(shell.status().is_ok(), "a shell");
}

/// Freezes `processes`, and waits until each is frozen or gone: the system first finishes a call in progress, such as
/// starting another process.
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

/// Returns the running children of `parent`.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.filter(|process| parent_of(*process) == Some(parent)).collect()
}

fn parent_of(process: u32) -> Option<u32> {
    fields(process)?.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// Returns the fields of `/proc/PID/stat` behind the name, which is in brackets and may contain anything: state,
/// parent, and so on.
fn fields(process: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(text.rsplit_once(')')?.1.trim_start().to_owned())
}
