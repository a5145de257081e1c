//! Requests of agents until their sidecar is killed, and their knowledge by then.

use std::{
    io,
    sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering},
    thread,
    time::Duration,
};

use rand::{RngExt as _, rngs::StdRng};
use tests::{Agent as _, Connection, Outbox, Reply};

use super::super::text;

/// Number of agents with which a client continues, also after a kill.
const RECENT: usize = 3;

/// The outcome of a request as far as the agent knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    No,
    /// The reply was lost.
    Perhaps,
    Yes,
}

/// A writing request whose outcome is unknown.
#[derive(Clone, Debug)]
pub(super) enum WriteRequest {
    Register,
    /// Starts a claim by the person of this mailbox.
    Claim(String),
    Complete,
    /// Requests the credential of a claim.
    Redeem,
    Revoke,
}

/// An agent and its knowledge.
#[derive(Debug)]
pub(super) struct AgentRecord {
    pub(super) id: String,
    pub(super) claim_token: String,
    /// The mailbox of the last claim that was started.
    pub(super) recipient: Option<String>,
    /// All credentials that it has received, newest last.
    pub(super) keys: Vec<String>,
    pub(super) claimed: Outcome,
    pub(super) revoked: Outcome,
}

/// The agents of a client, and the request in progress.
#[derive(Debug, Default)]
pub(super) struct Client {
    pub(super) all: Vec<AgentRecord>,
    pub(super) under_way: Option<(usize, WriteRequest)>,
}

impl Client {
    /// Returns the index of the first agent with which the client continues.
    pub(super) fn recent(&self) -> usize {
        self.all.len().saturating_sub(RECENT)
    }
}

/// State that all clients share.
pub(super) struct World<'a> {
    pub(super) outbox: &'a Outbox,
    pub(super) mailboxes: AtomicU32,
    pub(super) is_over: AtomicBool,
    /// Number of requests answered in this round.
    pub(super) answered: AtomicUsize,
    pub(super) at_work: AtomicUsize,
}

impl World<'_> {
    fn mailbox(&self) -> String {
        format!("drilled.{}@client.example", self.mailboxes.fetch_add(1, Ordering::Relaxed))
    }
}

/// Sends requests of the agents of one client until its sidecar is gone.
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
            // There was nothing to send.
            Ok(false) => thread::sleep(Duration::from_millis(1)),
            // The sidecar is gone or busy; the client stops for this round.
            Err(_) => {
                world.at_work.fetch_sub(1, Ordering::Relaxed);
                return;
            }
        }
    }
    client.under_way = None;
}

/// Returns the reply unless it is 503. A killed process whose disk stalls keeps its locks until the disk continues;
/// meanwhile the others on the same store are blocked.
fn unless_busy(reply: Reply) -> io::Result<Reply> {
    if reply.status == 503 { Err(io::ErrorKind::ResourceBusy.into()) } else { Ok(reply) }
}

fn begin(world: &World<'_>, connection: &mut Connection, rng: &mut StdRng, client: &mut Client) -> io::Result<()> {
    let mailbox = rng.random_bool(0.5).then(|| world.mailbox());
    client.under_way = Some((client.all.len(), WriteRequest::Register));
    let registered = unless_busy(match &mailbox {
        Some(mailbox) => connection.register_by_mail(mailbox)?,
        None => connection.register()?,
    })?;
    assert_eq!(registered.status, 200, "{}", registered.text());
    client.all.push(AgentRecord {
        id: text(&registered, "registration_id"),
        claim_token: text(&registered, "claim_token"),
        recipient: mailbox,
        keys: registered.json()["credential"].as_str().map(str::to_owned).into_iter().collect(),
        claimed: Outcome::No,
        revoked: Outcome::No,
    });
    Ok(())
}

/// Sends the next request of an agent. Returns whether there was one.
fn go_on(
    world: &World<'_>,
    connection: &mut Connection,
    rng: &mut StdRng,
    known: &mut AgentRecord,
    writing: &mut impl FnMut(WriteRequest),
) -> io::Result<bool> {
    if known.revoked != Outcome::No {
        return Ok(false);
    }
    match rng.random_range(0..24) {
        0 => {
            writing(WriteRequest::Revoke);
            known.revoked = Outcome::Perhaps;
            let token = known.keys.last().unwrap_or(&known.claim_token);
            assert_eq!(unless_busy(connection.revoke(token)?)?.status, 200);
            known.revoked = Outcome::Yes;
        }
        1..=4 => {
            let Some(key) = known.keys.last() else { return Ok(false) };
            assert_eq!(unless_busy(connection.content(Some(key))?)?.status, 200, "{known:?}");
        }
        5..=8 => {
            if known.claimed == Outcome::Yes {
                writing(WriteRequest::Redeem);
            }
            redeem(connection, known)?;
        }
        _ if known.claimed == Outcome::Yes => return Ok(false),
        _ if known.recipient.is_none() => {
            let mailbox = world.mailbox();
            writing(WriteRequest::Claim(mailbox.clone()));
            let reply = unless_busy(connection.claim(&known.claim_token, &mailbox)?)?;
            assert_eq!(reply.status, 200, "{}", reply.text());
            known.recipient = Some(mailbox);
        }
        _ => return claim(world, connection, known, writing),
    }
    Ok(true)
}

/// Opens the code as the person and sends it as the agent, if the message has arrived.
fn claim(
    world: &World<'_>,
    connection: &mut Connection,
    known: &mut AgentRecord,
    writing: &mut impl FnMut(WriteRequest),
) -> io::Result<bool> {
    let Some(link) = known.recipient.as_ref().and_then(|mailbox| world.outbox.link(mailbox)) else { return Ok(false) };
    let code = text(&unless_busy(connection.show_code(&link)?)?, "challenge");
    writing(WriteRequest::Complete);
    known.claimed = Outcome::Perhaps;
    let completed = unless_busy(connection.complete(&known.claim_token, &code)?)?;
    assert_eq!(completed.status, 200, "{}", completed.text());
    known.claimed = Outcome::Yes;
    known.keys.extend(completed.json()["credential"].as_str().map(str::to_owned));
    Ok(true)
}

fn redeem(connection: &mut Connection, known: &mut AgentRecord) -> io::Result<()> {
    let reply = unless_busy(connection.redeem(&known.claim_token)?)?;
    match (reply.status, reply.error().as_str()) {
        (200, _) => known.keys.push(text(&reply, "credential")),
        // After a claim, this is the answer of the first two minutes.
        (400, "authorization_pending" | "slow_down") => {}
        (400, "invalid_grant") if known.claimed == Outcome::Yes => {}
        _ => panic!("{} {} for {known:?}", reply.status, reply.text()),
    }
    Ok(())
}
