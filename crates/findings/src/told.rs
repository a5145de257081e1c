//! Findings of one file, with no more of each kind than is helpful.
//!
//! A file may contain one mistake a hundred thousand times, for example if it was exported from a word processor. The
//! person who fixes it needs to see what the mistake looks like and how often it occurs, not a listing a hundred times
//! as long as the file.

use std::collections::HashMap;

use super::Finding;

/// How many findings of one kind are reported for one file.
const MAX_PER_KIND: usize = 20;

/// Findings of one file.
#[derive(Debug, Default)]
pub struct Told {
    items: Vec<Finding>,
    /// For each code, how many findings there are, and the index of the last one.
    kinds: HashMap<&'static str, (usize, usize)>,
}

impl Told {
    /// Adds a finding, or counts it in the last one of its kind.
    pub fn push(&mut self, finding: Finding) {
        let (count, last) = self.kinds.entry(finding.code.id()).or_default();
        if *count < MAX_PER_KIND {
            *count += 1;
            *last = self.items.len();
            self.items.push(finding);
        } else if let Some(told) = self.items.get_mut(*last) {
            told.more += 1 + finding.more;
        }
    }

    /// Returns the findings to report.
    pub fn into_findings(self) -> Vec<Finding> {
        self.items
    }
}

impl Extend<Finding> for Told {
    fn extend<T: IntoIterator<Item = Finding>>(&mut self, findings: T) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }
}

/// Returns as much of `findings`, which are sorted by file, as is helpful.
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
