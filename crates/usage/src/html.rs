//! The report as a page to print: charts are static SVG, and there is no script, so that the page can be sent by e-mail.

use std::fmt::Write as _;

use contract::Locale;

use super::{
    CountKind, MIN_COUNT, UsageReport,
    report::{ReportRow, ShownCount},
    text::{MAX_SHOWN, cell, count_words, more, nothing, sum, title, word},
};

const STYLE: &str = "\
:root{color-scheme:light dark;--bar:#1f3a5f;--line:#767676}
@media(prefers-color-scheme:dark){:root{--bar:#9dbce6;--line:#9a9a9a}}
body{font:1rem/1.5 Georgia,serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin:2rem 0 .5rem;break-after:avoid}
table{border-collapse:collapse;width:100%}tr{break-inside:avoid}
th,td{text-align:left;padding:.2rem .6rem .2rem 0;border-bottom:1px solid var(--line);overflow-wrap:anywhere}
th:last-child,td:last-child{width:30%}.number{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
svg{display:block;width:100%}rect{fill:var(--bar)}text{fill:currentColor;font:10px sans-serif}
.notes{margin-top:2rem;font-size:.9rem}
@media print{:root{color-scheme:light;--bar:#444}body{margin:0;max-width:none;font-size:10pt}rect{print-color-adjust:exact;\
-webkit-print-color-adjust:exact}}";

pub(crate) fn page(report: &UsageReport, locale: Locale) -> String {
    let title = title(&report.month, locale);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<meta name=\"robots\" content=\"noindex\">\n<meta \
         http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n",
        locale.as_str()
    );
    if report.is_empty() {
        let _ = writeln!(out, "<p>{}</p>", nothing(locale));
    } else {
        let _ = writeln!(out, "<p><strong>{}</strong></p>", sum(report, locale));
    }
    for section in report.sections.iter().filter(|section| !section.rows.is_empty()) {
        let heading = word(&format!("{}.title", section.kind.as_str()), locale).to_owned();
        let _ = writeln!(out, "<section>\n<h2>{heading}</h2>");
        if section.kind == CountKind::Day {
            days(report, &heading, &mut out);
            table((&["day"], &report.days, false), locale, &mut out);
        } else {
            table((section.columns, &section.rows, true), locale, &mut out);
        }
        out.push_str("</section>\n");
    }
    out.push_str("<div class=\"notes\">\n");
    for note in report.notes(locale) {
        let _ = writeln!(out, "<p>{}</p>", escape(&note));
    }
    out.push_str("</div>\n</main>\n</body>\n</html>\n");
    out
}

/// Writes a column for each day. Small counts have one height, which does not betray them.
fn days(report: &UsageReport, heading: &str, out: &mut String) {
    const HEIGHT: u64 = 120;
    let largest = largest(&report.days);
    let _ = writeln!(out, "<svg viewBox=\"0 0 744 140\" role=\"img\" aria-label=\"{heading}\">");
    for (day, count) in &report.days {
        let number: u64 = day[0].get(8..).and_then(|day| day.parse().ok()).unwrap_or(1);
        let (left, height) = (number.clamp(1, 31) * 24 - 24, scaled(*count, HEIGHT, largest).max(1));
        let top = HEIGHT - height;
        let _ = writeln!(
            out,
            "<rect x=\"{}\" y=\"{top}\" width=\"18\" height=\"{height}\"/><text x=\"{}\" y=\"134\" \
             text-anchor=\"middle\">{number}</text>",
            left + 3,
            left + 12
        );
    }
    out.push_str("</svg>\n");
}

fn largest(rows: &[ReportRow]) -> u64 {
    rows.iter().filter_map(|(_, count)| count.exact()).max().unwrap_or(0).max(MIN_COUNT)
}

/// Returns the length of the bar of a count; 0 for one that is not shown.
fn scaled(count: ShownCount, length: u64, largest: u64) -> u64 {
    count.exact().map_or(0, |count| (count.saturating_mul(length) / largest).max(1))
}

/// Writes a table, with bars if wanted.
fn table((columns, rows, has_bars): (&[&str], &[ReportRow], bool), locale: Locale, out: &mut String) {
    let bar = |width: u64| match width {
        _ if !has_bars => String::new(),
        0 => "<td></td>".to_owned(),
        width => format!(
            "<td><svg viewBox=\"0 0 200 12\" aria-hidden=\"true\"><rect width=\"{width}\" height=\"12\"/></svg></td>"
        ),
    };
    out.push_str("<table>\n<thead><tr>");
    for column in columns {
        let _ = write!(out, "<th scope=\"col\">{}</th>", word(column, locale));
    }
    let count = word("count", locale);
    let _ = writeln!(out, "<th scope=\"col\" class=\"number\">{count}</th>{}</tr></thead>\n<tbody>", bar(0));
    let largest = largest(rows);
    for (cells, count) in rows.iter().take(MAX_SHOWN) {
        out.push_str("<tr>");
        for (column, text) in columns.iter().zip(cells) {
            let _ = write!(out, "<td>{}</td>", escape(cell(column, text, locale)));
        }
        let (words, bar) = (count_words(*count, locale), bar(scaled(*count, 200, largest)));
        let _ = writeln!(out, "<td class=\"number\">{words}</td>{bar}</tr>");
    }
    out.push_str("</tbody>\n</table>\n");
    let left = rows.len().saturating_sub(MAX_SHOWN);
    if left > 0 {
        let _ = writeln!(out, "<p>{}</p>", more(left, locale));
    }
}

/// Security: paths and search words are chosen by readers.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            character if character.is_control() => out.push('\u{fffd}'),
            character => out.push(character),
        }
    }
    out
}
