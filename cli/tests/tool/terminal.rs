//! A real pseudo-terminal around the real binary.

use std::{
    fs::File,
    io::Read,
    os::fd::OwnedFd,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use rustix::{
    fs::{Mode, OFlags},
    pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

/// Bounds the wait for a run.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs the binary on a terminal of that size; what the terminal was sent, with plain line ends, and the exit code.
pub(crate) fn run(args: &[&str], variables: &[(&str, &str)], (columns, rows): (u16, u16)) -> (String, Option<i32>) {
    let leader = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&leader).unwrap();
    unlockpt(&leader).unwrap();
    let name = ptsname(&leader, Vec::new()).unwrap();
    let follower = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    tcsetwinsize(&follower, Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mecelle"));
    command.args(args).env_clear().env("PATH", "/usr/bin:/bin").envs(variables.iter().copied());
    command.stdin(Stdio::null()).stdout(follower.try_clone().unwrap()).stderr(follower);
    let mut child = command.spawn().unwrap();
    // The command holds copies of the follower; the terminal ends when the last copy is closed.
    drop(command);
    let received = listen(leader);
    let Ok(bytes) = received.recv_timeout(PATIENCE) else {
        let _ = child.kill();
        panic!("the tool did not end: {args:?}");
    };
    let code = child.wait().unwrap().code();
    (String::from_utf8(bytes).unwrap().replace("\r\n", "\n"), code)
}

fn listen(leader: OwnedFd) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let (mut leader, mut bytes, mut buffer) = (File::from(leader), Vec::new(), [0; 4096]);
        // The end of a pseudo-terminal is an input/output error on Linux and an empty read elsewhere.
        while let Ok(length @ 1..) = leader.read(&mut buffer) {
            bytes.extend_from_slice(&buffer[..length]);
        }
        let _ = sender.send(bytes);
    });
    receiver
}
