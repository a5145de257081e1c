//! Measures what is found in sentences as lawyers write them, and what is found where there is nothing.

use citations::{Laws, find};

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
