//! What was meant as Markdown, and would be shown as it stands or not at all.

use super::Prose;
use crate::diagnostic::{Code, Told};

pub(super) fn links(prose: &Prose, findings: &mut Told) {
    for note in &prose.survey.destinations_cut_off {
        let destination = note.label.lines().next().unwrap_or_default();
        let (end, help) = if destination.contains(' ') {
            ("a space", "write `%20` for the space, or put the destination in angle brackets: `<…>`")
        } else {
            ("the end of a line", "write the destination in one line")
        };
        let message = format!("{end} ends a destination: `{destination}` is shown as text");
        let finding = prose.finding(Code::LINK_FORM, &note.range, message).help(help);
        findings.push(finding);
    }
    for range in &prose.survey.not_links {
        let address = prose.text.get(range.clone()).unwrap_or_default();
        let finding = prose.finding(Code::NOT_A_LINK, range, format!("this is no link: `{address}` is shown as text"));
        let opening = prose.text.get(range.start - 1..range.start).unwrap_or_default();
        let help = "write `[words](address)`, with nothing in between; if it is to be read as it stands, write";
        findings.push(finding.help(format!("{help} `\\{opening}`")));
    }
}

pub(super) fn headings(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.not_headings {
        let marks = prose.text.get(range.clone()).unwrap_or_default();
        let finding = prose.finding(Code::NOT_A_HEADING, range, format!("`{marks}` is shown as text"));
        findings
            .push(finding.help(format!("write a space behind it for a heading; if none is meant, write `\\{marks}`")));
    }
}

pub(super) fn tables(prose: &Prose, findings: &mut Told) {
    for range in &prose.survey.not_tables {
        let finding =
            prose.finding(Code::TABLE, range, "no head of a table stands above this line: all is shown as text");
        let help = "the line above has as many cells as this one, and an empty line stands above the two";
        findings.push(finding.help(help));
    }
    for range in &prose.survey.cells_beyond {
        let words = prose.text.get(range.clone()).unwrap_or_default();
        let message = format!("`{words}` stands beyond the last column and is not shown");
        let finding = prose.finding(Code::TABLE, range, message);
        findings
            .push(finding.help("write `\\|` for a bar inside of a cell, or give the head of the table another column"));
    }
}
