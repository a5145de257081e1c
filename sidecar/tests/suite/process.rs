//! The real program as a process of its own: what it says, and how it ends.

use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use cluster::{Signal, send};

/// What has not come by then does not come.
const PATIENCE: Duration = Duration::from_mins(1);

/// A service. It does not outlive its test, however that ends.
pub(crate) struct Process {
    child: Child,
    lines: Receiver<String>,
}

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let (into, lines) = mpsc::channel();
        let log = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || log.lines().map_while(Result::ok).try_for_each(|line| into.send(line)));
        Self { child, lines }
    }

    /// Waits for the line that holds `text`.
    pub(crate) fn told(&self, text: &str) -> String {
        loop {
            let line = self.lines.recv_timeout(PATIENCE).unwrap_or_else(|error| panic!("no line says {text}: {error}"));
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Waits until it says that it serves. That line is the last of those that it has said until then.
    pub(crate) fn serving(&self) -> Vec<String> {
        let mut told = Vec::new();
        while !told.last().is_some_and(|line: &String| line.contains("serving")) {
            let line = self.lines.recv_timeout(PATIENCE);
            told.push(line.unwrap_or_else(|error| panic!("it does not serve ({error}): {told:?}")));
        }
        told
    }

    /// The address at which it says, in text or JSON, that it serves.
    pub(crate) fn address(&self) -> SocketAddr {
        let told = self.serving();
        let (_, rest) = told.last().unwrap().split_once("address").unwrap();
        rest.trim_start_matches(['=', '"', ':']).split([' ', '"']).next().unwrap().parse().unwrap()
    }

    pub(crate) fn tell(&self, signal: Signal) {
        send(signal, &[self.child.id()]);
    }

    /// Tells it to end, which it does well and in time, and returns what it has said since it served.
    pub(crate) fn end(mut self) -> Vec<String> {
        self.tell(Signal::End);
        for _ in 0..1000 {
            if let Some(status) = self.child.try_wait().unwrap() {
                let told = self.lines.iter().collect();
                assert!(status.success(), "{status}: {told:?}");
                return told;
            }
            thread::sleep(Duration::from_millis(10));
        }
        panic!("it does not end");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
