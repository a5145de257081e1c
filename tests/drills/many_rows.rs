//! Large numbers of rows, made by the database itself.

use tests::Database;

const TEXT: &str = include_str!("../fixtures/crowd.sql");

/// Stores `count` registrations that are like the one named `model`.
pub(super) fn multiply(database: &mut Database, model: &str, count: u32) {
    let (_, text) = TEXT.split_once("WITH RECURSIVE").unwrap();
    let (rows, statements) = text.split_once("-- ---").unwrap();
    let filled = statements.replace("{CROWD}", &format!("WITH RECURSIVE{rows}")).replace("{MODEL}", model);
    let filled = filled.replace("{FIRST}", "1").replace("{LAST}", &count.to_string());
    database.run(&format!("BEGIN; {filled}; COMMIT"));
}
