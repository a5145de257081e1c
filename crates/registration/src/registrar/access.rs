//! What agents hold in a person's name, as that person sees it.

use std::time::Duration;

use clock::Time;
use contract::{Locale, agent_errors::AgentErrorCode as Code, agent_replies::LINK_LIFE};
use forms::{Content, Email};

use super::Registrar;
use crate::{
    domain::{AccessToken, AccessView, By, Grant, Mailbox, QueuedEmail, Record, RegistrationError, claim::ClaimStatus},
    registrar::{Caller, Which, budgets::EmailKind},
    store::{AccessLink, RevocationNotice, Selection, StoreError},
};

/// How long a notice is worth sending.
const NOTICE: Duration = Duration::from_hours(24);
/// How long the link works.
const LINK: Duration = Duration::from_secs(LINK_LIFE);

impl Registrar {
    /// Sends a link to what agents hold, if there is anything. Neither the answer nor its timing reveals whether there
    /// is, and neither does the timing of the next request: the same is written for every address, and whether an email
    /// leaves is decided when its turn comes.
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
        // A link is kept for every address that a client invents, so there is a ceiling. It is looked at before
        // anything is counted, because counters are stored as well. Links that expire make room, and those that are
        // not sent are deleted with their email.
        if self.0.store.is_full_of_links(self.rules().quotas.links).await? {
            self.0.store.levels().note_exhausted("links", LINK, now);
            return Err(RegistrationError::Unavailable { retry_after: LINK.as_secs() });
        }
        let budgets = self.budgets(*caller);
        self.take(budgets.for_request(EmailKind::AccessLink, email), now).await?;
        // Security: the last link for a while works for that while. A stranger who asks in a person's name until the
        // budget is used up has thereby had that person sent a link with which to see what there is, and take it back.
        let left = self.0.store.check_budgets(budgets.for_mailbox(EmailKind::AccessLink, email), now).await?;
        let expires = now.plus(left.map_or_else(|exhausted| exhausted.wait, |()| Duration::ZERO).max(LINK));
        let content = Content::Access { expires };
        let seed = self.0.pepper.seed(&self.0.entropy)?;
        let digest = self.0.pepper.access(&seed).0.digest();
        let link = AccessLink { email: email.clone(), locale, expires };
        let post = QueuedEmail { seed, email: Email { to: email.as_str().to_owned(), locale, content }, expires };
        self.0.store.offer_access(link, digest, post, now).await?;
        self.0.links.notify_one();
        Ok(())
    }

    /// Whether agents hold anything in the name of the reader of `email`.
    pub(super) async fn holds(&self, email: &Mailbox, now: Time) -> Result<bool, StoreError> {
        Ok(self.0.store.records_of(email, now).await?.iter().any(|record| grant(record, now).is_some()))
    }

    /// Returns what agents hold in the name of the person who got the link. Changes nothing.
    pub async fn access(&self, link: &AccessToken, now: Time) -> Result<AccessView, RegistrationError> {
        let AccessLink { email, locale, expires } = self.access_link(link, now).await?;
        let grants = self.grants(&email, now).await?;
        if grants.is_empty() {
            // Between the two lookups the person may have been erased, and then the link is no longer valid.
            self.access_link(link, now).await?;
        }
        Ok(AccessView { email: email.as_str().to_owned(), locale, expires, grants })
    }

    /// Revokes what `which` selects, and returns how many agents lost what they held. Requests, which hold nothing, end
    /// too.
    pub async fn revoke_access(&self, link: &AccessToken, which: Which, now: Time) -> Result<usize, RegistrationError> {
        let AccessLink { email, locale, .. } = self.access_link(link, now).await?;
        // Security: the link is good for its own mailbox and no other.
        let only = match which {
            Which::All => None,
            Which::One(id) => Some(id),
        };
        let selection = Selection::Linked(link.0.digest(), email.clone(), only);
        let notice = self.notice(&email, locale, now);
        let ended = self.0.store.revoke_and_tell(&selection, By::User, notice, now).await?.held;
        if ended > 0 {
            self.0.emails.notify_one();
        } else {
            // As above.
            self.access_link(link, now).await?;
        }
        Ok(ended)
    }

    /// Builds the email that says that something was taken back, so that a stranger who got hold of a link cannot do
    /// that unseen. It is taken back whether an email may be written or not.
    fn notice(&self, email: &Mailbox, locale: Locale, now: Time) -> Option<RevocationNotice> {
        let seed = self.0.pepper.seed(&self.0.entropy).ok()?;
        // The number is known once they have been taken back.
        let content = Content::Revoked { count: 0, at: now };
        let message = Email { to: email.as_str().to_owned(), locale, content };
        // The mailbox gets no more emails for this, whatever the cause.
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

/// Returns what the agent of `record` holds in a person's name at `now`.
fn grant(record: &Record, now: Time) -> Option<Grant> {
    let ClaimStatus::Claimed { at } = record.claim.status(now) else { return None };
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
