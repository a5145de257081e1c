//! A service as a separate process: what it says, and how it ends.

use std::{
    fs::File,
    io::{BufRead as _, BufReader, Write as _},
    net::SocketAddr,
    process::{Child, ChildStderr, Command, ExitStatus, Output, Stdio},
    sync::{
        Mutex, PoisonError,
        mpsc::{self, Receiver, Sender},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use cluster::Signal;

/// Time after which a line that was waited for, or the end of a command, is taken not to come.
const PATIENCE: Duration = Duration::from_mins(1);
/// A service that ends in order waits 30 seconds for its clients, and 42 for a letter.
const END: Duration = Duration::from_secs(80);
/// The pause between two checks whether a process has ended.
const PAUSE: Duration = Duration::from_millis(5);

/// Runs `command`, which must end soon; returns how it ended and what it said.
#[must_use]
pub fn ended(command: &mut Command) -> Output {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a process");
    // Its output fits into the pipes.
    let status = status_within(PATIENCE, &mut child);
    if status.is_none() {
        let _ = child.kill();
    }
    let output = child.wait_with_output().expect("a process of ours");
    assert!(status.is_some(), "it does not end: {}", String::from_utf8_lossy(&output.stderr));
    output
}

fn status_within(time: Duration, child: &mut Child) -> Option<ExitStatus> {
    for _ in 0..time.as_millis() / PAUSE.as_millis() {
        if let Some(status) = child.try_wait().expect("a process of ours") {
            return Some(status);
        }
        thread::sleep(PAUSE);
    }
    None
}

/// A running service. It does not outlive its owner.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// The lines that it has said and nobody has waited for; behind a lock, because threads share a service.
    lines: Mutex<Receiver<String>>,
    /// The thread that reads what it says.
    scribe: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts `command`. What it says is also written to `log`, if there is one.
    #[must_use]
    pub fn start(command: &mut Command, log: Option<File>) -> Self {
        // A pipe, because a limit on its files must not limit its log.
        let mut child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a process");
        let errors = child.stderr.take().expect("a pipe");
        let (into, lines) = mpsc::channel();
        let scribe = Some(thread::spawn(move || copy(errors, log, &into)));
        Self { child, lines: Mutex::new(lines), scribe }
    }

    /// Starts `command`, whose log goes to `log` and is not read here.
    #[must_use]
    pub fn logging_into(command: &mut Command, log: File) -> Self {
        let child = command.stdin(Stdio::null()).stderr(log).spawn().expect("a process");
        Self { child, lines: Mutex::new(mpsc::channel().1), scribe: None }
    }

    /// Returns its process number.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for a line that contains `text`.
    pub fn told(&self, text: &str) -> String {
        self.told_until(text, |line| line.contains(text)).pop().unwrap_or_default()
    }

    /// Waits until it says that it serves, and returns the lines so far, of which that is the last.
    pub fn serving(&self) -> Vec<String> {
        self.told_until("serving", |line| served_at(line).is_some())
    }

    /// Returns the address at which it says, in text or JSON, that it serves.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.serving().last().and_then(|line| served_at(line)).expect("an address")
    }

    /// Returns the lines up to the first one that `is_last`, which must come.
    fn told_until(&self, what: &str, is_last: impl Fn(&str) -> bool) -> Vec<String> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let mut told: Vec<String> = Vec::new();
        while !told.last().is_some_and(|line| is_last(line)) {
            let line = lines.recv_timeout(PATIENCE);
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
        self.kill();
        status
    }

    /// Ends it in the middle of whatever it is doing, and reads what it said.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if let Some(scribe) = self.scribe.take() {
            let _ = scribe.join();
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the address in the line that says that a service serves.
fn served_at(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("serving")?.1.split_once("address")?;
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
