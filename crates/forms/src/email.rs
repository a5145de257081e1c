//! A message before it is written: what it says, and to whom. The store keeps it until it is sent.

use std::fmt;

use clock::Time;
use contract::{
    Locale,
    forms::{MessageKind, Slot},
    routes,
    scopes::Scope,
};
use mail::{Message, Sender};
use serde::{Deserialize, Serialize};

use super::{Forms, SlotValues, Value};

/// What is to be said, and to whom.
///
/// Security: the secret of a link is not part of it, so it may be stored as it is. The sender passes the secret to
/// [`Forms::compose`].
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Email {
    /// The address it goes to.
    pub to: String,
    /// The language it is written in.
    pub locale: Locale,
    /// What it says.
    pub content: Content,
}

/// What an email says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Content {
    /// An agent asks for access.
    Claim {
        /// The agent, as the claim page names it.
        agent: String,
        /// The provider that vouches for the agent.
        provider: Option<String>,
        /// What it asks for.
        scopes: Vec<Scope>,
        /// When it was requested.
        requested: Time,
        /// When it ends.
        expires: Time,
        /// The two words that the agent can tell. They are those of the registration when the email is sent, and not
        /// kept with it.
        #[serde(skip)]
        match_phrase: Option<String>,
    },
    /// The request named here has been void since `at`.
    Superseded {
        /// The name of the agent.
        agent: String,
        #[serde(alias = "requested")]
        /// When it happened.
        at: Time,
    },
    /// Where to see what agents hold.
    Access {
        /// When it ends.
        expires: Time,
    },
    /// This many agents have lost what they held.
    Revoked {
        /// How many.
        count: usize,
        /// When it happened.
        at: Time,
    },
}

/// What distinguishes one sending from another.
#[derive(Clone, Copy)]
pub struct Stamp<'a> {
    /// Identifies the message; the same each time sending is tried, so that a reader who gets it twice sees one.
    pub id: &'a str,
    /// When it is sent.
    pub at: Time,
    /// The secret of the link, if the email has one.
    pub token: &'a str,
    /// The secret of the link with which the reader can stop further messages.
    pub stop: &'a str,
}

impl Email {
    /// Which message this is.
    pub const fn kind(&self) -> MessageKind {
        match self.content {
            Content::Claim { .. } => MessageKind::Claim,
            Content::Superseded { .. } => MessageKind::Superseded,
            Content::Access { .. } => MessageKind::Access,
            Content::Revoked { .. } => MessageKind::Revoked,
        }
    }

    fn facts<'a>(&'a self, Stamp { token, stop, .. }: Stamp<'a>) -> SlotValues<'a> {
        let email = (Slot::Email, Value::Text(&self.to));
        let stop = (Slot::Stop, Value::Text(stop));
        match &self.content {
            Content::Claim { agent, provider, scopes, requested, expires, match_phrase } => SlotValues::of([
                email,
                (Slot::Agent, Value::Text(agent)),
                (Slot::Provider, Value::Provider(provider.as_deref())),
                (Slot::MatchPhrase, Value::MatchPhrase(match_phrase.as_deref())),
                (Slot::Scopes, Value::Scopes(scopes)),
                (Slot::Requested, Value::Moment(*requested)),
                (Slot::Expires, Value::Moment(*expires)),
                (Slot::Token, Value::Text(token)),
                stop,
            ]),
            Content::Superseded { agent, at } => {
                SlotValues::of([email, (Slot::Agent, Value::Text(agent)), (Slot::Requested, Value::Moment(*at)), stop])
            }
            Content::Access { expires } => SlotValues::of([
                email,
                (Slot::Expires, Value::Moment(*expires)),
                (Slot::Token, Value::Text(token)),
                stop,
            ]),
            Content::Revoked { count, at } => SlotValues::of([
                email,
                (Slot::Count, Value::Number(*count)),
                (Slot::Requested, Value::Moment(*at)),
                stop,
            ]),
        }
    }
}

impl fmt::Debug for Email {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Security: logs must contain no address.
        out.debug_struct("Letter").field("kind", &self.kind()).field("locale", &self.locale).finish_non_exhaustive()
    }
}

impl Forms {
    /// Writes `email` in its locale.
    pub fn compose(&self, email: &Email, stamp: Stamp) -> Message {
        let facts = email.facts(stamp);
        let words = self.words(email.locale);
        let filled = |sheet| self.fill_sheet(sheet, email.locale, &facts);
        // `load` has inserted every message in every locale.
        let (subject, text, html) = match self.message(email.kind(), email.locale) {
            Some(sheets) => (sheets.subject.clone(), filled(&sheets.text), filled(&sheets.html)),
            None => Default::default(),
        };
        Message {
            id: stamp.id.to_owned(),
            unsubscribe: format!("{}{}?{}={}", self.site_url, routes::MAIL_STOP, Slot::Token.as_str(), stamp.stop),
            host: self.site_url.split_once("://").map_or("", |(_, host)| host).to_owned(),
            at: stamp.at,
            sender: Sender { name: words.sender_name.clone(), address: words.sender_address.to_string() },
            to: email.to.clone(),
            locale: email.locale,
            subject,
            text,
            html,
        }
    }
}
