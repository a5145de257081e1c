//! Footnotes: which are referred to, and which are defined.

use std::{collections::HashSet, ops::Range};

use pulldown_cmark::CowStr;

use super::Note;
use crate::spans::folded;

/// The footnotes of a text, while it is read.
#[derive(Debug, Default)]
pub(super) struct Notes<'t> {
    referred: HashSet<String>,
    defined: Vec<(String, CowStr<'t>, Range<usize>)>,
    undefined: Vec<Note>,
}

/// What is wrong with them.
#[derive(Debug)]
pub(super) struct Faults {
    pub(super) undefined: Vec<Note>,
    pub(super) unused: Vec<Note>,
    pub(super) repeated: Vec<Note>,
}

impl<'t> Notes<'t> {
    pub(super) fn refer(&mut self, label: &str) {
        self.referred.insert(folded(label));
    }

    pub(super) fn define(&mut self, label: CowStr<'t>, range: Range<usize>) {
        self.defined.push((folded(&label), label, range));
    }

    /// Looks for a reference without a definition: the parser leaves it as text, which begins with its bracket.
    pub(super) fn look_for_undefined(&mut self, text: &str, range: &Range<usize>) {
        let Some(label) = text[range.start..].strip_prefix("[^") else { return };
        let escaped = text[..range.start].ends_with('\\');
        if let Some(name) = name(label).filter(|name| !escaped && !name.trim().is_empty()) {
            let range = range.start..range.start + "[^".len() + name.len() + 1;
            self.undefined.push(Note { label: name.to_owned(), range });
        }
    }

    pub(super) fn finish(self) -> Faults {
        let mut faults = Faults { undefined: self.undefined, unused: Vec::new(), repeated: Vec::new() };
        let mut seen = HashSet::new();
        for (folded, label, range) in self.defined {
            let used = self.referred.contains(&folded);
            let first = seen.insert(folded);
            let note = Note { label: label.into_string(), range };
            if !first {
                faults.repeated.push(note);
            } else if !used {
                faults.unused.push(note);
            }
        }
        faults
    }
}

/// Returns what precedes the bracket that ends a label, as the parser reads it: in one line, with no other bracket in
/// it.
fn name(label: &str) -> Option<&str> {
    let mut letters = label.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        match letter {
            ']' => return Some(&label[..at]),
            '[' | '\n' | '\r' => return None,
            '\\' => {
                letters.next_if(|(_, escaped)| escaped.is_ascii_punctuation());
            }
            _ => {}
        }
    }
    None
}
