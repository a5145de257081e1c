//! The stream of one connection, between the HTTP library and the system.
//!
//! **The library gets one request at a time.** It would decode everything that a client sends ahead before it makes the
//! first response, and would then frame that response by the method of the last request (RFC 9112, 9.3.2). So a turn of
//! the connection reads as far as the next blank line, which ends a head, and then nothing until the response is made
//! and written: further requests wait in the system. While a response is made, [`ReadGate`] lets in the body that is
//! asked for. Without this, 8 of the tests in `tests/suite/connections.rs` fail: those of requests sent ahead, of late
//! readers, of announced ends, and `answers_to_requests_sent_ahead_come_whole_and_in_order` first of all.
//!
//! **It does not wait for ever.** The library limits only the time of the first head. [`Timeouts`] limits idle
//! connections, later heads, bodies, and clients that do not read, as `stream/tests.rs` shows.
//!
//! **It closes only after reading what has arrived.** The system resets a connection that is closed with unread bytes,
//! and the client may then lose the response that is on its way (RFC 9112, 9.6; the test
//! `refusal_that_ends_the_connection_arrives_whatever_came_behind_the_question`).

mod timeouts;

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the clock of these tests is paused")]
mod tests;

use std::{
    cell::Cell,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker, ready},
};

use memchr::memchr_iter;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, BufReader, ReadBuf};

use self::timeouts::{Phase, Timeouts};

/// Bytes that are read from the system at once. Hardly any head is longer.
const READ_SIZE: usize = 2 * 1024;
/// How often so many bytes are read and discarded when a connection is closed.
const MAX_DISCARDS: usize = 64;
/// With this, the library asks for the body of a request with `Expect`.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// What may be read of a connection: so many bytes, or, without a number, up to the next blank line. The stream and the
/// service share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadGate(Rc<Cell<Option<usize>>>);

impl ReadGate {
    /// Lets nothing in: a response is being made.
    pub(crate) fn close(&self) {
        self.0.set(Some(0));
    }

    /// Lets in a head, or a chunked body, which ends with a blank line as well.
    pub(crate) fn open(&self) {
        self.0.set(None);
    }

    /// Lets in a body of `length` bytes.
    pub(crate) fn admit(&self, length: usize) {
        self.0.set(Some(length));
    }

    fn is_closed(&self) -> bool {
        self.0.get() == Some(0)
    }
}

/// The stream of one connection.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about one connection")]
pub(crate) struct Stream<S: AsyncRead + Unpin> {
    inner: BufReader<S>,
    gate: ReadGate,
    timeouts: Timeouts,
    /// Whether the line that is being read has no characters so far.
    is_blank: bool,
    /// Whether this turn has read as far as a blank line.
    has_read: bool,
    /// Whether what is written next begins the response to the request that was read last.
    begins_response: bool,
    /// Whether the library wanted to read and is to be called when it may.
    is_waiting: bool,
}

impl<S: AsyncRead + Unpin> Stream<S> {
    pub(crate) fn new(inner: S) -> Self {
        Self {
            inner: BufReader::with_capacity(READ_SIZE, inner),
            gate: ReadGate::default(),
            timeouts: Timeouts::new(),
            is_blank: true,
            has_read: false,
            begins_response: false,
            is_waiting: false,
        }
    }

    /// Returns what decides what may be read.
    pub(crate) fn gate(&self) -> ReadGate {
        self.gate.clone()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stream<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let Self { inner, gate, timeouts, is_blank, has_read, begins_response, is_waiting } = self.get_mut();
        if timeouts.phase() == Phase::Response || gate.is_closed() {
            *is_waiting = true;
            return Poll::Pending;
        }
        let bytes = ready!(Pin::new(&mut *inner).poll_fill_buf(context))?;
        if *has_read {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let bytes = bytes.get(..buffer.remaining()).unwrap_or(bytes);
        // A trickle is no progress: the time of the whole request is limited, not that of each of its bytes.
        if !bytes.is_empty() && timeouts.phase() == Phase::Idle {
            timeouts.enter(Phase::Request);
        }
        let length = if let Some(admitted) = gate.0.get() {
            let length = admitted.min(bytes.len());
            gate.admit(admitted - length);
            length
        } else {
            let end = end_of_blank_line(bytes, is_blank);
            *has_read = end.is_some();
            *begins_response |= *has_read;
            end.unwrap_or(bytes.len())
        };
        buffer.put_slice(bytes.get(..length).unwrap_or(bytes));
        Pin::new(inner).consume(length);
        Poll::Ready(Ok(()))
    }
}

/// Returns where the first blank line in `bytes` ends, if there is one. `is_blank` says whether the first line has no
/// characters before `bytes`, and afterwards the same of the last line. Like the library, it takes a line feed alone for
/// the end of a line.
fn end_of_blank_line(bytes: &[u8], is_blank: &mut bool) -> Option<usize> {
    let mut start = 0;
    for end in memchr_iter(b'\n', bytes) {
        let line = bytes.get(start..end).unwrap_or_default();
        let found = *is_blank && matches!(line, b"" | b"\r");
        (*is_blank, start) = (true, end + 1);
        if found {
            return Some(start);
        }
    }
    *is_blank &= matches!(bytes.get(start..), Some(b"" | b"\r"));
    None
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Self { inner, timeouts, has_read, begins_response, .. } = self.get_mut();
        // A body is not asked for when the response, which follows here, is already made.
        if std::mem::take(begins_response) && bytes.len() > CONTINUE.len() && bytes.starts_with(CONTINUE) {
            return Poll::Ready(Ok(CONTINUE.len()));
        }
        let written = Pin::new(inner).poll_write(context, bytes);
        if written.is_ready() {
            timeouts.enter(Phase::Idle);
        } else {
            // The turn ends here.
            *has_read = false;
            if timeouts.phase() != Phase::Response {
                timeouts.enter(Phase::Response);
            }
            timeouts.poll(context)?;
        }
        written
    }

    /// Flushes, which the library does at the end of every turn in which the client reads.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let Self { inner, gate, timeouts, has_read, is_waiting, .. } = self.get_mut();
        *has_read = false;
        if *is_waiting && !gate.is_closed() {
            *is_waiting = false;
            context.waker().wake_by_ref();
        }
        timeouts.keep_ticking(context)?;
        Pin::new(inner).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().inner).poll_shutdown(context)
    }
}

impl<S: AsyncRead + Unpin> Drop for Stream<S> {
    fn drop(&mut self) {
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..MAX_DISCARDS {
            let mut stream = Pin::new(&mut self.inner);
            let Poll::Ready(Ok(bytes)) = stream.as_mut().poll_fill_buf(&mut context) else { return };
            let length = bytes.len();
            if length == 0 {
                return;
            }
            stream.consume(length);
        }
    }
}
