//! What agents do until their sidecar is killed, and what they know by then.

use std::{
    io,
    sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use rand::{RngExt as _, rngs::StdRng};
use tests::{Agent as _, Connection, Outbox, Reply};

use super::super::text;

/// Number of its agents that a client continues with, also after a kill.
const RECENT: usize = 3;

/// What an agent knows about the outcome of something that it asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    No,
    /// It asked, and the reply was lost.
    Perhaps,
    Yes,
}

/// A request that writes, while its outcome is unknown.
#[derive(Clone, Debug)]
pub(super) enum Writing {
    Register,
    /// Asks the person who reads this mailbox.
    Claim(String),
    Complete,
    /// Asks for a claim's credential.
    Redeem,
    Revoke,
}

/// An agent, by its own knowledge.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) id: String,
    pub(super) claim_token: String,
    /// The person whom it asked last with success, and who reads the newest message.
    pub(super) asked: Option<String>,
    /// All credentials that it was ever given, the newest last.
    pub(super) keys: Vec<String>,
    pub(super) claimed: Told,
    pub(super) revoked: Told,
}

/// The agents of a client, and which of them waits for what.
#[derive(Debug, Default)]
pub(super) struct Client {
    pub(super) all: Vec<Known>,
    pub(super) under_way: Option<(usize, Writing)>,
}

impl Client {
    /// Returns the index of the first agent with which it continues.
    pub(super) fn recent(&self) -> usize {
        self.all.len().saturating_sub(RECENT)
    }
}

/// What all agents share.
pub(super) struct World<'a> {
    pub(super) outbox: &'a Outbox,
    pub(super) mailboxes: AtomicU32,
    pub(super) is_over: AtomicBool,
    /// The number of requests that were answered in this round, and of clients that still work.
    pub(super) answered: AtomicUsize,
    pub(super) at_work: AtomicUsize,
}

impl World<'_> {
    fn mailbox(&self) -> String {
        format!("drilled.{}@client.example", self.mailboxes.fetch_add(1, Ordering::Relaxed))
    }
}

/// Agents take turns doing one thing after another until their sidecar is gone.
pub(super) fn work(world: &World<'_>, mut connection: Connection, rng: &mut StdRng, client: &mut Client) {
    while !world.is_over.load(Ordering::Relaxed) {
        client.under_way = None;
        let is_new = client.all.is_empty() || rng.random_range(0..12) == 0;
        let step = if is_new {
            begin(world, &mut connection, rng, client).map(|()| true)
        } else {
            let place = rng.random_range(client.recent()..client.all.len());
            let Client { all, under_way, .. } = client;
            go_on(world, &mut connection, rng, &mut all[place], &mut |what| *under_way = Some((place, what)))
        };
        match step {
            Ok(true) => {
                world.answered.fetch_add(1, Ordering::Relaxed);
            }
            // There was nothing to send; the service is not disturbed meanwhile.
            Ok(false) => thread::sleep(Duration::from_millis(1)),
            // The sidecar is gone, or asks for patience; the client does nothing more in this round.
            Err(_) => {
                world.at_work.fetch_sub(1, Ordering::Relaxed);
                return;
            }
        }
    }
    client.under_way = None;
}

/// Returns the reply, unless it asks for patience. A process that is killed while its disk stalls is gone only when the
/// disk continues, and so are its locks; meanwhile the others, on the same store, can do nothing.
fn taken(reply: Reply) -> io::Result<Reply> {
    if reply.status == 503 { Err(io::ErrorKind::ResourceBusy.into()) } else { Ok(reply) }
}

fn begin(world: &World<'_>, connection: &mut Connection, rng: &mut StdRng, client: &mut Client) -> io::Result<()> {
    let mailbox = rng.random_bool(0.5).then(|| world.mailbox());
    client.under_way = Some((client.all.len(), Writing::Register));
    let registered = taken(match &mailbox {
        Some(mailbox) => connection.register_by_mail(mailbox)?,
        None => connection.register()?,
    })?;
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

/// Does one thing for an agent. Returns whether there was anything to send.
fn go_on(
    world: &World<'_>,
    connection: &mut Connection,
    rng: &mut StdRng,
    known: &mut Known,
    writing: &mut impl FnMut(Writing),
) -> io::Result<bool> {
    if known.revoked != Told::No {
        return Ok(false);
    }
    match rng.random_range(0..24) {
        0 => {
            writing(Writing::Revoke);
            known.revoked = Told::Perhaps;
            let token = known.keys.last().unwrap_or(&known.claim_token);
            assert_eq!(taken(connection.revoke(token)?)?.status, 200);
            known.revoked = Told::Yes;
        }
        1..=4 => {
            let Some(key) = known.keys.last() else { return Ok(false) };
            assert_eq!(taken(connection.content(Some(key))?)?.status, 200, "{known:?}");
        }
        5..=8 => {
            if known.claimed == Told::Yes {
                writing(Writing::Redeem);
            }
            redeem(connection, known)?;
        }
        _ if known.claimed == Told::Yes => return Ok(false),
        _ if known.asked.is_none() => {
            let mailbox = world.mailbox();
            writing(Writing::Claim(mailbox.clone()));
            let reply = taken(connection.claim(&known.claim_token, &mailbox)?)?;
            assert_eq!(reply.status, 200, "{}", reply.text());
            known.asked = Some(mailbox);
        }
        _ => return claim(world, connection, known, writing),
    }
    Ok(true)
}

/// The person looks at the code, and the agent hands it in, if the message has arrived.
fn claim(
    world: &World<'_>,
    connection: &mut Connection,
    known: &mut Known,
    writing: &mut impl FnMut(Writing),
) -> io::Result<bool> {
    let Some(link) = known.asked.as_ref().and_then(|mailbox| world.outbox.link(mailbox)) else { return Ok(false) };
    let code = text(&taken(connection.show_code(&link)?)?, "challenge");
    writing(Writing::Complete);
    known.claimed = Told::Perhaps;
    let completed = taken(connection.complete(&known.claim_token, &code)?)?;
    assert_eq!(completed.status, 200, "{}", completed.text());
    known.claimed = Told::Yes;
    known.keys.extend(completed.json()["credential"].as_str().map(str::to_owned));
    Ok(true)
}

fn redeem(connection: &mut Connection, known: &mut Known) -> io::Result<()> {
    let reply = taken(connection.redeem(&known.claim_token)?)?;
    match (reply.status, reply.error().as_str()) {
        (200, _) => known.keys.push(text(&reply, "credential")),
        (400, "authorization_pending" | "slow_down") if known.claimed != Told::Yes => {}
        (400, "invalid_grant") if known.claimed == Told::Yes => {}
        _ => panic!("{} {} for {known:?}", reply.status, reply.text()),
    }
    Ok(())
}
