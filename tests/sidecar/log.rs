//! A log without a reader: a blocking container driver, a hanging journal.

use std::{
    fs::{File, OpenOptions},
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpStream},
    os::unix::fs::OpenOptionsExt as _,
    process::Command,
    thread,
};

use rustix::fs::OFlags;
use tempfile::TempDir;
use tests::{Agent as _, Connection, Process, SyntheticFirm, eventually, get};

use crate::{
    agent,
    binary::{free_address, program},
};

/// One less than the hourly limit of a client.
const REGISTRATIONS: usize = 4;

/// A service whose log is a full pipe.
struct Unread {
    service: Process,
    public: SocketAddr,
    operators: SocketAddr,
    /// The reading end of the pipe, which is not read.
    log: File,
    _kept: (SyntheticFirm, TempDir),
}

impl Unread {
    fn start() -> Self {
        let (build, folder) = (agent::build(), tempfile::tempdir().unwrap());
        let pipe = folder.path().join("log");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let open = |options: &mut OpenOptions| options.open(&pipe).unwrap();
        let at_once = OFlags::NONBLOCK.bits().cast_signed();
        let log = open(OpenOptions::new().read(true).custom_flags(at_once));
        let (public, operators) = (free_address(), free_address());
        let mut command = program(&build);
        command.env("MECELLE_LISTEN", public.to_string()).env("MECELLE_ADMIN_LISTEN", operators.to_string());
        let service = Process::logging_into(&mut command, open(OpenOptions::new().write(true)));
        eventually("a service that listens", || TcpStream::connect(public).is_ok());
        let mut fill = open(OpenOptions::new().write(true).custom_flags(at_once));
        while fill.write(b"\n").is_ok() {}
        Self { service, public, operators, log, _kept: (build, folder) }
    }

    fn register(&self) {
        for _ in 0..REGISTRATIONS {
            assert_eq!(Connection::to(self.public).register().unwrap().status, 200);
        }
    }
}

#[test]
fn unread_log_delays_neither_responses_nor_shutdown() {
    let unread = Unread::start();
    unread.register();
    for _ in 0..8 {
        assert_eq!(get(unread.public, "/en/about", &[]).status, 200);
    }
    for target in ["/livez", "/readyz/store"] {
        assert_eq!(get(unread.operators, target, &[]).status, 200);
    }
    unread.service.end();
}

#[test]
fn log_lines_wait_for_their_reader() {
    let unread = Unread::start();
    unread.register();
    let log = unread.log;
    rustix::fs::fcntl_setfl(&log, OFlags::empty()).unwrap();
    let reader = thread::spawn(move || BufReader::new(log).lines().map_while(Result::ok).collect::<Vec<_>>());
    unread.service.end();
    let lines = reader.join().unwrap();
    let count = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
    assert_eq!(
        (count("registration.created"), count("credential.issued")),
        (REGISTRATIONS, REGISTRATIONS),
        "{lines:?}"
    );
    assert!(lines.last().unwrap().contains("ended"), "{lines:?}");
}
