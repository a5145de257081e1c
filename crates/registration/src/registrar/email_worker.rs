//! Sends the emails that wait in the outbox, and tries again those that could not be sent.
//!
//! Security: an agent sees until when a question waits for its person, and therefore when it counts as sent. That must
//! tell nothing about the person: whether they want no messages, or whether their mail is accepted quickly. So a
//! question counts as sent at a fixed time after sending it began, the mail server is greeted even for an email that is
//! not wanted, and emails wait for each other only when very many are under way. What remains is a server that puts off
//! one recipient.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use clock::{Clock, Time};
use forms::{Content, Email, Forms, Stamp};
use mail::{MailError, Mailer, Message};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::{Registrar, delivery::DeliveryDecision};
use crate::{
    domain::{Digest, Mailbox, Pepper, secret::Seed},
    store::{Due, EmailQueue, LEASE, StoreError},
};

/// The pause between looks for emails that another process has written.
const LOOK: Duration = Duration::from_secs(15);
/// The wait after the first failure. It doubles with each failure.
const FIRST_WAIT: Duration = Duration::from_secs(5);
/// Where the wait stops doubling.
const MAX_WAIT: Duration = Duration::from_mins(10);

/// The most times an email is handed over if the mail server does not answer: it may arrive each time, yet counts only
/// once for every limit.
const UNANSWERED: i64 = 3;
/// The wait after each of these.
const UNANSWERED_WAIT: Duration = Duration::from_mins(2);

/// How long after it was taken for sending a question counts as sent: longer than sending takes, however that ends.
pub(crate) const SENT: Duration = Duration::from_secs(45);
/// The most by which a link to what agents hold may be delayed.
const DELAY: Duration = Duration::from_secs(2);
/// The most emails of a queue that are being sent at once.
const MAX_SENDING: u16 = 16;
/// The most links that are in flight at once: waiting for their delay to be over, or being sent.
const MAX_IN_FLIGHT: u16 = 1000;
/// How long an email whose delay is over waits for its turn to be sent.
const WAIT_TO_SEND: Duration = Duration::from_secs(40);

// An email must be done with while it is still reserved for its sender, or it would be sent twice.
const _: () =
    assert!(DELAY.saturating_add(WAIT_TO_SEND).saturating_add(mail::SEND_TIMEOUT).as_millis() < LEASE.as_millis());
// Security: the mail server must have answered before a question counts as sent, or an agent would see how long it
// took.
const _: () = assert!(mail::SEND_TIMEOUT.as_millis() < SENT.as_millis());

/// Sends emails, in a task of its own.
pub struct EmailWorker<F> {
    registrar: Registrar,
    mailer: Mailer,
    /// Returns the forms of the build in force.
    forms: F,
    clock: Clock,
    /// How many nanoseconds the last email that was sent took; zero before the first.
    usual: AtomicU64,
}

impl<F: Fn() -> Arc<Forms> + Send + Sync + 'static> EmailWorker<F> {
    /// Creates a sender of the emails of `registrar`, by `mailer`, in the forms that `forms` returns.
    pub const fn new(registrar: Registrar, mailer: Mailer, forms: F, clock: Clock) -> Self {
        Self { registrar, mailer, forms, clock, usual: AtomicU64::new(0) }
    }

    /// Sends emails until `ending` says to stop. What is being sent then is finished; everything else waits for the
    /// next process that sends emails.
    pub async fn run(self, ending: watch::Receiver<()>) {
        let sender = Arc::new(self);
        tokio::join!(
            Arc::clone(&sender).serve_queue(EmailQueue::Others, ending.clone()),
            sender.serve_queue(EmailQueue::Links, ending)
        );
    }

    /// Sends the emails of one queue.
    async fn serve_queue(self: Arc<Self>, queue: EmailQueue, mut ending: watch::Receiver<()>) {
        let emails = self.registrar.email_notification(queue);
        let slots = Slots::of(queue);
        loop {
            let wait = self.send_due(queue, &slots, &ending).await.unwrap_or(LOOK).min(LOOK);
            tokio::select! {
                // It says so once, or else its sender is gone.
                _ = ending.changed() => break,
                // An email that comes meanwhile ends the wait, and one that came since the last look has left its
                // notification.
                _ = tokio::time::timeout(wait, emails.notified()) => {}
            }
        }
        slots.all_free().await;
    }

    /// Sends everything that is due. Returns how long it takes until something may be due next.
    async fn send_due(
        self: &Arc<Self>,
        queue: EmailQueue,
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
            let Some(due) = store.take_email_of(queue, self.clock.now()).await? else { break };
            let Some(delivery) = self.prepare(due).await? else { continue };
            // Security: each link leaves after an unpredictable delay, so that its arrival time does not reveal whether
            // another link was sent.
            let delay = match queue {
                EmailQueue::Links => self.registrar.delay(DELAY),
                EmailQueue::Others => Duration::ZERO,
            };
            let (sender, emails, sending) =
                (Arc::clone(self), self.registrar.email_notification(queue), Arc::clone(&slots.sending));
            let mut ending = ending.clone();
            tokio::spawn(async move {
                let ready = tokio::select! {
                    slot = delivery.wait_for_slot(delay, &sending) => slot,
                    // The next process that sends emails takes it again later.
                    _ = ending.changed() => None,
                };
                if let Some(slot) = ready {
                    // A store that does not answer has logged that itself; the email is taken again later.
                    let _ = sender.deliver(delivery).await;
                    drop(slot);
                }
                drop(in_flight);
                // If the email was put back, it is due again sooner than the current wait ends.
                emails.notify_one();
            });
        }
        let now = self.clock.now();
        let next = store.next_email(queue).await?;
        Ok(next.map_or(LOOK, |next| next.since(now)).max(Duration::from_millis(100)))
    }

    /// Returns what is to be done for `due`, or `None` if it is done with.
    async fn prepare(&self, due: Due) -> Result<Option<Delivery>, StoreError> {
        let store = self.registrar.store();
        let now = self.clock.now();
        let Due { id, seed, email, tries, expires } = due;
        let Some(email) = email.filter(|_| now < expires) else {
            tracing::warn!("an e-mail expired before it could be sent");
            store.metrics().count_expired_email();
            store.drop_email(&id).await?;
            return Ok(None);
        };
        let asks = matches!(email.content, Content::Claim { .. });
        let opens = matches!(email.content, Content::Access { .. });
        let mut decision = self.registrar.decide_delivery(email, &seed, now).await?;
        if !self.registrar.take_email_budget(&decision, &id, expires, now).await? {
            decision = DeliveryDecision::Void;
        }
        Ok(Some(Delivery { id, seed, decision, tries, asks, opens, taken: now, expires }))
    }

    /// Sends an email, or puts it back.
    async fn deliver(&self, mut delivery: Delivery) -> Result<(), StoreError> {
        delivery.decision = self.registrar.recheck_delivery(delivery.decision, &delivery.id).await?;
        let start = self.clock.nanoseconds();
        let elapsed = || self.clock.nanoseconds().saturating_sub(start);
        let result = match &delivery.decision {
            DeliveryDecision::Sent(email) => {
                let sent = self.hand_over(&delivery, &self.message(&delivery, email)).await?;
                if matches!(sent, Ok(()) | Err(MailError::Unanswered { .. })) {
                    self.usual.store(elapsed(), Ordering::Relaxed);
                }
                sent
            }
            // Security: while questions cannot be sent, none counts as sent to a person who wants no messages either.
            // And others who write to the store may notice what is written when an email is done with, so that is
            // written when it would be if the email had been sent.
            DeliveryDecision::Unwanted(email) if delivery.asks => {
                let reached = self.mailer.reach(&self.message(&delivery, email)).await;
                let rest = self.usual.load(Ordering::Relaxed).saturating_sub(elapsed());
                tokio::time::sleep(Duration::from_nanos(rest)).await;
                reached
            }
            DeliveryDecision::Unwanted(_) | DeliveryDecision::Void => Ok(()),
        };
        match result {
            Ok(()) => self.finish(&delivery).await,
            Err(error @ (MailError::Transient { .. } | MailError::Down { .. })) => {
                // That nothing can be sent is logged once, by the mailer, and not for each email.
                if matches!(error, MailError::Transient { .. }) {
                    tracing::warn!(tries = delivery.tries, "{error}");
                }
                self.registrar.store().defer_email(&delivery.id, retry_at(self.clock.now(), delivery.tries)).await
            }
            Err(error @ MailError::Unanswered { .. }) => {
                tracing::warn!(tries = delivery.tries, "{error}");
                self.handle_unanswered(&delivery).await
            }
            Err(error @ MailError::Permanent { .. }) => {
                // Any agent can name a mailbox that does not exist; an operator need not act on that.
                tracing::warn!("{error}");
                self.finish(&delivery).await
            }
        }
    }

    /// Hands `message` over, once.
    async fn hand_over(&self, delivery: &Delivery, message: &Message) -> Result<Result<(), MailError>, StoreError> {
        let sent = self.mailer.send(message).await;
        self.registrar.store().metrics().count_email(&sent);
        if let (Ok(()), Some(folder)) = (&sent, self.mailer.folder()) {
            // Erasing its reader removes the email from the store first, then the files that there are: either they
            // find this file, or the email is no longer found here. If that is not known, it is written again later.
            let waits =
                self.registrar.store().is_unwanted(&delivery.id, &Mailbox::from_stored(&*message.to).digest()).await;
            if !matches!(waits, Ok(Some(_))) {
                folder.take_back(message).await;
            }
            waits?;
        }
        Ok(sent)
    }

    /// Handles an email that may or may not have arrived. It is sent again a few times only; otherwise it would be sent
    /// until it is of no more use.
    async fn handle_unanswered(&self, delivery: &Delivery) -> Result<(), StoreError> {
        let store = self.registrar.store();
        let count = store.count_unanswered(&Digest::of(delivery.id.as_bytes()), delivery.expires).await?;
        if count >= UNANSWERED {
            tracing::warn!(count, "an e-mail is given up: the mail server never confirmed it");
            return self.finish(delivery).await;
        }
        // Security: if the reader wants no messages, a question counts as sent by now.
        self.record_question_sent(delivery).await?;
        store.defer_email(&delivery.id, self.clock.now().plus(UNANSWERED_WAIT)).await
    }

    /// Composes `email` as it leaves.
    fn message(&self, delivery: &Delivery, email: &Email) -> Message {
        let pepper = self.registrar.pepper();
        let token = token(pepper, email, &delivery.seed);
        let stop = pepper.stop(&Mailbox::from_stored(email.to.as_str()).digest());
        let stamp = Stamp { id: &delivery.id, at: self.clock.now(), token: &token, stop: stop.0.reveal() };
        (self.forms)().compose(email, stamp)
    }

    /// Finishes with an email that was sent, or never will be.
    async fn finish(&self, delivery: &Delivery) -> Result<(), StoreError> {
        self.record_question_sent(delivery).await?;
        let store = self.registrar.store();
        // A link for an invented address would otherwise count on the ceiling of links until it expires.
        if delivery.opens && delivery.tries == 1 && !matches!(delivery.decision, DeliveryDecision::Sent(_)) {
            let link = self.registrar.pepper().access(&delivery.seed).0.digest();
            return store.drop_email_and_link(&delivery.id, &link).await;
        }
        store.drop_email(&delivery.id).await
    }

    /// If the email asks a person, starts their time: at a fixed time after the email was taken, the first time that it
    /// left.
    async fn record_question_sent(&self, delivery: &Delivery) -> Result<(), StoreError> {
        if delivery.asks {
            self.registrar.record_sent(&delivery.seed, delivery.taken.plus(SENT).max(self.clock.now())).await?;
        }
        Ok(())
    }
}

/// How many emails of a queue are in flight, and how many of those are being sent.
///
/// Security: any client may ask for links to invented addresses. None of those links leaves, but each waits for its
/// delay like those that do. If only as many emails were taken as are sent at once, a person's link would wait behind
/// thousands of them until it has expired.
struct Slots {
    /// A permit for each email that was taken and is not done with.
    in_flight: Arc<Semaphore>,
    /// A permit for each of those that is being sent.
    sending: Arc<Semaphore>,
    /// How many may be in flight.
    most: u16,
}

impl Slots {
    fn of(queue: EmailQueue) -> Self {
        let most = match queue {
            EmailQueue::Links => MAX_IN_FLIGHT,
            // These emails have no delay.
            EmailQueue::Others => MAX_SENDING,
        };
        let [in_flight, sending] = [most, MAX_SENDING].map(|most| Arc::new(Semaphore::new(most.into())));
        Self { in_flight, sending, most }
    }

    /// Waits until every email that was taken is done with.
    async fn all_free(&self) {
        // The semaphore is never closed.
        let _ = self.in_flight.acquire_many(self.most.into()).await;
    }
}

/// An email that is being sent.
struct Delivery {
    id: String,
    seed: Seed,
    decision: DeliveryDecision,
    tries: u32,
    /// Whether it asks a person.
    asks: bool,
    /// Whether it carries a link to what agents hold.
    opens: bool,
    taken: Time,
    expires: Time,
}

impl Delivery {
    /// Waits until `delay` is over and one of the slots of `sending` is free for the email; a void email needs none.
    /// Returns `None` if that takes too long, so that the email is taken again later.
    async fn wait_for_slot<'s>(&self, delay: Duration, sending: &'s Semaphore) -> Option<Option<SemaphorePermit<'s>>> {
        tokio::time::sleep(delay).await;
        match self.decision {
            DeliveryDecision::Void => Some(None),
            DeliveryDecision::Sent(_) | DeliveryDecision::Unwanted(_) => {
                tokio::time::timeout(WAIT_TO_SEND, sending.acquire()).await.ok()?.ok().map(Some)
            }
        }
    }
}

/// Returns the secret of the link in `email`, if it has one.
fn token(pepper: &Pepper, email: &Email, seed: &Seed) -> String {
    match email.content {
        Content::Claim { .. } => pepper.link(seed).0.reveal().to_owned(),
        Content::Access { .. } => pepper.access(seed).0.reveal().to_owned(),
        Content::Superseded { .. } | Content::Revoked { .. } => String::new(),
    }
}

fn later(now: Time, tries: u32) -> Time {
    let doubled = FIRST_WAIT.saturating_mul(1 << tries.saturating_sub(1).min(10));
    now.plus(doubled.min(MAX_WAIT))
}

#[cfg(test)]
mod tests;
