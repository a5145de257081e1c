//! Applies the side effects of a new state, inside its transaction.

use clock::Time;
use contract::scopes::Scope;
use secrets::RegistrationId;

use super::{
    EmailQueue, Result, StoreError, StoreFailure,
    people::{find_link, forget_person_without_rows},
    sql::{Tx, values},
};
use crate::domain::{Conflict, Effect, QueuedEmail};

const ISSUE: &str = "INSERT INTO credential (digest, registration, scopes, expires_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (digest) DO UPDATE SET scopes = excluded.scopes, expires_at = excluded.expires_at";
const REVOKE: &str = "UPDATE credential SET revoked_at = $2 WHERE digest = $1 AND revoked_at IS NULL";
const REVOKE_UNUSED: &str =
    "UPDATE credential SET revoked_at = $2 WHERE digest = $1 AND revoked_at IS NULL AND used_at IS NULL";
const REQUIRE_UNUSED: &str =
    "UPDATE credential SET used_at = NULL WHERE digest = $1 AND revoked_at IS NULL AND used_at IS NULL";
const LINK: &str = "INSERT INTO link (digest, registration, seed) VALUES ($1, $2, $3)";
const MAIL: &str = "INSERT INTO outbox (id, seed, recipient, letter, tries, due_at, expires_at, pile, created_at)
    VALUES ($1, $2, $3, $4, 0, $5, $6, $7, $5) ON CONFLICT (id) DO UPDATE SET letter = excluded.letter";
const SET_DUE: &str = "UPDATE outbox SET due_at = $2 WHERE id = $1";
const SPEND: &str = "INSERT INTO jti (issuer, digest, expires_at) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
const KNOW: &str = "INSERT INTO principal (email, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING";
const DELEGATE: &str = "INSERT INTO delegation (issuer, tenant, subject, email, created_at)
    VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (issuer, tenant, subject) DO UPDATE SET email = excluded.email";

/// Applies `effects` in order.
pub(super) async fn apply(tx: &mut Tx, id: &RegistrationId, effects: Vec<Effect>, now: Time) -> Result<()> {
    for effect in effects {
        match effect {
            Effect::Audit(change) => tx.audit_change(id.clone(), change),
            Effect::Issue { digest, scopes, expires } => {
                let scopes = Scope::list(&scopes);
                tx.run(ISSUE, values![digest.as_str(), id.as_str(), scopes, expires]).await?;
            }
            Effect::Revoke(digest) => {
                tx.run(REVOKE, values![digest.as_str(), now]).await?;
            }
            Effect::RevokeUnused(digest) => {
                expect_one_row(tx.run(REVOKE_UNUSED, values![digest.as_str(), now]).await?, Conflict::Used)?;
            }
            Effect::RequireUnused(digest) => {
                expect_one_row(tx.run(REQUIRE_UNUSED, values![digest.as_str()]).await?, Conflict::Used)?;
            }
            Effect::Link { digest, seed } => {
                tx.run(LINK, values![digest.as_str(), id.as_str(), seed.as_str()]).await?;
            }
            Effect::Mail(post) => mail(tx, &post, now).await?,
            Effect::Spend(spent) => {
                let values = values![spent.issuer, spent.jti, spent.expires];
                expect_one_row(tx.run(SPEND, values).await?, Conflict::Replayed)?;
            }
            Effect::Know(mailbox) => {
                tx.run(KNOW, values![mailbox.as_str(), now]).await?;
            }
            Effect::Meet(mailbox) => {
                expect_one_row(tx.run(KNOW, values![mailbox.as_str(), now]).await?, Conflict::Known)?;
            }
            Effect::Delegate { subject, email } => {
                let before = find_link(tx, &subject).await?.and_then(|before| before.0);
                let left = before.filter(|before| email.as_ref() != Some(before));
                let email = email.map(|mailbox| mailbox.as_str().to_owned());
                tx.run(DELEGATE, values![subject.issuer, subject.tenant, subject.name, email, now]).await?;
                if let Some(left) = left {
                    forget_person_without_rows(tx, left.as_str().to_owned()).await?;
                }
            }
        }
    }
    Ok(())
}

/// Puts an e-mail into the outbox, or replaces its earlier version.
pub(super) async fn mail(tx: &mut Tx, post: &QueuedEmail, now: Time) -> Result<()> {
    let email = serde_json::to_string(&post.email).map_err(|_| StoreError::Down(StoreFailure::Unusable))?;
    let name = email_id(post);
    let recipient = post.email.to.as_str();
    let queue = EmailQueue::of(post.email.kind()).number();
    tx.run(MAIL, values![name, post.seed.as_str(), recipient, email, now, post.expires, queue]).await?;
    Ok(())
}

/// Like `mail`, but sets the time from which the e-mail may be sent to `due`.
pub(super) async fn queue_email_at(tx: &mut Tx, post: &QueuedEmail, due: Time) -> Result<()> {
    mail(tx, post, due).await?;
    tx.run(SET_DUE, values![email_id(post), due]).await?;
    Ok(())
}

/// Returns the ID of an e-mail in the outbox: its seed and kind.
fn email_id(post: &QueuedEmail) -> String {
    format!("{}.{:?}", post.seed.as_str(), post.email.kind()).to_lowercase()
}

fn expect_one_row(changed: u64, conflict: Conflict) -> Result<()> {
    if changed == 1 { Ok(()) } else { Err(conflict.into()) }
}
