//! The kinds of findings.

use std::fmt;

use super::{Severity, codes};

/// A kind of finding: stable, so that it can be looked up and searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// Such as `E0107`; never reused for something else.
    pub id: &'static str,
    /// Whether it keeps the site from being published.
    pub severity: Severity,
    /// The kind in one line.
    pub title: &'static str,
    /// Why it matters and what to do.
    pub explanation: &'static str,
}

impl Code {
    /// Every code, by area and number: fields, references, text, addresses, `site.toml`, files.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        [codes::FIELDS, codes::REFERENCES, codes::TEXT, codes::ADDRESSES, codes::SETTINGS, codes::FILES]
            .into_iter()
            .flatten()
    }

    /// The code that is written as `id`, in any case.
    #[must_use]
    pub fn find(id: &str) -> Option<&'static Self> {
        Self::all().find(|code| code.id.eq_ignore_ascii_case(id.trim()))
    }

    /// What `explain CODE` prints.
    #[must_use]
    pub fn explain(&self) -> String {
        format!("{}[{}]: {}\n\n{}\n", self.severity.as_str(), self.id, self.title, self.explanation)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.id)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_is_there_once_and_explains_itself() {
        let mut ids = BTreeSet::new();
        for code in Code::all() {
            assert!(ids.insert(code.id), "{} twice", code.id);
            let letter = if code.severity == Severity::Error { 'E' } else { 'W' };
            assert!(code.id.starts_with(letter) && code.id.len() == 5, "{}", code.id);
            assert!(code.explanation.len() > 40 && code.explanation.ends_with('.'), "{}", code.id);
            assert!(!code.title.ends_with('.') && code.title.len() < 90, "{}", code.id);
        }
        assert!(ids.len() > 80, "{}", ids.len());
    }

    #[test]
    fn a_code_is_found_in_any_case() {
        assert_eq!(Code::find(" e0107"), Some(&Code::UNKNOWN_FIELD));
        assert_eq!(Code::find("E9999"), None);
    }
}
