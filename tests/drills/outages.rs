//! PostgreSQL goes away in the middle of traffic and comes back: stopped in order, crashed, or frozen.

use std::{
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicU8, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use cluster::{Cluster, Stop};
use contract::routes;
use tests::{Agent as _, Connection, Database, Process, Reply};

use super::{StopOnDrop, counted, new_store, sidecars, text};

/// Number of reads that are enough to tell how long one takes.
const ENOUGH: usize = 60;
/// How long the database is away.
const AWAY: Duration = Duration::from_secs(4);
/// Time within which a request that needs the store is refused: two seconds for the store, the rest for a slow machine.
const REFUSED: Duration = Duration::from_secs(5);
/// Time within which a request that does not need it is answered, always.
const READ: Duration = Duration::from_secs(5);
/// Time within which everything works again.
const RETURN: Duration = Duration::from_secs(10);
/// Number of connections of one sidecar.
const CONNECTIONS: usize = 8;

/// What the log says once of a store that goes away, and of its return.
const FAILS: &str = "the store fails";
const ANSWERS: &str = "the store answers";
/// What it says of a database whose clock leaps.
const DIFFERS: &str = "the clock of the database differs";

/// A request: at which moments of the drill it began and ended, how long it took, and the reply.
struct Sample {
    began: u8,
    ended: u8,
    time: Duration,
    what: &'static str,
    reply: Reply,
}

/// Moments of the drill.
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
    #[expect(clippy::disallowed_methods, reason = "answers must come in time")]
    fn ask(&self, what: &'static str, request: impl FnOnce() -> std::io::Result<Reply>) {
        let (began, start) = (self.moment.load(Ordering::SeqCst), Instant::now());
        let reply = request().unwrap_or_else(|error| panic!("{what}: {error}"));
        let (time, ended) = (start.elapsed(), self.moment.load(Ordering::SeqCst));
        self.samples.lock().unwrap().push(Sample { began, ended, time, what, reply });
    }

    /// Waits until enough requests began at `moment`.
    fn wait(&self, moment: u8) {
        let count = || self.samples.lock().unwrap().iter().filter(|it| it.began == moment).count();
        for _ in 0..1000 {
            if count() >= ENOUGH {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("only {} requests at moment {moment}", count());
    }

    /// Sends requests that need no store.
    fn read(&self, mut connection: Connection, sandbox_key: &str) {
        while !self.is_over.load(Ordering::SeqCst) {
            self.ask("content", || connection.content(None));
            self.ask("content with the sandbox key", || connection.content(Some(sandbox_key)));
            self.ask("mcp", || connection.mcp(None));
            self.ask("mcp with the sandbox key", || connection.mcp(Some(sandbox_key)));
            // As many requests as a person makes, not as many as a machine can make.
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

fn median(samples: &[Sample], moment: u8) -> Duration {
    let mut times: Vec<Duration> = samples.iter().filter(|it| it.began == moment).map(|it| it.time).collect();
    times.sort();
    times[times.len() / 2]
}

/// Takes the database away by `leave` while everybody sends requests, brings it back by `come_back`, and judges all
/// answers.
#[expect(clippy::disallowed_methods, reason = "what was away must be back in time")]
fn drill<T>(cluster: &Cluster, name: &str, leave: impl FnOnce(&Cluster) -> T, come_back: impl FnOnce(&Cluster, T)) {
    let (sidecars, store) = (sidecars(), new_store(cluster));
    let replicas = [(); 2].map(|()| sidecars.start(&store));
    let mut connection = replicas[0].connection();
    let registered = connection.register().unwrap();
    let (key, claim_token) = (text(&registered, "credential"), text(&registered, "claim_token"));
    let sandbox_key = sidecars.sandbox_key();
    let drill = [(); 2].map(|()| Drill {
        moment: AtomicU8::new(BEFORE),
        is_over: AtomicBool::new(false),
        samples: Mutex::default(),
    });
    let [reading, keeping] = &drill;
    let told = |what| sidecars.log().matches(what).count();
    let set = |moment| drill.each_ref().map(|drill| drill.moment.store(moment, Ordering::SeqCst));
    let (back, files) = thread::scope(|scope| {
        let over = drill.each_ref().map(|drill| StopOnDrop(&drill.is_over));
        for replica in &replicas {
            let (key, claim_token, sandbox_key) = (&key, &claim_token, &sandbox_key);
            scope.spawn(move || reading.read(replica.connection(), sandbox_key));
            for _ in 0..6 {
                scope.spawn(move || keeping.keep(replica.connection(), key, claim_token));
            }
        }
        reading.wait(BEFORE);
        let files = replicas.each_ref().map(tests::Process::open_files);
        set(LEAVING);
        let left = leave(cluster);
        set(DURING);
        thread::sleep(AWAY);
        reading.wait(DURING);
        // What an operator is told, and by the metrics below.
        super::until("each replica logs that the store fails", || told(FAILS) == replicas.len());
        for replica in &replicas {
            let metrics = replica.metrics();
            for (metric, label) in [("mecelle_store_errors_total", ""), ("mecelle_requests_total", "status=\"503\"")] {
                assert!(counted(&metrics, metric, label) > 0, "{name}: no {metric} {label} in {metrics}");
            }
            assert!(!metrics.contains("\nmecelle_mail_waiting "), "{name}: who has counted them? {metrics}");
        }
        set(AFTER);
        come_back(cluster, left);
        let start = Instant::now();
        for replica in &replicas {
            let mut connection = replica.connection();
            while connection.content(Some(&key)).unwrap().status != 200 {
                assert!(start.elapsed() < RETURN, "{name}: the store is back and is not used");
            }
        }
        let back = start.elapsed();
        // From here on nobody is turned away, however few requests the machine can serve at once.
        drop(over);
        for replica in &replicas {
            assert!(replica.metrics().contains("\nmecelle_mail_waiting "), "{name}");
            let mut connection = replica.connection();
            for turn in 0..40 {
                assert_eq!(connection.content(Some(&key)).unwrap().status, 200, "{name}: call {turn} after the return");
                assert_eq!(connection.register().unwrap().status, 200, "{name}: registration {turn} after the return");
            }
        }
        (back, files)
    });
    for replica in &replicas {
        super::until("the replica logs that the store answers", || {
            assert_eq!(replica.connection().content(Some(&key)).unwrap().status, 200, "{name}");
            told(ANSWERS) == replicas.len()
        });
    }
    assert_eq!((told(FAILS), told(ANSWERS)), (replicas.len(), replicas.len()), "{name}: once each");
    let [read, kept] = drill.map(|drill| drill.samples.into_inner().unwrap());
    judge_readers(name, &read);
    judge_keepers(name, &kept);
    let mut database = Database::connect(&cluster.address("firm"));
    let held = database.texts("SELECT CAST(pid AS TEXT) FROM pg_stat_activity WHERE application_name = 'mecelle'");
    assert!(held.len() <= CONNECTIONS * replicas.len(), "{name}: {} connections", held.len());
    for (replica, before) in replicas.iter().zip(files) {
        let now = replica.open_files();
        assert!(now <= before + CONNECTIONS, "{name}: {before} open files became {now}");
    }
    // Everything that was acknowledged at any moment is there.
    let acknowledged: Vec<&Sample> = kept.iter().filter(|it| it.what == "register" && it.reply.status == 200).collect();
    for sample in acknowledged.iter().step_by(acknowledged.len().div_ceil(200).max(1)) {
        assert_eq!(connection.content(Some(&text(&sample.reply, "credential"))).unwrap().status, 200, "{name}");
    }
    let refused = kept.iter().filter(|it| it.reply.status == 503).count();
    println!(
        "{name}: {} reads at 200 (median {:?}, while away {:?}, longest {:?}), {refused} refusals (longest {:?}), back after {back:?}",
        read.len(),
        median(&read, BEFORE),
        median(&read, DURING),
        read.iter().map(|it| it.time).max().unwrap_or_default(),
        kept.iter().map(|it| it.time).max().unwrap_or_default(),
    );
    drop(replicas);
}

fn judge_readers(name: &str, samples: &[Sample]) {
    for sample in samples {
        assert_eq!(sample.reply.status, 200, "{name}: {}", sample.what);
        assert!(sample.time < READ, "{name}: {} took {:?}", sample.what, sample.time);
    }
    let (before, during) = (median(samples, BEFORE), median(samples, DURING));
    assert!(during < before * 4 + Duration::from_millis(5), "{name}: {before:?} became {during:?}");
}

fn judge_keepers(name: &str, samples: &[Sample]) {
    let mut refused = 0;
    for Sample { began, ended, time, what, reply } in samples {
        let status = reply.status;
        assert!(*time < REFUSED, "{name}: {what} took {time:?}");
        if status == 503 {
            refused += 1;
            assert!(reply.header("retry-after").is_some_and(|it| it.parse::<u32>().is_ok()), "{name}: {what}");
        }
        let is_away = (*began, *ended) == (DURING, DURING);
        assert!(!is_away || status == 503, "{name}: {status} for {what} while the store was away: {}", reply.text());
        // Security: not knowing is not refusing; a client would throw its credential away.
        assert!(status != 401 && status < 504 && status != 500, "{name}: {status} for {what}");
        let is_well = (*began, *ended) == (BEFORE, BEFORE);
        assert!(!is_well || status != 503, "{name}: 503 for {what} before anything happened");
    }
    assert!(refused > 10, "{name}: only {refused} were refused");
}

#[test]
fn postgresql_is_stopped_in_order_and_comes_back() {
    drill(&Cluster::start(), "stopped", |cluster| cluster.stop(Stop::Fast), |cluster, ()| cluster.start_again());
}

#[test]
fn postgresql_crashes_and_comes_back() {
    drill(&Cluster::start(), "crashed", |cluster| cluster.stop(Stop::Immediate), |cluster, ()| cluster.start_again());
}

#[test]
fn postgresql_stands_still_and_goes_on() {
    drill(&Cluster::start(), "standing still", Cluster::pause, |_, paused| drop(paused));
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a start must not wait")]
fn sidecar_starts_without_postgresql_and_uses_it_when_it_is_there() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let key = text(&sidecars.start(&store).connection().register().unwrap(), "credential");
    cluster.stop(Stop::Fast);
    let start = Instant::now();
    let process = sidecars.start(&store);
    assert!(start.elapsed() < READ, "{:?}", start.elapsed());
    let mut connection = process.connection();
    assert_eq!(connection.content(None).unwrap().status, 200);
    assert_eq!(connection.content(Some(&sidecars.sandbox_key())).unwrap().status, 200);
    for reply in [connection.content(Some(&key)).unwrap(), connection.register().unwrap()] {
        assert_eq!(reply.status, 503, "{}", reply.text());
        assert!(reply.header("retry-after").is_some());
    }
    cluster.start_again();
    super::until("the store is used", || connection.content(Some(&key)).unwrap().status == 200);
    for _ in 0..20 {
        assert_eq!(connection.register().unwrap().status, 200);
    }
}

/// Returns by how many seconds the clock of the database is ahead, as `replica` tells operators while the store
/// answers.
fn seconds_ahead(replica: &Process) -> Option<f64> {
    let metrics = replica.metrics();
    let row = metrics.lines().find_map(|line| line.strip_prefix("mecelle_store_clock_skew_seconds "));
    row.map(|seconds| seconds.parse().unwrap())
}

#[test]
fn operator_is_told_in_which_direction_the_clock_of_postgresql_leaps() {
    let (cluster, sidecars) = (Cluster::start(), sidecars());
    let store = new_store(&cluster);
    let mut database = Database::connect(&cluster.address("firm"));
    // Found before the clock of the system.
    let mut leap = |by: &str| {
        database.run(&format!(
            "CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql
                AS $$ SELECT pg_catalog.clock_timestamp() + INTERVAL '{by}' $$"
        ));
    };
    leap("0 seconds");
    Database::connect(&cluster.address("postgres")).run("ALTER DATABASE firm SET search_path = public, pg_catalog");
    let first = sidecars.start(&store);
    let key = text(&first.connection().register().unwrap(), "credential");
    let told = || sidecars.log().matches(DIFFERS).count();
    let is_ahead = |replica: &Process, by: f64| {
        super::until("the metric says how far ahead", || {
            seconds_ahead(replica).is_some_and(|seconds| (seconds - by).abs() < 60.0)
        });
    };
    // A machine that is busy may answer that the store is late, but never that a credential is not valid.
    let is_valid = |replica: &Process| {
        super::until("the credential is accepted", || {
            let status = replica.connection().content(Some(&key)).unwrap().status;
            assert_ne!(status, 401, "nothing has expired");
            status == 200
        });
    };
    is_ahead(&first, 0.0);
    for (number, (by, seconds)) in [("40 days", 3_456_000.0), ("-40 days", -3_456_000.0)].into_iter().enumerate() {
        leap(by);
        // A sidecar compares the clocks when it starts.
        let second = sidecars.start(&store);
        super::until("the log says that the clocks differ", || told() > number);
        for replica in [&first, &second] {
            is_ahead(replica, seconds);
            is_valid(replica);
            super::until("agents register", || replica.connection().register().unwrap().status == 200);
        }
    }
    leap("0 seconds");
    is_ahead(&first, 0.0);
}
