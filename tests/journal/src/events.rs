//! Tracing events of the code under test, without a service that logs them.

use std::{
    io,
    sync::{
        Mutex,
        mpsc::{Receiver, Sender, channel},
    },
};

use tracing::{Dispatch, Level, subscriber::DefaultGuard};
use tracing_subscriber::{
    filter::Targets, fmt, fmt::MakeWriter, layer::SubscriberExt as _, registry, util::SubscriberInitExt as _,
};

/// Writes every event of this process to the journal `name`.
pub fn keep_events(name: &str) {
    super::keep(name, |file| {
        // Security: the database library logs unknown parts of an address.
        let filter = Targets::new()
            .with_default(Level::WARN)
            .with_targets(["audit", "mail", "registration", "sidecar"].map(|own| (own, Level::TRACE)))
            .with_target("sqlx_postgres::options", None::<Level>);
        let layer = fmt::layer().with_writer(Mutex::new(file)).with_ansi(false);
        let _ = registry().with(filter).with(layer).try_init();
    });
}

/// Receives the events of this thread while it lives.
#[must_use]
#[derive(Debug)]
pub struct Listener {
    _guard: DefaultGuard,
    /// With a single subscriber, an event that it ignores is cached as disabled for ever.
    _other: Dispatch,
}

/// Starts to receive the events of this thread, one line each.
pub fn listen() -> (Listener, Receiver<String>) {
    let (sender, lines) = channel();
    let subscriber = fmt().with_ansi(false).without_time().with_writer(Lines(sender)).finish();
    let other = Dispatch::new(registry());
    (Listener { _guard: tracing::subscriber::set_default(subscriber), _other: other }, lines)
}

#[derive(Clone)]
struct Lines(Sender<String>);

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}
