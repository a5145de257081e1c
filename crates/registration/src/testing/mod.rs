//! Fixtures for the tests of this crate and of the binaries: a registrar, claims by a person, and the audit lines.

#![expect(
    clippy::expect_used,
    clippy::missing_panics_doc,
    clippy::unwrap_used,
    reason = "a broken expectation ends the test that met it"
)]

use std::sync::{Arc, mpsc::Receiver};

use clock::Time;
use contract::{
    Locale,
    agent_auth::{AssertionType, CLAIM_GRANT, CredentialType, JWT_BEARER_GRANT},
};
pub use journal::listen;
use providers::Verifier;
use secrets::{AccessToken, ClaimToken, Entropy, LinkToken, Mailbox, Pepper, RegistrationId, Secret};

use crate::{
    domain::Registered,
    registrar::{
        Abilities, Caller, ClaimRequest, Completion, Identity, Offers, Quotas, Registrar, RegistrarParts,
        RegistrationRequest, Rules,
    },
    store::Store,
};

pub const START: Time = Time::from_millis(1_767_225_600_000);
/// A caller without limits.
pub const WHO: Caller = Caller::Unlimited;
/// A code that no attempt has: entropy is fixed in these tests.
pub const WRONG: &str = "000000";

/// Creates a registrar with all features and no limits.
pub fn registrar(store: &Store, seed: u64, providers: Option<Verifier>) -> Registrar {
    let most = u32::MAX;
    let quotas = Quotas {
        anonymous_per_client: most,
        anonymous: most,
        assertions_per_client: most,
        assertions: most,
        emails_per_client: most,
        emails_per_mailbox: most,
        emails_per_domain: most,
        emails: most,
        wrong_codes_per_client: most,
        wrong_codes: most,
        registrations: u64::MAX,
        links: u64::MAX,
    };
    registrar_with(store, seed, quotas, providers)
}

/// Like [`registrar`], with limits.
pub fn registrar_with(store: &Store, seed: u64, quotas: Quotas, providers: Option<Verifier>) -> Registrar {
    let both = vec![CredentialType::ApiKey, CredentialType::AccessToken];
    Registrar::new(RegistrarParts {
        store: store.clone(),
        pepper: Pepper::fixed(1),
        entropy: Entropy::seeded(seed),
        resources: vec!["https://firm.example".to_owned()],
        rules: Rules {
            abilities: Abilities { mail: true, providers: providers.is_some() },
            providers: providers.map(Arc::new),
            quotas,
            offers: Offers {
                anonymous: both.clone(),
                assertions: vec![AssertionType::IdJag, AssertionType::VerifiedEmail],
                credentials: both,
                grants: vec![CLAIM_GRANT.to_owned(), JWT_BEARER_GRANT.to_owned()],
                identity: true,
            },
        },
    })
}

/// Returns a request for a registration with `identity`.
pub fn registration_request(identity: Identity) -> RegistrationRequest {
    RegistrationRequest { identity, credential: None, locale: Locale::En }
}

pub fn mailbox(text: &str) -> Mailbox {
    Mailbox::parse(text).unwrap()
}

pub fn claim_request(claim_token: &ClaimToken, email: &str) -> ClaimRequest {
    ClaimRequest { claim_token: claim_token.clone(), email: mailbox(email), locale: Locale::En }
}

/// Returns the request that completes a claim with a code.
pub fn completion(claim_token: &ClaimToken, otp: &str) -> Completion {
    Completion { claim_token: claim_token.clone(), otp: Secret::new(otp) }
}

/// Returns the token that claims a registration.
pub fn token_of(registered: &Registered) -> ClaimToken {
    registered.pending.as_ref().unwrap().claim_token.clone()
}

/// Returns the link in the newest email. Empties the outbox, as if all emails had been sent.
pub async fn link(registrar: &Registrar, now: Time) -> LinkToken {
    let mut newest = None;
    while let Some(due) = registrar.store().take_email(now).await.unwrap() {
        registrar.store().drop_email(&due.id).await.unwrap();
        if matches!(due.email.unwrap().content, forms::EmailContent::Claim { .. }) {
            registrar.record_sent(&due.seed, now).await.unwrap();
            newest = Some(registrar.pepper().link(&due.seed));
        }
    }
    newest.expect("an email")
}

/// Registers with `email` and completes the claim.
pub async fn claim_registration(registrar: &Registrar, email: &str, now: Time) -> (ClaimToken, Secret) {
    let registered =
        registrar.register(registration_request(Identity::Email(mailbox(email))), &WHO, now).await.unwrap();
    let link = link(registrar, now).await;
    let otp = registrar.challenge(&link, now).await.unwrap().code;
    let token = token_of(&registered);
    let done = registrar.complete(completion(&token, otp.reveal()), &WHO, now).await.unwrap();
    (token, done.credential.unwrap())
}

/// Requests an access link and returns it from its email, the only one in the outbox.
pub async fn access_link(registrar: &Registrar, email: &Mailbox, now: Time) -> AccessToken {
    while let Some(due) = registrar.store().take_email(now).await.unwrap() {
        registrar.store().drop_email(&due.id).await.unwrap();
    }
    registrar.request_access(email, Locale::En, &WHO, now).await.unwrap();
    let due = registrar.store().take_email(now).await.unwrap().unwrap();
    registrar.store().drop_email(&due.id).await.unwrap();
    registrar.pepper().access(&due.seed)
}

/// Returns the audit lines since the last call.
pub fn audit_lines(lines: &Receiver<String>) -> impl Iterator<Item = String> + use<'_> {
    lines.try_iter().filter_map(|line| line.split_once("audit: ").map(|(_, rest)| rest.trim().to_owned()))
}

/// Returns the audit lines about the registration `id` since the last call.
pub fn audit_lines_of(lines: &Receiver<String>, id: &RegistrationId) -> Vec<String> {
    let name = format!(" registration={id}");
    audit_lines(lines)
        .filter(|line| line.contains(&name))
        .map(|line| line.replace(&name, "").replace("event=", ""))
        .collect()
}
