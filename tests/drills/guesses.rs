//! Many parallel guesses at one code.

use std::{collections::BTreeMap, sync::Barrier, thread};

use cluster::Cluster;
use tests::{Agent as _, Process, Sidecars, times};

use super::{new_store, retry_while_busy, sidecars, text};

const GUESSES: u32 = 32;
/// A response that reveals nothing about a code.
const BUSY: &str = "503 temporarily_unavailable";

/// Creates a registration whose person has seen the code; returns the claim token and the code.
fn register_with_code(sidecars: &Sidecars, process: &Process, mailbox: &str) -> (String, u32) {
    let mut connection = process.connection();
    let claim_token = text(&retry_while_busy(|| connection.register()), "claim_token");
    assert_eq!(retry_while_busy(|| connection.claim(&claim_token, mailbox)).status, 200);
    let link = sidecars.outbox().wait(mailbox);
    let code = text(&retry_while_busy(|| connection.show_code(&link)), "challenge");
    (claim_token, code.parse().unwrap())
}

/// Sends all `codes` at once, to the replicas in turn; counts each response.
fn guess(replicas: &[Process; 2], claim_token: &str, codes: &[u32]) -> BTreeMap<String, usize> {
    let barrier = Barrier::new(codes.len());
    let mut answers = BTreeMap::new();
    thread::scope(|scope| {
        let guesses: Vec<_> = codes
            .iter()
            .enumerate()
            .map(|(place, code)| {
                let (mut connection, barrier) = (replicas[place % 2].connection(), &barrier);
                scope.spawn(move || {
                    // Connect first, so that all guesses are sent together.
                    assert_eq!(connection.content(None).unwrap().status, 200);
                    barrier.wait();
                    let reply = connection.complete(claim_token, &format!("{code:06}")).unwrap();
                    let left = reply.json()["attempts_remaining"].as_u64();
                    let left = left.map_or_else(String::new, |left| format!(", {left} left"));
                    format!("{} {}{left}", reply.status, reply.error())
                })
            })
            .collect();
        for guess in guesses {
            *answers.entry(guess.join().unwrap()).or_insert(0) += 1;
        }
    });
    answers
}

#[test]
fn parallel_guesses_at_two_replicas_are_compared_five_times() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let replicas = [(); 2].map(|()| sidecars.start(&store));
    for round in 0..times() {
        let mailbox = format!("guessed.{round}@client.example");
        let (claim_token, code) = register_with_code(&sidecars, &replicas[0], &mailbox);
        let wrong: Vec<u32> = (1..=GUESSES).map(|step| (code + step * 7919) % 1_000_000).collect();
        let answers = guess(&replicas, &claim_token, &wrong);
        let (compared, rest): (Vec<_>, Vec<_>) = answers.iter().partition(|(answer, _)| answer.starts_with("401"));
        assert!(compared.len() <= 5 && compared.iter().all(|(_, count)| **count == 1), "{answers:?}");
        // A busy machine refuses some, which is no result of a guess.
        assert!(rest.iter().all(|(answer, _)| ["410 otp_expired", BUSY].contains(&answer.as_str())), "{answers:?}");
        assert!(answers.contains_key(BUSY) || compared.len() == 5, "{answers:?}");
        let mut connection = replicas[round % 2].connection();
        let late = retry_while_busy(|| connection.complete(&claim_token, &format!("{code:06}")));
        assert_eq!((late.status, late.error().as_str()), (410, "otp_expired"), "the right code comes too late");
        assert_eq!(retry_while_busy(|| connection.redeem(&claim_token)).error(), "expired_token");
    }
}

#[test]
#[ignore = "make test-long"]
fn right_code_sent_many_times_claims_once() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let replicas = [(); 2].map(|()| sidecars.start(&store));
    for round in 0..times() {
        let (claim_token, code) = register_with_code(&sidecars, &replicas[1], &format!("raced.{round}@client.example"));
        let answers = guess(&replicas, &claim_token, &[code; 16]);
        assert!(answers.keys().all(|answer| ["200 ", "409 previously_claimed", BUSY].contains(&answer.as_str())));
        assert!(answers.get("200 ").map_or(answers.contains_key(BUSY), |count| *count == 1), "{answers:?}");
    }
}
