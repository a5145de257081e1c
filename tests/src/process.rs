//! A sidecar as a separate process: started, paused, told to end, killed, and what it says.

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

use crate::{firm::Firm, http::{self, Connection}};

/// Time after which a line that was waited for, or the end of a command, is taken not to come.
const TIMEOUT: Duration = Duration::from_mins(2);
/// A service that ends in order waits 30 seconds for its clients, and 42 for an email.
const END: Duration = Duration::from_mins(3);
/// The pause between two checks whether a process has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns `program` on a build, with the data that it keeps beside it, and nothing else of this process's environment.
#[must_use]
pub fn program(program: &str, firm: &impl Firm) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("MECELLE_DIST", firm.dist()).env("MECELLE_LISTEN", "127.0.0.1:0");
    command
}

/// Runs `command`, which must end soon; returns how it ended and what it said.
#[must_use]
pub fn ended(command: &mut Command) -> Output {
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
    /// The lines that it has said and nobody has waited for; behind a lock, because threads share a service.
    lines: Mutex<Receiver<String>>,
    /// The thread that reads what it says.
    scribe: Option<JoinHandle<()>>,
    /// Where it listens, once it has said so.
    address: OnceLock<SocketAddr>,
    /// Where it answers operators, if it does and has said so.
    admin_address: OnceLock<SocketAddr>,
}

impl Process {
    /// Starts `command`.
    #[must_use]
    pub fn start(command: &mut Command) -> Self {
        Self::start_with(command, None)
    }

    /// Starts `command` and waits until it serves. What it says is also written to `log`.
    #[must_use]
    pub fn serve(command: &mut Command, log: &Path) -> Self {
        let process = Self::start_with(command, Some(File::create(log).expect("a writable log")));
        process.serving();
        process
    }

    fn start_with(command: &mut Command, log: Option<File>) -> Self {
        // A pipe, because a limit on its files must not limit its log.
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("a process");
        let errors = child.stderr.take().expect("a pipe");
        let (into, lines) = mpsc::channel();
        let scribe = Some(thread::spawn(move || copy(errors, log, &into)));
        Self { child, lines: Mutex::new(lines), scribe, address: OnceLock::new(), admin_address: OnceLock::new() }
    }

    /// Starts `command`, whose log goes to `log` and is not read here.
    #[must_use]
    pub fn logging_into(command: &mut Command, log: File) -> Self {
        let child = command.stdin(Stdio::null()).stderr(log).spawn().expect("a process");
        let (address, admin_address) = (OnceLock::new(), OnceLock::new());
        Self { child, lines: Mutex::new(mpsc::channel().1), scribe: None, address, admin_address }
    }

    /// Returns its process number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Returns the address on which it listens, once it says so.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        if self.address.get().is_none() {
            self.serving();
        }
        *self.address.get().expect("an address")
    }

    /// Returns the metrics that operators read, once it has said where.
    #[must_use]
    pub fn metrics(&self) -> String {
        http::get(*self.admin_address.get().expect("an address for operators"), "/metrics", &[]).text()
    }

    /// Returns a new connection to it.
    #[must_use]
    pub fn connection(&self) -> Connection {
        Connection::to(self.address())
    }

    /// Waits for a line that contains `text`.
    pub fn told(&self, text: &str) -> String {
        self.told_until(text, |line| line.contains(text)).pop().unwrap_or_default()
    }

    /// Waits until it says, in text or JSON, that it serves, and returns the lines so far, of which that is the last.
    pub fn serving(&self) -> Vec<String> {
        let told = self.told_until("serving", |line| served_at(line, "address").is_some());
        let at = |name| told.last().and_then(|line| served_at(line, name));
        let _ = self.address.set(at("address").expect("an address"));
        if let Some(address) = at("admin_address") {
            let _ = self.admin_address.set(address);
        }
        told
    }

    /// Returns the lines up to the first one that `is_last`, which must come.
    fn told_until(&self, what: &str, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut told: Vec<String> = Vec::new();
        while !told.last().is_some_and(|line| is_last(line)) {
            let line = lines.recv_timeout(TIMEOUT);
            told.push(line.unwrap_or_else(|error| panic!("it does not say {what} ({error}): {told:?}")));
        }
        told
    }

    /// Sends it a signal.
    pub fn tell(&self, signal: Signal) {
        cluster::send(signal, &[self.id()]);
    }

    /// Tells it to end, which it must do successfully and in time; returns the lines that nobody has waited for.
    pub fn end(mut self) -> Vec<String> {
        self.tell(Signal::End);
        let status = self.wait();
        let told = self.lines.lock().unwrap_or_else(PoisonError::into_inner).iter().collect();
        assert!(status.success(), "{status}: {told:?}");
        told
    }

    /// Waits until it has ended by itself and all that it said has been read.
    pub fn wait(&mut self) -> ExitStatus {
        let status = status_within(END, &mut self.child).expect("it ends");
        self.reap();
        status
    }

    /// Ends it in the middle of whatever it is doing.
    pub fn kill(self) {
        drop(self);
    }

    /// Ends it, and reads what it said.
    fn reap(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(scribe) = self.scribe.take() {
            let _ = scribe.join();
        }
    }

    /// Freezes it until the result is dropped.
    #[must_use]
    pub fn freeze(&self) -> Frozen {
        self.tell(Signal::Stop);
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

impl Drop for Process {
    fn drop(&mut self) {
        self.reap();
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

/// Returns the address of this name in the line that says that a service serves.
fn served_at(line: &str, name: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("serving")?.1.split_once(name)?;
    rest.trim_start_matches(['=', '"', ':']).split([' ', '"']).next()?.parse().ok()
}

/// Reads to the end even if nobody listens any more: a pipe that nobody reads blocks its writer.
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
