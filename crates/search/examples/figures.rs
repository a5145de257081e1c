//! Measures the index of a large site: `cargo run --release -p mecelle-search --example figures`.

use std::time::{Duration, Instant};

use bytes::Bytes;
use contract::Locale;

use search::{Builder, Index, IndexError, IndexedDocument};

/// Reproducible pseudo-random numbers.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Returns the index of a word; small numbers are more frequent, as the frequent words of a language are.
    fn word(&mut self, words: usize) -> usize {
        let (a, b) = (self.next() % 1000, self.next() % 1000);
        ((a * b) as usize * words / 1_000_000).pow(2) / words
    }
}

fn words(numbers: &mut Numbers) -> Vec<String> {
    let roots = "dava sözleşme şirket vergi tazminat işveren kira marka veri sermaye karar mahkeme tahkim izin hak pay";
    let endings = "|lar|ler|ın|in|nın|da|den|si|i|lerin|larında|ma|me|lik";
    let syllables = ["ba", "şe", "rı", "mu", "kö", "li", "tan", "der", "çı", "gü", "zo", "ker"];
    let mut words: Vec<String> = Vec::new();
    for root in roots.split(' ') {
        words.extend(endings.split('|').map(|ending| format!("{root}{ending}")));
    }
    while words.len() < 40_000 {
        let length = 2 + numbers.next() % 3;
        words.push((0..length).map(|_| syllables[numbers.next() as usize % syllables.len()]).collect());
    }
    words
}

#[expect(clippy::disallowed_methods, reason = "figures are about time")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let start = Instant::now();
    let result = work();
    (result, start.elapsed())
}

fn main() -> Result<(), IndexError> {
    let mut numbers = Numbers(7);
    let words = words(&mut numbers);
    let mut text_size = 0;
    let mut builder = Builder::new(Locale::Tr);
    let mut spent = Duration::ZERO;
    for number in 0..20_000 {
        let mut text = |length: u64| {
            let mut text = String::new();
            for at in 0..length {
                text.push_str(&words[numbers.word(words.len())]);
                text.push_str(if at % 14 == 13 { ". " } else { " " });
            }
            text
        };
        let (title, summary, heading) = (text(6), text(16), text(4));
        let length = 600 + number % 700;
        let body = text(length);
        text_size += body.len();
        let id = format!("/tr/yayinlar/{number}");
        let document = IndexedDocument {
            id: &id,
            title: &title,
            url: &id,
            kind: "publication",
            headings: &[&heading],
            summary: &summary,
            body: &body,
            ..IndexedDocument::default()
        };
        spent += timed(|| builder.add(&document)).1;
    }
    let (bytes, build) = timed(|| builder.build());
    println!("text {} MB, add {spent:?}, build {build:?}, index {} MB", text_size / 1_000_000, bytes.len() / 1_000_000);
    let bytes = Bytes::from(bytes);
    let (index, parse) = timed(|| Index::parse(bytes));
    let index = index?;
    println!("parse {parse:?}");
    for query in [
        "dava",
        "sozlesmesinin",
        "kira tazminatı",
        "tahkim",
        "vergi davalarında sermaye payı",
        "mah",
        "s",
        "tazminst",
        "\"şirket hakları\"",
        "işveren karar marka veri sermaye izin pay kira vergi dava",
        "şekerli",
        "yok böyle kelimeler",
    ] {
        let hits = index.search(query, 10).len();
        // The machine may have other work: the fastest of many runs is the query's own time.
        let spent = (0..300).map(|_| timed(|| index.search(query, 10)).1).min().unwrap_or_default();
        println!("{:>8.3} ms  {hits} hits  {query}", spent.as_secs_f64() * 1000.0);
    }
    Ok(())
}
