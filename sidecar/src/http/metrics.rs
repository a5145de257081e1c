//! What is counted for operators. Each worker counts alone; the numbers are added up when they are read.

use std::{
    array,
    fmt::Write as _,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use actix_web::http::StatusCode;
use contract::manifest::Class;

/// What a request was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A route of the build.
    Class(Class),
    /// A redirect of the build.
    Redirect,
    /// A computed path.
    Endpoint,
    /// Nothing that exists.
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

/// Statuses that are counted individually; all others share the last place.
const STATUSES: [u16; 15] = [200, 204, 304, 308, 400, 401, 403, 404, 405, 406, 413, 414, 429, 500, 503];
const PLACES: usize = STATUSES.len() + 1;
/// Whether alarms are about `status`, and a request of this kind may be answered with it. Such counters are shown
/// before there is anything to count: to a collector, a counter that appears is not an increase.
fn is_alarming(kind: &str, status: u16) -> bool {
    // Where limits apply and the store is asked; for the API, unknown paths count as well.
    let is_guarded = ["api", "health", "description", "endpoint", "none"].contains(&kind);
    status == 500 || is_guarded && [429, 503].contains(&status)
}

/// The counters of one worker. Only that worker writes them, so no write needs to lock the bus.
#[repr(align(128))]
pub(crate) struct Counters([[AtomicU64; PLACES]; KINDS]);

impl Counters {
    pub(crate) fn count(&self, kind: Kind, status: StatusCode) {
        let kind = match kind {
            Kind::Class(class) => class as usize,
            Kind::Redirect => CLASSES,
            Kind::Endpoint => CLASSES + 1,
            Kind::None => CLASSES + 2,
        };
        let status = status.as_u16();
        let place = STATUSES.iter().position(|known| *known == status).unwrap_or(STATUSES.len());
        let counter = &self.0[kind][place];
        counter.store(counter.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }
}

/// All counters of the process.
#[derive(Default)]
pub(crate) struct Metrics {
    workers: Mutex<Vec<Arc<Counters>>>,
    reloads: AtomicU64,
    refused_reloads: AtomicU64,
}

impl Metrics {
    /// Returns the counters for one more worker.
    pub(crate) fn worker(&self) -> Arc<Counters> {
        let counters = Arc::new(Counters(array::from_fn(|_| array::from_fn(|_| AtomicU64::new(0)))));
        self.workers.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&counters));
        counters
    }

    pub(crate) fn reloaded(&self) {
        self.reloads.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn refused_reload(&self) {
        self.refused_reloads.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns everything in the text format of Prometheus; `build` names the build in force.
    pub(crate) fn text(&self, build: &str) -> String {
        let mut text = String::from("# HELP mecelle_requests_total Requests by class of target and status.\n");
        text.push_str("# TYPE mecelle_requests_total counter\n");
        let workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        for (kind, name) in NAMES.iter().enumerate() {
            for place in 0..PLACES {
                let count: u64 = workers.iter().map(|worker| worker.0[kind][place].load(Ordering::Relaxed)).sum();
                let status = STATUSES.get(place);
                if count > 0 || status.is_some_and(|status| is_alarming(name, *status)) {
                    let status = status.map_or_else(|| "other".to_owned(), u16::to_string);
                    let _ = writeln!(text, "mecelle_requests_total{{class=\"{name}\",status=\"{status}\"}} {count}");
                }
            }
        }
        text.push_str("# HELP mecelle_reloads_total Builds that were loaded after the first, and that were refused.\n");
        text.push_str("# TYPE mecelle_reloads_total counter\n");
        for (result, counter) in [("loaded", &self.reloads), ("refused", &self.refused_reloads)] {
            let count = counter.load(Ordering::Relaxed);
            let _ = writeln!(text, "mecelle_reloads_total{{result=\"{result}\"}} {count}");
        }
        text.push_str("# HELP mecelle_build_info The build in force.\n# TYPE mecelle_build_info gauge\n");
        let _ = writeln!(text, "mecelle_build_info{{build=\"{build}\"}} 1");
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_workers_are_added() {
        let metrics = Metrics::default();
        for _ in 0..2 {
            metrics.worker().count(Kind::Class(Class::Page), StatusCode::OK);
        }
        metrics.worker().count(Kind::None, StatusCode::IM_A_TEAPOT);
        metrics.refused_reload();
        let text = metrics.text("b1");
        assert!(text.contains("mecelle_requests_total{class=\"page\",status=\"200\"} 2\n"), "{text}");
        assert!(text.contains("mecelle_requests_total{class=\"none\",status=\"other\"} 1\n"), "{text}");
        assert!(text.contains("mecelle_requests_total{class=\"api\",status=\"500\"} 0\n"), "{text}");
        assert!(!text.contains("class=\"api\",status=\"200\""), "{text}");
        assert_eq!(text.matches("status=\"500\"").count(), KINDS);
        for status in ["429", "503"] {
            for (class, is_told) in [("api", true), ("endpoint", true), ("none", true), ("page", false)] {
                let row = format!("mecelle_requests_total{{class=\"{class}\",status=\"{status}\"}} 0\n");
                assert_eq!(text.contains(&row), is_told, "{row}");
            }
        }
        assert!(text.contains("mecelle_reloads_total{result=\"refused\"} 1\n"), "{text}");
        assert!(text.contains("mecelle_build_info{build=\"b1\"} 1\n"), "{text}");
    }
}
