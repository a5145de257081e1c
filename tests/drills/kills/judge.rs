//! Checks after a kill, by the service and by the store, and the point at which the kill came.

use std::collections::BTreeSet;

use tests::{Agent as _, Connection, Database, Outbox};

use super::{
    super::{retry_while_busy, text},
    traffic::{AgentRecord, Client, Outcome, WriteRequest},
};

/// Checks the state of one agent, whatever replies were lost, with the requests that an agent would send.
pub(super) fn judge(connection: &mut Connection, known: &mut AgentRecord) {
    let mut status = |key: &String| retry_while_busy(|| connection.content(Some(key))).status;
    if known.revoked == Outcome::No && known.claimed == Outcome::No {
        // Nothing revoked them.
        assert!(known.keys.iter().all(|key| status(key) == 200), "{known:?}");
        return;
    }
    if known.revoked == Outcome::Perhaps {
        let token = known.keys.last().unwrap_or(&known.claim_token);
        assert_eq!(retry_while_busy(|| connection.revoke(token)).status, 200);
        known.revoked = Outcome::Yes;
    }
    if known.revoked == Outcome::Yes {
        for key in &known.keys {
            assert_eq!(retry_while_busy(|| connection.content(Some(key))).status, 401, "{known:?}");
        }
        assert_eq!(retry_while_busy(|| connection.redeem(&known.claim_token)).error(), "invalid_grant", "{known:?}");
        return;
    }
    let reply = retry_while_busy(|| connection.redeem(&known.claim_token));
    match (reply.status, reply.error().as_str()) {
        (200, _) => {
            known.claimed = Outcome::Yes;
            known.keys.push(text(&reply, "credential"));
        }
        // The claim did not take effect, and no reply had confirmed it.
        (400, "authorization_pending" | "slow_down") if known.claimed == Outcome::Perhaps => {
            known.claimed = Outcome::No;
        }
        // The agent has received and used a credential, which must work.
        (400, "invalid_grant") if !known.keys.is_empty() => known.claimed = Outcome::Yes,
        _ => panic!("{} {} for {known:?}", reply.status, reply.text()),
    }
    if let Some((newest, older)) = known.keys.split_last() {
        assert_eq!(retry_while_busy(|| connection.content(Some(newest))).status, 200, "{known:?}");
        for key in older {
            assert_eq!(retry_while_busy(|| connection.content(Some(key))).status, 401, "{known:?}");
        }
    }
}

/// Checks the invariants of the store with SQL.
pub(super) fn judge_store<'a>(
    database: &mut Database,
    outbox: &Outbox,
    all: impl IntoIterator<Item = &'a AgentRecord>,
) {
    let twice =
        "SELECT registration FROM credential WHERE revoked_at IS NULL GROUP BY registration HAVING COUNT(*) > 1";
    assert_eq!(database.texts(twice), Vec::<String>::new(), "two live credentials");
    // The registration of a valid credential names it and is not revoked.
    let orphan = "SELECT registration FROM credential JOIN registration ON registration.id = credential.registration
        WHERE revoked_at IS NULL AND (body NOT LIKE '%' || digest || '%' OR body LIKE '%\"claim\":{\"state\":\"revoked\"%')";
    assert_eq!(database.texts(orphan), Vec::<String>::new(), "valid credentials without a registration");
    let kept: BTreeSet<String> = database.texts("SELECT id FROM registration").into_iter().collect();
    let waiting: BTreeSet<String> = database.texts("SELECT recipient FROM outbox").into_iter().collect();
    for known in all {
        assert!(kept.contains(&known.id), "an acknowledged registration is gone: {known:?}");
        // A revoked registration sends no more messages.
        if let (Some(mailbox), Outcome::No) = (&known.recipient, known.revoked) {
            assert!(waiting.contains(mailbox) || outbox.count(mailbox) > 0, "no message: {known:?}");
        }
    }
}

/// Number of kills by the point at which they came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    pub(super) before: usize,
    pub(super) between: usize,
    /// Nothing was in progress.
    pub(super) apart: usize,
}

impl Spread {
    /// Returns whether kills came at every point.
    pub(super) const fn is_wide(&self) -> bool {
        self.before > 0 && self.between > 0 && self.apart > 0
    }
}

/// Counts the points of the kills, for clients whose sidecar was killed. `lost` counts the committed registrations
/// whose reply was lost.
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
            WriteRequest::Register => continue,
            WriteRequest::Claim(mailbox) => {
                format!("SELECT id FROM registration WHERE id = '{id}' AND email = '{mailbox}'")
            }
            WriteRequest::Complete => {
                format!("SELECT id FROM registration WHERE id = '{id}' AND body LIKE '%\"state\":{{\"claimed\"%'")
            }
            WriteRequest::Revoke => {
                format!("SELECT id FROM registration WHERE id = '{id}' AND body LIKE '%\"state\":\"revoked\"%'")
            }
            WriteRequest::Redeem => format!(
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
        "{committed} registrations without a reply, and {registering} requests in progress"
    );
    spread.between += committed;
    spread.before += registering - committed;
}
