//! Placeholders in forms and messages, filled at the time of a request.

/// The beginning of a marker.
pub const MARKER_OPEN: &str = "{{=";
/// The end of a marker.
pub const MARKER_CLOSE: &str = "}}";

/// A placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Slot {
    /// The agent: the registration's identifier, or the provider's name for it.
    Agent,
    /// The provider of the agent.
    Provider,
    /// The two words by which the person recognises the agent.
    MatchPhrase,
    /// The person's address; its domain in ASCII, so that no letter looks like another.
    Email,
    /// The time of the request or of the event.
    Requested,
    /// The end of validity.
    Expires,
    /// The requested scopes: a [`super::Form::ScopeItem`] for each, in a message a line for each.
    Scopes,
    /// One scope in words.
    Scope,
    /// The secret of the link to this page.
    Token,
    /// The secret of the link that stops messages.
    Stop,
    /// The code that the person enters at the agent.
    Code,
    /// A [`super::Form::AccessItem`] for each agent.
    Items,
    /// The registration of a button.
    Registration,
    /// A number of agents.
    Count,
    /// The search query.
    Query,
    /// The search results.
    Results,
}

impl Slot {
    /// Every slot.
    pub const ALL: [Self; 16] = [
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
        Self::Query,
        Self::Results,
    ];

    /// Returns the name in templates and markers.
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
            Self::Query => "query",
            Self::Results => "results",
        }
    }

    /// Returns the text in place of the value until it is filled in.
    #[must_use]
    pub fn marker(self) -> String {
        format!("{MARKER_OPEN}{}{MARKER_CLOSE}", self.as_str())
    }

    /// Returns the slot of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| slot.as_str() == name)
    }

    /// Returns whether the value consists of elements and therefore cannot be used in an attribute.
    #[must_use]
    pub const fn is_list(self) -> bool {
        matches!(self, Self::Scopes | Self::Items | Self::Results)
    }

    /// Returns whether the value is sent back as a parameter and may be part of an address.
    #[must_use]
    pub const fn is_parameter(self) -> bool {
        matches!(self, Self::Token | Self::Stop | Self::Registration)
    }
}
