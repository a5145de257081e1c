//! Checks that the log is kept, that secrets are noticed, and that one in it is found.

use journal::{logged, secrets};
use serde_json::json;

use crate::agent::build;

#[test]
fn secrets_given_out_are_noticed_and_would_be_found_in_the_log() {
    let (site, known) = (build().serve(), secrets::count());
    let registered = site.anonymous();
    let [id, key, claim_token] =
        ["registration_id", "credential", "claim_token"].map(|name| registered[name].as_str().unwrap());
    assert_eq!(site.claim(&json!(claim_token), "told@person.example").status, 200);
    let link = site.link("cvt_", 0);
    let code = site.code(&link);
    assert!(secrets::count() >= known + 6, "key, claim token, attempt, mailbox, link and code");
    let log = logged();
    let is_told = |text: &str| log.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(is_told(id) && is_told("claim.requested"), "the log is kept");
    for secret in [key, claim_token, "told@person.example", &link, &code] {
        let planted = format!("WARN something went wrong with {secret:?}\n");
        assert!(!secrets::found_in(planted.as_bytes()).is_empty(), "{secret}");
    }
}

#[test]
fn real_server_is_found() {
    let site = build().serve();
    // It logs where it puts its mail; here that is the secret, in this test only.
    let mut known = secrets::Secrets::default();
    known.note(site.build.data().join("outbox").to_str().unwrap().as_bytes());
    assert_eq!(known.found_in(&logged()).iter().filter(|finding| finding.contains("a secret")).count(), 1);
}
