//! Writes the counts of requests to the store, every hour and at the end.

use std::{sync::Arc, time::Duration};

use clock::{Clock, Time, timestamp};
use registration::{
    registrar::Registrar,
    store::{KEPT, KEPT_SECRET, SecretWords, TallyRow},
};
use tokio::sync::watch;
use usage::{CountKind, ELSEWHERE, MIN_DAYS, NamedCount, OTHER};

use crate::http::UsageCounters;

const HOUR: Duration = Duration::from_hours(1);
/// The most rows that wait for a store that does not answer.
const MAX_WAITING: usize = 50_000;

pub(crate) struct UsageWriter {
    registrar: Registrar,
    clock: Clock,
    counters: Arc<UsageCounters>,
    /// The registrations that are written already, by kind.
    registered: [u64; 3],
    /// Rows that the store did not take yet.
    waiting: Vec<TallyRow>,
    /// When the present counts began.
    since: Time,
}

impl UsageWriter {
    pub(crate) fn new(registrar: Registrar, clock: Clock, counters: Arc<UsageCounters>) -> Self {
        let since = clock.now();
        Self { registrar, clock, counters, registered: [0; 3], waiting: Vec::new(), since }
    }

    /// Writes at every full hour, so that each count belongs to one day, and once more when `ending` changes.
    pub(crate) async fn run(mut self, mut ending: watch::Receiver<()>) {
        loop {
            let past = Duration::from_millis(self.clock.now().millis().unsigned_abs()).as_millis() % HOUR.as_millis();
            let wait = HOUR.saturating_sub(Duration::from_millis(u64::try_from(past).unwrap_or(0)));
            let is_ending = tokio::select! {
                () = tokio::time::sleep(wait) => false,
                _ = ending.changed() => true,
            };
            self.write().await;
            if is_ending {
                return;
            }
        }
    }

    async fn write(&mut self) {
        let now = self.clock.now();
        let day = timestamp(self.since.millis()).chars().take(10).collect::<String>();
        self.since = now;
        let mut counts = self.counters.drain(&day);
        for ((kind, all), written) in self.registrar.accepted_registrations().into_iter().zip(&mut self.registered) {
            let (kind, name, count) = (CountKind::Registration, kind.to_owned(), all - *written);
            counts.extend((count > 0).then_some(NamedCount { kind, name, count }));
            *written = all;
        }
        let rows = counts.into_iter().map(|count| self.row(count, &day, now)).collect::<Vec<_>>();
        self.waiting.extend(rows);
        if self.registrar.store().add_tallies(&mut self.waiting).await.is_err() {
            let rows = self.waiting.len();
            tracing::warn!(rows, "the counts of requests could not be written: the next attempt is in an hour");
            self.waiting.truncate(MAX_WAITING);
        }
    }

    fn row(&self, count: NamedCount, day: &str, now: Time) -> TallyRow {
        let NamedCount { kind, name, count } = count;
        let (day, max_rows) = (day.to_owned(), kind.max_rows());
        if !kind.is_chosen_by_senders() || name == OTHER || name == ELSEWHERE {
            return TallyRow {
                day,
                kind: kind.as_str(),
                name,
                count,
                expires: now.plus(KEPT),
                secret_words: None,
                max_rows,
            };
        }
        // Security: names that few have used are in the store as a digest that cannot be reversed by guessing.
        let digest = self.registrar.mark(&format!("words/{name}"));
        let secret_words = Some(SecretWords { words: name, min_days: MIN_DAYS, expires: now.plus(KEPT_SECRET) });
        TallyRow { day, kind: kind.as_str(), name: digest, count, expires: now.plus(KEPT), secret_words, max_rows }
    }
}
