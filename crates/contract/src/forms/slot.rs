//! Placeholders in forms and messages, filled at the time of a request.

use crate::names;

/// The beginning of a marker.
pub const MARKER_OPEN: &str = "{{=";
/// The end of a marker.
pub const MARKER_CLOSE: &str = "}}";

names! {
    /// A placeholder.
    pub enum Slot {
        /// The agent: the registration's identifier, or the provider's name for it.
        Agent "agent",
        /// The provider of the agent.
        Provider "provider",
        /// The two words by which the person recognises the agent.
        MatchPhrase "match_phrase",
        /// The person's address; its domain in ASCII, so that no letter looks like another.
        Email "email",
        /// The time of the request or of the event.
        Requested "requested",
        /// The end of validity.
        Expires "expires",
        /// The requested scopes: a [`super::Form::ScopeItem`] for each, in a message a line for each.
        Scopes "scopes",
        /// One scope in words.
        Scope "scope",
        /// The secret of the link to this page.
        Token "token",
        /// The secret of the link that stops messages.
        Stop "stop",
        /// The code that the person enters at the agent.
        Code "code",
        /// A [`super::Form::AccessItem`] for each agent.
        Items "items",
        /// The registration of a button.
        Registration "registration",
        /// A number of agents.
        Count "count",
        /// The search query.
        Query "query",
        /// The search results.
        Results "results",
    }
}

impl Slot {
    /// Returns the text in place of the value until it is filled in.
    pub fn marker(self) -> String {
        format!("{MARKER_OPEN}{}{MARKER_CLOSE}", self.as_str())
    }

    /// Returns whether the value consists of elements and therefore cannot be used in an attribute.
    pub const fn is_list(self) -> bool {
        matches!(self, Self::Scopes | Self::Items | Self::Results)
    }

    /// Returns whether the value is sent back as a parameter and may be part of an address.
    pub const fn is_parameter(self) -> bool {
        matches!(self, Self::Token | Self::Stop | Self::Registration)
    }
}
