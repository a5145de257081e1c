//! Lines that wait to be written, so that nobody else waits for whoever reads them.
//!
//! A pipe that nobody reads takes no more, and whoever writes to it waits for ever: the driver of a container's log blocks,
//! a journal hangs, a program behind `|` has stopped. So one thread writes, and everybody else puts lines into a queue
//! that has an end. Where that is reached, lines are left out and counted, those of the audit last of all.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// How many octets may wait before a line is left out.
const ROOM: usize = 1 << 20;
/// And before one of the audit is: some eighty thousand lines, many hours of registrations at the limits of the configuration.
const ROOM_OF_AUDIT: usize = 16 << 20;
/// How long whoever reads has for the rest when the process ends.
const REST: Duration = Duration::from_secs(2);

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The audit says something: that is left out only when nothing else has been put in for long.
    Audit,
    Other,
}

/// How many lines were left out since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Missing {
    /// All of them.
    pub(super) lines: u64,
    /// Those of the audit.
    pub(super) of_audit: u64,
}

impl Missing {
    const fn count(&mut self, kind: Kind) {
        self.lines += 1;
        if matches!(kind, Kind::Audit) {
            self.of_audit += 1;
        }
    }
}

/// A queue. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<Waiting>,
    changed: Condvar,
}

/// What waits, and what became of the rest.
#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<(Vec<u8>, Kind)>,
    /// Of these lines and of the one that is being written.
    octets: usize,
    is_writing: bool,
    missing: Missing,
    /// What was told of that.
    told: Missing,
}

impl Queue {
    /// A queue in front of `to`, which a thread of its own writes to. Where lines were left out, `tell` is called with how
    /// many as soon as lines are written again.
    pub(super) fn before(to: impl Write + Send + 'static, tell: impl Fn(Missing) + Send + 'static) -> io::Result<Self> {
        let queue = Self::default();
        let own = queue.clone();
        thread::Builder::new().name("log".to_owned()).spawn(move || own.write(to, tell))?;
        Ok(queue)
    }

    /// Puts `line` at the end, or counts it where there is no room. Waits for nobody.
    pub(super) fn push(&self, line: &[u8], kind: Kind) {
        self.lock().push(line, kind);
        self.0.changed.notify_all();
    }

    /// Waits until everything is written, and no longer than a service that is told to end may wait.
    pub(super) fn drain(&self) {
        let is_busy = |waiting: &mut Waiting| waiting.is_writing || !waiting.lines.is_empty();
        drop(self.0.changed.wait_timeout_while(self.lock(), REST, is_busy));
    }

    fn write(&self, mut to: impl Write, tell: impl Fn(Missing)) {
        loop {
            let (line, kind) = self.next();
            let is_written = to.write_all(&line).is_ok();
            let news = self.lock().written(&line, kind, is_written);
            // Before the line counts as done: who waits for the end waits for these words too.
            if let Some(missing) = news {
                tell(missing);
            }
            self.lock().is_writing = false;
            self.0.changed.notify_all();
        }
    }

    /// Waits for a line to be written.
    fn next(&self) -> (Vec<u8>, Kind) {
        let mut waiting = self.lock();
        loop {
            if let Some(line) = waiting.lines.pop_front() {
                waiting.is_writing = true;
                return line;
            }
            waiting = self.0.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting {
    fn push(&mut self, line: &[u8], kind: Kind) {
        let most = match kind {
            Kind::Other => ROOM,
            Kind::Audit => ROOM_OF_AUDIT,
        };
        if self.octets + line.len() > most {
            return self.missing.count(kind);
        }
        self.octets += line.len();
        self.lines.push_back((line.to_vec(), kind));
    }

    /// Notes that `line` was written, or was not. What is to be told of lines that were left out: only when one was written,
    /// or what is told would be left out as well, and not while there is more to write.
    fn written(&mut self, line: &[u8], kind: Kind, is_written: bool) -> Option<Missing> {
        self.octets -= line.len();
        if !is_written {
            self.missing.count(kind);
        }
        let is_news = is_written && self.lines.is_empty() && self.missing != self.told;
        is_news.then(|| {
            self.told = self.missing;
            self.missing
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Takes a line when it is allowed to, and refuses those that begin with a dot.
    struct Slow {
        turns: mpsc::Receiver<()>,
        lines: mpsc::Sender<String>,
    }

    impl Write for Slow {
        fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
            let _ = self.turns.recv();
            if octets.starts_with(b".") {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.lines.send(String::from_utf8(octets.to_vec()).unwrap()).unwrap();
            Ok(octets.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// A queue; who lets it write; what it writes and what it tells.
    fn queue() -> (Queue, mpsc::Sender<()>, mpsc::Receiver<String>, mpsc::Receiver<Missing>) {
        let ((allow, turns), (lines, written), (tell, told)) = (mpsc::channel(), mpsc::channel(), mpsc::channel());
        let queue = Queue::before(Slow { turns, lines }, move |missing| tell.send(missing).unwrap()).unwrap();
        (queue, allow, written, told)
    }

    #[test]
    fn who_has_something_to_say_does_not_wait_for_who_reads_and_what_is_left_out_is_told() {
        const LINE: [u8; 1024] = [b'x'; 1024];
        let (queue, allow, written, told) = queue();
        let (others, all) = (ROOM / LINE.len(), ROOM_OF_AUDIT / LINE.len());
        for _ in 0..=others {
            queue.push(&LINE, Kind::Other);
        }
        for _ in others..=all {
            queue.push(&LINE, Kind::Audit);
        }
        queue.drain();
        assert!(written.try_recv().is_err() && told.try_recv().is_err());
        drop(allow);
        queue.drain();
        assert_eq!(written.try_iter().count(), all, "of either kind as many as there is room for");
        assert_eq!(told.try_iter().collect::<Vec<_>>(), [Missing { lines: 2, of_audit: 1 }], "once");
        queue.push(&LINE, Kind::Other);
        queue.drain();
        assert_eq!((written.try_iter().count(), told.try_iter().count()), (1, 0));
    }

    #[test]
    fn a_line_that_is_refused_is_one_that_is_left_out_and_told_when_another_is_not() {
        let (queue, allow, written, told) = queue();
        drop(allow);
        for line in [".one\n", ".two\n"] {
            queue.push(line.as_bytes(), Kind::Other);
        }
        queue.drain();
        assert!(told.try_recv().is_err(), "nobody would read it");
        queue.push(b"three\n", Kind::Other);
        queue.drain();
        assert_eq!(written.try_iter().collect::<Vec<_>>(), ["three\n"]);
        assert_eq!(told.try_iter().collect::<Vec<_>>(), [Missing { lines: 2, of_audit: 0 }]);
    }
}
