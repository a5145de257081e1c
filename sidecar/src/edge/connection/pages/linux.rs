//! Pages in a pipe.

use std::{
    cell::{Cell, RefCell},
    io,
    os::fd::OwnedFd,
};

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
    /// `None` after it had to be closed.
    way: RefCell<Option<Way>>,
    /// Whether the system has refused another way. It is not asked again.
    is_refused: Cell<bool>,
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
    /// Fills a pipe with `octets`, as often as they fit, and opens the way.
    pub(super) fn of(octets: &[u8]) -> io::Result<Self> {
        let ends = Ends::new()?;
        let most = LONGEST / octets.len().next_multiple_of(PAGE);
        let mut copies = 0;
        while copies < most && rustix::io::write(&ends.write, octets) == Ok(octets.len()) {
            copies += 1;
        }
        if copies == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let way = RefCell::new(Some(Way::new()?));
        Ok(Self { read: ends.read, length: octets.len(), copies, way, is_refused: Cell::default() })
    }

    /// Sends `head` and then the octets; returns how much of both found room.
    pub(super) fn send(&self, stream: &TcpStream, head: &[u8]) -> io::Result<usize> {
        if self.is_refused.get() {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let sent = send(stream, head, SendFlags::MORE)?;
        if sent < head.len() {
            return Ok(sent);
        }
        let Ok(mut way) = self.filled_way() else {
            self.is_refused.set(true);
            return Ok(sent);
        };
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
        let mut way = self.way.take().map_or_else(Way::new, Ok)?;
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

impl Way {
    fn new() -> io::Result<Self> {
        Ok(Self { ends: Ends::new()?, copies: 0 })
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
