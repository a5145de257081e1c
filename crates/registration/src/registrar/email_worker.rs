//! Sends the e-mails in the outbox, and retries.
//!
//! Security: an agent sees when a claim request expires, and so when it counts as sent. That must reveal nothing about
//! the person: neither an opt-out nor a fast mail server. So a request counts as sent at a fixed time after the worker
//! took it, the mail server is contacted even for an unwanted e-mail, and e-mails wait for each other only when very
//! many are under way. What remains visible is a server that defers one recipient.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use clock::{Clock, Time};
use forms::{EmailContent, EmailDraft, Forms, Stamp};
use mail::{MailError, Mailer, Message};
use secrets::{Digest, Mailbox, Pepper, Seed};
use tokio::sync::{Semaphore, SemaphorePermit, watch};

use super::{Registrar, delivery::DeliveryDecision};
use crate::store::{Due, EmailQueue, LEASE, StoreError};

/// Pause between polls for e-mails that another process has stored.
const LOOK: Duration = Duration::from_secs(15);
/// Wait after the first failure; doubles with each failure.
const FIRST_WAIT: Duration = Duration::from_secs(5);
const MAX_WAIT: Duration = Duration::from_mins(10);

/// How often an e-mail is sent without an answer of the mail server: it may arrive each time, but counts once for every
/// limit.
const UNANSWERED: i64 = 3;
/// Wait after each of these.
const UNANSWERED_WAIT: Duration = Duration::from_mins(2);

/// Time after which a claim request that was taken counts as sent: longer than sending takes.
pub(crate) const SENT: Duration = Duration::from_secs(45);
/// Maximum random delay of an access link.
const DELAY: Duration = Duration::from_secs(2);
/// E-mails of one queue sent at once.
const MAX_SENDING: u16 = 16;
/// Access links in flight at once: delayed or being sent.
const MAX_IN_FLIGHT: u16 = 1000;
/// Maximum wait for a slot after the delay.
const WAIT_TO_SEND: Duration = Duration::from_secs(40);

// An e-mail must be finished while it is reserved, or it is sent twice.
const _: () =
    assert!(DELAY.saturating_add(WAIT_TO_SEND).saturating_add(mail::SEND_TIMEOUT).as_millis() < LEASE.as_millis());
// Security: the mail server must have answered before a request counts as sent, or its speed would show.
const _: () = assert!(mail::SEND_TIMEOUT.as_millis() < SENT.as_millis());

pub struct EmailWorker<F> {
    registrar: Registrar,
    mailer: Mailer,
    /// Returns the forms of the current build.
    forms: F,
    clock: Clock,
    /// Duration of the last sending in nanoseconds; zero before the first.
    usual: AtomicU64,
}

impl<F: Fn() -> Arc<Forms> + Send + Sync + 'static> EmailWorker<F> {
    /// Creates a worker for the outbox of `registrar`.
    pub const fn new(registrar: Registrar, mailer: Mailer, forms: F, clock: Clock) -> Self {
        Self { registrar, mailer, forms, clock, usual: AtomicU64::new(0) }
    }

    /// Sends e-mails until `ending` changes. E-mails being sent then are finished; the others stay in the outbox.
    pub async fn run(self, ending: watch::Receiver<()>) {
        let sender = Arc::new(self);
        tokio::join!(
            Arc::clone(&sender).serve_queue(EmailQueue::Others, ending.clone()),
            sender.serve_queue(EmailQueue::Links, ending)
        );
    }

    async fn serve_queue(self: Arc<Self>, queue: EmailQueue, mut ending: watch::Receiver<()>) {
        let emails = self.registrar.email_notification(queue);
        let slots = Slots::of(queue);
        loop {
            let wait = self.send_due(queue, &slots, &ending).await.unwrap_or(LOOK).min(LOOK);
            tokio::select! {
                // Changed once, or its sender is dropped.
                _ = ending.changed() => break,
                // A new e-mail ends the wait; one stored since the last poll has left its notification.
                _ = tokio::time::timeout(wait, emails.notified()) => {}
            }
        }
        slots.all_free().await;
    }

    /// Starts sending everything that is due. Returns the time until more may be due.
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
            // Security: each link has a random delay, so that its arrival does not reveal whether another link was
            // sent.
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
                    // Taken again when its reservation ends.
                    _ = ending.changed() => None,
                };
                if let Some(slot) = ready {
                    // The store logs its failures; the e-mail is taken again later.
                    let _ = sender.deliver(delivery).await;
                    drop(slot);
                }
                drop(in_flight);
                // An e-mail that was put back may be due before the current wait ends.
                emails.notify_one();
            });
        }
        let now = self.clock.now();
        let next = store.next_email(queue).await?;
        Ok(next.map_or(LOOK, |next| next.since(now)).max(Duration::from_millis(100)))
    }

    /// Decides about `due`; `None` if nothing is left to do.
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
        let asks = matches!(email.content, EmailContent::Claim { .. });
        let opens = matches!(email.content, EmailContent::Access { .. });
        let mut decision = self.registrar.decide_delivery(email, &seed, now).await?;
        if !self.registrar.take_email_budget(&decision, &id, expires, now).await? {
            decision = DeliveryDecision::Void;
        }
        Ok(Some(Delivery { id, seed, decision, tries, asks, opens, taken: now, expires }))
    }

    /// Sends an e-mail, or puts it back.
    async fn deliver(&self, mut delivery: Delivery) -> Result<(), StoreError> {
        delivery.decision = self.registrar.recheck_delivery(delivery.decision, &delivery.id).await?;
        let start = self.clock.nanoseconds();
        let elapsed = || self.clock.nanoseconds().saturating_sub(start);
        let result = match &delivery.decision {
            DeliveryDecision::Sent(email) => {
                let sent = self.send_once(&delivery, &self.message(&delivery, email)).await?;
                if matches!(sent, Ok(()) | Err(MailError::Unanswered { .. })) {
                    self.usual.store(elapsed(), Ordering::Relaxed);
                }
                sent
            }
            // Security: while requests cannot be sent, none counts as sent to a person who has opted out either. Others
            // may observe writes to the store, so the row is finished when it would be after a real sending.
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
                // The mailer logs an outage once.
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
                // Any agent can name a mailbox that does not exist; the operator need not act.
                tracing::warn!("{error}");
                self.finish(&delivery).await
            }
        }
    }

    async fn send_once(&self, delivery: &Delivery, message: &Message) -> Result<Result<(), MailError>, StoreError> {
        let sent = self.mailer.send(message).await;
        self.registrar.store().metrics().count_email(&sent);
        if let (Ok(()), Some(folder)) = (&sent, self.mailer.folder()) {
            // `erase` deletes the e-mail from the store, then the files: either it finds this file, or the e-mail is
            // gone here. If that is unknown, the e-mail is written again later.
            let waits =
                self.registrar.store().is_unwanted(&delivery.id, &Mailbox::from_stored(&*message.to).digest()).await;
            if !matches!(waits, Ok(Some(_))) {
                folder.take_back(message).await;
            }
            waits?;
        }
        Ok(sent)
    }

    /// Retries an e-mail that may have arrived, a few times only.
    async fn handle_unanswered(&self, delivery: &Delivery) -> Result<(), StoreError> {
        let store = self.registrar.store();
        let count = store.count_unanswered(&Digest::of(delivery.id.as_bytes()), delivery.expires).await?;
        if count >= UNANSWERED {
            tracing::warn!(count, "an e-mail is given up: the mail server never confirmed it");
            return self.finish(delivery).await;
        }
        // Security: to a reader who has opted out, a request counts as sent by now.
        self.record_question_sent(delivery).await?;
        store.defer_email(&delivery.id, self.clock.now().plus(UNANSWERED_WAIT)).await
    }

    fn message(&self, delivery: &Delivery, email: &EmailDraft) -> Message {
        let pepper = self.registrar.pepper();
        let token = token(pepper, email, &delivery.seed);
        let stop = pepper.stop(&Mailbox::from_stored(email.to.as_str()).digest());
        let stamp = Stamp { id: &delivery.id, at: self.clock.now(), token: &token, stop: stop.0.reveal() };
        (self.forms)().compose(email, stamp)
    }

    /// Removes an e-mail that was sent or given up.
    async fn finish(&self, delivery: &Delivery) -> Result<(), StoreError> {
        self.record_question_sent(delivery).await?;
        let store = self.registrar.store();
        // A link for an invented address would count against the limit of links until it expires.
        if delivery.opens && delivery.tries == 1 && !matches!(delivery.decision, DeliveryDecision::Sent(_)) {
            let link = self.registrar.pepper().access(&delivery.seed).0.digest();
            return store.drop_email_and_link(&delivery.id, &link).await;
        }
        store.drop_email(&delivery.id).await
    }

    /// Starts the person's time for a claim request, at a fixed time after the worker first took it.
    async fn record_question_sent(&self, delivery: &Delivery) -> Result<(), StoreError> {
        if delivery.asks {
            self.registrar.record_sent(&delivery.seed, delivery.taken.plus(SENT).max(self.clock.now())).await?;
        }
        Ok(())
    }
}

/// Limits the e-mails of a queue in flight, and those of them being sent.
///
/// Security: any client can request links to invented addresses. None is sent, but each waits for its delay like a real
/// one. With one limit for both, a person's link would wait behind thousands of these until it expired.
struct Slots {
    /// A permit for each e-mail that was taken and is not finished.
    in_flight: Arc<Semaphore>,
    /// A permit for each e-mail being sent.
    sending: Arc<Semaphore>,
    /// Number of permits in flight.
    most: u16,
}

impl Slots {
    fn of(queue: EmailQueue) -> Self {
        let most = match queue {
            EmailQueue::Links => MAX_IN_FLIGHT,
            // These have no delay.
            EmailQueue::Others => MAX_SENDING,
        };
        let [in_flight, sending] = [most, MAX_SENDING].map(|most| Arc::new(Semaphore::new(most.into())));
        Self { in_flight, sending, most }
    }

    /// Waits until no e-mail is in flight.
    async fn all_free(&self) {
        // The semaphore is never closed.
        let _ = self.in_flight.acquire_many(self.most.into()).await;
    }
}

/// An e-mail that was taken from the outbox.
struct Delivery {
    id: String,
    seed: Seed,
    decision: DeliveryDecision,
    tries: u32,
    /// Whether it is a claim request.
    asks: bool,
    /// Whether it carries an access link.
    opens: bool,
    taken: Time,
    expires: Time,
}

impl Delivery {
    /// Waits for `delay`, then for a slot; an e-mail that is not sent needs none. Returns `None` after
    /// [`WAIT_TO_SEND`]; the e-mail is taken again later.
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

/// Returns the secret of the link in `email`, or an empty text.
fn token(pepper: &Pepper, email: &EmailDraft, seed: &Seed) -> String {
    match email.content {
        EmailContent::Claim { .. } => pepper.link(seed).0.reveal().to_owned(),
        EmailContent::Access { .. } => pepper.access(seed).0.reveal().to_owned(),
        EmailContent::Superseded { .. } | EmailContent::Revoked { .. } => String::new(),
    }
}

fn retry_at(now: Time, tries: u32) -> Time {
    let doubled = FIRST_WAIT.saturating_mul(1 << tries.saturating_sub(1).min(10));
    now.plus(doubled.min(MAX_WAIT))
}

#[cfg(test)]
mod tests;
