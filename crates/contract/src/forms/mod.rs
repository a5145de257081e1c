//! Forms that people fill in and messages that they are sent: their names and their slots.
//!
//! The generator renders each of them in each locale with the site's own templates, as parts of the build. Where a
//! value is known only at the time of a request, it writes a [`Slot::marker`]. The sidecar fills the slots; it refuses
//! a build in which a form lacks one of its slots or has another.

pub mod search;
mod slot;
mod words;

use serde::{Deserialize, Serialize};

use crate::Locale;

pub use self::{
    slot::{MARKER_CLOSE, MARKER_OPEN, Slot},
    words::{Words, WordsError},
};
use Slot::{
    Agent, Code, Count, Email, Expires, Items, MatchPhrase, Provider, Registration, Requested, Scope, Scopes, Stop,
    Token,
};

/// Prefix of the names of all parts of this kind.
const FORMS: &str = "forms";
/// Prefix of the names of the parts of messages.
const MESSAGES: &str = "messages";

/// Name of the part that holds [`Words`].
pub const WORDS: &str = "forms/words";

/// A form, or a page that follows one. Each is one state: what it says depends on its slots and on nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// An agent asks for access: who, for what, since when; "show code" or "not me".
    Claim,
    /// The code that the person hands to the agent.
    ClaimCode,
    /// Asks for [`Form::word`] before anything is refused.
    ClaimDeny,
    /// The person refused.
    ClaimDenied,
    /// The agent has what it asked for already.
    ClaimCompleted,
    /// The time to answer is over.
    ClaimExpired,
    /// A newer request replaced this one.
    ClaimSuperseded,
    /// The link was never issued, or was forgotten.
    ClaimUnknown,
    /// Asks for an e-mail address, to see what agents hold.
    Access,
    /// The same, after an address that is not valid.
    AccessInvalid,
    /// A link was sent, if there is anything to see.
    AccessMailed,
    /// What agents hold in this person's name.
    AccessList,
    /// No agent holds anything.
    AccessEmpty,
    /// One or all were revoked.
    AccessRevoked,
    /// The link has expired or was never issued.
    AccessUnknown,
    /// What was sent to [`Form::Access`] came from another site, or not as a form.
    AccessRefused,
    /// No links are sent here.
    AccessOff,
    /// Says how agents get access, to somebody who looks for a way to sign in.
    Authorize,
    /// A program sent this person here to sign in, which is not possible.
    AuthorizeRefused,
    /// Asks whether this reader wants no more messages.
    Stop,
    /// No more messages are sent there; they can be resumed.
    Stopped,
    /// Messages are sent there again.
    Resumed,
    /// Too many requests.
    Limited,
    /// What was sent with the secret of a link came from another site, or not as a form.
    Refused,
    /// A defect of the service.
    Error,
    /// The service cannot answer now.
    Unavailable,
    /// One agent of [`Form::AccessList`]: an item, not a page.
    AccessItem,
    /// One scope in words: an item, not a page.
    ScopeItem,
}

impl Form {
    /// Every form.
    pub const ALL: [Self; 28] = [
        Self::Claim,
        Self::ClaimCode,
        Self::ClaimDeny,
        Self::ClaimDenied,
        Self::ClaimCompleted,
        Self::ClaimExpired,
        Self::ClaimSuperseded,
        Self::ClaimUnknown,
        Self::Access,
        Self::AccessInvalid,
        Self::AccessMailed,
        Self::AccessList,
        Self::AccessEmpty,
        Self::AccessRevoked,
        Self::AccessUnknown,
        Self::AccessRefused,
        Self::AccessOff,
        Self::Authorize,
        Self::AuthorizeRefused,
        Self::Stop,
        Self::Stopped,
        Self::Resumed,
        Self::Limited,
        Self::Refused,
        Self::Error,
        Self::Unavailable,
        Self::AccessItem,
        Self::ScopeItem,
    ];

    /// The name of its template and, below `forms/`, of its part.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::ClaimCode => "claim-code",
            Self::ClaimDeny => "claim-deny",
            Self::ClaimDenied => "claim-denied",
            Self::ClaimCompleted => "claim-completed",
            Self::ClaimExpired => "claim-expired",
            Self::ClaimSuperseded => "claim-superseded",
            Self::ClaimUnknown => "claim-unknown",
            Self::Access => "access",
            Self::AccessInvalid => "access-invalid",
            Self::AccessMailed => "access-mailed",
            Self::AccessList => "access-list",
            Self::AccessEmpty => "access-empty",
            Self::AccessRevoked => "access-revoked",
            Self::AccessUnknown => "access-unknown",
            Self::AccessRefused => "access-refused",
            Self::AccessOff => "access-off",
            Self::Authorize => "authorize",
            Self::AuthorizeRefused => "authorize-refused",
            Self::Stop => "stop",
            Self::Stopped => "stopped",
            Self::Resumed => "resumed",
            Self::Limited => "limited",
            Self::Refused => "refused",
            Self::Error => "error",
            Self::Unavailable => "unavailable",
            Self::AccessItem => "access-item",
            Self::ScopeItem => "scope-item",
        }
    }

    /// The slots that it has, each at least once.
    #[must_use]
    pub const fn slots(self) -> &'static [Slot] {
        match self {
            Self::Claim => &[Agent, Provider, MatchPhrase, Email, Requested, Expires, Scopes, Token],
            Self::ClaimCode => &[Agent, Code, Expires, Token],
            Self::AccessInvalid | Self::AccessMailed | Self::AccessEmpty => &[Email],
            Self::AccessList => &[Email, Items, Expires, Token],
            Self::AccessRevoked => &[Count, Email, Token],
            Self::AccessItem => &[Agent, Provider, MatchPhrase, Requested, Expires, Scopes, Registration, Token],
            Self::ScopeItem => &[Scope],
            Self::ClaimDeny | Self::Stop | Self::Stopped | Self::Resumed => &[Token],
            Self::ClaimDenied
            | Self::ClaimCompleted
            | Self::ClaimExpired
            | Self::ClaimSuperseded
            | Self::ClaimUnknown
            | Self::Access
            | Self::AccessUnknown
            | Self::AccessRefused
            | Self::AccessOff
            | Self::Authorize
            | Self::AuthorizeRefused
            | Self::Limited
            | Self::Refused
            | Self::Error
            | Self::Unavailable => &[],
        }
    }

    /// The word that a person types into it, in `locale`; none if it asks for no word. None of them has an `i`, so that
    /// every keyboard writes it alike in small and in capital letters.
    ///
    /// Security: programs that look at mail send the forms of the pages that its links lead to. What such a program
    /// must not do needs a word that no page sends by itself.
    #[must_use]
    pub const fn word(self, locale: Locale) -> Option<&'static str> {
        match (self, locale) {
            (Self::ClaimDeny, Locale::En) => Some("refuse"),
            (Self::ClaimDeny, Locale::Tr) => Some("reddet"),
            (Self::Stop, Locale::En) => Some("stop"),
            (Self::Stop, Locale::Tr) => Some("durdur"),
            _ => None,
        }
    }

    /// Whether `text` is its word in any language: the page may have been left in another one.
    #[must_use]
    pub fn is_word(self, text: &str) -> bool {
        Locale::ALL.into_iter().any(|locale| self.word(locale).is_some_and(|word| word == text.to_lowercase()))
    }

    /// The name of its part.
    #[must_use]
    pub fn part(self) -> String {
        format!("{FORMS}/{}", self.as_str())
    }
}

/// A message that the sidecar sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageKind {
    /// An agent asks for access; the link leads to [`Form::Claim`].
    Claim,
    /// An earlier request is void because the agent asked for another address.
    Superseded,
    /// The link that leads to [`Form::AccessList`].
    Access,
    /// Agents have lost what they held in this person's name.
    Revoked,
}

impl MessageKind {
    /// Every message.
    pub const ALL: [Self; 4] = [Self::Claim, Self::Superseded, Self::Access, Self::Revoked];

    /// The name of its template and, below `messages/`, of its parts.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Claim => "claim",
            Self::Superseded => "superseded",
            Self::Access => "access",
            Self::Revoked => "revoked",
        }
    }

    /// The slots of its text and of its HTML, each at least once. A subject has none.
    #[must_use]
    pub const fn slots(self) -> &'static [Slot] {
        match self {
            Self::Claim => &[Agent, Provider, MatchPhrase, Email, Requested, Expires, Scopes, Token, Stop],
            Self::Superseded => &[Agent, Requested, Email, Stop],
            Self::Access => &[Email, Expires, Token, Stop],
            Self::Revoked => &[Count, Requested, Email, Stop],
        }
    }

    /// The name of the part for its `piece`.
    #[must_use]
    pub fn part(self, piece: MessagePiece) -> String {
        format!("{MESSAGES}/{}.{}", self.as_str(), piece.as_str())
    }
}

/// A piece of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessagePiece {
    /// The subject, one line.
    Subject,
    /// The plain text.
    Text,
    /// The same as HTML.
    Html,
}

impl MessagePiece {
    /// Every piece.
    pub const ALL: [Self; 3] = [Self::Subject, Self::Text, Self::Html];

    /// The ending of its template and of its part.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Subject => "subject",
            Self::Text => "txt",
            Self::Html => "html",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_and_every_message_has_a_part_of_its_own() {
        let forms = Form::ALL.map(Form::part).into_iter();
        let messages = MessageKind::ALL.into_iter().flat_map(|kind| MessagePiece::ALL.map(|piece| kind.part(piece)));
        let mut names: Vec<_> = forms.chain(messages).chain([WORDS.to_owned()]).collect();
        let all = names.len();
        names.sort();
        names.dedup();
        assert_eq!((names.len(), all), (41, 41));
    }

    #[test]
    fn word_is_recognised_in_either_language_and_case_and_nothing_else_is() {
        for form in [Form::ClaimDeny, Form::Stop] {
            for locale in Locale::ALL {
                let word = form.word(locale).unwrap();
                assert!(form.is_word(word) && form.is_word(&word.to_uppercase()), "{word}");
                assert!(!word.contains(['i', '\u{131}']), "{word}");
            }
            assert!(!form.is_word("") && !form.is_word("on") && !form.is_word("yes"));
        }
        assert!(!Form::ClaimDeny.is_word("stop") && !Form::Claim.is_word(""));
    }

    #[test]
    fn forms_name_each_slot_once() {
        let lists = Form::ALL.map(Form::slots).into_iter().chain(MessageKind::ALL.map(MessageKind::slots));
        for slots in lists {
            for (at, slot) in slots.iter().enumerate() {
                assert!(!slots[..at].contains(slot), "{slots:?}");
            }
        }
    }
}
