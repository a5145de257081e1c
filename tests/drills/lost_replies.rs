//! Sidecars killed between the commit and the reply: the database commits and waits for a standby that does not exist
//! (`gate`), and the sidecar is killed at that moment.

use std::thread;

use cluster::Cluster;
use contract::routes;
use tests::{Agent as _, Connection, Process, Sidecars};

use super::{gate::Gate, new_store, retry_while_busy, sidecars, text};

/// A registration whose code the person has seen.
struct SeenCode {
    key: Option<String>,
    claim_token: String,
    code: String,
}

fn register_with_code(sidecars: &Sidecars, connection: &mut Connection, mailbox: &str, by_mail: bool) -> SeenCode {
    let registered = if by_mail {
        retry_while_busy(|| connection.register_by_mail(mailbox))
    } else {
        let registered = retry_while_busy(|| connection.register());
        let claim_token = text(&registered, "claim_token");
        assert_eq!(retry_while_busy(|| connection.claim(&claim_token, mailbox)).status, 200);
        registered
    };
    let code = {
        let link = sidecars.outbox().wait(mailbox);
        text(&retry_while_busy(|| connection.show_code(&link)), "challenge")
    };
    let key = registered.json()["credential"].as_str().map(str::to_owned);
    SeenCode { key, claim_token: text(&registered, "claim_token"), code }
}

/// Sends a request, kills the sidecar between commit and reply, and starts another.
fn kill_before_the_reply(
    (sidecars, store): (&Sidecars, &str),
    gate: &mut Gate,
    process: Process,
    ask: impl FnOnce(&mut Connection) -> std::io::Result<tests::Reply> + Send,
) -> Process {
    gate.close();
    let mut connection = process.connection();
    thread::scope(|scope| {
        let request = scope.spawn(move || ask(&mut connection));
        gate.wait(1);
        process.kill();
        assert!(request.join().unwrap().is_err(), "the reply was lost");
    });
    gate.open();
    sidecars.start(store)
}

#[test]
fn claim_grant_recovers_what_a_killed_sidecar_had_committed() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let mut process = sidecars.start(&store);
    let mut gate = Gate::new(&cluster);
    for by_mail in [true, false] {
        let mailbox = format!("lost.{by_mail}@client.example");
        let SeenCode { key, claim_token, code } =
            register_with_code(&sidecars, &mut process.connection(), &mailbox, by_mail);
        process = kill_before_the_reply((&sidecars, &store), &mut gate, process, |connection| {
            connection.complete(&claim_token, &code)
        });
        // The claim is complete; the resolution names the next step.
        let mut connection = process.connection();
        let again = retry_while_busy(|| connection.complete(&claim_token, &code));
        assert_eq!((again.status, again.error().as_str()), (409, "previously_claimed"));
        assert!(again.json()["resolution"].as_str().unwrap().contains("token"), "{}", again.text());
        // For two minutes a poll would leave the lost credential in place.
        let early = retry_while_busy(|| connection.redeem(&claim_token));
        assert_eq!((early.status, early.error().as_str()), (400, "authorization_pending"));
        gate.database().age_claims();
        // The reply of the grant is lost as well: the next grant repairs it, and only one credential is valid.
        process = kill_before_the_reply((&sidecars, &store), &mut gate, process, |connection| {
            connection.redeem(&claim_token)
        });
        let mut connection = process.connection();
        let first = text(&retry_while_busy(|| connection.redeem(&claim_token)), "credential");
        let second = retry_while_busy(|| connection.redeem(&claim_token));
        assert_eq!((second.status, second.json()["scopes"].as_array().unwrap().len()), (200, 4));
        let second = text(&second, "credential");
        assert_eq!(gate.most_live(), "1");
        assert_eq!(retry_while_busy(|| connection.content(Some(&first))).status, 401, "it was replaced");
        assert_eq!(retry_while_busy(|| connection.content(Some(&second))).status, 200);
        let spent = retry_while_busy(|| connection.redeem(&claim_token));
        assert_eq!((spent.status, spent.error().as_str()), (400, "invalid_grant"), "once used it is not replaced");
        assert_eq!(retry_while_busy(|| connection.content(Some(&second))).status, 200);
        if let Some(key) = key {
            let live = gate.most_live();
            let status = retry_while_busy(|| connection.content(Some(&key))).status;
            assert_eq!((status, live.as_str()), (401, "1"), "of two keys one is in force");
        }
        // The revocation whose reply was lost was committed.
        process =
            kill_before_the_reply((&sidecars, &store), &mut gate, process, |connection| connection.revoke(&second));
        assert_eq!(retry_while_busy(|| process.connection().content(Some(&second))).status, 401);
    }
}

#[test]
fn unconfirmed_commit_is_unavailable_and_persists() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let process = sidecars.start(&store);
    let mut gate = Gate::new(&cluster);
    let mut connection = process.connection();
    let SeenCode { key, claim_token, code } =
        register_with_code(&sidecars, &mut connection, "waits@client.example", false);
    let key = key.unwrap();
    gate.close();
    let reply = connection.complete(&claim_token, &code).unwrap();
    assert_eq!((reply.status, reply.error().as_str()), (503, "temporarily_unavailable"));
    assert!(reply.header("retry-after").is_some());
    gate.open();
    assert_eq!(retry_while_busy(|| connection.complete(&claim_token, &code)).status, 409, "it had happened");
    gate.database().age_claims();
    assert_eq!(retry_while_busy(|| connection.redeem(&claim_token)).status, 200);
    assert_eq!(gate.most_live(), "1");
    // The same for a revocation: 503 means that the credential may still be valid and the client should retry.
    let other = text(&retry_while_busy(|| connection.register()), "credential");
    gate.close();
    assert_eq!(connection.revoke(&other).unwrap().status, 503);
    gate.open();
    assert_eq!(retry_while_busy(|| connection.revoke(&other)).status, 200);
    for gone in [&key, &other] {
        assert_eq!(retry_while_busy(|| connection.content(Some(gone))).status, 401);
    }
}

#[test]
#[ignore = "make test-long"]
fn expired_credential_is_refused_everywhere() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let replicas = [(); 2].map(|()| sidecars.start(&store));
    let mut gate = Gate::new(&cluster);
    let mut connection = replicas[0].connection();
    let registered = retry_while_busy(|| connection.register());
    let (key, claim_token) = (text(&registered, "credential"), text(&registered, "claim_token"));
    assert_eq!(retry_while_busy(|| connection.content(Some(&key))).status, 200);
    gate.database().run("UPDATE credential SET expires_at = 1");
    for replica in &replicas {
        let mut connection = replica.connection();
        assert_eq!(retry_while_busy(|| connection.content(Some(&key))).status, 401);
        let reply = retry_while_busy(|| connection.mcp(Some(&key)));
        let challenge = reply.header("www-authenticate").unwrap();
        assert!(reply.status == 401 && challenge.contains(routes::PROTECTED_RESOURCE_MCP), "{challenge}");
    }
    // There is no consent yet, so the grant returns nothing either.
    assert_eq!(retry_while_busy(|| connection.redeem(&claim_token)).error(), "authorization_pending");
}
