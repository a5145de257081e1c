//! Tests of the registrar over real stores.

mod audit;
mod budgets;
mod floods;
mod metrics;
mod model;
pub(crate) mod models;
mod moments;
mod networks;
mod provider;
mod races;
mod subject_only;
mod table;
mod threats;
mod times;

use std::time::Duration;

use clock::Time;
use contract::{
    Locale,
    agent_auth::{AssertionType, CLAIM_GRANT, CredentialType, JWT_BEARER_GRANT},
};
use providers::Verifier;
use secrets::{ClaimToken, Entropy, LinkToken, Mailbox, Pepper, RegistrationId, Secret};

use super::{Abilities, Caller, Identity, Offers, Quotas, Registrar, RegistrarParts, RegistrationRequest, Rules};
use crate::{
    domain::{MatchPhrase, Registered, RegistrationError, credential::GRACE},
    store::{Location, Store},
    testing::*,
};

/// How long to wait for another task, on a busy machine.
const TIMEOUT: Duration = Duration::from_mins(1);

/// Waits until `is_so`; `what` describes it.
async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    let waits = async {
        while !is_so().await {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let came = tokio::time::timeout(TIMEOUT, waits).await;
    assert!(came.is_ok(), "it never came to this: {what}");
}

fn code<T>(result: &Result<T, RegistrationError>) -> &'static str {
    match result {
        Ok(_) => "200",
        Err(refusal) => refusal.code().as_str(),
    }
}
