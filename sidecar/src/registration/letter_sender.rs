//! Sends what waits in the outbox, and tries again what could not be sent.

use std::{sync::Arc, time::Duration};

use tokio::sync::Semaphore;

use super::{Mailbox, Pepper, Registrar};
use crate::{
    Clock, Time,
    forms::{Content, Forms, Letter, Stamp},
    mail::Mailer,
    registration::secret::Seed,
    store::{Due, Pile, StoreError},
};

/// How often it is looked for letters that another process has written.
const LOOK: Duration = Duration::from_secs(15);
/// Wait after the first failure; it doubles with each.
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// Where it stops doubling.
const LONGEST_WAIT: Duration = Duration::from_mins(10);

/// By how much later than it has left a letter may count as sent.
const BLUR: Duration = Duration::from_secs(10);
/// By how much a link to what agents hold may be late.
const DELAY: Duration = Duration::from_secs(2);
/// Most letters with links to what agents hold that are under way at once.
const HANDS: usize = 16;

/// Sends letters, in a task of its own.
pub(crate) struct LetterSender<F> {
    pub(crate) registrar: Registrar,
    pub(crate) mailer: Mailer,
    /// The forms of the build in force.
    pub(crate) forms: F,
    pub(crate) clock: Clock,
}

impl<F: Fn() -> Arc<Forms> + Send + Sync + 'static> LetterSender<F> {
    /// Sends letters for as long as it is polled.
    pub(crate) async fn run(self) {
        let room = Arc::new(self);
        tokio::join!(Arc::clone(&room).attend(Pile::Others), room.attend(Pile::Links));
    }

    /// Sends the letters of one pile.
    async fn attend(self: Arc<Self>, pile: Pile) {
        let letters = self.registrar.letters(pile);
        let hands = Arc::new(Semaphore::new(HANDS));
        loop {
            let wait = self.send_due(pile, &hands).await.unwrap_or(LOOK).min(LOOK);
            // A letter that comes meanwhile ends the wait; one that came since the last look has left its mark.
            let _ = tokio::time::timeout(wait, letters.notified()).await;
        }
    }

    /// Sends everything that is due; how long until something may be.
    async fn send_due(self: &Arc<Self>, pile: Pile, hands: &Arc<Semaphore>) -> Result<Duration, StoreError> {
        let store = self.registrar.store();
        loop {
            let hand = Arc::clone(hands).acquire_owned().await.map_err(|_| StoreError::Down)?;
            let Some(due) = store.take_letter_of(pile, self.clock.now()).await? else { break };
            let Some(ready) = self.prepare(due).await? else { continue };
            if pile == Pile::Others {
                self.deliver(ready).await?;
                continue;
            }
            // Security: nobody's letter waits for another's, and each leaves at a moment that nobody can foretell, so that
            // from when one comes it is not seen whether there was another.
            let (room, moment) = (Arc::clone(self), self.registrar.moment(DELAY));
            tokio::spawn(async move {
                tokio::time::sleep(moment).await;
                // A store that does not answer has said so; the letter is taken again in a minute.
                let _ = room.deliver(ready).await;
                drop(hand);
            });
        }
        let now = self.clock.now();
        let next = store.next_letter(pile).await?;
        Ok(next.map_or(LOOK, |next| next.since(now)).max(Duration::from_millis(100)))
    }

    /// The letter of `due` as it is to be sent; nothing where it is done with.
    async fn prepare(&self, due: Due) -> Result<Option<Ready>, StoreError> {
        let store = self.registrar.store();
        let now = self.clock.now();
        let Due { id, seed, letter, tries, expires } = due;
        let Some(letter) = letter.filter(|_| now < expires) else {
            tracing::warn!("a letter was not sent in time");
            store.drop_letter(&id).await?;
            return Ok(None);
        };
        let asks = matches!(letter.content, Content::Claim { .. });
        let letter = self.registrar.ready(letter, &seed, now).await?;
        let letter = match letter {
            Some(letter) if tries > 1 || self.registrar.affords(&letter, now).await? => letter,
            _ => {
                self.done((&id, asks), &seed, now).await?;
                return Ok(None);
            }
        };
        Ok(Some(Ready { id, seed, letter, tries, asks }))
    }

    /// Sends a letter, or puts it back.
    async fn deliver(&self, ready: Ready) -> Result<(), StoreError> {
        let Ready { id, seed, letter, tries, asks } = ready;
        let now = self.clock.now();
        let pepper = self.registrar.pepper();
        let token = token(pepper, &letter, &seed);
        let stop = pepper.stop(&Mailbox::known(letter.to.as_str()).digest());
        let stamp = Stamp { id: &id, at: now.millis(), token: &token, stop: stop.0.reveal() };
        match self.mailer.send(&(self.forms)().compose(&letter, stamp)).await {
            Ok(()) => self.done((&id, asks), &seed, now).await,
            Err(error) if error.is_transient() => {
                tracing::warn!(tries, "{error}");
                self.registrar.store().defer_letter(&id, later(now, tries)).await
            }
            Err(error) => {
                tracing::error!("{error}");
                self.done((&id, asks), &seed, now).await
            }
        }
    }

    /// The letter is gone, or never will be: where it `asks` somebody, their time runs from now on, or from a little later.
    ///
    /// Security: the agent sees when that time ends. Were it exact, it would tell how long the mail server took, and so who
    /// wants no messages and gets none.
    async fn done(&self, (id, asks): (&str, bool), seed: &Seed, now: Time) -> Result<(), StoreError> {
        if asks {
            self.registrar.sent(seed, now.plus(self.registrar.moment(BLUR))).await?;
        }
        self.registrar.store().drop_letter(id).await
    }
}

/// A letter that is wanted.
struct Ready {
    id: String,
    seed: Seed,
    letter: Letter,
    tries: u32,
    /// Whether it asks somebody.
    asks: bool,
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
