//! Sends by SMTP (RFC 5321). Each message has its own connection: messages are few, and a pooled connection may be
//! stale.

use std::{
    error::Error as _,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use contract::text::Email;
use lettre::{
    Address,
    transport::smtp::{
        Error,
        authentication::{Credentials, DEFAULT_MECHANISMS},
        client::{AsyncSmtpConnection, Certificate, Tls, TlsParameters},
        commands::{Data, Mail, Rcpt},
        extension::ClientId,
    },
};
use settings::certificates;
use tokio::time::timeout;

use super::{
    MailError, Message,
    error::{Reason, is_about_login},
    mime,
    setting::{SettingError, SmtpSecurity, SmtpServer},
};

/// Time limit of the conversation up to the text of the message.
const CONVERSATION_TIMEOUT: Duration = Duration::from_secs(10);
/// Time limit of the answer to the text, which a server may scan first. After it the result is unknown. RFC 5321,
/// 4.5.3.2.6 recommends ten minutes, but no reader waits that long for a message.
const ANSWER: Duration = Duration::from_secs(30);
/// The longest time that sending a message may take.
pub const SEND_TIMEOUT: Duration = CONVERSATION_TIMEOUT.saturating_add(ANSWER);

/// The transport to a mail server.
pub(crate) struct Smtp {
    host: String,
    port: u16,
    tls: Tls,
    login: Option<Credentials>,
    from: Option<Email>,
}

impl std::fmt::Debug for Smtp {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("Smtp").field(&self.host).field(&self.port).finish()
    }
}

impl Smtp {
    pub(super) fn new(server: SmtpServer) -> Result<Self, SettingError> {
        let SmtpServer { host, port, security, login, from, authority } = server;
        let tls = match security {
            SmtpSecurity::Loopback => Tls::None,
            SmtpSecurity::StartTls => Tls::Required(parameters(&host, authority)?),
            SmtpSecurity::Tls => Tls::Wrapper(parameters(&host, authority)?),
        };
        let login = login.map(|(user, password)| Credentials::new(user, password));
        Ok(Self { host, port, tls, login, from })
    }

    pub(super) async fn send(&self, message: &Message) -> Result<(), MailError> {
        let mime = mime::write(message, self.from.as_ref())?;
        let (envelope, text) = (mime.envelope(), mime.formatted());
        let has_recipient = AtomicBool::new(false);
        let mut connection = within_timeout(&message.to, &has_recipient, async {
            let mut connection = self.greet(envelope.from()).await?;
            has_recipient.store(true, Ordering::Relaxed);
            match send_recipients(&mut connection, envelope.to()).await {
                Ok(()) => Ok(connection),
                Err(error) => {
                    close(connection);
                    Err(error)
                }
            }
        })
        .await?;
        let answer = timeout(ANSWER, connection.message(&text)).await;
        // Do not wait for the answer to QUIT: the message is already accepted.
        close(connection);
        match answer {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if error.status().is_some() => Err(classify(&message.to, &error, true)),
            Ok(Err(_)) | Err(_) => Err(MailError::unanswered(&message.to)),
        }
    }

    /// Runs the conversation for `message` up to the sender, then closes it.
    pub(super) async fn reach(&self, message: &Message) -> Result<(), MailError> {
        let mime = mime::write(message, self.from.as_ref())?;
        within_timeout(&message.to, &AtomicBool::new(false), self.greet(mime.envelope().from())).await.map(close)
    }

    /// Runs the conversation up to `MAIL`, before the recipient is sent.
    async fn greet(&self, from: Option<&Address>) -> Result<AsyncSmtpConnection, Error> {
        let (place, name) = ((self.host.as_str(), self.port), ClientId::default());
        let from_the_start = if let Tls::Wrapper(parameters) = &self.tls { Some(parameters.clone()) } else { None };
        let mut connection =
            AsyncSmtpConnection::connect_tokio1(place, Some(CONVERSATION_TIMEOUT), &name, from_the_start, None).await?;
        if let Tls::Required(parameters) = &self.tls {
            connection.starttls(parameters.clone(), &name).await?;
        }
        if let Some(login) = &self.login {
            connection.auth(DEFAULT_MECHANISMS, login).await?;
        }
        // Envelope and text are ASCII, so no extension such as SMTPUTF8 is needed.
        if let Err(error) = connection.command(Mail::new(from.cloned(), Vec::new())).await {
            close(connection);
            return Err(error);
        }
        Ok(connection)
    }
}

/// Sends the recipients, and `DATA`.
async fn send_recipients(connection: &mut AsyncSmtpConnection, to: &[Address]) -> Result<(), Error> {
    for to in to {
        connection.command(Rcpt::new(to.clone(), Vec::new())).await?;
    }
    connection.command(Data).await?;
    Ok(())
}

/// Runs `conversation` within [`CONVERSATION_TIMEOUT`]; it sets `has_recipient` before it sends the recipient.
async fn within_timeout<T>(
    to: &str,
    has_recipient: &AtomicBool,
    conversation: impl Future<Output = Result<T, Error>>,
) -> Result<T, MailError> {
    let done = timeout(CONVERSATION_TIMEOUT, conversation).await;
    let has_recipient = has_recipient.load(Ordering::Relaxed);
    match done {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(error)) => Err(classify(to, &error, has_recipient)),
        Err(_) => Err(MailError::unsent(to, Reason::Timeout, has_recipient)),
    }
}

fn close(mut connection: AsyncSmtpConnection) {
    tokio::spawn(async move { timeout(CONVERSATION_TIMEOUT, connection.abort()).await });
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

/// Classifies the error of an attempt.
///
/// Only an answer about the recipient or the text is permanent. If the server rejects the password, this machine or the
/// sender, the operator has to correct that, and the message waits. A busy server is transient.
fn classify(to: &str, error: &Error, has_recipient: bool) -> MailError {
    if let Some(code) = error.status() {
        let code: u16 = code.into();
        let reason = Reason::Answer(code);
        return match code {
            501 | 510 | 511 | 521 | 550..=556 if has_recipient => MailError::permanent(to, reason),
            500.. if !has_recipient || is_about_login(code) => MailError::Down { reason },
            _ => MailError::transient(to, reason),
        };
    }
    let reason = if error.is_timeout() {
        Reason::Timeout
    } else if error.is_tls() || is_caused_by_tls(error) {
        Reason::Tls
    } else {
        Reason::Connection
    };
    MailError::unsent(to, reason, has_recipient)
}

/// Whether `error` is caused by missing encryption or an untrusted certificate, which the library reports only in
/// texts.
fn is_caused_by_tls(error: &Error) -> bool {
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
