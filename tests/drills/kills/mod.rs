//! Sidecars are killed at any moment while agents register, claim, poll and revoke. After each kill everything
//! acknowledged must hold, and nothing may be half done. The points of the kills are counted: before a commit, between
//! it and the reply, or with nothing in progress. A kill between a commit and its reply is rare, so only a long run
//! waits for one; `lost_replies` forces one.

mod judge;
mod traffic;

use std::{
    fs,
    hash::{BuildHasher as _, RandomState},
    sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    thread,
};

use cluster::Cluster;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tests::{Agent as _, Connection, Database, Outbox, Process, Sidecars, eventually, times};

use self::{
    judge::{Spread, judge, judge_store, locate},
    traffic::{AgentRecord, Client, Outcome, World, work},
};
use super::{new_store, retry_while_busy, sidecars, text, until};

/// Number of kills of sidecars on PostgreSQL, and number of sidecars.
const SERVER: (usize, usize) = (20, 3);
/// Number of kills of a sidecar on SQLite.
const FILE: usize = 10;
/// Number of parallel clients.
const CLIENTS: usize = 8;
/// Maximum number of answered requests before a kill.
const MAX_ANSWERED: usize = 64;
/// Factor by which the number of kills may grow until they came at every point.
const PATIENCE: usize = 8;

#[expect(clippy::disallowed_methods, reason = "a drill that failed is repeated with its seed")]
fn drill(sidecars: &Sidecars, store: &str, replicas: usize, kills: usize) {
    let seed = std::env::var("DRILL_SEED").ok().and_then(|text| text.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| RandomState::new().hash_one(store));
    println!("DRILL_SEED={seed}");
    let (mut rng, outbox) = (StdRng::seed_from_u64(seed), sidecars.outbox());
    let mut processes = start_all(sidecars, store, replicas);
    let mut database = Database::connect(store);
    let mut world = World {
        outbox: &outbox,
        mailboxes: AtomicU32::new(0),
        is_over: AtomicBool::new(false),
        answered: AtomicUsize::new(0),
        at_work: AtomicUsize::new(0),
    };
    let mut clients: [Client; CLIENTS] = Default::default();
    let (mut killed, mut rounds, mut lost, mut spread) = (0, 0, 0, Spread::default());
    while killed < kills || !(has_worked(&clients) && (times() == 1 || spread.is_wide())) {
        assert!(killed < kills * PATIENCE, "too little happens between the kills: {spread:?}");
        world.is_over = AtomicBool::new(false);
        (world.answered, world.at_work) = (AtomicUsize::new(0), AtomicUsize::new(CLIENTS));
        // Kill most of them at once, and at least one.
        let mut victims: Vec<usize> = (0..replicas).filter(|_| rng.random_bool(0.8)).collect();
        if victims.is_empty() {
            victims.push(rng.random_range(0..replicas));
        }
        let answers = rng.random_range(0..MAX_ANSWERED);
        let first = clients.each_ref().map(Client::recent);
        thread::scope(|scope| {
            for (place, client) in clients.iter_mut().enumerate() {
                let (world, connection) = (&world, processes[place % replicas].connection());
                let mut rng = StdRng::seed_from_u64(rng.random());
                scope.spawn(move || work(world, connection, &mut rng, client));
            }
            eventually("enough answers", || {
                let is_enough = world.answered.load(Ordering::Relaxed) >= answers;
                is_enough || world.at_work.load(Ordering::Relaxed) == 0
            });
            for victim in victims.iter().rev() {
                processes.remove(*victim).kill();
            }
            world.is_over.store(true, Ordering::Relaxed);
        });
        killed += victims.len();
        rounds += 1;
        let of_victims: Vec<&Client> = clients
            .iter()
            .enumerate()
            .filter(|(place, _)| victims.contains(&(place % replicas)))
            .map(|(_, it)| it)
            .collect();
        // Wait until the database has finished the requests in progress, so that the counts are final.
        database.rest();
        let acknowledged = clients.iter().map(|client| client.all.len()).sum();
        locate(&mut database, &of_victims, acknowledged, &mut lost, &mut spread);
        for (victim, process) in victims.iter().zip(start_all(sidecars, store, victims.len())) {
            processes.insert(*victim, process);
        }
        let mut connection = processes[rng.random_range(0..replicas)].connection();
        let recent: Vec<&mut AgentRecord> =
            clients.iter_mut().zip(first).flat_map(|(client, first)| &mut client.all[first..]).collect();
        judge_store(&mut database, &outbox, recent.iter().map(|known| &**known));
        database.age_claims();
        for known in recent {
            judge(&mut connection, known);
        }
    }
    let mut all: Vec<AgentRecord> = clients.into_iter().flat_map(|client| client.all).collect();
    let mut connection = processes[0].connection();
    database.age_claims();
    for known in &mut all {
        judge(&mut connection, known);
    }
    judge_store(&mut database, &outbox, &all);
    deliver(&mut database, &mut connection, &outbox, &all);
    // In the end no email waits and no error is logged.
    until("no email waits", || processes[0].metrics().contains("\nmecelle_mail_waiting 0\n"));
    let log = sidecars.log();
    // On a busy machine, or while locks of a killed process exist, the store may be late, which is logged.
    let is_late = |line: &str| line.contains("the store fails") || line.contains("the database ");
    assert_eq!(log.lines().find(|line| line.contains("ERROR") && !is_late(line)), None);
    let (claimed, revoked) = (count(&all, |it| it.claimed), count(&all, |it| it.revoked));
    println!(
        "{killed} kills in {rounds} rounds: {} registrations, {claimed} claimed, {revoked} revoked, nothing lost; of the \
         requests under way {} were killed before their commit, {} between it and the reply; {} times none was",
        all.len(),
        spread.before,
        spread.between,
        spread.apart,
    );
}

/// Returns whether some claim and some revocation were acknowledged.
fn has_worked(clients: &[Client]) -> bool {
    let is_acknowledged = |what: fn(&AgentRecord) -> Outcome| {
        clients.iter().flat_map(|client| &client.all).any(|it| what(it) == Outcome::Yes)
    };
    is_acknowledged(|it| it.claimed) && is_acknowledged(|it| it.revoked)
}

fn start_all(sidecars: &Sidecars, store: &str, count: usize) -> Vec<Process> {
    thread::scope(|scope| {
        let starts: Vec<_> = (0..count).map(|_| scope.spawn(|| sidecars.start(store))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    })
}

fn count(all: &[AgentRecord], what: impl Fn(&AgentRecord) -> Outcome) -> usize {
    all.iter().filter(|known| what(known) == Outcome::Yes).count()
}

/// Checks that every person whose consent was requested gets an email. Those that a killed sidecar was sending are
/// retried after a minute; here at once.
fn deliver(database: &mut Database, connection: &mut Connection, outbox: &Outbox, all: &[AgentRecord]) {
    database.run("UPDATE outbox SET due_at = 0");
    // A new email wakes the worker.
    assert_eq!(retry_while_busy(|| connection.register_by_mail("last@client.example")).status, 200);
    outbox.wait("last@client.example");
    let recipients =
        || all.iter().filter(|known| known.revoked == Outcome::No).filter_map(|known| known.recipient.as_ref());
    for mailbox in recipients() {
        outbox.wait(mailbox);
    }
    println!("{} messages for {} people", recipients().map(|it| outbox.count(it)).sum::<usize>(), recipients().count());
}

#[test]
fn sidecar_killed_during_the_start_starts_the_next_time() {
    let sidecars = sidecars();
    // A new store each time, so that the kill comes while its tables are created; the first time also the pepper.
    for (round, step) in STEPS_OF_A_START.into_iter().enumerate() {
        let store = sidecars.file().replace("store.db", &format!("store{round}.db"));
        let path = store.trim_start_matches("sqlite://");
        let size = |name: &str| fs::metadata(name).map_or(None, |file| Some(file.len()));
        sidecars.start_and_kill(&store, || match step {
            Step::Begun => true,
            Step::Secret => size(&sidecars.folder().join("secret").display().to_string()).is_some(),
            Step::File => size(path).is_some(),
            Step::Log => size(&format!("{path}-wal")).is_some(),
            Step::Tables => size(&format!("{path}-wal")) > Some(0),
        });
        let process = sidecars.start(&store);
        let mut connection = process.connection();
        let key = text(&retry_while_busy(|| connection.register()), "credential");
        assert_eq!(retry_while_busy(|| connection.content(Some(&key))).status, 200);
        assert_eq!(Database::connect(&store).texts("PRAGMA integrity_check"), ["ok"]);
    }
}

/// Progress of a start, by the files that exist.
#[derive(Clone, Copy, Debug)]
enum Step {
    Begun,
    Secret,
    File,
    Log,
    Tables,
}

/// In this order: only the first start has no secret.
const STEPS_OF_A_START: [Step; 5] = [Step::Secret, Step::Begun, Step::File, Step::Log, Step::Tables];

#[test]
fn killed_sidecar_on_sqlite_loses_nothing() {
    let sidecars = sidecars().brief();
    let store = sidecars.file();
    drill(&sidecars, &store, 1, FILE * times());
    let mut database = Database::connect(&store);
    assert_eq!(database.texts("PRAGMA integrity_check"), ["ok"]);
    assert_eq!(database.texts("PRAGMA foreign_key_check"), Vec::<String>::new());
}

#[test]
fn killed_sidecars_on_postgresql_lose_nothing() {
    let (cluster, sidecars) = (Cluster::start(), sidecars().brief());
    let (kills, replicas) = SERVER;
    drill(&sidecars, &new_store(&cluster), replicas, kills * times());
}
