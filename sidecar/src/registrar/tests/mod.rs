//! The registrar over real stores.

pub(crate) mod audit;
mod budgets;
mod floods;
mod model;
pub(crate) mod models;
mod moments;
mod providers;
mod races;
mod table;
mod threats;
mod times;

use std::time::Duration;

use contract::{
    Locale,
    agent_auth::{AssertionType, CLAIM_GRANT, CredentialType, JWT_BEARER_GRANT},
};

use super::{
    Abilities, Caller, ClaimRequest, Completion, Identity, Offers, Registrar, RegistrarParts, RegistrationRequest,
};
use crate::{
    Time,
    config::Quotas,
    registration::{
        AccessToken, ClaimToken, Entropy, LinkToken, Mailbox, Pepper, Refusal, Registered, RegistrationId, Secret,
        providers::Verifier,
    },
    store::Store,
};

/// How long to wait for what somebody else does before a test has failed.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time at which tests begin.
const START: Time = Time::from_millis(1_767_225_600_000);
const WHO: Caller = Caller::Unlimited;
/// A code that nobody is shown: what is random is fixed in these tests.
const WRONG: &str = "000000";

/// Creates a registrar that offers everything and limits nothing.
pub(crate) fn registrar(store: &Store, seed: u64, providers: Option<Verifier>) -> Registrar {
    let most = u32::MAX;
    let quotas = Quotas {
        anonymous_per_client: most,
        anonymous: most,
        assertions_per_client: most,
        assertions: most,
        letters_per_client: most,
        letters_per_mailbox: most,
        letters_per_domain: most,
        letters: most,
        wrong_codes_per_client: most,
        wrong_codes: most,
        registrations: u64::MAX,
        links: u64::MAX,
    };
    registrar_with(store, seed, quotas, providers)
}

/// Creates the same registrar with limits.
pub(crate) fn registrar_with(store: &Store, seed: u64, quotas: Quotas, providers: Option<Verifier>) -> Registrar {
    let both = vec![CredentialType::ApiKey, CredentialType::AccessToken];
    Registrar::new(RegistrarParts {
        store: store.clone(),
        pepper: Pepper::fixed(1),
        entropy: Entropy::seeded(seed),
        abilities: Abilities { mail: true, providers: providers.is_some() },
        providers,
        resources: vec!["https://firm.example".to_owned()],
        quotas,
        offers: Offers {
            anonymous: both.clone(),
            assertions: vec![AssertionType::IdJag, AssertionType::VerifiedEmail],
            credentials: both,
            grants: vec![CLAIM_GRANT.to_owned(), JWT_BEARER_GRANT.to_owned()],
        },
    })
}

pub(crate) fn asking(identity: Identity) -> RegistrationRequest {
    RegistrationRequest { identity, credential: None, locale: Locale::En }
}

fn mailbox(text: &str) -> Mailbox {
    Mailbox::parse(text).unwrap()
}

fn claim_request(claim_token: &ClaimToken, email: &str) -> ClaimRequest {
    ClaimRequest { claim_token: claim_token.clone(), email: mailbox(email), locale: Locale::En }
}

fn completion(claim_token: &ClaimToken, otp: &str) -> Completion {
    Completion { claim_token: claim_token.clone(), otp: Secret::new(otp) }
}

fn token_of(registered: &Registered) -> ClaimToken {
    registered.pending.as_ref().unwrap().claim_token.clone()
}

/// Returns the link in the newest letter. All letters leave the outbox, as if they had been sent.
async fn link(registrar: &Registrar, now: Time) -> LinkToken {
    let mut newest = None;
    while let Some(due) = registrar.store().take_letter(now).await.unwrap() {
        registrar.store().drop_letter(&due.id).await.unwrap();
        if matches!(due.letter.unwrap().content, crate::forms::Content::Claim { .. }) {
            registrar.sent(&due.seed, now).await.unwrap();
            newest = Some(registrar.pepper().link(&due.seed));
        }
    }
    newest.expect("a letter")
}

/// Has a person claim a registration.
pub(crate) async fn claimed(registrar: &Registrar, email: &str, now: Time) -> (ClaimToken, Secret) {
    let registered = registrar.register(asking(Identity::Email(mailbox(email))), &WHO, now).await.unwrap();
    let link = link(registrar, now).await;
    let otp = registrar.challenge(&link, now).await.unwrap().code;
    let token = token_of(&registered);
    let done = registrar.complete(completion(&token, otp.reveal()), &WHO, now).await.unwrap();
    (token, done.credential.unwrap())
}

/// Returns the link to what agents hold from the letter that is asked for, which is then the only one.
async fn access_link(registrar: &Registrar, email: &Mailbox, now: Time) -> AccessToken {
    while let Some(due) = registrar.store().take_letter(now).await.unwrap() {
        registrar.store().drop_letter(&due.id).await.unwrap();
    }
    registrar.request_access(email, Locale::En, &WHO, now).await.unwrap();
    let due = registrar.store().take_letter(now).await.unwrap().unwrap();
    registrar.store().drop_letter(&due.id).await.unwrap();
    registrar.pepper().access(&due.seed)
}

/// Waits until `is_so`, which `what` describes.
async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    let waits = async {
        while !is_so().await {
            tokio::task::yield_now().await;
        }
    };
    let came = tokio::time::timeout(PATIENCE, waits).await;
    assert!(came.is_ok(), "it never came to this: {what}");
}

fn code<T>(result: &Result<T, Refusal>) -> &'static str {
    match result {
        Ok(_) => "200",
        Err(refusal) => refusal.code().as_str(),
    }
}
