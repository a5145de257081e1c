//! The places in a form or message that are filled at the time of a request.

/// What a marker starts with.
pub const MARKER_OPEN: &str = "{{=";
/// What a marker ends with.
pub const MARKER_CLOSE: &str = "}}";

/// A place to fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// Which agent: the registration's identifier, or what its provider calls it.
    Agent,
    /// Who vouches for the agent.
    Provider,
    /// The two words that the agent was given to tell the person.
    MatchPhrase,
    /// The person's address; its domain in ASCII, so that no letter looks like another.
    Email,
    /// When it was asked for, or when it happened.
    Requested,
    /// Until when it can be answered or used.
    Expires,
    /// What is asked for: a [`super::Form::ScopeItem`] for each scope, in a message a line for each.
    Scopes,
    /// One scope in words.
    Scope,
    /// The secret of the link that led here.
    Token,
    /// The secret of the link with which a reader says that they want no more messages.
    Stop,
    /// The code that the person hands to the agent.
    Code,
    /// A [`super::Form::AccessItem`] for each agent.
    Items,
    /// Which registration a button is about.
    Registration,
    /// How many.
    Count,
}

impl Slot {
    /// Every slot.
    pub const ALL: [Self; 14] = [
        Self::Agent,
        Self::Provider,
        Self::MatchPhrase,
        Self::Email,
        Self::Requested,
        Self::Expires,
        Self::Scopes,
        Self::Scope,
        Self::Token,
        Self::Stop,
        Self::Code,
        Self::Items,
        Self::Registration,
        Self::Count,
    ];

    /// Its name in templates and markers.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Provider => "provider",
            Self::MatchPhrase => "match_phrase",
            Self::Email => "email",
            Self::Requested => "requested",
            Self::Expires => "expires",
            Self::Scopes => "scopes",
            Self::Scope => "scope",
            Self::Token => "token",
            Self::Stop => "stop",
            Self::Code => "code",
            Self::Items => "items",
            Self::Registration => "registration",
            Self::Count => "count",
        }
    }

    /// The text in its place until it is filled.
    #[must_use]
    pub fn marker(self) -> String {
        format!("{MARKER_OPEN}{}{MARKER_CLOSE}", self.as_str())
    }

    /// The slot of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| slot.as_str() == name)
    }

    /// Whether its value consists of elements, so that it cannot be used in an attribute.
    #[must_use]
    pub const fn is_list(self) -> bool {
        matches!(self, Self::Scopes | Self::Items)
    }

    /// Whether its value comes back as a parameter, so that it is written as one and may be part of an address.
    #[must_use]
    pub const fn is_parameter(self) -> bool {
        matches!(self, Self::Token | Self::Stop | Self::Registration)
    }
}
