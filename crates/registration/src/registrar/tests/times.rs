//! The expiry times given to agents and people.

use forms::{EmailContent, EmailDraft};

use super::*;
use crate::{
    registrar::email_worker::SENT,
    store::testing::{runtime, stores},
};

#[test]
fn claim_view_ends_with_the_registration_at_the_latest() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 80, None);
            let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            let pending = free.pending.as_ref().unwrap();
            let (token, end) = (pending.claim_token.clone(), pending.expires);
            let now = Time::from_millis(end.millis() - 180_000);
            let started = registrar.claim(claim_request(&token, "a@person.example"), &WHO, now).await.unwrap();
            assert_eq!(started.expires, end, "{}: the agent", kept.name);
            let again = registrar.claim(claim_request(&token, "a@person.example"), &WHO, now).await.unwrap();
            assert_eq!(again.expires, end, "{}: the repeated request", kept.name);
            let due = registrar.store().take_email(now).await.unwrap().unwrap();
            let expires_in = |email: EmailDraft| match email.content {
                EmailContent::Claim { expires, .. } => expires,
                other => panic!("{other:?}"),
            };
            assert_eq!(expires_in(due.email.clone().unwrap()), end, "{}: the waiting email", kept.name);
            let sent =
                registrar.decide_delivery(due.email.unwrap(), &due.seed, now).await.unwrap().into_sent().unwrap();
            assert_eq!(expires_in(sent), end, "{}: the sent email", kept.name);
            registrar.record_sent(&due.seed, now.plus(SENT)).await.unwrap();
            let link = registrar.pepper().link(&due.seed);
            assert_eq!(registrar.view(&link, now).await.unwrap().expires, end, "{}: the request page", kept.name);
            assert_eq!(registrar.challenge(&link, now).await.unwrap().expires, end, "{}: the code", kept.name);
            assert_eq!(code(&registrar.view(&link, end).await), "claim_expired", "{}: after the end", kept.name);
        });
    }
}
