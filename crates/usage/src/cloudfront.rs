//! Reads standard logs of `CloudFront` (the W3C extended format, separated by tabs), one export of a host in front of
//! which the service stands.
//!
//! `#Fields:` names the columns. Values are percent-encoded by `CloudFront`. Addresses of readers, which the log has too,
//! are not read.

use std::io::{self, BufRead, Read as _};

use contract::{Locale, text::Date};
use percent_encoding::percent_decode_str;

use super::{
    KnownReader, MIN_DAYS, Month, ReadFormat, RequestTally, UsageReport, names::NameTable, tally::MAX_STRANGE,
};

/// A longer line is skipped.
const MAX_LINE: u64 = 64 * 1024;

/// The columns that are read.
const COLUMNS: [&str; 8] = [
    "date",
    "cs-method",
    "cs-uri-stem",
    "sc-status",
    "cs(Referer)",
    "cs(User-Agent)",
    "x-host-header",
    "sc-content-type",
];

/// Why a log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LogError {
    #[error(transparent)]
    Io(#[from] io::Error),
    /// No line names the columns.
    #[error(
        "not a standard log of CloudFront: no line begins with `#Fields:`; unpack it first (`zcat *.gz | sidecar report \
         --log /dev/stdin`)"
    )]
    NoFields,
    /// A column that is needed is missing.
    #[error("`#Fields:` does not name `{0}`; export the log with all standard fields")]
    Column(&'static str),
}

/// A log of `CloudFront`, counted as it is read. Takes a bounded amount of memory whatever it contains.
#[derive(Debug)]
pub struct CloudFrontLog {
    tally: RequestTally,
    /// The days, as bits, on which an address that does not exist was requested; as many as the counts have.
    missing_days: NameTable<u32>,
    entries: u64,
    skipped: u64,
}

impl CloudFrontLog {
    /// Counts the requests of `month` in `log`.
    pub fn read(mut log: impl BufRead, month: Month) -> Result<UsageReport, LogError> {
        let mut this =
            Self { tally: RequestTally::default(), missing_days: NameTable::new(MAX_STRANGE), entries: 0, skipped: 0 };
        let mut columns: Option<[usize; COLUMNS.len()]> = None;
        let (mut line, mut day) = (Vec::new(), String::new());
        loop {
            line.clear();
            if log.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if !line.ends_with(b"\n") && line.len() as u64 == MAX_LINE {
                this.skipped += 1;
                skip_line(&mut log)?;
                continue;
            }
            let Ok(text) = str::from_utf8(&line) else {
                this.skipped += 1;
                continue;
            };
            let text = text.trim_end_matches(['\r', '\n']);
            if let Some(fields) = text.strip_prefix("#Fields:") {
                columns = Some(positions(fields)?);
            } else if !text.starts_with('#') && !text.is_empty() {
                let columns = columns.as_ref().ok_or(LogError::NoFields)?;
                this.count_entry(text, columns, &month, &mut day);
            }
        }
        if columns.is_none() {
            return Err(LogError::NoFields);
        }
        this.tally.close_day(&day);
        let Self { mut tally, missing_days, entries, skipped } = this;
        Ok(UsageReport::of_log(month, &mut tally, (entries, skipped), |name| {
            missing_days.get(name).is_some_and(|days| u64::from(days.count_ones()) >= MIN_DAYS)
        }))
    }

    fn count_entry(&mut self, line: &str, columns: &[usize; COLUMNS.len()], month: &Month, day: &mut String) {
        let cells: Vec<&str> = line.split('\t').collect();
        let read = columns.map(|column| cells.get(column).copied());
        let [Some(date), Some(method), Some(stem), Some(status), Some(referrer), Some(agent), Some(host), Some(media)] =
            read
        else {
            self.skipped += 1;
            return;
        };
        if Date::parse(date).is_err() || !stem.starts_with('/') {
            self.skipped += 1;
            return;
        }
        if !date.starts_with(month.as_str()) {
            return;
        }
        self.entries += 1;
        if date != day.as_str() {
            self.tally.close_day(day);
            date.clone_into(day);
        }
        let agent = percent_decode_str(agent).collect::<Vec<u8>>();
        if KnownReader::is_check(&agent) {
            return;
        }
        let media = percent_decode_str(media).collect::<Vec<u8>>();
        match (method, status) {
            ("POST", "200" | "202") if stem == contract::routes::MCP => {
                self.tally.count_read(KnownReader::MCP, stem, ReadFormat::Mcp, None);
            }
            ("GET", "200" | "304") => {
                if let Some(format) = ReadFormat::of(&media).or_else(|| of_unmodified(stem, status)) {
                    let reader = self.tally.recognize(&agent);
                    let path = percent_decode_str(stem).decode_utf8_lossy();
                    self.tally.count_read(reader, &path, format, locale_of(stem));
                }
            }
            ("GET", "404") => {
                let referrer = percent_decode_str(referrer).decode_utf8_lossy();
                let page = referrer.split_once("://").map(|(_, rest)| rest).and_then(|rest| rest.strip_prefix(host));
                let page = page.filter(|page| page.starts_with('/') && page.len() <= 120 && !page.contains(' '));
                let page = page.map(|page| page.split(['?', '#']).next().unwrap_or(page));
                let page = page.map(|page| percent_decode_str(page).decode_utf8_lossy().replace(' ', ""));
                if let Some(name) = self.tally.count_missing(stem, page.as_deref()) {
                    let day = date.get(8..).and_then(|day| day.parse::<u32>().ok()).unwrap_or(0);
                    *self.missing_days.entry(&name, |days| days.count_ones().into()).0 |= 1 << (day % 32);
                }
            }
            _ => {}
        }
    }
}

/// Returns the format of a page that the reader already has: its entry names no media type.
fn of_unmodified(stem: &str, status: &str) -> Option<ReadFormat> {
    let is_page = status == "304" && !stem.rsplit('/').next().unwrap_or_default().contains('.');
    is_page.then_some(ReadFormat::Html)
}

fn locale_of(path: &str) -> Option<Locale> {
    path.split('/').nth(1)?.parse().ok()
}

/// Returns the positions of [`COLUMNS`] in a line that names the columns.
fn positions(fields: &str) -> Result<[usize; COLUMNS.len()], LogError> {
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let mut found = [0; COLUMNS.len()];
    for (place, name) in found.iter_mut().zip(COLUMNS) {
        *place = fields.iter().position(|field| *field == name).ok_or(LogError::Column(name))?;
    }
    Ok(found)
}

/// Reads up to the end of a line without keeping it.
fn skip_line(log: &mut impl BufRead) -> io::Result<()> {
    loop {
        let read = log.fill_buf()?;
        let (used, is_end) = match read.iter().position(|byte| *byte == b'\n') {
            Some(end) => (end + 1, true),
            None => (read.len(), read.is_empty()),
        };
        log.consume(used);
        if is_end {
            return Ok(());
        }
    }
}
