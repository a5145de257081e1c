//! Failures, and what is reported of them: message, remedy, URL, request identifier, and a command to try.

use std::io;

use contract::errors::{AgentErrorCode, ErrorCode, ErrorDetail, ErrorResponse};

use crate::{args::names, exit::Exit, trouble::Trouble, typed::TypedLine};

/// The command to try if the host may be wrong.
const HEALTH_ELSEWHERE: &str = "mecelle health --base-url https://HOST";
/// The remedy for a host that is no such service.
const CHECK_HOST: &str = "Check the host: --base-url or MECELLE_BASE_URL.";
/// Commands with POST requests.
const POSTING: [&str; 4] = [names::REGISTER, names::CLAIM, names::LOGOUT, names::SEARCH];

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

    /// Returns the URL of the request and the identifier of its reply.
    pub(crate) fn request(&self) -> (Option<&str>, Option<&str>) {
        match self {
            Self::Refused(refusal) => (Some(&refusal.url), refusal.request_id.as_deref()),
            Self::Network { url, .. }
            | Self::Unusable { url, .. }
            | Self::Misshapen { url, .. }
            | Self::Redirected { url, .. }
            | Self::NotCached { url } => (Some(url), None),
            Self::Usage { .. } | Self::Stopped { .. } | Self::Filter { .. } | Self::Keyring { .. } | Self::Write(_) => {
                (None, None)
            }
        }
    }

    /// Returns the remedy, and the one command to try. `command` is the command that ran, `typed` its command line.
    pub(crate) fn advice(&self, command: &str, typed: &TypedLine) -> (Option<String>, Option<String>) {
        let (remedy, next) = match self {
            Self::Usage { remedy, next, .. } => {
                return (remedy.clone(), Some(next.clone().unwrap_or_else(|| help(command))));
            }
            Self::Stopped { remedy, next, .. } => (remedy.as_str(), Some(next.clone())),
            Self::Refused(refusal) => return (Some(refusal.remedy()), Some(refusal.next(command, typed))),
            Self::Network { trouble, .. } if command == names::REGISTER && trouble.may_have_succeeded() => (
                "The service may have registered you already; another attempt would register again.",
                Some(typed.on_same_host("mecelle whoami")),
            ),
            Self::Network { trouble, proxy, .. } => {
                let next = match (trouble.longer_timeout(), proxy) {
                    (Some(seconds), _) => Some(typed.with_option("--timeout", &seconds.to_string())),
                    (None, None) => Some(HEALTH_ELSEWHERE.to_owned()),
                    // Security: no command without the proxy is suggested, since the environment requires it.
                    (None, Some(_)) => None,
                };
                (trouble.remedy(proxy.is_some()), next)
            }
            Self::Unusable { .. } => (CHECK_HOST, Some(HEALTH_ELSEWHERE.to_owned())),
            Self::Misshapen { .. } => {
                // A POST took effect and must not be repeated.
                let is_done = matches!(command, names::REGISTER | names::CLAIM);
                let next = || typed.with_option("--output", "json");
                let next = if is_done { typed.on_same_host("mecelle whoami") } else { next() };
                ("Use the unparsed bytes, or a newer version of the tool.", Some(next))
            }
            Self::NotCached { .. } => {
                ("Run the same command once while the host can be reached.", Some(typed.without_switch("--offline")))
            }
            Self::Keyring { .. } => {
                ("Repair or remove that file, or name another folder with MECELLE_CONFIG_DIR.", None)
            }
            Self::Filter { .. } => return (None, Some(typed.with_option("--jq", "."))),
            Self::Redirected { target, .. } => return (None, after_redirect(target.as_deref(), command, typed)),
            Self::Write(_) => return (None, None),
        };
        (Some(remedy.to_owned()), next)
    }
}

/// Returns the command that reads from the target of a redirect.
fn after_redirect(target: Option<&str>, command: &str, typed: &TypedLine) -> Option<String> {
    let Some(target) = target.filter(|target| target.contains("://")) else {
        return Some(typed.on_same_host("mecelle catalog"));
    };
    let origin = target.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
    // Security: the redirect may name any host, with any characters. The key of the first host must not reach it, nor
    // may the data of a POST (assertion, e-mail address, code, query).
    let is_plain = origin.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.:[]/".contains(&byte));
    is_plain.then(|| match command {
        names::USE => format!("mecelle use {origin}"),
        command => {
            let line = if POSTING.contains(&command) { TypedLine::bare(names::CATALOG) } else { typed.clone() };
            line.replace_option("--base-url", &origin).with_option("--api-key", "")
        }
    })
}

fn help(command: &str) -> String {
    if command.is_empty() { "mecelle --help".to_owned() } else { format!("mecelle {command} --help") }
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
            _ => CHECK_HOST.to_owned(),
        }
    }

    /// Returns the command to try.
    fn next(&self, command: &str, typed: &TypedLine) -> String {
        if self.kept == KeptKey::Dropped {
            return typed.on_same_host("mecelle register");
        }
        if self.wait.is_some() {
            return typed.unchanged();
        }
        if self.is_used_up() {
            return typed.on_same_host("mecelle register");
        }
        let name = self.error.as_ref().map(|error| error.error.as_str());
        let code = name.and_then(|name| AgentErrorCode::ALL.into_iter().find(|code| code.as_str() == name));
        if let Some(step) = code.and_then(registration_step) {
            return typed.on_same_host(step);
        }
        if self.is_of_other_host() {
            return HEALTH_ELSEWHERE.to_owned();
        }
        let is_about_key = self.status == 401 || name == Some(ErrorCode::InsufficientScope.as_str());
        match Exit::of_status(self.status) {
            // Any other 403 is not about the key: the host is wrong, or a server in front of it refuses.
            Exit::Authentication if self.keyed && is_about_key => typed.with_option("--api-key", ""),
            Exit::Authentication if self.status == 403 => HEALTH_ELSEWHERE.to_owned(),
            Exit::NotFound if command != names::CATALOG => typed.on_same_host("mecelle catalog"),
            Exit::Server if command == names::HEALTH => typed.on_same_host("mecelle health --retries 5"),
            Exit::Server | Exit::NotFound => typed.on_same_host("mecelle health"),
            _ => help(command),
        }
    }
}

/// Returns the command that continues after an error of the registration endpoints.
const fn registration_step(code: AgentErrorCode) -> Option<&'static str> {
    use AgentErrorCode as Code;
    Some(match code {
        Code::OtpInvalid | Code::OtpNotGenerated | Code::InteractionRequired => "mecelle claim --code CODE",
        // The person did not answer in time: another e-mail can be sent.
        Code::OtpExpired | Code::ClaimSuperseded | Code::ExpiredToken => "mecelle claim --email ADDRESS",
        Code::InvalidClaimToken
        | Code::ClaimExpired
        | Code::InvalidGrant
        | Code::AccessDenied
        | Code::UnsupportedCredentialType => "mecelle register",
        Code::ClaimedOrInFlight | Code::PreviouslyClaimed => "mecelle claim --wait",
        Code::InvalidSignature
        | Code::InvalidAudience
        | Code::Expired
        | Code::ReplayDetected
        | Code::LoginRequired
        | Code::InsufficientUserAuthentication => "mecelle register --assertion FILE",
        Code::AnonymousNotEnabled | Code::InvalidIssuer | Code::MissingVerifiedEmail => {
            "mecelle register --email ADDRESS"
        }
        _ => return None,
    })
}
