//! A running sidecar on a free port, which serves a fresh build.

use std::{
    fs::File,
    net::SocketAddr,
    path::PathBuf,
    sync::{LazyLock, Mutex, PoisonError, Weak},
};

use std::sync::Arc;

use journal::Journal;
use sidecar::{Clock, Config, Dependencies, LimitSettings, LogFormat, LogSettings, Running, Server, log_into};

use crate::{
    firm::{BuiltFirm, build, content_of},
    http::{self, Connection, Reply},
    outbox::Outbox,
};

/// A sidecar and the build that it serves. It stops when the last test that uses it ends.
pub struct Service {
    running: Running,
    /// The build in service.
    pub firm: BuiltFirm,
    /// Its log, which is searched when the service has ended.
    _journal: Journal,
}

impl Service {
    /// Builds the firm of `content` and serves it with the default configuration.
    #[must_use]
    pub fn of(name: &str) -> Self {
        let (config, firm) = built(name);
        Self::with(config, firm)
    }

    /// Returns a configuration that serves `firm` on any free port.
    #[must_use]
    pub fn config(firm: &BuiltFirm) -> Config {
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        Config { listen, dist: firm.dist(), workers: 2, limits: LimitSettings::boundless(), ..Config::default() }
    }

    /// Serves `firm` with `config`, whose port should be 0.
    #[must_use]
    pub fn with(config: Config, firm: BuiltFirm) -> Self {
        Self::of_parts(config, firm, Dependencies::default())
    }

    /// Builds the firm of `content` and serves it by the time of `clock`.
    #[must_use]
    pub fn at(name: &str, clock: &Clock) -> Self {
        let (config, firm) = built(name);
        Self::by_clock(config, firm, clock.clone())
    }

    /// Serves `firm` with `config`, by a clock that a test controls.
    #[must_use]
    pub fn by_clock(config: Config, firm: BuiltFirm, clock: Clock) -> Self {
        Self::of_parts(config, firm, Dependencies { clock, ..Dependencies::default() })
    }

    fn of_parts(config: Config, firm: BuiltFirm, parts: Dependencies) -> Self {
        let journal = Journal::begin("suite", log);
        let running = Server::bind(config, parts).expect("the service binds").start();
        Self { running: running.expect("the service starts"), firm, _journal: journal }
    }

    /// Returns the address on which it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.running.address()
    }

    /// Returns the metrics that operators read; empty without an admin listener.
    #[must_use]
    pub fn metrics(&self) -> String {
        let address = self.running.admin_address();
        address.map_or_else(String::new, |address| crate::get(address, "/metrics", &[]).text())
    }

    /// Returns a new connection to it.
    #[must_use]
    pub fn connection(&self) -> Connection {
        Connection::to(self.address())
    }

    /// Returns the messages that it has sent.
    #[must_use]
    pub fn outbox(&self) -> Outbox {
        Outbox::in_folder(self.dist().with_file_name("data").join("outbox"))
    }

    /// Returns the folder that it serves.
    #[must_use]
    pub fn dist(&self) -> PathBuf {
        self.firm.dist()
    }

    /// Returns the name of the build in force.
    #[must_use]
    pub fn build(&self) -> String {
        self.running.handle().build()
    }

    /// Makes the service look at its folder now.
    pub fn reload(&self) {
        self.running.handle().reload();
    }

    /// Sends a GET with further header lines.
    #[must_use]
    pub fn get(&self, target: &str, headers: &[&str]) -> Reply {
        http::get(self.address(), target, headers)
    }

    /// Sends a HEAD with further header lines.
    #[must_use]
    pub fn head(&self, target: &str, headers: &[&str]) -> Reply {
        http::head(self.address(), target, headers)
    }

    /// Sends a request with any method.
    #[must_use]
    pub fn request(&self, method: &str, target: &str, headers: &[&str]) -> Reply {
        http::request(self.address(), method, target, headers, b"")
    }
}

/// Writes everything that services of this process log to `file`.
fn log(file: File) {
    let level = "trace".parse().expect("a level");
    log_into(LogSettings { format: LogFormat::Text, level }, file);
}

/// Returns a service that is only read from, shared by the tests that run at the same time.
fn shared(slot: &Mutex<Weak<Service>>, name: &str) -> Arc<Service> {
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    slot.upgrade().unwrap_or_else(|| {
        let service = Arc::new(Service::of(name));
        *slot = Arc::downgrade(&service);
        service
    })
}

/// Serves the demonstration firm.
#[must_use]
pub fn demonstration() -> Arc<Service> {
    static SLOT: LazyLock<Mutex<Weak<Service>>> = LazyLock::new(|| Mutex::new(Weak::new()));
    shared(&SLOT, "content")
}

/// Serves the small fixture firm.
#[must_use]
pub fn fixture() -> Arc<Service> {
    static SLOT: LazyLock<Mutex<Weak<Service>>> = LazyLock::new(|| Mutex::new(Weak::new()));
    shared(&SLOT, "firm")
}

/// Returns a fresh build of the firm of `content`, and a configuration that serves it.
fn built(name: &str) -> (Config, BuiltFirm) {
    let firm = build(&content_of(name));
    (Service::config(&firm), firm)
}
