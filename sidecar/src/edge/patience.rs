//! A stream that does not wait forever.
//!
//! The HTTP library bounds the first request head and idle connections. This bounds the rest: a later head or a body
//! that trickles in, and a client that asks and does not read. On the ordinary way, where a request arrives whole
//! and its answer is taken, no timer is made.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

/// How long a client may take from the first octet of a request to its last, the answer included.
const REQUEST: Duration = Duration::from_secs(30);
/// How long a client may take to read the next part of an answer.
const WRITE: Duration = Duration::from_secs(30);

/// A stream with bounded patience.
pub(crate) struct Patient<S> {
    stream: S,
    /// Whether something was read to which nothing was written yet.
    unanswered: bool,
    /// Runs while the client is waited for.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S) -> Self {
        Self { stream, unanswered: false, timer: None }
    }

    /// Lets the timer run for `time` if none runs, and fails when it is over.
    fn wait(&mut self, time: Duration, context: &mut Context<'_>) -> io::Result<()> {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(time)));
        match timer.as_mut().poll(context) {
            Poll::Ready(()) => Err(io::ErrorKind::TimedOut.into()),
            Poll::Pending => Ok(()),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if let Some(timer) = &mut self.timer
            && timer.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        self.unanswered |= buffer.filled().len() > before;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match Pin::new(&mut self.stream).poll_write(context, bytes) {
            Poll::Ready(written) => {
                self.unanswered = false;
                self.timer = None;
                Poll::Ready(written)
            }
            Poll::Pending => {
                self.wait(WRITE, context)?;
                Poll::Pending
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The HTTP library flushes at the end of every turn: whatever is unanswered now is being waited for.
        if self.unanswered {
            self.wait(REQUEST, context)?;
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    fn with_paused_time(test: impl Future<Output = ()>) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(test);
    }

    /// One turn of a connection that has nothing to write.
    async fn turn(stream: &mut Patient<tokio::io::DuplexStream>) -> io::Result<usize> {
        let mut byte = [0; 64];
        poll_fn(|context| {
            let mut buffer = ReadBuf::new(&mut byte);
            let read = Pin::new(&mut *stream).poll_read(context, &mut buffer)?;
            let length = buffer.filled().len();
            let flushed = Pin::new(&mut *stream).poll_flush(context)?;
            if read.is_ready() && flushed.is_ready() { Poll::Ready(Ok(length)) } else { Poll::Pending }
        })
        .await
    }

    #[test]
    fn half_a_request_is_given_up() {
        with_paused_time(async {
            let (mut client, server) = duplex(64);
            let mut server = Patient::new(server);
            client.write_all(b"GET / HT").await.unwrap();
            assert_eq!(turn(&mut server).await.unwrap(), 8);
            assert_eq!(turn(&mut server).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        });
    }

    #[test]
    fn an_answer_ends_the_wait() {
        with_paused_time(async {
            let (mut client, server) = duplex(64);
            let mut server = Patient::new(server);
            client.write_all(b"ping").await.unwrap();
            turn(&mut server).await.unwrap();
            server.write_all(b"pong").await.unwrap();
            tokio::time::sleep(REQUEST * 2).await;
            client.write_all(b"ping").await.unwrap();
            assert_eq!(turn(&mut server).await.unwrap(), 4);
        });
    }

    #[test]
    fn a_client_that_does_not_read_is_given_up() {
        with_paused_time(async {
            let (_client, server) = duplex(4);
            let mut server = Patient::new(server);
            assert_eq!(server.write_all(b"too much").await.unwrap_err().kind(), io::ErrorKind::TimedOut);
        });
    }

    #[test]
    fn an_idle_connection_is_left_to_the_keep_alive() {
        with_paused_time(async {
            let (mut client, server) = duplex(64);
            let mut server = Patient::new(server);
            let write = async {
                tokio::time::sleep(REQUEST * 3).await;
                client.write_all(b"late").await.unwrap();
                client
            };
            let read = async {
                let mut text = [0; 4];
                server.read_exact(&mut text).await.unwrap();
                text
            };
            let (_client, text) = tokio::join!(write, read);
            assert_eq!(&text, b"late");
        });
    }
}
