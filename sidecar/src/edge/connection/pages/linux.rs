//! Pages in a pipe.

use std::{cell::RefCell, io, os::fd::OwnedFd};

use rustix::{
    net::{SendFlags, send},
    pipe::{PipeFlags, SpliceFlags, fcntl_getpipe_size, pipe_with, splice, tee},
};
use tokio::net::TcpStream;

use super::LONGEST;

/// The least octets that a page of memory has. Where it has more, a pipe has room for more.
const PAGE: usize = 4 * 1024;

/// A pipe that was filled once and from which nothing is taken, and the way on which its octets are sent.
#[derive(Debug)]
pub(super) struct Pipe {
    read: OwnedFd,
    length: usize,
    /// How many times the octets are in it, one after the other.
    copies: usize,
    way: RefCell<Option<Way>>,
}

/// A pipe that octets are sent from: `splice` empties it, so the pages of the other are put here before.
#[derive(Debug)]
struct Way {
    ends: Ends,
    /// How many copies are in it.
    copies: usize,
}

/// Both ends of a pipe.
#[derive(Debug)]
struct Ends {
    read: OwnedFd,
    write: OwnedFd,
}

impl Pipe {
    /// Fills a pipe with `octets`, as often as they fit.
    pub(super) fn of(octets: &[u8]) -> io::Result<Self> {
        let ends = Ends::new()?;
        let copies = LONGEST / octets.len().next_multiple_of(PAGE);
        for _ in 0..copies {
            if rustix::io::write(&ends.write, octets)? < octets.len() {
                return Err(io::ErrorKind::StorageFull.into());
            }
        }
        Ok(Self { read: ends.read, length: octets.len(), copies, way: RefCell::default() })
    }

    /// Sends `head` and then the octets; returns how much of both found room.
    pub(super) fn send(&self, stream: &TcpStream, head: &[u8]) -> io::Result<usize> {
        let sent = send(stream, head, SendFlags::MORE)?;
        if sent < head.len() {
            return Ok(sent);
        }
        let Ok(mut way) = self.filled_way() else { return Ok(sent) };
        let through =
            splice(&way.ends.read, None, stream, None, self.length, SpliceFlags::NONBLOCK).unwrap_or_default();
        // Security: otherwise the rest of a copy is left in it, which would come before the next one; so it is closed.
        if through == self.length {
            way.copies -= 1;
            self.way.replace(Some(way));
        }
        Ok(sent + through)
    }

    /// Takes the way, with at least one copy in it.
    fn filled_way(&self) -> io::Result<Way> {
        let mut way = match self.way.take() {
            Some(way) => way,
            None => Way { ends: Ends::new()?, copies: 0 },
        };
        if way.copies == 0 {
            let whole = self.length * self.copies;
            if tee(&self.read, &way.ends.write, whole, SpliceFlags::NONBLOCK)? < whole {
                return Err(io::ErrorKind::StorageFull.into());
            }
            way.copies = self.copies;
        }
        Ok(way)
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
}
