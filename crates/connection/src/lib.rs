//! The stream of one connection, between the HTTP library and the system.
//!
//! **The library gets one request at a time.** It would decode all pipelined requests before it writes the first
//! response, and would frame that response by the method of the last request (RFC 9112, 9.3.2). So one turn of the
//! connection reads to the next blank line, which ends a head, and then nothing until the response is written; further
//! requests wait in the system. Meanwhile [`ReadGate`] admits the body of the request. Without this, 8 tests in
//! `tests/suite/connections.rs` fail, first `pipelined_requests_are_answered_completely_and_in_order`.
//!
//! **Waiting is limited.** The library limits only the time of the first head. [`Timeouts`] limits idle connections,
//! later heads, bodies, and clients that do not read (`src/tests.rs`).
//!
//! **A connection closes only after arrived bytes are read.** The system resets a connection that is closed with unread
//! bytes, and the client may lose the response (RFC 9112, 9.6; test
//! `last_refusal_arrives_despite_unread_bytes`).
//!
//! **Unreadable requests get the service's error responses.** The library's own have neither a body nor a request ID;
//! [`MakeErrorResponse`] replaces them, and the connection ends.
//!
//! **Framing is stricter than in the library.** A bare line feed ends no line of a head, and only a blank line follows
//! the last chunk of a body. The library skips trailers, in which a proxy may see a request.

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
    head::HeadReader,
    timeouts::{Phase, Timeouts},
};

/// The longest request target, in bytes; longer ones get the status 414.
pub const MAX_TARGET_BYTES: usize = 8 * 1024;

/// The most bytes of a request line without its target: method, version, two spaces and a carriage return.
const AROUND_TARGET: usize = "OPTIONS  HTTP/1.1\r".len();

/// Bytes read from the system at once. Hardly any head is longer.
const READ_SIZE: usize = 2 * 1024;
/// The most reads whose bytes are discarded when a connection is dropped.
const MAX_DISCARDS: usize = 64;
/// The library's interim response to a request with `Expect`.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// A request that the library cannot read, and the library's response.
#[derive(Debug)]
pub struct UnreadableRequest<'a> {
    pub status: u16,
    /// Whether the response has no body.
    pub is_head: bool,
    /// The field line `date`.
    pub date: &'a [u8],
}

/// Returns the bytes of the response that replaces the library's.
pub type MakeErrorResponse = Rc<dyn Fn(&UnreadableRequest<'_>) -> Bytes>;

/// Controls what may be read of a connection. The stream and the service share it.
#[derive(Clone, Debug, Default)]
pub struct ReadGate(Rc<Cell<ReadAllowance>>);

#[derive(Clone, Copy, Debug, Default)]
enum ReadAllowance {
    /// Bytes up to the next blank line.
    #[default]
    Head,
    Bytes(usize),
    /// The rest of a chunked body.
    Chunks(Chunks),
    /// Nothing: further bytes are discarded.
    Nothing,
}

impl ReadGate {
    /// Admits nothing while a response is made.
    pub fn close(&self) {
        self.0.set(ReadAllowance::Bytes(0));
    }

    /// Admits a head.
    pub fn open(&self) {
        self.0.set(ReadAllowance::Head);
    }

    pub fn admit(&self, length: usize) {
        self.0.set(ReadAllowance::Bytes(length));
    }

    pub fn admit_chunks(&self) {
        self.0.set(ReadAllowance::Chunks(Chunks::START));
    }

    /// Admits nothing any more: the current response is the last one.
    pub fn end(&self) {
        self.0.set(ReadAllowance::Nothing);
    }

    /// Whether a chunked body is complete.
    pub fn has_all_chunks(&self) -> bool {
        matches!(self.0.get(), ReadAllowance::Chunks(Chunks::End))
    }

    /// Whether a chunked body is malformed or has trailers; the library gets no more of it.
    pub fn is_malformed(&self) -> bool {
        matches!(self.0.get(), ReadAllowance::Chunks(Chunks::Malformed))
    }

    fn is_closed(&self) -> bool {
        matches!(self.0.get(), ReadAllowance::Bytes(0) | ReadAllowance::Chunks(Chunks::End | Chunks::Malformed))
    }
}

/// The stream of one connection, between the HTTP library and the system.
pub struct Stream<S: AsyncRead + Unpin> {
    inner: BufReader<S>,
    gate: ReadGate,
    timeouts: Timeouts,
    head: HeadReader,
    error_response: MakeErrorResponse,
    /// The unwritten rest of the last response, which answers an unreadable request.
    last_response: Option<Bytes>,
    /// Whether this turn has read to a blank line.
    has_read: bool,
    /// Whether the next write begins a response.
    begins_response: bool,
    /// Whether the library waits to read and must be woken.
    is_waiting: bool,
}

impl<S: AsyncRead + Unpin> Stream<S> {
    /// Creates the stream of a connection; `error_response` answers what the library cannot read.
    pub fn new(inner: S, error_response: MakeErrorResponse) -> Self {
        Self {
            inner: BufReader::with_capacity(READ_SIZE, inner),
            gate: ReadGate::default(),
            timeouts: Timeouts::new(),
            head: HeadReader::default(),
            error_response,
            last_response: None,
            has_read: false,
            begins_response: true,
            is_waiting: false,
        }
    }

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
        if matches!(this.gate.0.get(), ReadAllowance::Nothing) {
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
        // The limit applies to the whole request, so that a trickle of bytes does not extend it.
        if timeouts.phase() == Phase::Idle {
            timeouts.enter(Phase::Request);
        }
        let before = buffer.filled().len();
        buffer.put_slice(bytes);
        let length = match gate.0.get() {
            ReadAllowance::Head => {
                let end = head.read(buffer.filled_mut().get_mut(before..).unwrap_or_default());
                *has_read = end.is_some();
                *begins_response = true;
                end.unwrap_or(bytes.len())
            }
            ReadAllowance::Bytes(admitted) => {
                let length = admitted.min(bytes.len());
                gate.admit(admitted - length);
                length
            }
            ReadAllowance::Chunks(chunks) => {
                let (length, next) = chunks.read(bytes);
                gate.0.set(ReadAllowance::Chunks(next));
                length
            }
            ReadAllowance::Nothing => 0,
        };
        buffer.set_filled(before + length);
        Pin::new(inner).consume(length);
        if length == 0 {
            // Zero bytes would mean the end of the connection to the library. The service detects the malformed body.
            *is_waiting = true;
            return Poll::Pending;
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream<S> {
    /// Writes some of `bytes`, and tracks the phase.
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

    /// Writes the last response and ends the connection.
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

    /// Shuts down writing, and discards further bytes until the client closes the connection or the time is over.
    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.timeouts.phase() != Phase::Closing {
            ready!(Pin::new(&mut self.inner).poll_shutdown(context))?;
            self.timeouts.close();
        }
        // Check the time first, so that a client that never stops sending is closed too.
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

/// Returns the status and the date line of `bytes`, the start of a response, if the library made it: an error without a
/// request ID and a body. The library writes such a short response in one call.
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
            // The final response follows in the same write, so drop the interim one.
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
            let unreadable = UnreadableRequest { status, is_head: this.head.is_head(), date };
            // An unused connection gets no response: browsers open connections in advance.
            let is_idle = status == 408 && length == 0;
            this.last_response = Some(if is_idle { Bytes::new() } else { (this.error_response)(&unreadable) });
        }
        ready!(this.poll_end(context))?;
        Poll::Ready(Ok(bytes.len()))
    }

    /// Flushes, which the library does at the end of every turn.
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
