//! Sends messages: by SMTP, or into a folder. Independent of registration and of HTTP.
//!
//! Each call sends a message once; the caller decides whether to try again.

mod error;
mod file_transport;
mod health;
mod mime;
mod setting;
mod smtp;

use clock::Time;
use contract::Locale;

pub use self::{
    error::{MailError, masked},
    file_transport::{FileTransport, prune, remove_messages_to},
    setting::{MailSetting, SettingError},
    smtp::SEND_TIMEOUT,
};
use self::{health::MailHealth, smtp::Smtp};

/// A message, ready to be sent. Security: it holds an address and perhaps the secret of a link; it is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Identifies the message; the same at each attempt.
    pub id: String,
    /// Host of the site, for the message's identifier.
    pub host: String,
    /// When it is sent.
    pub at: Time,
    /// The sender, who also reads the replies.
    pub sender: Sender,
    /// The address it goes to: ASCII, the domain in its ASCII form.
    pub to: String,
    /// The language it is written in.
    pub locale: Locale,
    /// The subject line.
    pub subject: String,
    /// The body as plain text.
    pub text: String,
    /// The body as HTML.
    pub html: String,
    /// Where the reader, or the reader's mail program, says that no more messages are wanted.
    pub unsubscribe: String,
}

/// A name and an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    /// The name.
    pub name: String,
    /// The address.
    pub address: String,
}

/// Sends messages as the configuration says, and logs when nothing can be sent.
#[derive(Debug)]
pub struct Mailer {
    transport: MailTransport,
    health: MailHealth,
}

#[derive(Debug)]
enum MailTransport {
    /// To a mail server.
    Smtp(Box<Smtp>),
    /// Into a folder, one file each.
    Folder(FileTransport),
    /// Not at all: nothing that needs mail is offered.
    None,
}

impl Mailer {
    /// Prepares the mailer that `setting` describes. Connects to nothing; a folder is created.
    pub fn open(setting: MailSetting) -> Result<Self, SettingError> {
        let transport = match setting {
            MailSetting::Smtp(server) => MailTransport::Smtp(Box::new(Smtp::new(server)?)),
            MailSetting::Folder { folder, from } => MailTransport::Folder(FileTransport::open(folder, from)?),
            MailSetting::None => MailTransport::None,
        };
        Ok(Self { transport, health: MailHealth::default() })
    }

    /// Sends `message` once. Takes at most [`SEND_TIMEOUT`].
    pub async fn send(&self, message: &Message) -> Result<(), MailError> {
        let since = self.health.failures();
        let done = match &self.transport {
            MailTransport::Smtp(server) => server.send(message).await,
            MailTransport::Folder(folder) => folder.send(message).await,
            MailTransport::None => Err(MailError::switched_off(&message.to)),
        };
        self.health.record(&done, since);
        done
    }

    /// The folder, if messages are written into one: there a message can be taken back.
    pub fn folder(&self) -> Option<&FileTransport> {
        match &self.transport {
            MailTransport::Folder(folder) => Some(folder),
            MailTransport::Smtp(_) | MailTransport::None => None,
        }
    }

    /// Asks whether `message` could be sent now, without sending it, as far as that is known before the server hears
    /// the recipient. Takes at most ten seconds.
    pub async fn reach(&self, message: &Message) -> Result<(), MailError> {
        let since = self.health.failures();
        let done = match &self.transport {
            MailTransport::Smtp(server) => server.reach(message).await,
            // Nothing is learnt of it.
            MailTransport::Folder(_) => return Ok(()),
            MailTransport::None => Err(MailError::switched_off(&message.to)),
        };
        self.health.record(&done, since);
        done
    }
}

impl MailSetting {
    /// Checks whether a mailer can be made from it. Connects to nothing and creates nothing.
    pub fn check(&self) -> Result<(), SettingError> {
        match self {
            Self::Smtp(server) => Smtp::new(server.clone()).map(drop),
            Self::Folder { .. } | Self::None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
