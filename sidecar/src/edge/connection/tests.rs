use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Wake, Waker},
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
    time::{Instant, sleep, timeout},
};

use super::{
    patience::{ANSWER_TICKS, IDLE_TICKS, REQUEST_TICKS, TICK},
    tail::COPIED,
    *,
};
use crate::edge::head::Head;

/// A request that comes again and again.
const REPEATED: &[u8] = b"GET / HTTP/1.1\r\n\r\n";
/// One that was never heard of.
const NEW: &[u8] = b"GET /new HTTP/1.1\r\n\r\n";

/// The length of a body that goes beside its head.
const LONG: usize = COPIED + 1;

/// Knows the answer to one request: a head, and this body.
struct OneAnswer(Bytes);

impl Memory for OneAnswer {
    fn recall(&self, request: &[u8]) -> Known<Whole> {
        if request != REPEATED {
            return Known::Again;
        }
        let head = Head::begin([b"known\r\n\r\n", b"", b"", b""]);
        Known::Answer(Whole { head, body: self.0.clone(), pages: Pages::of(&self.0) })
    }
}

impl Stream for DuplexStream {
    fn try_send(&self, _: &[u8], _: &Pages) -> Option<usize> {
        None
    }
}

type Served<S = DuplexStream> = Connection<S, OneAnswer>;

/// Returns a client and its connection, with room for `most` octets each way.
fn connected(most: usize) -> (DuplexStream, Served) {
    let (client, server) = duplex(most);
    (client, Connection::new(server, std::future::pending(), OneAnswer(Bytes::from_static(b"body"))))
}

fn with_paused_time(test: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().unwrap().block_on(test);
}

/// Takes turns of a connection that has nothing to write, until it reads something or loses its patience.
async fn turns(stream: &mut Served) -> io::Result<usize> {
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
        let (mut client, mut server) = connected(64);
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
        let (mut client, mut server) = connected(64);
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
        let (mut client, mut server) = connected(64);
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
        let (_client, mut server) = connected(64);
        let start = Instant::now();
        assert!(is_timeout(turns(&mut server).await));
        let time = start.elapsed();
        assert!(time > Duration::from_mins(1) && time <= TICK * u32::from(IDLE_TICKS) + TICK, "{time:?}");
    });
}

#[test]
fn a_client_that_does_not_read_is_given_up() {
    with_paused_time(async {
        let (_client, mut server) = connected(4);
        let start = Instant::now();
        assert!(is_timeout(server.write_all(b"too much").await));
        let time = start.elapsed();
        let most = TICK * u32::from(ANSWER_TICKS);
        assert!(time > most / 2 && time <= most, "{time:?}");
    });
}

/// Treats a connection as the HTTP library does: in every turn it reads all that is there, and flushes.
async fn served(mut stream: Served) -> io::Result<()> {
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
            let (mut client, server) = connected(64);
            let server = tokio::task::spawn_local(served(server));
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
        let (mut client, mut server) = connected(64);
        let (count, waker) = counting();
        let mut context = Context::from_waker(&waker);
        server.tail.put(Head::begin([b"a: 1\r\n\r\n", b"", b"", b""]), Bytes::from_static(b"body"));
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
        let (mut client, mut server) = connected(16);
        let (count, waker) = counting();
        let mut context = Context::from_waker(&waker);
        server.tail.put(Head::default(), Bytes::from_static(b"a body"));
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
        let (mut client, mut server) = connected(64);
        client.write_all(b"unchanged").await.unwrap();
        let mut text = [0; 9];
        server.read_exact(&mut text).await.unwrap();
        assert_eq!(&text, b"unchanged");
    });
}

/// Returns what one look of a reader finds: octets, or nothing for now.
fn read_once(server: &mut Served, context: &mut Context<'_>, most: usize) -> Option<usize> {
    let mut octets = vec![0; most];
    let mut buffer = ReadBuf::new(&mut octets);
    match Pin::new(server).poll_read(context, &mut buffer) {
        Poll::Ready(result) => {
            result.unwrap();
            Some(buffer.filled().len())
        }
        Poll::Pending => None,
    }
}

/// Ends a turn in which nothing is in the way any more, and takes one more turn, in which what waited is answered.
fn opens(server: &mut Served, count: &Wakes, context: &mut Context<'_>) {
    for _ in 0..2 {
        assert_eq!(read_once(server, context, 64), None);
        let before = count.0.load(Ordering::Relaxed);
        assert!(Pin::new(&mut *server).poll_flush(context).is_ready());
        assert!(count.0.load(Ordering::Relaxed) > before, "who may go on is called");
    }
}

#[test]
fn one_turn_reads_a_little_and_the_next_goes_on() {
    const MOST: usize = MOST_READ as usize;
    with_paused_time(async {
        let (mut client, mut server) = connected(4 * MOST);
        let (count, waker) = counting();
        let mut context = Context::from_waker(&waker);
        client.write_all(&[b'x'; 2 * MOST + 5]).await.unwrap();
        for expected in [MOST, MOST, 5] {
            let before = count.0.load(Ordering::Relaxed);
            let mut read = 0;
            // First into less room than may be read, then into more.
            while let Some(more) = read_once(&mut server, &mut context, if read == 0 { 1000 } else { 100_000 }) {
                read += more;
            }
            assert_eq!(read, expected);
            let is_called = count.0.load(Ordering::Relaxed) > before;
            assert_eq!(is_called, expected == MOST, "who did not read all is called again");
            assert!(Pin::new(&mut server).poll_flush(&mut context).is_ready());
        }
    });
}

#[test]
fn from_a_client_that_does_not_read_nothing_is_read() {
    with_paused_time(async {
        let (mut client, mut server) = connected(64);
        let (count, waker) = counting();
        let mut context = Context::from_waker(&waker);
        server.tail.put(Head::default(), vec![b'x'; 100].into());
        assert!(Pin::new(&mut server).poll_write(&mut context, b"\r\n").is_ready());
        assert!(Pin::new(&mut server).poll_flush(&mut context).is_pending());
        client.write_all(b"more").await.unwrap();
        for _ in 0..3 {
            let before = count.0.load(Ordering::Relaxed);
            assert_eq!(read_once(&mut server, &mut context, 64), None);
            assert!(Pin::new(&mut server).poll_flush(&mut context).is_pending());
            assert_eq!(count.0.load(Ordering::Relaxed), before, "nobody runs for nothing");
        }
        let mut octets = [0; 64];
        client.read_exact(&mut octets).await.unwrap();
        opens(&mut server, &count, &mut context);
        assert_eq!(read_once(&mut server, &mut context, 64), Some(4));
    });
}

#[test]
fn while_an_answer_is_in_the_making_nothing_is_read_and_time_passes() {
    with_paused_time(async {
        let (mut client, mut server) = connected(64);
        let (count, waker) = counting();
        let mut context = Context::from_waker(&waker);
        client.write_all(b"ask").await.unwrap();
        assert_eq!(read_once(&mut server, &mut context, 64), Some(3));
        server.tail.set_in_the_making(true);
        client.write_all(b"more").await.unwrap();
        for _ in 0..3 {
            assert!(Pin::new(&mut server).poll_flush(&mut context).is_ready());
            let before = count.0.load(Ordering::Relaxed);
            assert_eq!(read_once(&mut server, &mut context, 64), None);
            assert!(Pin::new(&mut server).poll_flush(&mut context).is_ready());
            assert_eq!(count.0.load(Ordering::Relaxed), before, "nobody runs for nothing");
        }
        server.tail.put(Head::default(), Bytes::new());
        opens(&mut server, &count, &mut context);
        assert_eq!(read_once(&mut server, &mut context, 64), Some(4));
        server.tail.set_in_the_making(true);
        assert!(Pin::new(&mut server).poll_flush(&mut context).is_ready());
        let start = Instant::now();
        assert!(is_timeout(turns(&mut server).await));
        let time = start.elapsed();
        assert!(time > TICK && time <= TICK * u32::from(REQUEST_TICKS) + TICK, "{time:?}");
    });
}

/// Has the library answer a head that it was given; returns the octets of its request if they may be remembered.
fn library_answers(server: &mut Served, context: &mut Context<'_>) -> Option<Box<[u8]>> {
    let octets = server.tail.take_asked();
    server.tail.put(Head::begin([b"fields\r\n\r\n", b"", b"", b""]), Bytes::new());
    assert!(Pin::new(&mut *server).poll_write(context, b"library\r\n\r\n").is_ready());
    assert!(Pin::new(&mut *server).poll_flush(context).is_ready());
    octets
}

/// Reads what a client was sent until now.
fn received(client: &mut DuplexStream) -> String {
    let mut octets = [0; 4096];
    let mut buffer = ReadBuf::new(&mut octets);
    let _ = Pin::new(client).poll_read(&mut Context::from_waker(Waker::noop()), &mut buffer);
    String::from_utf8_lossy(buffer.filled()).into_owned()
}

#[test]
fn what_is_known_is_answered_and_the_library_reads_nothing_of_it() {
    with_paused_time(async {
        let (mut client, mut server) = connected(4096);
        let (_, waker) = counting();
        let mut context = Context::from_waker(&waker);
        client.write_all(NEW).await.unwrap();
        assert_eq!(read_once(&mut server, &mut context, 64), Some(NEW.len()), "the first is always the library's");
        assert_eq!(library_answers(&mut server, &mut context), None);
        assert_eq!(received(&mut client), "library\r\nfields\r\n\r\n");
        for _ in 0..3 {
            client.write_all(REPEATED).await.unwrap();
            assert_eq!(read_once(&mut server, &mut context, 64), None);
            assert!(Pin::new(&mut server).poll_flush(&mut context).is_ready());
            assert_eq!(received(&mut client), "known\r\n\r\nbody");
        }
        client.write_all(NEW).await.unwrap();
        assert_eq!(read_once(&mut server, &mut context, 64), Some(NEW.len()));
        assert_eq!(library_answers(&mut server, &mut context).as_deref(), Some(NEW), "it came before");
        client.write_all(REPEATED).await.unwrap();
        assert_eq!(read_once(&mut server, &mut context, 64), None);
    });
}

#[test]
fn only_where_a_request_begins_is_anything_answered_that_is_known() {
    const HAS_BODY: bool = true;
    let cases: [(&str, &[&[u8]], bool); 5] = [
        ("the first of a connection", &[], !HAS_BODY),
        ("a body", &[NEW], HAS_BODY),
        ("the end of a head", &[b"GET /x HTTP/1.1\r\na: "], !HAS_BODY),
        ("what follows something sent ahead", &[&[NEW, NEW].concat()], !HAS_BODY),
        ("what comes before the answer", &[NEW], !HAS_BODY),
    ];
    with_paused_time(async {
        for (name, before, has_body) in cases {
            for is_later in [false, true] {
                let (mut client, mut server) = connected(4096);
                let mut context = Context::from_waker(Waker::noop());
                if is_later && !before.is_empty() {
                    client.write_all(NEW).await.unwrap();
                    assert_eq!(read_once(&mut server, &mut context, 64), Some(NEW.len()));
                    library_answers(&mut server, &mut context);
                    received(&mut client);
                }
                for part in before {
                    client.write_all(part).await.unwrap();
                    assert_eq!(read_once(&mut server, &mut context, 64), Some(part.len()), "{name}");
                }
                if has_body {
                    server.tail.leave_to_library();
                }
                client.write_all(REPEATED).await.unwrap();
                assert_eq!(read_once(&mut server, &mut context, 64), Some(REPEATED.len()), "{name}");
                assert_eq!(received(&mut client), "", "{name}");
                if !before.is_empty() {
                    assert!(server.tail.take_asked().is_none(), "{name}: whatever is answered now is not remembered");
                }
            }
        }
    });
}

#[test]
fn a_known_answer_that_is_not_read_waits_and_then_the_connection_goes_on() {
    with_paused_time(async {
        let (mut client, mut server) = connected(64);
        server.memory = OneAnswer(vec![b'x'; LONG].into());
        let mut context = Context::from_waker(Waker::noop());
        client.write_all(NEW).await.unwrap();
        assert_eq!(read_once(&mut server, &mut context, 64), Some(NEW.len()));
        library_answers(&mut server, &mut context);
        received(&mut client);
        client.write_all(REPEATED).await.unwrap();
        assert_eq!(read_once(&mut server, &mut context, 64), None);
        assert!(Pin::new(&mut server).poll_flush(&mut context).is_pending());
        client.write_all(NEW).await.unwrap();
        let mut text = String::new();
        let mut is_written = false;
        for _ in 0..LONG {
            assert!(is_written || read_once(&mut server, &mut context, 64).is_none(), "nothing is read meanwhile");
            is_written |= Pin::new(&mut server).poll_flush(&mut context).is_ready();
            text += &received(&mut client);
            if text.len() > LONG {
                break;
            }
            tokio::task::yield_now().await;
        }
        assert_eq!(text, format!("known\r\n\r\n{}", "x".repeat(LONG)));
        let mut read = None;
        for _ in 0..3 {
            read = read.or(read_once(&mut server, &mut context, 64));
            assert!(Pin::new(&mut server).poll_flush(&mut context).is_ready());
        }
        assert_eq!(read, Some(NEW.len()));
    });
}

#[test]
fn who_does_not_read_what_is_known_is_given_up() {
    with_paused_time(async {
        let (mut client, mut server) = connected(64);
        server.memory = OneAnswer(vec![b'x'; LONG].into());
        client.write_all(NEW).await.unwrap();
        assert_eq!(turns(&mut server).await.unwrap(), NEW.len());
        library_answers(&mut server, &mut Context::from_waker(Waker::noop()));
        received(&mut client);
        client.write_all(REPEATED).await.unwrap();
        let start = Instant::now();
        assert!(is_timeout(turns(&mut server).await));
        let (time, most) = (start.elapsed(), TICK * u32::from(ANSWER_TICKS) + TICK);
        assert!(time > most / 2 && time <= most, "{time:?}");
    });
}

#[test]
fn at_the_end_of_the_service_the_library_answers_what_is_known_too() {
    // Another thread is another worker, which this test ends.
    let worker = std::thread::spawn(|| {
        with_paused_time(async {
            let (mut client, server) = duplex(4096);
            let (ends, end) = tokio::sync::oneshot::channel::<()>();
            let ending = async move { end.await.unwrap_or_default() };
            let mut server = Connection::new(server, ending, OneAnswer(Bytes::from_static(b"body")));
            let mut context = Context::from_waker(Waker::noop());
            client.write_all(NEW).await.unwrap();
            assert_eq!(read_once(&mut server, &mut context, 64), Some(NEW.len()));
            library_answers(&mut server, &mut context);
            received(&mut client);
            ends.send(()).unwrap();
            client.write_all(REPEATED).await.unwrap();
            assert_eq!(read_once(&mut server, &mut context, 64), Some(REPEATED.len()));
            assert_eq!(received(&mut client), "");
        });
    });
    worker.join().unwrap();
}

/// Takes at most so many octets when it is offered pages, or none like this.
struct Taking {
    stream: DuplexStream,
    body: Bytes,
    most: Option<usize>,
    /// What it took.
    taken: std::cell::RefCell<Vec<u8>>,
}

impl AsyncRead for Taking {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Taking {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, octets: &[u8]) -> Poll<io::Result<usize>> {
        self.taken.borrow_mut().extend_from_slice(octets);
        Poll::Ready(Ok(octets.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl Stream for Taking {
    fn try_send(&self, head: &[u8], _: &Pages) -> Option<usize> {
        let whole = [head, &self.body].concat();
        let count = self.most?.min(whole.len());
        self.taken.borrow_mut().extend_from_slice(&whole[..count]);
        Some(count)
    }
}

#[test]
#[cfg(target_os = "linux")]
fn whatever_is_sent_of_pages_the_rest_is_written_and_the_connection_goes_on() {
    const HEAD: usize = b"known\r\n\r\n".len();
    with_paused_time(async {
        for most in [None, Some(3), Some(HEAD), Some(HEAD + 1), Some(usize::MAX)] {
            let (mut client, stream) = duplex(4096);
            let body = Bytes::from((0..20_000_u32).map(|at| (at % 251) as u8).collect::<Vec<_>>());
            let stream = Taking { stream, body: body.clone(), most, taken: std::cell::RefCell::default() };
            let mut server: Served<Taking> = Connection::new(stream, std::future::pending(), OneAnswer(body.clone()));
            let mut context = Context::from_waker(Waker::noop());
            let mut read = async |server: &mut Served<Taking>, request: &[u8]| {
                client.write_all(request).await.unwrap();
                let mut octets = [0; 64];
                let mut buffer = ReadBuf::new(&mut octets);
                let is_given = Pin::new(&mut *server).poll_read(&mut context, &mut buffer).is_ready();
                if is_given {
                    server.tail.put(Head::default(), Bytes::from_static(b"library"));
                    assert!(Pin::new(&mut *server).poll_write(&mut context, b"\r\n").is_ready());
                }
                assert!(Pin::new(&mut *server).poll_flush(&mut context).is_ready());
                (is_given, server.stream.get_ref().taken.take())
            };
            assert_eq!(read(&mut server, NEW).await, (true, b"\r\nlibrary".to_vec()));
            for _ in 0..3 {
                let (is_given, taken) = read(&mut server, REPEATED).await;
                assert!(!is_given && taken == [b"known\r\n\r\n", &body[..]].concat(), "{most:?}");
            }
            assert_eq!(read(&mut server, NEW).await, (true, b"\r\nlibrary".to_vec()), "{most:?}");
        }
    });
}
