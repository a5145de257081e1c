//! The tables of `docs/hosts.md` are made from the table of answers: which host gives which answer, and why not.

use std::{collections::HashMap, fmt::Write as _, fs};

use answers::{Group, Names, Row, TABLE, Table};
use tests::repository;

const START: &str = "<!-- made from crates/answers/table.toml by `make bless` -->";
const END: &str = "<!-- end -->";

#[test]
#[expect(clippy::disallowed_methods, reason = "an environment variable selects blessing")]
fn tables_of_the_hosts_document_are_those_of_the_table() {
    let path = repository().join("docs/hosts.md");
    let present = fs::read_to_string(&path).unwrap();
    let (before, rest) = present.split_once(START).expect("the first mark");
    let (_, after) = rest.split_once(END).expect("the second mark");
    let wanted = format!("{before}{START}\n\n{}\n{END}{after}", tables(&TABLE));
    if std::env::var("MECELLE_BLESS").is_ok_and(|value| value == "1") {
        fs::write(&path, wanted).unwrap();
    } else {
        assert!(present == wanted, "docs/hosts.md differs from crates/answers/table.toml: `make bless` writes it");
    }
}

/// The number of its reason for each row that a host cannot satisfy.
type Marks<'a> = HashMap<&'a str, usize>;

fn tables(table: &Table) -> String {
    let mut reasons: Vec<&str> = Vec::new();
    let mut marks: Vec<Marks> = Vec::new();
    for host in &table.hosts {
        let mut of_host = Marks::new();
        for exception in &host.except {
            let number = reasons.iter().position(|known| *known == exception.why).unwrap_or_else(|| {
                reasons.push(&exception.why);
                reasons.len() - 1
            });
            of_host.extend(exception.rows.iter().map(|id| (id.as_str(), number + 1)));
        }
        marks.push(of_host);
    }
    let names = Names(table.names.clone().into_iter().collect());
    let groups: Vec<&Group> = table.groups.iter().filter(|group| group.hosts).collect();
    let heads = cells(table.hosts.iter().map(|host| host.name.clone()));
    let all: usize = groups.iter().map(|group| group.rows.len()).sum();
    let sums = cells(marks.iter().map(|marks| (all - marks.len()).to_string()));
    let mut text = format!("| | {heads} |\n|---|{}\n", "---:|".repeat(marks.len()));
    writeln!(text, "| **of {all} requests** | {sums} |").unwrap();
    for Group { title, rows, .. } in &groups {
        let count = |marks: &Marks| rows.iter().filter(|row| !marks.contains_key(&*row.id)).count();
        let counts = marks.iter().map(count).map(|count| if count == 0 { "–".to_owned() } else { count.to_string() });
        writeln!(text, "| {title} ({}) | {} |", rows.len(), cells(counts)).unwrap();
    }
    for Group { title, rows, .. } in &groups {
        write!(text, "\n### {title}\n\n| answer | {heads} |\n|---|{}\n", ":-:|".repeat(marks.len())).unwrap();
        for row in rows {
            let cell = |marks: &Marks| marks.get(&*row.id).map_or("✓".to_owned(), ToString::to_string);
            writeln!(text, "| {}: `{}` | {} |", row.shows, request(row, &names), cells(marks.iter().map(cell)))
                .unwrap();
        }
    }
    text.push_str("\n### Why not\n\n");
    for (number, why) in (1..).zip(reasons) {
        writeln!(text, "{number}. {why}").unwrap();
    }
    text
}

fn cells(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(" | ")
}

/// Returns a request in one line.
fn request(row: &Row, names: &Names) -> String {
    let path = names.fill(&row.path).unwrap_or_else(|| row.path.clone());
    let fields = row.fields.iter().map(|(name, value)| format!("{name}: {value}"));
    let parts = [format!("{} {path}", row.method)].into_iter().chain(fields);
    parts.map(|part| shortened(&part)).collect::<Vec<_>>().join(", ")
}

/// Removes backticks, escapes bars, which would end the cell, and cuts long texts.
fn shortened(text: &str) -> String {
    let plain = text.replace('|', "\\|").replace('`', "");
    if plain.chars().count() > 60 { plain.chars().take(57).chain(['…']).collect() } else { plain }
}
