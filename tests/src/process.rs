//! A sidecar as a separate process: start, freeze, signals, kill, and its log.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Write as _},
    net::SocketAddr,
    path::Path,
    process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio},
    sync::{
        Mutex, OnceLock, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use cluster::Signal;

use crate::{
    firm::Firm,
    http::{self, Connection},
};

/// The longest wait for a log line or the end of a command.
const TIMEOUT: Duration = Duration::from_mins(2);
/// An orderly end waits 30 seconds for clients and 42 for an email.
const END: Duration = Duration::from_mins(3);
/// The pause between two checks for the end of a process.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns the command that runs `program` on a build, with its data beside it and an otherwise empty environment.
#[must_use]
pub fn program(program: &str, firm: &impl Firm) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("MECELLE_DIST", firm.dist()).env("MECELLE_LISTEN", "127.0.0.1:0");
    command
}

/// Runs `command`, which must end soon, and returns its output.
#[must_use]
pub fn run_to_end(command: &mut Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
    // Its output fits into the pipes.
    let status = status_within(TIMEOUT, &mut child);
    if status.is_none() {
        let _ = child.kill();
    }
    let output = child.wait_with_output().expect("a process of ours");
    assert!(status.is_some(), "it does not end: {}", String::from_utf8_lossy(&output.stderr));
    output
}

#[expect(clippy::disallowed_methods, reason = "a bounded wait needs the clock")]
fn status_within(time: Duration, child: &mut Child) -> Option<ExitStatus> {
    let start = Instant::now();
    while start.elapsed() < time {
        if let Some(status) = child.try_wait().expect("a process of ours") {
            return Some(status);
        }
        thread::sleep(PAUSE);
    }
    None
}

/// A running sidecar. Dropping it kills it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Log lines that no test has read; behind a lock, because threads share a service.
    lines: Mutex<Receiver<String>>,
    /// The thread that reads the log.
    scribe: Option<JoinHandle<()>>,
    /// The address in the line `serving`.
    address: OnceLock<SocketAddr>,
    /// The address for operators in the line `serving`, if there is one.
    admin_address: OnceLock<SocketAddr>,
}

impl Process {
    #[must_use]
    pub fn start(command: &mut Command) -> Self {
        Self::start_with(command, None)
    }

    /// Starts `command` and waits until it serves. Its log is also written to `log`.
    #[must_use]
    pub fn serve(command: &mut Command, log: &Path) -> Self {
        let process = Self::start_with(command, Some(File::create(log).expect("a writable log")));
        process.serving();
        process
    }

    fn start_with(command: &mut Command, log: Option<File>) -> Self {
        // A pipe, because a limit on the size of files must not apply to the log.
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a process");
        let errors = child.stderr.take().expect("a pipe");
        let (into, lines) = mpsc::channel();
        let scribe = Some(thread::spawn(move || copy(errors, log, &into)));
        Self { child, lines: Mutex::new(lines), scribe, address: OnceLock::new(), admin_address: OnceLock::new() }
    }

    /// Starts `command` with `log` as its log, which is not read here.
    #[must_use]
    pub fn logging_into(command: &mut Command, log: File) -> Self {
        let child = command.stdin(Stdio::null()).stderr(log).spawn().expect("a process");
        let (address, admin_address) = (OnceLock::new(), OnceLock::new());
        Self { child, lines: Mutex::new(mpsc::channel().1), scribe: None, address, admin_address }
    }

    /// Returns the process number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits until the process serves, and returns its address.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        if self.address.get().is_none() {
            self.serving();
        }
        *self.address.get().expect("an address")
    }

    /// Returns the metrics.
    #[must_use]
    pub fn metrics(&self) -> String {
        http::get(*self.admin_address.get().expect("an address for operators"), "/metrics", &[]).text()
    }

    #[must_use]
    pub fn connection(&self) -> Connection {
        Connection::to(self.address())
    }

    /// Waits for a line that contains `text`.
    pub fn wait_for_line(&self, text: &str) -> String {
        self.read_lines_until(text, |line| line.contains(text)).pop().unwrap_or_default()
    }

    /// Waits for the line `serving`, in text or JSON, and returns the lines up to it.
    pub fn serving(&self) -> Vec<String> {
        let lines = self.read_lines_until("serving", |line| served_at(line, "address").is_some());
        let at = |name| lines.last().and_then(|line| served_at(line, name));
        let _ = self.address.set(at("address").expect("an address"));
        if let Some(address) = at("admin_address") {
            let _ = self.admin_address.set(address);
        }
        lines
    }

    /// Returns the lines up to the first that `is_last`, which must arrive.
    fn read_lines_until(&self, what: &str, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let log = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lines: Vec<String> = Vec::new();
        while !lines.last().is_some_and(|line| is_last(line)) {
            let line = log.recv_timeout(TIMEOUT);
            lines.push(line.unwrap_or_else(|error| panic!("no line {what} ({error}): {lines:?}")));
        }
        lines
    }

    /// Sends a signal.
    pub fn send_signal(&self, signal: Signal) {
        cluster::send(signal, &[self.id()]);
    }

    /// Sends SIGTERM and waits for a successful end; returns the unread lines.
    pub fn end(mut self) -> Vec<String> {
        self.send_signal(Signal::End);
        let status = self.wait();
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().collect();
        assert!(status.success(), "{status}: {lines:?}");
        lines
    }

    /// Waits until the process has ended and its log is read.
    pub fn wait(&mut self) -> ExitStatus {
        let status = status_within(END, &mut self.child).expect("it ends");
        self.reap();
        status
    }

    /// Kills the process.
    pub fn kill(self) {
        drop(self);
    }

    /// Kills the process and reads the rest of its log.
    fn reap(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(scribe) = self.scribe.take() {
            let _ = scribe.join();
        }
    }

    /// Freezes the process until the result is dropped.
    #[must_use]
    pub fn freeze(&self) -> Frozen {
        self.send_signal(Signal::Stop);
        Frozen(self.id())
    }

    /// Counts the open files and connections.
    #[must_use]
    pub fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.id())).map_or(0, Iterator::count)
    }

    /// Returns the processor time that the process has used.
    #[must_use]
    pub fn processor_time(&self) -> Duration {
        /// The system counts in hundredths of a second, on every architecture.
        const TICK: Duration = Duration::from_millis(10);
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.id())).expect("a process that runs");
        // The name is in brackets and may contain anything; after it, its times are the twelfth and thirteenth fields.
        let fields = text.rsplit_once(')').expect("a name").1.split_ascii_whitespace();
        TICK * fields.skip(11).take(2).map(|ticks| ticks.parse::<u32>().expect("a number")).sum()
    }

    /// Returns the resident memory in bytes.
    #[must_use]
    pub fn resident(&self) -> usize {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.id())).expect("a process that runs");
        let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("its memory");
        line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") * 1024
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.reap();
    }
}

/// A frozen process, which continues when this value is dropped.
#[derive(Debug)]
pub struct Frozen(u32);

impl Drop for Frozen {
    fn drop(&mut self) {
        cluster::send(Signal::Continue, &[self.0]);
    }
}

/// Returns the address `name` in a line `serving`.
fn served_at(line: &str, name: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("serving")?.1.split_once(name)?;
    rest.trim_start_matches(['=', '"', ':']).split([' ', '"']).next()?.parse().ok()
}

/// Reads to the end even without a receiver: an unread pipe blocks its writer.
fn copy(errors: ChildStderr, mut log: Option<File>, into: &Sender<String>) {
    let mut lines = BufReader::new(errors);
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).is_ok_and(|count| count > 0) {
        if let Some(log) = &mut log {
            let _ = log.write_all(&line);
        }
        let _ = into.send(String::from_utf8_lossy(&line).trim_end().to_owned());
        line.clear();
    }
}
