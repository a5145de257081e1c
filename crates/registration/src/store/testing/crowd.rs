//! Very many rows, made by the database itself.

use sqlx::{AssertSqlSafe, Executor as _};

use super::TestStore;
use crate::{domain::RegistrationId, store::sql::Db};

/// How to make many registrations from one.
const TEXT: &str = include_str!("../../../../../tests/fixtures/crowd.sql");
/// Rows per statement.
const STEP: u32 = 10_000;

impl TestStore {
    /// Stores `count` registrations like `model`, numbered from `first`. No two calls may share a number.
    pub async fn multiply(&self, model: &RegistrationId, first: u32, count: u32) {
        let (_, text) = TEXT.split_once("WITH RECURSIVE").unwrap();
        let (crowd, statements) = text.split_once("-- ---").unwrap();
        let crowd = format!("WITH RECURSIVE{crowd}");
        for from in (first..first + count).step_by(STEP as usize) {
            let to = (from + STEP).min(first + count) - 1;
            let filled = statements.replace("{CROWD}", &crowd).replace("{MODEL}", model.as_str());
            let filled = filled.replace("{FIRST}", &from.to_string()).replace("{LAST}", &to.to_string());
            self.execute(&filled).await;
        }
    }

    /// Runs statements that no service would run, for as long as they take.
    pub async fn execute(&self, statements: &str) {
        match &*self.store.db {
            Db::Sqlite(file) => {
                let mut connection = file.pool().unwrap().acquire().await.unwrap();
                let whole = format!("BEGIN IMMEDIATE; {statements}; COMMIT");
                connection.execute(AssertSqlSafe(whole)).await.unwrap();
            }
            Db::Pg(server) => {
                let mut connection = server.pool.acquire().await.unwrap();
                let whole = format!("SET statement_timeout = 0; {statements}");
                connection.execute(AssertSqlSafe(whole)).await.unwrap();
                connection.execute("SET statement_timeout = 2000").await.unwrap();
            }
        }
    }

    /// Returns how many bytes the store takes on disk.
    pub async fn bytes(&self) -> i64 {
        let sql = match &*self.store.db {
            Db::Sqlite(_) => "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
            Db::Pg(_) => "SELECT CAST(pg_database_size(current_database()) AS BIGINT)",
        };
        self.store.db.one(sql, Vec::new()).await.unwrap().unwrap().number(0).unwrap()
    }

    /// Does at once what the server does on its own within minutes: counts rows, and frees the room that deleted rows
    /// have left.
    pub async fn settle(&self) {
        if let Db::Pg(server) = &*self.store.db {
            let mut connection = server.pool.acquire().await.unwrap();
            // The server may be doing the same to a table; this waits for it.
            let patient = ["SET statement_timeout = 0", "SET lock_timeout = 0"];
            let as_before = ["RESET statement_timeout", "RESET lock_timeout"];
            for sql in patient.into_iter().chain(["VACUUM ANALYZE"]).chain(as_before) {
                connection.execute(sql).await.unwrap();
            }
        }
    }
}
