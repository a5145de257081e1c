//! Names of footnotes and references, which are compared without regard to case.

use unicase::UniCase;

/// Folds `label` as the parser does to compare it: `ß` equals `ss`, and a final sigma any other sigma.
pub(super) fn folded(label: &str) -> String {
    UniCase::new(label).to_folded_case()
}
