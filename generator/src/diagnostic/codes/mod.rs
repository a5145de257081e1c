//! The table of codes, an area a file. A new code takes the next number of its area, and keeps it for good.

mod addresses;
mod fields;
mod files;
mod references;
mod settings;
mod text;

pub(super) use addresses::ADDRESSES;
pub(super) use fields::FIELDS;
pub(super) use files::FILES;
pub(super) use references::REFERENCES;
pub(super) use settings::SETTINGS;
pub(super) use text::TEXT;

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
