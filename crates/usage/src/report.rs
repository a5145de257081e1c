//! The report of a month: the rows of the store, arranged by what a firm wants to know.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashSet},
    fmt,
    str::FromStr,
};

use super::{CountKind, ELSEWHERE, MIN_COUNT, NamedCount, OTHER, RequestTally};

/// A month, such as `2026-11`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month(String);

impl Month {
    /// Returns the month of a day such as `2026-11-30`, or of a moment.
    pub fn of_day(day: &str) -> Option<Self> {
        day.get(..7)?.parse().ok()
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the year and the number of the month, from 1.
    pub(crate) fn numbers(&self) -> (&str, usize) {
        let (year, month) = self.0.split_at(4);
        (year, month.get(1..).and_then(|month| month.parse().ok()).unwrap_or(1))
    }
}

impl FromStr for Month {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_shaped = text.len() == 7
            && text.bytes().enumerate().all(|(at, byte)| if at == 4 { byte == b'-' } else { byte.is_ascii_digit() });
        let is_month = is_shaped && text.get(5..).is_some_and(|month| ("01"..="12").contains(&month));
        if is_month { Ok(Self(text.to_owned())) } else { Err("write a month such as 2026-11") }
    }
}

impl fmt::Display for Month {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// A row of the store.
#[derive(Clone, Debug, Default)]
pub struct StoredCount {
    /// A name of [`CountKind`].
    pub kind: String,
    /// The name of the row; for a name that senders choose its digest.
    pub name: String,
    /// The name that senders chose, if it was used on [`super::MIN_DAYS`] days.
    pub words: Option<String>,
    pub count: u64,
}

/// Where the counts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportSource {
    Service,
    /// A log of a host: entries that were read, and lines that are none.
    Log {
        entries: u64,
        skipped: u64,
    },
}

/// The report of a month.
#[derive(Clone, Debug)]
pub struct UsageReport {
    pub(crate) month: Month,
    pub(crate) source: ReportSource,
    pub(crate) total: ShownCount,
    /// The requests of each day, in order.
    pub(crate) days: Vec<ReportRow>,
    pub(crate) sections: Vec<ReportSection>,
}

/// A table of the report.
#[derive(Clone, Debug)]
pub(crate) struct ReportSection {
    pub(crate) kind: CountKind,
    pub(crate) columns: &'static [&'static str],
    pub(crate) rows: Vec<ReportRow>,
}

/// The cells of a row, with its count.
pub(crate) type ReportRow = (Vec<String>, ShownCount);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShownCount {
    Exactly(u64),
    FewerThan(u64),
}

impl ShownCount {
    /// Returns a sum of counts: rounded, so that a small one does not follow by subtraction.
    pub(crate) fn of_sum(sum: u64) -> Self {
        if sum < MIN_COUNT { Self::FewerThan(MIN_COUNT) } else { Self::Exactly(sum / MIN_COUNT * MIN_COUNT) }
    }

    pub(crate) fn exact(self) -> Option<u64> {
        match self {
            Self::Exactly(count) => Some(count),
            Self::FewerThan(_) => None,
        }
    }
}

impl UsageReport {
    /// Arranges the rows of `month` in the store.
    pub fn of_store(month: Month, stored: impl IntoIterator<Item = StoredCount>) -> Self {
        Self::arrange(month, ReportSource::Service, stored)
    }

    /// Arranges the counts of a log; `is_shown` are the addresses that do not exist with enough days.
    pub(crate) fn of_log(
        month: Month,
        tally: &mut RequestTally,
        (entries, skipped): (u64, u64),
        is_shown: impl Fn(&str) -> bool,
    ) -> Self {
        let pages: HashSet<String> = tally.read_pages().map(str::to_owned).collect();
        let stored = tally.drain("").into_iter().map(|NamedCount { kind, mut name, count }| {
            // A page that no person has read is none of the site.
            if kind == CountKind::Missing && name.rsplit_once(' ').is_some_and(|(_, page)| !pages.contains(page)) {
                ELSEWHERE.clone_into(&mut name);
            }
            let words = (kind == CountKind::Missing && is_shown(&name)).then(|| name.clone());
            StoredCount { kind: kind.as_str().to_owned(), name, words, count }
        });
        Self::arrange(month, ReportSource::Log { entries, skipped }, stored.collect::<Vec<_>>())
    }

    fn arrange(month: Month, source: ReportSource, stored: impl IntoIterator<Item = StoredCount>) -> Self {
        let mut tables: BTreeMap<CountKind, BTreeMap<Vec<String>, u64>> = BTreeMap::new();
        for StoredCount { kind, name, words, count } in stored {
            let Some(kind) = CountKind::parse(&kind) else { continue };
            let width = columns(kind).len();
            let name = match words {
                Some(words) => words,
                // Security: names that few have used are known by a digest only.
                None if kind.is_chosen_by_senders() && name != ELSEWHERE => OTHER.to_owned(),
                None => name,
            };
            let mut cells: Vec<String> = match kind {
                CountKind::Unfound => vec![name],
                // A decoded path may have spaces, a page of the site has none.
                CountKind::Missing => match name.rsplit_once(' ') {
                    Some((path, page)) => vec![path.to_owned(), page.to_owned()],
                    None => vec![name],
                },
                _ => name.splitn(width, ' ').map(str::to_owned).collect(),
            };
            cells.resize(width, String::new());
            let sum = tables.entry(kind).or_default().entry(cells).or_default();
            *sum = sum.saturating_add(count);
        }
        let mut days: BTreeMap<String, u64> = BTreeMap::new();
        for (cells, count) in tables.get(&CountKind::Day).into_iter().flatten() {
            let sum = days.entry(cells[0].clone()).or_default();
            *sum = sum.saturating_add(*count);
        }
        let total = ShownCount::of_sum(days.values().fold(0, |sum, count| sum.saturating_add(*count)));
        let days = days.into_iter().map(|(day, sum)| (vec![day], ShownCount::of_sum(sum))).collect();
        let sections = CountKind::ALL.map(|kind| {
            let mut rows: Vec<_> = tables.remove(&kind).unwrap_or_default().into_iter().collect();
            if kind != CountKind::Day {
                // What is beyond a limit comes last.
                rows.sort_by_key(|(cells, count)| (cells.iter().any(|cell| cell == OTHER), Reverse(*count)));
            }
            ReportSection { kind, columns: columns(kind), rows: blur(kind, rows) }
        });
        Self { month, source, total, days, sections: sections.into() }
    }

    /// Whether anything was counted.
    pub fn is_empty(&self) -> bool {
        self.sections.iter().all(|section| section.rows.is_empty())
    }
}

fn columns(kind: CountKind) -> &'static [&'static str] {
    match kind {
        CountKind::Day => &["day", "group"],
        CountKind::Reader => &["group", "reader"],
        CountKind::Page => &["group", "format", "page"],
        CountKind::Language => &["language"],
        CountKind::Tool => &["tool"],
        CountKind::Missing => &["path", "page"],
        CountKind::Unfound => &["words"],
        CountKind::Registration => &["kind"],
    }
}

/// Returns `rows` with their counts as they may be shown. Where one small count would follow from those around it and
/// their sum, which another table has, the next larger one is shown by its order of magnitude only.
fn blur(kind: CountKind, rows: Vec<(Vec<String>, u64)>) -> Vec<ReportRow> {
    let mut shown: Vec<_> = rows
        .iter()
        .map(|(_, count)| match *count {
            0..MIN_COUNT => ShownCount::FewerThan(MIN_COUNT),
            count => ShownCount::Exactly(count),
        })
        .collect();
    let mut parts: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    if let Some(group) = columns(kind).iter().position(|column| *column == "group") {
        for (row, (cells, _)) in rows.iter().enumerate() {
            parts.entry(&cells[group]).or_default().push(row);
        }
    }
    let has_sum = matches!(kind, CountKind::Day | CountKind::Reader | CountKind::Page | CountKind::Language);
    for part in parts.into_values().chain(has_sum.then(|| (0..rows.len()).collect())) {
        let is_exact = |row: &&usize| shown[**row].exact().is_some();
        if part.iter().filter(|row| !is_exact(row)).count() != 1 {
            continue;
        }
        if let Some(&row) = part.iter().filter(is_exact).min_by_key(|row| rows[**row].1) {
            // So far above that the sum of both is below it too.
            let most = rows[row].1.saturating_add(MIN_COUNT);
            let limit = most.checked_ilog10().and_then(|digits| 10_u64.checked_pow(digits + 1)).unwrap_or(u64::MAX);
            shown[row] = ShownCount::FewerThan(limit);
        }
    }
    rows.into_iter().map(|(cells, _)| cells).zip(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn month_is_a_year_and_a_number_from_1_to_12() {
        for good in ["2026-11", "2026-01", "2026-12"] {
            assert_eq!(good.parse::<Month>().unwrap().as_str(), good);
        }
        for bad in ["2026-13", "2026-00", "2026-1", "11-2026", "2026-11-30", "", "2026/11", "２０２６-11"] {
            assert!(bad.parse::<Month>().is_err(), "{bad}");
        }
        assert_eq!(Month::of_day("2026-11-30").unwrap().numbers(), ("2026", 11));
    }

    #[test]
    fn words_without_enough_days_are_counted_together() {
        let row = |name: &str, words: Option<&str>, count| StoredCount {
            kind: "unfound".to_owned(),
            name: name.to_owned(),
            words: words.map(str::to_owned),
            count,
        };
        let exactly = ShownCount::Exactly;
        let rows = [row("d1", Some("tapu iptali"), 12), row("d2", None, 40), row("d3", None, 2)];
        let report = UsageReport::of_store("2026-11".parse().unwrap(), rows);
        let section = report.sections.iter().find(|section| section.kind == CountKind::Unfound).unwrap();
        assert_eq!(
            section.rows,
            [(vec!["tapu iptali".to_owned()], exactly(12)), (vec![OTHER.to_owned()], exactly(42))]
        );
    }

    #[test]
    fn small_count_does_not_follow_from_the_sum_and_the_other_counts() {
        let row = |kind: &str, name: &str, count| StoredCount {
            kind: kind.to_owned(),
            name: name.to_owned(),
            words: None,
            count,
        };
        let rows = [
            row("day", "2026-11-01 browser", 195),
            row("day", "2026-11-01 agent", 40),
            row("language", "tr", 3),
            row("language", "en", 95),
            row("language", "other", 137),
            row("page", "browser html /tr", 190),
            row("page", "browser html /en", 5),
            row("page", "agent html /tr", 36),
            row("page", "agent html /en", 4),
        ];
        let report = UsageReport::of_store("2026-11".parse().unwrap(), rows);
        assert_eq!(report.total, ShownCount::Exactly(230));
        assert_eq!(report.days, [(vec!["2026-11-01".to_owned()], ShownCount::Exactly(230))]);
        let counts = |kind| {
            let section = report.sections.iter().find(|section| section.kind == kind).unwrap();
            section.rows.iter().map(|(_, count)| *count).collect::<Vec<_>>()
        };
        let (exactly, fewer) = (ShownCount::Exactly, ShownCount::FewerThan);
        assert_eq!(counts(CountKind::Language), [fewer(1000), fewer(10), exactly(137)]);
        assert_eq!(counts(CountKind::Page), [fewer(1000), fewer(100), fewer(10), fewer(10)]);
        assert_eq!(counts(CountKind::Day), [exactly(40), exactly(195)]);
    }
}
