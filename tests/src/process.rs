//! A sidecar as a process of its own: started, paused, killed.

use std::{
    fs::File,
    net::SocketAddr,
    path::Path,
    process::{Command, ExitStatus, Stdio},
    time::Duration,
};

use cluster::Signal;
use journal::process;

use crate::http::Connection;

/// A sidecar that runs. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    process: process::Process,
    address: SocketAddr,
}

impl Process {
    /// Starts `command`, which serves, and waits until it does. What it says is written to `log`.
    #[must_use]
    pub fn start(command: &mut Command, log: &Path) -> Self {
        let file = File::create(log).expect("a writable log");
        let process = process::Process::start(command.stdout(Stdio::null()), Some(file));
        let address = process.address();
        Self { process, address }
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
        self.process.id()
    }

    /// Asks it to end when it has finished what it does.
    pub fn end_in_order(&self) {
        self.process.tell(Signal::End);
    }

    /// Asks it to look at its build again.
    pub fn reload(&self) {
        self.process.tell(Signal::Reload);
    }

    /// Waits until it has ended; how it did, and everything that it said is in its log.
    #[must_use]
    pub fn ended(mut self) -> ExitStatus {
        self.process.wait()
    }

    /// Ends it in the middle of whatever it does.
    pub fn kill(mut self) {
        self.process.kill();
    }

    /// Has it stand still until the result is dropped.
    #[must_use]
    pub fn pause(&self) -> Still {
        self.process.tell(Signal::Stop);
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
}

/// A process that stands still.
#[derive(Debug)]
pub struct Still(u32);

impl Drop for Still {
    fn drop(&mut self) {
        cluster::send(Signal::Continue, &[self.0]);
    }
}
