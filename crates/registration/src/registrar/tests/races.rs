//! Concurrent calls on two replicas of each kind of store.

use super::*;
use crate::store::testing::{runtime, stores};

/// Runs `count` futures of `make` concurrently and returns their results.
async fn at_once<T: Send + 'static>(
    count: usize,
    make: impl Fn(usize) -> std::pin::Pin<Box<dyn Future<Output = T> + Send>>,
) -> Vec<T> {
    let tasks: Vec<_> = (0..count).map(|index| runtime().spawn(make(index))).collect();
    let mut results = Vec::new();
    for task in tasks {
        results.push(task.await.unwrap());
    }
    results
}

#[test]
fn exactly_one_of_many_completions_wins() {
    for kept in stores() {
        runtime().block_on(async {
            let replicas = [registrar(&kept.store, 1, None), registrar(&kept.replica, 2, None)];
            let registered = replicas[0]
                .register(registration_request(Identity::Email(mailbox("a@person.example"))), &WHO, START)
                .await
                .unwrap();
            let claim_token = token_of(&registered);
            let link = link(&replicas[0], START).await;
            let otp = replicas[1].challenge(&link, START).await.unwrap().code;
            let results = at_once(40, |index| {
                let (registrar, claim_token, otp) = (replicas[index % 2].clone(), claim_token.clone(), otp.clone());
                Box::pin(async move { registrar.complete(completion(&claim_token, otp.reveal()), &WHO, START).await })
            })
            .await;
            let won = results.iter().filter(|result| result.is_ok()).count();
            assert_eq!(won, 1, "{}: {:?}", kept.name, results.iter().map(code).collect::<Vec<_>>());
            assert!(results.iter().all(|result| ["200", "previously_claimed"].contains(&code(result))));
        });
    }
}

#[test]
fn guesses_are_compared_at_most_five_times() {
    for kept in stores() {
        runtime().block_on(async {
            let replicas = [registrar(&kept.store, 3, None), registrar(&kept.replica, 4, None)];
            let registered = replicas[0]
                .register(registration_request(Identity::Email(mailbox("a@person.example"))), &WHO, START)
                .await
                .unwrap();
            let claim_token = token_of(&registered);
            let link = link(&replicas[0], START).await;
            replicas[0].challenge(&link, START).await.unwrap();
            let results = at_once(100, |index| {
                let (registrar, claim_token) = (replicas[index % 2].clone(), claim_token.clone());
                Box::pin(async move { registrar.complete(completion(&claim_token, WRONG), &WHO, START).await })
            })
            .await;
            let compared = results.iter().filter(|result| code(result) == "otp_invalid").count();
            assert_eq!(compared, 5, "{}: {:?}", kept.name, results.iter().map(code).collect::<Vec<_>>());
        });
    }
}

#[test]
fn credential_that_was_revoked_on_one_replica_is_refused_by_the_other_at_once() {
    for kept in stores() {
        runtime().block_on(async {
            let (one, other) = (registrar(&kept.store, 5, None), registrar(&kept.replica, 6, None));
            for _ in 0..50 {
                let issued =
                    one.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap().issued.unwrap();
                let digest = issued.credential.digest();
                assert!(other.check(&digest, START).await.unwrap().is_some(), "{}", kept.name);
                one.revoke_token(&issued.credential, START).await.unwrap();
                assert!(other.check(&digest, START).await.unwrap().is_none(), "{}", kept.name);
            }
        });
    }
}

#[test]
fn budget_is_shared_by_replicas_and_is_never_overdrawn() {
    use crate::store::{Budget, BudgetScope};
    for kept in stores() {
        runtime().block_on(async {
            let stores = [kept.store.clone(), kept.replica.clone()];
            let results = at_once(30, |index| {
                let store = stores[index % 2].clone();
                let budget = Budget {
                    what: "k",
                    whose: BudgetScope::AllClients,
                    most: 7,
                    window: std::time::Duration::from_hours(1),
                    network: None,
                };
                Box::pin(async move { store.take(vec![budget], START).await.unwrap() })
            })
            .await;
            assert_eq!(results.iter().filter(|result| result.is_ok()).count(), 7, "{}", kept.name);
        });
    }
}

#[test]
fn missing_store_answers_temporarily_unavailable() {
    let nowhere = Location::Postgres("postgres://mecelle@localhost/none?host=/nonexistent".to_owned());
    runtime().block_on(async {
        let store = Store::open_with_retries(&nowhere, runtime().handle().clone()).await.unwrap();
        let registrar = registrar(&store, 7, None);
        let result = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await;
        assert_eq!(code(&result), "temporarily_unavailable");
        let result = registrar.revoke_token(&Secret::new("at_x"), START).await;
        assert_eq!(code(&result), "temporarily_unavailable", "never a success that is none");
    });
}
