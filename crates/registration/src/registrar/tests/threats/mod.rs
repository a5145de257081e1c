//! The threat table of the design at the registrar: a test for each row, named after it. `docs/threats.md` lists where
//! each threat is tested; threats to HTTP, disks or processes are tested there.

mod codes;
mod growth;
mod keeping;
mod mail;
mod timing;
mod tokens;

use secrets::Digest;

use super::*;
use crate::registrar::Quotas;

fn client(number: u64) -> Caller {
    // Each IPv4 address in a network of its own.
    Caller::Client(if number < 1 << 24 { number << 8 } else { number })
}

/// Creates a registrar with the default limits.
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

/// Takes all emails from the outbox, as if they had been sent.
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
