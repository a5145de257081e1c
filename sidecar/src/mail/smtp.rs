//! A mail server (RFC 5321). Each message has a connection of its own: there are few, and none meets a stale one.

use std::{error::Error as _, time::Duration};

use contract::text::Email;
use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor,
    transport::smtp::{
        Error,
        authentication::Credentials,
        client::{Certificate, Tls, TlsParameters},
    },
};
use tokio::time::timeout;

use super::{
    MailError, Message,
    error::Reason,
    mime,
    setting::{Security, Server, SettingError},
};
use crate::config::certificates;

/// How long one message may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// A mail server.
pub(crate) struct Smtp {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Option<Email>,
    place: String,
}

impl std::fmt::Debug for Smtp {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Smtp").field(&self.place).finish()
    }
}

impl Smtp {
    pub(super) fn new(server: Server) -> Result<Self, SettingError> {
        let Server { host, port, security, login, from, authority } = server;
        let tls = match security {
            Security::Loopback => Tls::None,
            Security::StartTls => Tls::Required(parameters(&host, authority)?),
            Security::Tls => Tls::Wrapper(parameters(&host, authority)?),
        };
        let place = format!("{host}:{port}");
        let mut builder =
            AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host).port(port).tls(tls).timeout(Some(PATIENCE));
        if let Some((user, password)) = login {
            builder = builder.credentials(Credentials::new(user, password));
        }
        Ok(Self { transport: builder.build(), from, place })
    }

    pub(super) async fn send(&self, message: &Message) -> Result<(), MailError> {
        let mime = mime::write(message, self.from.as_ref())?;
        in_time(&message.to, self.transport.send(mime)).await.map(drop)
    }

    /// Says hello and goodbye. What the server thinks of the command between them makes no difference to a message.
    pub(super) async fn reach(&self, to: &str) -> Result<(), MailError> {
        in_time(to, self.transport.test_connection()).await.map(drop)
    }
}

async fn in_time<T>(to: &str, conversation: impl Future<Output = Result<T, Error>>) -> Result<T, MailError> {
    match timeout(PATIENCE, conversation).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(classify(to, &error)),
        Err(_) => Err(MailError::transient(to, Reason::Timeout)),
    }
}

fn parameters(host: &str, authority: Option<std::path::PathBuf>) -> Result<TlsParameters, SettingError> {
    let mut builder = TlsParameters::builder(host.to_owned());
    if let Some(file) = authority {
        let unusable = || SettingError::Authority(file.clone());
        let text = certificates(&file).map_err(|_| unusable())?;
        builder = builder.add_root_certificate(Certificate::from_pem(text.as_bytes()).map_err(|_| unusable())?);
    }
    builder.build_rustls().map_err(|_| SettingError::Host)
}

/// What a failed attempt means for the message.
///
/// Only what a server says of the recipient or of the text ends a message. That it wants another password, or does
/// not like this machine, is the operator's to mend, and the message waits.
fn classify(to: &str, error: &Error) -> MailError {
    if let Some(code) = error.status() {
        let code: u16 = code.into();
        let reason = Reason::Answer(code);
        return match code {
            501 | 510 | 511 | 521 | 550..=556 => MailError::permanent(to, reason),
            _ => MailError::transient(to, reason),
        };
    }
    let reason = if error.is_timeout() {
        Reason::Timeout
    } else if error.is_tls() || speaks_of_tls(error) {
        Reason::Tls
    } else {
        Reason::Connection
    };
    MailError::transient(to, reason)
}

/// A server that offers no encryption, or whose certificate is not trusted, is told apart from one that is down.
fn speaks_of_tls(error: &Error) -> bool {
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string().to_ascii_lowercase();
        if ["certificate", "starttls", "tls"].iter().any(|word| text.contains(word)) {
            return true;
        }
        source = cause.source();
    }
    false
}
