//! Every page that a person can see, with everything that it shows.

use clock::Time;
use contract::{
    forms::{Form, Slot},
    scopes::Scope,
};

use super::{SlotValues, Value};

/// A page with its values; a page that lacks a value cannot be expressed.
#[derive(Clone, Debug)]
pub enum Page<'a> {
    /// An agent asks for access.
    Claim {
        /// The name of the agent.
        agent: &'a str,
        /// The name of the provider.
        provider: Option<&'a str>,
        /// The words that the agent can tell.
        match_phrase: Option<&'a str>,
        /// The mailbox.
        email: &'a str,
        /// When it was requested.
        requested: Time,
        /// When it ends.
        expires: Time,
        /// What it permits.
        scopes: &'a [Scope],
        /// The token of the form.
        token: &'a str,
    },
    /// The code that the person hands to the agent.
    ClaimCode {
        /// The name of the agent.
        agent: &'a str,
        /// The code to show.
        code: &'a str,
        /// When it ends.
        expires: Time,
        /// The token of the form.
        token: &'a str,
    },
    /// Asks for a word before anything is refused.
    ClaimDeny {
        /// The token of the form.
        token: &'a str,
    },
    /// Asks for an address again, after an invalid one.
    AccessInvalid {
        /// The mailbox.
        email: &'a str,
    },
    /// A link was sent, if there is anything to see.
    AccessMailed {
        /// The mailbox.
        email: &'a str,
    },
    /// What agents hold in this person's name; without items, a page that says there is nothing.
    AccessList {
        /// The mailbox.
        email: &'a str,
        /// When it ends.
        expires: Time,
        /// The token of the form.
        token: &'a str,
        /// What is held.
        items: &'a [AccessItem<'a>],
    },
    /// What one agent holds, or what all hold, was revoked.
    AccessRevoked {
        /// The mailbox.
        email: &'a str,
        /// How many.
        count: usize,
        /// The token of the form.
        token: &'a str,
    },
    /// Whether this reader wants no more messages: the question, the confirmation, and its reversal.
    Messages {
        /// Which form.
        form: Form,
        /// The token of the form.
        token: &'a str,
    },
    /// A page that shows no value.
    Plain(Form),
}

/// What one agent holds.
#[derive(Clone, Debug)]
pub struct AccessItem<'a> {
    /// The registration.
    pub registration: &'a str,
    /// The name of the agent.
    pub agent: &'a str,
    /// The name of the provider.
    pub provider: Option<&'a str>,
    /// The words that the agent could tell when it asked.
    pub match_phrase: Option<&'a str>,
    /// Since when it is held.
    pub since: Time,
    /// When it ends.
    pub expires: Time,
    /// What it permits.
    pub scopes: &'a [Scope],
}

impl<'a> Page<'a> {
    /// Returns the form that shows this page.
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

    /// Returns the values that fill it.
    pub fn facts(&self) -> SlotValues<'a> {
        match *self {
            Self::Claim { agent, provider, match_phrase, email, requested, expires, scopes, token } => {
                SlotValues::of([
                    (Slot::Agent, Value::Text(agent)),
                    (Slot::Provider, Value::Provider(provider)),
                    (Slot::MatchPhrase, Value::MatchPhrase(match_phrase)),
                    (Slot::Email, Value::Text(email)),
                    (Slot::Requested, Value::Moment(requested)),
                    (Slot::Expires, Value::Moment(expires)),
                    (Slot::Scopes, Value::Scopes(scopes)),
                    (Slot::Token, Value::Text(token)),
                ])
            }
            Self::ClaimCode { agent, code, expires, token } => SlotValues::of([
                (Slot::Agent, Value::Text(agent)),
                (Slot::Code, Value::Text(code)),
                (Slot::Expires, Value::Moment(expires)),
                (Slot::Token, Value::Text(token)),
            ]),
            Self::AccessInvalid { email } | Self::AccessMailed { email } => {
                SlotValues::of([(Slot::Email, Value::Text(email))])
            }
            Self::AccessList { email, expires, token, items } => SlotValues::of([
                (Slot::Email, Value::Text(email)),
                (Slot::Expires, Value::Moment(expires)),
                (Slot::Token, Value::Text(token)),
                (Slot::Items, Value::Items(items.iter().map(|item| item.facts(token)).collect())),
            ]),
            Self::AccessRevoked { email, count, token } => SlotValues::of([
                (Slot::Email, Value::Text(email)),
                (Slot::Count, Value::Number(count)),
                (Slot::Token, Value::Text(token)),
            ]),
            Self::ClaimDeny { token } | Self::Messages { token, .. } => {
                SlotValues::of([(Slot::Token, Value::Text(token))])
            }
            Self::Plain(_) => SlotValues::none(),
        }
    }
}

impl<'a> AccessItem<'a> {
    fn facts(&self, token: &'a str) -> SlotValues<'a> {
        SlotValues::of([
            (Slot::Registration, Value::Text(self.registration)),
            (Slot::Agent, Value::Text(self.agent)),
            (Slot::Provider, Value::Provider(self.provider)),
            (Slot::MatchPhrase, Value::MatchPhrase(self.match_phrase)),
            (Slot::Requested, Value::Moment(self.since)),
            (Slot::Expires, Value::Moment(self.expires)),
            (Slot::Scopes, Value::Scopes(self.scopes)),
            (Slot::Token, Value::Text(token)),
        ])
    }
}
