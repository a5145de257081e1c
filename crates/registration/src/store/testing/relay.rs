//! A relay between a store and the tests' server: everything passes, and answers are delayed where a test wants that.

use std::{
    path::PathBuf,
    sync::{Arc, Mutex},
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

/// What a connection must say to get no answer for this long.
type Late = Arc<Mutex<Option<(&'static str, Duration)>>>;

/// A relay. It ends with its runtime.
pub struct Relay {
    /// The address on which it listens, `host:port`.
    pub place: String,
    late: Late,
}

impl Relay {
    /// Creates a relay to the server that listens on `socket`.
    pub async fn to(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (place, late) = (listener.local_addr().unwrap().to_string(), Late::default());
        let own = Arc::clone(&late);
        tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let far = UnixStream::connect(&socket).await.unwrap();
                connect(near, far, &own);
            }
        });
        Self { place, late }
    }

    /// Delays answers to the next connection that says `word`, for `time`. What it says still reaches the server.
    pub fn withhold(&self, word: &'static str, time: Duration) {
        *self.late.lock().unwrap() = Some((word, time));
    }
}

fn connect(near: TcpStream, far: UnixStream, late: &Late) {
    let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
    let (from, until) = watch::channel(Instant::now());
    tokio::spawn(there(near_in, far_out, Arc::clone(late), from));
    tokio::spawn(back(far_in, near_out, until));
}

async fn there(mut near: OwnedReadHalf, mut far: unix::OwnedWriteHalf, late: Late, from: watch::Sender<Instant>) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(count @ 1..) = near.read(&mut buffer).await {
        let says = |word: &str| buffer[..count].windows(word.len()).any(|window| window == word.as_bytes());
        let is_late = late.lock().unwrap().take_if(|(word, _)| says(word));
        // Before the server hears it.
        if let Some((_, time)) = is_late {
            from.send_replace(Instant::now() + time);
        }
        if far.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}

async fn back(mut far: unix::OwnedReadHalf, mut near: OwnedWriteHalf, until: watch::Receiver<Instant>) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(count @ 1..) = far.read(&mut buffer).await {
        let until = *until.borrow();
        sleep_until(until).await;
        if near.write_all(&buffer[..count]).await.is_err() {
            return;
        }
    }
}
