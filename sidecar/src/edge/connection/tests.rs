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
    *,
};
use crate::edge::head::Head;

/// Returns a client and its connection, with room for `most` octets each way.
fn connected(most: usize) -> (DuplexStream, Connection<DuplexStream>) {
    let (client, server) = duplex(most);
    (client, Connection::new(server, std::future::pending()))
}

fn with_paused_time(test: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().unwrap().block_on(test);
}

/// Takes turns of a connection that has nothing to write, until it reads something or loses its patience.
async fn turns(stream: &mut Connection<DuplexStream>) -> io::Result<usize> {
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
async fn served(mut stream: Connection<DuplexStream>) -> io::Result<()> {
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
fn read_once(server: &mut Connection<DuplexStream>, context: &mut Context<'_>, most: usize) -> Option<usize> {
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
fn opens(server: &mut Connection<DuplexStream>, count: &Wakes, context: &mut Context<'_>) {
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
