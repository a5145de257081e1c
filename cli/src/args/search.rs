//! Arguments of the search.

use super::Language;

/// What to look for.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Search {
    /// What a page should be about
    #[arg(required = true, value_name = "WORD", value_hint = clap::ValueHint::Other)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) language: Language,
    /// Maximum number of results [default: 10]
    #[arg(long, value_name = "N", default_value_t = 10, hide_default_value = true, display_order = 1)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=50), value_hint = clap::ValueHint::Other)]
    pub(crate) limit: u8,
}
