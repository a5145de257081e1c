//! The stream of one connection, between the HTTP library and the system.
//!
//! **The library gets one request at a time.** It would decode everything that a client sends ahead before it makes the
//! first response, and would then frame that response by the method of the last request (RFC 9112, 9.3.2). So a turn of
//! the connection reads as far as the next blank line, which ends a head, and then nothing until the response is made
//! and written: further requests wait in the system. While a response is made, [`ReadGate`] lets in the body that is
//! asked for. Without this, 8 of the tests in `tests/suite/connections.rs` fail: those of requests sent ahead, of late
//! readers, of announced ends, and `pipelined_requests_are_answered_completely_and_in_order` first of all.
//!
//! **It does not wait for ever.** The library limits only the time of the first head. [`Timeouts`] limits idle
//! connections, later heads, bodies, and clients that do not read, as `src/tests.rs` shows.
//!
//! **It closes only after reading what has arrived.** The system resets a connection that is closed with unread bytes,
//! and the client may then lose the response that is on its way (RFC 9112, 9.6; the test
//! `last_refusal_arrives_despite_unread_bytes`).
//!
//! **What the library refuses gets a response like any other.** Its own responses to heads that it cannot read have
//! neither a body nor a name; what [`ErrorResponse`] makes is sent instead, and nothing follows it.
//!
//! **It is stricter than the library.** A line feed alone ends no line of a head, and nothing but a blank line follows
//! the last chunk of a body. The library skips trailers, in which others may see a request.

mod chunks;
mod head;
mod timeouts;

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "the clock of these tests is paused")]
mod tests;

use std::{
    cell::Cell,
    io, mem,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, Waker, ready},
};

use bytes::Bytes;
use contract::headers::X_REQUEST_ID;
use memchr::memmem;
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, BufReader, ReadBuf};

use self::{
    chunks::Chunks,
    head::Head,
    timeouts::{Phase, Timeouts},
};

/// The longest request target that is answered with anything but the status 414, in bytes.
pub const MAX_TARGET_BYTES: usize = 8 * 1024;

/// The most bytes of a request line besides its target: method, version, two spaces and a carriage return.
const AROUND_TARGET: usize = "OPTIONS  HTTP/1.1\r".len();

/// Bytes that are read from the system at once. Hardly any head is longer.
const READ_SIZE: usize = 2 * 1024;
/// How often so many bytes are read and discarded when a connection is closed.
const MAX_DISCARDS: usize = 64;
/// With this, the library asks for the body of a request with `Expect`.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A request that the library cannot read, and its response to it.
#[derive(Debug)]
pub struct Unreadable<'a> {
    /// The status of the response.
    pub status: u16,
    /// Whether the response has no body.
    pub is_head: bool,
    /// The line of its head that has the date.
    pub date: &'a [u8],
}

/// Makes the bytes of the response that is sent instead of the library's.
pub type ErrorResponse = Rc<dyn Fn(&Unreadable<'_>) -> Bytes>;

/// What may be read of a connection. The stream and the service share it.
#[derive(Clone, Debug, Default)]
pub struct ReadGate(Rc<Cell<Admitted>>);

#[derive(Clone, Copy, Debug, Default)]
enum Admitted {
    /// As far as the next blank line.
    #[default]
    Head,
    /// So many bytes.
    Bytes(usize),
    /// The rest of a body in chunks.
    Chunks(Chunks),
    /// Nothing any more: what still comes is discarded.
    Nothing,
}

impl ReadGate {
    /// Lets nothing in: a response is being made.
    pub fn close(&self) {
        self.0.set(Admitted::Bytes(0));
    }

    /// Lets in a head.
    pub fn open(&self) {
        self.0.set(Admitted::Head);
    }

    /// Lets in a body of `length` bytes.
    pub fn admit(&self, length: usize) {
        self.0.set(Admitted::Bytes(length));
    }

    /// Lets in a body in chunks.
    pub fn admit_chunks(&self) {
        self.0.set(Admitted::Chunks(Chunks::START));
    }

    /// Lets nothing in for ever: the response that is made is the last one.
    pub fn end(&self) {
        self.0.set(Admitted::Nothing);
    }

    /// Whether a body in chunks has come whole.
    #[must_use]
    pub fn has_all_chunks(&self) -> bool {
        matches!(self.0.get(), Admitted::Chunks(Chunks::End))
    }

    /// Whether the chunks of a body are malformed, or trailers follow them. The library gets no more of it then.
    #[must_use]
    pub fn is_malformed(&self) -> bool {
        matches!(self.0.get(), Admitted::Chunks(Chunks::Malformed))
    }

    fn is_closed(&self) -> bool {
        matches!(self.0.get(), Admitted::Bytes(0) | Admitted::Chunks(Chunks::End | Chunks::Malformed))
    }
}

/// The stream of one connection.
pub struct Stream<S: AsyncRead + Unpin> {
    inner: BufReader<S>,
    gate: ReadGate,
    timeouts: Timeouts,
    head: Head,
    error_response: ErrorResponse,
    /// What is left to write of the response to a request that the library cannot read, which is the last one.
    last_response: Option<Bytes>,
    /// Whether this turn has read as far as a blank line.
    has_read: bool,
    /// Whether what is written next begins a response.
    begins_response: bool,
    /// Whether the library wanted to read and is to be called when it may.
    is_waiting: bool,
}

impl<S: AsyncRead + Unpin> Stream<S> {
    /// Creates the stream of a connection; `error_response` answers what the library cannot read.
    pub fn new(inner: S, error_response: ErrorResponse) -> Self {
        Self {
            inner: BufReader::with_capacity(READ_SIZE, inner),
            gate: ReadGate::default(),
            timeouts: Timeouts::new(),
            head: Head::default(),
            error_response,
            last_response: None,
            has_read: false,
            begins_response: true,
            is_waiting: false,
        }
    }

    /// Returns what decides what may be read.
    pub fn gate(&self) -> ReadGate {
        self.gate.clone()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.timeouts.phase() == Phase::Response || this.gate.is_closed() {
            this.is_waiting = true;
            return Poll::Pending;
        }
        if matches!(this.gate.0.get(), Admitted::Nothing) {
            return this.poll_close(context);
        }
        let Self { inner, gate, timeouts, head, has_read, begins_response, is_waiting, .. } = this;
        let bytes = ready!(Pin::new(&mut *inner).poll_fill_buf(context))?;
        if *has_read {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        let bytes = bytes.get(..buffer.remaining()).unwrap_or(bytes);
        if bytes.is_empty() {
            return Poll::Ready(Ok(()));
        }
        // A trickle is no progress: the time of the whole request is limited, not that of each of its bytes.
        if timeouts.phase() == Phase::Idle {
            timeouts.enter(Phase::Request);
        }
        let before = buffer.filled().len();
        buffer.put_slice(bytes);
        let length = match gate.0.get() {
            Admitted::Head => {
                let end = head.read(buffer.filled_mut().get_mut(before..).unwrap_or_default());
                *has_read = end.is_some();
                *begins_response = true;
                end.unwrap_or(bytes.len())
            }
            Admitted::Bytes(admitted) => {
                let length = admitted.min(bytes.len());
                gate.admit(admitted - length);
                length
            }
            Admitted::Chunks(chunks) => {
                let (length, next) = chunks.read(bytes);
                gate.0.set(Admitted::Chunks(next));
                length
            }
            Admitted::Nothing => 0,
        };
        buffer.set_filled(before + length);
        Pin::new(inner).consume(length);
        if length == 0 {
            // Without bytes, it would be the end of the connection to the library. The service sees that the body is
            // malformed.
            *is_waiting = true;
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream<S> {
    /// Writes some of `bytes`.
    fn poll_send(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let Self { inner, timeouts, has_read, .. } = self;
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

    /// Sends the last response, and ends the connection.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest) = self.last_response.clone().filter(|rest| !rest.is_empty()) {
            let length = ready!(self.poll_send(context, &rest))?;
            if length == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.last_response = Some(rest.slice(length..));
        }
        self.poll_close(context)
    }

    /// Tells the client that nothing more comes, and discards what it still sends until it ends the connection too or
    /// has had its time.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.timeouts.phase() != Phase::Closing {
            ready!(Pin::new(&mut self.inner).poll_shutdown(context))?;
            self.timeouts.close();
        }
        // First the time, so that a client that never stops sending has no more of it.
        while self.timeouts.poll(context).is_ok() {
            let bytes = match ready!(Pin::new(&mut self.inner).poll_fill_buf(context)) {
                Ok(bytes) if !bytes.is_empty() => bytes.len(),
                _ => break,
            };
            Pin::new(&mut self.inner).consume(bytes);
        }
        Poll::Ready(Ok(()))
    }
}

/// Returns the status and the date of `bytes`, which begin a response, if the library made them: a response without a
/// name and without a body. Like every short one, the library writes it at once.
fn made_by_library(bytes: &[u8]) -> Option<(u16, &[u8])> {
    const DATE: &[u8] = b"\r\ndate: ";
    let status = bytes.strip_prefix(b"HTTP/1.")?.get(2..5)?;
    if !matches!(status, [b'4' | b'5', ..]) || !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    if memmem::find(bytes, X_REQUEST_ID.as_bytes()).is_some() {
        return None;
    }
    let date = bytes.get(memmem::find(bytes, DATE)? + 2..)?;
    let date = date.get(..memmem::find(date, b"\r\n")?)?;
    Some((str::from_utf8(status).ok()?.parse().ok()?, date))
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.last_response.is_none() {
            let is_first = mem::take(&mut this.begins_response);
            // A body is not asked for when the response, which follows here, is already made.
            if is_first && bytes.len() > CONTINUE.len() && bytes.starts_with(CONTINUE) {
                this.begins_response = true;
                return Poll::Ready(Ok(CONTINUE.len()));
            }
            let made = if is_first { made_by_library(bytes) } else { None };
            let Some((status, date)) = made else { return this.poll_send(context, bytes) };
            let length = this.head.first_line();
            let status = match status {
                400 | 431 if length > MAX_TARGET_BYTES + AROUND_TARGET => 414,
                other => other,
            };
            let unreadable = Unreadable { status, is_head: this.head.is_head(), date };
            // Where nothing came, there is nothing to answer: browsers open connections that they may not need.
            let is_idle = status == 408 && length == 0;
            this.last_response = Some(if is_idle { Bytes::new() } else { (this.error_response)(&unreadable) });
        }
        ready!(this.poll_end(context))?;
        Poll::Ready(Ok(bytes.len()))
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
        let this = self.get_mut();
        if this.timeouts.phase() == Phase::Closing {
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut this.inner).poll_shutdown(context)
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
