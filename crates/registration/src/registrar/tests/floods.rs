//! Floods of concurrent writers: their effect on other requests, and what remains of them afterwards.
//!
//! A lock that a request might wait for is held until after its answer, and a request that waited for it would be
//! refused. So a request that is answered did not wait.

use std::time::Duration;

use secrets::Digest;
use tokio::time::timeout;

use super::*;
use crate::store::{
    Budget, BudgetScope,
    testing::{TestStore, file, postgres, runtime, stores},
};

/// Returns a used credential of a registration of its own.
async fn holder(kept: &TestStore) -> Digest {
    let registrar = registrar(&kept.replica, 90, None);
    let issued =
        registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap().issued.unwrap();
    let digest = issued.credential.digest();
    assert!(kept.store.use_credential(&digest, START).await.unwrap().is_some());
    digest
}

#[test]
fn work_not_begun_by_its_deadline_is_dropped() {
    let kept = file();
    runtime().block_on(async {
        let one = || Budget {
            what: "one",
            whose: BudgetScope::AllClients,
            most: 1,
            window: Duration::from_hours(1),
            network: None,
        };
        // An open transaction holds the write lock.
        let writing = kept.store.begin_locking_registrations().await;
        let requests: Vec<_> = (0..100)
            .map(|_| {
                let store = kept.store.clone();
                runtime().spawn(async move { store.take(vec![one()], START).await })
            })
            .collect();
        for task in requests {
            assert!(task.await.unwrap().is_err(), "the store does not answer");
        }
        writing.end().await;
        let next = timeout(TIMEOUT, kept.store.take(vec![one()], START)).await;
        assert_eq!(next.expect("no call waits before it").unwrap(), Ok(()), "the dropped calls had no effect");
    });
}

#[test]
fn waiting_writes_do_not_delay_credential_checks() {
    for kept in stores() {
        runtime().block_on(async {
            let digest = holder(&kept).await;
            let flooded = registrar(&kept.store, 91, None);
            // The replica holds the lock that every registration needs.
            let writing = kept.replica.begin_locking_registrations().await;
            let requests: Vec<_> = (0..60)
                .map(|_| {
                    let registrar = flooded.clone();
                    runtime().spawn(async move {
                        registrar.register(registration_request(Identity::Anonymous), &WHO, START).await
                    })
                })
                .collect();
            let is_flooded = async || kept.store.has_no_write_permit() && kept.replica.lock_waiters().await >= 5;
            until("as many wait to write as may at once", is_flooded).await;
            for _ in 0..20 {
                let look = timeout(TIMEOUT, kept.store.use_credential(&digest, START)).await;
                assert!(look.expect(kept.name).unwrap().is_some(), "{}", kept.name);
            }
            writing.end().await;
            for task in requests {
                let _ = task.await.unwrap();
            }
        });
    }
}

#[test]
fn reads_of_locked_rows_do_not_delay_credential_checks() {
    let Some(kept) = postgres() else { return println!("no PostgreSQL") };
    runtime().block_on(async {
        let digest = holder(&kept).await;
        let flooded = registrar(&kept.store, 94, None);
        let registered = flooded.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
        let changing = kept.replica.begin_locking_tables().await;
        let requests: Vec<_> = (0..60)
            .map(|_| {
                let (registrar, token) = (flooded.clone(), token_of(&registered));
                runtime().spawn(async move { registrar.redeem(token, START).await })
            })
            .collect();
        until("two wait for what is locked", async || kept.replica.lock_waiters().await >= 2).await;
        for _ in 0..20 {
            let look = timeout(TIMEOUT, kept.store.use_credential(&digest, START)).await;
            assert!(look.expect("the check does not wait for a registration").unwrap().is_some());
        }
        changing.end().await;
        for task in requests {
            let _ = task.await.unwrap();
        }
    });
}

#[test]
fn exhausted_budget_is_refused_without_waiting() {
    for kept in stores() {
        runtime().block_on(async {
            let full = registrar_with(&kept.store, 92, Quotas { anonymous: 3, ..Quotas::default() }, None);
            let callers = [1, 2, 3, 4].map(|number| Caller::Client(number << 8));
            let ask = |caller| full.register(registration_request(Identity::Anonymous), caller, START);
            for caller in &callers[..3] {
                assert_eq!(code(&ask(caller).await), "200", "{}", kept.name);
            }
            // The replica counts for the budget in an open transaction.
            let budget = Budget {
                what: "anonymous",
                whose: BudgetScope::AllClients,
                most: 3,
                window: Duration::from_hours(1),
                network: None,
            };
            let counting = kept.replica.begin_counting(budget, START).await;
            let refused = timeout(TIMEOUT, ask(&callers[3])).await.expect(kept.name);
            assert!(
                matches!(refused, Err(RegistrationError::Limited { retry_after: 3600 })),
                "{}: {}",
                kept.name,
                code(&refused)
            );
            counting.end().await;
        });
    }
}

#[test]
fn early_poll_waits_for_no_lock_and_writes_nothing() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 93, None);
            let registered = registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap();
            let (id, token) = (registered.id.clone(), token_of(&registered));
            let mut last = "";
            for _ in 0..20 {
                last = code(&registrar.redeem(token.clone(), START).await);
            }
            assert_eq!(last, "slow_down", "{}", kept.name);
            let writing = kept.replica.begin_locking_record(&id).await;
            let poll = timeout(TIMEOUT, registrar.redeem(token.clone(), START)).await.expect(kept.name);
            assert!(
                matches!(poll, Err(RegistrationError::SlowDown { interval: 60 })),
                "{}: {}",
                kept.name,
                code(&poll)
            );
            writing.end().await;
            let later = START.plus(Duration::from_mins(1));
            assert_eq!(code(&registrar.redeem(token, later).await), "authorization_pending", "{}", kept.name);
        });
    }
}
