//! A sidecar as a separate process: started, paused, killed.

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

/// A running sidecar. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    process: process::Process,
    address: SocketAddr,
}

impl Process {
    /// Starts `command`, which serves, and waits until it does. Its output is written to `log`.
    #[must_use]
    pub fn start(command: &mut Command, log: &Path) -> Self {
        let file = File::create(log).expect("a writable log");
        let process = process::Process::start(command.stdout(Stdio::null()), Some(file));
        let address = process.address();
        Self { process, address }
    }

    /// Returns the address on which it listens.
    #[must_use]
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a new connection to it.
    #[must_use]
    pub const fn connection(&self) -> Connection {
        Connection::to(self.address)
    }

    /// Returns its process number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Asks it to end once it has finished its work.
    pub fn end_in_order(&self) {
        self.process.tell(Signal::End);
    }

    /// Asks it to look at its build again.
    pub fn reload(&self) {
        self.process.tell(Signal::Reload);
    }

    /// Waits until it has ended and everything that it said is in its log; returns how it ended.
    #[must_use]
    pub fn ended(mut self) -> ExitStatus {
        self.process.wait()
    }

    /// Ends it in the middle of whatever it is doing.
    pub fn kill(mut self) {
        self.process.kill();
    }

    /// Freezes it until the result is dropped.
    #[must_use]
    pub fn freeze(&self) -> Frozen {
        self.process.tell(Signal::Stop);
        Frozen(self.id())
    }

    /// Counts the files and connections that it has open.
    #[must_use]
    pub fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.id())).map_or(0, Iterator::count)
    }

    /// Returns how long processors have worked for it.
    #[must_use]
    pub fn processor_time(&self) -> Duration {
        /// The system counts in hundredths of a second, on every architecture.
        const TICK: Duration = Duration::from_millis(10);
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).expect("a process that runs");
        // The name is in brackets and may contain anything; after it, its times are the twelfth and thirteenth fields.
        let fields = text.rsplit_once(')').expect("a name").1.split_ascii_whitespace();
        TICK * fields.skip(11).take(2).map(|ticks| ticks.parse::<u32>().expect("a number")).sum()
    }

    /// Returns how many bytes of memory it occupies.
    #[must_use]
    pub fn resident(&self) -> usize {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.id())).expect("a process that runs");
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
    }
}

/// A process that is frozen.
#[derive(Debug)]
pub struct Frozen(u32);

impl Drop for Frozen {
    fn drop(&mut self) {
        cluster::send(Signal::Continue, &[self.0]);
    }
}
