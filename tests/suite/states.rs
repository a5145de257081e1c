//! Specification, "States and transitions": an agent observes the state of a registration by the response of each
//! operation.

use std::time::Duration;

use contract::routes;
use serde_json::json;
use sidecar::Clock;
use tests::{Agent as _, Connection, Service};

/// A registration with the values that its agent and its person have.
struct RegistrationFacts {
    claim_token: String,
    link: String,
    code: String,
    /// `None` if the claim precedes the key.
    key: Option<String>,
}

/// The state of a registration.
#[derive(Clone, Copy, Debug)]
enum RegistrationState {
    Unclaimed,
    Asked,
    Shown,
    AttemptOver,
    JustClaimed,
    Claimed,
    Expired,
    Denied,
    Revoked,
    Unknown,
}

impl RegistrationState {
    /// Creates a registration in this state, for the person of `mailbox`.
    fn create(self, service: &Service, clock: &Clock, mailbox: &str) -> RegistrationFacts {
        let unknown = ["clm_unknown", "cvt_unknown", "000000", "ak_unknown"].map(str::to_owned);
        let [claim_token, link, code, key] = unknown;
        let mut known = RegistrationFacts { claim_token, link, code, key: Some(key) };
        let mut agent = service.connection();
        // Only a registration by mail can be denied finally; others have a key from the start.
        let registered = match self {
            Self::Unknown => return known,
            Self::Denied => agent.register_by_mail(mailbox).unwrap(),
            _ => agent.register().unwrap(),
        };
        known.claim_token = registered.text_of("claim_token");
        known.key = (!matches!(self, Self::Denied)).then(|| registered.text_of("credential"));
        if matches!(self, Self::Unclaimed) {
            return known;
        }
        if matches!(self, Self::Expired) {
            // An attempt at the end of the day still has its full time.
            clock.advance(Duration::from_mins(24 * 60 - 5));
        }
        if !matches!(self, Self::Denied) {
            assert_eq!(agent.claim(&known.claim_token, mailbox).unwrap().status, 200);
        }
        known.link = service.outbox().wait(mailbox);
        if matches!(self, Self::Asked) {
            return known;
        }
        known.code = agent.show_code(&known.link).unwrap().text_of("challenge");
        match self {
            Self::AttemptOver => clock.advance(Duration::from_mins(10)),
            Self::Expired => clock.advance(Duration::from_mins(5)),
            Self::JustClaimed | Self::Claimed => {
                assert_eq!(agent.complete(&known.claim_token, &known.code).unwrap().status, 200);
                if matches!(self, Self::Claimed) {
                    clock.advance(Duration::from_mins(2));
                }
            }
            Self::Revoked => assert_eq!(agent.revoke(known.key.as_deref().unwrap()).unwrap().status, 200),
            Self::Denied => {
                let body = json!({ "claim_attempt_token": known.link });
                assert_eq!(agent.post(routes::CLAIM_DENY, &body).unwrap().status, 200);
            }
            _ => {}
        }
        known
    }
}

type Asking = fn(&mut Connection, &RegistrationFacts, &str) -> std::io::Result<tests::Reply>;

/// The operations, in the order of the columns of `TABLE`.
const OPERATIONS: [Asking; 5] = [
    |agent, known, mailbox| agent.claim(&known.claim_token, mailbox),
    |agent, known, _| agent.show_code(&known.link),
    |agent, known, _| agent.complete(&known.claim_token, &known.code),
    |agent, known, _| agent.redeem(&known.claim_token),
    |agent, known, _| agent.content(known.key.as_deref()),
];

/// Responses in each state: to a claim, a request for the code, the code, the claim grant, and a call with the
/// credential. A link that was never sent is unknown in every state.
const TABLE: [(RegistrationState, [(u16, &str); 5]); 10] = {
    const DONE: (u16, &str) = (200, "");
    const NO_CODE: (u16, &str) = (400, "otp_not_generated");
    const PENDING: (u16, &str) = (400, "authorization_pending");
    const CLAIMED: (u16, &str) = (409, "claimed_or_in_flight");
    const COMPLETED: (u16, &str) = (409, "claim_completed");
    const PREVIOUSLY: (u16, &str) = (409, "previously_claimed");
    const VOID: (u16, &str) = (410, "claim_superseded");
    const OVER: (u16, &str) = (410, "claim_expired");
    const LATE: (u16, &str) = (400, "expired_token");
    const NO_GRANT: (u16, &str) = (400, "invalid_grant");
    const NO_KEY: (u16, &str) = (401, "invalid_api_key");
    const NO_TOKEN: (u16, &str) = (401, "invalid_claim_token");
    const NO: &str = "access_denied";
    [
        (RegistrationState::Unclaimed, [DONE, VOID, NO_CODE, PENDING, DONE]),
        (RegistrationState::Asked, [DONE, DONE, NO_CODE, PENDING, DONE]),
        (RegistrationState::Shown, [DONE, DONE, DONE, PENDING, DONE]),
        (RegistrationState::AttemptOver, [DONE, OVER, (410, "otp_expired"), LATE, DONE]),
        (RegistrationState::JustClaimed, [CLAIMED, COMPLETED, PREVIOUSLY, PENDING, DONE]),
        (RegistrationState::Claimed, [CLAIMED, COMPLETED, PREVIOUSLY, DONE, DONE]),
        (RegistrationState::Expired, [OVER, OVER, OVER, LATE, NO_KEY]),
        // Content needs no credential.
        (RegistrationState::Denied, [(403, NO), OVER, (403, NO), (400, NO), DONE]),
        (RegistrationState::Revoked, [OVER, OVER, OVER, NO_GRANT, NO_KEY]),
        (RegistrationState::Unknown, [NO_TOKEN, VOID, NO_TOKEN, NO_GRANT, NO_KEY]),
    ]
};

#[test]
fn each_operation_answers_by_the_state_of_the_registration() {
    let clock = Clock::manual();
    let service = Service::at("firm", &clock);
    for (stands, answers) in TABLE {
        for (number, (ask, (status, error))) in OPERATIONS.into_iter().zip(answers).enumerate() {
            // A registration for each, because operations change the state.
            let mailbox = format!("{stands:?}-{number}@client.example").to_lowercase();
            let known = stands.create(&service, &clock, &mailbox);
            let reply = ask(&mut service.connection(), &known, &mailbox).unwrap();
            let code = if status == 200 { String::new() } else { reply.error() };
            assert_eq!((reply.status, code.as_str()), (status, error), "{stands:?}, {number}: {}", reply.text());
        }
    }
}
