//! Registrations to copy in bulk, one of each kind.

use providers::testing::{Signer, assertion_claims, verifier, with};
use serde_json::json;

use super::*;
use crate::store::testing::TestStore;

/// Creates a registration without an identity, one that waits for a person, and one by a provider, with all their side
/// effects.
pub(crate) async fn models(kept: &TestStore) -> [RegistrationId; 3] {
    let signer = Signer::es256("key");
    let registrar = registrar(&kept.store, 70, Some(verifier(&[&signer])));
    let claims = with(assertion_claims(), &json!({"sub": "the-subject", "email": "sworn@model.example"}));
    let kinds = [
        Identity::Anonymous,
        Identity::Email(mailbox("asked@model.example")),
        Identity::Provider(Secret::new(signer.assertion(&claims))),
    ];
    let mut ids = Vec::new();
    for kind in kinds {
        ids.push(registrar.register(registration_request(kind), &WHO, START).await.unwrap().id);
    }
    ids.try_into().unwrap()
}
