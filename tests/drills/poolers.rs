//! Sidecars behind `PgBouncer` in transaction mode, on fewer connections to the server than they have.

use cluster::{Cluster, Pooler};
use tests::{Agent as _, Process};

use super::{new_store, retry_while_busy, sidecars, text};

#[test]
fn registrations_and_revocations_pass_a_pooler_in_transaction_mode() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let pooler = Pooler::start(&cluster, "transaction");
    new_store(&cluster);
    let store = pooler.address("firm") + "&statement-cache-capacity=0";
    let replicas = [(); 2].map(|()| sidecars.start(&store));
    let mut connections = replicas.each_ref().map(Process::connection);
    for round in 0..6 {
        let (one, other) = (round % 2, (round + 1) % 2);
        let registered = retry_while_busy(|| connections[one].register());
        let key = text(&registered, "credential");
        assert_eq!(retry_while_busy(|| connections[other].content(Some(&key))).status, 200, "round {round}");
        assert_eq!(retry_while_busy(|| connections[other].revoke(&key)).status, 200);
        assert_eq!(retry_while_busy(|| connections[one].content(Some(&key))).status, 401, "round {round}");
    }
}
