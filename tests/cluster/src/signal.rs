//! Signals to processes that the tests started, by their numbers.

use std::{
    fs,
    process::{Command, Stdio},
    thread,
    time::Duration,
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

/// Stops `processes`, and waits until each of them stands still or is gone: what the system does for one of them when the
/// signal comes, such as starting another, it does to the end.
pub(crate) fn stand_still(processes: &[u32]) {
    send(Signal::Stop, processes);
    let is_at_work = |process: &u32| fields(*process).is_some_and(|fields| !fields.starts_with(['T', 'Z']));
    for _ in 0..500 {
        if !processes.iter().any(is_at_work) {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("a process does not stop within five seconds");
}

/// The processes that `parent` started and that are still there.
pub(crate) fn children(parent: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let processes = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    processes.filter(|process| parent_of(*process) == Some(parent)).collect()
}

fn parent_of(process: u32) -> Option<u32> {
    fields(process)?.split_ascii_whitespace().nth(1)?.parse().ok()
}

/// What the system tells of a process behind its name, which stands in brackets and may hold anything: its state first,
/// then its parent.
fn fields(process: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    Some(text.rsplit_once(')')?.1.trim_start().to_owned())
}
