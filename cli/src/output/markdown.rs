//! A table for documents (GitHub Flavored Markdown), with links.

use crate::output::{
    sheet::{Cell, Column, Room, Sheet},
    text::clean,
};

pub(crate) fn render(sheet: &Sheet) -> String {
    let columns: Vec<usize> = (0..sheet.columns.len())
        .filter(|place| matches!(sheet.columns[*place].room, Room::Needed | Room::Shared))
        .collect();
    let heading = |column: &Column| escape(column.heading);
    let mut text = format!("{}\n\n", escape(&sheet.caption));
    text.push_str(&line(columns.iter().map(|place| heading(&sheet.columns[*place]))));
    text.push_str(&line(columns.iter().map(|_| "---".to_owned())));
    for row in &sheet.rows {
        text.push_str(&line(columns.iter().map(|place| cell(&row[*place]))));
    }
    text
}

fn line(cells: impl Iterator<Item = String>) -> String {
    let cells: Vec<String> = cells.collect();
    format!("| {} |\n", cells.join(" | "))
}

fn cell(cell: &Cell) -> String {
    let text = escape(&cell.text);
    match &cell.link {
        Some(target) if *target == cell.text => format!("<{}>", clean(target).replace(['<', '>', '|'], "")),
        Some(target) => format!(
            "[{text}]({})",
            clean(target).replace('(', "%28").replace(')', "%29").replace(' ', "%20").replace('|', "%7C")
        ),
        None => text,
    }
}

/// Escapes text so that it stays text in Markdown.
fn escape(text: &str) -> String {
    let mut out = String::new();
    for letter in clean(text).chars() {
        if matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("a|b *c* [d](e)\nf"), "a\\|b \\*c\\* \\[d\\](e) f");
        let link = Cell::new("M&A").linking("https://a.example/(x)");
        assert_eq!(cell(&link), "[M&A](https://a.example/%28x%29)");
        assert_eq!(cell(&Cell::address("https://a.example/x_y")), "<https://a.example/x_y>");
    }
}
