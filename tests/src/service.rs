//! A running sidecar on a free port, and the build that it serves.

use std::{
    fs::{self, File},
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, LazyLock, Mutex, PoisonError, Weak},
    thread,
};

use journal::{Journal, secrets};
use sidecar::{Clock, Config, Dependencies, LogFormat, LogSettings, Running, Server, log_into};

use crate::{
    firm::{BuiltFirm, Firm, built},
    http::{self, Connection, Reply},
    outbox::Outbox,
    wait::eventually,
};

/// A sidecar and its build. It stops when this value is dropped.
pub struct Service<F: Firm = BuiltFirm> {
    running: Running,
    /// The log, which is searched for secrets when the service has ended and while its data still exist.
    log: Log,
    pub firm: F,
}

impl Service {
    /// Serves the build `name` with the default configuration.
    #[must_use]
    pub fn of(name: &str) -> Self {
        built(name).serve()
    }

    /// Serves the build `name` with `clock`.
    #[must_use]
    pub fn at(name: &str, clock: &Clock) -> Self {
        let firm = built(name);
        let config = firm.config();
        firm.serve_by(config, clock)
    }
}

impl<F: Firm> Service<F> {
    #[must_use]
    pub fn start(firm: F, config: Config, dependencies: Dependencies) -> Self {
        let log = Log::begin(firm.data());
        Self { running: run(config, dependencies), log, firm }
    }

    /// Ends the service, calls `meanwhile`, and serves the same build again with `clock`.
    #[must_use]
    pub fn restart(self, config: Config, clock: &Clock, meanwhile: impl FnOnce()) -> Self {
        let Self { running, log, firm } = self;
        let end = thread::spawn(move || drop(running));
        meanwhile();
        end.join().expect("an orderly end");
        let dependencies = Dependencies { clock: clock.clone(), ..Dependencies::default() };
        Self { running: run(config, dependencies), log, firm }
    }

    /// Ends the service and returns its build.
    pub fn end(self) -> F {
        drop(self.running);
        self.firm
    }

    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.running.address()
    }

    /// Sends a GET to the address for operators.
    pub fn operator(&self, target: &str) -> Reply {
        http::get(self.admin_address(), target, &[])
    }

    /// Returns the address for operators.
    #[must_use]
    pub fn admin_address(&self) -> SocketAddr {
        self.running.admin_address().expect("an admin listener")
    }

    #[must_use]
    pub fn metrics(&self) -> String {
        self.operator("/metrics").text()
    }

    #[must_use]
    pub fn connection(&self) -> Connection {
        Connection::to(self.address())
    }

    #[must_use]
    pub fn outbox(&self) -> Outbox {
        Outbox::in_folder(self.firm.data().join("outbox"))
    }

    /// Returns the name of the build in force.
    #[must_use]
    pub fn build(&self) -> String {
        self.running.handle().build()
    }

    /// Makes the service check its folder for a new build.
    pub fn reload(&self) {
        self.running.handle().reload();
    }

    pub fn wait_for_another_build_than(&self, old: &str) {
        eventually("another build", || self.build() != old);
    }

    /// Starts an orderly end.
    pub fn stop(&self) {
        self.running.handle().stop();
    }

    /// Sends a GET with further header lines.
    pub fn get(&self, target: &str, headers: &[&str]) -> Reply {
        http::get(self.address(), target, headers)
    }

    /// Sends a HEAD with further header lines.
    #[must_use]
    pub fn head(&self, target: &str, headers: &[&str]) -> Reply {
        self.request("HEAD", target, headers)
    }

    /// Sends a request with any method.
    #[must_use]
    pub fn request(&self, method: &str, target: &str, headers: &[&str]) -> Reply {
        http::request(self.address(), method, target, headers, b"")
    }

    /// Posts `body` with further header lines.
    #[must_use]
    pub fn post(&self, target: &str, headers: &[&str], body: impl AsRef<[u8]>) -> Reply {
        http::request(self.address(), "POST", target, headers, body.as_ref())
    }
}

fn run(config: Config, dependencies: Dependencies) -> Running {
    Server::bind(config, dependencies).expect("the service binds").start().expect("the service starts")
}

/// The log of a service, at level `trace`.
struct Log {
    /// The data folder of the service, with its secrets.
    data: PathBuf,
    _journal: Journal,
}

impl Log {
    fn begin(data: PathBuf) -> Self {
        // The journal has the name of the test program: `suite` for `suite-0123456789abcdef`.
        let program = std::env::current_exe().expect("a program");
        let name = program.file_stem().unwrap_or_default().to_string_lossy();
        Self { data, _journal: Journal::begin(name.rsplit_once('-').map_or(&*name, |(name, _)| name), log) }
    }
}

impl Drop for Log {
    /// Collects also secrets that no test has read: the key of the service, and unopened messages.
    fn drop(&mut self) {
        if thread::panicking() {
            return;
        }
        if let Ok(key) = fs::read_to_string(self.data.join("secret")) {
            secrets::note(key.trim());
        }
        let _ = Outbox::in_folder(self.data.join("outbox")).texts();
    }
}

/// Directs the log of this process to `file`.
fn log(file: File) {
    let level = "trace".parse().expect("a level");
    log_into(LogSettings { format: LogFormat::Text, level, access: false }, file);
}

/// Returns a read-only service that parallel tests share.
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
