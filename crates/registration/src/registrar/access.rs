//! The access page: the registrations of agents in a person's name, listed and revoked by that person.

use std::time::Duration;

use clock::Time;
use contract::{Locale, agent_replies::LINK_LIFE, errors::AgentErrorCode as Code};
use forms::{EmailContent, EmailDraft};
use secrets::{AccessToken, Mailbox};

use super::Registrar;
use crate::{
    domain::{AccessView, By, Grant, QueuedEmail, RegistrationError, RegistrationRecord, claim::ClaimPhase},
    registrar::{Caller, Which, budgets::EmailKind},
    store::{AccessLink, RevocationNotice, Selection, StoreError},
};

/// How long the revocation notice is tried.
const NOTICE: Duration = Duration::from_hours(24);
/// Lifetime of an access link.
const LINK: Duration = Duration::from_secs(LINK_LIFE);

impl Registrar {
    /// Sends an access link if the mailbox has registrations. Neither the answer nor its timing, nor that of the next
    /// request, reveals whether it has: the same is stored for every address, and the worker decides later whether to
    /// send.
    pub async fn request_access(
        &self,
        email: &Mailbox,
        locale: Locale,
        caller: &Caller,
        now: Time,
    ) -> Result<(), RegistrationError> {
        if !self.has_mail() {
            return Err(Code::ClaimNotEnabled.into());
        }
        // A link is stored for every address, even an invented one, so their number is limited. Check before counting,
        // because counters are stored as well. Expired links make room; unsent ones are deleted with their e-mail.
        if self.0.store.is_full_of_links(self.rules().quotas.links).await? {
            self.0.store.levels().note_exhausted("links", LINK, now);
            return Err(RegistrationError::Unavailable { retry_after: LINK.as_secs() });
        }
        let budgets = self.budgets(*caller);
        self.take(budgets.for_request(EmailKind::AccessLink, email), now).await?;
        // Security: the last link within the budget works until the budget's window ends. An attacker who exhausts a
        // person's budget has thereby sent them a link with which to see and revoke.
        let left = self.0.store.check_budgets(budgets.for_mailbox(EmailKind::AccessLink, email), now).await?;
        let expires = now.plus(left.map_or_else(|exhausted| exhausted.wait, |()| Duration::ZERO).max(LINK));
        let content = EmailContent::Access { expires };
        let seed = self.0.pepper.seed(&self.0.entropy)?;
        let digest = self.0.pepper.access(&seed).0.digest();
        let link = AccessLink { email: email.clone(), locale, expires };
        let post = QueuedEmail { seed, email: EmailDraft { to: email.as_str().to_owned(), locale, content }, expires };
        self.0.store.offer_access(link, digest, post, now).await?;
        self.0.links.notify_one();
        Ok(())
    }

    /// Whether `email` has registrations with a credential in force.
    pub(super) async fn holds(&self, email: &Mailbox, now: Time) -> Result<bool, StoreError> {
        Ok(self.0.store.records_of(email, now).await?.iter().any(|record| grant(record, now).is_some()))
    }

    /// Returns the registrations that the link shows. Changes nothing.
    pub async fn access(&self, link: &AccessToken, now: Time) -> Result<AccessView, RegistrationError> {
        let AccessLink { email, locale, expires } = self.access_link(link, now).await?;
        let grants = self.grants(&email, now).await?;
        if grants.is_empty() {
            // If the person was erased between the two lookups, the link is invalid.
            self.access_link(link, now).await?;
        }
        Ok(AccessView { email: email.as_str().to_owned(), locale, expires, grants })
    }

    /// Revokes what `which` selects, pending requests included. Returns how many credentials in force were revoked.
    pub async fn revoke_access(&self, link: &AccessToken, which: Which, now: Time) -> Result<usize, RegistrationError> {
        let AccessLink { email, locale, .. } = self.access_link(link, now).await?;
        // Security: a link covers its own mailbox only.
        let only = match which {
            Which::All => None,
            Which::One(id) => Some(id),
        };
        let selection = Selection::Linked(link.0.digest(), email.clone(), only);
        let notice = self.notice(&email, locale, now);
        let ended = self.0.store.revoke_and_notify(&selection, By::User, notice, now).await?.held;
        if ended > 0 {
            self.0.emails.notify_one();
        } else {
            // As in `access`.
            self.access_link(link, now).await?;
        }
        Ok(ended)
    }

    /// Builds the notice of the revocation, so that the holder of a stolen link cannot revoke unnoticed. The revocation
    /// happens even if no e-mail may be sent.
    fn notice(&self, email: &Mailbox, locale: Locale, now: Time) -> Option<RevocationNotice> {
        let seed = self.0.pepper.seed(&self.0.entropy).ok()?;
        // The store sets the count.
        let content = EmailContent::Revoked { count: 0, at: now };
        let message = EmailDraft { to: email.as_str().to_owned(), locale, content };
        // Charged to the service: the mailbox's own budget applies, whatever the cause.
        let budgets = self.budgets(Caller::Service);
        let budgets =
            [budgets.for_mailbox(EmailKind::Revocation, email), budgets.for_sent_email(EmailKind::Revocation, email)]
                .concat();
        Some(RevocationNotice { post: QueuedEmail { seed, email: message, expires: now.plus(NOTICE) }, budgets })
    }

    async fn access_link(&self, link: &AccessToken, now: Time) -> Result<AccessLink, RegistrationError> {
        let found = self.0.store.access_link(&link.0.digest()).await?;
        Ok(found.filter(|link| now < link.expires).ok_or(Code::ClaimExpired)?)
    }

    async fn grants(&self, email: &Mailbox, now: Time) -> Result<Vec<Grant>, RegistrationError> {
        let records = self.0.store.records_of(email, now).await?;
        Ok(records.iter().filter_map(|record| grant(record, now)).collect())
    }
}

/// Returns the access page's entry for `record`, if its credential is in force in a person's name.
fn grant(record: &RegistrationRecord, now: Time) -> Option<Grant> {
    let ClaimPhase::Claimed { at } = record.claim.status(now) else { return None };
    let active = record.credential.active().filter(|_| record.is_live(now))?;
    Some(Grant {
        id: record.id.clone(),
        agent: record.agent().to_owned(),
        provider: record.provider.as_ref().map(|provider| provider.name.clone()),
        match_phrase: record.match_phrase.map(|phrase| phrase.to_string()),
        scopes: active.scopes.clone(),
        granted: at,
        expires: active.expires,
    })
}
