//! Time and the claim: what an agent is told when something is over (the rows of the state table that only time leads
//! to), and until when a lost reply can be made up for.

use std::time::Duration;

use contract::routes;
use serde_json::json;
use sidecar::Clock;
use tests::{Agent as _, Connection, Reply, Service};

/// In seconds.
const MINUTE: u64 = 60;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;

/// A clock that seconds are added to.
struct Hands(Clock);

impl Hands {
    fn advance(&self, seconds: u64) {
        self.0.advance(Duration::from_secs(seconds));
    }
}

fn text(reply: &Reply, name: &str) -> String {
    reply.json()[name].as_str().unwrap_or_default().to_owned()
}

#[track_caller]
fn refused(reply: std::io::Result<Reply>, status: u16, error: &str) {
    let reply = reply.unwrap();
    assert_eq!((reply.status, reply.error().as_str()), (status, error), "{}", reply.text());
}

fn works(connection: &mut Connection, key: &str) -> u16 {
    connection.content(Some(key)).unwrap().status
}

#[test]
fn a_registration_that_nobody_claims_is_over_after_a_day_with_its_credential() {
    let clock = Hands(Clock::manual());
    let service = Service::at("firm", &clock.0);
    let mut connection = service.connection();
    let registered = connection.register().unwrap();
    let (key, claim_token) = (text(&registered, "credential"), text(&registered, "claim_token"));
    clock.advance(DAY - 5 * MINUTE);
    assert_eq!(connection.claim(&claim_token, "a@client.example").unwrap().status, 200);
    let code = text(&connection.show_code(&service.letters().wait("a@client.example")).unwrap(), "challenge");
    clock.advance(5 * MINUTE - 1);
    assert_eq!(works(&mut connection, &key), 200);
    clock.advance(1);
    assert_eq!(works(&mut connection, &key), 401);
    refused(connection.claim(&claim_token, "a@client.example"), 410, "claim_expired");
    refused(connection.complete(&claim_token, &code), 410, "claim_expired");
    refused(connection.redeem(&claim_token), 400, "expired_token");
}

#[test]
fn an_access_token_lives_for_an_hour() {
    let clock = Hands(Clock::manual());
    let service = Service::at("firm", &clock.0);
    let mut connection = service.connection();
    let body = json!({ "type": "anonymous", "requested_credential_type": "access_token" });
    let token = text(&connection.post(routes::REGISTER, &body).unwrap(), "credential");
    clock.advance(HOUR - 1);
    assert_eq!(works(&mut connection, &token), 200);
    clock.advance(1);
    assert_eq!(works(&mut connection, &token), 401);
}

#[test]
fn a_code_that_is_over_makes_room_for_another_and_its_grant_repairs_for_ten_minutes() {
    let clock = Hands(Clock::manual());
    let service = Service::at("firm", &clock.0);
    let (mut connection, letters) = (service.connection(), service.letters());
    let claim_token = text(&connection.register_by_mail("b@client.example").unwrap(), "claim_token");
    let code = text(&connection.show_code(&letters.wait("b@client.example")).unwrap(), "challenge");
    clock.advance(10 * MINUTE);
    refused(connection.complete(&claim_token, &code), 410, "otp_expired");
    refused(connection.redeem(&claim_token), 400, "expired_token");
    refused(connection.show_code(&letters.wait("b@client.example")), 410, "claim_expired");
    // The agent may ask again; the second message has a link of its own.
    let first = letters.wait("b@client.example");
    assert_eq!(connection.claim(&claim_token, "b@client.example").unwrap().status, 200);
    let link = letters.wait_for("b@client.example", 2);
    assert_ne!(link, first);
    let code = text(&connection.show_code(&link).unwrap(), "challenge");
    let completed = connection.complete(&claim_token, &code).unwrap();
    let lost = text(&completed, "credential");
    assert!(completed.status == 200 && !lost.is_empty());
    // Its reply, let us say, was lost.
    clock.advance(10 * MINUTE - 1);
    let credential = text(&connection.redeem(&claim_token).unwrap(), "credential");
    assert_eq!(works(&mut connection, &lost), 401);
    clock.advance(10 * MINUTE);
    refused(connection.redeem(&claim_token), 400, "invalid_grant");
    assert_eq!(works(&mut connection, &credential), 200);
    clock.advance(90 * DAY);
    assert_eq!(works(&mut connection, &credential), 401);
    refused(connection.redeem(&claim_token), 400, "invalid_grant");
}
