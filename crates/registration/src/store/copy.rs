//! The store as a file: copied whole, and compared with a copy of it.

use std::sync::Arc;

use clock::Time;

use super::{
    FileErrorKind, Result, Store,
    registrations::parse_record,
    sql::{Db, values},
};
use crate::domain::{Digest, Record};

impl Store {
    /// Returns up to 500 registrations, ordered by name, after the one named `last`.
    pub async fn records_after(&self, last: String) -> Result<Vec<Record>> {
        const SQL: &str = "SELECT body FROM registration WHERE id > $1 ORDER BY id LIMIT 500";
        self.all(SQL, values![last]).await?.iter().map(|row| parse_record(row, 0)).collect()
    }

    /// Whether the credential of this digest is in force at `now`. The look leaves no trace.
    pub async fn is_live(&self, digest: &Digest, now: Time) -> Result<bool> {
        const SQL: &str = "SELECT digest FROM credential WHERE digest = $1 AND revoked_at IS NULL AND expires_at > $2";
        Ok(self.one(SQL, values![digest.as_str(), now]).await?.is_some())
    }

    /// Empties the log beside the file, so that what was forgotten is nowhere any more. Returns `false` if a reader
    /// still needs the log at this moment.
    pub async fn scrub(&self) -> Result<bool> {
        let Db::Sqlite(..) = &*self.db else { return Ok(true) };
        let row = self.one("PRAGMA wal_checkpoint(TRUNCATE)", values![]).await?;
        Ok(row.map(|row| row.number(0)).transpose()?.is_none_or(|busy| busy == 0))
    }

    /// Copies the whole store, which must be a file, into the empty file at `path`.
    pub async fn copy_to(&self, path: String) -> std::result::Result<(), FileErrorKind> {
        let db = Arc::clone(&self.db);
        // Copying a large store takes longer than an answer may, and delays no other call.
        match self.runtime.spawn(async move { db.all("VACUUM INTO $1", values![path]).await }).await {
            Ok(copied) => copied.map(drop).map_err(|error| FileErrorKind::of(&error)),
            Err(_) => Err(FileErrorKind::BrokenOff),
        }
    }
}
