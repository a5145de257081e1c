//! What the services of these tests log: enough to be worth searching for secrets. Whenever a service ends, in any
//! test, its log is checked to hold none.

use tests::{Agent as _, Service, logged, secrets};

#[test]
fn registration_is_told_by_its_name_and_by_nothing_that_was_given_out() {
    let (service, known) = (Service::of("firm"), secrets::count());
    let mut connection = service.connection();
    let registered = connection.register().unwrap().json();
    let [id, key, claim_token] =
        ["registration_id", "credential", "claim_token"].map(|name| registered[name].as_str().unwrap());
    assert_eq!(connection.claim(claim_token, "logged@client.example").unwrap().status, 200);
    assert!(secrets::count() >= known + 4, "key, claim token, attempt and mailbox were noticed");
    let log = logged();
    let is_told = |text: &str| log.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(is_told(id) && is_told("claim.requested"), "the journal is kept");
    for secret in [key, claim_token, "logged@client.example"] {
        assert!(!is_told(secret));
        let planted = [&log, secret.as_bytes()].concat();
        assert!(!secrets::found_in(&planted).is_empty(), "a secret that was told would be found");
    }
}
