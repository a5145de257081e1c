//! The pages for people, with their values.

use clock::Time;
use contract::{
    forms::{Form, Slot},
    scopes::Scope,
};

use super::{SlotValue, SlotValues};

/// A page with its values; a page that lacks a value cannot be expressed.
#[derive(Clone, Debug)]
pub enum FormPage<'a> {
    /// The claim request of an agent.
    Claim {
        agent: &'a str,
        provider: Option<&'a str>,
        /// The two words that the agent can show its user.
        match_phrase: Option<&'a str>,
        email: &'a str,
        requested: Time,
        expires: Time,
        scopes: &'a [Scope],
        token: &'a str,
    },
    /// The code that the person gives to the agent.
    ClaimCode { agent: &'a str, code: &'a str, expires: Time, token: &'a str },
    /// Requires a typed word before a claim is denied.
    ClaimDeny { token: &'a str },
    /// The form for an address, after an invalid one.
    AccessInvalid { email: &'a str },
    /// A link was sent, if the address has any grants.
    AccessMailed { email: &'a str },
    /// The grants of a person; another page if there are none.
    AccessList { email: &'a str, expires: Time, token: &'a str, items: &'a [AccessItem<'a>] },
    /// One grant or all were revoked.
    AccessRevoked {
        email: &'a str,
        /// The number of revoked grants.
        count: usize,
        token: &'a str,
    },
    /// The opt-out of messages: the question, the confirmation, and its reversal.
    Messages { form: Form, token: &'a str },
    /// A page that shows no value.
    Plain(Form),
}

/// The grant of one agent.
#[derive(Clone, Debug)]
pub struct AccessItem<'a> {
    pub registration: &'a str,
    pub agent: &'a str,
    pub provider: Option<&'a str>,
    /// The two words of the claim request.
    pub match_phrase: Option<&'a str>,
    pub since: Time,
    pub expires: Time,
    pub scopes: &'a [Scope],
}

impl<'a> FormPage<'a> {
    pub fn form(&self) -> Form {
        match self {
            Self::Claim { .. } => Form::Claim,
            Self::ClaimCode { .. } => Form::ClaimCode,
            Self::ClaimDeny { .. } => Form::ClaimDeny,
            Self::AccessInvalid { .. } => Form::AccessInvalid,
            Self::AccessMailed { .. } => Form::AccessMailed,
            Self::AccessList { items: [], .. } => Form::AccessEmpty,
            Self::AccessList { .. } => Form::AccessList,
            Self::AccessRevoked { .. } => Form::AccessRevoked,
            Self::Messages { form, .. } | Self::Plain(form) => *form,
        }
    }

    pub fn facts(&self) -> SlotValues<'a> {
        match *self {
            Self::Claim { agent, provider, match_phrase, email, requested, expires, scopes, token } => {
                SlotValues::of([
                    (Slot::Agent, SlotValue::Text(agent)),
                    (Slot::Provider, SlotValue::Provider(provider)),
                    (Slot::MatchPhrase, SlotValue::MatchPhrase(match_phrase)),
                    (Slot::Email, SlotValue::Text(email)),
                    (Slot::Requested, SlotValue::Moment(requested)),
                    (Slot::Expires, SlotValue::Moment(expires)),
                    (Slot::Scopes, SlotValue::Scopes(scopes)),
                    (Slot::Token, SlotValue::Text(token)),
                ])
            }
            Self::ClaimCode { agent, code, expires, token } => SlotValues::of([
                (Slot::Agent, SlotValue::Text(agent)),
                (Slot::Code, SlotValue::Text(code)),
                (Slot::Expires, SlotValue::Moment(expires)),
                (Slot::Token, SlotValue::Text(token)),
            ]),
            Self::AccessInvalid { email } | Self::AccessMailed { email } => {
                SlotValues::of([(Slot::Email, SlotValue::Text(email))])
            }
            Self::AccessList { email, expires, token, items } => SlotValues::of([
                (Slot::Email, SlotValue::Text(email)),
                (Slot::Expires, SlotValue::Moment(expires)),
                (Slot::Token, SlotValue::Text(token)),
                (Slot::Items, SlotValue::Items(items.iter().map(|item| item.facts(token)).collect())),
            ]),
            Self::AccessRevoked { email, count, token } => SlotValues::of([
                (Slot::Email, SlotValue::Text(email)),
                (Slot::Count, SlotValue::Number(count)),
                (Slot::Token, SlotValue::Text(token)),
            ]),
            Self::ClaimDeny { token } | Self::Messages { token, .. } => {
                SlotValues::of([(Slot::Token, SlotValue::Text(token))])
            }
            Self::Plain(_) => SlotValues::none(),
        }
    }
}

impl<'a> AccessItem<'a> {
    fn facts(&self, token: &'a str) -> SlotValues<'a> {
        SlotValues::of([
            (Slot::Registration, SlotValue::Text(self.registration)),
            (Slot::Agent, SlotValue::Text(self.agent)),
            (Slot::Provider, SlotValue::Provider(self.provider)),
            (Slot::MatchPhrase, SlotValue::MatchPhrase(self.match_phrase)),
            (Slot::Requested, SlotValue::Moment(self.since)),
            (Slot::Expires, SlotValue::Moment(self.expires)),
            (Slot::Scopes, SlotValue::Scopes(self.scopes)),
            (Slot::Token, SlotValue::Text(token)),
        ])
    }
}
