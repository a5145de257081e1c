//! Tells a store from another file, and whom it speaks of.

use std::{path::Path, sync::Arc};

use sqlx::{Connection as _, Row as _, SqliteConnection, sqlite::SqliteConnectOptions};

use super::{Result, Store, sql::values};
use crate::registration::Mailbox;

/// Tables that every store has had from the beginning.
const NAMED: &str = "SELECT COUNT(*) FROM sqlite_master
    WHERE type = 'table' AND name IN ('_sqlx_migrations', 'registration', 'credential')";

/// Whether the file at `path` is a store, and whole. Nothing is created, and nothing is brought up to date: an empty file,
/// or the database of another program, would become an empty store.
pub(crate) async fn is_store(path: &Path) -> bool {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(false);
    let looked = async {
        let mut connection = SqliteConnection::connect_with(&options).await?;
        let read = read(&mut connection).await;
        connection.close().await?;
        read
    };
    // What cannot be read is none, whatever else it is.
    looked.await.unwrap_or(false)
}

async fn read(connection: &mut SqliteConnection) -> std::result::Result<bool, sqlx::Error> {
    let tables: i64 = sqlx::query(NAMED).fetch_one(&mut *connection).await?.try_get(0)?;
    let said: String = sqlx::query("PRAGMA integrity_check(1)").fetch_one(connection).await?.try_get(0)?;
    Ok(tables == 3 && said == "ok")
}

impl Store {
    /// Up to 500 mailboxes after `last` of which anything is kept, wherever that stands.
    pub(crate) async fn mailboxes_after(&self, last: String) -> Result<Vec<Mailbox>> {
        const SQL: &str = "SELECT email FROM (
                SELECT email FROM registration UNION SELECT email FROM principal UNION SELECT email FROM delegation
                UNION SELECT email FROM access_link UNION SELECT recipient FROM outbox
            ) AS known WHERE email > $1 ORDER BY email LIMIT 500";
        let db = Arc::clone(&self.db);
        self.run(async move {
            let rows = db.all(SQL, values![last]).await?;
            rows.iter().map(|row| Ok(Mailbox::known(row.text(0)?))).collect()
        })
        .await
    }
}
