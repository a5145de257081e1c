//! Sends the letters that wait in the outbox, and tries again those that could not be sent.
//!
//! Security: an agent sees until when a question waits for its person, and therefore when it counts as sent. That must
//! tell nothing about the person: whether they want no messages, or whether their mail is accepted quickly. So a
//! question counts as sent at a fixed time after somebody began to send it, the mail server is greeted even for a
//! letter that is not wanted, and letters wait for each other only when very many are under way. What remains is a
//! server that puts off one recipient.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use clock::{Clock, Time};
use forms::{Content, Forms, Letter, Stamp};
use mail::{MailError, Mailer, Message};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::{Registrar, letter::Fate};
use crate::{
    domain::{Digest, Mailbox, Pepper, secret::Seed},
    store::{Due, LEASE, Pile, StoreError},
};

/// The pause between looks for letters that another process has written.
const LOOK: Duration = Duration::from_secs(15);
/// The wait after the first failure. It doubles with each failure.
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// Where the wait stops doubling.
const LONGEST_WAIT: Duration = Duration::from_mins(10);

/// The most times a letter is handed over if the mail server does not answer: it may arrive each time, yet counts only
/// once for every limit.
const UNANSWERED: i64 = 3;
/// The wait after each of these.
const UNANSWERED_WAIT: Duration = Duration::from_mins(2);

/// How long after it was taken for sending a question counts as sent: longer than sending takes, however that ends.
pub(crate) const SENT: Duration = Duration::from_secs(45);
/// The most by which a link to what agents hold may be delayed.
const DELAY: Duration = Duration::from_secs(2);
/// The most letters of a pile that are being sent at once.
const MOST_SENDING: u16 = 16;
/// The most links that are in flight at once: waiting for their delay to be over, or being sent.
const MOST_IN_FLIGHT: u16 = 1000;
/// How long a letter whose delay is over waits for its turn to be sent.
const WAIT_TO_SEND: Duration = Duration::from_secs(40);

// A letter must be done with while it is still reserved for its sender, or it would be sent twice.
const _: () = assert!(DELAY.saturating_add(WAIT_TO_SEND).saturating_add(mail::LONGEST).as_millis() < LEASE.as_millis());
// Security: the mail server must have answered before a question counts as sent, or an agent would see how long it
// took.
const _: () = assert!(mail::LONGEST.as_millis() < SENT.as_millis());

/// Sends letters, in a task of its own.
pub struct LetterSender<F> {
    registrar: Registrar,
    mailer: Mailer,
    /// Returns the forms of the build in force.
    forms: F,
    clock: Clock,
    /// How many nanoseconds the last letter that was sent took; zero before the first.
    usual: AtomicU64,
}

impl<F: Fn() -> Arc<Forms> + Send + Sync + 'static> LetterSender<F> {
    /// Creates a sender of the letters of `registrar`, by `mailer`, in the forms that `forms` returns.
    pub const fn new(registrar: Registrar, mailer: Mailer, forms: F, clock: Clock) -> Self {
        Self { registrar, mailer, forms, clock, usual: AtomicU64::new(0) }
    }

    /// Sends letters until `ending` says to stop. What is being sent then is finished; everything else waits for the
    /// next process that sends letters.
    pub async fn run(self, ending: watch::Receiver<()>) {
        let sender = Arc::new(self);
        tokio::join!(Arc::clone(&sender).attend(Pile::Others, ending.clone()), sender.attend(Pile::Links, ending));
    }

    /// Sends the letters of one pile.
    async fn attend(self: Arc<Self>, pile: Pile, mut ending: watch::Receiver<()>) {
        let letters = self.registrar.letters(pile);
        let slots = Slots::of(pile);
        loop {
            let wait = self.send_due(pile, &slots, &ending).await.unwrap_or(LOOK).min(LOOK);
            tokio::select! {
                // It says so once, or else its sender is gone.
                _ = ending.changed() => break,
                // A letter that comes meanwhile ends the wait, and one that came since the last look has left its
                // notification.
                _ = tokio::time::timeout(wait, letters.notified()) => {}
            }
        }
        slots.all_free().await;
    }

    /// Sends everything that is due. Returns how long it takes until something may be due next.
    async fn send_due(
        self: &Arc<Self>,
        pile: Pile,
        slots: &Slots,
        ending: &watch::Receiver<()>,
    ) -> Result<Duration, StoreError> {
        let store = self.registrar.store();
        loop {
            let in_flight = Arc::clone(&slots.in_flight).acquire_owned().await;
            // The semaphore is never closed.
            let Ok(in_flight) = in_flight else { return Ok(LOOK) };
            if !matches!(ending.has_changed(), Ok(false)) {
                return Ok(LOOK);
            }
            let Some(due) = store.take_letter_of(pile, self.clock.now()).await? else { break };
            let Some(turn) = self.prepare(due).await? else { continue };
            // Security: each link leaves after an unpredictable delay, so that its arrival time does not reveal whether
            // another link was sent.
            let delay = match pile {
                Pile::Links => self.registrar.delay(DELAY),
                Pile::Others => Duration::ZERO,
            };
            let (sender, letters, sending) =
                (Arc::clone(self), self.registrar.letters(pile), Arc::clone(&slots.sending));
            let mut ending = ending.clone();
            tokio::spawn(async move {
                let ready = tokio::select! {
                    slot = turn.slot(delay, &sending) => slot,
                    // The next process that sends letters takes it again later.
                    _ = ending.changed() => None,
                };
                if let Some(slot) = ready {
                    // A store that does not answer has logged that itself; the letter is taken again later.
                    let _ = sender.deliver(turn).await;
                    drop(slot);
                }
                drop(in_flight);
                // If the letter was put back, it is due again sooner than the current wait ends.
                letters.notify_one();
            });
        }
        let now = self.clock.now();
        let next = store.next_letter(pile).await?;
        Ok(next.map_or(LOOK, |next| next.since(now)).max(Duration::from_millis(100)))
    }

    /// Returns what is to be done for `due`, or `None` if it is done with.
    async fn prepare(&self, due: Due) -> Result<Option<Turn>, StoreError> {
        let store = self.registrar.store();
        let now = self.clock.now();
        let Due { id, seed, letter, tries, expires } = due;
        let Some(letter) = letter.filter(|_| now < expires) else {
            tracing::warn!("a message was not sent in time");
            store.drop_letter(&id).await?;
            return Ok(None);
        };
        let asks = matches!(letter.content, Content::Claim { .. });
        let opens = matches!(letter.content, Content::Access { .. });
        let mut fate = self.registrar.fate(letter, &seed, now).await?;
        if !self.registrar.affords(&fate, &id, expires, now).await? {
            fate = Fate::Void;
        }
        Ok(Some(Turn { id, seed, fate, tries, asks, opens, taken: now, expires }))
    }

    /// Sends a letter, or puts it back.
    async fn deliver(&self, mut turn: Turn) -> Result<(), StoreError> {
        turn.fate = self.registrar.fate_since(turn.fate, &turn.id).await?;
        let start = self.clock.nanoseconds();
        let elapsed = || self.clock.nanoseconds().saturating_sub(start);
        let result = match &turn.fate {
            Fate::Sent(letter) => {
                let sent = self.hand_over(&turn, &self.message(&turn, letter)).await?;
                if matches!(sent, Ok(()) | Err(MailError::Unanswered { .. })) {
                    self.usual.store(elapsed(), Ordering::Relaxed);
                }
                sent
            }
            // Security: while questions cannot be sent, none counts as sent to somebody who wants no messages either.
            // And others who write to the store may notice what is written when a letter is done with, so that is
            // written when it would be if the letter had been sent.
            Fate::Unwanted(letter) if turn.asks => {
                let reached = self.mailer.reach(&self.message(&turn, letter)).await;
                let rest = self.usual.load(Ordering::Relaxed).saturating_sub(elapsed());
                tokio::time::sleep(Duration::from_nanos(rest)).await;
                reached
            }
            Fate::Unwanted(_) | Fate::Void => Ok(()),
        };
        match result {
            Ok(()) => self.done(&turn).await,
            Err(error @ (MailError::Transient { .. } | MailError::Down { .. })) => {
                // That nothing can be sent is logged once, by the mailer, and not for each letter.
                if matches!(error, MailError::Transient { .. }) {
                    tracing::warn!(tries = turn.tries, "{error}");
                }
                self.registrar.store().defer_letter(&turn.id, later(self.clock.now(), turn.tries)).await
            }
            Err(error @ MailError::Unanswered { .. }) => {
                tracing::warn!(tries = turn.tries, "{error}");
                self.unanswered(&turn).await
            }
            Err(error @ MailError::Permanent { .. }) => {
                // Anybody can name a mailbox that does not exist, and nobody has to act on that.
                tracing::warn!("{error}");
                self.done(&turn).await
            }
        }
    }

    /// Hands `message` over, once.
    async fn hand_over(&self, turn: &Turn, message: &Message) -> Result<Result<(), MailError>, StoreError> {
        let sent = self.mailer.send(message).await;
        if let (Ok(()), Some(folder)) = (&sent, self.mailer.folder()) {
            // Whoever erases its reader removes the letter from the store first, then the files that there are: either
            // they find this file, or the letter is no longer found here. If nobody can say, it is written again later.
            let waits = self.registrar.store().is_unwanted(&turn.id, &Mailbox::known(&*message.to).digest()).await;
            if !matches!(waits, Ok(Some(_))) {
                folder.take_back(message).await;
            }
            waits?;
        }
        Ok(sent)
    }

    /// Handles a letter that may or may not have arrived. It is sent again a few times only; otherwise it would be sent
    /// until it is of no more use.
    async fn unanswered(&self, turn: &Turn) -> Result<(), StoreError> {
        let store = self.registrar.store();
        let count = store.count_unanswered(&Digest::of(turn.id.as_bytes()), turn.expires).await?;
        if count >= UNANSWERED {
            tracing::warn!(count, "a message that may not have arrived is not sent again");
            return self.done(turn).await;
        }
        // Security: if the reader wants no messages, a question counts as sent by now.
        self.counts_as_sent(turn).await?;
        store.defer_letter(&turn.id, self.clock.now().plus(UNANSWERED_WAIT)).await
    }

    /// Composes `letter` as it leaves.
    fn message(&self, turn: &Turn, letter: &Letter) -> Message {
        let pepper = self.registrar.pepper();
        let token = token(pepper, letter, &turn.seed);
        let stop = pepper.stop(&Mailbox::known(letter.to.as_str()).digest());
        let stamp = Stamp { id: &turn.id, at: self.clock.now(), token: &token, stop: stop.0.reveal() };
        (self.forms)().compose(letter, stamp)
    }

    /// Finishes with a letter that was sent, or never will be.
    async fn done(&self, turn: &Turn) -> Result<(), StoreError> {
        self.counts_as_sent(turn).await?;
        let store = self.registrar.store();
        // A link for whatever address anybody invents would otherwise count on the ceiling of links until it expires.
        if turn.opens && turn.tries == 1 && !matches!(turn.fate, Fate::Sent(_)) {
            let link = self.registrar.pepper().access(&turn.seed).0.digest();
            return store.drop_letter_and_link(&turn.id, &link).await;
        }
        store.drop_letter(&turn.id).await
    }

    /// If the letter asks somebody, starts their time: at a fixed time after the letter was taken, the first time that
    /// it left.
    async fn counts_as_sent(&self, turn: &Turn) -> Result<(), StoreError> {
        if turn.asks {
            self.registrar.sent(&turn.seed, turn.taken.plus(SENT).max(self.clock.now())).await?;
        }
        Ok(())
    }
}

/// How many letters of a pile are in flight, and how many of those are being sent.
///
/// Security: anybody may ask for links to addresses that they invent. None of those links leaves, but each waits for
/// its delay like those that do. If only as many letters were taken as are sent at once, a person's link would wait
/// behind thousands of them until it has expired.
struct Slots {
    /// A permit for each letter that was taken and is not done with.
    in_flight: Arc<Semaphore>,
    /// A permit for each of those that is being sent.
    sending: Arc<Semaphore>,
    /// How many may be in flight.
    most: u16,
}

impl Slots {
    fn of(pile: Pile) -> Self {
        let most = match pile {
            Pile::Links => MOST_IN_FLIGHT,
            // These letters have no delay.
            Pile::Others => MOST_SENDING,
        };
        let [in_flight, sending] = [most, MOST_SENDING].map(|most| Arc::new(Semaphore::new(most.into())));
        Self { in_flight, sending, most }
    }

    /// Waits until every letter that was taken is done with.
    async fn all_free(&self) {
        // The semaphore is never closed.
        let _ = self.in_flight.acquire_many(self.most.into()).await;
    }
}

/// A letter whose turn it is.
struct Turn {
    id: String,
    seed: Seed,
    fate: Fate,
    tries: u32,
    /// Whether it asks somebody.
    asks: bool,
    /// Whether it carries a link to what agents hold.
    opens: bool,
    taken: Time,
    expires: Time,
}

impl Turn {
    /// Waits until `delay` is over and one of the slots of `sending` is free for the letter; a void letter needs none.
    /// Returns `None` if that takes too long, so that the letter is taken again later.
    async fn slot<'s>(&self, delay: Duration, sending: &'s Semaphore) -> Option<Option<SemaphorePermit<'s>>> {
        tokio::time::sleep(delay).await;
        match self.fate {
            Fate::Void => Some(None),
            Fate::Sent(_) | Fate::Unwanted(_) => {
                tokio::time::timeout(WAIT_TO_SEND, sending.acquire()).await.ok()?.ok().map(Some)
            }
        }
    }
}

/// Returns the secret of the link in `letter`, if it has one.
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
mod tests;
