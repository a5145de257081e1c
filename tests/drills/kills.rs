//! Sidecars that are killed at any moment, a thousand times, while agents register, claim, poll and revoke. After each
//! kill everything that was acknowledged must be so, and nothing may be half done. Where the kills fell is counted: before
//! a commit, between it and the reply, or where nothing was under way.

use std::{
    collections::BTreeSet,
    fs,
    hash::{BuildHasher as _, RandomState},
    io,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
    thread,
    time::{Duration, Instant},
};

use cluster::Cluster;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};
use tests::{Agent as _, Connection, Database, Letters, Process, Reply, Stage};

use super::{new_store, stage, text};

/// Kills of sidecars on PostgreSQL, of which several go at the same moment, and how many work together.
const SERVER: (usize, usize) = (560, 4);
/// Kills of a sidecar on a file, and how many files there are at the same time.
const FILES: (usize, usize) = (210, 2);
/// Kills of sidecars that are about to serve, and the last of their moments, in milliseconds after the start.
const STARTS: u64 = 24;
const LONGEST_START: u64 = 240;
/// Agents at work at the same time.
const CLIENTS: usize = 8;
/// Of its agents a client goes on with so many, also after a kill.
const RECENT: usize = 3;
/// Longest time between the start of the work and a kill, in milliseconds.
const LONGEST: u64 = 60;

/// What an agent knows about something that it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    No,
    /// It asked, and the reply was lost.
    Perhaps,
    Yes,
}

/// A request that writes, while nobody knows what became of it.
#[derive(Clone, Debug)]
enum Writing {
    Register,
    /// Asks whoever reads this mailbox.
    Claim(String),
    Complete,
    /// Asks for the credential of a claim.
    Redeem,
    Revoke,
}

/// An agent, as far as it knows.
#[derive(Debug)]
struct Known {
    id: String,
    claim_token: String,
    /// Whom it had asked with success, and who reads the newest message.
    asked: Option<String>,
    /// Everything it was ever given, the newest last.
    keys: Vec<String>,
    claimed: Told,
    revoked: Told,
}

/// The agents of a client, and which of them waits for what.
#[derive(Debug, Default)]
struct Client {
    all: Vec<Known>,
    under_way: Option<(usize, Writing)>,
}

impl Client {
    /// Those with which it goes on.
    fn recent(&self) -> usize {
        self.all.len().saturating_sub(RECENT)
    }
}

/// Where kills fell.
#[derive(Clone, Copy, Debug, Default)]
struct Spread {
    before: usize,
    between: usize,
    /// Nothing was being written.
    apart: usize,
}

/// What all agents share.
struct World<'a> {
    letters: &'a Letters,
    mailboxes: AtomicU32,
    is_over: AtomicBool,
}

impl World<'_> {
    fn mailbox(&self) -> String {
        format!("drilled.{}@client.example", self.mailboxes.fetch_add(1, Ordering::Relaxed))
    }
}

/// One agent after the other does one thing after the other until its sidecar is gone.
fn work(world: &World<'_>, mut connection: Connection, rng: &mut StdRng, client: &mut Client) {
    while !world.is_over.load(Ordering::Relaxed) {
        client.under_way = None;
        let is_new = client.all.is_empty() || rng.random_range(0..12) == 0;
        let step = if is_new {
            begin(world, &mut connection, rng, client)
        } else {
            let place = rng.random_range(client.recent()..client.all.len());
            let Client { all, under_way } = client;
            go_on(world, &mut connection, rng, &mut all[place], &mut |what| *under_way = Some((place, what)))
        };
        if step.is_err() {
            return;
        }
    }
    client.under_way = None;
}

fn begin(world: &World<'_>, connection: &mut Connection, rng: &mut StdRng, client: &mut Client) -> io::Result<()> {
    let mailbox = rng.random_bool(0.5).then(|| world.mailbox());
    client.under_way = Some((client.all.len(), Writing::Register));
    let registered = match &mailbox {
        Some(mailbox) => connection.register_by_mail(mailbox)?,
        None => connection.register()?,
    };
    assert_eq!(registered.status, 200, "{}", registered.text());
    client.all.push(Known {
        id: text(&registered, "registration_id"),
        claim_token: text(&registered, "claim_token"),
        asked: mailbox,
        keys: registered.json()["credential"].as_str().map(str::to_owned).into_iter().collect(),
        claimed: Told::No,
        revoked: Told::No,
    });
    Ok(())
}

fn go_on(
    world: &World<'_>,
    connection: &mut Connection,
    rng: &mut StdRng,
    known: &mut Known,
    writing: &mut impl FnMut(Writing),
) -> io::Result<()> {
    if known.revoked != Told::No {
        return Ok(());
    }
    match rng.random_range(0..24) {
        0 => {
            writing(Writing::Revoke);
            known.revoked = Told::Perhaps;
            let token = known.keys.last().unwrap_or(&known.claim_token);
            assert_eq!(connection.revoke(token)?.status, 200);
            known.revoked = Told::Yes;
        }
        1..=4 => {
            if let Some(key) = known.keys.last() {
                assert_eq!(connection.content(Some(key))?.status, 200, "{known:?}");
            }
        }
        5..=8 => {
            if known.claimed == Told::Yes {
                writing(Writing::Redeem);
            }
            redeem(connection, known)?;
        }
        _ if known.claimed == Told::Yes => {}
        _ if known.asked.is_none() => {
            let mailbox = world.mailbox();
            writing(Writing::Claim(mailbox.clone()));
            let reply = connection.claim(&known.claim_token, &mailbox)?;
            assert_eq!(reply.status, 200, "{}", reply.text());
            known.asked = Some(mailbox);
        }
        _ => claim(world, connection, known, writing)?,
    }
    Ok(())
}

/// The person looks at the code, if the message has come, and the agent hands it in.
fn claim(
    world: &World<'_>,
    connection: &mut Connection,
    known: &mut Known,
    writing: &mut impl FnMut(Writing),
) -> io::Result<()> {
    let Some(link) = known.asked.as_ref().and_then(|mailbox| world.letters.link(mailbox)) else { return Ok(()) };
    let code = text(&connection.show_code(&link)?, "challenge");
    writing(Writing::Complete);
    known.claimed = Told::Perhaps;
    let completed = connection.complete(&known.claim_token, &code)?;
    assert_eq!(completed.status, 200, "{}", completed.text());
    known.claimed = Told::Yes;
    known.keys.extend(completed.json()["credential"].as_str().map(str::to_owned));
    Ok(())
}

fn redeem(connection: &mut Connection, known: &mut Known) -> io::Result<()> {
    let reply = connection.redeem(&known.claim_token)?;
    match (reply.status, reply.error().as_str()) {
        (200, _) => known.keys.push(text(&reply, "credential")),
        (400, "authorization_pending" | "slow_down") if known.claimed != Told::Yes => {}
        (400, "invalid_grant") if known.claimed == Told::Yes => {}
        _ => panic!("{} {} for {known:?}", reply.status, reply.text()),
    }
    Ok(())
}

/// What must be so for one agent, whatever was lost. Asks as the agent would who wants to know.
fn judge(connection: &mut Connection, known: &mut Known) {
    let mut status = |key: &String| connection.content(Some(key)).unwrap().status;
    if known.revoked == Told::No && known.claimed == Told::No {
        // Nobody had a reason to take it away.
        assert!(known.keys.iter().all(|key| status(key) == 200), "{known:?}");
        return;
    }
    if known.revoked == Told::Perhaps {
        let token = known.keys.last().unwrap_or(&known.claim_token);
        assert_eq!(connection.revoke(token).unwrap().status, 200);
        known.revoked = Told::Yes;
    }
    if known.revoked == Told::Yes {
        for key in &known.keys {
            assert_eq!(connection.content(Some(key)).unwrap().status, 401, "{known:?}");
        }
        assert_eq!(connection.redeem(&known.claim_token).unwrap().error(), "invalid_grant", "{known:?}");
        return;
    }
    let reply: Reply = connection.redeem(&known.claim_token).unwrap();
    match (reply.status, reply.error().as_str()) {
        (200, _) => {
            known.claimed = Told::Yes;
            known.keys.push(text(&reply, "credential"));
        }
        // Then it was not claimed, which nobody had been told.
        (400, "authorization_pending" | "slow_down") if known.claimed == Told::Perhaps => known.claimed = Told::No,
        // Then it has been given one that it has used, which must work.
        (400, "invalid_grant") if !known.keys.is_empty() => known.claimed = Told::Yes,
        _ => panic!("{} {} for {known:?}", reply.status, reply.text()),
    }
    if let Some((newest, older)) = known.keys.split_last() {
        assert_eq!(connection.content(Some(newest)).unwrap().status, 200, "{known:?}");
        for key in older {
            assert_eq!(connection.content(Some(key)).unwrap().status, 401, "{known:?}");
        }
    }
}

/// What must be so in the store, by its own word.
fn judge_store<'a>(database: &mut Database, letters: &Letters, all: impl IntoIterator<Item = &'a Known>) {
    let twice =
        "SELECT registration FROM credential WHERE revoked_at IS NULL GROUP BY registration HAVING COUNT(*) > 1";
    assert_eq!(database.texts(twice), Vec::<String>::new(), "two live credentials");
    // A live credential is the one of which its registration knows, and that is not over.
    let orphan = "SELECT registration FROM credential JOIN registration ON registration.id = credential.registration
        WHERE revoked_at IS NULL AND (body NOT LIKE '%' || digest || '%' OR body LIKE '%\"claim\":{\"state\":\"revoked\"%')";
    assert_eq!(database.texts(orphan), Vec::<String>::new(), "live credentials of which nobody knows");
    let kept: BTreeSet<String> = database.texts("SELECT id FROM registration").into_iter().collect();
    let waiting: BTreeSet<String> = database.texts("SELECT recipient FROM outbox").into_iter().collect();
    for known in all {
        assert!(kept.contains(&known.id), "an acknowledged registration is gone: {known:?}");
        // Who is over is written to no more.
        if let (Some(mailbox), Told::No) = (&known.asked, known.revoked) {
            assert!(waiting.contains(mailbox) || letters.count(mailbox) > 0, "no message: {known:?}");
        }
    }
}

/// Counts where kills fell of those whose sidecar was killed. `lost` are the registrations so far of which nobody was
/// told.
fn locate(database: &mut Database, clients: &[&Client], acknowledged: usize, lost: &mut usize, spread: &mut Spread) {
    let mut registering = 0;
    for client in clients {
        let Some((place, what)) = &client.under_way else {
            spread.apart += 1;
            continue;
        };
        let Some(known) = client.all.get(*place) else {
            registering += 1;
            continue;
        };
        let id = &known.id;
        let is_so = match what {
            Writing::Register => continue,
            Writing::Claim(mailbox) => format!("SELECT id FROM registration WHERE id = '{id}' AND email = '{mailbox}'"),
            Writing::Complete => {
                format!("SELECT id FROM registration WHERE id = '{id}' AND body LIKE '%\"state\":{{\"claimed\"%'")
            }
            Writing::Revoke => {
                format!("SELECT id FROM registration WHERE id = '{id}' AND body LIKE '%\"state\":\"revoked\"%'")
            }
            Writing::Redeem => format!(
                "SELECT MIN(registration) FROM credential WHERE registration = '{id}' HAVING COUNT(*) > {}",
                known.keys.len()
            ),
        };
        let happened = usize::from(!database.texts(&is_so).is_empty());
        spread.between += happened;
        spread.before += 1 - happened;
    }
    let all: usize = database.texts("SELECT CAST(COUNT(*) AS TEXT) FROM registration").remove(0).parse().unwrap();
    let committed = all - acknowledged - *lost;
    *lost += committed;
    assert!(
        committed <= registering,
        "{committed} registrations of which nobody was told, and {registering} were asked for"
    );
    spread.between += committed;
    spread.before += registering - committed;
}

#[expect(
    clippy::disallowed_methods,
    reason = "a drill that failed is repeated with its seed, and says how long it took"
)]
fn drill(stage: &Stage, store: &str, replicas: usize, kills: usize) {
    let seed = std::env::var("DRILL_SEED").ok().and_then(|text| text.parse().ok());
    let seed: u64 = seed.unwrap_or_else(|| RandomState::new().hash_one(store));
    println!("DRILL_SEED={seed}");
    let (mut rng, letters, start) = (StdRng::seed_from_u64(seed), stage.letters(), Instant::now());
    let mut processes = start_all(stage, store, replicas);
    let mut database = Database::connect(store);
    let mut world = World { letters: &letters, mailboxes: AtomicU32::new(0), is_over: AtomicBool::new(false) };
    let mut clients: [Client; CLIENTS] = Default::default();
    let (mut killed, mut rounds, mut lost, mut spread) = (0, 0, 0, Spread::default());
    while killed < kills {
        world.is_over = AtomicBool::new(false);
        // Most of them at once, and at least one.
        let mut victims: Vec<usize> = (0..replicas).filter(|_| rng.random_bool(0.8)).collect();
        if victims.is_empty() {
            victims.push(rng.random_range(0..replicas));
        }
        let pause = Duration::from_micros(rng.random_range(0..LONGEST * 1000));
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
        let of_victims: Vec<&Client> = clients
            .iter()
            .enumerate()
            .filter(|(place, _)| victims.contains(&(place % replicas)))
            .map(|(_, it)| it)
            .collect();
        let acknowledged = clients.iter().map(|client| client.all.len()).sum();
        locate(&mut database, &of_victims, acknowledged, &mut lost, &mut spread);
        for (victim, process) in victims.iter().zip(start_all(stage, store, victims.len())) {
            processes.insert(*victim, process);
        }
        let mut connection = processes[rng.random_range(0..replicas)].connection();
        let recent: Vec<&mut Known> =
            clients.iter_mut().zip(first).flat_map(|(client, first)| &mut client.all[first..]).collect();
        judge_store(&mut database, &letters, recent.iter().map(|known| &**known));
        for known in recent {
            judge(&mut connection, known);
        }
    }
    let mut all: Vec<Known> = clients.into_iter().flat_map(|client| client.all).collect();
    let mut connection = processes[0].connection();
    for known in &mut all {
        judge(&mut connection, known);
    }
    judge_store(&mut database, &letters, &all);
    deliver(&mut database, &mut connection, &letters, &all);
    let (claimed, revoked) = (count(&all, |it| it.claimed), count(&all, |it| it.revoked));
    println!(
        "{killed} kills in {rounds} rounds and {:.1} s: {} registrations, {claimed} claimed, {revoked} revoked, nothing \
         lost; of the requests under way {} were killed before their commit, {} between it and the reply; {} times none was",
        start.elapsed().as_secs_f32(),
        all.len(),
        spread.before,
        spread.between,
        spread.apart,
    );
    assert!(claimed > 0 && revoked > 0, "the drill has done its work");
    assert!(spread.before > 0 && spread.between > 0 && spread.apart > 0, "{spread:?}");
}

/// Starts `count` sidecars at once.
fn start_all(stage: &Stage, store: &str, count: usize) -> Vec<Process> {
    thread::scope(|scope| {
        let starts: Vec<_> = (0..count).map(|_| scope.spawn(|| stage.start(store))).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    })
}

fn count(all: &[Known], what: impl Fn(&Known) -> Told) -> usize {
    all.iter().filter(|known| what(known) == Told::Yes).count()
}

/// Letters that a killed sidecar was sending are somebody else's to send after a minute; here at once. In the end
/// everybody who was asked has got one.
fn deliver(database: &mut Database, connection: &mut Connection, letters: &Letters, all: &[Known]) {
    database.run("UPDATE outbox SET due_at = 0");
    // A new letter has the sidecar look.
    assert_eq!(connection.register_by_mail("last@client.example").unwrap().status, 200);
    letters.wait("last@client.example");
    let asked = || all.iter().filter(|known| known.revoked == Told::No).filter_map(|known| known.asked.as_ref());
    for mailbox in asked() {
        letters.wait(mailbox);
    }
    println!("{} messages for {} people", asked().map(|it| letters.count(it)).sum::<usize>(), asked().count());
}

#[test]
fn a_sidecar_that_is_killed_while_it_starts_starts_the_next_time() {
    let stage = stage();
    for (round, time) in (0..STARTS).map(|round| (round, Duration::from_millis(round * LONGEST_START / STARTS))) {
        // A new store each time: its tables are made while the process is killed; the first time the pepper, too.
        let store = stage.file().replace("store.db", &format!("store{round}.db"));
        stage.start_and_kill(&store, time);
        if round.is_multiple_of(4) {
            let process = stage.start(&store);
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
fn a_sidecar_on_sqlite_is_killed_at_any_moment_and_nothing_is_lost() {
    let (kills, files) = FILES;
    thread::scope(|scope| {
        for _ in 0..files {
            scope.spawn(|| {
                let stage = stage().brief();
                let store = stage.file();
                drill(&stage, &store, 1, kills);
                let mut database = Database::connect(&store);
                assert_eq!(database.texts("PRAGMA integrity_check"), ["ok"]);
                assert_eq!(database.texts("PRAGMA foreign_key_check"), Vec::<String>::new());
            });
        }
    });
}

#[test]
fn sidecars_on_postgresql_are_killed_at_any_moment_and_nothing_is_lost() {
    let (cluster, stage) = (Cluster::start(), stage().brief());
    let (kills, replicas) = SERVER;
    drill(&stage, &new_store(&cluster), replicas, kills);
}
