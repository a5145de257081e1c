//! Limits the findings of each kind in a file.
//!
//! A file exported from a word processor may contain a mistake a hundred thousand times. An editor needs a few examples
//! and the number, not a list longer than the file.

use std::collections::HashMap;

use super::Finding;

/// Findings of one kind that are reported for one file; further ones are counted.
const MAX_PER_KIND: usize = 20;

#[derive(Debug, Default)]
pub struct FileFindings {
    items: Vec<Finding>,
    /// For each code, the number of items and the index of the last one.
    kinds: HashMap<&'static str, (usize, usize)>,
}

impl FileFindings {
    /// Adds a finding, or counts it in the last item of its kind.
    pub fn push(&mut self, finding: Finding) {
        let (count, last) = self.kinds.entry(finding.code.id()).or_default();
        if *count < MAX_PER_KIND {
            *count += 1;
            *last = self.items.len();
            self.items.push(finding);
        } else if let Some(last) = self.items.get_mut(*last) {
            last.more += 1 + finding.more;
        }
    }

    pub fn into_findings(self) -> Vec<Finding> {
        self.items
    }
}

impl Extend<Finding> for FileFindings {
    fn extend<T: IntoIterator<Item = Finding>>(&mut self, findings: T) {
        findings.into_iter().for_each(|finding| self.push(finding));
    }
}

/// Limits `findings`, which must be sorted by file.
pub(super) fn limit(findings: Vec<Finding>) -> Vec<Finding> {
    let mut limited = Vec::new();
    let mut of_file = FileFindings::default();
    let mut file = String::new();
    for finding in findings {
        if finding.place.file != file {
            file.clone_from(&finding.place.file);
            limited.append(&mut std::mem::take(&mut of_file).into_findings());
        }
        of_file.push(finding);
    }
    limited.append(&mut of_file.into_findings());
    limited
}
