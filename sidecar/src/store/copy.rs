//! The store as a file: copied whole, and compared with a copy of it.

use std::{path::Path, sync::Arc};

use super::{
    Result, Store, StoreError,
    registrations::body,
    sql::{Db, Row, Value, values},
};
use crate::{
    Time,
    registration::{Digest, Record},
};

impl Store {
    /// Up to 500 registrations, by name, after the one named `last`.
    pub(crate) async fn records_after(&self, last: String) -> Result<Vec<Record>> {
        const SQL: &str = "SELECT body FROM registration WHERE id > $1 ORDER BY id LIMIT 500";
        self.all(SQL, values![last]).await?.iter().map(|row| body(row, 0)).collect()
    }

    /// Whether the credential of this digest is in force at `now`; a look that leaves no trace.
    pub(crate) async fn is_live(&self, digest: &Digest, now: Time) -> Result<bool> {
        const SQL: &str = "SELECT digest FROM credential WHERE digest = $1 AND revoked_at IS NULL AND expires_at > $2";
        Ok(self.one(SQL, values![digest.as_str(), now]).await?.is_some())
    }

    /// Empties the log beside the file, so that what was forgotten stands nowhere any more. `false` where a reader of this
    /// moment still needs it.
    pub(crate) async fn scrub(&self) -> Result<bool> {
        let Db::Sqlite(..) = &*self.db else { return Ok(true) };
        let row = self.one("PRAGMA wal_checkpoint(TRUNCATE)", values![]).await?;
        Ok(row.map(|row| row.number(0)).transpose()?.is_none_or(|busy| busy == 0))
    }

    /// Copies the whole store into the file at `path`, which must be empty. `false` where the store is not a file.
    pub(crate) async fn copy_to(&self, path: &Path) -> Result<bool> {
        let Some(path) = path.to_str().map(str::to_owned) else { return Ok(false) };
        let Db::Sqlite(..) = &*self.db else { return Ok(false) };
        self.at_leisure("VACUUM INTO $1", values![path]).await?;
        Ok(true)
    }

    /// Whether the file is undamaged, as far as can be seen without comparing every index with its table.
    pub(crate) async fn is_whole(&self) -> Result<bool> {
        let Db::Sqlite(..) = &*self.db else { return Ok(true) };
        let rows = self.at_leisure("PRAGMA quick_check(1)", values![]).await?;
        Ok(matches!(&*rows, [only] if only.text(0)? == "ok"))
    }

    /// What takes longer of a large store than an answer may, and behind which nobody waits.
    async fn at_leisure(&self, sql: &'static str, values: Vec<Value>) -> Result<Vec<Row>> {
        let db = Arc::clone(&self.db);
        match self.runtime.spawn(async move { db.all(sql, values).await }).await {
            Ok(Ok(rows)) => Ok(rows),
            Ok(Err(error)) => Err(error.into()),
            Err(_) => Err(StoreError::Down),
        }
    }
}
