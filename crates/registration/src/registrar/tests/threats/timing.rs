//! Timing attacks: whether the time of an answer reveals what the answer does not.
//!
//! For answers, the test counts the statements of the store, which take nearly all of the time. For comparisons it
//! measures time as dudect does: two classes in random order, the slowest times cut off, and Welch's t as the
//! criterion. A difference is measured again, because noise does not repeat and a leak does. Each measurement is
//! repeated with a leaky variant, to show that leaks are found.

use clock::Clock;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use secrets::is_same;

use super::*;
use crate::store::testing::{Relay, postgres_with_relay, runtime};

/// Two classes differ if t exceeds this every time; dudect's threshold is 4.5.
const SURE: f64 = 5.0;
/// How many measurements must agree on a difference.
const LOOKS: usize = 4;
/// Measurements of each class, comparisons in each, and the tolerated difference as a fraction.
const COMPARISONS: usize = 1_000;
const AT_ONCE: usize = 16;
const COMPARISON: f64 = 0.02;
/// A known and an unknown person.
const KNOWN: &str = "known@person.example";
const STRANGER: &str = "other@person.example";
/// A remote client, which is counted in budgets.
const CALLER: Caller = Caller::Client(1);

/// The difference between two classes.
#[derive(Clone, Copy, Debug)]
struct Difference {
    t: f64,
    /// The difference of the means, as a fraction of the smaller one.
    part: f64,
}

impl Difference {
    /// Compares the fastest two thirds of all times; the rest is noise of the machine.
    fn of(classes: [Vec<u64>; 2]) -> Self {
        let mut all = classes.concat();
        all.sort_unstable();
        let most = all[all.len() * 2 / 3];
        let [one, other] = classes.map(|class| Moments::of(class.into_iter().filter(|time| *time <= most)));
        let spread = (one.variance / one.count + other.variance / other.count).sqrt().max(f64::MIN_POSITIVE);
        let difference = one.mean - other.mean;
        Self { t: difference / spread, part: difference / one.mean.min(other.mean) }
    }
}

struct Moments {
    count: f64,
    mean: f64,
    variance: f64,
}

impl Moments {
    #[expect(clippy::cast_precision_loss, reason = "times are short and few")]
    fn of(times: impl Iterator<Item = u64>) -> Self {
        let times: Vec<f64> = times.map(|time| time as f64).collect();
        let count = times.len() as f64;
        let mean = times.iter().sum::<f64>() / count;
        let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
        Self { count, mean, variance }
    }
}

/// Whether the classes of `measure` differ by more than `part` every time, in the same direction.
fn distinguish(part: f64, mut measure: impl FnMut() -> [Vec<u64>; 2]) -> Result<Vec<Difference>, Vec<Difference>> {
    let mut seen = Vec::new();
    for _ in 0..LOOKS {
        let difference = Difference::of(measure());
        let is_other_way = seen.first().is_some_and(|first: &Difference| first.t.signum() != difference.t.signum());
        seen.push(difference);
        if difference.t.abs() < SURE || difference.part.abs() < part || is_other_way {
            return Err(seen);
        }
    }
    Ok(seen)
}

/// Measures `COMPARISONS` of `compare` for texts that differ in the first byte, and in the last.
fn comparisons(compare: impl Fn(&[u8], &[u8]) -> bool) -> [Vec<u64>; 2] {
    let (clock, mut rng) = (Clock::system(), StdRng::seed_from_u64(5));
    let secret: Vec<u8> = (0..256).map(|_| rng.random()).collect();
    let guesses = [0, secret.len() - 1].map(|place| {
        let mut guess = secret.clone();
        guess[place] ^= 1;
        guess
    });
    let mut times = [const { Vec::new() }; 2];
    while times.iter().any(|class| class.len() < COMPARISONS) {
        let class = usize::from(rng.random_bool(0.5));
        let start = clock.nanoseconds();
        for _ in 0..AT_ONCE {
            assert!(!compare(std::hint::black_box(&secret), std::hint::black_box(&guesses[class])));
        }
        times[class].push(clock.nanoseconds() - start);
    }
    times
}

#[test]
fn comparison_time_does_not_depend_on_the_first_difference() {
    let leaky = |one: &[u8], other: &[u8]| one.iter().zip(other).all(|(one, other)| one == other);
    // On a busy machine it may take more than one attempt.
    let seen = (0..LOOKS).find_map(|_| distinguish(COMPARISON, || comparisons(leaky)).ok());
    let seen = seen.expect("an early exit is detected");
    let found = distinguish(COMPARISON, || comparisons(is_same)).unwrap_err();
    println!("leaky: {:?}, ours: {:?}", seen[0], found[found.len() - 1]);
}

/// Returns how many statements the store executes for a known person and for a stranger.
fn statements(relay: &Relay, ask: &impl AsyncFn(&Mailbox)) -> [usize; 2] {
    [KNOWN, STRANGER].map(|person| {
        let before = relay.executed_statements();
        runtime().block_on(ask(&mailbox(person)));
        relay.executed_statements() - before
    })
}

#[test]
fn answers_execute_the_same_statements_for_a_stranger() {
    // Both kinds of stores get the same statements.
    let Some((kept, relay)) = postgres_with_relay() else { return println!("no PostgreSQL") };
    let registrar = registrar(&kept.store, 56, None);
    let known = mailbox(KNOWN);
    runtime().block_on(async {
        let registered =
            registrar.register(registration_request(Identity::Email(known.clone())), &WHO, START).await.unwrap();
        let link = link(&registrar, START).await;
        let otp = registrar.challenge(&link, START).await.unwrap().code;
        let done = registrar.complete(completion(&token_of(&registered), otp.reveal()), &WHO, START).await;
        assert_eq!(code(&done), "200");
    });
    let access = async |person: &Mailbox| {
        registrar.request_access(person, Locale::En, &CALLER, START).await.unwrap();
    };
    let registration = async |person: &Mailbox| {
        registrar.register(registration_request(Identity::Email(person.clone())), &CALLER, START).await.unwrap();
    };
    // Looks up first whether the person is known.
    let leaky = async |person: &Mailbox| {
        if *person == known {
            kept.store.personal_data(person).await.unwrap();
        }
        access(person).await;
    };
    // The first calls fill budgets and caches.
    for _ in 0..3 {
        statements(&relay, &access);
        statements(&relay, &registration);
    }
    let [of_known, of_stranger] = statements(&relay, &leaky);
    assert!(of_known > of_stranger && of_stranger > 0, "the leaky variant is detected");
    for _ in 0..5 {
        for (what, counts) in
            [("access", statements(&relay, &access)), ("registration", statements(&relay, &registration))]
        {
            assert!(counts[0] == counts[1] && counts[0] > 0, "{what} reveals who is known: {counts:?} statements");
        }
    }
}
