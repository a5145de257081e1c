//! Copies of the store, and the reads with which a copy is compared.

use std::sync::Arc;

use clock::Time;
use secrets::Digest;

use super::{
    FileErrorKind, Result, Store,
    registrations::parse_record,
    sql::{Db, values},
};
use crate::domain::RegistrationRecord;

impl Store {
    /// Returns up to 500 registrations after the ID `last`, ordered by ID.
    pub async fn records_after(&self, last: String) -> Result<Vec<RegistrationRecord>> {
        const SQL: &str = "SELECT body FROM registration WHERE id > $1 ORDER BY id LIMIT 500";
        self.all(SQL, values![last]).await?.iter().map(|row| parse_record(row, 0)).collect()
    }

    /// Whether the credential is in force at `now`. Does not record a use.
    pub async fn is_live(&self, digest: &Digest, now: Time) -> Result<bool> {
        const SQL: &str = "SELECT digest FROM credential WHERE digest = $1 AND revoked_at IS NULL AND expires_at > $2";
        Ok(self.one(SQL, values![digest.as_str(), now]).await?.is_some())
    }

    /// Truncates the write-ahead log, so that deleted rows are in no file any more. Returns `false` if a reader still
    /// needs the log.
    pub async fn scrub(&self) -> Result<bool> {
        let Db::Sqlite(..) = &*self.db else { return Ok(true) };
        let row = self.one("PRAGMA wal_checkpoint(TRUNCATE)", values![]).await?;
        Ok(row.map(|row| row.number(0)).transpose()?.is_none_or(|busy| busy == 0))
    }

    /// Copies the store, which must be SQLite, into the empty file at `path`.
    pub async fn copy_to(&self, path: String) -> std::result::Result<(), FileErrorKind> {
        let db = Arc::clone(&self.db);
        // Outside `run`: copying a large store takes longer than its deadline.
        match self.runtime.spawn(async move { db.all("VACUUM INTO $1", values![path]).await }).await {
            Ok(copied) => copied.map(drop).map_err(|error| FileErrorKind::of(&error)),
            Err(_) => Err(FileErrorKind::BrokenOff),
        }
    }
}
