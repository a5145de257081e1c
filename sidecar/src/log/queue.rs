//! Lines that wait to be written, so that nothing else waits for the reader of the log.
//!
//! A pipe that nobody reads takes no more, and a writer then waits for ever: because the driver of a container's log
//! blocks, a journal hangs, or a program after `|` has stopped. So one thread writes, and all others put lines into a
//! bounded queue. When it is full, lines are dropped and counted, those of the audit last of all.

use std::{
    collections::VecDeque,
    io::{self, Write},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::Duration,
};

use crate::Clock;

/// The most octets that may be waiting before a line is dropped.
const ROOM: usize = 1 << 20;
/// The same for a line of the audit: some eighty thousand lines, or many hours of registrations at the limits of the
/// configuration.
const ROOM_OF_AUDIT: usize = 16 << 20;
/// How long lines may be dropped without a report, if the queue is never empty.
const UNTOLD: Duration = Duration::from_mins(1);
/// How long the reader has for the remaining lines when the process ends.
const REST: Duration = Duration::from_secs(2);

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A line of the audit: dropped only after other lines have not been accepted for long.
    Audit,
    Other,
    /// The number of dropped lines: it goes to the front of the queue, even if that is full.
    Missing,
}

/// How many lines have been dropped since the start.
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

/// The lines that wait, and the count of those that were dropped.
#[derive(Debug, Default)]
struct Waiting {
    lines: VecDeque<(Vec<u8>, Kind)>,
    /// Number of octets in these lines and in the one that is being written.
    octets: usize,
    is_writing: bool,
    missing: Missing,
    /// How much of that has been reported.
    told: Missing,
    /// Since when, by the clock of the writer, something has been unreported.
    untold: Option<Duration>,
}

impl Queue {
    /// Creates a queue in front of `to`, which is written to by a thread of its own. If lines were dropped, `tell` is
    /// called with their number once lines are written again and none is waiting any more, or after a minute.
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

    /// Waits until everything is written, but no longer than a service may wait that has been told to end.
    pub(super) fn drain(&self) {
        let is_busy = |waiting: &mut Waiting| waiting.is_writing || !waiting.lines.is_empty();
        drop(self.0.changed.wait_timeout_while(self.lock(), REST, is_busy));
    }

    fn write(&self, to: impl Write, tell: impl Fn(Missing)) {
        let (clock, mut to) = (Clock::system(), Lines { to, is_begun: false });
        loop {
            let (line, kind) = self.next();
            let is_written = to.write(&line).is_ok();
            let now = Duration::from_nanos(clock.nanoseconds());
            let news = self.lock().written(&line, kind, is_written, now);
            // This comes before the line counts as written: waiting for the end includes this report.
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

/// Where lines are written to.
struct Lines<W> {
    to: W,
    /// Whether the output ends with an incomplete line.
    is_begun: bool,
}

impl<W: Write> Lines<W> {
    /// Writes `line`, but never directly after a part of another one, or neither could be read.
    fn write(&mut self, line: &[u8]) -> io::Result<()> {
        if self.is_begun {
            self.to.write_all(b"\n")?;
        }
        let mut rest = line;
        while !rest.is_empty() {
            self.is_begun = rest.len() < line.len();
            match self.to.write(rest) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.is_begun = false;
        Ok(())
    }
}

impl Waiting {
    fn push(&mut self, line: &[u8], kind: Kind) {
        let most = match kind {
            Kind::Other => ROOM,
            Kind::Audit => ROOM_OF_AUDIT,
            Kind::Missing => usize::MAX,
        };
        if self.octets + line.len() > most {
            return self.missing.count(kind);
        }
        self.octets += line.len();
        match kind {
            Kind::Missing => self.lines.push_front((line.to_vec(), kind)),
            Kind::Audit | Kind::Other => self.lines.push_back((line.to_vec(), kind)),
        }
    }

    /// Records whether `line` was written. Returns what to report about dropped lines: only after a line was written,
    /// or the report would be dropped as well, and not while more lines wait, unless that goes on for long.
    fn written(&mut self, line: &[u8], kind: Kind, is_written: bool, now: Duration) -> Option<Missing> {
        self.octets -= line.len();
        if !is_written {
            self.missing.count(kind);
        }
        if self.missing == self.told {
            return None;
        }
        let since = *self.untold.get_or_insert(now);
        let is_due = self.lines.is_empty() || now.saturating_sub(since) >= UNTOLD;
        (is_written && is_due).then(|| {
            (self.told, self.untold) = (self.missing, None);
            self.missing
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Takes a line when it is allowed to. Of a line that begins with a comma it takes half and then refuses the rest,
    /// as a full disk does; a line that begins with a dot it refuses.
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
            let taken = if octets.starts_with(b",") { octets.iter().position(|octet| *octet == b'.') } else { None };
            let taken = taken.unwrap_or(octets.len());
            self.lines.send(String::from_utf8(octets[..taken].to_vec()).unwrap()).unwrap();
            Ok(taken)
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
    fn a_line_that_breaks_off_takes_no_other_with_it() {
        let (queue, allow, written, told) = queue();
        drop(allow);
        for line in [",half.half\n", ".none\n", "whole\n", "more\n"] {
            queue.push(line.as_bytes(), Kind::Other);
        }
        queue.drain();
        let written: String = written.try_iter().collect();
        assert_eq!(written, ",half\nwhole\nmore\n");
        assert_eq!(told.try_iter().collect::<Vec<_>>(), [Missing { lines: 2, of_audit: 0 }]);
    }

    #[test]
    fn what_is_left_out_is_told_to_who_reads_slowly_too_and_stands_first() {
        let (mut waiting, start) = (Waiting::default(), Duration::ZERO);
        for line in [&vec![b'x'; ROOM - 2][..], b"a\n", b"b\n"] {
            waiting.push(line, Kind::Other);
        }
        let (first, kind) = waiting.lines.pop_front().unwrap();
        let (lines, minute) = (Missing { lines: 1, of_audit: 0 }, Duration::from_mins(1));
        assert_eq!(waiting.written(&first, kind, true, start), None, "another one waits");
        waiting.octets = ROOM;
        assert_eq!(waiting.written(b"", kind, false, start + minute * 2), None, "nothing is written");
        assert_eq!(waiting.written(b"", kind, true, start + minute * 2), Some(Missing { lines: 2, ..lines }));
        waiting.push(b"told\n", Kind::Missing);
        assert_eq!(waiting.lines.front().unwrap().0, b"told\n");
        assert_eq!(waiting.written(b"", kind, true, start + minute * 9), None, "once");
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
