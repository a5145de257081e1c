//! Sends what waits in the outbox, and tries again what could not be sent.

use std::{sync::Arc, time::Duration};

use super::{Mailbox, Pepper, Registrar};
use crate::{
    Clock, Time,
    forms::{Content, Forms, Letter, Stamp},
    mail::Mailer,
    registration::secret::Seed,
    store::{Due, StoreError},
};

/// How often it is looked for letters that another process has written.
const LOOK: Duration = Duration::from_secs(15);
/// Wait after the first failure; it doubles with each.
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// Where it stops doubling.
const LONGEST_WAIT: Duration = Duration::from_mins(10);

/// Sends letters, in a task of its own.
pub(crate) struct LetterSender<F> {
    pub(crate) registrar: Registrar,
    pub(crate) mailer: Mailer,
    /// The forms of the build in force.
    pub(crate) forms: F,
    pub(crate) clock: Clock,
}

impl<F: Fn() -> Arc<Forms>> LetterSender<F> {
    /// Sends letters for as long as it is polled.
    pub(crate) async fn run(self) {
        let letters = self.registrar.letters();
        loop {
            let wait = self.send_due().await.unwrap_or(LOOK).min(LOOK);
            // A letter that comes meanwhile ends the wait; one that came since the last look has left its mark.
            let _ = tokio::time::timeout(wait, letters.notified()).await;
        }
    }

    /// Sends everything that is due; how long until something may be.
    async fn send_due(&self) -> Result<Duration, StoreError> {
        let store = self.registrar.store();
        while let Some(due) = store.take_letter(self.clock.now()).await? {
            self.send(due).await?;
        }
        let now = self.clock.now();
        let next = store.next_letter().await?;
        Ok(next.map_or(LOOK, |next| next.since(now)).max(Duration::from_millis(100)))
    }

    async fn send(&self, due: Due) -> Result<(), StoreError> {
        let store = self.registrar.store();
        let now = self.clock.now();
        let Some(letter) = due.letter.filter(|_| now < due.expires) else {
            tracing::warn!("a letter was not sent in time");
            return store.drop_letter(&due.id).await;
        };
        let asks = matches!(letter.content, Content::Claim { .. });
        let Some(letter) = self.registrar.ready(letter, &due.seed, now).await? else {
            return self.done((&due.id, asks), &due.seed, now).await;
        };
        if due.tries == 1 && !self.registrar.affords(&letter, now).await? {
            return self.done((&due.id, asks), &due.seed, now).await;
        }
        let pepper = self.registrar.pepper();
        let token = token(pepper, &letter, &due.seed);
        let stop = pepper.stop(&Mailbox::known(letter.to.as_str()).digest());
        let stamp = Stamp { id: &due.id, at: now.millis(), token: &token, stop: stop.0.reveal() };
        match self.mailer.send(&(self.forms)().compose(&letter, stamp)).await {
            Ok(()) => self.done((&due.id, asks), &due.seed, now).await,
            Err(error) if error.is_transient() => {
                tracing::warn!(tries = due.tries, "{error}");
                store.defer_letter(&due.id, later(now, due.tries)).await
            }
            Err(error) => {
                tracing::error!("{error}");
                self.done((&due.id, asks), &due.seed, now).await
            }
        }
    }

    /// The letter is gone, or never will be: where it `asks` somebody, their time runs from now on.
    async fn done(&self, (id, asks): (&str, bool), seed: &Seed, now: Time) -> Result<(), StoreError> {
        if asks {
            self.registrar.sent(seed, now).await?;
        }
        self.registrar.store().drop_letter(id).await
    }
}

/// The secret of the link in `letter`, where it has one.
fn token(pepper: &Pepper, letter: &Letter, seed: &Seed) -> String {
    match letter.content {
        Content::Claim { .. } => pepper.link(seed).0.reveal().to_owned(),
        Content::Access { .. } => pepper.access(seed).0.reveal().to_owned(),
        Content::Superseded { .. } | Content::Revoked { .. } => String::new(),
    }
}

fn later(now: Time, tries: u32) -> Time {
    let doubled = FIRST_WAIT.saturating_mul(1 << tries.saturating_sub(1).min(10));
    now.plus(doubled.min(LONGEST_WAIT))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_failure_doubles_the_wait_up_to_ten_minutes() {
        let now = Time::from_millis(0);
        let waits: Vec<_> = [1, 2, 3, 9, 99].map(|tries| later(now, tries).millis() / 1000).into();
        assert_eq!(waits, [5, 10, 20, 600, 600]);
    }
}
