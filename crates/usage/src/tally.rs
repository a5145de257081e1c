//! The counts of one worker, between two writes to the store.

use std::{borrow::Cow, hash::BuildHasher as _, mem};

use contract::Locale;
use foldhash::quality::RandomState;
use percent_encoding::percent_decode_str;

use super::{ELSEWHERE, KnownReader, OTHER, ReaderGroup, names::NameTable};

/// The most distinct pages. Only pages of the build are counted by name.
const MAX_PAGES: usize = 10_000;
/// The most distinct names that senders choose: unknown paths, and search words.
pub(crate) const MAX_STRANGE: usize = 256;
/// The longest name that senders choose, in bytes.
const MAX_NAME: usize = 120;
/// Text with as many digits may be a telephone number or an identity number.
const MAX_DIGITS: usize = 9;
/// Places of the memory of recognized readers; a power of two.
const RECOGNIZED: usize = 256;

const GROUPS: usize = ReaderGroup::ALL.len();
const FORMATS: usize = ReadFormat::ALL.len();

contract::names! {
    /// The format of a response.
    pub enum ReadFormat {
        Html "html",
        Markdown "markdown",
        Json "json",
        Text "text",
        Feed "feed",
        Document "document",
        Mcp "mcp",
    }
}

impl ReadFormat {
    /// Returns the format of a media type; `None` for style sheets, fonts and pictures, which belong to a page.
    pub fn of(media_type: &[u8]) -> Option<Self> {
        let essence = media_type.split(|byte| *byte == b';').next().unwrap_or_default();
        Some(match essence {
            b"text/html" => Self::Html,
            b"text/markdown" => Self::Markdown,
            b"application/atom+xml" | b"application/feed+json" => Self::Feed,
            b"text/plain" | b"application/xml" | b"text/xml" | b"text/calendar" | b"text/vcard" => Self::Text,
            b"application/json" => Self::Json,
            other if other.ends_with(b"+json") => Self::Json,
            b"application/pdf" => Self::Document,
            other if other.starts_with(b"application/vnd.o") => Self::Document,
            _ => return None,
        })
    }
}

contract::names! {
    /// What a row counts.
    pub enum CountKind {
        /// Requests of a day: day and group.
        Day "day",
        /// Group and name of a reader.
        Reader "reader",
        /// Group, format and path.
        Page "page",
        Language "language",
        /// A tool of the Model Context Protocol.
        Tool "tool",
        /// An unknown path, and the page of the site that led there.
        Missing "missing",
        /// Words of a search without results.
        Unfound "unfound",
        /// A kind of registration.
        Registration "registration",
    }
}

impl CountKind {
    /// Whether senders choose the name: it is stored legibly, and shown, only after it was used on enough days.
    pub fn is_chosen_by_senders(self) -> bool {
        matches!(self, Self::Missing | Self::Unfound)
    }

    /// The most rows of this kind in a month.
    pub fn max_rows(self) -> u64 {
        match self {
            Self::Page => 50_000,
            Self::Missing | Self::Unfound => 2_000,
            Self::Day | Self::Reader | Self::Language | Self::Tool | Self::Registration => 500,
        }
    }
}

/// A row to be added to those of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedCount {
    pub kind: CountKind,
    pub name: String,
    pub count: u64,
}

/// The requests for a page, by group and format.
#[derive(Clone, Debug, Default)]
struct PageCounts([[u32; FORMATS]; GROUPS]);

impl PageCounts {
    fn sum(&self) -> u64 {
        self.0.iter().flatten().map(|count| u64::from(*count)).sum()
    }

    fn add(&mut self, other: &Self) {
        for (count, other) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *count = count.saturating_add(*other);
        }
    }
}

/// Counts by names that senders choose.
#[derive(Debug)]
struct ChosenNames {
    names: NameTable<u64>,
    /// Names that are not kept, or that made room for others.
    other: u64,
}

impl ChosenNames {
    fn new() -> Self {
        Self { names: NameTable::new(MAX_STRANGE), other: 0 }
    }

    fn count(&mut self, name: &str) {
        let (count, displaced) = self.names.entry(name, |count| *count);
        *count += 1;
        self.other += displaced.unwrap_or(0);
    }

    fn drain(&mut self) -> impl Iterator<Item = (Box<str>, u64)> {
        let other = (OTHER.into(), mem::take(&mut self.other));
        self.names.drain().chain([other])
    }
}

/// Counts of requests. Takes a bounded amount of memory whatever is requested.
#[derive(Debug)]
pub struct RequestTally {
    readers: [u64; KnownReader::COUNT],
    pages: NameTable<PageCounts>,
    /// Pages beyond the limit.
    other_pages: PageCounts,
    /// English, Turkish, neither.
    languages: [u64; 3],
    tools: ChosenNames,
    missing: ChosenNames,
    /// Requests for paths that do not exist, to which no page of the site led.
    elsewhere: u64,
    unfound: ChosenNames,
    /// Counts by group of the days that are over, for logs.
    days: Vec<(String, [u64; GROUPS])>,
    groups: [u64; GROUPS],
    /// Digests of `User-Agent` with the reader that was recognized, so that a table of names is not searched for
    /// every request.
    recognized: Box<[(u64, KnownReader); RECOGNIZED]>,
    hasher: RandomState,
}

impl Default for RequestTally {
    fn default() -> Self {
        Self {
            readers: [0; KnownReader::COUNT],
            pages: NameTable::new(MAX_PAGES),
            other_pages: PageCounts::default(),
            languages: [0; 3],
            tools: ChosenNames::new(),
            missing: ChosenNames::new(),
            elsewhere: 0,
            unfound: ChosenNames::new(),
            days: Vec::new(),
            groups: [0; GROUPS],
            recognized: Box::new([(0, KnownReader::OTHER); RECOGNIZED]),
            hasher: RandomState::default(),
        }
    }
}

impl RequestTally {
    /// Returns the reader that sends this `User-Agent`.
    pub fn recognize(&mut self, user_agent: &[u8]) -> KnownReader {
        let digest = self.hasher.hash_one(user_agent);
        let place = &mut self.recognized[digest as usize % RECOGNIZED];
        if place.0 != digest {
            *place = (digest, KnownReader::of(user_agent));
        }
        place.1
    }

    /// Counts a response with the page at `path`, which exists. The Markdown of a page counts for the page.
    pub fn count_read(&mut self, reader: KnownReader, path: &str, format: ReadFormat, locale: Option<Locale>) {
        let group = reader.group() as usize;
        self.readers[reader.row()] += 1;
        self.groups[group] += 1;
        self.languages[locale.map_or(2, |locale| locale as usize)] += 1;
        let path = match path {
            "/index.md" => "/",
            path if format == ReadFormat::Markdown => path.strip_suffix(".md").unwrap_or(path),
            path => path,
        };
        let (PageCounts(counts), displaced) = self.pages.entry(path, PageCounts::sum);
        counts[group][format as usize] = counts[group][format as usize].saturating_add(1);
        if let Some(displaced) = displaced {
            self.other_pages.add(&displaced);
        }
    }

    /// Counts a call of the tool `name`, which exists.
    pub fn count_tool(&mut self, name: &str) {
        self.tools.count(name);
    }

    /// Counts a request for the unknown `path`; `page` is the page of this site that led there. Other paths are not
    /// counted by name, because any client can request any. Paths that may contain an address or a number of a person
    /// are not kept. Returns the name under which it is counted, if it has one.
    pub fn count_missing(&mut self, path: &str, page: Option<&str>) -> Option<String> {
        let Some(page) = page else {
            self.elsewhere += 1;
            return None;
        };
        let name = kept_path(path).map(|path| format!("{path} {page}"));
        match &name {
            Some(name) => self.missing.count(name),
            None => self.missing.other += 1,
        }
        name
    }

    /// Counts a search without results. Words that may be an address or a number of a person are not kept.
    pub fn count_unfound(&mut self, words: &str) {
        let is_kept = words.len() <= MAX_NAME && !words.contains(char::is_control) && !is_personal(words);
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase().replace('\u{307}', "");
        if is_kept && !words.is_empty() {
            self.unfound.count(&words);
        } else {
            self.unfound.other += 1;
        }
    }

    /// Returns the paths that were read as a page since the last call of [`Self::drain`].
    pub(crate) fn read_pages(&self) -> impl Iterator<Item = &str> {
        let is_page = |counts: &PageCounts| counts.0.iter().any(|row| row[ReadFormat::Html as usize] > 0);
        self.pages.iter().filter(move |(_, counts)| is_page(counts)).map(|(path, _)| path)
    }

    /// Assigns the requests since the last call to `day`. Names that are used after it recur.
    pub(crate) fn close_day(&mut self, day: &str) {
        self.pages.end_period();
        for chosen in [&mut self.tools, &mut self.missing, &mut self.unfound] {
            chosen.names.end_period();
        }
        let groups = mem::take(&mut self.groups);
        match self.days.iter_mut().find(|(known, _)| known == day) {
            Some((_, sums)) => sums.iter_mut().zip(groups).for_each(|(sum, count)| *sum += count),
            None if groups == [0; GROUPS] => {}
            None => self.days.push((day.to_owned(), groups)),
        }
    }

    /// Returns all counts as rows, and starts again. Requests since the last call are of `day`, such as `2026-11-30`.
    pub fn drain(&mut self, day: &str) -> Vec<NamedCount> {
        self.close_day(day);
        let mut rows = Vec::new();
        let mut push = |kind, name: String, count: u64| {
            if count > 0 {
                rows.push(NamedCount { kind, name, count });
            }
        };
        for (day, groups) in mem::take(&mut self.days) {
            for (group, count) in ReaderGroup::ALL.iter().zip(groups) {
                push(CountKind::Day, format!("{day} {}", group.as_str()), count);
            }
        }
        for (row, count) in mem::replace(&mut self.readers, [0; KnownReader::COUNT]).into_iter().enumerate() {
            let reader = KnownReader::at(row);
            push(CountKind::Reader, format!("{} {}", reader.group().as_str(), reader.name()), count);
        }
        let others = (OTHER.into(), mem::take(&mut self.other_pages));
        for (path, counts) in self.pages.drain().chain([others]) {
            for (group, counts) in ReaderGroup::ALL.iter().zip(counts.0) {
                for (format, count) in ReadFormat::ALL.iter().zip(counts) {
                    let name = format!("{} {} {path}", group.as_str(), format.as_str());
                    push(CountKind::Page, name, u64::from(count));
                }
            }
        }
        let languages = mem::take(&mut self.languages);
        for (name, count) in [Locale::En.as_str(), Locale::Tr.as_str(), OTHER].into_iter().zip(languages) {
            push(CountKind::Language, name.to_owned(), count);
        }
        push(CountKind::Missing, ELSEWHERE.to_owned(), mem::take(&mut self.elsewhere));
        for (kind, chosen) in [
            (CountKind::Tool, &mut self.tools),
            (CountKind::Missing, &mut self.missing),
            (CountKind::Unfound, &mut self.unfound),
        ] {
            for (name, count) in chosen.drain() {
                push(kind, name.into(), count);
            }
        }
        rows
    }
}

/// Returns the decoded `path` of an address that does not exist, if it may be kept.
fn kept_path(path: &str) -> Option<String> {
    // A longer one would only be decoded to be thrown away.
    let encoded = Some(path).filter(|path| path.len() <= 3 * MAX_NAME)?;
    let decoded = percent_decode_str(encoded).decode_utf8().ok()?;
    let is_kept = decoded.len() <= MAX_NAME && !decoded.contains(char::is_control) && !is_personal(&decoded);
    is_kept.then(|| decoded.into_owned())
}

/// Whether `text` may contain an address or a number of a person, in any script and however often it is encoded.
fn is_personal(text: &str) -> bool {
    let mut text = Cow::Borrowed(text);
    // Each round shortens the text.
    loop {
        let digits = text.chars().filter(|character| character.is_numeric()).count();
        if digits >= MAX_DIGITS || text.contains(['@', '＠', '﹫']) {
            return true;
        }
        let decoded = percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if decoded == *text {
            return false;
        }
        text = Cow::Owned(decoded);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BROWSER: &[u8] = b"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

    fn named(rows: &[NamedCount], kind: CountKind) -> Vec<(&str, u64)> {
        let mut named: Vec<_> =
            rows.iter().filter(|row| row.kind == kind).map(|row| (row.name.as_str(), row.count)).collect();
        named.sort_unstable();
        named
    }

    #[test]
    fn flood_of_names_takes_a_bounded_amount_of_memory() {
        let mut tally = RequestTally::default();
        for number in 0..100_000 {
            tally.count_missing(&format!("/{number}/{}", "x".repeat(90)), Some("/en"));
            tally.count_missing(&"y".repeat(60_000), Some("/en"));
            tally.count_missing(&format!("/{number}"), None);
            tally.count_unfound(&format!("word {number}"));
            tally.count_unfound(&"long ".repeat(10_000).repeat(usize::from(number % 10_000 == 0)));
            let agent = format!("agent {number}");
            let reader = tally.recognize(agent.as_bytes());
            tally.count_read(reader, &format!("/en/page-{number}"), ReadFormat::Html, Some(Locale::En));
        }
        let names = |chosen: &ChosenNames| chosen.names.iter().map(|(name, _)| name.len()).collect::<Vec<_>>();
        let (missing, unfound) = (names(&tally.missing), names(&tally.unfound));
        assert!(missing.len() <= MAX_STRANGE && unfound.len() <= MAX_STRANGE);
        assert!(tally.pages.iter().count() <= MAX_PAGES);
        assert!(missing.into_iter().chain(unfound).sum::<usize>() < 100_000);
        let rows = tally.drain("2026-11-30");
        for (kind, all) in [(CountKind::Missing, 300_000), (CountKind::Unfound, 200_000), (CountKind::Page, 100_000)] {
            let sum: u64 = named(&rows, kind).iter().map(|(_, count)| count).sum();
            assert_eq!(sum, all, "nothing is lost: {kind:?}");
        }
        assert_eq!(tally.drain("2026-11-30"), []);
    }

    #[test]
    fn flood_of_names_hides_none_that_recurs_and_none_that_comes_after_it() {
        let mut tally = RequestTally::default();
        for day in ["2026-11-01", "2026-11-02"] {
            tally.count_missing("/tr/eski", Some("/tr"));
            tally.count_unfound("iptal davası");
            tally.drain(day);
        }
        for day in ["2026-11-03", "2026-11-04"] {
            for number in 0..100_000 {
                tally.count_missing(&format!("/{number}"), Some("/tr"));
                tally.count_unfound(&format!("word {number}"));
                if number == 50_000 {
                    tally.count_missing("/tr/eski", Some("/tr"));
                    tally.count_unfound("iptal davası");
                }
            }
            tally.count_missing("/tr/yeni", Some("/tr"));
            tally.count_unfound("tahliye davası");
            let rows = tally.drain(day);
            for (kind, name) in [
                (CountKind::Missing, "/tr/eski /tr"),
                (CountKind::Missing, "/tr/yeni /tr"),
                (CountKind::Unfound, "iptal davası"),
                (CountKind::Unfound, "tahliye davası"),
            ] {
                let named = named(&rows, kind);
                assert!(named.contains(&(name, 1)), "{day} {name}");
                assert_eq!(named.iter().map(|(_, count)| count).sum::<u64>(), 100_002, "{day} {kind:?}");
            }
        }
    }

    #[test]
    fn words_that_may_name_a_person_by_number_or_address_are_not_kept() {
        let mut tally = RequestTally::default();
        for words in [
            "ayse@person.example",
            "ayse＠person.example",
            "ayse%40person.example",
            "0532 000 00 00",
            "12345678901",
            "٠٥٣٢٠٠٠٠٠٠٠",
            "０５３２ ０００ ００ ００",
            "a\u{7}b",
            "",
        ] {
            tally.count_unfound(words);
        }
        for words in ["Kira  Artışı", "kira artışı", "İHBAR", "6102 m. 553"] {
            tally.count_unfound(words);
        }
        let rows = tally.drain("2026-11-30");
        assert_eq!(
            named(&rows, CountKind::Unfound),
            [("6102 m. 553", 1), ("ihbar", 1), ("kira artışı", 2), (OTHER, 9)]
        );
    }

    #[test]
    fn paths_that_may_name_a_person_by_number_or_address_are_not_kept() {
        let mut tally = RequestTally::default();
        for path in [
            "/ali.veli@firm.example/05321234567",
            "/ali.veli%40firm.example",
            "/ali.veli%2540firm.example",
            "/ali.veli%EF%BC%A0firm.example",
            "/reset/0532123456789",
            "/reset/%30%35%33%32123456",
            "/%D9%A0%D9%A5%D9%A3%D9%A2%D9%A0%D9%A0%D9%A0%D9%A0%D9%A0",
            "/a%0Ab",
            "/%ff",
        ] {
            tally.count_missing(path, Some("/tr"));
        }
        tally.count_missing("/tr/ileti%C5%9Fim%20eski", Some("/tr"));
        tally.count_missing("/tr/2024", Some("/tr"));
        let rows = tally.drain("2026-11-30");
        assert_eq!(named(&rows, CountKind::Missing), [("/tr/2024 /tr", 1), ("/tr/iletişim eski /tr", 1), (OTHER, 9)]);
    }

    #[test]
    fn markdown_counts_for_its_page_and_other_paths_only_if_this_site_led_there() {
        let mut tally = RequestTally::default();
        let browser = tally.recognize(BROWSER);
        let agent = tally.recognize(b"ClaudeBot/1.0");
        tally.count_read(browser, "/tr/iletisim", ReadFormat::Html, Some(Locale::Tr));
        tally.count_read(agent, "/tr/iletisim.md", ReadFormat::Markdown, Some(Locale::Tr));
        tally.count_read(agent, "/tr/iletisim", ReadFormat::Markdown, Some(Locale::Tr));
        tally.count_read(agent, "/index.md", ReadFormat::Markdown, None);
        tally.count_missing("/wp-login.php", None);
        tally.count_missing("/tr/old", Some("/tr"));
        let rows = tally.drain("2026-11-30");
        assert_eq!(
            named(&rows, CountKind::Page),
            [("agent markdown /", 1), ("agent markdown /tr/iletisim", 2), ("browser html /tr/iletisim", 1)]
        );
        assert_eq!(named(&rows, CountKind::Missing), [("/tr/old /tr", 1), (ELSEWHERE, 1)]);
        assert_eq!(named(&rows, CountKind::Day), [("2026-11-30 agent", 3), ("2026-11-30 browser", 1)]);
        assert_eq!(named(&rows, CountKind::Reader), [("agent ClaudeBot", 3), ("browser browser", 1)]);
        assert_eq!(named(&rows, CountKind::Language), [(OTHER, 1), ("tr", 3)]);
    }
}
