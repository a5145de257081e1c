//! Names of footnotes and references, which are compared without case.

use unicase::UniCase;

/// `label` as the parser compares it: `ß` is `ss`, and a sigma is one wherever it stands.
pub(super) fn folded(label: &str) -> String {
    UniCase::new(label).to_folded_case()
}
