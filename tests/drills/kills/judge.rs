//! What must be so after a kill, by the word of the service and of the store, and where the kill fell.

use std::{collections::BTreeSet, io, thread, time::Duration};

use tests::{Agent as _, Connection, Database, Letters, Reply};

use super::{
    super::text,
    traffic::{Client, Known, Told, Writing},
};

/// Between two questions of somebody who is asked for patience: longer than `Retry-After` and than the interval of polls.
const PAUSE: Duration = Duration::from_secs(6);
/// How often somebody asks for whom everything is well again.
const QUESTIONS: usize = 10;

/// The reply, once none asks for patience: see [`super::traffic`] on what a killed process leaves behind for a while.
fn settled(mut ask: impl FnMut() -> io::Result<Reply>) -> Reply {
    let mut reply = ask().unwrap();
    for _ in 1..QUESTIONS {
        if reply.status != 503 {
            break;
        }
        thread::sleep(PAUSE);
        reply = ask().unwrap();
    }
    reply
}

/// What must be so for one agent, whatever was lost. Asks as the agent would who wants to know.
pub(super) fn judge(connection: &mut Connection, known: &mut Known) {
    let mut status = |key: &String| settled(|| connection.content(Some(key))).status;
    if known.revoked == Told::No && known.claimed == Told::No {
        // Nobody had a reason to take it away.
        assert!(known.keys.iter().all(|key| status(key) == 200), "{known:?}");
        return;
    }
    if known.revoked == Told::Perhaps {
        let token = known.keys.last().unwrap_or(&known.claim_token);
        assert_eq!(settled(|| connection.revoke(token)).status, 200);
        known.revoked = Told::Yes;
    }
    if known.revoked == Told::Yes {
        for key in &known.keys {
            assert_eq!(settled(|| connection.content(Some(key))).status, 401, "{known:?}");
        }
        assert_eq!(settled(|| connection.redeem(&known.claim_token)).error(), "invalid_grant", "{known:?}");
        return;
    }
    let reply = settled(|| connection.redeem(&known.claim_token));
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
        assert_eq!(settled(|| connection.content(Some(newest))).status, 200, "{known:?}");
        for key in older {
            assert_eq!(settled(|| connection.content(Some(key))).status, 401, "{known:?}");
        }
    }
}

/// What must be so in the store, by its own word.
pub(super) fn judge_store<'a>(database: &mut Database, letters: &Letters, all: impl IntoIterator<Item = &'a Known>) {
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

/// Where kills fell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    pub(super) before: usize,
    pub(super) between: usize,
    /// Nothing was being written.
    pub(super) apart: usize,
}

impl Spread {
    /// Whether they fell everywhere.
    pub(super) const fn is_wide(&self) -> bool {
        self.before > 0 && self.between > 0 && self.apart > 0
    }
}

/// Counts where kills fell of those whose sidecar was killed. `lost` are the registrations so far of which nobody was
/// told.
pub(super) fn locate(
    database: &mut Database,
    clients: &[&Client],
    acknowledged: usize,
    lost: &mut usize,
    spread: &mut Spread,
) {
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
