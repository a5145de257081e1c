//! CSV (RFC 4180): every field under the API's name, CRLF, quotes where needed.
//!
//! A leading `=` stays: programs read this, telephone numbers begin with `+`, and the firm writes the content.

use crate::output::sheet::Sheet;

pub(crate) fn render(sheet: &Sheet) -> String {
    let places: Vec<usize> = (0..sheet.columns.len()).filter(|place| sheet.columns[*place].field.is_some()).collect();
    let head = places.iter().map(|place| sheet.columns[*place].field.unwrap_or_default());
    let mut text = line(head);
    for row in &sheet.rows {
        text.push_str(&line(places.iter().map(|place| row[*place].text.as_str())));
    }
    text
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cells: Vec<String> = cells.map(quote).collect();
    cells.join(",") + "\r\n"
}

fn quote(text: &str) -> String {
    if text.contains(['"', ',', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_only_where_necessary() {
        let cells = ["Ayşe", "a,b", "say \"hi\"", "two\nlines", "", "=1+1"];
        assert_eq!(line(cells.into_iter()), "Ayşe,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",,=1+1\r\n");
    }
}
