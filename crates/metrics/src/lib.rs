//! Metrics for operators: counters, histograms, and the text format of Prometheus. No metric names a client, a
//! credential or a mailbox; labels have few values, which are known beforehand.
//!
//! The registry of a library would make the workers share counters and a lock; this crate is as short as its use.

mod http;
mod process;
mod text;

use std::{
    array,
    sync::atomic::{AtomicU64, Ordering},
};

pub use self::{
    http::{HttpMetrics, OpenConnection, STATUSES, TargetKind, WorkerMetrics},
    text::{MetricsText, Unit, label},
};

/// Bounds of durations of requests and store operations, in nanoseconds.
pub const DURATIONS: [u64; 6] = [1_000_000, 5_000_000, 25_000_000, 100_000_000, 500_000_000, 2_500_000_000];

/// A number that only increases.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    pub fn increment(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub fn value(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Counters that differ in the value of one label. All are exposed from the start: a collector does not see a new
/// counter as an increase.
#[derive(Debug)]
pub struct Counters<const N: usize>([(&'static str, Counter); N]);

impl<const N: usize> Counters<N> {
    pub fn new(values: [&'static str; N]) -> Self {
        Self(values.map(|value| (value, Counter::default())))
    }

    /// Increments the counter with this value of the label.
    pub fn count(&self, value: &str) {
        let found = self.0.iter().find(|(known, _)| *known == value);
        debug_assert!(found.is_some(), "{value} is not among the values of the label");
        if let Some((_, counter)) = found {
            counter.increment();
        }
    }

    /// Returns the values of the label with their counts.
    pub fn rows(&self) -> impl Iterator<Item = (&'static str, u64)> {
        self.0.iter().map(|(value, counter)| (*value, counter.value()))
    }
}

/// The number of observations up to each bound.
#[derive(Debug)]
pub struct Histogram<const N: usize> {
    bounds: &'static [u64; N],
    counts: [AtomicU64; N],
    above: AtomicU64,
    sum: AtomicU64,
}

impl<const N: usize> Histogram<N> {
    /// Creates a histogram with these ascending bounds.
    pub fn new(bounds: &'static [u64; N]) -> Self {
        Self { bounds, counts: array::from_fn(|_| AtomicU64::new(0)), above: AtomicU64::new(0), sum: AtomicU64::new(0) }
    }

    /// Adds an observation, in the unit of the bounds.
    pub fn observe(&self, value: u64) {
        let place = self.bounds.iter().position(|bound| value <= *bound);
        let count = place.and_then(|place| self.counts.get(place)).unwrap_or(&self.above);
        count.fetch_add(1, Ordering::Relaxed);
        self.sum.fetch_add(value, Ordering::Relaxed);
    }
}
