//! Any sequence of operations, beside a model that is written without looking at the machines.

use std::{collections::HashMap, time::Duration};

use proptest::prelude::*;

use super::*;
use crate::store::testing::{runtime, stores};

const PEOPLE: [&str; 3] = ["a@person.example", "b@person.example", "c@person.example"];
const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

#[derive(Clone, Debug)]
enum Operation {
    Register { person: Option<usize>, is_brief: bool },
    Claim { which: usize, person: usize },
    Show { which: usize },
    Deny { which: usize },
    Guess { which: usize, is_right: bool },
    Poll { which: usize },
    Revoke { which: usize },
    Use { which: usize },
    Wait { minutes: i64 },
}

fn operation() -> impl Strategy<Value = Operation> {
    let which = 0_usize..4;
    let person = 0..PEOPLE.len();
    prop_oneof![
        2 => (proptest::option::of(person.clone()), any::<bool>())
            .prop_map(|(person, is_brief)| Operation::Register { person, is_brief }),
        4 => (which.clone(), person).prop_map(|(which, person)| Operation::Claim { which, person }),
        5 => which.clone().prop_map(|which| Operation::Show { which }),
        1 => which.clone().prop_map(|which| Operation::Deny { which }),
        5 => (which.clone(), any::<bool>()).prop_map(|(which, is_right)| Operation::Guess { which, is_right }),
        4 => which.clone().prop_map(|which| Operation::Poll { which }),
        1 => which.clone().prop_map(|which| Operation::Revoke { which }),
        3 => which.prop_map(|which| Operation::Use { which }),
        3 => prop_oneof![Just(0), Just(1), Just(4), Just(11), Just(70), Just(24 * 60)]
            .prop_map(|minutes| Operation::Wait { minutes }),
    ]
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Unclaimed,
    Pending { person: usize, at: i64, shown: bool, tries: u8 },
    Claimed { at: i64 },
    Denied,
    Revoked,
}

/// What should be.
#[derive(Clone, Debug)]
struct Model {
    state: State,
    bound: Option<usize>,
    deadline: i64,
    /// How long a credential lives once a person has agreed.
    life: i64,
    attempts: u8,
    refused: Vec<usize>,
    poll_from: i64,
    interval: i64,
    /// Whether a credential is held, until when, since when, whether it came with the claim, and whether it was used.
    credential: Option<(i64, i64, bool, bool)>,
}

/// What is.
struct Real {
    claim_token: ClaimToken,
    links: HashMap<usize, LinkToken>,
    current: Option<LinkToken>,
    credential: Option<Secret>,
}

impl Model {
    fn is_over(&self, now: i64) -> bool {
        matches!(self.state, State::Pending { at, tries, .. } if now >= at + 10 * MINUTE || tries >= 5)
    }

    fn is_expired(&self, now: i64) -> bool {
        matches!(self.state, State::Unclaimed | State::Pending { .. }) && now >= self.deadline
    }

    fn claim(&mut self, person: usize, now: i64) -> &'static str {
        match self.state {
            State::Claimed { .. } => return "claimed_or_in_flight",
            State::Revoked => return "claim_expired",
            _ if self.is_expired(now) => return "claim_expired",
            State::Denied => return "access_denied",
            _ => {}
        }
        if self.bound.is_some_and(|bound| bound != person) {
            return "claimed_or_in_flight";
        }
        if self.refused.contains(&person) {
            return "access_denied";
        }
        if !self.is_over(now) && matches!(self.state, State::Pending { person: asked, .. } if asked == person) {
            return "200";
        }
        if self.attempts == 5 {
            return "rate_limited";
        }
        self.attempts += 1;
        (self.poll_from, self.interval) = (0, 5);
        self.state = State::Pending { person, at: now, shown: false, tries: 0 };
        "200"
    }

    fn link(&self, now: i64) -> &'static str {
        match self.state {
            State::Claimed { .. } => "claim_completed",
            State::Denied | State::Revoked => "claim_expired",
            _ if self.is_expired(now) => "claim_expired",
            State::Unclaimed => "claim_superseded",
            State::Pending { .. } if self.is_over(now) => "claim_expired",
            State::Pending { .. } => "200",
        }
    }

    fn show(&mut self, now: i64) -> &'static str {
        let answer = self.link(now);
        if let (State::Pending { shown: shown @ false, at, .. }, "200") = (&mut self.state, answer) {
            (*shown, *at) = (true, now);
        }
        answer
    }

    fn deny(&mut self, now: i64) -> &'static str {
        let answer = self.link(now);
        if let (State::Pending { person, .. }, "200") = (self.state, answer) {
            self.refused.push(person);
            self.state = if self.bound.is_some() { State::Denied } else { State::Unclaimed };
        }
        answer
    }

    fn guess(&mut self, is_right: bool, now: i64) -> &'static str {
        let (expired, over) = (self.is_expired(now), self.is_over(now));
        match &mut self.state {
            State::Claimed { .. } => "previously_claimed",
            State::Denied => "access_denied",
            State::Revoked => "claim_expired",
            _ if expired => "claim_expired",
            _ if over => "otp_expired",
            State::Unclaimed | State::Pending { shown: false, .. } => "otp_not_generated",
            State::Pending { tries, .. } if !is_right => {
                *tries += 1;
                "otp_invalid"
            }
            State::Pending { .. } => {
                self.state = State::Claimed { at: now };
                let until = now + self.life;
                self.credential = Some(match self.credential {
                    Some((until_now, issued, is_claimed, is_used)) if now < until_now => {
                        (until, issued, is_claimed, is_used)
                    }
                    _ => (until, now, true, false),
                });
                "200"
            }
        }
    }

    fn poll(&mut self, now: i64) -> &'static str {
        let claimed = match self.state {
            State::Revoked => return "invalid_grant",
            State::Denied => return "access_denied",
            _ if self.is_expired(now) || self.is_over(now) => return "expired_token",
            State::Claimed { at } => at,
            State::Unclaimed | State::Pending { .. } => {
                let is_early = now < self.poll_from;
                if is_early {
                    self.interval = (self.interval + 5).min(60);
                }
                self.poll_from = now + self.interval * 1000;
                return if is_early { "slow_down" } else { "authorization_pending" };
            }
        };
        match self.credential {
            Some((_, _, false, _)) if now >= claimed + 10 * MINUTE => "invalid_grant",
            Some((_, issued, true, is_used)) if is_used || now >= issued + 10 * MINUTE => "invalid_grant",
            _ => {
                self.credential = Some((now + self.life, now, true, false));
                "200"
            }
        }
    }

    fn revoke(&mut self, now: i64) {
        self.credential = None;
        if self.state != State::Denied && !self.is_expired(now) {
            self.state = State::Revoked;
        }
    }

    fn try_credential(&mut self, now: i64) -> bool {
        match &mut self.credential {
            Some((expires, _, _, is_used)) if now < *expires => {
                *is_used = true;
                true
            }
            _ => false,
        }
    }
}

#[expect(clippy::too_many_lines, reason = "a case for each operation, read beside each other")]
async fn play(replicas: &[Registrar; 2], operations: &[Operation]) -> Result<(), TestCaseError> {
    let mut world: Vec<(Model, Real)> = Vec::new();
    let mut now = START;
    for (index, operation) in operations.iter().enumerate() {
        let registrar = &replicas[index % 2];
        let at = now.millis();
        let pick = |which: &usize, world: &[(Model, Real)]| (!world.is_empty()).then(|| which % world.len());
        match operation {
            Operation::Wait { minutes } => now = now.plus(Duration::from_mins(minutes.unsigned_abs())),
            Operation::Register { person, is_brief } => {
                let identity = person.map_or(Identity::Anonymous, |person| Identity::Email(mailbox(PEOPLE[person])));
                let kind = if *is_brief { CredentialType::AccessToken } else { CredentialType::ApiKey };
                let request = RegistrationRequest { credential: Some(kind), ..asking(identity) };
                let registered = registrar.register(request, &WHO, now).await.unwrap();
                let current = match person {
                    Some(_) => Some(link(registrar, now).await),
                    None => None,
                };
                let state =
                    person.map_or(State::Unclaimed, |person| State::Pending { person, at, shown: false, tries: 0 });
                let model = Model {
                    state,
                    bound: *person,
                    deadline: at + DAY,
                    life: if *is_brief { 60 * MINUTE } else { 90 * DAY },
                    attempts: u8::from(person.is_some()),
                    refused: Vec::new(),
                    poll_from: 0,
                    interval: 5,
                    credential: registered.issued.as_ref().map(|issued| {
                        let until = if *is_brief { 60 * MINUTE } else { DAY };
                        assert_eq!(issued.expires.millis(), at + until);
                        (at + until, at, false, false)
                    }),
                };
                let claim_token = token_of(&registered);
                let credential = registered.issued.map(|issued| issued.credential);
                world.push((model, Real { claim_token, links: HashMap::new(), current, credential }));
            }
            Operation::Claim { which, person } => {
                let Some(which) = pick(which, &world) else { continue };
                let (model, real) = &mut world[which];
                let before = model.attempts;
                let result = registrar.claim(claim_request(&real.claim_token, PEOPLE[*person]), &WHO, now).await;
                prop_assert_eq!(code(&result), model.claim(*person, at), "{:?}", operation);
                if model.attempts > before
                    && let Some(old) = real.current.replace(link(registrar, now).await)
                {
                    real.links.insert(real.links.len(), old);
                }
            }
            Operation::Show { which } => {
                let Some(which) = pick(which, &world) else { continue };
                let (model, real) = &mut world[which];
                for old in real.links.values() {
                    let result = registrar.view(old, now).await;
                    prop_assert_ne!(code(&result), "200", "an old link works");
                }
                let Some(link) = &real.current else { continue };
                let result = registrar.challenge(link, now).await;
                prop_assert_eq!(code(&result), model.show(at), "{:?}", operation);
            }
            Operation::Deny { which } => {
                let Some(which) = pick(which, &world) else { continue };
                let (model, real) = &mut world[which];
                let Some(link) = &real.current else { continue };
                let result = registrar.deny(link, now).await;
                prop_assert_eq!(code(&result), model.deny(at), "{:?}", operation);
            }
            Operation::Guess { which, is_right } => {
                let Some(which) = pick(which, &world) else { continue };
                let (model, real) = &mut world[which];
                let right = match &real.current {
                    Some(link) => right_code(registrar, link).await,
                    None => "000000".to_owned(),
                };
                let otp = if *is_right { right.as_str() } else { "wrong" };
                let result = registrar.complete(completion(&real.claim_token, otp), &WHO, now).await;
                prop_assert_eq!(code(&result), model.guess(*is_right, at), "{:?}", operation);
                if let Ok(completed) = result
                    && let Some(credential) = completed.credential
                {
                    real.credential = Some(credential);
                }
            }
            Operation::Poll { which } => {
                let Some(which) = pick(which, &world) else { continue };
                let (model, real) = &mut world[which];
                let result = registrar.redeem(real.claim_token.clone(), now).await;
                prop_assert_eq!(code(&result), model.poll(at), "{:?}", operation);
                if let Ok(token) = result {
                    let old = real.credential.replace(token.issued.credential);
                    if let Some(old) = old {
                        prop_assert!(registrar.check(&old.digest(), now).await.unwrap().is_none(), "two are live");
                    }
                }
            }
            Operation::Revoke { which } => {
                let Some(which) = pick(which, &world) else { continue };
                let (model, real) = &mut world[which];
                registrar.revoke_token(&real.claim_token.0, now).await.unwrap();
                model.revoke(at);
            }
            Operation::Use { which } => {
                let Some(which) = pick(which, &world) else { continue };
                let (model, real) = &mut world[which];
                let Some(credential) = &real.credential else { continue };
                let held = registrar.check(&credential.digest(), now).await.unwrap();
                prop_assert_eq!(held.is_some(), model.try_credential(at), "{:?}", operation);
            }
        }
    }
    Ok(())
}

/// The code of the attempt to which `link` leads, whatever its state.
async fn right_code(registrar: &Registrar, link: &LinkToken) -> String {
    let (_, seed) = registrar.store().by_link(&link.0.digest()).await.unwrap().unwrap();
    registrar.pepper().code(&seed).reveal().to_owned()
}

#[test]
fn any_sequence_of_operations_is_answered_as_the_model_says() {
    for kept in stores() {
        let replicas = [registrar(&kept.store, 21, None), registrar(&kept.replica, 22, None)];
        let config = ProptestConfig { cases: 24, max_shrink_iters: 200, ..ProptestConfig::default() };
        let mut runner = proptest::test_runner::TestRunner::new(config);
        let sequences = proptest::collection::vec(operation(), 1..60);
        let result = runner.run(&sequences, |operations| runtime().block_on(play(&replicas, &operations)));
        if let Err(failure) = result {
            panic!("{}: {failure}", kept.name);
        }
    }
}
