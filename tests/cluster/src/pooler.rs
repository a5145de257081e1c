//! A pooler (`PgBouncer`) before a cluster, for tests.

use std::{
    fs,
    os::unix::net::UnixStream,
    path::PathBuf,
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{AS_NOBODY, Cluster, TIMEOUT, give_away};

/// Shell script that runs the pooler until its input ends, as at the end of this process.
const KEEPER: &str = "$1 pgbouncer -q \"$2/pgbouncer.ini\" >/dev/null 2>&1 & pooler=$!
    read -r line
    kill $pooler; wait; rm -rf \"$2\"";

/// A pooler with fewer connections to the server than its clients have, which ends when this value is dropped.
#[derive(Debug)]
pub struct Pooler {
    folder: PathBuf,
    keeper: Child,
}

impl Pooler {
    /// Returns whether `pgbouncer` is on the path.
    #[must_use]
    pub fn is_installed() -> bool {
        let version = Command::new("pgbouncer").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
        version.is_ok_and(|status| status.success())
    }

    /// Starts a pooler in `mode`: `session` or `transaction`. Nothing is set that the manual does not ask for: it
    /// refuses unknown start-up parameters.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "a bounded wait needs the clock")]
    pub fn start(cluster: &Cluster, mode: &str) -> Self {
        assert!(Self::is_installed(), "`pgbouncer` is not on the path: install PgBouncer");
        let folder = tempfile::Builder::new().prefix("pooler").tempdir().expect("a temporary folder").keep();
        let (own, server) = (folder.display(), cluster.folder.display());
        let settings = format!(
            "[databases]\n* = host={server}\n[pgbouncer]\nlisten_addr =\nunix_socket_dir = {own}\nlisten_port = 5432\n\
             auth_type = trust\nstats_users = mecelle\nauth_file = {own}/users.txt\npool_mode = {mode}\n\
             default_pool_size = {}\nmax_client_conn = 200\n",
            // Each session has a connection of its own.
            if mode == "session" { 100 } else { 3 }
        );
        for (name, text) in [("pgbouncer.ini", &*settings), ("users.txt", "\"mecelle\" \"\"\n")] {
            fs::write(folder.join(name), text).expect("a file");
            give_away(&folder.join(name), cluster.is_root);
        }
        give_away(&folder, cluster.is_root);
        let mut shell = Command::new("sh");
        shell.args(["-c", KEEPER, "sh", if cluster.is_root { AS_NOBODY } else { "" }]).arg(&folder);
        let keeper = shell.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().expect("a shell");
        let pooler = Self { folder, keeper };
        let start = Instant::now();
        while UnixStream::connect(pooler.folder.join(".s.PGSQL.5432")).is_err() {
            assert!(start.elapsed() < TIMEOUT, "PgBouncer does not start");
            thread::sleep(Duration::from_millis(50));
        }
        pooler
    }

    /// Returns the number of queries so far that the pooler passed on to the server.
    #[must_use]
    pub fn queries(&self) -> u64 {
        let mut psql = Command::new("psql");
        psql.arg("-h").arg(&self.folder).args([
            "-p",
            "5432",
            "-U",
            "mecelle",
            "-XAt",
            "-F",
            ",",
            "-c",
            "SHOW STATS_TOTALS",
        ]);
        let output = psql.arg("pgbouncer").output().expect("psql");
        // database, xact_count, query_count, …
        let counts = String::from_utf8_lossy(&output.stdout);
        counts.lines().filter_map(|row| row.split(',').nth(2)?.parse::<u64>().ok()).sum()
    }

    /// Returns the connection address of `database` through the pooler.
    #[must_use]
    pub fn address(&self, database: &str) -> String {
        format!("postgres://mecelle@localhost/{database}?host={}", self.folder.display())
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _ = self.keeper.wait();
    }
}
