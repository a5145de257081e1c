//! Forms and messages for people: their names and their slots.
//!
//! The generator renders each form and message in each locale with the site's templates, as parts of the build, with a
//! [`Slot::marker`] for each value of a request. The sidecar fills the slots; it rejects a build in which a form lacks
//! one of its slots or has another.

pub mod search;
mod slot;
mod words;

use crate::{Locale, named, names};

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

names! {
    /// A form, or a page that follows one. The content depends only on the slots.
    pub enum Form {
        /// An agent requests access, with the buttons "show code" and "not me".
        Claim "claim",
        /// The code that the person enters at the agent.
        ClaimCode "claim-code",
        /// Requests [`Form::word`] to refuse a claim.
        ClaimDeny "claim-deny",
        /// The person refused.
        ClaimDenied "claim-denied",
        /// The claim is already complete.
        ClaimCompleted "claim-completed",
        /// The claim request has expired.
        ClaimExpired "claim-expired",
        /// A newer request replaced this one.
        ClaimSuperseded "claim-superseded",
        /// The link was never issued, or was forgotten.
        ClaimUnknown "claim-unknown",
        /// Requests an e-mail address for the link to [`Form::AccessList`].
        Access "access",
        /// The same, after an invalid address.
        AccessInvalid "access-invalid",
        /// A link was sent, if any agent has access.
        AccessMailed "access-mailed",
        /// The agents with access in this person's name.
        AccessList "access-list",
        /// No agent has access.
        AccessEmpty "access-empty",
        /// The access of one or all agents was revoked.
        AccessRevoked "access-revoked",
        /// The link has expired or was never issued.
        AccessUnknown "access-unknown",
        /// The request to [`Form::Access`] came from another site, or was no form.
        AccessRefused "access-refused",
        /// The service sends no links.
        AccessOff "access-off",
        /// Explains how agents get access, because there is no sign-in.
        Authorize "authorize",
        /// A program sent the user here to sign in, which is not possible.
        AuthorizeRefused "authorize-refused",
        /// Requests confirmation to stop messages.
        Stop "stop",
        /// Messages are stopped; they can be resumed.
        Stopped "stopped",
        /// Messages are sent again.
        Resumed "resumed",
        /// Too many requests.
        Limited "limited",
        /// The request with the secret of a link came from another site, or was no form.
        Refused "refused",
        /// A defect of the service.
        Error "error",
        /// A part of the service is not available.
        Unavailable "unavailable",
        /// One agent of [`Form::AccessList`]: an item, not a page.
        AccessItem "access-item",
        /// One scope in words: an item, not a page.
        ScopeItem "scope-item",
    }
}

impl Form {
    /// Returns the slots of the form, each used at least once.
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

    /// Returns the word that a person must type in `locale`, if the form requests one. No word has an `i`, so that
    /// lower and upper case are the same on every keyboard.
    ///
    /// Security: e-mail scanners open links and submit the forms behind them. A word that no form submits by itself
    /// keeps a scanner from refusing a claim or stopping messages.
    pub const fn word(self, locale: Locale) -> Option<&'static str> {
        match (self, locale) {
            (Self::ClaimDeny, Locale::En) => Some("refuse"),
            (Self::ClaimDeny, Locale::Tr) => Some("reddet"),
            (Self::Stop, Locale::En) => Some("stop"),
            (Self::Stop, Locale::Tr) => Some("durdur"),
            _ => None,
        }
    }

    /// Returns whether `text` is the word in any locale, because the reader may have switched the locale.
    pub fn is_word(self, text: &str) -> bool {
        Locale::ALL.into_iter().any(|locale| self.word(locale).is_some_and(|word| word == text.to_lowercase()))
    }

    /// Returns the name of the part.
    pub fn part(self) -> String {
        format!("{FORMS}/{}", self.as_str())
    }
}

named! {
    /// A message that the sidecar sends.
    pub enum MessageKind {
        /// An agent requests access; the link leads to [`Form::Claim`].
        Claim "claim",
        /// An earlier request is void, because the agent named another address.
        Superseded "superseded",
        /// The link to [`Form::AccessList`].
        Access "access",
        /// The access of agents in this person's name has ended.
        Revoked "revoked",
    }
}

impl MessageKind {
    /// Returns the slots of the text and of the HTML, each used at least once. A subject has none.
    pub const fn slots(self) -> &'static [Slot] {
        match self {
            Self::Claim => &[Agent, Provider, MatchPhrase, Email, Requested, Expires, Scopes, Token, Stop],
            Self::Superseded => &[Agent, Requested, Email, Stop],
            Self::Access => &[Email, Expires, Token, Stop],
            Self::Revoked => &[Count, Requested, Email, Stop],
        }
    }

    /// Returns the name of the part for `piece`.
    pub fn part(self, piece: MessagePiece) -> String {
        format!("{MESSAGES}/{}.{}", self.as_str(), piece.as_str())
    }
}

names! {
    /// A piece of a message.
    pub enum MessagePiece {
        /// The subject, one line.
        Subject "subject",
        /// The plain text.
        Text "txt",
        /// The HTML.
        Html "html",
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
    fn word_is_recognised_in_both_languages_and_cases() {
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
