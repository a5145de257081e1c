//! Failures: message, remedy and URL.

use std::io;

use contract::errors::{ErrorDetail, ErrorResponse};

use crate::{args::names, exit::Exit, trouble::Trouble};

/// Why a run ended without its data.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The command line or the environment is wrong. `next` is the command to try, if not the help.
    Usage { what: String, remedy: Option<String>, next: Option<String> },
    /// Nothing is wrong, but the run cannot continue.
    Stopped { what: String, remedy: String, next: String },
    /// The service replied with an error.
    Refused(Box<Refusal>),
    /// No usable reply. `proxy` is the proxy with its variable.
    Network { trouble: Trouble, url: String, attempts: u8, proxy: Option<String> },
    /// The reply is not one of this kind of service.
    Unusable { what: String, url: String },
    /// The JSON does not have the expected shape; its bytes may be useful.
    Misshapen { what: String, url: String },
    /// A redirect, which the tool does not follow.
    Redirected { status: u16, url: String, target: Option<String> },
    /// `--offline` without a cached answer.
    NotCached { url: String },
    /// The filter failed on the answer.
    Filter { what: String },
    /// The key file cannot be read or written.
    Keyring { file: String, what: String },
    /// The output cannot be written.
    Write(io::Error),
}

/// An error reply.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) url: String,
    pub(crate) error: Option<ErrorResponse>,
    /// The reason of an error without an error code.
    pub(crate) reason: Option<String>,
    pub(crate) request_id: Option<String>,
    /// `Retry-After` in seconds, if the tool does not wait.
    pub(crate) wait: Option<u64>,
    /// The settings' key was sent.
    pub(crate) keyed: bool,
    pub(crate) kept: KeptKey,
}

/// The fate of the kept key after a refusal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum KeptKey {
    /// Not refused, or already replaced by another run of the tool.
    Untouched,
    /// Refused and deleted.
    Dropped,
    /// Refused, but not deleted: the file and the reason.
    Stuck(String),
}

impl Failure {
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Usage { .. } => Exit::Usage,
            Self::Refused(refusal) => Exit::of_status(refusal.status),
            Self::Network { .. } | Self::NotCached { .. } => Exit::Network,
            Self::Unusable { .. }
            | Self::Misshapen { .. }
            | Self::Redirected { .. }
            | Self::Stopped { .. }
            | Self::Filter { .. }
            | Self::Keyring { .. }
            | Self::Write(_) => Exit::Failure,
        }
    }

    /// Builds a usage failure; the command to try is the command's help.
    pub(crate) fn usage(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self::Usage { what: what.into(), remedy: Some(remedy.into()), next: None }
    }

    pub(crate) fn message(&self) -> String {
        match self {
            Self::Usage { what, .. } | Self::Stopped { what, .. } | Self::Unusable { what, .. } => what.clone(),
            Self::Misshapen { what, .. } => format!("The answer does not have the expected shape: {what}."),
            Self::Refused(refusal) => refusal.message(),
            Self::Network { trouble, attempts: 1, proxy, .. } => trouble.message(proxy.as_deref()),
            Self::Network { trouble, attempts, proxy, .. } => {
                format!("{} ({attempts} attempts)", trouble.message(proxy.as_deref()))
            }
            Self::Redirected { status, target: Some(target), .. } => {
                format!(
                    "The service redirects to {target} ({status}); redirects are not followed, so that the key stays with \
                     this host."
                )
            }
            Self::Redirected { status, target: None, .. } => {
                format!("The service redirects ({status}) without a target.")
            }
            Self::NotCached { .. } => "No answer to this request is cached.".to_owned(),
            Self::Filter { what } => format!("The jq filter failed: {what}."),
            Self::Keyring { file, what } => format!("The kept keys in {file} cannot be used: {what}."),
            Self::Write(error) => format!("The output cannot be written: {error}."),
        }
    }

    /// Returns the remedy; `command` is the command that ran.
    pub(crate) fn remedy(&self, command: &str) -> Option<String> {
        let text = match self {
            Self::Network { trouble, .. } if command == names::REGISTER && trouble.may_have_succeeded() => {
                "The service may have registered you already; another attempt would register again."
            }
            Self::Usage { remedy, .. } => return remedy.clone(),
            Self::Stopped { remedy, .. } => remedy,
            Self::Refused(refusal) => return Some(refusal.remedy()),
            Self::Network { trouble, proxy, .. } => trouble.remedy(proxy.is_some()),
            Self::Misshapen { .. } => "Use the unparsed bytes, or a newer version of the tool.",
            Self::Unusable { .. } => "Check the host: --base-url or MECELLE_BASE_URL.",
            Self::Keyring { .. } => "Repair or remove that file, or name another folder with MECELLE_CONFIG_DIR.",
            Self::NotCached { .. } => "Run the same command once while the host can be reached.",
            Self::Redirected { .. } | Self::Filter { .. } | Self::Write(_) => return None,
        };
        Some(text.to_owned())
    }

    /// Returns the URL of the request.
    pub(crate) fn url(&self) -> Option<&str> {
        match self {
            Self::Refused(refusal) => Some(&refusal.url),
            Self::Network { url, .. }
            | Self::Unusable { url, .. }
            | Self::Misshapen { url, .. }
            | Self::Redirected { url, .. }
            | Self::NotCached { url } => Some(url),
            Self::Usage { .. } | Self::Stopped { .. } | Self::Filter { .. } | Self::Keyring { .. } | Self::Write(_) => {
                None
            }
        }
    }
}

impl Refusal {
    /// Returns whether a registration has used up its codes: a 429 that waiting does not end.
    pub(crate) fn is_used_up(&self) -> bool {
        self.error.as_ref().is_some_and(|error| error.resolution == ErrorDetail::NoCodesLeft.resolution())
    }

    /// Returns whether the host is no such service: it has no such path, or no such method on it.
    pub(crate) fn is_of_other_host(&self) -> bool {
        self.status == 405 || self.status == 404 && self.error.is_none()
    }

    fn message(&self) -> String {
        match (&self.error, &self.reason) {
            (Some(body), _) => format!("{} ({} {})", body.message, self.status, body.error),
            (None, Some(why)) => {
                format!("The server refuses the request: {} ({}).", why.trim_end_matches('.'), self.status)
            }
            (None, None) => format!("The server answered {} without a reason.", self.status),
        }
    }

    fn remedy(&self) -> String {
        match &self.kept {
            KeptKey::Untouched => {}
            KeptKey::Dropped => {
                return "The kept key is no longer valid and was deleted; register again for a new one.".to_owned();
            }
            KeptKey::Stuck(why) => {
                return format!("The kept key is no longer valid and could not be deleted: {why}.");
            }
        }
        if let Some(wait) = self.wait {
            return format!("Wait {wait} s, as the server requires, then try again.");
        }
        match &self.error {
            Some(body) if !self.is_of_other_host() => body.resolution.clone(),
            _ => "Check the host: --base-url or MECELLE_BASE_URL.".to_owned(),
        }
    }
}
