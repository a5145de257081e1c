//! What the stream of a connection writes on its own, and what it and the service tell each other.

use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
    io::{self, IoSlice},
    ops::Deref,
    rc::Rc,
    task::Poll,
};

use bytes::{Buf as _, Bytes};
use foldhash::fast::RandomState;
use tokio::task;

use super::{Whole, pages::Pages, turn::Turn};
use crate::edge::head::Head;

/// The empty line that ends the library's head.
const LINE_END: &[u8] = b"\r\n";

/// The most octets of a body that are copied after its head: copying them costs less than naming two places to the
/// system.
pub(super) const COPIED: usize = 4 * 1024;

/// What a connection writes beside the library's octets, and what it and the service tell each other. Clones share it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tail(Rc<State>);

#[derive(Debug, Default)]
struct State {
    turn: Cell<Turn>,
    /// The octets of the request that is with the library, if it came before.
    asked: RefCell<Option<Box<[u8]>>>,
    rest: RefCell<Rest>,
}

thread_local! {
    /// The tails of this worker's connections, each of which is served by a task of its own. What the library itself
    /// would hand to requests (`on_connect_ext`) is in four places for each connection, which a worker with hundreds of
    /// connections finds in no cache.
    static OF_TASKS: RefCell<HashMap<task::Id, Tail, RandomState>> = RefCell::default();
}

/// The tail of a connection, which its task can find for as long as this exists.
pub(super) struct OwnTail {
    tail: Tail,
    task: Option<task::Id>,
}

impl OwnTail {
    /// Creates the tail of a connection that has this task to itself.
    pub(super) fn new() -> Self {
        let (tail, task) = (Tail::default(), task::try_id());
        if let Some(task) = task {
            let other = OF_TASKS.with_borrow_mut(|tails| tails.insert(task, tail.clone()));
            // Security: otherwise one connection would get the answers of the other.
            assert!(other.is_none(), "a task serves one connection");
        }
        Self { tail, task }
    }
}

impl Deref for OwnTail {
    type Target = Tail;

    fn deref(&self) -> &Tail {
        &self.tail
    }
}

impl Drop for OwnTail {
    fn drop(&mut self) {
        if let Some(task) = self.task {
            // A thread that is ending has none left.
            let _ = OF_TASKS.try_with(|tails| tails.borrow_mut().remove(&task));
        }
    }
}

/// The rest of an answer, or what is known about one in the making.
#[derive(Debug, Default)]
struct Rest {
    /// Whether an answer is in the making that needs nothing more from the client.
    in_the_making: bool,
    /// Whether the body of its request has more than was read.
    is_unread: bool,
    /// Whether an answer has announced the end of the connection.
    is_over: bool,
    /// The rest of the head, if it was prepared; the whole head once the library has written its part, or if it has none.
    head: Head,
    /// How much of that is written.
    written: usize,
    body: Bytes,
    /// The body once more, until it was tried to send it like this.
    pages: Option<Rc<Pages>>,
}

impl Tail {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.rest.borrow().is_empty()
    }

    /// Returns the tail of the connection whose task this is. There is no connection without one; its answers would be
    /// lost, not mixed up.
    pub(crate) fn of_task() -> Self {
        let found = |task| OF_TASKS.with_borrow(|tails| tails.get(&task).cloned());
        task::try_id().and_then(found).unwrap_or_default()
    }

    /// Says whether an answer is in the making that needs nothing more from the client. [`Tail::put`] completes it.
    pub(crate) fn set_in_the_making(&self, whether: bool) {
        self.0.rest.borrow_mut().in_the_making = whether;
    }

    pub(super) fn is_in_the_making(&self) -> bool {
        self.0.rest.borrow().in_the_making
    }

    /// Whether the connection may answer what is read next.
    pub(super) fn is_own_turn(&self) -> bool {
        self.0.turn.get() == Turn::Own
    }

    /// Notes that `octets` were given to the library, and whether they came before, if they are a request.
    pub(super) fn give(&self, octets: &[u8], came_before: bool) {
        let turn = self.0.turn.get().given(octets);
        self.0.turn.set(turn);
        // Security: nothing is left of a request that the library did not answer, or what it answers next would be
        // remembered as the answer to that.
        let asked = (came_before && turn == Turn::Asked).then(|| octets.into());
        self.0.asked.replace(asked);
    }

    /// Leaves the rest of the connection to the library: only it knows where the next request begins.
    pub(crate) fn leave_to_library(&self) {
        self.0.turn.set(Turn::Library);
        self.0.asked.take();
    }

    /// Takes the octets of the request that is being answered, if it came before.
    pub(crate) fn take_asked(&self) -> Option<Box<[u8]>> {
        self.0.asked.take()
    }

    /// Puts a whole answer, in which the library has no part.
    pub(super) fn put_whole(&self, Whole { head, body, pages }: Whole) {
        let rest = &mut *self.0.rest.borrow_mut();
        debug_assert!(rest.is_empty(), "one answer after the other");
        (rest.head, rest.body, rest.pages) = (head, body, pages);
        rest.join();
    }

    /// Takes the body in pages, which is tried once.
    pub(super) fn take_pages(&self) -> Option<Rc<Pages>> {
        self.0.rest.borrow_mut().pages.take()
    }

    /// Notes whether the request that is answered next has a body of announced length that is not read to its end.
    pub(crate) fn set_unread(&self, whether: bool) {
        self.0.rest.borrow_mut().is_unread = whether;
    }

    /// Whether it has: then nobody can tell where the next request begins, and the connection ends.
    pub(crate) fn is_unread(&self) -> bool {
        self.0.rest.borrow().is_unread
    }

    /// Notes that the next answer announces the end of the connection.
    pub(crate) fn set_over(&self) {
        self.0.rest.borrow_mut().is_over = true;
    }

    /// Whether an answer has announced the end of the connection: what comes after it is no longer a request.
    pub(crate) fn is_over(&self) -> bool {
        self.0.rest.borrow().is_over
    }

    /// Takes the library's octets that precede the rest, leaving out its announcement of the connection's end unless an
    /// answer announces it.
    pub(crate) fn begin(&self, head: &[u8]) {
        let rest = &mut *self.0.rest.borrow_mut();
        debug_assert_eq!(rest.written, 0, "an answer begins once");
        // With a part of a head to follow, the empty line is superfluous.
        let begin = if rest.head.as_bytes().is_empty() { head } else { head.strip_suffix(LINE_END).unwrap_or(head) };
        match announcement(begin) {
            Some((start, end)) if !rest.is_over => {
                rest.head.put_first(begin.get(end..).unwrap_or_default());
                rest.head.put_first(begin.get(..start).unwrap_or_default());
            }
            _ => rest.head.put_first(begin),
        }
        rest.join();
    }

    /// Hands what is left to `write`, which says how many octets it took.
    pub(crate) fn write(
        &self,
        write: impl FnOnce(&[IoSlice<'_>]) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let mut rest = self.0.rest.borrow_mut();
        let head = rest.head.as_bytes().get(rest.written..).unwrap_or_default();
        let parts = [head, &rest.body].map(IoSlice::new);
        let used = if rest.body.is_empty() { &parts[..1] } else { &parts[..] };
        write(used).map_ok(|written| {
            rest.advance(written);
            if rest.is_empty() {
                self.0.turn.set(self.0.turn.get().answered());
            }
            written
        })
    }

    /// Puts the rest of a head into the head that the library writes next, and `body` after it.
    pub(crate) fn put(&self, head: Head, body: Bytes) {
        let rest = &mut *self.0.rest.borrow_mut();
        *rest = Rest { is_over: rest.is_over, head, body, ..Rest::default() };
    }
}

impl Rest {
    /// Puts a short body behind its head.
    fn join(&mut self) {
        if self.body.len() <= COPIED {
            self.head.push(&self.body);
            self.body = Bytes::new();
        }
    }

    fn is_empty(&self) -> bool {
        self.written == self.head.as_bytes().len() && self.body.is_empty()
    }

    fn advance(&mut self, count: usize) {
        let of_head = count.min(self.head.as_bytes().len() - self.written);
        self.written += of_head;
        self.body.advance(count - of_head);
        if self.is_empty() {
            // An idle connection keeps nothing from its last answer.
            *self = Self { is_over: self.is_over, ..Self::default() };
        }
    }
}

/// Returns where the line with which the library announces the end of the connection begins and ends.
fn announcement(head: &[u8]) -> Option<(usize, usize)> {
    let mut start = 0;
    for line in head.split_inclusive(|octet| *octet == b'\n') {
        let end = start + line.len();
        if line == b"connection: close\r\n" {
            return Some((start, end));
        }
        start = end;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ndate: today\r\n\r\n";

    /// Stands for a system that takes `most` octets at a time.
    fn take(most: usize, out: &mut Vec<u8>) -> impl FnOnce(&[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        move |parts| {
            let before = out.len();
            out.extend(parts.iter().flat_map(|part| part.iter()).take(most));
            Poll::Ready(Ok(out.len() - before))
        }
    }

    fn written(tail: &Tail, most: usize) -> Vec<u8> {
        let mut out = Vec::new();
        while !tail.is_empty() {
            let Poll::Ready(Ok(1..)) = tail.write(take(most, &mut out)) else { unreachable!() };
        }
        out
    }

    #[test]
    fn every_task_finds_the_tail_of_its_own_connection_while_it_is_there() {
        let runtime =
            tokio::runtime::Builder::new_current_thread().build_local(tokio::runtime::LocalOptions::default());
        runtime.unwrap().block_on(async {
            let tasks = [1, 2, 3].map(|length| {
                task::spawn_local(async move {
                    let own = OwnTail::new();
                    task::yield_now().await;
                    Tail::of_task().put(Head::default(), vec![b'x'; length].into());
                    task::yield_now().await;
                    own.begin(b"");
                    assert_eq!(written(&own, usize::MAX).len(), length);
                    drop(own);
                    Tail::of_task().put(Head::default(), Bytes::from_static(b"nobody's"));
                    assert!(OwnTail::new().is_empty());
                })
            });
            for task in tasks {
                task.await.unwrap();
            }
        });
        assert!(OF_TASKS.with_borrow(HashMap::is_empty), "nothing is kept of what is gone");
    }

    #[test]
    #[should_panic(expected = "a task serves one connection")]
    fn a_task_has_no_two_connections() {
        let runtime =
            tokio::runtime::Builder::new_current_thread().build_local(tokio::runtime::LocalOptions::default());
        runtime.unwrap().block_on(async {
            let task = task::spawn_local(async {
                let _one = OwnTail::new();
                let _other = OwnTail::new();
            });
            std::panic::resume_unwind(task.await.unwrap_err().into_panic());
        });
    }

    #[test]
    fn fields_and_body_come_whole_however_little_is_written_at_once() {
        let fields = || Head::begin([b"a: 1\r\n", b"b: 2\r\n", b"\r\n", b""]);
        let whole = b"HTTP/1.1 200 OK\r\ndate: today\r\na: 1\r\nb: 2\r\n\r\n";
        for most in (1..100).chain([COPIED, COPIED + 100, 2 * COPIED]) {
            for length in [0, 4, COPIED, COPIED + 1] {
                let body = vec![b'x'; length];
                for (rest, head) in [(fields(), &whole[..]), (Head::default(), HEAD)] {
                    let tail = Tail::default();
                    tail.put(rest, body.clone().into());
                    tail.begin(HEAD);
                    assert!(written(&tail, most) == [head, &body].concat(), "{most} of {length} octets at a time");
                }
            }
        }
    }

    #[test]
    fn only_a_long_body_is_named_beside_its_head() {
        for (length, parts) in [(0, 1), (COPIED, 1), (COPIED + 1, 2)] {
            let tail = Tail::default();
            tail.put(Head::default(), vec![b'x'; length].into());
            tail.begin(HEAD);
            let mut seen = 0;
            assert!(
                tail.write(|parts| {
                    seen = parts.len();
                    Poll::Pending
                })
                .is_pending()
            );
            assert_eq!(seen, parts, "{length} octets");
        }
    }

    #[test]
    fn only_what_an_answer_announces_is_written_of_the_end() {
        let begin = |before: &str, after: &str| format!("{before}HTTP/1.1 200 OK\r\n{after}date: today\r\n\r\n");
        for before in ["", "HTTP/1.1 100 Continue\r\n\r\n"] {
            for body in ["", "connection: close\r\n"] {
                for (is_over, said) in [(true, "connection: close\r\n"), (false, "")] {
                    let tail = Tail::default();
                    if is_over {
                        tail.set_over();
                    }
                    tail.put(Head::begin([b"a: 1\r\n\r\n", b"", b"", b""]), Bytes::from_static(body.as_bytes()));
                    tail.begin(begin(before, "connection: close\r\n").as_bytes());
                    let mut whole = begin(before, said);
                    whole.insert_str(whole.len() - 2, "a: 1\r\n");
                    assert_eq!(String::from_utf8(written(&tail, usize::MAX)).unwrap(), whole + body);
                    assert_eq!(tail.is_over(), is_over, "nor is it forgotten");
                }
            }
        }
    }

    #[test]
    fn a_stream_that_takes_nothing_loses_nothing() {
        let tail = Tail::default();
        tail.put(Head::begin([b"a: 1\r\n", b"\r\n", b"", b""]), Bytes::new());
        tail.begin(HEAD);
        assert!(tail.write(|_| Poll::Pending).is_pending());
        assert!(written(&tail, 7).ends_with(b"today\r\na: 1\r\n\r\n"));
    }
}
