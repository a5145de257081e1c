//! Sends events to standard error, one line each.

use std::{fs::File, io, sync::Mutex};

use tracing::Level;
use tracing_subscriber::{
    filter::Targets,
    fmt::{self, MakeWriter},
    layer::SubscriberExt as _,
    registry,
    util::SubscriberInitExt as _,
};

use crate::config::{LogFormat, LogSettings};

/// Starts logging for the whole process. A second call has no effect.
pub(crate) fn start(settings: LogSettings) {
    write(settings, io::stderr);
}

/// The same into a file, for a test that reads what its services log.
pub fn log_into(settings: LogSettings, file: File) {
    write(settings, Mutex::new(file));
}

fn write(settings: LogSettings, writer: impl for<'w> MakeWriter<'w> + Send + Sync + 'static) {
    // What the libraries have to say about single connections is under the control of strangers, and no event.
    let filter = Targets::new()
        .with_target("sidecar", settings.level)
        // What happened to registrations is told whatever else is.
        .with_target("audit", Level::INFO)
        .with_default(Level::WARN)
        .with_target("actix_http", None::<Level>)
        // Security: it quotes what it does not know of an address, which may be a password.
        .with_target("sqlx_postgres::options", None::<Level>);
    let registry = registry().with(filter);
    // Operators tell the lines of the audit apart by their target.
    let layer = fmt::layer().with_writer(writer).with_target(true);
    // It fails only where a test's harness logs already.
    let _ = match settings.format {
        LogFormat::Text => registry.with(layer.with_ansi(false)).try_init(),
        LogFormat::Json => registry.with(layer.json().flatten_event(true)).try_init(),
    };
}
