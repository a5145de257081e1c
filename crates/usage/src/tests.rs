//! The report in every format, and logs of hosts.

use std::io::{BufReader, Cursor, Read};

use contract::Locale;
use serde_json::{Value, json};

use super::{CloudFrontLog, LogError, Month, StoredCount, UsageFormat, UsageReport};

const MONTH: &str = "2026-11";
const FIELDS: &str = "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem \
                      sc-status cs(Referer) cs(User-Agent) cs-uri-query x-host-header sc-content-type\n";

fn month() -> Month {
    MONTH.parse().unwrap()
}

fn stored(kind: &str, name: &str, count: u64) -> StoredCount {
    let words = ["unfound", "missing"].contains(&kind).then(|| name.to_owned());
    StoredCount { kind: kind.to_owned(), name: name.to_owned(), words, count }
}

fn report(rows: &[(&str, &str, u64)]) -> UsageReport {
    UsageReport::of_store(month(), rows.iter().map(|(kind, name, count)| stored(kind, name, *count)))
}

fn of_log(lines: &str) -> Result<UsageReport, LogError> {
    CloudFrontLog::read(BufReader::new(Cursor::new(format!("{FIELDS}{lines}"))), month())
}

fn json_of(report: &UsageReport) -> Value {
    serde_json::from_str(&report.render(UsageFormat::Json, Locale::En)).unwrap()
}

#[test]
fn small_counts_are_blurred_in_every_format_and_in_the_length_of_bars() {
    let rows = |small| {
        report(&[
            ("day", "2026-11-01 browser", 20),
            ("day", "2026-11-02 browser", small),
            ("page", "browser html /tr", 20),
            ("page", "browser html /en", small),
        ])
    };
    for (format, blurred) in [
        (UsageFormat::Text, "fewer than 10"),
        (UsageFormat::Json, "\"fewer_than\": 10"),
        (UsageFormat::Csv, "<10"),
        (UsageFormat::Html, "fewer than 10"),
    ] {
        let all = [1, 9].map(|small| rows(small).render(format, Locale::En));
        assert!(all[0].contains(blurred), "{}", all[0]);
        assert_eq!(all[0], all[1], "even the sum is the same");
    }
    assert!(rows(10).render(UsageFormat::Csv, Locale::En).contains(",/en,10\r\n"));
}

#[test]
fn month_without_counts_says_so() {
    for (locale, sentence) in
        [(Locale::En, "Nothing was counted in this month."), (Locale::Tr, "Bu ay için sayım yok.")]
    {
        for format in [UsageFormat::Text, UsageFormat::Html] {
            let text = report(&[]).render(format, locale);
            assert!(text.contains(sentence) && text.contains("`report = false`") && text.contains("CDN"), "{text}");
        }
    }
    let object = json_of(&report(&[]));
    assert_eq!((&object["is_empty"], &object["requests"]), (&json!(true), &json!(0)));
}

#[test]
fn words_and_paths_of_readers_are_no_markup_and_no_formula() {
    let hostile =
        ["<script>alert(1)</script>", "\"><img src=x>", "=HYPERLINK(\"https://x.example\")", "+1", "-1", "@a"];
    let rows: Vec<_> = hostile
        .iter()
        .flat_map(|text| {
            let path = format!("/{} /tr", text.replace(' ', "%20"));
            [stored("unfound", text, 50), stored("missing", &path, 50)]
        })
        .chain([stored("unfound", "\u{1b}[2Jx\r\n=1+1,\t;", 50)])
        .collect();
    let report = UsageReport::of_store(month(), rows);
    for locale in Locale::ALL {
        let page = report.render(UsageFormat::Html, locale);
        assert!(!page.contains("<script") && !page.contains("<img") && page.contains("&lt;script&gt;"), "{page}");
        assert!(!page.contains(" on") || !page.contains("onerror"), "{page}");
        let text = report.render(UsageFormat::Text, locale);
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    let csv = report.render(UsageFormat::Csv, Locale::En);
    for line in csv.lines().skip(1) {
        assert!(!line.split([',', '"', ';']).any(|cell| cell.starts_with(['=', '+', '-', '@'])), "{line}");
    }
    assert_eq!(csv.lines().count(), 1 + 2 * hostile.len() + 1, "a line break in a name is no line");
    assert!(csv.contains("\"'=HYPERLINK(\"\"https://x.example\"\")\""), "{csv}");
}

#[test]
fn printed_page_has_the_number_of_each_day_and_no_bar_for_a_small_count() {
    let page = report(&[
        ("day", "2026-11-01 browser", 43),
        ("day", "2026-11-02 mcp", 3),
        ("tool", "search", 3),
        ("page", "mcp mcp /mcp", 3),
    ])
    .render(UsageFormat::Html, Locale::En);
    assert!(page.contains("<td>2026-11-01</td><td class=\"number\">40</td></tr>"), "{page}");
    assert!(page.contains("<td>2026-11-02</td><td class=\"number\">fewer than 10</td></tr>"), "{page}");
    assert!(page.contains("<td>search</td><td class=\"number\">fewer than 10</td><td></td></tr>"), "{page}");
    assert!(page.contains("<td>MCP client</td><td>MCP</td><td>/mcp</td>"), "{page}");
}

#[test]
fn printed_page_has_charts_without_scripts_and_is_in_the_chosen_language() {
    let report = report(&[
        ("day", "2026-11-01 browser", 40),
        ("day", "2026-11-30 agent", 10),
        ("reader", "agent ClaudeBot", 10),
        ("page", "agent markdown /tr/kira", 10),
        ("language", "tr", 50),
        ("missing", "elsewhere", 12),
        ("registration", "anonymous", 11),
    ]);
    let turkish = report.render(UsageFormat::Html, Locale::Tr);
    for part in ["<html lang=\"tr\">", "Kasım 2026", "yapay zekâ aracısı", "<td>ClaudeBot</td>", "kimliksiz", "Türkçe"]
    {
        assert!(turkish.contains(part), "{part}: {turkish}");
    }
    assert!(!turkish.contains("<script") && !turkish.contains(" src=") && !turkish.contains("url("), "{turkish}");
    assert_eq!(turkish.matches("<svg").count(), turkish.matches("</svg>").count());
    let english = report.render(UsageFormat::Html, Locale::En);
    assert!(english.contains("November 2026") && english.contains("AI agent"), "{english}");
    let many = [self::report(&[("day", "2026-11-01 browser", 1_234_567)])];
    let words = |locale| many[0].render(UsageFormat::Text, locale);
    assert!(words(Locale::Tr).contains(" 1.234.560\n") && words(Locale::En).contains(" 1,234,560\n"));
    // The sum of all requests, and the bar of the best day at full height.
    assert!(english.contains("Requests for pages and data: 50") && english.contains("height=\"120\""), "{english}");
}

#[test]
fn log_of_cloudfront_is_counted_by_its_named_columns() {
    let line = |date: &str, method: &str, stem: &str, status: &str, referrer: &str, agent: &str, media: &str| {
        format!(
            "{date}\t10:00:00\tIST50\t900\t192.0.2.7\t{method}\td111.cloudfront.net\t{stem}\t{status}\t{referrer}\t{agent}\t-\t\
             firm.example\t{media}\n"
        )
    };
    let browser = "Mozilla/5.0%20(X11;%20Linux)%20Firefox/140.0";
    let log = [
        line("2026-11-01", "GET", "/tr", "200", "-", browser, "text/html;%20charset=utf-8").repeat(12),
        line("2026-11-02", "GET", "/tr/kira.md", "200", "-", "ClaudeBot/1.0", "text/markdown").repeat(11),
        line("2026-11-01", "GET", "/tr", "304", "-", browser, "-").repeat(3),
        line("2026-11-02", "GET", "/assets/a.css", "200", "-", browser, "text/css"),
        line("2026-11-02", "HEAD", "/tr", "200", "-", browser, "text/html"),
        (3..8)
            .map(|day| {
                let referrer = "https://firm.example/tr/kira?x=1";
                line(&format!("2026-11-{day:02}"), "GET", "/tr/ileti%C5%9Fim", "404", referrer, browser, "text/html")
            })
            .collect::<String>()
            .repeat(2),
        line("2026-11-03", "GET", "/tr/once", "404", "https://firm.example/tr/kira", browser, "text/html").repeat(10),
        line("2026-11-05", "GET", "/tr/kira", "200", "-", browser, "text/html").repeat(12),
        line("2026-11-05", "GET", "/tr/ili%C5%9Fki", "200", "-", browser, "text/html").repeat(10),
        (3..9)
            .map(|day| {
                line(&format!("2026-11-{day:02}"), "GET", "/y", "404", "https://firm.example/free-text", browser, "-")
            })
            .collect::<String>(),
        line("2026-11-03", "GET", "/x", "404", "https://elsewhere.example/tr", browser, "text/html").repeat(10),
        line("2026-11-03", "POST", "/mcp", "200", "-", "x", "application/json").repeat(10),
        line("2026-11-03", "GET", "/tr", "200", "-", "mecelle-doctor/0.1.0", "text/html"),
        line("2026-11-03", "POST", "/mcp", "200", "-", "mecelle-doctor/0.1.0", "application/json"),
        line("2026-11-03", "GET", "/tr/kontrol", "404", "https://firm.example/tr", "mecelle-doctor/0.1.0", "text/html"),
        line("2026-10-31", "GET", "/tr", "200", "-", browser, "text/html"),
        "2026-11-04\tshort\n".to_owned(),
        line("2026-13-45", "GET", "/tr", "200", "-", browser, "text/html"),
    ];
    let object = json_of(&of_log(&log.concat()).unwrap());
    assert_eq!(object["requests"], 50, "{object}");
    let pages = json!([
        { "group": "browser", "format": "html", "page": "/tr", "count": 15 },
        { "group": "browser", "format": "html", "page": "/tr/kira", "count": 12 },
        { "group": "agent", "format": "markdown", "page": "/tr/kira", "count": 11 },
        { "group": "browser", "format": "html", "page": "/tr/ilişki", "count": 10 },
        { "group": "mcp", "format": "mcp", "page": "/mcp", "count": 10 },
    ]);
    assert_eq!(object["pages"], pages, "{object}");
    let missing = json!([
        { "path": "elsewhere", "page": "", "count": 16 },
        { "path": "/tr/iletişim", "page": "/tr/kira", "count": 10 },
        { "path": "other", "page": "", "count": 10 },
    ]);
    assert_eq!(object["missing"], missing, "{object}");
    let note = object["notes"][0].as_str().unwrap();
    assert!(note.contains("99 entries") && note.contains("2 lines"), "{note}");
    assert!(!object.to_string().contains("192.0.2.7"), "{object}");
}

/// A log without end of lines, and then many lines with ever new names.
struct HostileLog(u64);

impl Read for HostileLog {
    fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
        const LONG: u64 = 200_000_000;
        const LINES: u64 = 100_000;
        let number = self.0;
        if number < LONG {
            let length = out.len().min(usize::try_from(LONG - number).unwrap());
            out[..length].fill(b'x');
            self.0 += length as u64;
            return Ok(length);
        }
        if number >= LONG + LINES {
            return Ok(0);
        }
        self.0 += 1;
        let line = format!(
            "\n2026-11-{:02}\t1\tI\t9\t192.0.2.7\tGET\td\t/{number}\t404\thttps://f.example/{number}\ta\t-\tf.example\t-",
            1 + number % 30
        );
        out[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

#[test]
fn hostile_lines_of_a_log_are_skipped_in_bounded_memory() {
    let log = BufReader::new(Cursor::new(FIELDS).chain(HostileLog(0)));
    let report = CloudFrontLog::read(log, month()).unwrap();
    let object = json_of(&report);
    assert!(object["missing"].as_array().unwrap().len() <= 257);
    assert!(object["notes"][0].as_str().unwrap().contains("1 lines"), "{}", object["notes"]);
    for (log, part) in [
        ("", "no line begins with `#Fields:`"),
        ("\u{1f}\u{8b}\n", "no line begins with `#Fields:`"),
        ("#Fields: date time\n", "does not name `cs-method`"),
    ] {
        let error = CloudFrontLog::read(BufReader::new(Cursor::new(log)), month()).unwrap_err();
        assert!(error.to_string().contains(part), "{error}");
    }
}
