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
    Connection as _, Executor as _, PgConnection, PgPool, Postgres, Row as _, Transaction, postgres::PgPoolOptions,
};
#[cfg(unix)]
use tokio::net::UnixStream;
use tokio::{net::TcpStream, sync::Semaphore, time::timeout};

use super::{
    OpenError, WAIT_TIMEOUT,
    address::{self, ServerAddress},
    error::{POOLED, explain_refusal, is_refusal_of_pooler, kind},
    migrations::{self, MigrationError},
    postgres_health::PostgresHealth,
};

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

/// Settings of each session or of one transaction. They are statements and not start-up parameters, which poolers
/// refuse.
///
/// Keepalive and idle limits: a process that vanishes with its machine or network must not keep its locks for hours.
/// Notices are suppressed, because the library logs them verbatim.
macro_rules! settings {
    ($scope:literal) => {
        concat!(
            "SET ",
            $scope,
            " client_min_messages = error;",
            "SET ",
            $scope,
            " statement_timeout = 2000;",
            "SET ",
            $scope,
            " lock_timeout = 1000;",
            "SET ",
            $scope,
            " synchronous_commit = on;",
            "SET ",
            $scope,
            " idle_in_transaction_session_timeout = 5000;",
            "SET ",
            $scope,
            " tcp_keepalives_idle = 10;",
            "SET ",
            $scope,
            " tcp_keepalives_interval = 5;",
            "SET ",
            $scope,
            " tcp_keepalives_count = 3",
        )
    };
}
const SESSION: &str = settings!("SESSION");
const BEGIN: &str = concat!("BEGIN;", settings!("LOCAL"));
/// The settings that a single read needs, before it in one message.
pub(super) const READ_LIMITS: &str = "SET LOCAL client_min_messages = error;SET LOCAL statement_timeout = 2000;";
/// Time without use after which a connection to a pooler is tested before it is used. A pooler is not restarted often,
/// and each test costs a round trip.
const TEST_AFTER: Duration = Duration::from_secs(1);
/// Removes the named statements that others left on a connection of a pooler, or that this program would leave there.
const DEALLOCATE: &str = "DEALLOCATE ALL";

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
    address: Arc<ServerAddress>,
    /// Number of migrations that timed out.
    given_up: Arc<AtomicU32>,
}

impl PgServer {
    /// Configures the server at `address`, without connecting.
    pub(super) fn at(address: &str) -> Result<Self, OpenError> {
        let mut address = address::parse(address)?;
        address.options = address.options.application_name("mecelle").extra_float_digits(None);
        let is_pooled = address.is_pooled;
        let pool = PgPoolOptions::new().max_connections(CONNECTIONS).acquire_timeout(WAIT_TIMEOUT);
        let pool = pool.after_connect(move |connection, _| {
            // Behind a pooler, the settings of a session would be those of other clients.
            let settings = if is_pooled { "" } else { SESSION };
            Box::pin(async move { connection.execute(settings).await.map(drop) })
        });
        let pool = pool.test_before_acquire(!is_pooled).before_acquire(move |connection, metadata| {
            Box::pin(async move {
                if is_pooled && metadata.idle_for > TEST_AFTER {
                    connection.ping().await?;
                }
                Ok(true)
            })
        });
        let postgres_health = PostgresHealth::default();
        let pool = postgres_health.watch(pool).connect_lazy_with(address.options.clone());
        let [write_permits, read_permits] = [WRITERS, READERS].map(|most| Arc::new(Semaphore::new(most)));
        let glance = Arc::new(Semaphore::new(1));
        Ok(Self {
            pool,
            postgres_health,
            write_permits,
            read_permits,
            glance,
            address: Arc::new(address),
            given_up: Arc::default(),
        })
    }

    /// Whether each statement needs a transaction, and none a name.
    pub(super) fn is_pooled(&self) -> bool {
        self.address.is_pooled
    }

    /// Begins a transaction.
    pub(super) async fn begin(&self) -> sqlx::Result<Transaction<'static, Postgres>> {
        if self.is_pooled() { self.pool.begin_with(BEGIN).await } else { self.pool.begin().await }
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
        let options = &self.address.options;
        let (host, port) = (options.get_host(), options.get_port());
        let connecting = async {
            #[cfg(unix)]
            {
                let folder = if host.starts_with('/') { Some(Path::new(host)) } else { None };
                if let Some(folder) = options.get_socket().map(PathBuf::as_path).or(folder) {
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
        let mut connection = self.connect().await?;
        if !self.is_pooled() {
            self.check_session(&mut connection).await?;
        }
        let given_up = self.given_up.load(Ordering::Relaxed);
        let limit = FIRST_MIGRATION_TIME.saturating_mul(1 << given_up.min(16)).min(MAX_MIGRATION_TIME);
        let Ok(done) = timeout(limit, self.migrate(&mut connection)).await else {
            // Dropping it closes it: it belongs to no pool.
            self.given_up.fetch_add(1, Ordering::Relaxed);
            return Err(OpenError::Away(Some(format!("the tables are not up to date after {} s", limit.as_secs()))));
        };
        done.map_err(|error| self.refused(error))?;
        let _ = timeout(WAIT_TIMEOUT, connection.close()).await;
        Ok(())
    }

    async fn connect(&self) -> Result<PgConnection, OpenError> {
        let limit = self.address.connect_timeout.unwrap_or(WAIT_TIMEOUT);
        let connection = timeout(limit, PgConnection::connect_with(&self.address.options)).await;
        connection.map_err(|_| OpenError::Away(None))?.map_err(|error| self.refused(error.into()))
    }

    /// Checks that connections are not shared between sessions. If another session is on the same process of the
    /// server as `connection`, which is still open, a pooler in transaction mode is in between.
    async fn check_session(&self, connection: &mut PgConnection) -> Result<(), OpenError> {
        const PROCESS: &str = "SELECT pg_backend_pid()";
        let mut other = self.connect().await?;
        let processes = timeout(WAIT_TIMEOUT, async {
            let own = connection.fetch_one(PROCESS).await?.try_get::<i32, _>(0)?;
            let others = other.fetch_one(PROCESS).await?.try_get::<i32, _>(0)?;
            other.close().await?;
            Ok((own, others))
        });
        let (own, others) = processes
            .await
            .map_err(|_| OpenError::Away(None))?
            .map_err(|error: sqlx::Error| self.refused(error.into()))?;
        if own == others {
            Err(OpenError::Database(format!("a pooler in transaction mode answers; {POOLED}")))
        } else {
            Ok(())
        }
    }

    async fn migrate(&self, connection: &mut PgConnection) -> Result<(), MigrationError> {
        let mut transaction = connection.begin_with(BEGIN).await?;
        if self.is_pooled() {
            transaction.execute(DEALLOCATE).await?;
        }
        // Of several processes that start together, one migrates; the others time out and retry.
        sqlx::query("SELECT pg_advisory_xact_lock($1)").bind(LOCK).persistent(false).execute(&mut *transaction).await?;
        transaction.execute("SET LOCAL statement_timeout = 0").await?;
        migrations::run_within(&mut transaction).await?;
        if self.is_pooled() {
            transaction.execute(DEALLOCATE).await?;
        }
        Ok(transaction.commit().await?)
    }

    /// Classifies an error at the start: the server is unavailable for now, or rejects this client.
    fn refused(&self, failure: MigrationError) -> OpenError {
        let error = match failure {
            MigrationError::Sql(error) => error,
            MigrationError::Tables(problem) => return OpenError::Migration(problem),
        };
        let is_away = match &error {
            // TLS failed: fatal, like a wrong password.
            sqlx::Error::Io(io) => io.kind() != ErrorKind::InvalidData,
            sqlx::Error::PoolTimedOut => true,
            // Starting or stopping (class 57), connection lost (08), out of resources (53), in use (55), or read-only,
            // as a standby (25006).
            sqlx::Error::Database(database) => {
                let code = database.code().unwrap_or_default();
                ["57", "08", "53", "55", "25"].iter().any(|class| code.starts_with(class))
            }
            _ => false,
        };
        if is_away {
            let address = &self.address.options;
            let place = match &error {
                sqlx::Error::Io(_) => format!(" at {}:{}", address.get_host(), address.get_port()),
                _ => String::new(),
            };
            let reason = kind(&error) + &place;
            if is_refusal_of_pooler(&error) { OpenError::Pooler(reason) } else { OpenError::Away(Some(reason)) }
        } else {
            OpenError::Database(explain_refusal(&error, self.address.options.get_username()))
        }
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
    use secrets::Digest;

    use super::*;
    use crate::{
        registrar::{Caller, Identity},
        store::{
            Location, Store, StoreError, StoreFailure,
            sql::{Db, values},
            testing::{database, pooler, postgres, postgres_with_relay, runtime},
        },
        testing,
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

    /// Returns the port of a server that refuses each connection as `PgBouncer` does.
    fn start_refusing_server(words: &'static str) -> u16 {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let fields = format!("SFATAL\0C08P01\0M{words}\0\0");
        // Ends with the process.
        thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let _ = stream.read(&mut [0; 512]);
                let length = u32::try_from(fields.len() + 4).unwrap().to_be_bytes();
                stream.write_all(&[b"E", &length[..], fields.as_bytes()].concat()).unwrap();
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
            assert!(matches!(error, OpenError::Away(_)), "it is trusted, and gone: {error}");
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

    #[test]
    fn stores_work_behind_a_pooler_in_either_mode() {
        for (mode, parameter) in [("session", ""), ("transaction", "&statement-cache-capacity=0")] {
            let Some((pooler, database)) = pooler(mode) else { return println!("no pooler") };
            let location = Location::Postgres(format!("{}{parameter}", pooler.address(&database)));
            runtime().block_on(async {
                // Each opens and migrates on connections that another has used.
                for _ in 0..2 {
                    let open = || async { Store::open(&location, runtime().handle().clone()).await.unwrap() };
                    let (one, other) = tokio::join!(open(), open());
                    let work = (0..40).map(|round| {
                        let store = if round % 2 == 0 { one.clone() } else { other.clone() };
                        tokio::spawn(async move {
                            store.probe().await.unwrap();
                            let mut transaction = store.db.begin().await.unwrap();
                            let limit = transaction.one("SHOW lock_timeout", values![]).await.unwrap();
                            transaction.commit().await.unwrap();
                            assert_eq!(limit.unwrap().text(0).unwrap(), "1s");
                            store.clock_skew(clock::Time::from_millis(0)).await.unwrap();
                        })
                    });
                    for done in work.collect::<Vec<_>>() {
                        done.await.unwrap();
                    }
                    one.close().await;
                    other.close().await;
                }
            });
        }
    }

    #[test]
    fn refusal_of_a_pooler_is_definite_and_an_outage_behind_it_is_not() {
        let Some((pooler, database)) = pooler("transaction") else { return println!("no pooler") };
        let address = format!("{}&statement-cache-capacity=0", pooler.address(&database));
        let stranger = address.replace("mecelle@", "stranger@");
        let nowhere = address.replace(&format!("/{database}?"), "/nowhere?");
        for (address, words) in [(stranger, "authentication failed"), (nowhere, "does not exist")] {
            let location = Location::Postgres(address);
            let error = runtime().block_on(Store::open(&location, runtime().handle().clone())).unwrap_err();
            let text = error.to_string();
            assert!(matches!(error, OpenError::Pooler(_)) && error.is_transient() && text.contains(words), "{text}");
        }
        for (words, is_refusal) in [
            ("no more connections allowed (max_client_conn)", true),
            ("the database system is starting up", false),
            ("server login has been failing, try again later (server_login_retry)", false),
        ] {
            let port = start_refusing_server(words);
            let error = refusal(&format!("postgres://u@localhost:{port}/x?sslmode=disable"));
            assert_eq!(matches!(error, OpenError::Pooler(_)), is_refusal, "{error}");
        }
    }

    #[test]
    fn credential_check_behind_a_pooler_is_one_query() {
        const CHECKS: u64 = 50;
        let Some((pooler, database)) = pooler("transaction") else { return println!("no pooler") };
        let location = Location::Postgres(format!("{}&statement-cache-capacity=0", pooler.address(&database)));
        runtime().block_on(async {
            let store = Store::open(&location, runtime().handle().clone()).await.unwrap();
            let (registrar, now) = (testing::registrar(&store, 71, None), clock::Clock::manual().now());
            let request = testing::registration_request(Identity::Anonymous);
            let registered = registrar.register(request, &Caller::Unlimited, now).await.unwrap();
            let digest = registered.issued.unwrap().credential.digest();
            // The first use is recorded.
            let holder = store.use_credential(&digest, now).await.unwrap().unwrap();
            let before = pooler.queries();
            for _ in 0..CHECKS {
                assert_eq!(store.use_credential(&digest, now).await.unwrap().as_ref(), Some(&holder));
            }
            let queries = pooler.queries() - before;
            // The pool tests a connection when it takes it back, which no request waits for.
            assert!(queries <= 2 * CHECKS + 4, "{queries} queries");
            assert_eq!(store.use_credential(&Digest::of(b"unknown"), now).await.unwrap(), None);
            // No digest, and so no text of a message.
            assert_eq!(store.use_credential(&Digest::new("' OR 1=1 --"), now).await.unwrap(), None);
            store.close().await;
        });
    }

    #[test]
    fn pooler_that_shares_connections_is_named_with_the_remedy() {
        let Some((pooler, database)) = pooler("transaction") else { return println!("no pooler") };
        let error = refusal(&pooler.address(&database));
        let text = error.to_string();
        assert!(
            !error.is_transient() && text.contains("pooler") && text.contains("statement-cache-capacity=0"),
            "{text}"
        );
        // What the address adds to the start-up message is refused by the pooler, in its own words.
        let address = format!("{}&options[search_path]=own", pooler.address(&database));
        let text = refusal(&address).to_string();
        assert!(text.contains("unsupported startup parameter"), "{text}");
    }

    #[test]
    fn session_has_the_limits_of_the_store() {
        let Some(kept) = postgres() else { return println!("no PostgreSQL") };
        for (sql, value) in
            [("SHOW statement_timeout", "2s"), ("SHOW lock_timeout", "1s"), ("SHOW client_min_messages", "error")]
        {
            let row = runtime().block_on(kept.store.db.one(sql, values![])).unwrap();
            assert_eq!(row.unwrap().text(0).unwrap(), value, "{sql}");
        }
    }

    #[test]
    fn user_of_the_process_enters_by_the_socket_without_a_password() {
        let Some(address) = database() else { return println!("no PostgreSQL") };
        let output = std::process::Command::new("id").arg("-un").output().unwrap().stdout;
        let own = String::from_utf8(output).unwrap();
        let location = Location::Postgres(address.clone());
        runtime().block_on(async {
            let store = Store::open(&location, runtime().handle().clone()).await.unwrap();
            let Db::Pg(server) = &*store.db else { panic!("another kind of store") };
            let sql = format!("CREATE ROLE \"{}\" LOGIN SUPERUSER", own.trim());
            (&server.pool).execute(sqlx::AssertSqlSafe(sql)).await.unwrap();
            store.close().await;
        });
        let (_, rest) = address.split_once("localhost/").unwrap();
        let (database, folder) = rest.split_once("?host=").unwrap();
        let encoded = folder.replace('/', "%2F");
        for address in [format!("postgres:///{database}?host={folder}"), format!("postgres://{encoded}/{database}")] {
            runtime().block_on(async { PgServer::at(&address).unwrap().prepare().await }).unwrap();
        }
        let error = refusal(&format!("postgres://stranger@/{database}?host={folder}"));
        let text = error.to_string();
        assert!(text.contains("`stranger`") && text.contains("Peer authentication failed"), "{text}");
    }

    #[test]
    fn server_that_is_read_only_is_named_with_the_remedy() {
        let Some(address) = database() else { return println!("no PostgreSQL") };
        let error = refusal(&format!("{address}&options[default_transaction_read_only]=on"));
        let text = error.to_string();
        assert!(error.is_transient() && text.contains("read-only transaction") && text.contains("primary"), "{text}");
        let kept = postgres().unwrap();
        runtime().block_on(async {
            let mut transaction = kept.store.db.begin().await.unwrap();
            transaction.run("SET TRANSACTION READ ONLY", values![]).await.unwrap();
            let error = transaction.run("TRUNCATE counter", values![]).await.unwrap_err();
            let StoreError::Down(StoreFailure::Failed(text)) = StoreError::from(error) else {
                panic!("another failure")
            };
            assert!(
                text.contains("25006") && text.contains("cannot execute TRUNCATE") && text.contains("primary"),
                "{text}"
            );
        });
    }
}
