//! The one command to try after a failure.

use contract::errors::{AgentErrorCode, ErrorCode};

use crate::{
    args::names,
    exit::Exit,
    failure::{Failure, KeptKey, Refusal},
    trouble::Trouble,
    typed::TypedLine,
};

/// Time-out for a slow host, in seconds.
const SLOW_HOST_TIMEOUT: u64 = 60;
/// The longest time-out, in seconds.
const MAX_TIMEOUT: u64 = 600;

/// The command to try if the host may be wrong.
const HEALTH_ELSEWHERE: &str = "mecelle health --base-url https://HOST";
/// Commands with POST requests.
const POSTING: [&str; 4] = [names::REGISTER, names::CLAIM, names::LOGOUT, names::SEARCH];

/// Returns the command to try; `None` if there is no useful one. `command` is the command that ran, `typed` its command
/// line.
pub(crate) fn next_command(failure: &Failure, command: &str, typed: &TypedLine) -> Option<String> {
    match failure {
        Failure::Usage { next: Some(next), .. } | Failure::Stopped { next, .. } => Some(next.clone()),
        Failure::Usage { next: None, .. } => Some(help(command)),
        Failure::Refused(refusal) if refusal.kept == KeptKey::Dropped => Some(typed.on_same_host("mecelle register")),
        Failure::Refused(refusal) if refusal.wait.is_some() => Some(typed.unchanged()),
        Failure::Refused(refusal) => Some(after_refusal(refusal, command, typed)),
        // Another attempt would register again.
        Failure::Network { trouble, .. } if command == names::REGISTER && trouble.may_have_succeeded() => {
            Some(typed.on_same_host("mecelle whoami"))
        }
        Failure::Network { trouble: Trouble::Timeout(limit), .. } => {
            let more = if limit.as_secs() < SLOW_HOST_TIMEOUT { SLOW_HOST_TIMEOUT } else { MAX_TIMEOUT };
            Some(typed.with_option("--timeout", &more.to_string()))
        }
        Failure::Network { proxy: None, .. } | Failure::Unusable { .. } => Some(HEALTH_ELSEWHERE.to_owned()),
        // The POST took effect and must not be repeated.
        Failure::Misshapen { .. } if matches!(command, names::REGISTER | names::CLAIM) => {
            Some(typed.on_same_host("mecelle whoami"))
        }
        Failure::Misshapen { .. } => Some(typed.with_option("--output", "json")),
        Failure::Redirected { target: Some(target), .. } if target.contains("://") => {
            let origin = target.splitn(4, '/').take(3).collect::<Vec<_>>().join("/");
            // Security: the redirect may name any host, with any characters. The key of the first host must not reach
            // it, nor may the data of a POST (assertion, e-mail address, code, query).
            let is_plain = origin.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.:[]/".contains(&byte));
            let line = if POSTING.contains(&command) { TypedLine::bare(names::CATALOG) } else { typed.clone() };
            is_plain.then(|| line.replace_option("--base-url", &origin).with_option("--api-key", ""))
        }
        Failure::NotCached { .. } => Some(typed.without_switch("--offline")),
        Failure::Filter { .. } => Some(typed.with_option("--jq", ".")),
        Failure::Redirected { .. } => Some(typed.on_same_host("mecelle catalog")),
        // Security: no command without the proxy is suggested, since the environment requires it.
        Failure::Network { proxy: Some(_), .. } | Failure::Keyring { .. } | Failure::Write(_) => None,
    }
}

fn after_refusal(refusal: &Refusal, command: &str, typed: &TypedLine) -> String {
    let code = refusal
        .error
        .as_ref()
        .and_then(|error| AgentErrorCode::ALL.into_iter().find(|code| code.as_str() == error.error));
    if refusal.is_used_up() {
        return typed.on_same_host("mecelle register");
    }
    if let Some(step) = code.and_then(registration_step) {
        return typed.on_same_host(step);
    }
    if refusal.is_of_other_host() {
        return HEALTH_ELSEWHERE.to_owned();
    }
    match Exit::of_status(refusal.status) {
        // Any other 403 is not about the key: the host is wrong, or a server in front of it refuses.
        Exit::Authentication if refusal.keyed && is_about_key(refusal) => typed.with_option("--api-key", ""),
        Exit::Authentication if refusal.status == 403 => HEALTH_ELSEWHERE.to_owned(),
        Exit::NotFound if command != names::CATALOG => typed.on_same_host("mecelle catalog"),
        Exit::Server if command == names::HEALTH => typed.on_same_host("mecelle health --retries 5"),
        Exit::Server | Exit::NotFound => typed.on_same_host("mecelle health"),
        _ => help(command),
    }
}

fn is_about_key(refusal: &Refusal) -> bool {
    let code = refusal.error.as_ref().map(|error| error.error.as_str());
    refusal.status == 401 || code == Some(ErrorCode::InsufficientScope.as_str())
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

fn help(command: &str) -> String {
    match command {
        "" => "mecelle --help".to_owned(),
        command => format!("mecelle {command} --help"),
    }
}
