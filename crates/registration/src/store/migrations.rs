//! The migrations of the tables, in order.

use sqlx::{
    PgConnection, SqlStr, SqlitePool,
    migrate::{MigrateError, Migration, MigrationType, Migrator},
};

const MIGRATIONS: [(&str, &str); 10] = [
    ("first", include_str!("migrations/0001_first.sql")),
    ("silence and ceiling", include_str!("migrations/0002_silence_and_ceiling.sql")),
    ("expiry", include_str!("migrations/0003_expiry.sql")),
    ("many rows", include_str!("migrations/0004_many_rows.sql")),
    ("piles", include_str!("migrations/0005_piles.sql")),
    ("tenants", include_str!("migrations/0006_tenants.sql")),
    ("links", include_str!("migrations/0007_links.sql")),
    ("waiting", include_str!("migrations/0008_waiting.sql")),
    ("tally", include_str!("migrations/0009_tally.sql")),
    ("tally room", include_str!("migrations/0010_tally_room.sql")),
];

pub(crate) enum MigrationError {
    /// A statement failed.
    Sql(sqlx::Error),
    /// The tables are not of this program, or of a newer version.
    Tables(String),
}

impl From<sqlx::Error> for MigrationError {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<MigrateError> for MigrationError {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _) => Self::Sql(error),
            other => Self::Tables(other.to_string()),
        }
    }
}

/// Migrates a file. The caller holds the lock.
pub(super) async fn run(pool: &SqlitePool) -> Result<(), MigrationError> {
    Ok(migrator().run(pool).await?)
}

/// Migrates a server, in the caller's transaction, which holds the lock.
pub(super) async fn run_within(transaction: &mut PgConnection) -> Result<(), MigrationError> {
    let mut migrator = migrator();
    migrator.set_locking(false);
    Ok(migrator.run_direct(None, transaction, false).await?)
}

fn migrator() -> Migrator {
    let numbered = (1..).zip(MIGRATIONS);
    let migrations = numbered.map(|(number, (name, sql))| {
        Migration::new(number, name.into(), MigrationType::Simple, SqlStr::from_static(sql), false)
    });
    Migrator::with_migrations(migrations.collect())
}
