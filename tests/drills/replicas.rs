//! Several sidecars on one PostgreSQL: a revocation by one applies to all.

use cluster::Cluster;
use tests::{Agent as _, Connection, Process, times};

use super::{new_store, retry_while_busy, sidecars, text};

const ROUNDS: usize = 12;
/// Number of rounds in which a replica is frozen.
const STILL: usize = 3;

#[test]
fn revocation_on_one_replica_applies_at_once_on_all() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let replicas = [(); 3].map(|()| sidecars.start(&store));
    let mut connections = replicas.each_ref().map(Process::connection);
    let rounds = ROUNDS * times();
    for round in 0..rounds {
        let registered = retry_while_busy(|| connections[round % 3].register());
        let key = text(&registered, "credential");
        for (place, connection) in connections.iter_mut().enumerate() {
            assert_eq!(call(connection, round + place, &key), 200, "round {round}, replica {place}, before");
        }
        // Either the credential or its claim token authorizes the revocation.
        let token = if round % 4 < 3 { key.clone() } else { text(&registered, "claim_token") };
        assert_eq!(retry_while_busy(|| connections[(round / 3) % 3].revoke(&token)).status, 200);
        for place in 0..3 {
            let place = (round + place) % 3;
            let status = call(&mut connections[place], round, &key);
            assert_eq!(status, 401, "round {round}: a stale answer of replica {place}");
        }
    }
}

/// Calls the content API or the MCP endpoint with a credential.
fn call(connection: &mut Connection, turn: usize, key: &str) -> u16 {
    retry_while_busy(|| if turn.is_multiple_of(2) { connection.content(Some(key)) } else { connection.mcp(Some(key)) })
        .status
}

#[test]
fn resumed_replica_refuses_revoked_credentials() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let (quick, slow) = (sidecars.start(&store), sidecars.start(&store));
    let mut here = quick.connection();
    let mut there = [(); 8].map(|()| slow.connection());
    let rounds = STILL * times();
    for round in 0..rounds {
        let key = text(&retry_while_busy(|| here.register()), "credential");
        let bearer = format!("Authorization: Bearer {key}");
        assert_eq!(retry_while_busy(|| there[0].content(Some(&key))).status, 200);
        // Half of the calls are in progress when it freezes.
        let (before, after) = there.split_at_mut(4);
        for connection in &mut *before {
            connection.begin("GET", "/api/v1/contact", &[&bearer], b"").unwrap();
        }
        let still = slow.freeze();
        assert_eq!(retry_while_busy(|| here.revoke(&key)).status, 200);
        for connection in &mut *after {
            connection.begin("GET", "/api/v1/contact", &[&bearer], b"").unwrap();
        }
        drop(still);
        for connection in &mut *before {
            let status = connection.receive(false).unwrap().status;
            assert!([200, 401, 503].contains(&status), "{status} for a call that was under way");
        }
        for connection in &mut *after {
            // On a busy machine the store may be late.
            let status = connection.receive(false).unwrap().status;
            assert!([401, 503].contains(&status), "round {round}: a stale answer, {status}");
        }
        assert_eq!(retry_while_busy(|| there[0].content(Some(&key))).status, 401);
    }
}
