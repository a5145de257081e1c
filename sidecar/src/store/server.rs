//! A store on a PostgreSQL server.

use std::{
    str::FromStr as _,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use sqlx::{
    Connection as _, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use tokio::{sync::Semaphore, time::timeout};

use super::{OpenError, PATIENCE, migrations, suspicion::Suspicion};

/// How long the tables may take at first. A network that swallows everything ends no connection, and tables of many rows
/// take their time: each that is given up lets the next one take twice as long.
const LIMIT: Duration = Duration::from_secs(10);
/// And how long at last.
const LONGEST: Duration = Duration::from_hours(1);
/// Connections.
const CONNECTIONS: u32 = 8;
/// How many of them write at once: whoever registers waits for who does so already, and the others are left to those who
/// read.
const WRITERS: usize = 5;
/// How many look at once at anything but credentials, so that a connection is left for those whoever else comes: what
/// looks may wait for a table that somebody has locked.
pub(super) const LOOKERS: usize = 2;
/// Who brings the tables up to date holds this lock of the server. It goes with the transaction, so that a process whose
/// network is gone does not keep it.
const LOCK: i64 = 0x6d65_6365_6c6c_6501;

/// What the server is told about each connection.
///
/// A process that is gone without a word, with its machine or its network, must not keep its locks: nobody could register
/// until the server's system gives the connection up, which takes hours where it is left to itself. What the server
/// remarks beside its answers is not told, because the library writes it into the log as it stands.
const SETTINGS: [(&str, &str); 8] = [
    ("client_min_messages", "error"),
    ("statement_timeout", "2000"),
    ("lock_timeout", "1000"),
    ("synchronous_commit", "on"),
    ("idle_in_transaction_session_timeout", "5000"),
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "3"),
];

/// A server, and whether its connections are suspected. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Server {
    pub(super) pool: PgPool,
    pub(super) suspicion: Suspicion,
    /// The turns to write: who waits for one holds no connection meanwhile.
    pub(super) turns: Arc<Semaphore>,
    /// The places to look without a turn, as above.
    pub(super) looks: Arc<Semaphore>,
    options: Arc<PgConnectOptions>,
    /// How often the tables took too long.
    given_up: Arc<AtomicU32>,
}

impl Server {
    /// Whether `address` is one, as far as that can be said without asking it.
    pub(super) fn understands(address: &str) -> bool {
        PgConnectOptions::from_str(address).is_ok()
    }

    /// The server at `address`, of which nothing is known yet.
    pub(super) fn at(address: &str) -> Result<Self, OpenError> {
        let options = PgConnectOptions::from_str(address)
            .map_err(|_| OpenError::Address)?
            .application_name("mecelle")
            .options(SETTINGS);
        let (pool, suspicion) =
            (PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(PATIENCE), Suspicion::default());
        let pool = suspicion.watch(pool).connect_lazy_with(options.clone());
        let [turns, looks] = [WRITERS, LOOKERS].map(|most| Arc::new(Semaphore::new(most)));
        Ok(Self { pool, suspicion, turns, looks, options: Arc::new(options), given_up: Arc::default() })
    }

    /// Brings the tables up to date, if the server answers.
    pub(super) async fn prepare(&self) -> Result<(), OpenError> {
        let connection = timeout(PATIENCE, PgConnection::connect_with(&self.options)).await;
        let mut connection = connection.map_err(|_| OpenError::Away)?.map_err(|error| refused(&error))?;
        let given_up = self.given_up.load(Ordering::Relaxed);
        let limit = LIMIT.saturating_mul(1 << given_up.min(16)).min(LONGEST);
        let Ok(done) = timeout(limit, migrate(&mut connection)).await else {
            // Dropped, the connection is ended; it belongs to no pool that would wait for it.
            self.given_up.fetch_add(1, Ordering::Relaxed);
            return Err(OpenError::Away);
        };
        done?;
        let _ = timeout(PATIENCE, connection.close()).await;
        Ok(())
    }
}

async fn migrate(connection: &mut PgConnection) -> Result<(), OpenError> {
    let done = async {
        let mut transaction = connection.begin().await?;
        // Of several processes that start together one makes the tables and the others come again.
        sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
        sqlx::query("SET LOCAL statement_timeout = 0").execute(&mut *transaction).await?;
        migrations::run_within(&mut transaction).await?;
        Ok(transaction.commit().await?)
    };
    done.await.map_err(|failure| match failure {
        migrations::Failure::Sql(error) => refused(&error),
        migrations::Failure::Tables(problem) => OpenError::Migration(problem),
    })
}

/// What an error means at the start: the server is not there for now, or it will never have us.
fn refused(error: &sqlx::Error) -> OpenError {
    match error {
        sqlx::Error::PoolTimedOut | sqlx::Error::Io(_) => OpenError::Away,
        // It is just starting or stopping (class 57), broken off (08), out of resources (53), busy with the same (55), or
        // read only, as one is that waits for its turn (25006).
        sqlx::Error::Database(database) => {
            let code = database.code().unwrap_or_default();
            let passes = ["57", "08", "53", "55", "25"].iter().any(|class| code.starts_with(class));
            if passes { OpenError::Away } else { OpenError::of(error) }
        }
        _ => OpenError::of(error),
    }
}
