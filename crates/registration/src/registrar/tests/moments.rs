//! Races at moments that chance seldom brings about: one call is held in the middle of its transaction until the other
//! waits for it.

use std::{sync::mpsc, time::Duration};

use contract::agent_auth::RegistrationType;
use providers::{
    Subject,
    testing::{Signer, assertion_claims, verifier, with},
};
use serde_json::json;
use tokio::{sync::oneshot, task::JoinHandle};

use super::*;
use crate::{
    domain::{
        By, Conflict, Effect, RegistrationRecord, Step,
        claim::Claim,
        record::{CredentialDraft, Poll},
    },
    registrar::Which,
    store::{
        Budget, BudgetScope, Guesses, Selection, StoreError,
        testing::{TestStore, runtime, stores},
    },
};

/// Where a transaction stops.
struct Threshold {
    came: oneshot::Sender<()>,
    go: mpsc::Receiver<()>,
}

/// Holds the stopped transaction; it continues on a signal or when this is dropped.
struct Holding {
    came: oneshot::Receiver<()>,
    go: mpsc::Sender<()>,
}

fn threshold() -> (Threshold, Holding) {
    let ((came, is_there), (go, gone)) = (oneshot::channel(), mpsc::channel());
    (Threshold { came, go: gone }, Holding { came: is_there, go })
}

impl Threshold {
    /// Stops this transaction while the others run.
    fn wait(self) {
        let _ = self.came.send(());
        let _ = tokio::task::block_in_place(|| self.go.recv_timeout(TIMEOUT));
    }
}

impl Holding {
    /// Begins `second` once the first transaction has stopped, and releases the first once `second` waits or is over.
    async fn meet<T: Send + 'static>(self, kept: &TestStore, second: impl Future<Output = T> + Send + 'static) -> T {
        self.came.await.unwrap();
        let second = begin(kept, 1, second).await;
        self.go.send(()).unwrap();
        second.await.unwrap()
    }
}

/// Begins `task` and returns once it is over or `waiting` transactions wait.
async fn begin<T: Send + 'static>(
    kept: &TestStore,
    waiting: i64,
    task: impl Future<Output = T> + Send + 'static,
) -> JoinHandle<T> {
    let task: JoinHandle<T> = runtime().spawn(task);
    let have_met = async || task.is_finished() || kept.store.lock_waiters().await >= waiting;
    until("the transactions meet", have_met).await;
    task
}

/// Requests consent of `email` for `id` on the first replica, stopped in the middle of the transaction.
fn ask_slowly(kept: &TestStore, id: &RegistrationId, email: &str, seed: u64, now: Time) -> (Holding, JoinHandle<()>) {
    let ((threshold, holding), pepper) = (threshold(), Pepper::fixed(1));
    let (store, id, email) = (kept.store.clone(), id.clone(), mailbox(email));
    let seed = pepper.seed(&Entropy::seeded(seed)).unwrap();
    let first = runtime().spawn(async move {
        let step = move |record: RegistrationRecord| {
            threshold.wait();
            match record.ask(&email, MatchPhrase::new([1, 2], Locale::En), seed, &pepper, now) {
                Ok((record, effects, _)) => Step::Save(Box::new(record), effects, Ok(())),
                Err(refusal) => Step::Keep(Err(refusal)),
            }
        };
        assert!(matches!(store.update_person(&id, now, step).await, Ok(Some(Ok(())))));
    });
    (holding, first)
}

#[test]
fn registration_moved_to_another_person_survives_erasure_of_the_first() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 81, None);
            for (seed, how) in (180..).zip(["operator", "person", "erased"]) {
                let free = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
                registrar.claim(claim_request(&token_of(&free), "a@person.example"), &WHO, START).await.unwrap();
                let access = access_link(&registrar, &mailbox("a@person.example"), START).await;
                let (holding, first) = ask_slowly(&kept, &free.id, &format!("b.{how}@person.example"), seed, START);
                let replica = super::registrar(&kept.replica, 82, None);
                let second = Box::pin(async move {
                    let person = mailbox("a@person.example");
                    match how {
                        "operator" => {
                            let selection = Selection::Email(person);
                            replica.store().revoke(&selection, By::Operator, START).await.unwrap().all
                        }
                        "person" => replica.revoke_access(&access, Which::All, START).await.unwrap(),
                        _ => {
                            usize::try_from(replica.store().erase(&person, By::Operator, START).await.unwrap()).unwrap()
                        }
                    }
                });
                assert_eq!(holding.meet(&kept, second).await, 0, "{}, {how}", kept.name);
                first.await.unwrap();
                let record = registrar.store().record(&free.id).await.unwrap().expect("it is kept");
                assert!(record.claim.is_waiting() && record.credential.active().is_some(), "{}, {how}", kept.name);
            }
        });
    }
}

#[test]
fn credential_first_used_while_it_is_revoked_is_rejected() {
    for kept in stores() {
        runtime().block_on(async {
            let registrars = [&kept.store, &kept.replica].map(|store| super::registrar(store, 87, None));
            let registered =
                registrars[0].register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            let digest = registered.issued.unwrap().credential.digest();
            let ending = kept.store.begin_revoking(&registered.id, digest.clone(), START).await;
            let [_, replica] = registrars;
            let check = begin(&kept, 1, async move { replica.check(&digest, START).await.unwrap().is_some() }).await;
            ending.end().await;
            assert!(!check.await.unwrap(), "{}", kept.name);
        });
    }
}

#[test]
fn registration_during_an_erasure_sees_all_of_the_person_or_nothing() {
    // A file has one writer at a time.
    for kept in stores().into_iter().filter(|kept| kept.name == "postgres") {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let registrars =
                [&kept.store, &kept.replica].map(|store| super::registrar(store, 85, Some(verifier(&[&signer]))));
            let word = |user: &str| {
                let claims = with(assertion_claims(), &json!({"sub": user, "jti": user, "email": "a@person.example"}));
                registration_request(Identity::Provider(Secret::new(signer.assertion(&claims))))
            };
            registrars[0].register(word("known"), &WHO, START).await.unwrap();
            // This transaction makes the erasure wait.
            let free = registrars[0].register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            registrars[0].claim(claim_request(&token_of(&free), "a@person.example"), &WHO, START).await.unwrap();
            let (holding, first) = ask_slowly(&kept, &free.id, "b@person.example", 86, START);
            holding.came.await.unwrap();
            let (store, request, [_, second]) = (kept.replica.clone(), word("new"), registrars);
            let forget = async move { store.erase(&mailbox("a@person.example"), By::Operator, START).await.unwrap() };
            let forgotten = begin(&kept, 1, forget).await;
            let comes = begin(&kept, 2, async move { code(&second.register(request, &WHO, START).await) }).await;
            holding.go.send(()).unwrap();
            assert_eq!((forgotten.await.unwrap(), comes.await.unwrap()), (1, "200"));
            first.await.unwrap();
            let personal_data = kept.store.personal_data(&mailbox("a@person.example")).await.unwrap();
            assert_eq!((personal_data.records.len(), personal_data.delegations.len()), (1, 1), "a new person");
        });
    }
}

/// Completes the claim of `id` on the first replica, stopped in the middle of the transaction.
fn complete_slowly(kept: &TestStore, id: &RegistrationId, now: Time) -> (Holding, JoinHandle<()>) {
    let (threshold, holding) = threshold();
    let (store, id) = (kept.store.clone(), id.clone());
    let all = Budget {
        what: "code",
        whose: BudgetScope::AllClients,
        most: 1000,
        window: Duration::from_hours(1),
        network: None,
    };
    let draft = CredentialDraft { digest: Entropy::seeded(90).credential(CredentialType::ApiKey).unwrap().digest() };
    let first = runtime().spawn(async move {
        let step = move |record: RegistrationRecord| {
            threshold.wait();
            record.complete(|_| true, draft, now)
        };
        let guessed = store.guess(&id, Guesses { own: None, all }, now, step).await;
        assert!(matches!(guessed, Ok(Ok(Some(Ok(_))))));
    });
    (holding, first)
}

#[test]
fn registration_during_removal_of_the_last_link_meets_no_known_person() {
    for kept in stores() {
        for leaving in ["linked", "asked"] {
            runtime().block_on(leave(&kept, leaving));
        }
    }
}

async fn leave(kept: &TestStore, leaving: &'static str) {
    let signer = Signer::es256("key");
    let registrars = [&kept.store, &kept.replica]
        .map(|store| super::registrar(store, 88 + leaving.len() as u64, Some(verifier(&[&signer]))));
    let [registrar, replica] = registrars;
    let [left, other] = ["a", "b"].map(|name| format!("{name}@{leaving}.example"));
    let word = |user: &str, email: &str, now: Time| {
        let seconds = now.millis() / 1000;
        let claims = json!({
            "sub": format!("{user} {leaving}"), "jti": format!("{user} {email}"), "email": email,
            "iat": seconds, "exp": seconds + 290, "auth_time": seconds,
        });
        registration_request(Identity::Provider(Secret::new(signer.assertion(&with(assertion_claims(), &claims)))))
    };
    registrar.register(word("known", &left, START), &WHO, START).await.unwrap();
    // A key lives for 90 days, and an ended registration is kept for 30. What remains is a pending request, or the link
    // of a user for whom another mailbox is asserted.
    let end = START.plus(Duration::from_hours(24 * 120));
    let pending = if leaving == "asked" {
        let free = registrar.register(registration_request(Identity::Anonymous), &WHO, end).await.unwrap();
        registrar.claim(claim_request(&token_of(&free), &left), &WHO, end).await.unwrap();
        free
    } else {
        registrar.register(word("another", &other, end), &WHO, end).await.unwrap();
        let Err(RegistrationError::InteractionRequired(pending)) =
            registrar.register(word("known", &other, end), &WHO, end).await
        else {
            panic!("a stranger got in")
        };
        *pending
    };
    let later = end.plus(Duration::from_mins(1));
    while kept.store.sweep(later).await.unwrap().is_more {}
    let (holding, first) = if leaving == "asked" {
        ask_slowly(kept, &pending.id, &other, 89, later)
    } else {
        registrar.challenge(&link(&registrar, later).await, later).await.unwrap();
        complete_slowly(kept, &pending.id, later)
    };
    let request = word("new", &left, later);
    let comes = Box::pin(async move { code(&replica.register(request, &WHO, later).await) });
    // Without waiting, it would meet a known person, whose consent is required.
    assert_eq!(holding.meet(kept, comes).await, "200", "{}, {leaving}", kept.name);
    first.await.unwrap();
    assert!(kept.store.personal_data(&mailbox(&left)).await.unwrap().known_since.is_some());
}

/// Returns a registration by a second provider, which knows its user by `email`.
fn second_provider_registration(email: &str) -> (Subject, RegistrationRecord, Vec<Effect>) {
    let entropy = Entropy::seeded(83);
    let record = RegistrationRecord {
        id: entropy.registration().unwrap(),
        kind: RegistrationType::Provider,
        created: START,
        provider: None,
        bound: None,
        wanted: CredentialType::ApiKey,
        scopes: Vec::new(),
        claim: Claim::claimed_at(START, Some(mailbox(email))),
        credential: crate::domain::credential::Credential::Absent,
        poll: Poll::new(),
        claim_token: None,
        match_phrase: None,
        end: None,
    };
    let subject =
        Subject { issuer: "https://other.example".to_owned(), tenant: String::new(), name: "another".to_owned() };
    (subject, record, vec![Effect::Meet(mailbox(email))])
}

#[test]
fn assertion_is_checked_within_its_write_permit() {
    for kept in stores() {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let (threshold, holding) = threshold();
            let (store, (subject, record, effects)) =
                (kept.store.clone(), second_provider_registration("a@person.example"));
            let first = runtime().spawn(async move {
                let decide = move |known: crate::store::KnownUser| {
                    assert!(!known.is_known);
                    threshold.wait();
                    Ok((record, effects, ()))
                };
                let who = (subject, Some(mailbox("a@person.example")));
                assert!(matches!(store.admit(who, Vec::new(), START, decide).await, Ok(Ok(Ok(())))));
            });
            let replica = registrar(&kept.replica, 84, Some(verifier(&[&signer])));
            let word = Secret::new(
                signer.assertion(&with(assertion_claims(), &json!({"sub": "a-user", "email": "a@person.example"}))),
            );
            let identity = Identity::Provider(word);
            let second =
                Box::pin(async move { code(&replica.register(registration_request(identity), &WHO, START).await) });
            assert_eq!(holding.meet(&kept, second).await, "interaction_required", "{}", kept.name);
            first.await.unwrap();
        });
    }
}

#[test]
fn person_is_linked_once() {
    for kept in stores() {
        runtime().block_on(async {
            // `decide` ignores that the person became known in the meantime.
            let admit = async || {
                let (subject, mut record, effects) = second_provider_registration("a@person.example");
                record.id = RegistrationId::new(format!("reg_{}", kept.store.population().await.0));
                let decide = move |_| Ok((record, effects, ()));
                kept.store.admit((subject, None), Vec::new(), START, decide).await
            };
            assert!(matches!(admit().await, Ok(Ok(Ok(())))), "{}", kept.name);
            assert!(matches!(admit().await, Err(StoreError::Conflict(Conflict::Known))), "{}", kept.name);
            assert_eq!(kept.store.population().await, (1, 1), "{}: the second leaves nothing", kept.name);
        });
    }
}
