//! Copies of the store: making one, telling one from another file, and whom it speaks of.

use std::{path::Path, sync::Arc};

use sqlx::{Connection as _, Row as _, SqliteConnection, sqlite::SqliteConnectOptions};

use super::{
    Result, Store,
    sql::{Db, values},
};
use crate::registration::Mailbox;

/// Why a file is no copy of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoCopy {
    /// It is another file, perhaps an empty one or the database of another program.
    Other,
    /// It is, or was, a database, and parts of it cannot be read.
    Damaged,
}

impl NoCopy {
    fn of(error: &sqlx::Error) -> Self {
        match error {
            // SQLITE_CORRUPT; everything else that can be wrong with a file means that it is none of ours.
            sqlx::Error::Database(error) if error.code().as_deref().is_some_and(is_corrupt) => Self::Damaged,
            _ => Self::Other,
        }
    }
}

/// Whether a code of SQLite, extended or not, is that of a damaged file.
fn is_corrupt(code: &str) -> bool {
    code.parse::<u32>().is_ok_and(|code| code & 0xff == 11)
}

/// Looks whether the file at `path` is a store, and whole. Nothing is created, and nothing is brought up to date: an
/// empty file would become an empty store.
pub(crate) async fn inspect(path: &Path) -> std::result::Result<(), NoCopy> {
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(false);
    let looked = async {
        let mut connection = SqliteConnection::connect_with(&options).await?;
        let read = read(&mut connection).await;
        connection.close().await?;
        read
    };
    match looked.await {
        Ok((tables, said)) if tables == TABLES && said == "ok" => Ok(()),
        Ok((tables, _)) if tables == TABLES => Err(NoCopy::Damaged),
        Ok(_) => Err(NoCopy::Other),
        Err(error) => Err(NoCopy::of(&error)),
    }
}

/// How many of the tables below every store has had from the beginning.
const TABLES: i64 = 3;

/// How many of these tables there are, and what SQLite says of the file.
async fn read(connection: &mut SqliteConnection) -> std::result::Result<(i64, String), sqlx::Error> {
    const NAMED: &str = "SELECT COUNT(*) FROM sqlite_master
        WHERE type = 'table' AND name IN ('_sqlx_migrations', 'registration', 'credential')";
    let tables = sqlx::query(NAMED).fetch_one(&mut *connection).await?.try_get(0)?;
    let said = sqlx::query("PRAGMA integrity_check(1)").fetch_one(connection).await?.try_get(0)?;
    Ok((tables, said))
}

impl Store {
    /// Copies the whole store into the file at `path`, which must be empty. `false` where the store is not a file.
    pub(crate) async fn copy_to(&self, path: &Path) -> Result<bool> {
        let Some(path) = path.to_str().map(str::to_owned) else { return Ok(false) };
        let Db::Sqlite(..) = &*self.db else { return Ok(false) };
        let db = Arc::clone(&self.db);
        // A large store takes longer than an answer may, and nobody waits behind it.
        let copied = self.runtime.spawn(async move { db.all("VACUUM INTO $1", values![path]).await }).await;
        match copied {
            Ok(Ok(_)) => Ok(true),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(super::StoreError::Down),
        }
    }

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
