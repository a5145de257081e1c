//! A relay between a store and the tests' server. It forwards everything, counts the executed statements, and delays
//! answers for a test.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpListener, TcpStream, UnixStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
        unix,
    },
    sync::watch,
    time::{Instant, sleep_until},
};

/// The bytes in a request whose answer is delayed, and for how long.
type Late = Arc<Mutex<Option<(&'static str, Duration)>>>;

/// Ends with its runtime.
pub struct Relay {
    /// Where it listens, `host:port`.
    pub place: String,
    late: Late,
    executed: Arc<AtomicUsize>,
}

impl Relay {
    /// Relays to the server that listens on `socket`.
    pub async fn start(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (place, late, executed) = (listener.local_addr().unwrap().to_string(), Late::default(), Arc::default());
        let (own, count) = (Arc::clone(&late), Arc::clone(&executed));
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let far = UnixStream::connect(&socket).await.unwrap();
                connect(near, far, &own, &count);
            }
        });
        Self { place, late, executed }
    }

    /// Returns how many statements were executed so far, including those that begin and end transactions.
    pub fn executed_statements(&self) -> usize {
        self.executed.load(Ordering::SeqCst)
    }

    /// Delays the answers on the next connection that sends `word`, for `time`. The server receives the request at
    /// once.
    pub fn delay_answer(&self, word: &'static str, time: Duration) {
        *self.late.lock().unwrap() = Some((word, time));
    }

    /// Whether no connection has sent the word of [`Self::delay_answer`] yet.
    pub fn awaits_word(&self) -> bool {
        self.late.lock().unwrap().is_some()
    }
}

fn connect(near: TcpStream, far: UnixStream, late: &Late, executed: &Arc<AtomicUsize>) {
    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
    let (from, until) = watch::channel(Instant::now());
    tokio::spawn(forward_requests(near_in, far_out, (Arc::clone(late), Arc::clone(executed)), from));
    tokio::spawn(forward_answers(far_in, near_out, until));
}

async fn forward_requests(
    mut near: OwnedReadHalf,
    mut far: unix::OwnedWriteHalf,
    (late, executed): (Late, Arc<AtomicUsize>),
    from: watch::Sender<Instant>,
) {
    let (mut buffer, mut messages) = ([0; 16 * 1024], Messages::default());
    while let Ok(count @ 1..) = near.read(&mut buffer).await {
        let has_word = |word: &str| buffer[..count].windows(word.len()).any(|window| window == word.as_bytes());
        let is_late = late.lock().unwrap().take_if(|(word, _)| has_word(word));
        executed.fetch_add(messages.executions(&buffer[..count]), Ordering::SeqCst);
        // Set before the server receives the request.
        if let Some((_, time)) = is_late {
            from.send_replace(Instant::now() + time);
        }
        if far.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

async fn forward_answers(mut far: unix::OwnedReadHalf, mut near: OwnedWriteHalf, until: watch::Receiver<Instant>) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(count @ 1..) = far.read(&mut buffer).await {
        let until = *until.borrow();
        sleep_until(until).await;
        if near.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

/// The messages of a client, reassembled from pieces.
#[derive(Default)]
struct Messages {
    /// The beginning of an incomplete message.
    begun: Vec<u8>,
    /// Whether the first message was received, the only one without a kind byte.
    is_greeted: bool,
}

impl Messages {
    /// Returns how many of the messages completed by `bytes` execute a statement, prepared (`E`) or as text (`Q`).
    /// Settings of a new session are none: the pool opens connections at any time.
    fn executions(&mut self, bytes: &[u8]) -> usize {
        self.begun.extend_from_slice(bytes);
        let mut count = 0;
        loop {
            let kind = usize::from(self.is_greeted);
            let Some(length) = self.begun.get(kind..kind + 4) else { return count };
            // The length includes itself.
            let end = kind + u32::from_be_bytes(length.try_into().unwrap()) as usize;
            if self.begun.len() < end {
                return count;
            }
            let is_setting = self.begun.get(kind + 4..end).is_some_and(|text| text.starts_with(b"SET "));
            count += usize::from(self.is_greeted && matches!(self.begun[0], b'E' | b'Q') && !is_setting);
            self.begun.drain(..end);
            self.is_greeted = true;
        }
    }
}
