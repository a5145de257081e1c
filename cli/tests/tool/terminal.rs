//! The binary in a pseudo-terminal.

use std::{
    fs::File,
    io::{Read, Write as _},
    os::fd::OwnedFd,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Termios, Winsize, tcgetattr, tcsetwinsize},
};

/// Limits the wait for output.
const TIMEOUT: Duration = Duration::from_mins(2);

/// The most that a program may write to the terminal in a test.
const MAX_SCREEN_BYTES: usize = 256 << 20;

/// Runs the binary on a terminal of `size`; returns the terminal's text with plain line ends, and the exit code.
pub(crate) fn run(args: &[&str], variables: &[(&str, &str)], size: (u16, u16)) -> (String, Option<i32>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mecelle"));
    command.args(args);
    let (leader, follower) = terminal(size);
    TerminalSession::start(command, variables, leader, follower, Stdio::null()).end()
}

pub(crate) struct TerminalSession {
    leader: File,
    child: Child,
    received: mpsc::Receiver<Vec<u8>>,
    seen: Vec<u8>,
}

impl TerminalSession {
    /// Starts a shell that runs `script`, in which `$0` is the binary. The terminal is its controlling terminal, so
    /// `Ctrl-C` reaches the processes of the script.
    pub(crate) fn shell(script: &str, variables: &[(&str, &str)]) -> Self {
        // A shell cannot take back that its parent ignores Ctrl-C, as a program in the background does.
        let mut command = Command::new("env");
        command.args([
            "--default-signal=INT,QUIT",
            "setsid",
            "--ctty",
            "sh",
            "-c",
            script,
            env!("CARGO_BIN_EXE_mecelle"),
        ]);
        let (leader, follower) = terminal((80, 200));
        let input = Stdio::from(follower.try_clone().unwrap());
        Self::start(command, variables, leader, follower, input)
    }

    fn start(
        mut command: Command,
        variables: &[(&str, &str)],
        leader: OwnedFd,
        follower: OwnedFd,
        input: Stdio,
    ) -> Self {
        command.env_clear().env("PATH", "/usr/bin:/bin").envs(variables.iter().copied());
        command.stdin(input).stdout(follower.try_clone().unwrap()).stderr(follower);
        let child = command.spawn().unwrap();
        // The command holds copies of the follower, and the terminal ends when the last is closed.
        drop(command);
        let leader = File::from(leader);
        Self { received: listen(leader.try_clone().unwrap()), leader, child, seen: Vec::new() }
    }

    /// Waits until `text` appears.
    pub(crate) fn wait_for(&mut self, text: &str) {
        while !self.seen.windows(text.len()).any(|window| window == text.as_bytes()) {
            let Ok(more) = self.received.recv_timeout(TIMEOUT) else {
                let _ = self.child.kill();
                panic!("{text:?} does not appear: {:?}", String::from_utf8_lossy(&self.seen));
            };
            self.seen.extend_from_slice(&more);
        }
    }

    pub(crate) fn type_in(&mut self, bytes: &[u8]) {
        self.leader.write_all(bytes).unwrap();
    }

    pub(crate) fn settings(&self) -> String {
        settings(&tcgetattr(&self.leader).unwrap())
    }

    /// Waits for the end; returns the terminal's text with plain line ends, and the exit code.
    pub(crate) fn end(mut self) -> (String, Option<i32>) {
        loop {
            match self.received.recv_timeout(TIMEOUT) {
                Ok(more) if self.seen.len() < MAX_SCREEN_BYTES => self.seen.extend_from_slice(&more),
                Ok(_) => {
                    let _ = self.child.kill();
                    panic!("the output does not end");
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    let _ = self.child.kill();
                    panic!("it does not end: {:?}", String::from_utf8_lossy(&self.seen));
                }
            }
        }
        let code = self.child.wait().unwrap().code();
        (String::from_utf8(self.seen).unwrap().replace("\r\n", "\n"), code)
    }
}

/// Opens both ends of a new terminal.
fn terminal((columns, rows): (u16, u16)) -> (OwnedFd, OwnedFd) {
    let leader = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&leader).unwrap();
    unlockpt(&leader).unwrap();
    let name = ptsname(&leader, Vec::new()).unwrap();
    let follower = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    tcsetwinsize(&follower, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    (leader, follower)
}

/// Formats the modes of a terminal: echo, line editing, signals.
fn settings(termios: &Termios) -> String {
    let Termios { input_modes, output_modes, control_modes, local_modes, .. } = termios;
    format!("{input_modes:?} {output_modes:?} {control_modes:?} {local_modes:?}")
}

fn listen(mut leader: File) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut buffer = [0; 4096];
        // The end of a pseudo-terminal is an input/output error on Linux and an empty read elsewhere.
        while let Ok(length @ 1..) = leader.read(&mut buffer) {
            if sender.send(buffer[..length].to_vec()).is_err() {
                break;
            }
        }
    });
    receiver
}
