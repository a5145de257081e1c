//! Markdown as Markdown.

use super::Targets;

/// The author's bytes with only the destinations replaced.
#[must_use]
pub fn to_twin(text: &str, _targets: &dyn Targets) -> String {
    text.to_owned()
}
