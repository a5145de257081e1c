//! A table for a terminal: long text wraps, and on a narrow terminal rows become stacks of fields.

use crate::output::{
    sheet::{Cell, Column, Room, Sheet},
    style::Style,
    text::{clean, cut, limit_cell, pad, width, wrap},
};

/// Cells between two columns.
const GAP: usize = 2;
/// Maximum lines of a cell in a list.
const MAX_LINES: usize = 3;
/// Minimum width of a column that wraps.
const MIN_SHARE: usize = 14;
/// Minimum width of a value beside its heading.
const MIN_VALUE: usize = 24;

/// Renders `sheet` in at most `room` cells; with `usize::MAX`, one line per row.
pub(crate) fn render(sheet: &Sheet, style: Style, room: usize) -> String {
    let is_wide = room == usize::MAX;
    let visible: Vec<usize> = (0..sheet.columns.len())
        .filter(|place| match sheet.columns[*place].room {
            Room::Needed | Room::Shared => true,
            Room::Spare => is_wide,
            Room::None => false,
        })
        .collect();
    let columns: Vec<&Column> = visible.iter().map(|place| &sheet.columns[*place]).collect();
    let rows: Vec<Vec<Cell>> =
        sheet.rows.iter().map(|row| visible.iter().map(|place| clean_cell(&row[*place])).collect()).collect();
    let caption = style.heading(&cut(&clean(&sheet.caption), room));
    let mut lines = vec![caption, String::new()];
    match widths(sheet, &columns, &rows, room) {
        Some(widths) => {
            if sheet.headed && !rows.is_empty() {
                let head: Vec<String> =
                    columns.iter().zip(&widths).map(|(column, room)| pad(column.heading, *room)).collect();
                lines.push(style.faint(head.join("  ").trim_end()));
            }
            let max_lines = if sheet.brief && !is_wide { MAX_LINES } else { usize::MAX };
            for row in &rows {
                lines.extend(row_lines(row, &widths, max_lines, style));
            }
        }
        None => lines.extend(stack_rows(&columns, &rows, room, style)),
    }
    lines.join("\n") + "\n"
}

/// Returns the columns' widths; `None` if the room is too small for columns.
fn widths(sheet: &Sheet, columns: &[&Column], rows: &[Vec<Cell>], room: usize) -> Option<Vec<usize>> {
    let natural: Vec<usize> = (0..columns.len())
        .map(|place| {
            let heading = if sheet.headed { width(columns[place].heading) } else { 0 };
            rows.iter().map(|row| width(&row[place].text)).max().unwrap_or(0).max(heading)
        })
        .collect();
    let gaps = GAP * columns.len().saturating_sub(1);
    if natural.iter().sum::<usize>() + gaps <= room {
        return Some(natural);
    }
    let is_shared = |place: usize| columns[place].room == Room::Shared;
    let needed: usize = (0..columns.len()).filter(|place| !is_shared(*place)).map(|place| natural[place]).sum();
    let left = room.checked_sub(needed + gaps)?;
    // The widest columns shrink first: find the largest cap under which all shares fit.
    let total = |cap: usize| -> usize {
        (0..columns.len()).filter(|place| is_shared(*place)).map(|place| natural[place].min(cap)).sum()
    };
    let cap = (MIN_SHARE..=left).rev().find(|cap| total(*cap) <= left)?;
    let mut widths: Vec<usize> = (0..columns.len())
        .map(|place| if is_shared(place) { natural[place].min(cap) } else { natural[place] })
        .collect();
    let rest = left - total(cap);
    if let Some(place) = (0..columns.len()).rev().find(|place| is_shared(*place) && natural[*place] > cap) {
        widths[place] += rest;
    }
    Some(widths)
}

fn row_lines(row: &[Cell], widths: &[usize], max_lines: usize, style: Style) -> Vec<String> {
    let cells: Vec<Vec<String>> =
        row.iter().zip(widths).map(|(cell, room)| wrap(&cell.text, *room, max_lines)).collect();
    let height = cells.iter().map(Vec::len).max().unwrap_or(1);
    (0..height)
        .map(|level| {
            let parts = cells.iter().zip(row).zip(widths).map(|((lines, cell), room)| {
                let text = lines.get(level).map_or("", String::as_str);
                let padding = " ".repeat(room - width(text).min(*room));
                style.link(text, cell.link.as_deref().filter(|_| !text.is_empty())) + &padding
            });
            parts.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        })
        .collect()
}

/// Renders each row as lines of heading and value, side by side if there is room.
fn stack_rows(columns: &[&Column], rows: &[Vec<Cell>], room: usize, style: Style) -> Vec<String> {
    let margin = columns.iter().map(|column| width(column.heading)).max().unwrap_or(0) + GAP;
    let is_beside = room >= margin + MIN_VALUE;
    let mut lines = Vec::new();
    for row in rows {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        for (column, cell) in columns.iter().zip(row).filter(|(_, cell)| !cell.text.is_empty()) {
            let heading = |room| style.faint(&cut(column.heading, room));
            let link = cell.link.as_deref();
            if is_beside {
                let padding = " ".repeat(margin - width(column.heading));
                let texts = wrap(&cell.text, room - margin, usize::MAX).into_iter().enumerate();
                lines.extend(texts.map(|(place, text)| {
                    let head = if place == 0 { heading(margin) + &padding } else { " ".repeat(margin) };
                    head + &style.link(&text, link)
                }));
            } else {
                if !column.heading.is_empty() {
                    lines.push(heading(room));
                }
                let texts = wrap(&cell.text, room, usize::MAX).into_iter();
                lines.extend(texts.map(|text| style.link(&text, link)));
            }
        }
    }
    lines
}

fn clean_cell(cell: &Cell) -> Cell {
    Cell { text: limit_cell(clean(&cell.text)), link: cell.link.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> Sheet {
        Sheet {
            caption: "Büro · Ekip (2)".to_owned(),
            headed: true,
            brief: true,
            columns: vec![
                Column::new("name", "AD", Room::Needed),
                Column::new("summary", "ÖZET", Room::Shared),
                Column::new("url", "ADRES", Room::Spare),
            ],
            rows: vec![
                vec![
                    Cell::new("İnci Şahin").linking("https://a.example/"),
                    Cell::new("bir iki üç dört beş altı yedi sekiz dokuz on on bir"),
                    Cell::new("u"),
                ],
                vec![Cell::new("Iğdır"), Cell::new("\u{1b}[2Jkısa"), Cell::new("v")],
            ],
        }
    }

    #[test]
    fn table_is_never_wider_than_its_room() {
        for room in 12..90 {
            for line in render(&sheet(), Style::default(), room).lines() {
                assert!(width(line) <= room, "{room}: {line}");
            }
        }
    }

    #[test]
    fn long_text_wraps_in_its_column_and_control_characters_are_replaced() {
        let expected = "Büro · Ekip (2)\n\n\
                        AD          ÖZET\n\
                        İnci Şahin  bir iki üç dört beş\n            altı yedi sekiz dokuz\n            on on bir\n\
                        Iğdır       �[2Jkısa\n";
        assert_eq!(render(&sheet(), Style::default(), 34), expected);
    }

    #[test]
    fn wide_table_has_one_line_per_row() {
        let text = render(&sheet(), Style::default(), usize::MAX);
        assert!(text.contains("dokuz on on bir  u\n"), "{text}");
    }

    #[test]
    fn long_cell_widens_the_rows_only_up_to_a_limit() {
        let mut sheet = sheet();
        sheet.rows[0][0] = Cell::new(&"x".repeat(1_000_000));
        let text = render(&sheet, Style::default(), usize::MAX);
        assert!(text.len() < 20_000 && text.contains("xxx…  bir"), "{}", text.len());
    }

    #[test]
    fn links_surround_the_text_and_not_the_padding() {
        let text = render(&sheet(), Style { colour: false, links: true }, 80);
        assert!(text.contains("\x1b]8;;https://a.example/\x1b\\İnci Şahin\x1b]8;;\x1b\\  bir"), "{text:?}");
    }
}
