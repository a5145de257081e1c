//! Makes void what providers have said of users whose registrations somebody ends.

use std::{collections::BTreeSet, sync::Arc};

use super::{Result, Selection, Store, providers::mark, sql::values};
use crate::{Time, registration::Subject};

const ALL: &str = "SELECT id, issuer, tenant, subject FROM registration
    WHERE issuer IS NOT NULL AND id > $1 ORDER BY id LIMIT 200";
const ONE: &str = "SELECT id, issuer, tenant, subject FROM registration
    WHERE issuer IS NOT NULL AND id = $2 AND id > $1";
const BY_EMAIL: &str = "SELECT id, issuer, tenant, subject FROM registration
    WHERE issuer IS NOT NULL AND email = $2 AND id > $1 ORDER BY id LIMIT 200";
const BY_ISSUER: &str = "SELECT id, issuer, tenant, subject FROM registration
    WHERE issuer = $2 AND id > $1 ORDER BY id LIMIT 200";

impl Store {
    /// Lets nothing count any more that providers have said, up to `now`, of the users of `selection`.
    ///
    /// Security: who takes back what an agent holds means it. An assertion that was made before, and was not used yet or
    /// may come again, would bring it back; the provider has to say so anew. Done before the registrations end, so that
    /// none comes in between.
    pub(crate) async fn void(&self, selection: &Selection, now: Time) -> Result<()> {
        let mut last = String::new();
        loop {
            let db = Arc::clone(&self.db);
            let (sql, values) = match selection {
                Selection::All => (ALL, values![last]),
                Selection::One(id) => (ONE, values![last, id.as_str()]),
                Selection::Email(mailbox) => (BY_EMAIL, values![last, mailbox.as_str()]),
                Selection::Issuer(issuer) => (BY_ISSUER, values![last, issuer.as_str()]),
            };
            let step = self.run(async move {
                let rows = db.all(sql, values).await?;
                let Some(row) = rows.last() else { return Ok(None) };
                let end = row.text(0)?;
                // In one order, whoever does it, so that nobody waits for somebody who waits for them.
                let mut subjects = BTreeSet::new();
                for row in &rows {
                    subjects.insert((row.text(1)?, row.text(2)?, row.text(3)?));
                }
                let mut tx = db.begin().await?;
                for (issuer, tenant, name) in subjects {
                    mark(&mut tx, &Subject { issuer, tenant, name }, now, now).await?;
                }
                tx.commit().await?;
                Ok(Some(end))
            });
            let Some(end) = step.await? else { return Ok(()) };
            last = end;
        }
    }
}
