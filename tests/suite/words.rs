//! Help, log lines and comments of shipped sources contain no word that `STYLE.md` rejects.

use crate::architecture::{TEST_PACKAGES, sources};

/// Rejected in help, logs and comments.
const REJECTED: [&str; 8] = ["nobody", "somebody", "anybody", "everybody", "whoever", "whom", "so many", "is told"];
/// Rejected in help and logs only, where it stands for "only". Comments may say that a value stands alone.
const REJECTED_WHERE_SHOWN: &str = "alone";
/// The programs with help, by the folders of their sources.
const PROGRAMS: [&str; 3] = ["generator/src/", "cli/src/", "sidecar/src/"];
/// What precedes the literals of help and of log lines.
const SHOWN: [&str; 7] = ["#[command(", "#[arg(", "error!(", "warn!(", "info!(", "debug!(", "trace!("];

/// A comment, or a string literal, of one or more lines.
struct Passage {
    first_line: usize,
    text: String,
    /// Whether users or operators see it.
    is_shown: bool,
}

#[test]
fn help_logs_and_comments_contain_no_rejected_word() {
    let sources = sources(|package| !TEST_PACKAGES.contains(&package));
    let found: Vec<_> = sources.iter().flat_map(|(path, text)| rejected_words(path, text)).collect();
    assert!(found.is_empty(), "STYLE.md rejects {} words:\n{}", found.len(), found.join("\n"));
}

/// Returns each rejected word of a source as `file:line: "word"`.
fn rejected_words(path: &str, text: &str) -> Vec<String> {
    let text = text.split("\nmod tests {").next().unwrap_or(text);
    let has_help = PROGRAMS.iter().any(|program| path.starts_with(program)) && text.contains("clap");
    let mut passages = comments(text, has_help);
    passages.extend(SHOWN.iter().flat_map(|opening| literals(text, opening)));
    passages.sort_by_key(|passage| passage.first_line);
    passages.iter().flat_map(words_of).map(|(line, word)| format!("{path}:{line}: {word:?}")).collect()
}

/// Returns the comments of a source; consecutive lines are one. Doc comments are shown where the file `has_help`.
fn comments(text: &str, has_help: bool) -> Vec<Passage> {
    let mut passages: Vec<Passage> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        if let Some(comment) = line.trim_start().strip_prefix("//") {
            let is_shown = has_help && comment.starts_with('/');
            let comment = comment.trim_start_matches(['/', '!']).trim();
            match passages.last_mut() {
                Some(last) if last.is_shown == is_shown && last.line_at(last.text.len()) + 1 == number => {
                    last.text.push('\n');
                    last.text.push_str(comment);
                }
                _ => passages.push(Passage { first_line: number, text: comment.to_owned(), is_shown }),
            }
            continue;
        }
        // Behind an odd number of quotation marks, the slashes stand in a literal.
        let trailing = line.split_once(" // ").filter(|(code, _)| code.matches('"').count() % 2 == 0);
        if let Some((_, comment)) = trailing {
            passages.push(Passage { first_line: number, text: comment.to_owned(), is_shown: false });
        }
    }
    passages
}

/// Returns the string literals between each `opening`, which ends with a parenthesis, and the one that closes it.
fn literals(text: &str, opening: &str) -> Vec<Passage> {
    let mut passages = Vec::new();
    for (at, _) in text.match_indices(opening) {
        let from = at + opening.len();
        let (mut depth, mut literal, mut is_escaped) = (1, None, false);
        for (at, letter) in text[from..].char_indices() {
            match (literal, letter) {
                (Some(_), _) if is_escaped => is_escaped = false,
                (Some(_), '\\') => is_escaped = true,
                (Some(start), '"') => {
                    let lines = text[start..from + at].lines().map(|line| line.trim().trim_end_matches(['\\', ' ']));
                    let first_line = 1 + text[..start].matches('\n').count();
                    passages.push(Passage { first_line, text: lines.collect::<Vec<_>>().join("\n"), is_shown: true });
                    literal = None;
                }
                (None, '"') => literal = Some(from + at + 1),
                (None, '(') => depth += 1,
                (None, ')') if depth == 1 => break,
                (None, ')') => depth -= 1,
                _ => {}
            }
        }
    }
    passages
}

impl Passage {
    fn line_at(&self, offset: usize) -> usize {
        self.first_line + self.text[..offset].matches('\n').count()
    }
}

/// Returns the rejected words of a passage with their lines. They are whole words, and may be broken over two lines.
fn words_of(passage: &Passage) -> Vec<(usize, &'static str)> {
    let text = passage.text.to_ascii_lowercase().replace('\n', " ");
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    for word in REJECTED.iter().chain(passage.is_shown.then_some(&REJECTED_WHERE_SHOWN)) {
        for (at, _) in text.match_indices(word) {
            if !text[..at].ends_with(is_of_word) && !text[at + word.len()..].starts_with(is_of_word) {
                found.push((passage.line_at(at), *word));
            }
        }
    }
    found
}

#[test]
fn planted_words_are_found() {
    let text = "/// clap shows it alone\n#[arg(help = \"So many\")]\n// Nobody, so\n// many, nobody_home\nwarn!(\"a \\\n alone\");";
    let found = rejected_words("cli/src/lib.rs", text);
    let places = ["1: \"alone\"", "2: \"so many\"", "3: \"nobody\"", "3: \"so many\"", "6: \"alone\""];
    assert_eq!(found, places.map(|place| format!("cli/src/lib.rs:{place}")));
}
