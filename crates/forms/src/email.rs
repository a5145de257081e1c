//! E-mails before they are composed. The store holds them until they are sent.

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

use super::{Forms, SlotValue, SlotValues};

/// An e-mail to send.
///
/// Security: it does not hold the secret of its link, so it may be stored. The sender passes the secret to
/// [`Forms::compose`].
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmailDraft {
    pub to: String,
    pub locale: Locale,
    pub content: EmailContent,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum EmailContent {
    /// A claim request of an agent.
    Claim {
        /// The agent, as the claim page names it.
        agent: String,
        /// The provider that asserts the agent.
        provider: Option<String>,
        scopes: Vec<Scope>,
        requested: Time,
        expires: Time,
        /// The two words that the agent can show its user. Read from the registration when the e-mail is sent, not
        /// stored with it.
        #[serde(skip)]
        match_phrase: Option<String>,
    },
    /// The claim request of the agent has been void since `at`.
    Superseded {
        agent: String,
        #[serde(alias = "requested")]
        at: Time,
    },
    /// The link to the grants of agents.
    Access { expires: Time },
    /// The grants of `count` agents were revoked.
    Revoked { count: usize, at: Time },
}

/// The values of one sending.
#[derive(Clone, Copy)]
pub struct Stamp<'a> {
    /// The same at each attempt, so that mail programs show a message that arrives twice once.
    pub id: &'a str,
    pub at: Time,
    /// The secret of the link, if the e-mail has one.
    pub token: &'a str,
    /// The secret of the link that stops further messages.
    pub stop: &'a str,
}

impl EmailDraft {
    pub const fn kind(&self) -> MessageKind {
        match self.content {
            EmailContent::Claim { .. } => MessageKind::Claim,
            EmailContent::Superseded { .. } => MessageKind::Superseded,
            EmailContent::Access { .. } => MessageKind::Access,
            EmailContent::Revoked { .. } => MessageKind::Revoked,
        }
    }

    fn facts<'a>(&'a self, Stamp { token, stop, .. }: Stamp<'a>) -> SlotValues<'a> {
        let email = (Slot::Email, SlotValue::Text(&self.to));
        let stop = (Slot::Stop, SlotValue::Text(stop));
        match &self.content {
            EmailContent::Claim { agent, provider, scopes, requested, expires, match_phrase } => SlotValues::of([
                email,
                (Slot::Agent, SlotValue::Text(agent)),
                (Slot::Provider, SlotValue::Provider(provider.as_deref())),
                (Slot::MatchPhrase, SlotValue::MatchPhrase(match_phrase.as_deref())),
                (Slot::Scopes, SlotValue::Scopes(scopes)),
                (Slot::Requested, SlotValue::Moment(*requested)),
                (Slot::Expires, SlotValue::Moment(*expires)),
                (Slot::Token, SlotValue::Text(token)),
                stop,
            ]),
            EmailContent::Superseded { agent, at } => SlotValues::of([
                email,
                (Slot::Agent, SlotValue::Text(agent)),
                (Slot::Requested, SlotValue::Moment(*at)),
                stop,
            ]),
            EmailContent::Access { expires } => SlotValues::of([
                email,
                (Slot::Expires, SlotValue::Moment(*expires)),
                (Slot::Token, SlotValue::Text(token)),
                stop,
            ]),
            EmailContent::Revoked { count, at } => SlotValues::of([
                email,
                (Slot::Count, SlotValue::Number(*count)),
                (Slot::Requested, SlotValue::Moment(*at)),
                stop,
            ]),
        }
    }
}

impl fmt::Debug for EmailDraft {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Security: logs must contain no address.
        out.debug_struct("Email").field("kind", &self.kind()).field("locale", &self.locale).finish_non_exhaustive()
    }
}

impl Forms {
    pub fn compose(&self, email: &EmailDraft, stamp: Stamp) -> Message {
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
