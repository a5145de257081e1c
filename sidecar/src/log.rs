//! Sends events to standard error, one line each.
//!
//! A service never waits for the reader of its log, which may be a blocked pipe: a thread writes the lines, and a full
//! queue drops new ones. Audit lines have their own queue and thread, and are never dropped. Access lines have their
//! own so that they do not crowd out others.

use std::{
    backtrace::{Backtrace, BacktraceStatus},
    fs::File,
    io::{self, Write as _},
    panic,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use tracing::{Event, Level, Metadata, Subscriber};
use tracing_appender::non_blocking::{ErrorCounter, NonBlocking, NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    filter::Targets,
    fmt::{
        self, FmtContext, FormatEvent, FormatFields, MakeWriter,
        format::{Format, Writer},
        writer::MakeWriterExt as _,
    },
    layer::SubscriberExt as _,
    registry,
    registry::{LookupSpan, Registry},
    reload,
    util::SubscriberInitExt as _,
};

use crate::config::{LogFormat, LogSettings};

/// Target of audit events.
const AUDIT: &str = "audit";
/// Target of lines about single requests.
pub(crate) const ACCESS: &str = "access";
/// Capacity of the queues for ordinary and for access lines, each.
const MAX_WAITING_LINES: usize = 8 * 1024;
const MAX_WAITING_AUDIT_LINES: usize = 128 * 1024;
/// The parts of the log that a reload changes: the filter, and whether lines are JSON.
static FILTER: OnceLock<reload::Handle<Targets, Registry>> = OnceLock::new();
static IS_JSON: AtomicBool = AtomicBool::new(false);
const REPORT_INTERVAL: Duration = Duration::from_mins(1);

/// Starts logging for a command: each call waits until its line is written, and no line is dropped.
pub(crate) fn start(settings: LogSettings) {
    write(settings, io::stderr);
}

/// The log of a process. Dropping it flushes the queues, as far as the lines are read.
#[derive(Debug, Default)]
pub(crate) struct Log(Option<Queues>);

#[derive(Debug)]
struct Queues {
    lines: NonBlocking,
    _guards: [WorkerGuard; 3],
}

impl Log {
    pub(crate) fn start_service(&mut self, settings: LogSettings) -> io::Result<()> {
        let queue = |name, lines, is_lossy| {
            let builder = NonBlockingBuilder::default().thread_name(name).buffered_lines_limit(lines).lossy(is_lossy);
            builder.finish(io::stderr())
        };
        let (lines, guard) = queue("log", MAX_WAITING_LINES, true);
        let (audit, audit_guard) = queue("audit", MAX_WAITING_AUDIT_LINES, false);
        let (access, access_guard) = queue("access", MAX_WAITING_LINES, true);
        let counters = [lines.error_counter(), access.error_counter()];
        let others = access.with_filter(|meta: &Metadata<'_>| meta.target() == ACCESS).or_else(lines.clone());
        write(settings, audit.with_filter(|meta: &Metadata<'_>| meta.target() == AUDIT).or_else(others));
        report_dropped_lines(counters)?;
        let panics = Mutex::new(lines.clone());
        // The panicking thread may serve requests, so it must not wait for the log either.
        panic::set_hook(Box::new(move |info| {
            let thread = thread::current();
            let mut text = format!("thread '{}' {info}\n", thread.name().unwrap_or("<unnamed>"));
            let trace = Backtrace::capture();
            if trace.status() == BacktraceStatus::Captured {
                text.push_str(&trace.to_string());
            }
            if let Ok(mut lines) = panics.lock() {
                let _ = lines.write_all(text.as_bytes());
            }
        }));
        self.0 = Some(Queues { lines, _guards: [audit_guard, access_guard, guard] });
        Ok(())
    }

    /// Writes `line` after all earlier lines.
    pub(crate) fn write_line(&self, line: &str) {
        let line = format!("{line}\n");
        // There is no other place to report a failure.
        let _ = match &self.0 {
            Some(queues) => queues.lines.clone().write_all(line.as_bytes()),
            None => io::stderr().write_all(line.as_bytes()),
        };
    }
}

/// Logs each [`REPORT_INTERVAL`] how many lines were dropped since the start, if the number has grown.
fn report_dropped_lines(counters: [ErrorCounter; 2]) -> io::Result<()> {
    let mut reported = 0;
    let report = move || loop {
        thread::sleep(REPORT_INTERVAL);
        let dropped: usize = counters.iter().map(ErrorCounter::dropped_lines).sum();
        if dropped > reported {
            reported = dropped;
            let lines = dropped;
            tracing::error!(lines, "log lines dropped since the start: nothing read the log in time");
        }
    };
    thread::Builder::new().name("log-report".to_owned()).spawn(report).map(drop)
}

/// Sends events into a file, for tests.
pub fn log_into(settings: LogSettings, file: File) {
    write(settings, Mutex::new(file));
}

/// Applies other settings to the running log.
pub(crate) fn change(settings: LogSettings) {
    IS_JSON.store(settings.format == LogFormat::Json, Ordering::Relaxed);
    if let Some(filter) = FILTER.get() {
        // Fails only at the end of the process.
        let _ = filter.reload(targets(settings));
    }
}

/// Starts logging for the whole process. A second call has no effect.
fn write(settings: LogSettings, writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static) {
    let (filter, handle) = reload::Layer::new(targets(settings));
    // The library would report a failed write to the same stream, and panic if that failed too.
    let layer = fmt::layer().with_writer(writer).with_ansi(false).log_internal_errors(false).event_format(LineFormat);
    // Fails only if a test harness already logs.
    if registry().with(filter).with(layer).try_init().is_ok() && FILTER.set(handle).is_ok() {
        change(settings);
    }
}

fn targets(settings: LogSettings) -> Targets {
    // Clients control what `actix_http` logs about single connections, so switch it off.
    Targets::new()
        .with_targets(["mail", "providers", "registration", "sidecar"].map(|own| (own, settings.level)))
        // The audit is logged at every level, and so is the confirmation of a reload that an operator requested.
        .with_target(AUDIT, Level::INFO)
        .with_target("sidecar::http::server::reload", settings.level.max(Level::INFO))
        .with_target(ACCESS, settings.access.then_some(Level::INFO))
        .with_default(Level::WARN)
        .with_target("actix_http", None::<Level>)
        // The store tells once that it fails; these tell each attempt, and each slow statement with its words.
        .with_target("sqlx_core::pool", None::<Level>)
        .with_target("sqlx::query", None::<Level>)
        // Security: it logs unknown parts of a database address, which may be a password.
        .with_target("sqlx_postgres::options", None::<Level>)
}

/// Formats lines as text or JSON; access lines are always JSON.
struct LineFormat;

impl<S, N> FormatEvent<S, N> for LineFormat
where
    S: Subscriber + for<'span> LookupSpan<'span>,
    N: for<'writer> FormatFields<'writer> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, writer: Writer<'_>, event: &Event<'_>) -> std::fmt::Result {
        let format = Format::default();
        if IS_JSON.load(Ordering::Relaxed) || event.metadata().target() == ACCESS {
            let format = format.json().flatten_event(true).with_current_span(false).with_span_list(false);
            format.format_event(context, writer, event)
        } else {
            format.format_event(context, writer, event)
        }
    }
}
