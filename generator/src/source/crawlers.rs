//! What crawlers may do with the pages that they gather.

/// What crawlers may do (Content-Signal).
#[derive(Clone, Copy, Debug)]
pub struct Crawlers {
    /// Build a search index.
    pub search: bool,
    /// Use content as the input for an answer.
    pub ai_input: bool,
    /// Train models.
    pub ai_train: bool,
}
