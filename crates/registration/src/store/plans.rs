//! Checks that every statement in this folder finds its rows by an index, however many rows there are.

use std::{
    collections::BTreeSet,
    fs::File,
    io,
    path::{Path, PathBuf},
};

use sqlx::{AssertSqlSafe, Executor as _, Row as _};

use clock::Time;

use super::{
    TallyRow,
    sql::Db,
    testing::{TestStore, runtime, stores},
};
use crate::registrar::tests::models::models;

/// Rows of each kind: enough for the planner to prefer an index.
const ROWS: u32 = 20_000;
const VERBS: [&str; 5] = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH "];
/// Statements that read every row, and why they may.
const WHOLE: [&str; 6] = [
    // A sweep reads the first thousand.
    "SELECT seed FROM link LIMIT 1000",
    "SELECT seed FROM outbox LIMIT 1000",
    // Restoring a copy replaces the opt-outs.
    "DELETE FROM silence",
    // A sweep counts the access links, at most `limits.links`.
    "SELECT count FROM counter WHERE bucket = $1 AND count <> (SELECT COUNT(*) FROM access_link)",
    "UPDATE counter SET count = (SELECT COUNT(*) FROM access_link) WHERE bucket = $1",
    // `backup` counts what it copied.
    "SELECT COUNT(*) FROM registration",
];

/// Returns the statements in the sources of this folder.
fn statements() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/store");
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let sources = files
        .filter(|path| !path.ends_with("plans.rs"))
        .map(|path: PathBuf| io::read_to_string(File::options().read(true).open(path).unwrap()).unwrap());
    let mut found = BTreeSet::new();
    for source in sources {
        for part in source.split('"').filter(|part| VERBS.iter().any(|verb| part.starts_with(verb))) {
            found.insert(part.split_whitespace().collect::<Vec<_>>().join(" "));
        }
    }
    found
}

fn parameters(sql: &str) -> usize {
    let numbers = sql.split('$').skip(1).map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    numbers.filter_map(|number| number.parse().ok()).max().unwrap_or(0)
}

/// Returns the database's plan for `sql`, or `None` if the statement is for the other database.
async fn plan(kept: &TestStore, sql: &str) -> Option<Vec<String>> {
    match &*kept.store.db {
        // System tables are short.
        _ if sql.contains("sqlite_master") || sql.contains("pg_stat_activity") => None,
        Db::Sqlite(_) if sql.contains("EXTRACT(") || sql.contains("pg_") => None,
        Db::Sqlite(file) => {
            let mut connection = file.pool().unwrap().acquire().await.unwrap();
            let rows = connection.fetch_all(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {sql}"))).await.unwrap();
            Some(rows.iter().map(|row| row.get(3)).collect())
        }
        Db::Pg(server) => {
            let mut connection = server.pool.acquire().await.unwrap();
            connection.execute("SET plan_cache_mode = force_generic_plan").await.unwrap();
            connection.execute(AssertSqlSafe(format!("PREPARE one AS {sql}"))).await.unwrap();
            let values = vec!["NULL"; parameters(sql)].join(", ");
            let values = if values.is_empty() { values } else { format!("({values})") };
            let rows = connection.fetch_all(AssertSqlSafe(format!("EXPLAIN EXECUTE one{values}"))).await.unwrap();
            connection.execute("DEALLOCATE one; RESET plan_cache_mode").await.unwrap();
            Some(rows.iter().map(|row| row.get(0)).collect())
        }
    }
}

/// Returns counts of many months.
fn tallies() -> Vec<TallyRow> {
    let days = (2000..2100).flat_map(|year| ["03", "06", "11"].map(|month| format!("{year}-{month}-01")));
    let rows = days.flat_map(|day| {
        ["page", "reader", "missing"].map(|kind| TallyRow {
            day: day.clone(),
            kind,
            name: format!("name {day}"),
            count: 1,
            expires: Time::parse(&day).unwrap(),
            secret_words: None,
            max_rows: 500,
        })
    });
    rows.collect()
}

/// Whether a line of a plan reads every row, or sorts because no index has the order.
fn is_full_scan(line: &str) -> bool {
    let line = line.trim_start().trim_start_matches("->").trim_start();
    // SQLite also "scans" a constant row, or a batch that an index has found.
    let is_few = ["SCAN CONSTANT ROW", "SCAN batch"].contains(&line);
    let beginnings = ["Seq Scan", "SCAN ", "Sort ", "USE TEMP B-TREE FOR ORDER BY"];
    !is_few && beginnings.iter().any(|beginning| line.starts_with(beginning))
}

#[test]
fn every_statement_finds_its_rows_by_an_index() {
    let statements = statements();
    assert!(statements.len() > 50, "{} statements were found", statements.len());
    for kept in stores() {
        runtime().block_on(async {
            for (place, model) in (0..).zip(models(&kept).await) {
                kept.multiply(&model, 1 + place * ROWS, ROWS).await;
            }
            kept.store.add_tallies(&mut tallies()).await.unwrap();
            kept.settle().await;
            if let Db::Pg(_) = &*kept.store.db {
                // PostgreSQL rightly reads small tables as a whole: claim fifty times as many rows.
                kept.execute("UPDATE pg_class SET reltuples = reltuples * 50 WHERE relkind = 'r'").await;
            }
            let mut wrong = Vec::new();
            for sql in statements.iter().filter(|sql| !WHOLE.contains(&sql.as_str())) {
                let Some(plan) = plan(&kept, sql).await else { continue };
                if plan.iter().any(|line| is_full_scan(line)) {
                    wrong.push(format!("{sql}\n    {}", plan.join("\n    ")));
                }
            }
            assert!(wrong.is_empty(), "{}:\n{}", kept.name, wrong.join("\n"));
        });
    }
}
