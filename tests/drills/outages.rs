//! PostgreSQL is stopped, crashes or freezes during traffic and returns.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    thread,
    time::Duration,
};

use cluster::{Cluster, Stop};
use contract::routes;
use tests::{Agent as _, Connection, Database, Process, Reply};

use super::{StopOnDrop, metric_sum, new_store, retry_while_busy, sidecars, text, until};

/// Number of reads and of refusals, while the database is away, that suffice for a judgement.
const ENOUGH: usize = 60;
const REFUSALS: usize = 12;
/// Number of clients of each sidecar whose requests need the store.
const KEEPERS: usize = 3;
/// Number of repetitions of each request once the database is back.
const CALLS: usize = 5;
/// Number of connections of one sidecar.
const CONNECTIONS: usize = 8;

/// Log lines about a store that fails and that answers again.
const FAILS: &str = "the store fails";
const ANSWERS: &str = "the store answers";
/// Log line about a database whose clock leaps.
const DIFFERS: &str = "the clock of the database differs";

/// A request, its reply, and the phases of the drill in which it began and ended.
struct Sample {
    began: u8,
    ended: u8,
    what: &'static str,
    reply: Reply,
}

/// Phases of the drill.
const BEFORE: u8 = 0;
const LEAVING: u8 = 1;
const DURING: u8 = 2;
const AFTER: u8 = 3;

struct Drill {
    moment: AtomicU8,
    is_over: AtomicBool,
    samples: Mutex<Vec<Sample>>,
}

impl Drill {
    fn ask(&self, what: &'static str, request: impl FnOnce() -> std::io::Result<Reply>) {
        let began = self.moment.load(Ordering::SeqCst);
        let reply = request().unwrap_or_else(|error| panic!("{what}: {error}"));
        let ended = self.moment.load(Ordering::SeqCst);
        self.samples.lock().unwrap().push(Sample { began, ended, what, reply });
    }

    /// Waits for `enough` requests that satisfy `counts`.
    fn wait(&self, what: &str, enough: usize, counts: impl Fn(&Sample) -> bool) {
        until(what, || self.samples.lock().unwrap().iter().filter(|it| counts(it)).count() >= enough);
    }

    /// Sends requests that need no store.
    fn read(&self, mut connection: Connection, sandbox_key: &str) {
        while !self.is_over.load(Ordering::SeqCst) {
            self.ask("content", || connection.content(None));
            self.ask("content with the sandbox key", || connection.content(Some(sandbox_key)));
            self.ask("mcp", || connection.mcp(None));
            self.ask("mcp with the sandbox key", || connection.mcp(Some(sandbox_key)));
            // Limit the rate, so that the machine is not saturated.
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// Sends requests that need the store.
    fn keep(&self, mut connection: Connection, key: &str, claim_token: &str) {
        let link = "cvt_0123456789abcdefghijABCDEFG";
        while !self.is_over.load(Ordering::SeqCst) {
            self.ask("content with a credential", || connection.content(Some(key)));
            self.ask("mcp with a credential", || connection.mcp(Some(key)));
            self.ask("register", || connection.register());
            self.ask("claim", || connection.claim(claim_token, "waits@client.example"));
            self.ask("redeem", || connection.redeem(claim_token));
            self.ask("revoke", || connection.revoke("ak_0123456789abcdefghijABCDEFG"));
            self.ask("code", || connection.show_code(link));
            self.ask("page", || connection.ask("GET", &format!("{}?token={link}", routes::CLAIM_VIEW), &[], b""));
            thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Takes the database away by `leave` during traffic, brings it back by `come_back`, and judges all replies.
fn drill<T>(cluster: &Cluster, name: &str, leave: impl FnOnce(&Cluster) -> T, come_back: impl FnOnce(&Cluster, T)) {
    let (sidecars, store) = (sidecars(), new_store(cluster));
    let replicas = [(); 2].map(|()| sidecars.start(&store));
    let mut connection = replicas[0].connection();
    let registered = retry_while_busy(|| connection.register());
    let (key, claim_token) = (text(&registered, "credential"), text(&registered, "claim_token"));
    let sandbox_key = sidecars.sandbox_key();
    let drill = [(); 2].map(|()| Drill {
        moment: AtomicU8::new(BEFORE),
        is_over: AtomicBool::new(false),
        samples: Mutex::default(),
    });
    let [reading, keeping] = &drill;
    let count_lines = |what| sidecars.log().matches(what).count();
    let set = |moment| drill.each_ref().map(|drill| drill.moment.store(moment, Ordering::SeqCst));
    let files = thread::scope(|scope| {
        let over = drill.each_ref().map(|drill| StopOnDrop(&drill.is_over));
        for replica in &replicas {
            let (key, claim_token, sandbox_key) = (&key, &claim_token, &sandbox_key);
            scope.spawn(move || reading.read(replica.connection(), sandbox_key));
            for _ in 0..KEEPERS {
                scope.spawn(move || keeping.keep(replica.connection(), key, claim_token));
            }
        }
        reading.wait("reads before", ENOUGH, |it| it.began == BEFORE);
        keeping.wait("registrations before", 1, |it| it.what == "register" && it.reply.status == 200);
        let files = replicas.each_ref().map(tests::Process::open_files);
        set(LEAVING);
        let left = leave(cluster);
        set(DURING);
        // Reads do not wait for the database.
        reading.wait("reads while it is away", ENOUGH, |it| it.began == DURING);
        keeping.wait("refusals", REFUSALS, |it| it.began == DURING && it.reply.status == 503);
        // The failure is in the log, and in the metrics below.
        until("each replica logs that the store fails", || count_lines(FAILS) >= replicas.len());
        for replica in &replicas {
            for (metric, label) in [("mecelle_store_errors_total", ""), ("mecelle_requests_total", "status=\"503\"")] {
                until(&format!("{name}: {metric} {label}"), || metric_sum(&replica.metrics(), metric, label) > 0);
            }
            let metrics = replica.metrics();
            assert!(!metrics.contains("\nmecelle_mail_waiting "), "{name}: who has counted them? {metrics}");
        }
        set(AFTER);
        come_back(cluster, left);
        for replica in &replicas {
            assert_eq!(retry_while_busy(|| replica.connection().content(Some(&key))).status, 200, "{name}: it is back");
        }
        drop(over);
        for replica in &replicas {
            until("emails are counted again", || replica.metrics().contains("\nmecelle_mail_waiting "));
            let mut connection = replica.connection();
            for _ in 0..CALLS {
                assert_eq!(retry_while_busy(|| connection.content(Some(&key))).status, 200, "{name}: after the return");
                assert_eq!(retry_while_busy(|| connection.register()).status, 200, "{name}: after the return");
            }
        }
        files
    });
    until("each replica logs that the store answers", || {
        for replica in &replicas {
            assert_eq!(retry_while_busy(|| replica.connection().content(Some(&key))).status, 200, "{name}");
        }
        count_lines(ANSWERS) >= replicas.len() && count_lines(ANSWERS) == count_lines(FAILS)
    });
    let [read, kept] = drill.map(|drill| drill.samples.into_inner().unwrap());
    for sample in &read {
        assert_eq!(sample.reply.status, 200, "{name}: {}", sample.what);
    }
    let refused = judge_keepers(name, &kept);
    // One line for each replica, not for each refusal; on a busy machine the store may be late once more.
    assert!(count_lines(FAILS) * 3 <= refused, "{name}: {} lines about {refused} refusals", count_lines(FAILS));
    let mut database = Database::connect(&cluster.address("firm"));
    let held = database.texts("SELECT CAST(pid AS TEXT) FROM pg_stat_activity WHERE application_name = 'mecelle'");
    assert!(held.len() <= CONNECTIONS * replicas.len(), "{name}: {} connections", held.len());
    for (replica, before) in replicas.iter().zip(files) {
        let now = replica.open_files();
        assert!(now <= before + CONNECTIONS, "{name}: {before} open files became {now}");
    }
    // Everything acknowledged at any time exists.
    let acknowledged: Vec<&Sample> = kept.iter().filter(|it| it.what == "register" && it.reply.status == 200).collect();
    for sample in acknowledged.iter().step_by(acknowledged.len().div_ceil(50).max(1)) {
        let credential = text(&sample.reply, "credential");
        assert_eq!(retry_while_busy(|| connection.content(Some(&credential))).status, 200, "{name}");
    }
    println!("{name}: {} reads at 200, {refused} refusals", read.len());
    drop(replicas);
}

/// Counts the refused requests, and checks their status.
fn judge_keepers(name: &str, samples: &[Sample]) -> usize {
    let mut refused = 0;
    for Sample { began, ended, what, reply } in samples {
        let status = reply.status;
        if status == 503 {
            refused += 1;
            assert!(reply.header("retry-after").is_some_and(|it| it.parse::<u32>().is_ok()), "{name}: {what}");
        }
        let is_away = (*began, *ended) == (DURING, DURING);
        assert!(!is_away || status == 503, "{name}: {status} for {what} while the store was away: {}", reply.text());
        // Security: an unreachable store must not cause 401: the client would delete its credential.
        assert!(status != 401 && status < 504 && status != 500, "{name}: {status} for {what}");
    }
    refused
}

#[test]
fn service_survives_a_restart_of_postgresql() {
    drill(&Cluster::start(), "stopped", |cluster| cluster.stop(Stop::Fast), |cluster, ()| cluster.start_again());
}

#[test]
fn service_survives_a_crash_of_postgresql() {
    drill(&Cluster::start(), "crashed", |cluster| cluster.stop(Stop::Immediate), |cluster, ()| cluster.start_again());
}

#[test]
fn service_survives_a_frozen_postgresql() {
    drill(&Cluster::start(), "standing still", Cluster::pause, |_, paused| drop(paused));
}

#[test]
fn sidecar_starts_without_postgresql_and_connects_later() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let first = sidecars.start(&store);
    let key = text(&retry_while_busy(|| first.connection().register()), "credential");
    drop(first);
    cluster.stop(Stop::Fast);
    // It serves before the store is reachable.
    let process = sidecars.start(&store);
    let mut connection = process.connection();
    assert_eq!(connection.content(None).unwrap().status, 200);
    assert_eq!(connection.content(Some(&sidecars.sandbox_key())).unwrap().status, 200);
    for reply in [connection.content(Some(&key)).unwrap(), connection.register().unwrap()] {
        assert_eq!(reply.status, 503, "{}", reply.text());
        assert!(reply.header("retry-after").is_some());
    }
    cluster.start_again();
    assert_eq!(retry_while_busy(|| connection.content(Some(&key))).status, 200);
    for _ in 0..CALLS {
        assert_eq!(retry_while_busy(|| connection.register()).status, 200);
    }
}

/// Returns by how many seconds the clock of the database is ahead according to the metrics of `replica`.
fn seconds_ahead(replica: &Process) -> Option<f64> {
    let metrics = replica.metrics();
    let row = metrics.lines().find_map(|line| line.strip_prefix("mecelle_store_clock_skew_seconds "));
    row.map(|seconds| seconds.parse().unwrap())
}

#[test]
#[ignore = "make test-long"]
fn log_names_the_direction_of_a_clock_leap_of_postgresql() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let mut database = Database::connect(&cluster.address("firm"));
    // This function shadows the clock of the system.
    let mut leap = |by: &str| {
        database.run(&format!(
            "CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
                AS $$ SELECT pg_catalog.clock_timestamp() + INTERVAL '{by}' $$"
        ));
    };
    leap("0 seconds");
    Database::connect(&cluster.address("postgres")).run("ALTER DATABASE firm SET search_path = public, pg_catalog");
    let first = sidecars.start(&store);
    let key = text(&retry_while_busy(|| first.connection().register()), "credential");
    let count_lines = || sidecars.log().matches(DIFFERS).count();
    let is_ahead = |replica: &Process, by: f64| {
        until("the metric shows the difference", || {
            seconds_ahead(replica).is_some_and(|seconds| (seconds - by).abs() < 60.0)
        });
    };
    // Nothing has expired.
    let is_valid =
        |replica: &Process| assert_eq!(retry_while_busy(|| replica.connection().content(Some(&key))).status, 200);
    is_ahead(&first, 0.0);
    for (number, (by, seconds)) in [("40 days", 3_456_000.0), ("-40 days", -3_456_000.0)].into_iter().enumerate() {
        leap(by);
        // A sidecar compares the clocks when it starts.
        let second = sidecars.start(&store);
        until("the log reports that the clocks differ", || count_lines() > number);
        for replica in [&first, &second] {
            is_ahead(replica, seconds);
            is_valid(replica);
            assert_eq!(retry_while_busy(|| replica.connection().register()).status, 200);
        }
    }
    leap("0 seconds");
    is_ahead(&first, 0.0);
}
