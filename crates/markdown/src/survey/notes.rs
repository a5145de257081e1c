//! Labels of footnotes without a reference or without a definition.

use std::{collections::HashSet, ops::Range};

use pulldown_cmark::CowStr;

use super::Note;
use crate::spans::fold_label;

#[derive(Debug, Default)]
pub(super) struct FootnoteLabels<'t> {
    referred: HashSet<String>,
    defined: Vec<(String, CowStr<'t>, Range<usize>)>,
    undefined: Vec<Note>,
}

#[derive(Debug, Default)]
pub(super) struct NoteFaults {
    pub(super) undefined: Vec<Note>,
    pub(super) unused: Vec<Note>,
    pub(super) repeated: Vec<Note>,
    pub(super) alike: Vec<Note>,
}

impl<'t> FootnoteLabels<'t> {
    pub(super) fn refer(&mut self, label: &str) {
        self.referred.insert(fold_label(label));
    }

    pub(super) fn define(&mut self, label: CowStr<'t>, range: Range<usize>) {
        self.defined.push((fold_label(&label), label, range));
    }

    /// Records a reference without a definition, which the parser leaves as text beginning with the bracket.
    pub(super) fn find_undefined(&mut self, text: &str, range: &Range<usize>) {
        let Some(label) = text[range.start..].strip_prefix("[^") else { return };
        let escaped = text[..range.start].ends_with('\\');
        if let Some(name) = name(label).filter(|name| !escaped && !name.trim().is_empty()) {
            let range = range.start..range.start + "[^".len() + name.len() + 1;
            self.undefined.push(Note { label: name.to_owned(), range });
        }
    }

    pub(super) fn finish(self) -> NoteFaults {
        let mut faults = NoteFaults { undefined: self.undefined, ..NoteFaults::default() };
        let (mut seen, mut capitals) = (HashSet::new(), HashSet::new());
        for (folded, label, range) in self.defined {
            let used = self.referred.contains(&folded);
            let first = seen.insert(folded);
            let is_unlike = capitals.insert(label.to_lowercase().to_uppercase());
            let note = Note { label: label.into_string(), range };
            if !first {
                faults.repeated.push(note);
            } else if !used {
                faults.unused.push(note);
            } else if !is_unlike {
                faults.alike.push(note);
            }
        }
        faults
    }
}

/// Returns the label before its closing bracket, as the parser reads it: one line without another bracket.
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
