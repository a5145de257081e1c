//! Sidecars that are killed at any moment, hundreds of times, while agents register, claim, poll and revoke. After each
//! kill everything that was acknowledged must hold, and nothing may be half done. The points of the kills are counted:
//! before a commit, between it and the reply, or while nothing was under way.

mod judge;
mod traffic;

use std::{
    fs,
    hash::{BuildHasher as _, RandomState},
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use cluster::Cluster;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tests::{Agent as _, Connection, Database, Outbox, Process, Sidecars, times};

use self::{
    judge::{Spread, judge, judge_store, locate},
    traffic::{Client, Known, Told, World, work},
};
use super::{new_store, sidecars, text};

/// Kills of sidecars on PostgreSQL, several of them at the same moment, and how many sidecars work together.
const SERVER: (usize, usize) = (140, 4);
/// Kills of a sidecar on a file, and how many such files there are at the same time.
const FILES: (usize, usize) = (50, 2);
/// Kills of sidecars that are about to serve, and the latest of these moments, in milliseconds after the start.
const STARTS: u64 = 24;
const LONGEST_START: u64 = 240;
/// Number of agents at work at the same time.
const CLIENTS: usize = 8;
/// Longest time between the start of the work and a kill, in milliseconds; and where it stops doubling on a machine
/// that is too busy to get enough done in that time.
const LONGEST: u64 = 110;
const LONGEST_OF_ALL: u64 = 110 << 7;
/// How many times as many kills there may be until they have come at every point.
const PATIENCE: usize = 8;

#[expect(
    clippy::disallowed_methods,
    reason = "a drill that failed is repeated with its seed, and says how long it took"
)]
fn drill(sidecars: &Sidecars, store: &str, replicas: usize, kills: usize) {
    let seed = std::env::var("DRILL_SEED").ok().and_then(|text| text.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| RandomState::new().hash_one(store));
    println!("DRILL_SEED={seed}");
    let (mut rng, outbox, start) = (StdRng::seed_from_u64(seed), sidecars.outbox(), Instant::now());
    let mut processes = start_all(sidecars, store, replicas);
    let mut database = Database::connect(store);
    let mut world = World { outbox: &outbox, mailboxes: AtomicU32::new(0), is_over: AtomicBool::new(false) };
    let mut clients: [Client; CLIENTS] = Default::default();
    let (mut killed, mut rounds, mut lost, mut spread, mut longest) = (0, 0, 0, Spread::default(), LONGEST);
    let mut put_off = 0;
    while killed < kills || !(has_worked(&clients) && spread.is_wide()) {
        if killed >= kills {
            // A kill between a commit and its reply is rare, however long the agents work before it; work is not.
            assert!(killed < kills * PATIENCE, "too little happens between the kills: {spread:?}");
            if !has_worked(&clients) {
                longest = LONGEST_OF_ALL.min(longest * 2);
            }
        }
        world.is_over = AtomicBool::new(false);
        // Most of them at once, and at least one.
        let mut victims: Vec<usize> = (0..replicas).filter(|_| rng.random_bool(0.8)).collect();
        if victims.is_empty() {
            victims.push(rng.random_range(0..replicas));
        }
        let pause = Duration::from_micros(rng.random_range(0..longest * 1000));
        let first = clients.each_ref().map(Client::recent);
        thread::scope(|scope| {
            for (place, client) in clients.iter_mut().enumerate() {
                let (world, connection) = (&world, processes[place % replicas].connection());
                let mut rng = StdRng::seed_from_u64(rng.random());
                scope.spawn(move || work(world, connection, &mut rng, client));
            }
            thread::sleep(pause);
            for victim in victims.iter().rev() {
                processes.remove(*victim).kill();
            }
            world.is_over.store(true, Ordering::Relaxed);
        });
        killed += victims.len();
        rounds += 1;
        put_off += usize::from(clients.iter().any(|client| client.put_off));
        let of_victims: Vec<&Client> = clients
            .iter()
            .enumerate()
            .filter(|(place, _)| victims.contains(&(place % replicas)))
            .map(|(_, it)| it)
            .collect();
        // Requests that were under way at the kill take effect or not before they are counted.
        database.rest();
        let acknowledged = clients.iter().map(|client| client.all.len()).sum();
        locate(&mut database, &of_victims, acknowledged, &mut lost, &mut spread);
        for (victim, process) in victims.iter().zip(start_all(sidecars, store, victims.len())) {
            processes.insert(*victim, process);
        }
        let mut connection = processes[rng.random_range(0..replicas)].connection();
        let recent: Vec<&mut Known> =
            clients.iter_mut().zip(first).flat_map(|(client, first)| &mut client.all[first..]).collect();
        judge_store(&mut database, &outbox, recent.iter().map(|known| &**known));
        for known in recent {
            judge(&mut connection, known);
        }
    }
    let mut all: Vec<Known> = clients.into_iter().flat_map(|client| client.all).collect();
    let mut connection = processes[0].connection();
    for known in &mut all {
        judge(&mut connection, known);
    }
    judge_store(&mut database, &outbox, &all);
    deliver(&mut database, &mut connection, &outbox, &all);
    // What an operator sees of it: in the end no email that waits, and no error.
    super::until("no email waits", || processes[0].metrics().contains("\nmecelle_mail_waiting 0\n"));
    let log = sidecars.log();
    assert_eq!(log.lines().find(|line| line.contains("ERROR")), None);
    assert!(put_off * 10 <= rounds, "in {put_off} of {rounds} rounds agents were put off");
    let (claimed, revoked) = (count(&all, |it| it.claimed), count(&all, |it| it.revoked));
    println!(
        "{killed} kills in {rounds} rounds and {:.1} s: {} registrations, {claimed} claimed, {revoked} revoked, nothing \
         lost; of the requests under way {} were killed before their commit, {} between it and the reply; {} \
         times none was; in {put_off} rounds agents were put off",
        start.elapsed().as_secs_f32(),
        all.len(),
        spread.before,
        spread.between,
        spread.apart,
    );
}

/// Returns whether agents were told of everything that a kill may undo.
fn has_worked(clients: &[Client]) -> bool {
    let is_told =
        |what: fn(&Known) -> Told| clients.iter().flat_map(|client| &client.all).any(|it| what(it) == Told::Yes);
    is_told(|it| it.claimed) && is_told(|it| it.revoked)
}

/// Starts `count` sidecars at once.
fn start_all(sidecars: &Sidecars, store: &str, count: usize) -> Vec<Process> {
    thread::scope(|scope| {
        let starts: Vec<_> = (0..count).map(|_| scope.spawn(|| sidecars.start(store))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    })
}

fn count(all: &[Known], what: impl Fn(&Known) -> Told) -> usize {
    all.iter().filter(|known| what(known) == Told::Yes).count()
}

/// Checks that everybody who was asked gets a letter in the end. Outbox that a killed sidecar was sending are sent by
/// another after a minute; here at once.
fn deliver(database: &mut Database, connection: &mut Connection, outbox: &Outbox, all: &[Known]) {
    database.run("UPDATE outbox SET due_at = 0");
    // A new letter makes the sidecar look.
    assert_eq!(connection.register_by_mail("last@client.example").unwrap().status, 200);
    outbox.wait("last@client.example");
    let asked = || all.iter().filter(|known| known.revoked == Told::No).filter_map(|known| known.asked.as_ref());
    for mailbox in asked() {
        outbox.wait(mailbox);
    }
    println!("{} messages for {} people", asked().map(|it| outbox.count(it)).sum::<usize>(), asked().count());
}

#[test]
fn sidecar_that_is_killed_while_it_starts_starts_the_next_time() {
    let sidecars = sidecars();
    for (round, time) in (0..STARTS).map(|round| (round, Duration::from_millis(round * LONGEST_START / STARTS))) {
        // Each time a new store: its tables are made while the process is killed; the first time, so is the pepper.
        let store = sidecars.file().replace("store.db", &format!("store{round}.db"));
        sidecars.start_and_kill(&store, time);
        if round.is_multiple_of(4) {
            let process = sidecars.start(&store);
            let mut connection = process.connection();
            let key = text(&connection.register().unwrap(), "credential");
            assert_eq!(connection.content(Some(&key)).unwrap().status, 200);
        }
        if fs::exists(store.trim_start_matches("sqlite://")).unwrap() {
            assert_eq!(Database::connect(&store).texts("PRAGMA integrity_check"), ["ok"]);
        }
    }
}

#[test]
fn sidecar_on_sqlite_is_killed_at_any_moment_and_nothing_is_lost() {
    let (kills, files) = FILES;
    thread::scope(|scope| {
        for _ in 0..files {
            scope.spawn(|| {
                let sidecars = sidecars().brief();
                let store = sidecars.file();
                drill(&sidecars, &store, 1, kills * times());
                let mut database = Database::connect(&store);
                assert_eq!(database.texts("PRAGMA integrity_check"), ["ok"]);
                assert_eq!(database.texts("PRAGMA foreign_key_check"), Vec::<String>::new());
            });
        }
    });
}

#[test]
fn sidecars_on_postgresql_are_killed_at_any_moment_and_nothing_is_lost() {
    let (cluster, sidecars) = (Cluster::start(), sidecars().brief());
    let (kills, replicas) = SERVER;
    drill(&sidecars, &new_store(&cluster), replicas, kills * times());
}
