//! A sidecar as a process of its own: started, paused, killed.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Write as _},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio},
    sync::mpsc::{Sender, channel},
    thread::{self, JoinHandle},
    time::Duration,
};

use cluster::Signal;

use crate::{http::Connection, wait::eventually};

/// How long a sidecar may take to serve.
const START: Duration = Duration::from_mins(1);
/// Between two looks whether a process has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// How `command` ends, which must be soon, and what it says.
#[must_use]
pub fn ended(command: &mut Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
    let looks = START.as_millis() / PAUSE.as_millis();
    // What it says fits into the pipes.
    let is_over = (0..looks).any(|_| {
        let is_over = child.try_wait().expect("a process of ours").is_some();
        if !is_over {
            thread::sleep(PAUSE);
        }
        is_over
    });
    if !is_over {
        let _ = child.kill();
    }
    let output = child.wait_with_output().expect("a process of ours");
    assert!(is_over, "it does not end: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// A sidecar that runs. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    address: SocketAddr,
    /// Copies what it says to its log.
    scribe: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts `command`, which serves, and waits until it does. What it says is written to `log`.
    #[must_use]
    pub fn start(command: &mut Command, log: &Path) -> Self {
        // A pipe, because what limits its files must not limit its log.
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a process");
        let errors = child.stderr.take().expect("a pipe");
        let (sender, receiver) = channel();
        let file = File::create(log).expect("a writable log");
        let scribe = Some(thread::spawn(move || copy(errors, file, &sender)));
        let Ok(address) = receiver.recv_timeout(START) else {
            let _ = child.kill();
            panic!("the sidecar does not serve but {:?}: {}", child.wait(), tail(log));
        };
        Self { child, address, scribe }
    }

    /// Where it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// A new connection to it.
    #[must_use]
    pub const fn connection(&self) -> Connection {
        Connection::to(self.address)
    }

    /// Its number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Asks it to end when it has finished what it does.
    pub fn end_in_order(&self) {
        cluster::send(Signal::End, &[self.id()]);
    }

    /// Asks it to look at its build again.
    pub fn reload(&self) {
        cluster::send(Signal::Reload, &[self.id()]);
    }

    /// Waits until it has ended; how it did, and everything that it said is in its log.
    #[must_use]
    pub fn ended(mut self) -> ExitStatus {
        let mut status = None;
        eventually("the end of the sidecar", || {
            status = self.child.try_wait().expect("a process");
            status.is_some()
        });
        self.end();
        status.expect("an end")
    }

    /// Ends it in the middle of whatever it does.
    pub fn kill(mut self) {
        self.end();
    }

    /// Has it stand still until the result is dropped.
    #[must_use]
    pub fn pause(&self) -> Still {
        cluster::send(Signal::Stop, &[self.id()]);
        Still(self.id())
    }

    /// How many files and connections it has open.
    #[must_use]
    pub fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.id())).map_or(0, Iterator::count)
    }

    /// How long processors have worked for it.
    #[must_use]
    pub fn processor_time(&self) -> Duration {
        /// The system counts in hundredths of a second, on every architecture.
        const TICK: Duration = Duration::from_millis(10);
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).expect("a process that runs");
        // The name stands in brackets and may hold anything; behind it, the twelfth and the thirteenth are its times.
        let fields = text.rsplit_once(')').expect("a name").1.split_ascii_whitespace();
        TICK * fields.skip(11).take(2).map(|ticks| ticks.parse::<u32>().expect("a number")).sum()
    }

    /// Octets of memory that it has.
    #[must_use]
    pub fn resident(&self) -> usize {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.id())).expect("a process that runs");
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
    }

    fn end(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(scribe) = self.scribe.take() {
            let _ = scribe.join();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.end();
    }
}

/// A process that stands still.
#[derive(Debug)]
pub struct Still(u32);

impl Drop for Still {
    fn drop(&mut self) {
        cluster::send(Signal::Continue, &[self.0]);
    }
}

fn copy(errors: ChildStderr, mut log: File, addresses: &Sender<SocketAddr>) {
    let mut lines = BufReader::new(errors);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        let _ = log.write_all(&line);
        let text = String::from_utf8_lossy(&line);
        let address = text.split_once("serving address=").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        if let Some(address) = address {
            let _ = addresses.send(address);
        }
        line.clear();
    }
}

fn tail(log: &Path) -> String {
    let text = std::fs::read_to_string(log).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(10)..].join("\n")
}
