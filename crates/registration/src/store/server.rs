//! A store on a PostgreSQL server.

use std::{
    io::ErrorKind,
    path::{Path, PathBuf},
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
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::{net::TcpStream, sync::Semaphore, time::timeout};

use super::{OpenError, WAIT_TIMEOUT, address, migrations, postgres_health::PostgresHealth};

/// Time limit of a migration at first. It must be limited, because a network may drop all packets, but large tables
/// take long: each timeout doubles the next limit.
const FIRST_MIGRATION_TIME: Duration = Duration::from_secs(10);
/// Maximum of that limit.
const MAX_MIGRATION_TIME: Duration = Duration::from_hours(1);
/// Time limit of a probe whether connections are refused.
const GLANCE: Duration = Duration::from_millis(250);
const CONNECTIONS: u32 = 8;
/// Concurrent writers. They wait for each other; the other connections are for readers.
const WRITERS: usize = 5;
/// Concurrent readers of anything but credentials: they may wait for a locked table, and a connection must be left for
/// credentials.
pub(super) const READERS: usize = 2;
/// The advisory lock of migrations. It ends with its transaction, so that a process that lost its network does not keep
/// it.
const LOCK: i64 = 0x6d65_6365_6c6c_6501;

/// Settings of each connection.
///
/// Keepalive and idle limits: a process that vanishes with its machine or network must not keep its locks for hours.
/// Notices are suppressed, because the library logs them verbatim.
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

/// A server. Cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct PgServer {
    pub(super) pool: PgPool,
    pub(super) postgres_health: PostgresHealth,
    /// Permits to write. A waiting writer holds no connection.
    pub(super) write_permits: Arc<Semaphore>,
    /// Permits to read outside a write permit.
    pub(super) read_permits: Arc<Semaphore>,
    /// Permit for the probe in `refuses_connections`.
    glance: Arc<Semaphore>,
    options: Arc<PgConnectOptions>,
    /// Number of migrations that timed out.
    given_up: Arc<AtomicU32>,
}

impl PgServer {
    /// Configures the server at `address`, without connecting.
    pub(super) fn at(address: &str) -> Result<Self, OpenError> {
        let options = address::parse_options(address)?.application_name("mecelle").options(SETTINGS);
        let (pool, postgres_health) = (
            PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(WAIT_TIMEOUT),
            PostgresHealth::default(),
        );
        let pool = postgres_health.watch(pool).connect_lazy_with(options.clone());
        let [write_permits, read_permits] = [WRITERS, READERS].map(|most| Arc::new(Semaphore::new(most)));
        let glance = Arc::new(Semaphore::new(1));
        Ok(Self {
            pool,
            postgres_health,
            write_permits,
            read_permits,
            glance,
            options: Arc::new(options),
            given_up: Arc::default(),
        })
    }

    /// Replaces a pool timeout by "connection refused" if that is the cause: the pool retries refused connections and
    /// then reports only the timeout.
    pub(super) async fn explain_timeout<T>(&self, result: sqlx::Result<T>) -> sqlx::Result<T> {
        match result {
            Err(sqlx::Error::PoolTimedOut) if self.refuses_connections().await => {
                Err(sqlx::Error::Io(ErrorKind::ConnectionRefused.into()))
            }
            result => result,
        }
    }

    /// Whether connections are refused. One caller at a time probes; the others get `false`.
    async fn refuses_connections(&self) -> bool {
        let Ok(_glance) = self.glance.try_acquire() else { return false };
        let (host, port) = (self.options.get_host(), self.options.get_port());
        let connecting = async {
            #[cfg(unix)]
            {
                let folder = if host.starts_with('/') { Some(Path::new(host)) } else { None };
                if let Some(folder) = self.options.get_socket().map(PathBuf::as_path).or(folder) {
                    return UnixStream::connect(folder.join(format!(".s.PGSQL.{port}"))).await.map(drop);
                }
            }
            TcpStream::connect((host, port)).await.map(drop)
        };
        let connected = timeout(GLANCE, connecting).await;
        connected.is_ok_and(|connected| connected.is_err_and(|error| error.kind() == ErrorKind::ConnectionRefused))
    }

    /// Connects and migrates the tables.
    pub(super) async fn prepare(&self) -> Result<(), OpenError> {
        let connection = timeout(WAIT_TIMEOUT, PgConnection::connect_with(&self.options)).await;
        let mut connection = connection.map_err(|_| OpenError::Away)?.map_err(|error| refused(&error))?;
        let given_up = self.given_up.load(Ordering::Relaxed);
        let limit = FIRST_MIGRATION_TIME.saturating_mul(1 << given_up.min(16)).min(MAX_MIGRATION_TIME);
        let Ok(done) = timeout(limit, migrate(&mut connection)).await else {
            // Dropping it closes it: it belongs to no pool.
            self.given_up.fetch_add(1, Ordering::Relaxed);
            return Err(OpenError::Away);
        };
        done?;
        let _ = timeout(WAIT_TIMEOUT, connection.close()).await;
        Ok(())
    }
}

async fn migrate(connection: &mut PgConnection) -> Result<(), OpenError> {
    let done = async {
        let mut transaction = connection.begin().await?;
        // Of several processes that start together, one migrates; the others time out and retry.
        sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).execute(&mut *transaction).await?;
        sqlx::query("SET LOCAL statement_timeout = 0").execute(&mut *transaction).await?;
        migrations::run_within(&mut transaction).await?;
        Ok(transaction.commit().await?)
    };
    done.await.map_err(|failure| match failure {
        migrations::MigrationError::Sql(error) => refused(&error),
        migrations::MigrationError::Tables(problem) => OpenError::Migration(problem),
    })
}

/// Classifies an error at the start: the server is unavailable for now, or rejects this client.
fn refused(error: &sqlx::Error) -> OpenError {
    match error {
        // TLS failed: fatal, like a wrong password.
        sqlx::Error::Io(io) if io.kind() == ErrorKind::InvalidData => OpenError::of(error),
        sqlx::Error::PoolTimedOut | sqlx::Error::Io(_) => OpenError::Away,
        // Starting or stopping (class 57), connection lost (08), out of resources (53), in use (55), or read-only, as a
        // standby (25006).
        sqlx::Error::Database(database) => {
            let code = database.code().unwrap_or_default();
            let passes = ["57", "08", "53", "55", "25"].iter().any(|class| code.starts_with(class));
            if passes { OpenError::Away } else { OpenError::of(error) }
        }
        _ => OpenError::of(error),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{Read as _, Write as _},
        net::TcpListener,
        os::unix::net::UnixListener,
        thread,
    };

    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use providers::testing::Certified;
    use rustls::{ServerConnection, StreamOwned};

    use super::*;
    use crate::store::{
        Store, StoreError, StoreFailure,
        sql::Db,
        testing::{database, postgres_with_relay, runtime},
    };

    /// Returns the error of a start with the server at `address`.
    fn refusal(address: &str) -> OpenError {
        runtime().block_on(async { PgServer::at(address).unwrap().prepare().await }).unwrap_err()
    }

    /// Returns the port of a server that does PostgreSQL's TLS handshake and then closes each connection.
    fn start_tls_server(host: &Certified) -> u16 {
        let (listener, config) = (TcpListener::bind("127.0.0.1:0").unwrap(), host.server());
        let port = listener.local_addr().unwrap().port();
        // Ends with the process.
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                stream.read_exact(&mut [0; 8]).unwrap();
                stream.write_all(b"S").unwrap();
                let mut stream = StreamOwned::new(ServerConnection::new(config.clone()).unwrap(), stream);
                // The first bytes after the handshake.
                let _ = stream.read(&mut [0; 64]);
            }
        });
        port
    }

    fn pem(path: &Path, certified: &Certified) -> String {
        let text = STANDARD.encode(&certified.der);
        std::fs::write(path, format!("-----BEGIN CERTIFICATE-----\n{text}\n-----END CERTIFICATE-----\n")).unwrap();
        path.display().to_string()
    }

    #[test]
    fn server_with_a_wrong_certificate_ends_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let [authority, stranger] = [(); 2].map(|()| Certified::authority());
        let [right, wrong] = [("right.pem", &authority), ("wrong.pem", &stranger)]
            .map(|(name, certified)| pem(&folder.path().join(name), certified));
        let (own, other) =
            (start_tls_server(&authority.host("localhost")), start_tls_server(&authority.host("db.example")));
        let at = |port: u16, query: &str| refusal(&format!("postgres://u:hunter2@localhost:{port}/db?{query}"));
        for mode in ["verify-ca", "verify-full"] {
            for query in [format!("sslmode={mode}"), format!("sslmode={mode}&sslrootcert={wrong}")] {
                let error = at(own, &query);
                let text = error.to_string();
                assert!(
                    !error.is_transient() && text.contains("`sslrootcert`") && text.contains("not trusted"),
                    "{text}"
                );
                assert!(!text.contains("hunter2"), "{text}");
            }
        }
        let error = at(other, &format!("sslmode=verify-full&sslrootcert={right}"));
        assert!(!error.is_transient() && error.to_string().contains("is for a host other than"), "{error}");
        for (port, mode) in [(own, "verify-full"), (other, "verify-ca"), (own, "require")] {
            let error = at(port, &format!("sslmode={mode}&sslrootcert={right}"));
            assert!(matches!(error, OpenError::Away), "it is trusted, and gone: {error}");
        }
    }

    #[test]
    fn refused_connection_fails_and_silent_server_is_late() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let probe = |place: String| {
            let store = runtime().block_on(async {
                let server = PgServer::at(&format!("postgres://u@{place}/db?sslmode=disable")).unwrap();
                Store::of(Db::Pg(server), runtime().handle().clone())
            });
            match runtime().block_on(store.probe()) {
                Err(StoreError::Down(failure)) => failure,
                other => panic!("{other:?}"),
            }
        };
        let place = listener.local_addr().unwrap().to_string();
        assert!(matches!(probe(place.clone()), StoreFailure::Late(_)), "the server only stays silent");
        drop(listener);
        assert_eq!(probe(place), StoreFailure::Failed("io connection refused".to_owned()));
        let folder = tempfile::tempdir().unwrap();
        drop(UnixListener::bind(folder.path().join(".s.PGSQL.5432")).unwrap());
        let place = folder.path().display().to_string().replace('/', "%2F");
        assert_eq!(probe(place), StoreFailure::Failed("io connection refused".to_owned()));
    }

    #[test]
    fn rejection_by_the_server_names_the_remedy() {
        let Some(address) = database() else { return println!("no PostgreSQL") };
        let nobody = address.replace("mecelle@", "nobody:hunter2@");
        let nowhere = address.replace("/test", "/nowhere");
        for (address, helps) in [(nobody, "password"), (nowhere, "create it")] {
            let error = refusal(&address);
            let text = error.to_string();
            assert!(!error.is_transient() && text.contains(helps) && !text.contains("hunter2"), "{text}");
        }
        let (_kept, relay) = postgres_with_relay().unwrap();
        let error = refusal(&format!("postgres://mecelle@{}/db?sslmode=require", relay.place));
        assert!(!error.is_transient() && error.to_string().contains("does not offer TLS"), "{error}");
    }
}
