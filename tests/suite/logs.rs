//! The logs of services in tests: they contain enough to search for secrets, and a search at the end of each service
//! finds none.

use tests::{Firm as _, Service, logged, secrets};

const PERSON: &str = "logged@client.example";

#[test]
fn log_names_registrations_and_no_secret() {
    let (service, known) = (Service::of("firm"), secrets::count());
    let registered = service.register();
    let [id, key, claim_token] =
        ["registration_id", "credential", "claim_token"].map(|name| registered[name].as_str().unwrap());
    assert_eq!(service.claim(&registered["claim_token"], PERSON).status, 200);
    let link = service.outbox().wait(PERSON);
    let code = service.code(&link);
    assert!(secrets::count() >= known + 6, "key, claim token, attempt, mailbox, link and code were noticed");
    let log = logged();
    let is_logged = |text: &str| log.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(is_logged(id) && is_logged("claim.requested"), "the journal is kept");
    for secret in [key, claim_token, PERSON, &link, &code] {
        // Six digits may occur in a log by chance.
        assert!(secret.len() == 6 || !is_logged(secret));
        let planted = format!("WARN something went wrong with {secret:?}\n");
        assert!(!secrets::found_in(planted.as_bytes()).is_empty(), "a logged secret would be found");
    }
}

#[test]
fn secret_in_the_log_of_a_service_is_found() {
    let service = Service::of("firm");
    // The service logs its mail folder, whose path serves as the secret here.
    let mut known = secrets::Secrets::default();
    known.note(service.firm.data().join("outbox").to_str().unwrap().as_bytes());
    assert_eq!(known.found_in(&logged()).iter().filter(|finding| finding.contains("a secret")).count(), 1);
}

#[test]
fn search_queries_are_not_logged() {
    let service = Service::of("content");
    for path in ["/en/search", "/tr/arama.md", "/tr/arama"] {
        let _ = service.get(&format!("{path}?q=zqxdivorcezqx&page=zqxsevenzqx"), &[]);
        let _ = service.get(&format!("{path}?q=zqxdivorcezqx"), &[]);
    }
    let log = logged();
    assert!(!log.is_empty() && !log.windows(8).any(|window| window == b"zqxdivor" || window == b"zqxseven"));
}
