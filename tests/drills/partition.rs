//! The network between a sidecar and PostgreSQL swallows everything, as when a machine dies and another takes over its
//! address: no connection is closed, none is ever answered again, and new ones work once the network is repaired.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    os::unix::net::UnixStream,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use cluster::Cluster;

use tests::{Agent as _, Database, read_some};

use super::{StopOnDrop, counted, gate::Gate, new_store, sidecars, text};

/// More clients than a sidecar has connections, so that each connection is in use when the network goes.
const CLIENTS: usize = 24;
const CONNECTIONS: usize = 8;
const AWAY: Duration = Duration::from_secs(4);
const RETURN: Duration = Duration::from_secs(10);
const REFUSED: Duration = Duration::from_secs(5);
/// The lock held while the tables are made.
const TABLES: i64 = 0x6d65_6365_6c6c_6501;
/// Lists the sessions that wait for a lock.
const WAITING: &str = "SELECT state FROM pg_stat_activity WHERE wait_event_type = 'Lock'";

/// A network between a sidecar and the server.
struct Network {
    address: SocketAddr,
    /// A flag for each connection: whether it swallows what it is given.
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

    /// Returns the setting for `store` through this network.
    fn leads_to(&self, store: &str) -> String {
        let store = store.replace("localhost", &self.address.to_string());
        store.split_once('?').unwrap().0.to_owned() + "?sslmode=disable"
    }

    /// Silences all existing connections, and all that are made until the network is repaired, without telling anybody.
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
            // Even the end of one side is kept from the other.
            if count == 0 {
                thread::park();
            }
        } else if count == 0 || to.write_all(&buffer[..count]).is_err() {
            return;
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "answers must come in time")]
fn connections_that_are_never_answered_again_do_not_keep_the_store_away() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let network = Network::to(cluster.socket());
    let store = network.leads_to(&new_store(&cluster));
    let sidecar = sidecars.start(&store);
    let key = text(&sidecar.connection().register().unwrap(), "credential");
    // The first use of a credential is noted. So every connection of the pool is waiting for the confirmation of a
    // commit when the network goes.
    let keys: Vec<String> =
        (0..CLIENTS).map(|_| text(&sidecar.connection().register().unwrap(), "credential")).collect();
    let mut gate = Gate::new(&cluster);
    gate.close();
    let is_over = AtomicBool::new(false);
    let (back, longest) = thread::scope(|scope| {
        let over = StopOnDrop(&is_over);
        let clients: Vec<_> = keys
            .iter()
            .map(|key| {
                let (mut connection, is_over) = (sidecar.connection(), &is_over);
                scope.spawn(move || {
                    let mut longest = Duration::ZERO;
                    while !is_over.load(Ordering::SeqCst) {
                        let start = Instant::now();
                        let reply = connection.content(Some(key)).unwrap();
                        longest = longest.max(start.elapsed());
                        assert!([200, 503].contains(&reply.status), "{}", reply.status);
                        if reply.status == 503 {
                            thread::sleep(Duration::from_millis(20));
                        }
                    }
                    longest
                })
            })
            .collect();
        gate.wait(CONNECTIONS);
        network.cut();
        gate.open();
        thread::sleep(AWAY);
        network.mend();
        let (start, mut connection) = (Instant::now(), sidecar.connection());
        let mut is_back = false;
        while !is_back && start.elapsed() < RETURN {
            is_back = connection.content(Some(&key)).unwrap().status == 200;
        }
        let back = is_back.then(|| start.elapsed());
        drop(over);
        let longest = clients.into_iter().map(|client| client.join().unwrap()).max();
        (back, longest.unwrap_or_default())
    });
    assert!(back.is_some(), "the network is mended and the store is not used");
    assert!(longest < REFUSED, "{longest:?}");
    // That is what an operator is told.
    let metrics = sidecar.metrics();
    assert!(counted(&metrics, "mecelle_store_errors_total", "kind=\"late\"") > 0, "{metrics}");
    let mut connection = sidecar.connection();
    for turn in 0..100 {
        assert_eq!(connection.register().unwrap().status, 200, "call {turn} after the return");
        assert_eq!(connection.content(Some(&key)).unwrap().status, 200, "call {turn} after the return");
    }
    println!("back {back:?} after the network was mended, longest answer {longest:?}");
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a start must not wait")]
fn start_does_not_wait_for_a_network_that_swallows_everything() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let network = Network::to(cluster.socket());
    let store = network.leads_to(&new_store(&cluster));
    let mut database = Database::connect(&cluster.address("firm"));
    let mut look = Database::connect(&cluster.address("firm"));
    // First, nobody answers at all. Then the network goes just before the tables are made: they are not made, and the
    // request is never answered.
    for is_midway in [false, true] {
        if is_midway {
            database.run("DROP SCHEMA public CASCADE; CREATE SCHEMA public");
            database.run(&format!("BEGIN; SELECT pg_advisory_xact_lock({TABLES})"));
        } else {
            network.cut();
        }
        let start = Instant::now();
        let process = thread::scope(|scope| {
            let process = scope.spawn(|| sidecars.start(&store));
            if is_midway {
                super::until("it waits", || !look.texts(WAITING).is_empty());
                network.cut();
                database.run("ROLLBACK");
            }
            process.join().unwrap()
        });
        assert!(start.elapsed() < RETURN, "{:?}", start.elapsed());
        let mut connection = process.connection();
        assert_eq!(connection.content(None).unwrap().status, 200);
        assert_eq!(connection.register().unwrap().status, 503);
        network.mend();
        let mended = Instant::now();
        super::until("the store is used", || connection.register().unwrap().status == 200);
        println!("tables about to be made: {is_midway}; back {:?} after the network was mended", mended.elapsed());
    }
}

#[test]
fn client_lost_in_a_transaction_keeps_no_other_waiting() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let network = Network::to(cluster.socket());
    let direct = new_store(&cluster);
    let (far, near) = (sidecars.start(&network.leads_to(&direct)), sidecars.start(&direct));
    let mut database = Database::connect(&cluster.address("firm"));
    let mut look = Database::connect(&cluster.address("firm"));
    // The sidecar has counted a registration, in a counter that everybody shares, and is cut off just before it stores
    // it.
    let is_left = (0..10).any(|_| {
        database.run("BEGIN; LOCK TABLE registration IN SHARE MODE");
        let mut connection = far.connection();
        connection
            .begin("POST", contract::routes::REGISTER, &["Content-Type: application/json"], br#"{"type":"anonymous"}"#)
            .unwrap();
        super::until("it waits", || !look.texts(WAITING).is_empty());
        network.cut();
        database.run("ROLLBACK");
        let left =
            "SELECT state FROM pg_stat_activity WHERE state = 'idle in transaction' AND application_name = 'mecelle'";
        let is_left = (0..20).any(|_| {
            thread::sleep(Duration::from_millis(10));
            !look.texts(left).is_empty()
        });
        if !is_left {
            network.mend();
        }
        is_left
    });
    assert!(is_left, "no transaction was left");
    let mut connection = near.connection();
    assert_eq!(connection.register().unwrap().status, 503, "for a while nobody can know");
    super::until("others register", || connection.register().unwrap().status == 200);
}
