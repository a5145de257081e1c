//! Pages in a pipe.

use std::{cell::Cell, io, os::fd::OwnedFd};

use rustix::{
    net::{SendFlags, send},
    pipe::{PipeFlags, SpliceFlags, fcntl_getpipe_size, pipe_with, splice, tee},
};
use tokio::net::TcpStream;

use super::LONGEST;

/// A pipe that was filled once and from which nothing is taken.
#[derive(Debug)]
pub(super) struct Pipe {
    read: OwnedFd,
    length: usize,
}

/// Both ends of a pipe.
#[derive(Debug)]
struct Ends {
    read: OwnedFd,
    write: OwnedFd,
}

thread_local! {
    /// An empty pipe. `splice` empties what it sends from, so the pages of the others are put here before.
    static WAY: Cell<Option<Ends>> = const { Cell::new(None) };
}

impl Pipe {
    /// Fills a pipe with `octets`.
    pub(super) fn of(octets: &[u8]) -> io::Result<Self> {
        let ends = Ends::new()?;
        if rustix::io::write(&ends.write, octets)? < octets.len() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(Self { read: ends.read, length: octets.len() })
    }

    /// Sends `head` and then the octets; returns how much of both found room.
    pub(super) fn send(&self, stream: &TcpStream, head: &[u8]) -> io::Result<usize> {
        let sent = send(stream, head, SendFlags::MORE)?;
        if sent < head.len() {
            return Ok(sent);
        }
        let Some(way) = WAY.take().or_else(|| Ends::new().ok()) else { return Ok(sent) };
        let through = way.lead(self, stream).unwrap_or_default();
        // Security: otherwise something may be left in it, which would come before the next body; so it is closed.
        if through == self.length {
            WAY.set(Some(way));
        }
        Ok(sent + through)
    }
}

impl Ends {
    fn new() -> io::Result<Self> {
        let (read, write) = pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)?;
        // Whoever has very many pipes gets small ones (pipe(7)).
        if fcntl_getpipe_size(&write)? < LONGEST {
            return Err(io::ErrorKind::StorageFull.into());
        }
        Ok(Self { read, write })
    }

    /// Leads the pages of `pipe` to `stream`, as many as find room.
    fn lead(&self, pipe: &Pipe, stream: &TcpStream) -> io::Result<usize> {
        let count = tee(&pipe.read, &self.write, pipe.length, SpliceFlags::NONBLOCK)?;
        Ok(splice(&self.read, None, stream, None, count, SpliceFlags::NONBLOCK)?)
    }
}
