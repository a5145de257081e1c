//! Findings of one file, as many of each kind as help.
//!
//! A file may hold one mistake a hundred thousand times: exported from a word processor, say. Who mends it needs to see
//! what it looks like and how often it is there, not a listing a hundred times as long as the file.

use std::collections::HashMap;

use super::Finding;

/// How many findings of one kind are told of one file.
const MANY: usize = 20;

/// Findings of one file.
#[derive(Debug, Default)]
pub(crate) struct Told {
    items: Vec<Finding>,
    /// How many of each code there are, and where the last one stands.
    kinds: HashMap<&'static str, (usize, usize)>,
}

impl Told {
    /// Adds a finding, or counts it at the last one of its kind.
    pub(crate) fn push(&mut self, finding: Finding) {
        let (count, last) = self.kinds.entry(finding.code.id()).or_default();
        if *count < MANY {
            *count += 1;
            *last = self.items.len();
            self.items.push(finding);
        } else if let Some(told) = self.items.get_mut(*last) {
            told.more += 1 + finding.more;
        }
    }

    /// What was told.
    pub(crate) fn into_findings(self) -> Vec<Finding> {
        self.items
    }
}

impl Extend<Finding> for Told {
    fn extend<T: IntoIterator<Item = Finding>>(&mut self, findings: T) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }
}

/// As much of `findings`, sorted by file, as helps.
pub(super) fn bounded(findings: Vec<Finding>) -> Vec<Finding> {
    let mut bounded = Vec::new();
    let mut told = Told::default();
    let mut file = String::new();
    for finding in findings {
        if finding.place.file != file {
            file.clone_from(&finding.place.file);
            bounded.append(&mut std::mem::take(&mut told).into_findings());
        }
        told.push(finding);
    }
    bounded.append(&mut told.into_findings());
    bounded
}
