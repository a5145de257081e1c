//! A database that commits and does not say so: it waits for a standby that never comes, for as long as a drill needs.

use cluster::Cluster;
use tests::Database;

use super::until;

/// The database through which commits are held back.
pub(super) struct Gate(Database);

impl Gate {
    /// Returns the gate of the store in `cluster`.
    pub(super) fn new(cluster: &Cluster) -> Self {
        Self(Database::connect(&cluster.address("firm")))
    }

    /// From now on, no commit is reported as done. Outbox that are under way arrive first: noting them commits too,
    /// and a drill that waits for a commit must not mistake that one for it.
    pub(super) fn close(&mut self) {
        self.until("SELECT id FROM outbox", <[String]>::is_empty);
        self.set("ALTER SYSTEM SET synchronous_standby_names = 'nobody'", "nobody");
    }

    /// Reports the commits that are held back.
    pub(super) fn open(&mut self) {
        self.set("ALTER SYSTEM RESET synchronous_standby_names", "");
    }

    /// Returns the database itself.
    pub(super) fn database(&mut self) -> &mut Database {
        &mut self.0
    }

    fn set(&mut self, how: &str, value: &str) {
        self.0.run(how);
        self.0.run("SELECT pg_reload_conf()");
        self.until("SELECT current_setting('synchronous_standby_names')", |found| found == [value]);
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

    /// Returns the most credentials in force that any registration has.
    pub(super) fn most_live(&mut self) -> String {
        let sql = "SELECT CAST(COALESCE(MAX(live), 0) AS TEXT) FROM
            (SELECT COUNT(*) AS live FROM credential WHERE revoked_at IS NULL GROUP BY registration) AS counted";
        self.0.texts(sql).remove(0)
    }
}
