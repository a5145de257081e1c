//! Metrics of requests and reloads. Each worker has its own counters, which are added up when they are read.

use std::{
    array,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use contract::manifest::Class;

use super::{Counter, Counters, DURATIONS, Histogram, MetricsText, Unit, label, process};

/// The kind of a request's target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// A route of the build.
    Class(Class),
    /// A redirect of the build.
    Redirect,
    /// A computed route.
    Endpoint,
    /// An unknown path or an unreadable request.
    None,
}

const CLASSES: usize = Class::ALL.len();
const KINDS: usize = CLASSES + 3;
const NAMES: [&str; KINDS] = {
    let mut names = [""; KINDS];
    let (classes, others) = names.split_at_mut(CLASSES);
    let mut class = 0;
    while class < CLASSES {
        classes[class] = Class::NAMED[class].0;
        class += 1;
    }
    others.copy_from_slice(&["redirect", "endpoint", "none"]);
    names
};

/// All statuses that the service sends; others would share the last counter.
pub const STATUSES: [u16; 21] =
    [200, 202, 204, 304, 308, 400, 401, 403, 404, 405, 406, 408, 409, 410, 413, 414, 415, 429, 431, 500, 503];
const PLACES: usize = STATUSES.len() + 1;

/// Bounds of the size of response bodies, in bytes.
const SIZES: [u64; 5] = [1 << 10, 1 << 13, 1 << 16, 1 << 19, 1 << 22];
/// Bounds of the duration of reloads, in nanoseconds.
const LOADING: [u64; 5] = [100_000_000, 500_000_000, 2_500_000_000, 10_000_000_000, 60_000_000_000];

/// Whether alerts use the counter of `status` for this kind. Such counters are exposed at zero: a collector does not
/// see a new counter as an increase.
fn is_alarming(kind: &str, status: u16) -> bool {
    // Kinds with limits and queries of the store; unknown paths of the API are `none`.
    let is_guarded = ["api", "health", "description", "endpoint", "none"].contains(&kind);
    status == 500 || is_guarded && [429, 503].contains(&status)
}

impl TargetKind {
    fn number(self) -> usize {
        match self {
            Self::Class(class) => class as usize,
            Self::Redirect => CLASSES,
            Self::Endpoint => CLASSES + 1,
            Self::None => CLASSES + 2,
        }
    }

    /// Returns the name in metrics and in the log.
    pub fn name(self) -> &'static str {
        NAMES[self.number()]
    }
}

/// The counters of one worker, aligned so that workers share no cache line.
#[repr(align(128))]
#[derive(Debug)]
pub struct WorkerMetrics {
    requests: [[Counter; PLACES]; KINDS],
    durations: [Histogram<{ DURATIONS.len() }>; KINDS],
    sizes: [Histogram<{ SIZES.len() }>; KINDS],
    connections: AtomicU64,
}

/// Counts a connection as open until it is dropped.
#[derive(Debug)]
pub struct OpenConnection(Arc<WorkerMetrics>);

impl WorkerMetrics {
    fn new() -> Self {
        Self {
            requests: array::from_fn(|_| array::from_fn(|_| Counter::default())),
            durations: array::from_fn(|_| Histogram::new(&DURATIONS)),
            sizes: array::from_fn(|_| Histogram::new(&SIZES)),
            connections: AtomicU64::new(0),
        }
    }

    /// Counts a response, its duration in nanoseconds and the length of its body in bytes.
    pub fn count_response(&self, kind: TargetKind, status: u16, nanoseconds: u64, bytes: u64) {
        let kind = kind.number();
        let place = STATUSES.iter().position(|known| *known == status).unwrap_or(STATUSES.len());
        self.requests[kind][place].increment();
        self.durations[kind].observe(nanoseconds);
        self.sizes[kind].observe(bytes);
    }

    pub fn count_connection(self: &Arc<Self>) -> OpenConnection {
        self.connections.fetch_add(1, Ordering::Relaxed);
        OpenConnection(Arc::clone(self))
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        self.0.connections.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug)]
pub struct HttpMetrics {
    workers: Mutex<Vec<Arc<WorkerMetrics>>>,
    reloads: Counters<2>,
    /// Time of the last successful reload, in seconds since the epoch; 0 before the first.
    taken_over: AtomicU64,
    loading: Histogram<{ LOADING.len() }>,
}

impl Default for HttpMetrics {
    fn default() -> Self {
        let (reloads, loading) = (Counters::new(["loaded", "refused"]), Histogram::new(&LOADING));
        Self { workers: Mutex::default(), reloads, taken_over: AtomicU64::new(0), loading }
    }
}

impl HttpMetrics {
    /// Returns the counters for one more worker.
    pub fn worker(&self) -> Arc<WorkerMetrics> {
        let counters = Arc::new(WorkerMetrics::new());
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&counters));
        counters
    }

    /// Counts a successful reload that took `nanoseconds` and ended at `seconds` since the epoch.
    pub fn count_reload(&self, nanoseconds: u64, seconds: u64) {
        self.reloads.count("loaded");
        self.taken_over.store(seconds, Ordering::Relaxed);
        self.loading.observe(nanoseconds);
    }

    /// Counts a rejected reload.
    pub fn count_refusal(&self) {
        self.reloads.count("refused");
    }

    /// Returns all metrics and those of the process in the text format of Prometheus; `build` is the build in force.
    pub fn text(&self, build: &str) -> String {
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let mut text = MetricsText::default();
        let kinds = || NAMES.iter().enumerate();
        let requests = kinds().flat_map(|(kind, name)| {
            let workers = &workers;
            (0..PLACES).filter_map(move |place| {
                let count: u64 = workers.iter().map(|worker| worker.requests[kind][place].value()).sum();
                let status = STATUSES.get(place);
                let is_shown = count > 0 || status.is_some_and(|status| is_alarming(name, *status));
                let status = status.map_or_else(|| "other".to_owned(), u16::to_string);
                is_shown.then(|| (format!("class=\"{name}\",status=\"{status}\""), count))
            })
        });
        text.counters("mecelle_requests_total", "Requests by class of target and status.", requests);
        text.histograms(
            "mecelle_request_duration_seconds",
            "Time from the head of a request until its response is ready to be written.",
            Unit::Seconds,
            kinds().map(|(kind, name)| (label("class", name), workers.iter().map(move |it| &it.durations[kind]))),
        );
        text.histograms(
            "mecelle_response_size_bytes",
            "Size of response bodies as sent.",
            Unit::Bytes,
            kinds().map(|(kind, name)| (label("class", name), workers.iter().map(move |it| &it.sizes[kind]))),
        );
        let open: u64 = workers.iter().map(|worker| worker.connections.load(Ordering::Relaxed)).sum();
        text.gauges("mecelle_open_connections", "Open connections of clients.", [(String::new(), open)]);
        text.counters(
            "mecelle_reloads_total",
            "Reloads of build and settings after the start, by result.",
            self.reloads.rows().map(|(result, count)| (label("result", result), count)),
        );
        let taken_over = Some(self.taken_over.load(Ordering::Relaxed)).filter(|seconds| *seconds > 0);
        text.gauges(
            "mecelle_reload_last_success_timestamp_seconds",
            "Time of the last reload that was taken over, in seconds since the epoch; absent before the first.",
            taken_over.map(|seconds| (String::new(), seconds)),
        );
        text.histograms(
            "mecelle_reload_duration_seconds",
            "Duration of reloads that were taken over.",
            Unit::Seconds,
            [(String::new(), [&self.loading])],
        );
        text.gauges("mecelle_build_info", "The build in force.", [(label("build", build), 1)]);
        process::write(&mut text);
        text.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_workers_are_added() {
        let metrics = HttpMetrics::default();
        for nanoseconds in [1_000, 2_000_000] {
            metrics.worker().count_response(TargetKind::Class(Class::Page), 200, nanoseconds, 5_000);
        }
        let worker = metrics.worker();
        worker.count_response(TargetKind::None, 418, 0, 0);
        let (open, _kept) = (worker.count_connection(), metrics.worker().count_connection());
        metrics.count_refusal();
        assert!(!metrics.text("b1").contains("\nmecelle_reload_last_success_timestamp_seconds "));
        metrics.count_reload(200_000_000, 1_800_000_000);
        let text = metrics.text("b1");
        for row in [
            "mecelle_requests_total{class=\"page\",status=\"200\"} 2",
            "mecelle_requests_total{class=\"none\",status=\"other\"} 1",
            "mecelle_requests_total{class=\"api\",status=\"500\"} 0",
            "mecelle_request_duration_seconds_bucket{class=\"page\",le=\"0.001\"} 1",
            "mecelle_request_duration_seconds_bucket{class=\"page\",le=\"0.005\"} 2",
            "mecelle_request_duration_seconds_sum{class=\"page\"} 0.002001",
            "mecelle_request_duration_seconds_count{class=\"feed\"} 0",
            "mecelle_response_size_bytes_bucket{class=\"page\",le=\"1024\"} 0",
            "mecelle_response_size_bytes_bucket{class=\"page\",le=\"8192\"} 2",
            "mecelle_open_connections 2",
            "mecelle_reloads_total{result=\"refused\"} 1",
            "mecelle_reloads_total{result=\"loaded\"} 1",
            "mecelle_reload_last_success_timestamp_seconds 1800000000",
            "mecelle_reload_duration_seconds_bucket{le=\"0.1\"} 0",
            "mecelle_reload_duration_seconds_bucket{le=\"0.5\"} 1",
            "mecelle_build_info{build=\"b1\"} 1",
        ] {
            assert!(text.lines().any(|line| line == row), "{row}\n{text}");
        }
        assert!(!text.contains("class=\"api\",status=\"200\""), "{text}");
        assert_eq!(text.matches("status=\"500\"").count(), KINDS);
        for status in ["429", "503"] {
            for (class, is_told) in [("api", true), ("endpoint", true), ("none", true), ("page", false)] {
                let row = format!("mecelle_requests_total{{class=\"{class}\",status=\"{status}\"}} 0\n");
                assert_eq!(text.contains(&row), is_told, "{row}");
            }
        }
        drop(open);
        assert!(metrics.text("b1").contains("mecelle_open_connections 1\n"));
    }
}
