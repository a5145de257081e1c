//! Lines that wait to be written, so that nothing else waits for the reader of the log.
//!
//! A pipe that nobody reads takes no more, and a writer then waits for ever: the driver of a container's log blocks, a
//! journal hangs, a program after `|` has stopped. So one thread writes, and all others put lines into a bounded queue.
//! When it is full, lines are left out and counted, those of the audit last of all.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

/// How many octets may wait before a line is left out.
const ROOM: usize = 1 << 20;
/// The same for a line of the audit: some eighty thousand lines, many hours of registrations at the limits of the
/// configuration.
const ROOM_OF_AUDIT: usize = 16 << 20;
/// How long the reader has for the rest when the process ends.
const REST: Duration = Duration::from_secs(2);

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A line of the audit: left out only when other lines have not been accepted for long.
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

/// The lines that wait, and what became of the rest.
#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<(Vec<u8>, Kind)>,
    /// Number of octets of these lines and of the one that is being written.
    octets: usize,
    is_writing: bool,
    missing: Missing,
    /// What has been reported of that.
    told: Missing,
}

impl Queue {
    /// Creates a queue in front of `to`, which a thread of its own writes to. If lines were left out, `tell` is called
    /// with their number as soon as lines are written again.
    pub(super) fn before(to: impl Write + Send + 'static, tell: impl Fn(Missing) + Send + 'static) -> io::Result<Self> {
        let queue = Self::default();
        let own = queue.clone();
        thread::Builder::new().name("log".to_owned()).spawn(move || own.write(to, tell))?;
        Ok(queue)
    }

    /// Appends `line`, or counts it if there is no room. Does not wait for the reader.
    pub(super) fn push(&self, line: &[u8], kind: Kind) {
        self.lock().push(line, kind);
        self.0.changed.notify_all();
    }

    /// Waits until everything is written, but no longer than a service that is told to end may wait.
    pub(super) fn drain(&self) {
        let is_busy = |waiting: &mut Waiting| waiting.is_writing || !waiting.lines.is_empty();
        drop(self.0.changed.wait_timeout_while(self.lock(), REST, is_busy));
    }

    fn write(&self, mut to: impl Write, tell: impl Fn(Missing)) {
        loop {
            let (line, kind) = self.next();
            let is_written = to.write_all(&line).is_ok();
            let news = self.lock().written(&line, kind, is_written);
            // Before the line counts as written: waiting for the end includes this report.
            if let Some(missing) = news {
                tell(missing);
            }
            self.lock().is_writing = false;
            self.0.changed.notify_all();
        }
    }

    /// Waits for the next line to write.
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

    /// Records whether `line` was written. Returns what to report about lines that were left out: only after one was
    /// written, or the report would be left out as well, and not while there is more to write.
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

    /// A queue, the sender that lets it write, and the receivers of what it writes and of what it reports.
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
