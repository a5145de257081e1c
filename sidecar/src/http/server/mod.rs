//! The composition root: from a configuration to a running service, and its end.

mod admin;
mod bound;
mod foreground;
mod reload;
mod running;
mod signals;
mod start_error;

use std::{
    future::pending,
    io,
    net::{SocketAddr, TcpListener},
    rc::Rc,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc as std_mpsc,
    },
    thread,
    time::Duration,
};

use actix_http::{HttpService, KeepAlive};
use actix_service::{ServiceFactoryExt as _, fn_service, map_config};
use actix_web::{
    App,
    dev::{AppConfig, Server as ActixServer, ServerHandle, ServiceRequest},
    rt,
};
use arc_swap::ArcSwap;
use clock::Clock;
use connection::{MakeErrorResponse, Stream};
use contract::{errors::HEAD_SECONDS, text::origin::is_of_this_machine};
use metrics::HttpMetrics;
use secrets::Entropy;
use settings::ConfigError;
use tokio::{
    net::TcpStream,
    sync::mpsc::{self, UnboundedReceiver},
};

pub(crate) use self::reload::{check, site_url};
use self::{
    admin::AdminState,
    bound::Bound,
    reload::{ReadConfig, Reloading},
    running::ServerCommand,
    signals::Signals,
};
pub use self::{
    foreground::Foreground,
    running::{Handle, Running},
    start_error::StartError,
};
use super::{service::RequestWorker, site::ServedSite, state::AppState};
use crate::{
    config::Config,
    published::{ManifestStamp, watch},
    services::{Background, Closing, Services},
};

/// How long the first request head may take.
const FIRST_HEAD: Duration = Duration::from_secs(HEAD_SECONDS);
/// How long a closing connection may keep sending.
const LINGER: Duration = Duration::from_secs(2);
/// How long shutdown waits for responses in progress.
const GRACE_SECONDS: u64 = 30;
/// The most connections of one worker, if the limit of open files allows.
const MAX_CONNECTIONS: usize = 50_000;
/// Open files reserved for the store, builds, mail and operators.
const OTHER_FILES: u64 = 256;
/// Open files of a worker besides its connections.
const FILES_OF_A_WORKER: u64 = 8;

/// Sources of time and randomness, which tests replace.
#[derive(Clone, Debug)]
pub struct Dependencies {
    pub clock: Clock,
    pub entropy: Entropy,
}

impl Default for Dependencies {
    fn default() -> Self {
        Self { clock: Clock::system(), entropy: Entropy::system() }
    }
}

/// A service that is loaded and bound, but not yet running.
pub struct Server {
    config: Config,
    state: Arc<AppState>,
    seen: Option<ManifestStamp>,
    public: TcpListener,
    admin: Option<TcpListener>,
    address: SocketAddr,
    admin_address: Option<SocketAddr>,
    handle: Handle,
    commands: UnboundedReceiver<ServerCommand>,
    services: Services,
}

impl Server {
    /// Binds the addresses of `config`, loads its build and listens. Port 0 means any free port.
    pub fn bind(mut config: Config, dependencies: Dependencies) -> Result<Self, StartError> {
        let name = |key| config.settings.name(key);
        let public = Bound::take(config.listen, name("listen"))?;
        let admin = config.admin_listen.map(|address| Bound::take(address, name("admin_listen"))).transpose()?;
        let seen = ManifestStamp::of(&config.dist);
        let (resolved, site) = reload::check_and_load(&config, None)?;
        // Credentials and links contain the origin, so all builds of a running service must have the same.
        config.site_url.get_or_insert_with(|| site.url.clone());
        let services = Services::open(resolved, &config, &site.url, site.offers.clone(), dependencies.entropy);
        let services = services.map_err(|error| error.with_place(&config.settings))?;
        let (public, admin) = (public.listen()?, admin.map(Bound::listen).transpose()?);
        advise(&config, &site);
        let is_local = is_of_this_machine(&site.url);
        let state = Arc::new(AppState {
            site: ArcSwap::from_pointee(site),
            trusted_proxies: config.trusted_proxies.clone(),
            edge_secret: config.edge_secret.clone(),
            is_local,
            mcp_allowed_origins: config.mcp_allowed_origins.clone(),
            clock: dependencies.clock,
            registrar: services.registrar().clone(),
            metrics: HttpMetrics::default(),
            usage: config.report.then(Arc::default),
            is_ending: AtomicBool::new(false),
        });
        let (sender, commands) = mpsc::unbounded_channel();
        Ok(Self {
            address: public.local_addr().map_err(StartError::System)?,
            admin_address: admin.as_ref().map(TcpListener::local_addr).transpose().map_err(StartError::System)?,
            handle: Handle { commands: sender, state: Arc::clone(&state) },
            config,
            state,
            seen,
            public,
            admin,
            commands,
            services,
        })
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn admin_address(&self) -> Option<SocketAddr> {
        self.admin_address
    }

    /// Returns a handle that controls this service once it runs.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Serves in the `foreground` until SIGTERM or SIGINT. On SIGHUP reloads the build and applies the settings that
    /// `read` returns, as far as a running service can.
    pub fn run(
        self,
        foreground: Foreground,
        read: impl Fn() -> Result<Config, ConfigError> + Send + 'static,
    ) -> Result<(), StartError> {
        let (service, background) = self.split(Box::new(read));
        let ended = foreground.run(|signals| service.serve(Some(signals))).map_err(StartError::System);
        drop(background);
        ended
    }

    /// Serves on a separate thread until the result is dropped. Ignores signals; a reload reads the build and the trust
    /// list again.
    pub fn start(self) -> Result<Running, StartError> {
        let (address, admin_address, handle) = (self.address, self.admin_address, self.handle());
        let thread = thread::Builder::new()
            .name("sidecar".to_owned())
            .spawn(move || {
                let config = self.config.clone();
                let (service, background) = self.split(Box::new(move || Ok(config.clone())));
                let ended = foreground::runtime().and_then(|runtime| runtime.block_on(service.serve(None)));
                drop(background);
                ended
            })
            .map_err(StartError::System)?;
        Ok(Running { address, admin_address, handle, thread: Some(thread) })
    }

    /// Splits off the background work, which must outlive the threads of the service.
    fn split(self, read: ReadConfig) -> (BoundService, Background) {
        let Self { config, state, seen, public, admin, commands, services, handle, .. } = self;
        let forms = Arc::clone(&state);
        let background = services.work(&state.clock, move || Arc::clone(&forms.site.load().forms), state.usage.clone());
        let closing = background.closing();
        (BoundService { config, read, state, seen, public, admin, commands, handle, closing }, background)
    }
}

struct BoundService {
    config: Config,
    read: ReadConfig,
    state: Arc<AppState>,
    seen: Option<ManifestStamp>,
    public: TcpListener,
    admin: Option<TcpListener>,
    commands: UnboundedReceiver<ServerCommand>,
    /// Keeps the command channel open: a closed one would always be ready.
    handle: Handle,
    /// Stops the sending of further e-mails.
    closing: Closing,
}

impl BoundService {
    async fn serve(self, mut signals: Option<Signals>) -> io::Result<()> {
        let Self { config, read, state, seen, public, admin, mut commands, handle, closing } = self;
        let (address, workers, drain) = (public.local_addr()?, config.workers, config.drain);
        let admin_address = admin.as_ref().map(TcpListener::local_addr).transpose()?.map(tracing::field::display);
        let mut server = public_server(&config, &state, public)?;
        let mut operators =
            admin.map(|listener| admin::server(AdminState::new(&config, &state), listener)).transpose()?;
        let (nudges, receiver) = std_mpsc::channel();
        let watcher = thread::Builder::new().name("dist-watch".to_owned()).spawn(move || {
            let mut reloading = Reloading::new(config, read, state);
            watch(&reloading.folder(), seen, &receiver, |occasion| reloading.reload(occasion));
        })?;
        let control = server.handle();
        // The signal handlers are installed before this line is logged.
        tracing::info!(%address, admin_address, build = handle.build(), workers, "serving");
        let ended = loop {
            let command = tokio::select! {
                ended = &mut server => break ended,
                ended = end_of(&mut operators) => {
                    operators = None;
                    break ended;
                }
                // A closed channel disables this branch; signals still arrive.
                Some(command) = commands.recv() => Some(command),
                command = Signals::next(&mut signals) => Some(command),
            };
            match command {
                // The watcher outlives this loop, so the send succeeds.
                Some(ServerCommand::Reload) => drop(nudges.send(())),
                // Balancers see `/readyz` and stop sending requests. A second request to end shortens the wait.
                Some(ServerCommand::Stop)
                    if !handle.state.is_ending.swap(true, Ordering::Relaxed) && !drain.is_zero() =>
                {
                    tracing::info!(seconds = drain.as_secs(), "draining: requests are answered until the time is over");
                    let again = handle.clone();
                    rt::spawn(async move {
                        rt::time::sleep(drain).await;
                        again.stop();
                    });
                }
                Some(ServerCommand::Stop) => {
                    // E-mails in progress finish within the same time as responses.
                    closing.begin();
                    tracing::info!("shutting down: answers in progress are finished first");
                    stop(&control);
                }
                None => {}
            }
        };
        // The admin server ends last, so that operators can watch the shutdown.
        let ended = match operators {
            Some(operators) => {
                stop(&operators.handle());
                ended.and(operators.await)
            }
            None => ended,
        };
        drop(nudges);
        // An embedding program may delete the folder next, so wait for the watcher; a process that ends need not wait
        // for a disk.
        if signals.is_none() {
            let _ = watcher.join();
        }
        ended
    }
}

/// Waits for the end of `server`; never ready if there is none.
async fn end_of(server: &mut Option<ActixServer>) -> io::Result<()> {
    match server {
        Some(server) => server.await,
        None => pending().await,
    }
}

/// Logs warnings about the configuration of a service that starts.
fn advise(config: &Config, site: &ServedSite) {
    reload::warn_narrowed_offers(config, site);
    if site.url.starts_with("https:") && config.trusted_proxies.is_empty() && config.edge_secret.is_none() {
        let name = config.settings.name("trusted_proxies");
        tracing::warn!(
            "the site uses https, so a proxy is in front of this service; until {name} names it, all clients behind it \
             are limited as one"
        );
    }
}

fn public_server(config: &Config, state: &Arc<AppState>, listener: TcpListener) -> io::Result<ActixServer> {
    let files = rlimit::Resource::NOFILE.get_soft().unwrap_or(u64::MAX);
    let builder = ActixServer::build()
        .workers(config.workers)
        .max_concurrent_connections(max_connections(files, config.workers))
        .shutdown_timeout(GRACE_SECONDS)
        .disable_signals();
    let ending = builder.graceful_shutdown_signal();
    let state = Arc::clone(state);
    let builder = builder.listen("public", listener, move || {
        let ending = ending.clone();
        // Runs on the thread of each worker.
        let metrics = state.metrics.worker();
        let worker = Rc::new(RequestWorker::new(Arc::clone(&state), Arc::clone(&metrics)));
        let last = Rc::clone(&worker);
        let error_response: MakeErrorResponse = Rc::new(move |unreadable| last.error_response(unreadable));
        let app = App::new().default_service(fn_service(move |request: ServiceRequest| {
            let worker = Rc::clone(&worker);
            async move { Ok(worker.serve(request).await) }
        }));
        let http = HttpService::build()
            // `Stream` closes idle connections.
            .keep_alive(KeepAlive::Os)
            .client_request_timeout(FIRST_HEAD)
            .client_disconnect_timeout(LINGER)
            .graceful_shutdown_signal(move || {
                let ending = ending.clone();
                async move { ending.notified().await }
            })
            .on_connect_ext(move |stream: &Stream<TcpStream>, data| {
                data.insert(stream.gate());
                data.insert(metrics.count_connection());
            })
            .h1(map_config(app, |()| AppConfig::default()));
        fn_service(move |stream: TcpStream| {
            let error_response = Rc::clone(&error_response);
            async move {
                stream.set_nodelay(true)?;
                // Security: a reset connection has no address, but its data can still be read. Without an address no
                // limit applies, so close it.
                let peer = stream.peer_addr()?;
                Ok((Stream::new(stream, error_response), Some(peer)))
            }
        })
        .and_then(http)
    })?;
    Ok(builder.run())
}

/// Returns how many connections each of `workers` may have if this process may have `files` open.
fn max_connections(files: u64, workers: usize) -> usize {
    let workers = u64::try_from(workers).unwrap_or(u64::MAX).max(1);
    let each = (files.saturating_sub(OTHER_FILES) / workers).saturating_sub(FILES_OF_A_WORKER);
    usize::try_from(each).unwrap_or(usize::MAX).clamp(1, MAX_CONNECTIONS)
}

/// Starts the graceful shutdown of a server; its future is ready when it has ended.
fn stop(control: &ServerHandle) {
    rt::spawn(control.stop(true));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_everything_else() {
        for (files, workers, most) in [(1024, 2, 376), (65_536, 1, MAX_CONNECTIONS), (65_536, 2, 32_632), (64, 4, 1)] {
            assert_eq!(max_connections(files, workers), most, "{files} for {workers}");
        }
        assert_eq!(max_connections(u64::MAX, 0), MAX_CONNECTIONS);
    }
}
