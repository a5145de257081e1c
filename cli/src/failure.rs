//! What can go wrong, and how it is told: what happened, what to do, where, and one command to try next.

use std::io::{self, Write};

use contract::errors::ErrorResponse;

use crate::{
    client::Trouble,
    exit::Exit,
    output::{style::Style, text::clean},
};

/// Why a run ended without its data.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line or the environment is wrong.
    Usage { what: String, remedy: String },
    /// The service answered, and it is not the answer.
    Refused(Box<Refusal>),
    /// The service could not be asked.
    Network { trouble: Trouble, url: String, attempts: u8 },
    /// What came is not what the service publishes.
    Unusable { what: String, url: String },
    /// The service points elsewhere.
    Redirected { status: u16, url: String, target: Option<String> },
    /// There is no stored answer to show.
    NotStored { url: String },
    /// The filter is wrong, or does not fit the answer.
    Filter { what: String },
    /// The file of the kept keys cannot be read or written.
    Keyring { file: String, what: String },
    /// The data cannot be written.
    Write(io::Error),
}

/// A reply of the service that is not the answer.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) url: String,
    pub(crate) error: Option<ErrorResponse>,
    pub(crate) request_id: Option<String>,
    /// Seconds that the server wants to be left alone, when they are more than the tool waits.
    pub(crate) wait: Option<u64>,
    /// Whether the settings' key was sent.
    pub(crate) keyed: bool,
    /// Whether the refused key was a kept one, which is thrown away.
    pub(crate) dropped: bool,
}

impl Failure {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } => Exit::Usage,
            Self::Refused(refusal) => Exit::of_status(refusal.status),
            Self::Network { .. } | Self::NotStored { .. } => Exit::Network,
            Self::Unusable { .. }
            | Self::Redirected { .. }
            | Self::Filter { .. }
            | Self::Keyring { .. }
            | Self::Write(_) => Exit::Failure,
        }
    }

    /// Writes the failure for a person. `command` is what they ran.
    pub(crate) fn tell(&self, command: &str, style: Style, notes: &mut dyn Write) -> io::Result<()> {
        let mut line = |label: &str, text: &str| {
            let text = clean(text);
            match label {
                "error" => writeln!(notes, "{} {text}", style.error("error:")),
                _ => writeln!(notes, "  {} {text}", style.faint(&format!("{label}:"))),
            }
        };
        line("error", &self.message())?;
        if let Some(remedy) = self.remedy() {
            line("help", &remedy)?;
        }
        if let Some(url) = self.url() {
            line("url", url)?;
        }
        if let Self::Refused(refusal) = self
            && let Some(id) = &refusal.request_id
        {
            line("request", id)?;
        }
        match self.next(command) {
            Some(next) => line("try", &next),
            None => Ok(()),
        }
    }

    fn message(&self) -> String {
        match self {
            Self::Usage { what, .. } | Self::Unusable { what, .. } => what.clone(),
            Self::Refused(refusal) => refusal.message(),
            Self::Network { trouble, attempts: 1, .. } => trouble.message(),
            Self::Network { trouble, attempts, .. } => format!("{} ({attempts} attempts)", trouble.message()),
            Self::Redirected { status, target: Some(target), .. } => {
                format!(
                    "The service has moved to {target} ({status}); the tool does not follow, to keep the key at home."
                )
            }
            Self::Redirected { status, .. } => format!("The service points elsewhere ({status}) without saying where."),
            Self::NotStored { .. } => "No answer to this is stored for offline use.".to_owned(),
            Self::Filter { what } => format!("The jq filter failed: {what}"),
            Self::Keyring { file, what } => format!("The kept keys in {file} cannot be used: {what}."),
            Self::Write(error) => format!("The output cannot be written: {error}."),
        }
    }

    fn remedy(&self) -> Option<String> {
        let text = match self {
            Self::Usage { remedy, .. } => remedy,
            Self::Refused(refusal) => return Some(refusal.remedy()),
            Self::Network { trouble, .. } => trouble.remedy(),
            Self::Unusable { .. } => "Check the host: --base-url or MECELLE_BASE_URL.",
            Self::Keyring { .. } => "Mend or remove that file, or give a key with --api-key.",
            Self::NotStored { .. } => "Run the same command once while the host can be reached.",
            Self::Redirected { .. } | Self::Filter { .. } | Self::Write(_) => return None,
        };
        Some(text.to_owned())
    }

    fn url(&self) -> Option<&str> {
        match self {
            Self::Refused(refusal) => Some(&refusal.url),
            Self::Network { url, .. }
            | Self::Unusable { url, .. }
            | Self::Redirected { url, .. }
            | Self::NotStored { url } => Some(url),
            Self::Usage { .. } | Self::Filter { .. } | Self::Keyring { .. } | Self::Write(_) => None,
        }
    }

    /// One command that brings the person on.
    fn next(&self, command: &str) -> Option<String> {
        match self {
            Self::Usage { .. } => Some(format!("mecelle {command} --help")),
            Self::Refused(refusal) if refusal.dropped => Some("mecelle register".to_owned()),
            Self::Refused(refusal) => Some(match Exit::of_status(refusal.status) {
                Exit::Authentication => format!("mecelle {command} --api-key ''"),
                Exit::NotFound if command != "catalog" => "mecelle catalog".to_owned(),
                Exit::Server if command == "health" => "mecelle health --retries 5".to_owned(),
                Exit::Server | Exit::NotFound => "mecelle health".to_owned(),
                _ => format!("mecelle {command} --help"),
            }),
            Self::Network { trouble: Trouble::Timeout(_), .. } => Some(format!("mecelle {command} --timeout 60")),
            Self::Network { .. } | Self::Unusable { .. } => Some("mecelle health --base-url https://HOST".to_owned()),
            Self::Redirected { target: Some(target), .. } => {
                let origin = target.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
                // Security: whoever answers may name any host, in any words. The command is copied into a shell, and a
                // key meant for the first host is none of the other's business; what is read here needs none.
                let is_plain = origin.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"-.:[]/".contains(&octet));
                is_plain.then(|| format!("mecelle {command} --base-url {origin} --api-key ''"))
            }
            Self::NotStored { .. } => Some(format!("mecelle {command}")),
            Self::Filter { .. } => Some(format!("mecelle {command} --jq .")),
            Self::Redirected { .. } | Self::Keyring { .. } | Self::Write(_) => None,
        }
    }
}

impl Refusal {
    fn message(&self) -> String {
        match &self.error {
            Some(body) => format!("{} ({} {})", body.message, self.status, body.error),
            None => format!("The server answered {} without saying why.", self.status),
        }
    }

    fn remedy(&self) -> String {
        if self.dropped {
            return "The kept key is no longer valid and was thrown away; register again for a new one.".to_owned();
        }
        if let Some(wait) = self.wait {
            return format!("The server asks to wait {wait} seconds; try again after that.");
        }
        match &self.error {
            Some(body) => body.resolution.clone(),
            None => "Check the host: --base-url or MECELLE_BASE_URL.".to_owned(),
        }
    }
}
