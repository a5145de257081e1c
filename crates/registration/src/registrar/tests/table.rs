//! The table of states and operations: a cell for each operation in each state, on each kind of store.

use std::time::Duration;

use serde_json::json;

use contract::scopes::Scope;
use providers::testing::{NOW_SECONDS, Signer, assertion_claims, event_claims, verifier, with};

use super::*;
use crate::store::testing::{runtime, stores};

/// The states; an attempt can be over in two ways, `locked` and `over`.
const STATES: [&str; 10] =
    ["unclaimed", "initiated", "shown", "locked", "over", "claimed", "expired", "denied", "revoked", "unknown"];
/// A combination that cannot occur.
const NONE: &str = "-";

/// A registration in a state, with all its secrets.
struct TableScene<'a> {
    registrar: Registrar,
    claim_token: ClaimToken,
    link: LinkToken,
    code: String,
    credential: Secret,
    person: String,
    signer: &'a Signer,
    now: Time,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum RegistrationKind {
    Anonymous,
    Email,
    /// By an assertion that requires the consent of a known person.
    Provider,
}

impl<'a> TableScene<'a> {
    async fn new(
        registrar: &Registrar,
        signer: &'a Signer,
        kind: RegistrationKind,
        state: &str,
        number: usize,
    ) -> Option<Self> {
        let is_free = kind == RegistrationKind::Anonymous;
        // Without an identity no refusal is final; with one, a person is always asked.
        if (state == "unclaimed" && !is_free) || (state == "denied" && is_free) {
            return None;
        }
        let person = format!("p{number}@person.example");
        let mut scene = Self {
            registrar: registrar.clone(),
            claim_token: ClaimToken::new("clm_unknown"),
            link: LinkToken::new("cvt_unknown"),
            code: WRONG.to_owned(),
            credential: Secret::new("ak_unknown"),
            person,
            signer,
            now: START,
        };
        if state == "unknown" {
            return Some(scene);
        }
        scene.begin(kind, number).await;
        if state == "unclaimed" {
            return Some(scene);
        }
        if is_free {
            registrar.claim(claim_request(&scene.claim_token, &scene.person), &WHO, START).await.unwrap();
        }
        scene.link = link(registrar, START).await;
        scene.proceed(state).await;
        Some(scene)
    }

    async fn begin(&mut self, kind: RegistrationKind, number: usize) {
        let registrar = &self.registrar;
        let registered = match kind {
            RegistrationKind::Anonymous => {
                registrar.register(registration_request(Identity::Anonymous), &WHO, START).await.unwrap()
            }
            RegistrationKind::Email => {
                let identity = Identity::Email(mailbox(&self.person));
                registrar.register(registration_request(identity), &WHO, START).await.unwrap()
            }
            RegistrationKind::Provider => {
                let word = |sub: String| {
                    let claims = json!({"sub": sub, "jti": sub, "email": self.person});
                    registration_request(Identity::Provider(Secret::new(
                        self.signer.assertion(&with(assertion_claims(), &claims)),
                    )))
                };
                registrar.register(word(format!("known-{number}")), &WHO, START).await.unwrap();
                match registrar.register(word(format!("user-{number}")), &WHO, START).await {
                    Err(RegistrationError::InteractionRequired(registered)) => *registered,
                    other => panic!("a stranger got in: {}", code(&other)),
                }
            }
        };
        self.claim_token = token_of(&registered);
        if let Some(issued) = registered.issued {
            self.credential = issued.credential;
        }
    }

    async fn proceed(&mut self, state: &str) {
        let registrar = self.registrar.clone();
        if !["initiated", "denied"].contains(&state) {
            let challenge = registrar.challenge(&self.link, START).await.unwrap();
            challenge.code.reveal().clone_into(&mut self.code);
        }
        match state {
            "locked" => {
                for _ in 0..5 {
                    let guess = registrar.complete(completion(&self.claim_token, WRONG), &WHO, START).await;
                    assert_eq!(code(&guess), "otp_invalid");
                }
            }
            "over" => self.now = START.plus(Duration::from_mins(10)),
            "claimed" => {
                let done = registrar.complete(completion(&self.claim_token, &self.code), &WHO, START).await.unwrap();
                self.credential = done.credential.unwrap_or(self.credential.clone());
            }
            "expired" => self.now = START.plus(Duration::from_hours(24)),
            "denied" => registrar.deny(&self.link, START).await.unwrap(),
            "revoked" => registrar.revoke_token(&self.claim_token.0, START).await.unwrap(),
            _ => {}
        }
    }

    async fn claim(&self, person: &str) -> &'static str {
        code(&self.registrar.claim(claim_request(&self.claim_token, person), &WHO, self.now).await)
    }

    /// Returns how many emails were written since the registration reached its state.
    async fn emails(&self) -> usize {
        let mut count = 0;
        while let Some(due) = self.registrar.store().take_email(self.now).await.unwrap() {
            self.registrar.store().drop_email(&due.id).await.unwrap();
            count += 1;
        }
        count
    }

    async fn complete(&self, otp: &str) -> &'static str {
        code(&self.registrar.complete(completion(&self.claim_token, otp), &WHO, self.now).await)
    }

    /// Returns the answer to the claim grant, to one two minutes later if it differs and, once the credential of that one
    /// has been used, to a third.
    async fn grant(&self) -> String {
        let poll = async |now| self.registrar.redeem(self.claim_token.clone(), now).await;
        let first = poll(self.now).await;
        let later = self.now.plus(GRACE);
        let second = poll(later).await;
        let Ok(token) = second else {
            assert_eq!(code(&first), code(&second));
            return code(&first).to_owned();
        };
        assert_eq!(self.call(&self.credential).await, "refused", "two credentials are live");
        assert_eq!(self.call(&token.issued.credential).await, "after");
        format!("{}, 200, {}", code(&first), code(&poll(later).await))
    }

    async fn call(&self, credential: &Secret) -> &'static str {
        match self.registrar.check(&credential.digest(), self.now).await.unwrap() {
            Some(held) if held.scopes == Scope::BEFORE_CLAIM => "before",
            Some(held) if held.scopes == Scope::ALL => "after",
            Some(_) => "other scopes",
            None => "refused",
        }
    }

    async fn event(&self, number: usize) -> String {
        let jti = format!("event-{number}");
        let about = json!({"sub": format!("user-{number}"), "jti": jti, "iat": NOW_SECONDS});
        let jwt = self.signer.sign(&self.signer.header("secevent+jwt"), &with(event_claims(), &about));
        let ended = self.registrar.security_event(&jwt, self.now).await.unwrap();
        let again = self.registrar.security_event(&jwt, self.now).await.unwrap();
        assert_eq!(ended, again, "the same event, the same answer");
        let grant = self.registrar.redeem(self.claim_token.clone(), self.now.plus(GRACE)).await;
        format!("{ended}, {}", code(&grant))
    }
}

/// Checks a row of the table; `expected` is in the order of [`STATES`].
fn row<F: AsyncFn(&TableScene<'_>, usize) -> String>(kind: RegistrationKind, expected: [&str; 10], operation: &F) {
    for kept in stores() {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let registrar = registrar(&kept.store, 31, Some(verifier(&[&signer])));
            for (number, (state, expected)) in STATES.into_iter().zip(expected).enumerate() {
                let Some(scene) = TableScene::new(&registrar, &signer, kind, state, number).await else {
                    assert_eq!(expected, NONE, "{kind:?} {state}");
                    continue;
                };
                let found = operation(&scene, number).await;
                assert_eq!(found, expected, "{}: {kind:?} {state}", kept.name);
            }
        });
    }
}

const CLAIMED: &str = "claimed_or_in_flight";
const OVER: &str = "claim_expired";
const UNKNOWN: &str = "invalid_claim_token";
const DENIED: &str = "access_denied";

#[test]
fn claim_in_every_state() {
    let again =
        async |scene: &TableScene<'_>, _| format!("{} {}", scene.claim(&scene.person).await, scene.emails().await);
    let [claimed, over, unknown, denied] = [CLAIMED, OVER, UNKNOWN, DENIED].map(|code| format!("{code} 0"));
    let (claimed, over, unknown, denied) = (&*claimed, &*over, &*unknown, &*denied);
    // A person with a pending request gets no second email.
    let cells = ["200 1", "200 0", "200 0", "200 1", "200 1", claimed, over, NONE, over, unknown];
    row(RegistrationKind::Anonymous, cells, &again);
    let cells = [NONE, "200 0", "200 0", "200 1", "200 1", claimed, over, denied, over, unknown];
    row(RegistrationKind::Email, cells, &again);
    row(RegistrationKind::Provider, cells, &again);
}

#[test]
fn claim_by_another_person_in_every_state() {
    let other = async |scene: &TableScene<'_>, number| {
        format!("{} {}", scene.claim(&format!("other{number}@person.example")).await, scene.emails().await)
    };
    let [claimed, over, unknown, denied] = [CLAIMED, OVER, UNKNOWN, DENIED].map(|code| format!("{code} 0"));
    let (claimed, over, unknown, denied) = (&*claimed, &*over, &*unknown, &*denied);
    // The person asked before gets a notice that their link is void.
    row(
        RegistrationKind::Anonymous,
        ["200 1", "200 2", "200 2", "200 1", "200 1", claimed, over, NONE, over, unknown],
        &other,
    );
    let cells = [NONE, claimed, claimed, claimed, claimed, claimed, over, denied, over, unknown];
    row(RegistrationKind::Email, cells, &other);
    row(RegistrationKind::Provider, cells, &other);
}

#[test]
fn challenge_in_every_state() {
    let show = async |scene: &TableScene<'_>, _| {
        let first = scene.registrar.challenge(&scene.link, scene.now).await;
        if let Ok(first) = &first {
            let again = scene.registrar.challenge(&scene.link, scene.now).await.unwrap();
            assert_eq!(first.code, again.code, "the same code");
        }
        code(&first).to_owned()
    };
    let (void, done) = ("claim_superseded", "claim_completed");
    row(RegistrationKind::Anonymous, [void, "200", "200", OVER, OVER, done, OVER, NONE, OVER, void], &show);
    row(RegistrationKind::Email, [NONE, "200", "200", OVER, OVER, done, OVER, OVER, OVER, void], &show);
    row(RegistrationKind::Provider, [NONE, "200", "200", OVER, OVER, done, OVER, OVER, OVER, void], &show);
}

#[test]
fn complete_in_every_state() {
    let (early, late, done) = ("otp_not_generated", "otp_expired", "previously_claimed");
    let right = async |scene: &TableScene<'_>, _| scene.complete(&scene.code).await.to_owned();
    let wrong = async |scene: &TableScene<'_>, _| scene.complete(WRONG).await.to_owned();
    row(RegistrationKind::Anonymous, [early, early, "200", late, late, done, OVER, NONE, OVER, UNKNOWN], &right);
    row(
        RegistrationKind::Anonymous,
        [early, early, "otp_invalid", late, late, done, OVER, NONE, OVER, UNKNOWN],
        &wrong,
    );
    row(RegistrationKind::Email, [NONE, early, "200", late, late, done, OVER, DENIED, OVER, UNKNOWN], &right);
    row(RegistrationKind::Provider, [NONE, early, "200", late, late, done, OVER, DENIED, OVER, UNKNOWN], &right);
    row(RegistrationKind::Email, [NONE, early, "otp_invalid", late, late, done, OVER, DENIED, OVER, UNKNOWN], &wrong);
    row(
        RegistrationKind::Provider,
        [NONE, early, "otp_invalid", late, late, done, OVER, DENIED, OVER, UNKNOWN],
        &wrong,
    );
    let slip = async |scene: &TableScene<'_>, _| scene.complete("Your code: 123456").await.to_owned();
    row(RegistrationKind::Anonymous, [early, early, "otp_invalid", late, late, done, OVER, NONE, OVER, UNKNOWN], &slip);
    row(RegistrationKind::Email, [NONE, early, "otp_invalid", late, late, done, OVER, DENIED, OVER, UNKNOWN], &slip);
}

#[test]
fn claim_grant_in_every_state() {
    let (wait, late, never) = ("authorization_pending", "expired_token", "invalid_grant");
    let poll = async |scene: &TableScene<'_>, _| scene.grant().await;
    let claimed = "authorization_pending, 200, invalid_grant";
    row(RegistrationKind::Anonymous, [wait, wait, wait, late, late, claimed, late, NONE, never, never], &poll);
    row(RegistrationKind::Email, [NONE, wait, wait, late, late, claimed, late, DENIED, never, never], &poll);
    row(RegistrationKind::Provider, [NONE, wait, wait, late, late, claimed, late, DENIED, never, never], &poll);
}

#[test]
fn call_with_the_credential_in_every_state() {
    let call = async |scene: &TableScene<'_>, _| scene.call(&scene.credential).await.to_owned();
    let (pre, post, no) = ("before", "after", "refused");
    row(RegistrationKind::Anonymous, [pre, pre, pre, pre, pre, post, no, NONE, no, no], &call);
    row(RegistrationKind::Email, [NONE, no, no, no, no, post, no, no, no, no], &call);
    row(RegistrationKind::Provider, [NONE, no, no, no, no, post, no, no, no, no], &call);
}

#[test]
fn event_in_every_state() {
    let report = async |scene: &TableScene<'_>, number| scene.event(number).await;
    let ended = "1, invalid_grant";
    let cells = [
        NONE,
        ended,
        ended,
        ended,
        ended,
        ended,
        "0, expired_token",
        "0, access_denied",
        "0, invalid_grant",
        "0, invalid_grant",
    ];
    row(RegistrationKind::Provider, cells, &report);
    // These agents have no provider, so no report covers them.
    let (wait, late, never) = ("0, authorization_pending", "0, expired_token", "0, invalid_grant");
    row(RegistrationKind::Anonymous, [wait, wait, wait, late, late, "0, 200", late, NONE, never, never], &report);
    let denied = "0, access_denied";
    row(RegistrationKind::Email, [NONE, wait, wait, late, late, "0, 200", late, denied, never, never], &report);
}

#[test]
fn denied_anonymous_registration_is_unclaimed_again() {
    let again = async |scene: &TableScene<'_>, number| {
        let denied = scene.registrar.deny(&scene.link, scene.now).await;
        if denied.is_err() {
            return code(&denied).to_owned();
        }
        assert_eq!(scene.call(&scene.credential).await, "before");
        assert_eq!(scene.complete(&scene.code).await, "otp_not_generated");
        assert_eq!(scene.claim(&scene.person).await, DENIED, "who refused is not asked again");
        scene.claim(&format!("other{number}@person.example")).await.to_owned()
    };
    let (void, done) = ("claim_superseded", "claim_completed");
    row(RegistrationKind::Anonymous, [void, "200", "200", "200", "200", done, OVER, NONE, OVER, void], &again);
}

#[test]
fn registration_for_one_person_ends_with_their_denial() {
    let refuse = async |scene: &TableScene<'_>, _| {
        let denied = scene.registrar.deny(&scene.link, scene.now).await;
        if denied.is_ok() {
            assert_eq!(scene.grant().await, DENIED);
            assert_eq!((scene.claim(&scene.person).await, scene.emails().await), (DENIED, 0));
        }
        code(&denied).to_owned()
    };
    let (void, done) = ("claim_superseded", "claim_completed");
    let cells = [NONE, "200", "200", "200", "200", done, OVER, OVER, OVER, void];
    row(RegistrationKind::Email, cells, &refuse);
    row(RegistrationKind::Provider, cells, &refuse);
}
