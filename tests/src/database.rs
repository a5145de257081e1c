//! Access to a store beside the sidecars that use it.

use sidecar::Clock;
use sqlx::{
    AssertSqlSafe, Connection as _, Executor as _, PgConnection, Row as _, SqliteConnection,
    sqlite::SqliteConnectOptions,
};
use tokio::runtime::{Builder, Runtime};

use crate::wait::eventually;

#[derive(Debug)]
pub struct Database {
    runtime: Runtime,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Sqlite(Box<SqliteConnection>),
    Postgres(Box<PgConnection>),
}

impl Database {
    /// Connects to the store of this setting.
    #[must_use]
    pub fn connect(store: &str) -> Self {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let kind = runtime.block_on(async {
            match store.strip_prefix("sqlite://") {
                Some(path) => {
                    let options = SqliteConnectOptions::new().filename(path);
                    Kind::Sqlite(Box::new(SqliteConnection::connect_with(&options).await.expect("a store")))
                }
                None => Kind::Postgres(Box::new(PgConnection::connect(store).await.expect("a store"))),
            }
        });
        Self { runtime, kind }
    }

    /// Returns the first column, a text, of every row.
    pub fn texts(&mut self, sql: &str) -> Vec<String> {
        let sql = AssertSqlSafe(sql.to_owned());
        self.runtime.block_on(async {
            match &mut self.kind {
                Kind::Sqlite(connection) => {
                    let rows = connection.fetch_all(sql).await.expect("an answer");
                    rows.iter().map(|row| row.get(0)).collect()
                }
                Kind::Postgres(connection) => {
                    let rows = connection.fetch_all(sql).await.expect("an answer");
                    rows.iter().map(|row| row.get(0)).collect()
                }
            }
        })
    }

    /// Moves the claims of the last two minutes to an earlier time, as if two and a half minutes had passed: until then, a
    /// poll leaves the credential of the code in place.
    pub fn age_claims(&mut self) {
        const CLAIMED: &str = "\"claimed\":{\"at\":";
        const AGE: i64 = 150_000;
        let now = Clock::system().now().millis();
        for body in self.texts(&format!("SELECT body FROM registration WHERE body LIKE '%{CLAIMED}%'")) {
            let (before, rest) = body.split_once(CLAIMED).expect("a claim");
            let digits = rest.find(|letter: char| !letter.is_ascii_digit()).expect("more than a number");
            let (at, rest) = rest.split_at(digits);
            let at: i64 = at.parse().expect("a time");
            if at + AGE > now {
                let aged = format!("{before}{CLAIMED}{}{rest}", at - AGE);
                let [aged, body] = [aged, body].map(|text| text.replace('\'', "''"));
                self.run(&format!("UPDATE registration SET body = '{aged}' WHERE body = '{body}'"));
            }
        }
    }

    /// Waits until no statement is in progress: a server still finishes the last one of an ended process.
    pub fn rest(&mut self) {
        const BUSY: &str = "SELECT CAST(pid AS TEXT) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'";
        if matches!(self.kind, Kind::Sqlite(_)) {
            return;
        }
        eventually("a server without work", || self.texts(BUSY).is_empty());
    }

    pub fn run(&mut self, sql: &str) {
        let sql = AssertSqlSafe(sql.to_owned());
        self.runtime.block_on(async {
            match &mut self.kind {
                Kind::Sqlite(connection) => drop(connection.execute(sql).await.expect("an answer")),
                Kind::Postgres(connection) => drop(connection.execute(sql).await.expect("an answer")),
            }
        });
    }
}
