//! The network between a sidecar and PostgreSQL drops everything, as when another machine takes over the address of a
//! dead one: no connection is closed, none is answered again, and new ones work once the network is repaired.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::Duration,
};

use cluster::Cluster;

use tests::{Agent as _, Database, read_some};

use super::{StopOnDrop, gate::Gate, metric_sum, new_store, retry_while_busy, sidecars, text, until};

/// More clients than a sidecar has connections, so that each connection is in use when the network fails.
const CLIENTS: usize = 12;
const CONNECTIONS: usize = 8;
/// Number of repetitions of each request once the network is repaired.
const CALLS: usize = 10;
/// The advisory lock under which the tables are created.
const TABLES: i64 = 0x6d65_6365_6c6c_6501;
/// Lists the sessions that wait for a lock.
const WAITING: &str = "SELECT state FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

/// A network between a sidecar and the database server.
struct Network {
    address: SocketAddr,
    /// A flag for each connection: whether it drops all bytes.
    connections: Arc<Mutex<Vec<Arc<AtomicBool>>>>,
    is_cut: Arc<AtomicBool>,
}

impl Network {
    fn to(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (connections, is_cut) = (Arc::default(), Arc::default());
        let network = Self { address, connections: Arc::clone(&connections), is_cut: Arc::clone(&is_cut) };
        // This thread ends with the process.
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let is_dead = Arc::new(AtomicBool::new(is_cut.load(Ordering::SeqCst)));
                connections.lock().unwrap().push(Arc::clone(&is_dead));
                connect(near, &socket, &is_dead);
            }
        });
        network
    }

    /// Returns the address of `store` through this network.
    fn leads_to(&self, store: &str) -> String {
        let store = store.replace("localhost", &self.address.to_string());
        store.split_once('?').unwrap().0.to_owned() + "?sslmode=disable"
    }

    /// Silences all connections, existing and new ones, until the network is repaired, without closing any.
    fn cut(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
        for connection in self.connections.lock().unwrap().iter() {
            connection.store(true, Ordering::SeqCst);
        }
    }

    /// Makes new connections work again.
    fn mend(&self) {
        self.is_cut.store(false, Ordering::SeqCst);
    }
}

fn connect(near: TcpStream, socket: &Path, is_dead: &Arc<AtomicBool>) {
    let Ok(far) = UnixStream::connect(socket) else { return };
    near.set_nodelay(true).unwrap();
    let (near_again, far_again) = (near.try_clone().unwrap(), far.try_clone().unwrap());
    let (there, back) = (Arc::clone(is_dead), Arc::clone(is_dead));
    thread::spawn(move || carry(near, far, &there));
    thread::spawn(move || carry(far_again, near_again, &back));
}

fn carry(mut from: impl Read, mut to: impl Write, is_dead: &AtomicBool) {
    let mut buffer = [0; 16 * 1024];
    loop {
        let count = read_some(&mut from, &mut buffer).unwrap_or(0);
        if is_dead.load(Ordering::SeqCst) {
            // The end of one side does not reach the other.
            if count == 0 {
                thread::park();
            }
        } else if count == 0 || to.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
}

#[test]
fn dead_connections_do_not_block_the_store() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let network = Network::to(cluster.socket());
    let store = network.leads_to(&new_store(&cluster));
    let sidecar = sidecars.start(&store);
    let registered = || text(&retry_while_busy(|| sidecar.connection().register()), "credential");
    let key = registered();
    // The first use of a credential is recorded, so every connection of the pool waits for a commit when the network
    // fails.
    let keys: Vec<String> = (0..CLIENTS).map(|_| registered()).collect();
    let mut gate = Gate::new(&cluster);
    gate.close();
    let is_over = AtomicBool::new(false);
    let refusals = AtomicUsize::new(0);
    thread::scope(|scope| {
        let over = StopOnDrop(&is_over);
        for key in &keys {
            let (mut connection, is_over, refusals) = (sidecar.connection(), &is_over, &refusals);
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let status = connection.content(Some(key)).unwrap().status;
                    assert!([200, 503].contains(&status), "{status}");
                    if status == 503 {
                        refusals.fetch_add(1, Ordering::SeqCst);
                        thread::sleep(Duration::from_millis(20));
                    }
                }
            });
        }
        gate.wait(CONNECTIONS);
        network.cut();
        gate.open();
        // Each client was refused twice, the second time on a new connection if one was made.
        until("every client is refused", || refusals.load(Ordering::SeqCst) >= 2 * CLIENTS);
        // The metrics show late answers.
        until("answers are late", || metric_sum(&sidecar.metrics(), "mecelle_store_errors_total", "kind=\"late\"") > 0);
        network.mend();
        assert_eq!(retry_while_busy(|| sidecar.connection().content(Some(&key))).status, 200);
        drop(over);
    });
    let mut connection = sidecar.connection();
    for _ in 0..CALLS {
        assert_eq!(retry_while_busy(|| connection.register()).status, 200, "after the return");
        assert_eq!(retry_while_busy(|| connection.content(Some(&key))).status, 200, "after the return");
    }
}

#[test]
fn start_does_not_wait_for_a_silent_network() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let network = Network::to(cluster.socket());
    let store = network.leads_to(&new_store(&cluster));
    let mut database = Database::connect(&cluster.address("firm"));
    let mut look = Database::connect(&cluster.address("firm"));
    // First, the database does not answer at all. Then the network fails just before the tables are created: the
    // statement is never answered.
    for is_midway in [false, true] {
        if is_midway {
            database.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
            database.run(&format!("BEGIN; SELECT pg_advisory_xact_lock({TABLES})"));
        } else {
            network.cut();
        }
        // It serves before the network is repaired.
        let process = thread::scope(|scope| {
            let process = scope.spawn(|| sidecars.start(&store));
            if is_midway {
                until("it waits", || !look.texts(WAITING).is_empty());
                network.cut();
                database.run("ROLLBACK");
            }
            process.join().unwrap()
        });
        let mut connection = process.connection();
        assert_eq!(connection.content(None).unwrap().status, 200);
        assert_eq!(connection.register().unwrap().status, 503);
        network.mend();
        assert_eq!(retry_while_busy(|| connection.register()).status, 200);
    }
}

#[test]
fn client_lost_in_a_transaction_does_not_block_others() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let network = Network::to(cluster.socket());
    let direct = new_store(&cluster);
    let (far, near) = (sidecars.start(&network.leads_to(&direct)), sidecars.start(&direct));
    let mut database = Database::connect(&cluster.address("firm"));
    let mut look = Database::connect(&cluster.address("firm"));
    // The sidecar has updated a shared counter, and is cut off just before it stores the registration.
    let is_left = (0..10).any(|_| {
        database.run("BEGIN; LOCK TABLE registration IN SHARE MODE");
        let mut connection = far.connection();
        connection
            .begin("POST", contract::routes::REGISTER, &["Content-Type: application/json"], br#"{"type":"anonymous"}"#)
            .unwrap();
        until("it waits", || !look.texts(WAITING).is_empty());
        network.cut();
        database.run("ROLLBACK");
        until("it waits no longer", || look.texts(WAITING).is_empty());
        // Wait for its statement; unless it stays in the transaction, there is nothing to test.
        let at_work = "SELECT state FROM pg_stat_activity WHERE state <> 'idle' AND application_name = 'mecelle'";
        let mut is_left = false;
        until("the statement ends", || {
            let states = look.texts(at_work);
            is_left = states.iter().any(|state| state == "idle in transaction");
            is_left || states.is_empty()
        });
        if !is_left {
            network.mend();
        }
        is_left
    });
    assert!(is_left, "no transaction was left");
    assert_eq!(retry_while_busy(|| near.connection().register()).status, 200, "others register");
}
