//! Model-based tests of the registrar: any sequence of calls on two replicas, and any two workers at once.
//!
//! [`world`], [`registration`] and [`table`] are the model, [`worker`] makes the calls, [`play`] compares call by call,
//! and [`race`] lets two workers run and searches with [`history`] for an order in which the model gives the same
//! answers. `MODEL_SEED` repeats a run: a sequence exactly, a race with the same calls. `TEST_TIMES` multiplies the
//! number of cases.

mod call;
mod history;
mod play;
mod race;
mod registration;
mod strategy;
mod table;
mod wallet;
mod worker;
mod world;

use std::{
    cell::Cell,
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
};

use proptest::{
    prelude::*,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};
use providers::testing::{Signer, verifier};

use self::{
    play::Player,
    worker::{Case, Worker},
};
use super::registrar;
use crate::store::testing::{TestStore, quick_stores, runtime, stores};

/// How often a failed race is repeated while it is shrunk.
const AGAIN: usize = 8;

/// Runs `cases` cases of `strategy` on each of `stores`; a failure prints how to repeat it.
fn run_cases<S: Strategy>(
    stores: Vec<TestStore>,
    cases: u32,
    strategy: &S,
    repeat: usize,
    case: &impl AsyncFn(&mut Player, &S::Value) -> Result<(), TestCaseError>,
) {
    let seed = env_number("MODEL_SEED").unwrap_or_else(|| RandomState::new().hash_one(0));
    for kept in stores {
        let config = ProptestConfig {
            cases: cases * u32::try_from(journal::times()).unwrap(),
            max_shrink_iters: 300,
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed_bytes(seed));
        let mut runner = TestRunner::new_with_rng(config, rng);
        let (players, is_lost) = (Players::new(&kept), Cell::new(false));
        let result = runner.run(strategy, |value| {
            for _ in 0..if is_lost.get() { repeat } else { 1 } {
                let judged = runtime().block_on(async {
                    let mut player = players.next();
                    let judged = case(&mut player, &value).await;
                    judged.and(player.end().await)
                });
                if let Err(why) = &judged {
                    if !is_lost.replace(true) {
                        println!("{}, MODEL_SEED={seed}: {why}\nLooking for less that fails, too.", kept.name);
                    }
                    return judged;
                }
            }
            Ok(())
        });
        println!("{}: {} cases", kept.name, players.number.get());
        if let Err(failure) = result {
            panic!("{}, MODEL_SEED={seed}: {failure}", kept.name);
        }
    }
}

/// Creates a player for each case on the replicas of one store.
struct Players {
    registrars: [super::Registrar; 2],
    signer: Arc<Signer>,
    number: Cell<usize>,
}

impl Players {
    fn new(kept: &TestStore) -> Self {
        let signer = Arc::new(Signer::eddsa("key"));
        let registrars = [(&kept.store, 21), (&kept.replica, 22)]
            .map(|(store, seed)| registrar(store, seed, Some(verifier(&[&signer]))));
        Self { registrars, signer, number: Cell::new(0) }
    }

    fn next(&self) -> Player {
        let number = self.number.replace(self.number.get() + 1);
        let case = Arc::new(Case::new(number, Arc::clone(&self.signer)));
        Player::new(self.registrars.clone().map(|registrar| Worker { registrar, case: Arc::clone(&case) }))
    }
}

/// Returns a number from an environment variable.
fn env_number(name: &str) -> Option<u64> {
    #[expect(clippy::disallowed_methods, reason = "a run that failed is repeated by hand, and a long one is begun so")]
    let text = std::env::var(name).ok();
    text.map(|text| text.parse().unwrap())
}

fn seed_bytes(seed: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes
}

#[test]
fn registrar_matches_the_model_for_any_sequence_of_calls() {
    run_cases(quick_stores(), 25, &strategy::sequence(), 1, &async |player: &mut Player, calls: &Vec<call::Call>| {
        player.play(calls).await
    });
}

#[test]
fn concurrent_calls_are_linearizable_by_the_model() {
    run_cases(stores(), 20, &strategy::round(), AGAIN, &async |player: &mut Player, round: &race::Round| {
        race::race(player, round).await
    });
}
