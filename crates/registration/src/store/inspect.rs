//! Checks whether a file is a store, and lists the mailboxes in it.

use std::{path::Path, sync::Arc};

use secrets::Mailbox;
use sqlx::{Connection as _, Row as _, SqliteConnection, sqlite::SqliteConnectOptions};

use super::{Store, StoreError, sql::values};

/// Tables that every version has.
const NAMED: &str = "SELECT COUNT(*) FROM sqlite_master
    WHERE type = 'table' AND name IN ('_sqlx_migrations', 'registration', 'credential')";

/// Returns the number of registrations in the file at `path` if it is an intact store. Neither creates nor migrates
/// anything: an empty file, or the database of another program, must not become a store.
pub async fn examine(path: &Path) -> Option<u64> {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(false);
    let looked = async {
        let mut connection = SqliteConnection::connect_with(&options).await?;
        let read = read(&mut connection).await;
        connection.close().await?;
        read
    };
    looked.await.ok().flatten()
}

async fn read(connection: &mut SqliteConnection) -> Result<Option<u64>, sqlx::Error> {
    let tables: i64 = sqlx::query(NAMED).fetch_one(&mut *connection).await?.try_get(0)?;
    let verdict: String = sqlx::query("PRAGMA integrity_check(1)").fetch_one(&mut *connection).await?.try_get(0)?;
    if tables != 3 || verdict != "ok" {
        return Ok(None);
    }
    let count: i64 = sqlx::query("SELECT COUNT(*) FROM registration").fetch_one(connection).await?.try_get(0)?;
    Ok(u64::try_from(count).ok())
}

/// Columns that hold mailboxes.
const NAMES: [&str; 5] = [
    "SELECT email FROM registration WHERE email > $1 ORDER BY email LIMIT 500",
    "SELECT email FROM principal WHERE email > $1 ORDER BY email LIMIT 500",
    "SELECT email FROM delegation WHERE email > $1 ORDER BY email LIMIT 500",
    "SELECT email FROM access_link WHERE email > $1 ORDER BY email LIMIT 500",
    "SELECT recipient FROM outbox WHERE recipient > $1 ORDER BY recipient LIMIT 500",
];

impl Store {
    /// Calls `each` for every mailbox in the store; one that is in several tables comes several times.
    pub async fn each_mailbox<E: From<StoreError>>(
        &self,
        mut each: impl AsyncFnMut(Mailbox) -> Result<(), E>,
    ) -> Result<(), E> {
        for sql in NAMES {
            let mut last = String::new();
            loop {
                let (db, after) = (Arc::clone(&self.db), last);
                let rows = self.run(async move { Ok(db.all(sql, values![after]).await?) }).await?;
                let mut names =
                    rows.iter().map(|row| row.text(0)).collect::<Result<Vec<_>, _>>().map_err(StoreError::from)?;
                let Some(end) = names.last() else { break };
                last = end.clone();
                names.dedup();
                for name in names {
                    each(Mailbox::from_stored(name)).await?;
                }
            }
        }
        Ok(())
    }
}
