//! The admin server: liveness, readiness and metrics on a separate address.

use std::{
    io,
    net::TcpListener,
    path::PathBuf,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use actix_service::fn_service;
use actix_web::{
    App, HttpServer,
    dev::{Server, ServiceRequest},
    http::{
        Method, StatusCode,
        header::{CONTENT_TYPE, HOST, HeaderValue},
    },
};
use contract::{
    Locale, media,
    text::origin::{address, is_local, name},
};
use registration::store::{StoreError, StoreFailure};
use tokio::{sync::Mutex, time::Instant};

use super::FIRST_HEAD;
use crate::{
    config::Config,
    http::{
        response::{Response, error_response, harden, plain},
        state::AppState,
    },
    published::ManifestStamp,
};

/// The most admin connections; the limit of public connections leaves enough files for them.
const MAX_CONNECTIONS: usize = 64;
/// How long to wait for admin responses once the public server has ended.
const GRACE_SECONDS: u64 = 2;

/// Time for which a probe of the store counts, so that balancers may request readiness any number of times.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

/// What the admin server needs.
pub(super) struct AdminState {
    app: Arc<AppState>,
    dist: PathBuf,
    /// Names with a dot under which this server is requested.
    hosts: Vec<String>,
    /// The time of the last probe of the store, and why it failed.
    probed: Mutex<Option<(Instant, Option<String>)>>,
}

impl AdminState {
    pub(super) fn new(config: &Config, app: &Arc<AppState>) -> Arc<Self> {
        let (dist, hosts) = (config.dist.clone(), config.admin_hosts.clone());
        Arc::new(Self { app: Arc::clone(app), dist, hosts, probed: Mutex::default() })
    }

    /// Whether a request for `host` may be answered.
    ///
    /// Security: a page of another site can point its own name at this address (DNS rebinding), and would read the
    /// answers in an operator's browser. It has no address, no name of this machine and no name without a dot.
    fn is_host(&self, host: &[u8]) -> bool {
        let name = name(host);
        let is_single = !name.is_empty() && !name.contains(&b'.');
        let is_listed = || self.hosts.iter().any(|listed| name.eq_ignore_ascii_case(listed.as_bytes()));
        is_single || is_local(name) || address(name).is_some() || is_listed()
    }

    /// Returns why the store cannot be used, as of at most [`PROBE_INTERVAL`] ago.
    #[expect(clippy::disallowed_methods, reason = "how long a probe of I/O counts is I/O's own clock")]
    async fn store_problem(&self) -> Option<String> {
        let mut probed = self.probed.lock().await;
        if let Some((at, problem)) = &*probed
            && at.elapsed() < PROBE_INTERVAL
        {
            return problem.clone();
        }
        let store = self.app.registrar.store();
        let problem = match store.probe().await {
            Err(StoreError::Down(StoreFailure::Failed(reason))) => Some(reason),
            // In a flood, which any client can cause, calls wait for each other.
            Err(StoreError::Down(StoreFailure::Late(reason))) if store.is_failing() => Some(reason),
            Err(StoreError::Down(StoreFailure::Unusable)) => Some("its answer cannot be used".to_owned()),
            Ok(()) | Err(StoreError::Down(StoreFailure::Late(_)) | StoreError::Conflict(_)) => None,
        };
        *probed = Some((Instant::now(), problem.clone()));
        problem
    }

    /// Returns what this process cannot do, a line each.
    async fn problems(&self) -> String {
        if self.app.is_ending.load(Ordering::Relaxed) {
            // The store may be closed.
            return ENDING.to_owned();
        }
        let store = self.store_problem().await.map(|reason| format!("store: {reason}; content is served\n"));
        let mut lines = Vec::from_iter(store);
        if ManifestStamp::of(&self.dist).is_none() {
            let dist = self.dist.display();
            lines.push(format!("build: {dist} cannot be read; the build in memory is served\n"));
        }
        lines.concat()
    }
}

/// The public server accepts no more connections, or soon will not.
const ENDING: &str = "the service is ending\n";

/// Creates the admin server. It has its own worker and connections: a service whose public side is full is alive.
pub(super) fn server(state: Arc<AdminState>, listener: TcpListener) -> io::Result<Server> {
    let app = move || {
        let state = Arc::clone(&state);
        App::new().default_service(fn_service(move |request: ServiceRequest| {
            let state = Arc::clone(&state);
            async move {
                let response = answer(&state, &request).await;
                Ok(request.into_response(response.map_into_boxed_body()))
            }
        }))
    };
    let server = HttpServer::new(app)
        .workers(1)
        .max_connections(MAX_CONNECTIONS)
        .client_request_timeout(FIRST_HEAD)
        .shutdown_timeout(GRACE_SECONDS)
        .disable_signals()
        .listen(listener)?;
    Ok(server.run())
}

async fn answer(state: &AdminState, request: &ServiceRequest) -> Response {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return error_response::method_not_allowed("GET, HEAD", Locale::DEFAULT);
    }
    let app = &state.app;
    let (status, text) = match request.path() {
        _ if !request.headers().get_all(HOST).all(|host| state.is_host(host.as_bytes())) => {
            let text = "This name is not one of this service. Name it in `admin_hosts` (MECELLE_ADMIN_HOSTS).\n";
            (StatusCode::FORBIDDEN, text.to_owned())
        }
        // The service listens only after it has loaded a build.
        "/livez" => ready(String::new()),
        "/readyz" => ready(state.problems().await),
        // Without the store, everything but registration and issued credentials works: if all processes share one store,
        // a balancer without another way must keep them.
        "/readyz/content" => ready(if app.is_ending.load(Ordering::Relaxed) { ENDING } else { "" }.to_owned()),
        "/readyz/store" => ready(state.store_problem().await.map(|reason| reason + "\n").unwrap_or_default()),
        "/metrics" => {
            let build = app.site.load().build.clone();
            (StatusCode::OK, app.metrics.text(&build) + &app.registrar.metrics(app.clock.now()).await)
        }
        _ => {
            let text = "Available here: /livez /readyz /readyz/content /readyz/store /metrics\n";
            (StatusCode::NOT_FOUND, text.to_owned())
        }
    };
    let mut response = plain(status, text);
    let headers = response.headers_mut();
    harden(headers);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media::TEXT));
    response
}

/// Returns 200, or 503 with the problems.
fn ready(problems: String) -> (StatusCode, String) {
    if problems.is_empty() { (StatusCode::OK, "ok\n".to_owned()) } else { (StatusCode::SERVICE_UNAVAILABLE, problems) }
}
