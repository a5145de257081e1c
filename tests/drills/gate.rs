//! A database that commits and does not confirm: it waits for a standby that does not exist.

use cluster::Cluster;
use tests::Database;

use super::until;

/// A connection that holds back the confirmation of commits.
pub(super) struct Gate(Database);

impl Gate {
    pub(super) fn new(cluster: &Cluster) -> Self {
        Self(Database::connect(&cluster.address("firm")))
    }

    /// Holds back the confirmation of every commit from now on. Waits for messages in progress first: recording them
    /// commits too, and a drill must not mistake that commit for its own.
    pub(super) fn close(&mut self) {
        self.until("SELECT id FROM outbox", <[String]>::is_empty);
        self.set("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "nobody");
    }

    /// Confirms the commits that are held back.
    pub(super) fn open(&mut self) {
        self.set("ALTER SYSTEM RESET synchronous_standby_names", "");
    }

    pub(super) fn database(&mut self) -> &mut Database {
        &mut self.0
    }

    fn set(&mut self, how: &str, value: &str) {
        self.0.run(how);
        self.0.run("SELECT pg_reload_conf()");
        self.until("SELECT current_setting('synchronous_standby_names')", |found| found == [value]);
        // The checkpointer tells the other sessions whether commits wait; it reads its settings before a checkpoint.
        self.0.run("CHECKPOINT");
    }

    /// Waits until `count` commits are held back.
    pub(super) fn wait(&mut self, count: usize) {
        self.until("SELECT wait_event FROM pg_stat_activity WHERE wait_event = 'SyncRep'", |found| {
            found.len() >= count
        });
    }

    fn until(&mut self, sql: &str, is_so: impl Fn(&[String]) -> bool) {
        until(sql, || is_so(&self.0.texts(sql)));
    }

    /// Returns the highest number of valid credentials of one registration.
    pub(super) fn most_live(&mut self) -> String {
        let sql = "SELECT CAST(COALESCE(MAX(live), 0) AS TEXT) FROM
            (SELECT COUNT(*) AS live FROM credential WHERE revoked_at IS NULL GROUP BY registration) AS counted";
        self.0.texts(sql).remove(0)
    }
}
