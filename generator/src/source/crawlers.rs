//! What programs that gather pages may do with them.

/// What crawlers may do (Content-Signal).
#[derive(Clone, Copy, Debug)]
pub struct Crawlers {
    /// Build a search index.
    pub search: bool,
    /// Use content as input of an answer.
    pub ai_input: bool,
    /// Train models.
    pub ai_train: bool,
}
