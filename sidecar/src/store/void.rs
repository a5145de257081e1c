//! Makes void what providers have said of users whose registrations somebody ends.

use std::collections::BTreeSet;

use super::{
    Result,
    providers::mark,
    sql::{Row, Tx, Value},
};
use crate::{Time, registration::Subject};

/// The registrations that `sql` finds, whose second to fourth columns name the user. Nothing counts any more that
/// providers have said, up to `now`, of these users, and until the transaction ends nobody says anything new.
///
/// Security: who takes back what an agent holds means it. An assertion that was made before, and was not used yet or may
/// come again, would bring it back at once; the provider has to say so anew.
pub(super) async fn find(tx: &mut Tx, sql: &'static str, values: Vec<Value>, now: Time) -> Result<Vec<Row>> {
    let mut void = BTreeSet::new();
    loop {
        let rows = tx.all(sql, values.clone()).await?;
        let mut users = BTreeSet::new();
        for row in &rows {
            if let (Some(issuer), Some(tenant), Some(name)) =
                (row.maybe_text(1)?, row.maybe_text(2)?, row.maybe_text(3)?)
            {
                users.insert((issuer, tenant, name));
            }
        }
        // Somebody may have come while others were waited for.
        let new: Vec<_> = users.difference(&void).cloned().collect();
        if new.is_empty() {
            return Ok(rows);
        }
        // In one order, whoever does it, so that nobody waits for somebody who waits for them.
        for (issuer, tenant, name) in &new {
            let user = Subject { issuer: issuer.clone(), tenant: tenant.clone(), name: name.clone() };
            mark(tx, &user, now, now).await?;
        }
        void.extend(new);
    }
}
