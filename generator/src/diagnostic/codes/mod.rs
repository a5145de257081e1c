//! The table of codes, one area per file. A new code takes the next number of its area, and keeps it for good.

mod addresses;
mod fields;
mod files;
mod references;
mod settings;
mod text;

use super::Code;
use addresses::ADDRESSES;
use fields::FIELDS;
use files::FILES;
use references::REFERENCES;
use settings::SETTINGS;
use text::TEXT;

impl Code {
    /// Returns every code, by area and number: fields, references, text, addresses, `site.toml`, files.
    pub fn all() -> impl Iterator<Item = Self> {
        [FIELDS, REFERENCES, TEXT, ADDRESSES, SETTINGS, FILES].into_iter().flatten().copied()
    }

    /// Finds the code that is written as `id`, in upper or lower case.
    #[must_use]
    pub fn find(id: &str) -> Option<Self> {
        Self::all().find(|code| code.id().eq_ignore_ascii_case(id.trim()))
    }
}

/// Declares the codes of an area as constants of `Code` and collects them in a list.
macro_rules! codes {
    ($list:ident: $($name:ident = $severity:ident $id:literal $title:literal $explanation:literal;)*) => {
        impl crate::diagnostic::Code {
            $(
                #[doc = $title]
                pub const $name: Self = Self(&crate::diagnostic::code::Entry {
                    id: $id,
                    severity: crate::diagnostic::Severity::$severity,
                    title: $title,
                    explanation: $explanation,
                });
            )*
        }

        /// The codes of this area.
        pub(crate) const $list: &[crate::diagnostic::Code] = &[$(crate::diagnostic::Code::$name),*];
    };
}
use codes;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::diagnostic::Severity;

    #[test]
    fn every_code_is_there_once_and_explains_itself() {
        let mut ids = BTreeSet::new();
        for code in Code::all() {
            assert!(ids.insert(code.id()), "{code:?} twice");
            let letter = if code.severity() == Severity::Error { 'E' } else { 'W' };
            assert!(code.id().starts_with(letter) && code.id().len() == 5, "{code:?}");
            assert!(code.explanation().len() > 40 && code.explanation().ends_with('.'), "{code:?}");
            assert!(!code.title().ends_with('.') && code.title().len() < 90, "{code:?}");
        }
        assert!(ids.len() > 80, "{}", ids.len());
        for area in [FIELDS, REFERENCES, TEXT, ADDRESSES, SETTINGS, FILES] {
            assert!(area.iter().is_sorted_by_key(|code| code.id()), "{area:?}");
        }
    }

    #[test]
    fn a_code_is_found_in_any_case() {
        assert_eq!(Code::find(" e0107"), Some(Code::UNKNOWN_FIELD));
        assert_eq!(Code::find("E9999"), None);
    }
}
