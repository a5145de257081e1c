//! The stream of one connection, between the HTTP library and the system.
//!
//! **It does not wait for ever.** The library bounds only the first request head. [`Patience`] bounds everything else:
//! an idle connection, a later head or a body that trickles in, and a client that asks and does not read.
//!
//! **It takes in little more than it answers.** The library makes requests from everything that it reads before it
//! answers the first; when its buffer is full, it runs again and again until there is room; and from what it read while
//! sixteen requests waited, it makes none until more comes. So it is given a little in each turn ([`MOST_READ`]), and
//! nothing while requests may be waiting ([`Gate`]): what was sent ahead then waits in the system.
//!
//! **It writes what the library does not have**: the [`Tail`] after the start of each head.
//!
//! **It answers what it knows.** A request that comes a third time, octet for octet, does not get as far as the library: if
//! it is the connection's [`Turn`], it writes what its [`Memory`] has, a long body from [`Pages`] of the system.
//!
//! **It closes only after reading what has arrived.** The system resets a connection that is closed with unread octets,
//! and a client may then lose the answer that was on its way (RFC 9112, 9.6). So what is waiting there is read and
//! discarded.

mod ending;
mod pages;
mod patience;
mod tail;
mod turn;

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the clock of these tests is paused")]
mod tests;

use std::{
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker, ready},
};

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf, Take};

pub(crate) use self::{
    ending::Ending,
    pages::{FILES, Pages},
    tail::Tail,
};
use self::{
    ending::Listener,
    pages::Stream,
    patience::{Owed, Patience},
    tail::OwnTail,
};
use super::{head::Head, recall::Known};

/// Octets that one turn may read. Hardly any head is longer, and the shortest requests that fit, 146 of 8 KB in the
/// library, take less memory than the system keeps for a client that does not read.
const MOST_READ: u64 = 2 * 1024;
/// Octets that are taken in at the end: as many as the library would have read at once.
const MOST_FORGOTTEN: usize = 128 * 1024;

/// Whether the library may read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gate {
    Open,
    /// A turn ended in which the client did not read, or with an answer in the making. Requests may be waiting.
    Shut,
    /// Whatever was in the way no longer is. In this turn the library answers what was waiting.
    Opening,
}

/// What is known of requests that came before.
pub(crate) trait Memory {
    /// Returns what is known of a request of exactly these octets. An answer counts as given.
    fn recall(&self, request: &[u8]) -> Known<Whole>;
}

/// A whole answer, in which the library has no part.
pub(crate) struct Whole {
    pub(crate) head: Head,
    pub(crate) body: Bytes,
    /// The body once more, for a stream that can send it like this.
    pub(crate) pages: Option<Rc<Pages>>,
}

/// The stream of one connection.
pub(crate) struct Connection<S: AsyncRead + Unpin, M> {
    /// The stream, with what may still be read in this turn.
    stream: Take<S>,
    patience: Patience,
    gate: Gate,
    ending: Listener,
    tail: OwnTail,
    memory: M,
}

impl<S: AsyncRead + Unpin, M> Connection<S, M> {
    /// Creates the connection of the current task, which is told when `ending` is ready.
    pub(crate) fn new(stream: S, ending: impl Future<Output = ()> + 'static, memory: M) -> Self {
        let (stream, ending) = (stream.take(MOST_READ), Listener::new(ending));
        Self { stream, patience: Patience::new(), gate: Gate::Open, ending, tail: OwnTail::new(), memory }
    }
}

impl<S: Stream, M: Memory + Unpin> AsyncRead for Connection<S, M> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.ending.listen(context);
        if self.gate != Gate::Open {
            self.patience.tick(context)?;
            return Poll::Pending;
        }
        let start = buffer.filled().len();
        loop {
            let room = self.stream.limit();
            if room == 0 {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
            let Poll::Ready(result) = Pin::new(&mut self.stream).poll_read(context, buffer) else {
                // If octets of the client were just read, no tick that matters can be due.
                if room == MOST_READ {
                    self.patience.tick(context)?;
                }
                return Poll::Pending;
            };
            if self.answers(buffer.filled().get(start..).unwrap_or_default()) {
                buffer.set_filled(start);
                ready!(self.poll_tail(context))?;
                continue;
            }
            // A trickle is no progress: the whole request is bounded, not each of its octets.
            if self.stream.limit() < room && self.patience.owed() == Owed::Nothing {
                self.patience.wait_for(Owed::Request);
            }
            return Poll::Ready(result);
        }
    }
}

impl<S: Stream, M: Memory> Connection<S, M> {
    /// Answers what was read if that is known, and returns whether it is; otherwise the library gets it.
    fn answers(&mut self, read: &[u8]) -> bool {
        // At the end of the service it is the library that announces the end of the connection.
        let may_answer = self.tail.is_own_turn() && !read.is_empty() && !Ending::has_come();
        match if may_answer { self.memory.recall(read) } else { Known::No } {
            Known::Answer(whole) => {
                self.tail.put_whole(whole);
                true
            }
            known => {
                self.tail.give(read, matches!(known, Known::Again));
                false
            }
        }
    }

    /// Writes what is left of an answer.
    fn poll_tail(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.tail.is_empty() {
            let pages = self.tail.take_pages();
            let Self { stream, tail, .. } = &mut *self;
            let stream = stream.get_mut();
            let written = tail.write(|parts| match (parts, &pages) {
                ([part], _) => Pin::new(stream).poll_write(context, part),
                ([head, _], Some(pages)) if let Some(count) = stream.try_send(head, pages) => Poll::Ready(Ok(count)),
                (parts, _) => Pin::new(stream).poll_write_vectored(context, parts),
            });
            let count = ready!(self.count(context, written))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
        }
        Poll::Ready(Ok(()))
    }

    fn count(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.patience.wait_for(Owed::Nothing);
            return written;
        }
        self.gate = Gate::Shut;
        if self.patience.owed() != Owed::Room {
            self.patience.wait_for(Owed::Room);
        }
        self.patience.tick(context)?;
        Poll::Pending
    }
}

impl<S: Stream, M: Memory + Unpin> AsyncWrite for Connection<S, M> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if !self.tail.is_empty() {
            // Written together with what follows it, when the library flushes.
            self.tail.begin(bytes);
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(self.stream.get_mut()).poll_write(context, bytes);
        self.count(context, written)
    }

    /// Flushes. The library does so at the end of every turn, except one in which its own part of a head cannot be
    /// written. Then the gate is shut, so that nobody finds that the turn may read no more.
    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream.set_limit(MOST_READ);
        ready!(self.poll_tail(context))?;
        if self.tail.is_in_the_making() {
            self.gate = Gate::Shut;
        } else if self.gate != Gate::Open {
            // In the next turn the library also learns that the answer is written.
            self.gate = if self.gate == Gate::Shut { Gate::Opening } else { Gate::Open };
            context.waker().wake_by_ref();
        }
        self.patience.keep_ticking(context)?;
        Pin::new(self.stream.get_mut()).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(self.stream.get_mut()).poll_shutdown(context)
    }
}

impl<S: AsyncRead + Unpin, M> Drop for Connection<S, M> {
    fn drop(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        let mut octets = [0; 4 * 1024];
        for _ in 0..MOST_FORGOTTEN / octets.len() {
            let mut buffer = ReadBuf::new(&mut octets);
            let read = Pin::new(self.stream.get_mut()).poll_read(&mut context, &mut buffer);
            if !matches!(read, Poll::Ready(Ok(()))) || buffer.filled().is_empty() {
                return;
            }
        }
    }
}
