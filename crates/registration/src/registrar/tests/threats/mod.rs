//! The threat table of the design, attacked at the registrar: a test for each row, named after the row.
//! `docs/threats.md` says where each threat is attacked; what only HTTP, a disk or a process can do is attacked there.

mod codes;
mod growth;
mod keeping;
mod mail;
mod timing;
mod tokens;

use super::*;
use crate::{domain::Digest, registrar::Quotas};

/// Returns a client, by number.
fn client(number: u64) -> Caller {
    // In a network of its own, if it is one of IPv4.
    Caller::Client(if number < 1 << 24 { number << 8 } else { number })
}

/// Creates a registrar with the limits of one that nobody has configured.
fn limited(store: &Store, seed: u64) -> Registrar {
    with_quotas(store, seed, Quotas::default())
}

fn with_quotas(store: &Store, seed: u64, quotas: Quotas) -> Registrar {
    with_parts(store, seed, quotas, Pepper::fixed(1))
}

fn with_parts(store: &Store, seed: u64, quotas: Quotas, pepper: Pepper) -> Registrar {
    let both = vec![CredentialType::ApiKey, CredentialType::AccessToken];
    Registrar::new(RegistrarParts {
        store: store.clone(),
        pepper,
        entropy: Entropy::seeded(seed),
        resources: vec!["https://firm.example".to_owned()],
        rules: Rules {
            abilities: Abilities { mail: true, providers: false },
            providers: None,
            quotas,
            offers: Offers {
                anonymous: both.clone(),
                assertions: vec![AssertionType::VerifiedEmail],
                credentials: both,
                grants: vec![CLAIM_GRANT.to_owned(), JWT_BEARER_GRANT.to_owned()],
                identity: true,
            },
        },
    })
}

/// Returns every email that waits, taken out of the outbox as if it had been sent.
async fn emails(registrar: &Registrar, now: Time) -> Vec<crate::store::Due> {
    let mut all = Vec::new();
    while let Some(due) = registrar.store().take_email(now).await.unwrap() {
        registrar.store().drop_email(&due.id).await.unwrap();
        registrar.record_sent(&due.seed, now).await.unwrap();
        all.push(due);
    }
    all
}

async fn is_live(registrar: &Registrar, credential: &Digest, now: Time) -> bool {
    registrar.check(credential, now).await.unwrap().is_some()
}
