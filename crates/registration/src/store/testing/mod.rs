//! Stores for tests: SQLite files and, if PostgreSQL is installed, databases of a temporary server.

#![expect(clippy::missing_panics_doc, clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

use std::{
    path::Path,
    sync::{
        Arc, LazyLock, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use clock::Time;
use cluster::{Cluster, Pooler};
use secrets::{Digest, RegistrationId};
use tempfile::TempDir;
use tokio::runtime::Runtime;

pub use self::relay::Relay;
use super::{
    Budget, Due, EmailQueue, Location, Store, StoreError, effects, limits,
    sql::{Db, SqlRow, Tx, values},
};
use crate::domain::Effect;

mod crowd;
#[expect(clippy::disallowed_methods, reason = "what comes late comes at a time")]
mod relay;

/// A transaction with uncommitted changes.
pub struct OpenTransaction(Tx);

impl OpenTransaction {
    pub async fn end(self) {
        self.0.commit().await.unwrap();
    }
}

/// A store with a replica and its temporary folder.
pub struct TestStore {
    /// The kind of store: `sqlite` or `postgres`.
    pub name: &'static str,
    pub store: Store,
    /// The same store, opened again as another process would.
    pub replica: Store,
    folder: TempDir,
}

impl TestStore {
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// Returns the runtime of the tests' stores.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
}

/// Returns the stores for model tests and other tests with hundreds of repetitions: a file and, in a long run, one of
/// each kind. The table of cases, the races and the threats cover the differences between databases; they run over each
/// kind.
pub fn quick_stores() -> Vec<TestStore> {
    if journal::times() > 1 { stores() } else { vec![file()] }
}

/// Returns a new store of each available kind. Prints the kinds, so that a missing one is noticed.
pub fn stores() -> Vec<TestStore> {
    let mut stores = vec![file()];
    stores.extend(postgres());
    println!("stores: {:?}", stores.iter().map(|kept| kept.name).collect::<Vec<_>>());
    stores
}

impl Store {
    /// Takes a due email from either queue.
    pub async fn take_email(&self, now: Time) -> Result<Option<Due>, StoreError> {
        match self.take_email_of(EmailQueue::Others, now).await? {
            Some(due) => Ok(Some(due)),
            None => self.take_email_of(EmailQueue::Links, now).await,
        }
    }
}

/// Returns a new store in a file, in memory if the system has a folder there: a busy disk makes answers late, which
/// only the drills test. The tests' PostgreSQL server does not sync to disk either.
pub fn file() -> TestStore {
    let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
    let location = Location::File(folder.path().join("store.db"));
    open_store("sqlite", &location, folder)
}

/// Returns a store in a new database of the tests' server, if PostgreSQL is installed.
pub fn postgres() -> Option<TestStore> {
    /// The database with the tables, from which the others are copied: creating the tables takes longer than most
    /// tests.
    const MADE: &str = "made";
    static MODEL: OnceLock<()> = OnceLock::new();
    let server = SERVER.as_ref()?;
    MODEL.get_or_init(|| {
        create(server, MADE, "template1");
        let location = Location::Postgres(server.address(MADE));
        let made = async { Store::open(&location, runtime().handle().clone()).await.unwrap().close().await };
        runtime().block_on(made);
    });
    let address = new_database(server, MADE);
    Some(open_store("postgres", &Location::Postgres(address), tempfile::tempdir().unwrap()))
}

/// Like [`postgres`], with a relay before the store; the replica connects directly.
pub fn postgres_with_relay() -> Option<(TestStore, Relay)> {
    let (server, kept) = (SERVER.as_ref()?, postgres()?);
    let database = runtime().block_on(kept.replica.database());
    let relay = runtime().block_on(Relay::start(server.socket()));
    let location = Location::Postgres(format!("postgres://mecelle@{}/{database}?sslmode=disable", relay.place));
    let store = runtime().block_on(Store::open(&location, runtime().handle().clone())).unwrap();
    Some((TestStore { store, ..kept }, relay))
}

/// Starts a pooler in `mode` before the tests' server, if both are installed. The second value is the name of a new,
/// empty database.
pub fn pooler(mode: &str) -> Option<(Pooler, String)> {
    let (server, address) = (SERVER.as_ref()?, database()?);
    if !Pooler::is_installed() && !is_required() {
        return None;
    }
    let (_, database) = address.split_once("localhost/").unwrap();
    Some((Pooler::start(server, mode), database.split('?').next().unwrap().to_owned()))
}

/// Returns the address of a new, empty database of the tests' server, if PostgreSQL is installed.
pub fn database() -> Option<String> {
    Some(new_database(SERVER.as_ref()?, "template1"))
}

/// Creates a copy of the database `model`, and returns its address.
fn new_database(server: &Cluster, model: &str) -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = format!("test{}", NEXT.fetch_add(1, Ordering::Relaxed));
    create(server, &name, model);
    server.address(&name)
}

fn create(server: &Cluster, name: &str, model: &str) {
    use sqlx::{Connection as _, Executor as _};
    runtime().block_on(async {
        let mut admin = sqlx::PgConnection::connect(&server.address("postgres")).await.unwrap();
        admin.execute(sqlx::AssertSqlSafe(format!("CREATE DATABASE {name} TEMPLATE {model}"))).await.unwrap();
        admin.close().await.unwrap();
    });
}

fn open_store(name: &'static str, location: &Location, folder: TempDir) -> TestStore {
    keep_journal();
    let open = || runtime().block_on(Store::open(location, runtime().handle().clone())).unwrap();
    TestStore { name, store: open(), replica: open(), folder }
}

/// Keeps the log of the store tests for the step `logs`, which searches it for every secret that the tests made.
pub fn keep_journal() {
    journal::keep_events("registration-unit");
}

/// The tests' PostgreSQL server. It ends with this process.
static SERVER: LazyLock<Option<Cluster>> =
    LazyLock::new(|| (is_required() || Cluster::is_installed()).then(Cluster::start));

#[expect(clippy::disallowed_methods, reason = "where everything is judged, a missing server is a failure")]
fn is_required() -> bool {
    std::env::var_os("REQUIRE_POSTGRES").is_some()
}

impl Store {
    /// Returns registration, digest and scopes of every credential that is live at `now`.
    pub async fn live(&self, now: Time) -> Vec<(RegistrationId, String, String)> {
        const SQL: &str =
            "SELECT registration, digest, scopes FROM credential WHERE revoked_at IS NULL AND expires_at > $1";
        let rows = self.db.all(SQL, values![now]).await.unwrap();
        let read =
            |row: SqlRow| (RegistrationId::new(row.text(0).unwrap()), row.text(1).unwrap(), row.text(2).unwrap());
        rows.into_iter().map(read).collect()
    }

    /// Revokes a credential without committing.
    pub async fn begin_revoking(&self, id: &RegistrationId, digest: Digest, now: Time) -> OpenTransaction {
        let mut tx = self.db.begin().await.unwrap();
        effects::apply(&mut tx, id, vec![Effect::Revoke(digest)], now).await.unwrap();
        OpenTransaction(tx)
    }

    /// Takes the lock that registrations and guesses take first.
    pub async fn begin_locking_registrations(&self) -> OpenTransaction {
        let mut tx = self.db.begin().await.unwrap();
        limits::lock_registrations(&mut tx).await.unwrap();
        OpenTransaction(tx)
    }

    /// Counts for `budget` without committing.
    pub async fn begin_counting(&self, budget: Budget, now: Time) -> OpenTransaction {
        let mut tx = self.db.begin().await.unwrap();
        limits::take(&mut tx, &self.levels, &[budget], now).await.unwrap();
        OpenTransaction(tx)
    }

    /// Locks the row of the registration `id`.
    pub async fn begin_locking_record(&self, id: &RegistrationId) -> OpenTransaction {
        let mut tx = self.db.begin().await.unwrap();
        tx.run("UPDATE registration SET version = version WHERE id = $1", values![id.as_str()]).await.unwrap();
        OpenTransaction(tx)
    }

    /// Locks all registrations, as a change of the tables does. On PostgreSQL only.
    pub async fn begin_locking_tables(&self) -> OpenTransaction {
        let mut tx = self.db.begin().await.unwrap();
        tx.run("LOCK TABLE registration IN ACCESS EXCLUSIVE MODE", values![]).await.unwrap();
        OpenTransaction(tx)
    }

    /// Returns how many transactions wait for locked rows. In a file the second transaction waits for the write permit,
    /// which cannot be observed; there chance decides whether the two meet.
    pub async fn lock_waiters(&self) -> i64 {
        const SQL: &str = "SELECT COUNT(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'";
        match &*self.db {
            Db::Sqlite(_) => i64::MAX,
            Db::Pg(_) => self.db.one(SQL, values![]).await.unwrap().unwrap().number(0).unwrap(),
        }
    }

    /// Whether all write permits of this process are taken; further writers wait.
    pub fn has_no_write_permit(&self) -> bool {
        let permits = match &*self.db {
            Db::Sqlite(file) => file.write_permits().unwrap(),
            Db::Pg(server) => Arc::clone(&server.write_permits),
        };
        permits.available_permits() == 0
    }

    async fn database(&self) -> String {
        self.db.one("SELECT CAST(current_database() AS TEXT)", values![]).await.unwrap().unwrap().text(0).unwrap()
    }

    /// Returns every text in every column of every table.
    pub async fn texts(&self) -> Vec<String> {
        use sqlx::{AssertSqlSafe, Executor as _, Row as _};
        let mut texts = Vec::new();
        match &*self.db {
            Db::Sqlite(file) => {
                let mut connection = file.pool().unwrap().acquire().await.unwrap();
                let tables = "SELECT name FROM sqlite_master WHERE type = 'table'";
                for table in connection.fetch_all(tables).await.unwrap() {
                    let sql = format!("SELECT * FROM {}", table.get::<String, _>(0));
                    for row in connection.fetch_all(AssertSqlSafe(sql)).await.unwrap() {
                        texts.extend((0..row.len()).filter_map(|column| row.try_get::<String, _>(column).ok()));
                    }
                }
            }
            Db::Pg(server) => {
                let mut connection = server.pool.acquire().await.unwrap();
                let tables = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public'";
                for table in connection.fetch_all(tables).await.unwrap() {
                    let sql = format!("SELECT * FROM {}", table.get::<String, _>(0));
                    for row in connection.fetch_all(AssertSqlSafe(sql)).await.unwrap() {
                        texts.extend((0..row.len()).filter_map(|column| row.try_get::<String, _>(column).ok()));
                    }
                }
            }
        }
        texts
    }

    /// Returns how many access links exist, how many are counted, and how many counters exist.
    pub async fn links(&self) -> (i64, i64, i64) {
        const SQL: &str = "SELECT (SELECT COUNT(*) FROM access_link),
            (SELECT count FROM counter WHERE bucket = 'links'), (SELECT COUNT(*) FROM counter)";
        let row = self.db.one(SQL, values![]).await.unwrap().unwrap();
        (row.number(0).unwrap(), row.number(1).unwrap(), row.number(2).unwrap())
    }

    /// Raises the count of links by `more` above the truth.
    pub async fn miscount_links(&self, more: i64) {
        const SQL: &str = "UPDATE counter SET count = count + $1 WHERE bucket = 'links' RETURNING count";
        self.db.one(SQL, values![more]).await.unwrap();
    }

    /// Returns how many registrations exist, and how many are counted.
    pub async fn population(&self) -> (i64, i64) {
        const SQL: &str = "SELECT (SELECT COUNT(*) FROM registration),
            (SELECT count FROM counter WHERE bucket = 'registrations')";
        let row = self.db.one(SQL, values![]).await.unwrap().unwrap();
        (row.number(0).unwrap(), row.number(1).unwrap())
    }
}
