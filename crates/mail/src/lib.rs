//! Sends messages by SMTP or into a folder. Each call tries once; the caller retries.

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

/// A message to send. Security: never printed, because it holds an address and perhaps the secret of a link.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// The same at each attempt.
    pub id: String,
    /// Host of the site, for `Message-ID`.
    pub host: String,
    pub at: Time,
    /// The sender, who also receives replies.
    pub sender: Sender,
    /// The address of the recipient in ASCII, with the domain in its ASCII form.
    pub to: String,
    pub locale: Locale,
    pub subject: String,
    pub text: String,
    pub html: String,
    /// The URL of `List-Unsubscribe`.
    pub unsubscribe: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender {
    pub name: String,
    pub address: String,
}

/// Sends messages by the configured transport, and logs outages.
#[derive(Debug)]
pub struct Mailer {
    transport: MailTransport,
    health: MailHealth,
}

#[derive(Debug)]
enum MailTransport {
    Smtp(Box<Smtp>),
    Folder(FileTransport),
    /// No mail: the service offers nothing that needs it.
    None,
}

impl Mailer {
    /// Opens the transport of `setting`: creates a folder, but does not connect to a server.
    pub fn open(setting: MailSetting) -> Result<Self, SettingError> {
        let transport = match setting {
            MailSetting::Smtp(server) => MailTransport::Smtp(Box::new(Smtp::new(server)?)),
            MailSetting::Folder { folder, from } => MailTransport::Folder(FileTransport::open(folder, from)?),
            MailSetting::None => MailTransport::None,
        };
        Ok(Self { transport, health: MailHealth::default() })
    }

    /// Tries once to send `message`, within [`SEND_TIMEOUT`].
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

    /// Returns the folder, if messages are written into one.
    pub fn folder(&self) -> Option<&FileTransport> {
        match &self.transport {
            MailTransport::Folder(folder) => Some(folder),
            MailTransport::Smtp(_) | MailTransport::None => None,
        }
    }

    /// Checks whether `message` could be sent now: runs the SMTP conversation up to the recipient, within ten seconds.
    pub async fn reach(&self, message: &Message) -> Result<(), MailError> {
        let since = self.health.failures();
        let done = match &self.transport {
            MailTransport::Smtp(server) => server.reach(message).await,
            // A folder needs no check.
            MailTransport::Folder(_) => return Ok(()),
            MailTransport::None => Err(MailError::switched_off(&message.to)),
        };
        self.health.record(&done, since);
        done
    }
}

impl MailSetting {
    /// Checks the setting without connecting to a server or creating a folder.
    pub fn check(&self) -> Result<(), SettingError> {
        match self {
            Self::Smtp(server) => Smtp::new(server.clone()).map(drop),
            Self::Folder { .. } | Self::None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
