//! A stream that does not wait forever.
//!
//! The HTTP library bounds the first request head only. This bounds everything else: an idle connection, a later
//! head or a body that trickles in, and a client that asks and does not read.
//!
//! Each connection has one timer that ticks slowly for as long as the connection lives; waiting is counted in ticks.
//! So a request that arrives whole and whose answer is taken sets two flags and touches no timer, where the library's
//! own keep-alive would make, register and drop one for every request.

use std::{
    io, mem,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

use super::delivery::Tail;

/// Time between two ticks. A bound of `n` ticks is met between `n - 1` and `n` times this long after the start.
const TICK: Duration = Duration::from_secs(10);
/// How long a client may take from the first octet of a request to its last, the answer's making included.
const REQUEST_TICKS: u8 = 4;
/// How long a client may take to read the next part of an answer.
const ANSWER_TICKS: u8 = 4;
/// How long an idle connection is kept: longer than the 60 s of common proxies, which then never meet a closed one.
const IDLE_TICKS: u8 = 8;

/// A stream with bounded patience.
pub(crate) struct Patient<S> {
    stream: S,
    timer: Pin<Box<Sleep>>,
    waiting: Waiting,
    /// Ticks since `waiting` last changed or made progress.
    ticks: u8,
    /// Whether this turn of the connection began with octets of the client; then no tick can be due that matters.
    fresh: bool,
    /// Whether the timer knows whom to wake.
    ticking: bool,
    tail: Tail,
    /// Whether an answer began in this turn: the library then asks for the end of its body by itself.
    begun: bool,
}

/// What the client owes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    /// Nothing: it may ask again or leave.
    Idle,
    /// The rest of a request, unless it is the service that is at work.
    Request,
    /// Room for the rest of an answer.
    Answer,
}

impl<S> Patient<S> {
    pub(crate) fn new(stream: S) -> Self {
        let timer = Box::pin(sleep(TICK));
        let tail = Tail::default();
        Self { stream, timer, waiting: Waiting::Idle, ticks: 0, fresh: false, ticking: false, tail, begun: false }
    }

    /// What this stream writes behind the octets it is given.
    pub(crate) fn tail(&self) -> Tail {
        self.tail.clone()
    }

    fn wait_for(&mut self, what: Waiting) {
        self.waiting = what;
        self.ticks = 0;
    }

    /// Counts a tick that is due, and fails when the patience is at an end.
    fn tick(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        self.ticking = true;
        while self.timer.as_mut().poll(context).is_ready() {
            self.ticks += 1;
            let most = match self.waiting {
                Waiting::Idle => IDLE_TICKS,
                Waiting::Request => REQUEST_TICKS,
                Waiting::Answer => ANSWER_TICKS,
            };
            if self.ticks >= most {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let next = Instant::now() + TICK;
            self.timer.as_mut().reset(next);
        }
        Ok(())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let Poll::Ready(result) = Pin::new(&mut self.stream).poll_read(context, buffer) else {
            if !self.fresh {
                self.tick(context)?;
            }
            return Poll::Pending;
        };
        if buffer.filled().len() > before {
            self.fresh = true;
            // What trickles in is no progress: the whole request is bounded, not each of its octets.
            if self.waiting == Waiting::Idle {
                self.wait_for(Waiting::Request);
            }
        }
        Poll::Ready(result)
    }
}

impl<S: AsyncWrite + Unpin> Patient<S> {
    fn count(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.wait_for(Waiting::Idle);
            return written;
        }
        if self.waiting != Waiting::Answer {
            self.wait_for(Waiting::Answer);
        }
        self.fresh = false;
        self.tick(context)?;
        Poll::Pending
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if !self.tail.is_empty() {
            // Written with what goes behind it, when the library flushes.
            self.tail.begin(bytes);
            self.begun = true;
            return Poll::Ready(Ok(bytes.len()));
        }
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.count(context, written)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let begun = mem::take(&mut self.begun);
        while !self.tail.is_empty() {
            let Self { stream, tail, .. } = &mut *self;
            let written = tail.write(|parts| match parts {
                [part] => Pin::new(stream).poll_write(context, part),
                parts => Pin::new(stream).poll_write_vectored(context, parts),
            });
            let count = ready!(self.count(context, written))?;
            if count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            if self.tail.is_empty() && !begun {
                // The body that waits for this learns of it in the next turn.
                context.waker().wake_by_ref();
            }
        }
        // The HTTP library flushes at the end of every turn.
        self.fresh = false;
        // A tick that came with octets of the client in one turn was looked at by nobody, and would be the last one.
        if !self.ticking || self.timer.is_elapsed() {
            self.tick(context)?;
        }
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        future::poll_fn,
        sync::{
            Arc,
            atomic::{AtomicUsize, Ordering},
        },
        task::{Wake, Waker},
    };

    use bytes::Bytes;
    use tokio::{
        io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
        time::{sleep, timeout},
    };

    use super::*;
    use crate::edge::fields::Head;

    fn with_paused_time(test: impl Future<Output = ()>) {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder.enable_time().start_paused(true).build().unwrap().block_on(test);
    }

    /// Turns of a connection that has nothing to write, until it read something or lost its patience.
    async fn turns(stream: &mut Patient<DuplexStream>) -> io::Result<usize> {
        let mut octets = [0; 64];
        poll_fn(|context| {
            let mut buffer = ReadBuf::new(&mut octets);
            let read = Pin::new(&mut *stream).poll_read(context, &mut buffer)?;
            let length = buffer.filled().len();
            let flushed = Pin::new(&mut *stream).poll_flush(context)?;
            if read.is_ready() && flushed.is_ready() { Poll::Ready(Ok(length)) } else { Poll::Pending }
        })
        .await
    }

    fn is_timeout<T>(result: io::Result<T>) -> bool {
        result.is_err_and(|error| error.kind() == io::ErrorKind::TimedOut)
    }

    #[test]
    fn half_a_request_is_given_up() {
        with_paused_time(async {
            let (mut client, server) = duplex(64);
            let mut server = Patient::new(server);
            client.write_all(b"GET / HT").await.unwrap();
            assert_eq!(turns(&mut server).await.unwrap(), 8);
            let start = Instant::now();
            assert!(is_timeout(turns(&mut server).await));
            assert!(start.elapsed() <= TICK * u32::from(REQUEST_TICKS) + TICK);
        });
    }

    #[test]
    fn a_request_that_trickles_in_is_given_up_too() {
        with_paused_time(async {
            let (mut client, server) = duplex(64);
            let mut server = Patient::new(server);
            let trickle = async {
                loop {
                    if client.write_all(b"x").await.is_err() {
                        return;
                    }
                    sleep(TICK / 4).await;
                }
            };
            let read = async { while turns(&mut server).await.is_ok() {} };
            tokio::select! {
                () = trickle => panic!("nobody lost patience"),
                () = read => {}
            }
        });
    }

    #[test]
    fn an_answer_makes_the_connection_idle_again() {
        with_paused_time(async {
            let (mut client, server) = duplex(64);
            let mut server = Patient::new(server);
            for _ in 0..3 {
                client.write_all(b"ping").await.unwrap();
                assert_eq!(turns(&mut server).await.unwrap(), 4);
                server.write_all(b"pong").await.unwrap();
                let more = async {
                    sleep(TICK * u32::from(IDLE_TICKS - 2)).await;
                    client.write_all(b"ping").await.unwrap();
                };
                let (read, ()) = tokio::join!(turns(&mut server), more);
                assert_eq!(read.unwrap(), 4);
                server.write_all(b"pong").await.unwrap();
            }
        });
    }

    #[test]
    fn an_idle_connection_is_closed_in_the_end() {
        with_paused_time(async {
            let (_client, server) = duplex(64);
            let mut server = Patient::new(server);
            let start = Instant::now();
            assert!(is_timeout(turns(&mut server).await));
            let time = start.elapsed();
            assert!(time > Duration::from_mins(1) && time <= TICK * u32::from(IDLE_TICKS) + TICK, "{time:?}");
        });
    }

    #[test]
    fn a_client_that_does_not_read_is_given_up() {
        with_paused_time(async {
            let (_client, server) = duplex(4);
            let mut server = Patient::new(server);
            assert!(is_timeout(server.write_all(b"too much").await));
        });
    }

    /// A connection as the HTTP library treats it: in every turn it reads all that is there, and flushes.
    async fn served(mut stream: Patient<DuplexStream>) -> io::Result<()> {
        let mut octets = [0; 64];
        poll_fn(|context| {
            while Pin::new(&mut stream).poll_read(context, &mut ReadBuf::new(&mut octets))?.is_ready() {}
            let flushed = Pin::new(&mut stream).poll_flush(context)?;
            assert!(flushed.is_ready(), "nothing is there to be written");
            Poll::Pending
        })
        .await
    }

    #[test]
    fn half_a_request_that_comes_with_a_tick_is_given_up_too() {
        for seconds in [TICK.as_secs() - 1, TICK.as_secs()] {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_time()
                .start_paused(true)
                .build_local(tokio::runtime::LocalOptions::default());
            runtime.unwrap().block_on(async {
                let (mut client, server) = duplex(64);
                let server = tokio::task::spawn_local(served(Patient::new(server)));
                // It ends in the same turn of the clock as the tick, and goes first.
                sleep(Duration::from_secs(seconds)).await;
                client.write_all(b"GET / HT").await.unwrap();
                let most = TICK * u32::from(REQUEST_TICKS) + TICK;
                let ended = timeout(most, server).await;
                assert!(is_timeout(ended.expect("nobody lost patience").unwrap()), "{seconds} s");
            });
        }
    }

    /// Counts how often a task was woken.
    #[derive(Default)]
    struct Wakes(AtomicUsize);

    impl Wake for Wakes {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn counting() -> (Arc<Wakes>, Waker) {
        let count = Arc::new(Wakes::default());
        (Arc::clone(&count), Waker::from(count))
    }

    #[test]
    fn an_answer_is_written_with_what_goes_behind_it() {
        with_paused_time(async {
            let (mut client, server) = duplex(64);
            let mut server = Patient::new(server);
            let (count, waker) = counting();
            let mut context = Context::from_waker(&waker);
            server.tail().put(Head::begin([b"a: 1\r\n\r\n", b"", b"", b""]), Bytes::from_static(b"body"));
            let head = b"HTTP/1.1 200 OK\r\n\r\n";
            assert!(matches!(Pin::new(&mut server).poll_write(&mut context, head), Poll::Ready(Ok(19))));
            assert!(timeout(TICK / 2, client.read_u8()).await.is_err(), "nothing is written before the flush");
            assert!(Pin::new(&mut server).poll_flush(&mut context).is_ready());
            // The library asks for the end of the body in this turn.
            assert_eq!(count.0.load(Ordering::Relaxed), 0);
            let mut octets = [0; 29];
            client.read_exact(&mut octets).await.unwrap();
            assert_eq!(&octets, b"HTTP/1.1 200 OK\r\na: 1\r\n\r\nbody");
        });
    }

    #[test]
    fn an_answer_that_ends_in_a_later_turn_wakes_its_task() {
        with_paused_time(async {
            let (mut client, server) = duplex(16);
            let mut server = Patient::new(server);
            let (count, waker) = counting();
            let mut context = Context::from_waker(&waker);
            server.tail().put(Head::default(), Bytes::from_static(b"a body"));
            let head = b"HTTP/1.1 200 OK\r\n\r\n";
            assert!(Pin::new(&mut server).poll_write(&mut context, head).is_ready());
            assert!(Pin::new(&mut server).poll_flush(&mut context).is_pending());
            let mut octets = [0; 25];
            client.read_exact(&mut octets[..16]).await.unwrap();
            let before = count.0.load(Ordering::Relaxed);
            assert!(Pin::new(&mut server).poll_flush(&mut context).is_ready());
            assert_eq!(count.0.load(Ordering::Relaxed), before + 1);
            client.read_exact(&mut octets[16..]).await.unwrap();
            assert_eq!(&octets, b"HTTP/1.1 200 OK\r\n\r\na body");
        });
    }

    #[test]
    fn what_is_read_arrives_unchanged() {
        with_paused_time(async {
            let (mut client, server) = duplex(64);
            let mut server = Patient::new(server);
            client.write_all(b"unchanged").await.unwrap();
            let mut text = [0; 9];
            server.read_exact(&mut text).await.unwrap();
            assert_eq!(&text, b"unchanged");
        });
    }
}
