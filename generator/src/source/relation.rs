//! How a firm of the network stands to this one.

/// How a firm of the network is related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// Member of the same association.
    Member,
    /// Correspondent firm.
    Correspondent,
}

impl Relation {
    /// The word in front matter and in strings files.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Correspondent => "correspondent",
        }
    }
}
