//! A secret in a log is found.

use std::panic::{AssertUnwindSafe, catch_unwind};

use tests::{Agent as _, secrets};

use super::{retry_while_busy, sidecars, text};

#[test]
fn secret_in_the_log_fails_the_drill() {
    let sidecars = sidecars();
    let process = sidecars.start(&sidecars.file());
    super::until("the log is kept", || sidecars.log().contains("serving"));
    drop(process);
    // A sidecar logs its mail folder, so its path serves as the secret here.
    secrets::note(&sidecars.folder().display().to_string());
    let judged = catch_unwind(AssertUnwindSafe(|| drop(sidecars)));
    let message = judged.unwrap_err().downcast::<String>().unwrap();
    assert!(message.contains("secrets in the logs") && message.contains("a secret"), "{message}");
}

#[test]
fn secrets_of_agents_are_searched_for_automatically() {
    let (sidecars, known) = (sidecars(), secrets::count());
    let process = sidecars.start(&sidecars.file());
    let mut connection = process.connection();
    let registered = retry_while_busy(|| connection.register());
    let key = text(&registered, "credential");
    assert_eq!(retry_while_busy(|| connection.content(Some(&key))).status, 200);
    let claim_token = text(&registered, "claim_token");
    assert_eq!(retry_while_busy(|| connection.claim(&claim_token, "told@client.example")).status, 200);
    let link = sidecars.outbox().wait("told@client.example");
    let code = text(&retry_while_busy(|| connection.show_code(&link)), "challenge");
    // At least pepper, key, claim token, attempt id, link, code and mailbox.
    assert!(secrets::count() >= known + 7);
    for secret in [&key, &claim_token, &link, &code, "told@client.example"] {
        let log = format!("2026-11-21T10:00:00.000000Z  WARN something went wrong with {secret:?}\n");
        assert!(!secrets::found_in(log.as_bytes()).is_empty(), "{secret}");
    }
}
