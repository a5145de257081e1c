//! What must hold after a kill, according to the service and to the store, and at which point the kill came.

use std::collections::BTreeSet;

use tests::{Agent as _, Connection, Database, Outbox};

use super::{
    super::{settled, text},
    traffic::{Client, Known, Told, Writing},
};

/// Checks what must hold for one agent, whatever was lost. Asks what an agent would ask to find out.
pub(super) fn judge(connection: &mut Connection, known: &mut Known) {
    let mut status = |key: &String| settled(|| connection.content(Some(key))).status;
    if known.revoked == Told::No && known.claimed == Told::No {
        // Nobody had a reason to withdraw them.
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
        // Then it was not claimed, and nobody had been told that it was.
        (400, "authorization_pending" | "slow_down") if known.claimed == Told::Perhaps => known.claimed = Told::No,
        // Then the agent was given a credential that it has used, and which must work.
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

/// Checks what must hold in the store, by its own account.
pub(super) fn judge_store<'a>(database: &mut Database, outbox: &Outbox, all: impl IntoIterator<Item = &'a Known>) {
    let twice =
        "SELECT registration FROM credential WHERE revoked_at IS NULL GROUP BY registration HAVING COUNT(*) > 1";
    assert_eq!(database.texts(twice), Vec::<String>::new(), "two live credentials");
    // A live credential is one that its registration knows, and whose registration is not over.
    let orphan = "SELECT registration FROM credential JOIN registration ON registration.id = credential.registration
        WHERE revoked_at IS NULL AND (body NOT LIKE '%' || digest || '%' OR body LIKE '%\"claim\":{\"state\":\"revoked\"%')";
    assert_eq!(database.texts(orphan), Vec::<String>::new(), "live credentials of which nobody knows");
    let kept: BTreeSet<String> = database.texts("SELECT id FROM registration").into_iter().collect();
    let waiting: BTreeSet<String> = database.texts("SELECT recipient FROM outbox").into_iter().collect();
    for known in all {
        assert!(kept.contains(&known.id), "an acknowledged registration is gone: {known:?}");
        // A person whose registration is over gets no more messages.
        if let (Some(mailbox), Told::No) = (&known.asked, known.revoked) {
            assert!(waiting.contains(mailbox) || outbox.count(mailbox) > 0, "no message: {known:?}");
        }
    }
}

/// Where kills came.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spread {
    pub(super) before: usize,
    pub(super) between: usize,
    /// Nothing was being written.
    pub(super) apart: usize,
}

impl Spread {
    /// Returns whether there were kills at every point.
    pub(super) const fn is_wide(&self) -> bool {
        self.before > 0 && self.between > 0 && self.apart > 0
    }
}

/// Counts at which points the kills came, for clients whose sidecar was killed. `lost` counts the registrations so far
/// that nobody was told about.
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
