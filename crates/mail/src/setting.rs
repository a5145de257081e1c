//! Parses the setting `MECELLE_MAIL`.

use std::{fmt, io, path::PathBuf};

use contract::text::{Email, is_surely_this_machine};
use percent_encoding::percent_decode_str;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MailSetting {
    Smtp(SmtpServer),
    Folder {
        folder: PathBuf,
        /// Address in `From`, if it is not the firm's own.
        from: Option<Email>,
    },
    None,
}

#[derive(Clone, PartialEq, Eq)]
pub struct SmtpServer {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) security: SmtpSecurity,
    /// User and password.
    pub(super) login: Option<(String, String)>,
    /// Address in `From`, if it is not the firm's own.
    pub(super) from: Option<Email>,
    /// PEM file with further trusted certificates.
    pub(super) authority: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SmtpSecurity {
    /// TLS from the first byte.
    Tls,
    /// Required STARTTLS (RFC 3207).
    StartTls,
    /// None, for a server on this machine.
    Loopback,
}

/// Why a value of `MECELLE_MAIL` cannot be used; the caller adds the name of the setting. Security: never shows the
/// value, which may hold a password.
#[derive(Debug, thiserror::Error)]
pub enum SettingError {
    #[error("expected `smtp://user:password@host:port`, `smtps://…`, `outbox://folder` or `none`")]
    Form,
    #[error(
        "the parameter {0:?} is unknown, repeated or has an invalid value; known are `from` (an address), `ca` (a file of \
         certificates) and `tls` (`required`)"
    )]
    Parameter(String),
    #[error("the port is not a number from 1 to 65535")]
    Port,
    #[error("{0} cannot be written to: {1}")]
    Folder(PathBuf, io::Error),
    #[error("{0} is not a file of certificates in PEM format")]
    Authority(PathBuf),
    #[error("the host is not a name or an address that a certificate can hold")]
    Host,
}

impl MailSetting {
    pub fn parse(text: &str) -> Result<Self, SettingError> {
        if text == "none" {
            return Ok(Self::None);
        }
        let (scheme, rest) = text.split_once("://").ok_or(SettingError::Form)?;
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        match scheme {
            "outbox" => {
                let SettingParameters { from, ca: None, tls: false } = SettingParameters::parse(query)? else {
                    return Err(SettingError::Form);
                };
                let folder = PathBuf::from(decode(place)?);
                if folder.as_os_str().is_empty() { Err(SettingError::Form) } else { Ok(Self::Folder { folder, from }) }
            }
            "smtp" => server(place, query, SmtpSecurity::StartTls, 587).map(Self::Smtp),
            "smtps" => server(place, query, SmtpSecurity::Tls, 465).map(Self::Smtp),
            _ => Err(SettingError::Form),
        }
    }
}

fn server(place: &str, query: &str, security: SmtpSecurity, port: u16) -> Result<SmtpServer, SettingError> {
    let parameters = SettingParameters::parse(query)?;
    let (login, address) = match place.rsplit_once('@') {
        Some((login, address)) => {
            let (user, password) = login.split_once(':').ok_or(SettingError::Form)?;
            (Some((decode(user)?, decode(password)?)), address)
        }
        None => (None, place),
    };
    let address = address.strip_suffix('/').unwrap_or(address);
    let (host, port_text) = match address.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((host, "")) => (host, None),
        Some((host, rest)) => (host, Some(rest.strip_prefix(':').ok_or(SettingError::Form)?)),
        None => address.split_once(':').map_or((address, None), |(host, port)| (host, Some(port))),
    };
    let port = match port_text {
        Some(text) => text.parse().ok().filter(|port| *port != 0).ok_or(SettingError::Port)?,
        None => port,
    };
    if host.is_empty() || !host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte)) {
        return Err(SettingError::Form);
    }
    let security = match security {
        SmtpSecurity::StartTls if is_surely_this_machine(host) && !parameters.tls => SmtpSecurity::Loopback,
        security => security,
    };
    Ok(SmtpServer { host: host.to_owned(), port, security, login, from: parameters.from, authority: parameters.ca })
}

#[derive(Default)]
struct SettingParameters {
    from: Option<Email>,
    ca: Option<PathBuf>,
    tls: bool,
}

impl SettingParameters {
    fn parse(query: &str) -> Result<Self, SettingError> {
        let mut known = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decode(value)?;
            let wrong = || SettingError::Parameter(name.to_owned());
            let is_first = match name {
                "from" => known.from.replace(Email::parse(&value).map_err(|_| wrong())?).is_none(),
                "ca" if !value.is_empty() => known.ca.replace(PathBuf::from(value)).is_none(),
                "tls" if value == "required" => !std::mem::replace(&mut known.tls, true),
                _ => false,
            };
            if !is_first {
                return Err(wrong());
            }
        }
        Ok(known)
    }
}

fn decode(text: &str) -> Result<String, SettingError> {
    percent_decode_str(text).decode_utf8().map(String::from).map_err(|_| SettingError::Form)
}

impl fmt::Debug for SmtpServer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Security: no password.
        out.debug_struct("SmtpServer").field("host", &self.host).field("port", &self.port).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn smtp(text: &str) -> SmtpServer {
        match MailSetting::parse(text) {
            Ok(MailSetting::Smtp(server)) => server,
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn server_has_a_host_a_port_and_protection() {
        let server = smtp("smtp://mail.example");
        assert_eq!((server.host.as_str(), server.port, server.security), ("mail.example", 587, SmtpSecurity::StartTls));
        let server = smtp("smtps://user%40x:p%3Ass@mail.example:2465/?from=no-reply@firm.example");
        assert_eq!((server.port, server.security), (2465, SmtpSecurity::Tls));
        assert_eq!(server.login, Some(("user@x".to_owned(), "p:ss".to_owned())));
        assert_eq!(server.from.unwrap().as_str(), "no-reply@firm.example");
        assert_eq!(smtp("smtp://[2001:db8::1]:25").host, "2001:db8::1");
    }

    #[test]
    fn encryption_is_optional_on_this_machine_only() {
        for text in ["smtp://127.0.0.1:1025", "smtp://localhost", "smtp://[::1]:25"] {
            assert_eq!(smtp(text).security, SmtpSecurity::Loopback, "{text}");
        }
        for text in
            ["smtp://mail.localhost", "smtp://127.0.0.1.example", "smtp://10.0.0.1", "smtp://127.0.0.1?tls=required"]
        {
            assert_eq!(smtp(text).security, SmtpSecurity::StartTls, "{text}");
        }
    }

    #[test]
    fn folder_may_be_absolute_or_not() {
        for (text, folder) in [("outbox://data/mail", "data/mail"), ("outbox:///var/mail%20out", "/var/mail out")] {
            let expected = MailSetting::Folder { folder: folder.into(), from: None };
            assert_eq!(MailSetting::parse(text).unwrap(), expected);
        }
        assert_eq!(MailSetting::parse("none").unwrap(), MailSetting::None);
    }

    #[test]
    fn invalid_setting_is_refused_without_its_value() {
        for text in [
            "",
            "None",
            "smtp",
            "http://mail.example",
            "smtp://",
            "smtp://hunter2@mail.example",
            "smtp://u:hunter2@mail.example:0",
            "smtp://u:hunter2@mail.example:x",
            "smtp://u:hunter2@mail example",
            "smtp://u:hunter2@mail.example?tls=off",
            "smtp://u:hunter2@mail.example?from=a&from=b",
            "smtp://u:hunter2@mail.example?from=a%0D%0Ab@c.example",
            "smtp://u:hunter2@[::1",
            "outbox://",
            "outbox://x?tls=required",
        ] {
            let error = MailSetting::parse(text).unwrap_err().to_string();
            assert!(!error.is_empty() && !error.contains("hunter2"), "{text}: {error}");
        }
        let printed = format!("{:?}", smtp("smtps://u:hunter2@mail.example"));
        assert!(!printed.contains("hunter2"), "{printed}");
    }
}
