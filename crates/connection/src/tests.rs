use std::{
    future::poll_fn,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    task::Wake,
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
    time::{Instant, sleep, timeout},
};

use super::{
    timeouts::{IDLE_TICKS, REQUEST_TICKS, RESPONSE_TICKS, TICK},
    *,
};

const HEAD: &[u8] = b"GET / HTTP/1.1\r\n\r\n";

type Served = Stream<DuplexStream>;

/// Returns a client and its connection, with room for `size` bytes each way.
fn connected(size: usize) -> (DuplexStream, Served) {
    let (client, server) = duplex(size);
    (client, Stream::new(server, Rc::new(|unreadable| Bytes::from(unreadable.status.to_string()))))
}

fn with_paused_time(test: impl Future<Output = ()>) {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_time().start_paused(true).build().unwrap().block_on(test);
}

/// Polls a connection that has nothing to write until it reads bytes or times out.
async fn turns(stream: &mut Served) -> io::Result<usize> {
    let mut bytes = [0; 64];
    poll_fn(|context| {
        let mut buffer = ReadBuf::new(&mut bytes);
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
fn request_that_stops_halfway_is_given_up() {
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
fn request_that_trickles_in_is_given_up() {
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
            () = trickle => panic!("the request was read for ever"),
            () = read => {}
        }
    });
}

#[test]
fn response_makes_the_connection_idle_again() {
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
fn idle_connection_is_closed_in_the_end() {
    with_paused_time(async {
        let (_client, mut server) = connected(64);
        let start = Instant::now();
        assert!(is_timeout(turns(&mut server).await));
        let time = start.elapsed();
        assert!(time > Duration::from_mins(1) && time <= TICK * u32::from(IDLE_TICKS) + TICK, "{time:?}");
    });
}

#[test]
fn client_that_does_not_read_is_given_up() {
    with_paused_time(async {
        let (_client, mut server) = connected(4);
        let start = Instant::now();
        assert!(is_timeout(server.write_all(b"too much").await));
        let (time, limit) = (start.elapsed(), TICK * u32::from(RESPONSE_TICKS));
        assert!(time > limit / 2 && time <= limit, "{time:?}");
    });
}

/// Serves a connection as the HTTP library does: each turn reads all available bytes and flushes.
async fn served(mut stream: Served) -> io::Result<()> {
    let mut bytes = [0; 64];
    poll_fn(|context| {
        while Pin::new(&mut stream).poll_read(context, &mut ReadBuf::new(&mut bytes))?.is_ready() {}
        let flushed = Pin::new(&mut stream).poll_flush(context)?;
        assert!(flushed.is_ready(), "nothing is there to be written");
        Poll::Pending
    })
    .await
}

#[test]
fn request_that_stops_halfway_with_a_tick_is_given_up() {
    for seconds in [TICK.as_secs() - 1, TICK.as_secs()] {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build_local(tokio::runtime::LocalOptions::default());
        runtime.unwrap().block_on(async {
            let (mut client, server) = connected(64);
            let server = tokio::task::spawn_local(served(server));
            // This sleep ends in the same turn of the clock as the tick, and first.
            sleep(Duration::from_secs(seconds)).await;
            client.write_all(b"GET / HT").await.unwrap();
            let limit = TICK * u32::from(REQUEST_TICKS) + TICK;
            let ended = timeout(limit, server).await;
            assert!(is_timeout(ended.expect("the request was read for ever").unwrap()), "{seconds} s");
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

/// Runs one turn as the HTTP library does; returns the bytes read and the number of wakes.
fn turn(server: &mut Served, count: &Wakes, waker: &Waker) -> (Vec<u8>, usize) {
    let mut context = Context::from_waker(waker);
    let before = count.0.load(Ordering::Relaxed);
    let mut read = Vec::new();
    loop {
        let mut bytes = [0; 1000];
        let mut buffer = ReadBuf::new(&mut bytes);
        match Pin::new(&mut *server).poll_read(&mut context, &mut buffer) {
            Poll::Ready(result) if result.is_ok() && !buffer.filled().is_empty() => read.extend(buffer.filled()),
            _ => break,
        }
    }
    let _ = Pin::new(server).poll_flush(&mut context);
    (read, count.0.load(Ordering::Relaxed) - before)
}

#[test]
fn turn_reads_one_head() {
    with_paused_time(async {
        let (mut client, mut server) = connected(4096);
        let (count, waker) = counting();
        client.write_all(&HEAD.repeat(3)).await.unwrap();
        client.write_all(b"GET").await.unwrap();
        for _ in 0..3 {
            assert_eq!(turn(&mut server, &count, &waker), (HEAD.to_vec(), 1));
        }
        assert_eq!(turn(&mut server, &count, &waker), (b"GET".to_vec(), 0));
    });
}

#[test]
fn body_is_read_when_admitted_and_nothing_after_it() {
    with_paused_time(async {
        let (mut client, mut server) = connected(4096);
        let (count, waker) = counting();
        client.write_all(&[HEAD, b"a\r\n\r\nbody", HEAD].concat()).await.unwrap();
        assert_eq!(turn(&mut server, &count, &waker).0, HEAD);
        server.gate().admit(9);
        assert_eq!(turn(&mut server, &count, &waker).0, b"a\r\n\r\nbody");
        assert_eq!(turn(&mut server, &count, &waker), (vec![], 0), "while the response is made");
        server.gate().open();
        assert_eq!(turn(&mut server, &count, &waker).0, HEAD);
    });
}

#[test]
fn request_sent_ahead_waits_while_a_response_is_made() {
    with_paused_time(async {
        let (mut client, mut server) = connected(4096);
        let (count, waker) = counting();
        client.write_all(HEAD).await.unwrap();
        assert_eq!(turn(&mut server, &count, &waker).0, HEAD);
        server.gate().close();
        client.write_all(HEAD).await.unwrap();
        for _ in 0..3 {
            assert_eq!(turn(&mut server, &count, &waker).0, b"");
        }
        server.gate().open();
        let before = count.0.load(Ordering::Relaxed);
        assert!(Pin::new(&mut server).poll_flush(&mut Context::from_waker(&waker)).is_ready());
        assert!(count.0.load(Ordering::Relaxed) > before, "the library is called when it may read");
        assert_eq!(turn(&mut server, &count, &waker).0, HEAD);
    });
}

#[test]
fn response_that_takes_too_long_is_aborted() {
    with_paused_time(async {
        let (mut client, mut server) = connected(64);
        client.write_all(HEAD).await.unwrap();
        assert_eq!(turns(&mut server).await.unwrap(), HEAD.len());
        server.gate().close();
        let start = Instant::now();
        assert!(is_timeout(turns(&mut server).await));
        let time = start.elapsed();
        assert!(time > TICK && time <= TICK * u32::from(REQUEST_TICKS) + TICK, "{time:?}");
    });
}

#[test]
fn client_that_does_not_read_is_not_read_from() {
    with_paused_time(async {
        let (mut client, mut server) = connected(64);
        let (count, waker) = counting();
        let mut context = Context::from_waker(&waker);
        assert!(Pin::new(&mut server).poll_write(&mut context, &[b'x'; 64]).is_ready());
        assert!(Pin::new(&mut server).poll_write(&mut context, b"x").is_pending());
        client.write_all(HEAD).await.unwrap();
        for _ in 0..3 {
            assert!(Pin::new(&mut server).poll_read(&mut context, &mut ReadBuf::new(&mut [0; 64])).is_pending());
            assert!(Pin::new(&mut server).poll_write(&mut context, b"x").is_pending());
        }
        assert_eq!(count.0.load(Ordering::Relaxed), 0, "the task does not run in vain");
        client.read_exact(&mut [0; 64]).await.unwrap();
        assert!(Pin::new(&mut server).poll_write(&mut context, b"x").is_ready());
        assert!(Pin::new(&mut server).poll_flush(&mut context).is_ready());
        assert_eq!(turn(&mut server, &count, &waker).0, HEAD);
    });
}

/// Returns the library's own response with `status`.
fn own(status: &str) -> Vec<u8> {
    format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\ndate: Sat, 28 Nov 2026 12:00:00 GMT\r\n\r\n").into_bytes()
}

#[test]
fn response_of_the_library_is_replaced_and_ends_the_connection() {
    with_paused_time(async {
        for (sent, status, expected) in [
            (HEAD.to_vec(), "400 Bad Request", "400"),
            (HEAD.to_vec(), "431 Request Header Fields Too Large", "431"),
            (
                format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(MAX_TARGET_BYTES + AROUND_TARGET)).into_bytes(),
                "400 Bad Request",
                "414",
            ),
        ] {
            let (mut client, mut server) = connected(64 * 1024);
            let (count, waker) = counting();
            client.write_all(&sent).await.unwrap();
            while !turn(&mut server, &count, &waker).0.is_empty() {}
            // More than is read while the response is written.
            client.write_all(&vec![b'x'; 40_000]).await.unwrap();
            let client = async {
                let mut received = String::new();
                client.read_to_string(&mut received).await.unwrap();
                drop(client);
                received
            };
            let server = async {
                server.write_all(&own(status)).await.unwrap();
                server.write_all(&own(status)).await.unwrap();
            };
            let (received, ()) = tokio::join!(client, server);
            assert_eq!(received, expected);
        }
    });
}

#[test]
fn refused_connection_is_closed_if_the_client_keeps_it_open() {
    with_paused_time(async {
        let (mut client, mut server) = connected(64);
        let start = Instant::now();
        let ended = timeout(TICK, server.write_all(&own("400 Bad Request"))).await;
        ended.expect("the client is waited for").unwrap();
        assert!(start.elapsed() >= timeouts::CLOSING, "{:?}", start.elapsed());
        client.read_exact(&mut [0; 3]).await.unwrap();
    });
}

#[test]
fn responses_of_the_service_are_written_as_they_are() {
    with_paused_time(async {
        let (mut client, mut server) = connected(4096);
        let named = [b"HTTP/1.1 404 Not Found\r\nx-request-id: 1\r\n".as_slice(), &own("404")[14..]].concat();
        for response in
            [named, own("200 OK"), own("304 Not Modified"), b"HTTP/1.1 400".to_vec(), own("400")[..40].to_vec()]
        {
            server.write_all(&response).await.unwrap();
            let mut received = vec![0; response.len()];
            client.read_exact(&mut received).await.unwrap();
            assert_eq!(received, response);
        }
    });
}

#[test]
fn nothing_behind_the_last_response_reaches_the_library() {
    with_paused_time(async {
        let (mut client, mut server) = connected(4096);
        client.write_all(&HEAD.repeat(2)).await.unwrap();
        assert_eq!(turns(&mut server).await.unwrap(), HEAD.len());
        server.gate().end();
        server.write_all(b"last").await.unwrap();
        let client = async {
            let mut received = String::new();
            client.read_to_string(&mut received).await.unwrap();
            assert_eq!(received, "last");
            client.write_all(HEAD).await.unwrap();
            drop(client);
        };
        let (read, ()) = tokio::join!(turns(&mut server), client);
        assert_eq!(read.unwrap(), 0, "the end of the connection");
    });
}

#[test]
fn chunks_are_read_as_far_as_they_are_well_formed() {
    with_paused_time(async {
        for (rest, length, is_malformed) in
            [("0\r\n\r\n", 5, false), ("0\r\nX: y\r\n\r\n", 3, true), ("\n0\r\n\r\n", 0, true)]
        {
            let (mut client, mut server) = connected(4096);
            let (count, waker) = counting();
            client.write_all(&[HEAD, b"4\r\nbody\r\n", rest.as_bytes(), HEAD].concat()).await.unwrap();
            assert_eq!(turn(&mut server, &count, &waker).0, HEAD);
            server.gate().admit_chunks();
            assert_eq!(turn(&mut server, &count, &waker).0.len(), 9 + length, "{rest:?}");
            assert_eq!(turn(&mut server, &count, &waker), (vec![], 0), "while the response is made");
            assert_eq!((server.gate().is_malformed(), server.gate().has_all_chunks()), (is_malformed, !is_malformed));
        }
    });
}
