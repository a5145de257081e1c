//! Measures what is found in sentences as lawyers write them, and what is found where there is nothing.

use std::{fs, path::Path};

use citations::{Citation, Cited, Laws, find};

#[test]
fn citations_of_marked_sentences_are_found() {
    let laws = Laws::default();
    let (mut expected_count, mut found_count, mut right, mut wrong) = (0, 0, 0_u32, Vec::new());
    for line in include_str!("marked.txt").lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let (text, expected) = line.split_once("=>").unwrap();
        let expected: Vec<&str> = expected.split(';').map(str::trim).filter(|it| !it.is_empty()).collect();
        let found: Vec<String> = find(text, &laws).iter().map(|it| it.cited.to_string()).collect();
        let mut left = expected.clone();
        for citation in &found {
            if let Some(at) = left.iter().position(|it| it == citation) {
                left.remove(at);
                right += 1;
            }
        }
        expected_count += expected.len() as u32;
        found_count += found.len() as u32;
        if expected != found {
            wrong.push(format!("{text}\n    expected {expected:?}\n    found    {found:?}"));
        }
    }
    let (precision, recall) = (share(right, found_count), share(right, expected_count));
    println!("{expected_count} citations: precision {precision:.1} %, recall {recall:.1} %\n{}", wrong.join("\n"));
    assert!(precision >= 95.0 && recall >= 95.0, "precision {precision:.1} %, recall {recall:.1} %");
}

fn share(part: u32, whole: u32) -> f64 {
    100.0 * f64::from(part) / f64::from(whole)
}

#[test]
fn article_without_a_named_law_has_the_law_of_its_translation() {
    let laws = Laws::default();
    let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../content/publications");
    let (mut compared, mut wrong) = (0, Vec::new());
    for entry in fs::read_dir(content).unwrap() {
        let folder = entry.unwrap().path();
        let [english, turkish] = ["en", "tr"].map(|language| {
            fs::read_to_string(folder.join(format!("index.{language}.md")))
                .map_or_else(|_| Vec::new(), |text| find(&text, &laws))
        });
        for (here, there) in [(&english, &turkish), (&turkish, &english)] {
            for citation in here.iter().filter(|citation| citation.is_inferred) {
                let is_same = |other: &&Citation| match (&citation.cited, &other.cited) {
                    (Cited::Article(_, one), Cited::Article(_, other)) => one.overlaps(other),
                    _ => false,
                };
                let mut same = there.iter().filter(is_same).peekable();
                compared += u32::from(same.peek().is_some());
                if same.peek().is_some() && same.all(|other| other.cited.law() != citation.cited.law()) {
                    wrong.push(format!("{}: {}", folder.display(), citation.cited));
                }
            }
        }
    }
    assert!(compared > 100 && wrong.is_empty(), "{compared} compared: {wrong:#?}");
}
