//! Sends events to standard error, one line each.

mod queue;

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    fs::File,
    io::{self, Write as _},
    panic,
    sync::Mutex,
    thread,
};

use tracing::{Level, Metadata};
use tracing_subscriber::{
    filter::Targets,
    fmt::{self, MakeWriter},
    layer::SubscriberExt as _,
    registry,
    util::SubscriberInitExt as _,
};

use self::queue::{Kind, Queue};
use crate::config::{LogFormat, LogSettings};

/// The target of audit events, by which operators recognise their lines.
const AUDIT: &str = "audit";
/// The target of events about the log itself.
const HERE: &str = module_path!();

/// Starts logging for a command: a caller waits until its line is written, and no line is dropped.
pub(crate) fn start(settings: LogSettings) {
    write(settings, io::stderr);
}

/// The log of a process. Dropping it writes the remaining lines, as far as somebody reads them.
#[derive(Debug, Default)]
pub(crate) struct Log(Option<Queue>);

impl Log {
    /// Starts logging for a service, in which nothing waits for the reader of the log.
    pub(crate) fn start_beside(&mut self, settings: LogSettings) -> io::Result<()> {
        let queue = Queue::before(io::stderr(), |missing| {
            let (lines, of_audit) = (missing.lines, missing.of_audit);
            tracing::error!(
                lines,
                of_audit,
                "log lines were dropped since the start, because nothing read the log in time"
            );
        })?;
        write(settings, queue.clone());
        let panics = queue.clone();
        // The panicking thread may be one that answers requests.
        panic::set_hook(Box::new(move |info| {
            let thread = thread::current();
            let mut text = format!("thread '{}' {info}\n", thread.name().unwrap_or("<unnamed>"));
            let trace = Backtrace::capture();
            if trace.status() == BacktraceStatus::Captured {
                text.push_str(&trace.to_string());
            }
            panics.push(text.as_bytes(), Kind::Other);
        }));
        self.0 = Some(queue);
        Ok(())
    }

    /// Writes `line` after everything that was logged before.
    pub(crate) fn tell(&self, line: &str) {
        let line = format!("{line}\n");
        match &self.0 {
            Some(queue) => queue.push(line.as_bytes(), Kind::Other),
            // If it cannot be written, there is nobody left to tell.
            None => drop(io::stderr().write_all(line.as_bytes())),
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        if let Some(queue) = &self.0 {
            queue.drain();
        }
    }
}

/// Sends events into a file, for a test that reads what its services log.
pub fn log_into(settings: LogSettings, file: File) {
    write(settings, Mutex::new(file));
}

/// Starts logging for the whole process. A second call has no effect.
fn write(settings: LogSettings, writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static) {
    // What the libraries log about single connections is under the control of strangers, and is not an event.
    let filter = Targets::new()
        .with_targets(["clock", "mail", "registration", "sidecar"].map(|own| (own, settings.level)))
        // What happened to registrations is always logged, whatever the level.
        .with_target(AUDIT, Level::INFO)
        .with_default(Level::WARN)
        .with_target("actix_http", None::<Level>)
        // Security: it quotes the parts of an address that it does not know, which may be a password.
        .with_target("sqlx_postgres::options", None::<Level>);
    let registry = registry().with(filter);
    // If a line could not be written, the library would report that in the same place, and panic if that failed too.
    let layer = fmt::layer().with_writer(writer).with_target(true).log_internal_errors(false);
    // This fails only if a test harness already logs.
    let _ = match settings.format {
        LogFormat::Text => registry.with(layer.with_ansi(false)).try_init(),
        LogFormat::Json => registry.with(layer.json().flatten_event(true)).try_init(),
    };
}

/// A line on its way into a queue.
struct Line<'q> {
    queue: &'q Queue,
    kind: Kind,
}

impl<'q> MakeWriter<'q> for Queue {
    type Writer = Line<'q>;

    fn make_writer(&'q self) -> Line<'q> {
        Line { queue: self, kind: Kind::Other }
    }

    fn make_writer_for(&'q self, meta: &Metadata<'_>) -> Line<'q> {
        let kind = match meta.target() {
            AUDIT => Kind::Audit,
            // Nothing else is logged in this module.
            HERE => Kind::Missing,
            _ => Kind::Other,
        };
        Line { queue: self, kind }
    }
}

impl io::Write for Line<'_> {
    /// Takes an event, which always comes whole.
    fn write(&mut self, octets: &[u8]) -> io::Result<usize> {
        self.queue.push(octets, self.kind);
        Ok(octets.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
