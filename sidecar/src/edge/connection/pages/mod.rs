//! Bodies that are sent without being copied.
//!
//! The system copies what is written to a connection into pages of its own, each time into others. A pipe that was filled
//! once has such pages, which can be sent any number of times, and which a client on the same machine finds in a cache.
//! That takes more calls, so it pays for long bodies only.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

use std::{
    cell::{Cell, RefCell},
    rc::{Rc, Weak},
};

use bytes::Bytes;
use tokio::{
    io::{AsyncRead, AsyncWrite, Interest},
    net::TcpStream,
};

#[cfg(target_os = "linux")]
use self::linux::Pipe;
#[cfg(not(target_os = "linux"))]
use self::other::Pipe;

/// The least octets of a body for which it pays.
const SHORTEST: usize = 16 * 1024;
/// The most octets of a body: those for which a pipe has room.
const LONGEST: usize = 64 * 1024;
/// The most bodies of one worker.
const MOST: usize = 6;
/// Open files that one worker may have for them: one for each, and two for the way that it takes.
pub(crate) const FILES: u64 = 3 * MOST as u64;

thread_local! {
    /// What this worker has.
    static ALL: RefCell<Vec<Weak<Pages>>> = RefCell::default();
    /// Whether the system has refused this worker a pipe. It is not asked again.
    static REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// A body in pages of the system.
#[derive(Debug)]
pub(crate) struct Pages {
    pipe: Pipe,
    /// The same octets. As long as they are here, no other body is in their place.
    body: Bytes,
}

impl Pages {
    /// Returns `body` in pages, the same for all who have it, if that pays, this worker has not too many, and the system
    /// has room.
    pub(crate) fn of(body: &Bytes) -> Option<Rc<Self>> {
        if !(SHORTEST..=LONGEST).contains(&body.len()) || REFUSED.get() {
            return None;
        }
        ALL.with_borrow_mut(|all| {
            all.retain(|pages| pages.strong_count() > 0);
            let place = |body: &Bytes| (body.as_ptr(), body.len());
            if let Some(known) = all.iter().filter_map(Weak::upgrade).find(|pages| place(&pages.body) == place(body)) {
                return Some(known);
            }
            if all.len() >= MOST {
                return None;
            }
            let Ok(pipe) = Pipe::of(body) else {
                REFUSED.set(true);
                return None;
            };
            let pages = Rc::new(Self { pipe, body: body.clone() });
            all.push(Rc::downgrade(&pages));
            Some(pages)
        })
    }
}

/// The stream under a connection.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin {
    /// Sends as much of `head` and then of `pages` as there is room for now. Returns how many octets that were; if none
    /// could be sent like this, whoever writes them learns why.
    fn try_send(&self, head: &[u8], pages: &Pages) -> Option<usize>;
}

impl Stream for TcpStream {
    fn try_send(&self, head: &[u8], pages: &Pages) -> Option<usize> {
        self.try_io(Interest::WRITABLE, || pages.pipe.send(self, head)).ok()
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use std::time::Duration;

    use tokio::{
        io::AsyncReadExt as _,
        net::{TcpListener, TcpStream},
    };

    use super::*;

    async fn connected() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (client, server) = tokio::join!(TcpStream::connect(listener.local_addr().unwrap()), listener.accept());
        (client.unwrap(), server.unwrap().0)
    }

    fn body(length: usize) -> Bytes {
        (0..length).map(|at| ((at * 7 + length + at / 251) % 256) as u8).collect::<Vec<_>>().into()
    }

    fn run(test: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { tokio::time::timeout(Duration::from_mins(1), test).await.unwrap() });
    }

    #[test]
    fn head_and_body_arrive_whole_and_each_as_often_as_it_is_sent() {
        run(async {
            let (mut client, server) = connected().await;
            let bodies = [SHORTEST, SHORTEST + 1, 20_001, 32_768, 32_769, LONGEST].map(body);
            let pages = bodies.each_ref().map(|body| Pages::of(body).unwrap());
            for round in 0..20 {
                for (body, pages) in bodies.iter().zip(&pages) {
                    let whole = [format!("head {round}\r\n\r\n").as_bytes(), body].concat();
                    let head = &whole[..whole.len() - body.len()];
                    server.writable().await.unwrap();
                    let mut sent = server.try_send(head, pages).unwrap();
                    // The client has read everything, so there is room, be it a refilled way or not.
                    assert!(round == 0 || sent == whole.len(), "round {round}, {} octets", body.len());
                    let mut octets = vec![0; whole.len()];
                    let mut read = 0;
                    while read < whole.len() {
                        if sent == read {
                            server.writable().await.unwrap();
                            sent += server.try_write(&whole[sent..]).unwrap_or(0);
                        }
                        read += client.read(&mut octets[read..]).await.unwrap();
                    }
                    assert!(octets == whole, "round {round}, {} octets", body.len());
                }
            }
        });
    }

    #[test]
    fn what_finds_no_room_does_not_come_with_the_next_body() {
        run(async {
            let (mut client, server) = connected().await;
            let (one, other) = (body(60_000), body(20_000));
            let (pages, others) = (Pages::of(&one).unwrap(), Pages::of(&other).unwrap());
            // Of the second, several copies are in one way.
            for (body, pages) in [(&one, &pages), (&other, &others)] {
                server.writable().await.unwrap();
                let (whole, mut sent) = ([b"head", &body[..]].concat(), Vec::new());
                let mut was_cut = false;
                // Until the system has no more room for this client.
                while let Some(count) = server.try_send(b"head", pages) {
                    was_cut |= (5..whole.len()).contains(&count);
                    sent.extend_from_slice(&whole[..count]);
                }
                assert!(was_cut, "a part of a body was sent");
                let mut octets = vec![0; sent.len()];
                client.read_exact(&mut octets).await.unwrap();
                assert!(octets == sent);
            }
            for (body, pages) in [(&other, &others), (&one, &pages), (&one, &pages), (&other, &others)] {
                server.writable().await.unwrap();
                assert_eq!(server.try_send(b"next", pages), Some(4 + body.len()));
                let mut octets = vec![0; 4 + body.len()];
                client.read_exact(&mut octets).await.unwrap();
                assert!(octets == [b"next", &body[..]].concat());
            }
        });
    }

    #[test]
    fn who_has_the_same_body_has_the_same_pages_and_no_worker_has_very_many() {
        for length in [0, SHORTEST - 1, LONGEST + 1] {
            assert!(Pages::of(&body(length)).is_none(), "{length}");
        }
        let bodies: Vec<_> = (0..MOST + 5).map(|more| body(20_000 + more)).collect();
        let mut kept: Vec<_> = bodies.iter().filter_map(Pages::of).collect();
        assert_eq!(kept.len(), MOST);
        for (body, pages) in bodies.iter().zip(&kept) {
            assert!(Rc::ptr_eq(&Pages::of(body).unwrap(), pages) && pages.body == *body);
        }
        kept.pop();
        assert!(Pages::of(&bodies[MOST + 1]).is_some(), "there is room again");
    }
}
