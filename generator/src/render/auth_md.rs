//! `/auth.md`: how an agent gets a credential, with every request and reply, as far as the site offers it.

use std::fmt::Write as _;

use contract::{
    Locale,
    agent_auth::{AssertionType, CLAIM_GRANT, CredentialType, IdentityType, JWT_BEARER_GRANT, RegistrationType},
    agent_errors::{AgentErrorCode as Code, AgentErrorResponse},
    agent_replies::{
        ACCESS_TOKEN_LIFE, CLAIM_LIFE, ClaimCompletedReply, ClaimStartedReply, ClaimStatus, IssuedReply, POLL_INTERVAL,
        PendingReply, Polling, RegisteredReply, TOKEN_TYPE, TokenReply, UNCLAIMED_LIFE,
    },
    agent_requests,
    errors::ErrorCode,
    media, routes,
    scopes::Scope,
};
use serde::Serialize;
use serde_json::json;

use super::{RenderError, shared::Shared};
use crate::site::Agents;

// Placeholders for values that only the agent or the service knows.
const ID: &str = "<REGISTRATION_ID>";
const CREDENTIAL: &str = "<CREDENTIAL>";
const CLAIM_TOKEN: &str = "<CLAIM_TOKEN>";
const EMAIL: &str = "<EMAIL>";
const ID_JAG: &str = "<ID_JAG>";
const OTP: &str = "<OTP>";
/// A fixed moment, since a build has no clock.
const MOMENT: &str = "2027-01-31T09:00:00.000Z";

/// Errors of every endpoint of the site, met by agents and by everybody else.
const COMMON: [ErrorCode; 2] = [ErrorCode::MethodNotAllowed, ErrorCode::UriTooLong];

/// Renders the document in English, the language in which programs are addressed.
pub(super) fn render(shared: &Shared) -> Result<String, RenderError> {
    let guide = Guide { shared, agents: &shared.site.settings.agents };
    if !guide.agents.register() {
        let nothing = "## Register\n\nNo registration is offered here, and content needs none.\n";
        return Ok([guide.introduction().as_str(), nothing].join("\n"));
    }
    let parts =
        [guide.introduction(), guide.discovery(), guide.register()?, guide.claim()?, guide.errors()?, guide.revoke()];
    Ok(parts.join("\n"))
}

struct Guide<'a> {
    shared: &'a Shared<'a>,
    agents: &'a Agents,
}

impl Guide<'_> {
    fn introduction(&self) -> String {
        let settings = &self.shared.site.settings;
        let worth = if self.agents.register() {
            " A credential raises limits and lets a user see and revoke what an agent holds in their name."
        } else {
            ""
        };
        format!(
            "# auth.md – credentials for agents at {name}\n\n\
             The content of {site} is public: pages, {api} and {mcp} answer without a credential.{worth} {disclaimer}\n\n\
             ## Sandbox key\n\n\
             `{key}` is published, read-only and the same for everyone. Send it as `Authorization: Bearer {key}` or as \
             `X-Api-Key: {key}`.\n",
            name = settings.firm.name[self.shared.locale],
            site = self.shared.site.url(),
            api = self.absolute(routes::API_BASE),
            mcp = self.absolute(routes::MCP),
            disclaimer = settings.firm.disclaimer[self.shared.locale],
            key = settings.sandbox_key,
        )
    }

    fn discovery(&self) -> String {
        format!(
            "## Discovery\n\n\
             1. Read {resource}: `resource` is the audience of an identity assertion.\n\
             2. Read {server}: the `agent_auth` block names the addresses below and, in its `*_supported` arrays, what is on \
             offer. What is not listed there is refused.\n\n\
             Each endpoint for agents takes `POST` with the media type that is named, and answers with JSON. Values in `<…>`, moments \
             and seconds are examples.\n",
            resource = self.absolute(routes::PROTECTED_RESOURCE),
            server = self.absolute(routes::AUTHORIZATION_SERVER),
        )
    }

    fn register(&self) -> Result<String, RenderError> {
        let mut out = format!(
            "## Register\n\n\
             `POST {register}`, `Content-Type: {json}`. Choose the first that applies; `requested_credential_type` may be \
             left out.\n\n",
            register = self.absolute(routes::REGISTER),
            json = media::JSON,
        );
        if self.agents.accept(AssertionType::IdJag) {
            let credential_type = first(&self.agents.assertion_credentials);
            let request = json!({
                agent_requests::TYPE: IdentityType::IdentityAssertion,
                agent_requests::ASSERTION_TYPE: AssertionType::IdJag,
                agent_requests::ASSERTION: ID_JAG,
                agent_requests::REQUESTED_CREDENTIAL_TYPE: credential_type,
            });
            let issued = Some(issued(credential_type, &Scope::ALL));
            let _ = write!(
                out,
                "- **You hold an identity assertion** of your provider, bound to the audience `{audience}`, with a fresh `jti`, \
                 a near `exp` and a recent `auth_time`. Ask the user before you assert their identity.\n\n{request}  The answer \
                 holds the credential:\n\n{reply}  An assertion names a verified e-mail address or a verified telephone number; \
                 with a number alone the user cannot see or take back what you hold here, only your provider can.\n",
                audience = self.shared.site.url(),
                request = block(2, &request)?,
                reply = block(2, &registered(RegistrationType::Provider, issued, None))?,
            );
        }
        if self.agents.accept(AssertionType::VerifiedEmail) {
            let request = json!({
                agent_requests::TYPE: IdentityType::IdentityAssertion,
                agent_requests::ASSERTION_TYPE: AssertionType::VerifiedEmail,
                agent_requests::ASSERTION: EMAIL,
            });
            let _ = write!(
                out,
                "- **You know the user's e-mail address only.** The user confirms by a claim; there is no credential before \
                 it.\n\n{request}  The answer holds a `claim_token`, and the user receives a message with a link:\n\n{reply}",
                request = block(2, &request)?,
                reply = block(2, &registered(RegistrationType::Email, None, Some(self.pending())))?,
            );
        }
        if self.agents.identity_types.contains(&IdentityType::Anonymous) {
            let credential_type = first(&self.agents.anonymous_credentials);
            let request = json!({
                agent_requests::TYPE: IdentityType::Anonymous,
                agent_requests::REQUESTED_CREDENTIAL_TYPE: credential_type,
            });
            let issued = Some(issued(credential_type, &Scope::BEFORE_CLAIM));
            let _ = write!(
                out,
                "- **Neither.** A claim may follow later.\n\n{request}  The answer holds a credential and a \
                 `claim_token`:\n\n{reply}",
                request = block(2, &request)?,
                reply = block(2, &registered(RegistrationType::Anonymous, issued, Some(self.pending())))?,
            );
        }
        let _ = writeln!(
            out,
            "`locale` (`{en}` or `{tr}`) says in which language the user is written to, here and at {claim}; without it, or \
             with another value, `Accept-Language` of the request does.",
            en = Locale::En,
            tr = Locale::Tr,
            claim = self.absolute(routes::CLAIM),
        );
        Ok(out)
    }

    fn claim(&self) -> Result<String, RenderError> {
        let mut out = format!(
            "## Claim\n\n\
             1. `POST {claim}`, `Content-Type: {json}`, for an anonymous registration, and for any whose code is over, then \
             with the same address. The user receives a message with a link.\n\n{ask}   The answer:\n\n{started}\
             2. The user opens the link, sees who asks and for what, and has a one-time code shown.\n\
             3. `POST {complete}`, `Content-Type: {json}`, with the code that the user tells you.\n\n{tell}   The answer; \
             where it has no `credential`, the one that you hold is worth more from now on:\n\n{completed}\
             4. Where the answer of step 3 was lost, or another process hands in the code: `POST {token}`, `Content-Type: {form}`, \
             every `interval` seconds for as long as the answer is `{pending}`; after `{hasty}` the seconds are those of its \
             `interval`, and after one with `retry_after`, go on when that has passed. Stop at any other error, and when \
             `expires_in` of the `claim` has passed. Polling alone never completes a claim, and of an anonymous registration \
             it does not tell that the user refused.\n\n   ```text\n   grant_type={CLAIM_GRANT}&claim_token={CLAIM_TOKEN}\n   ```\n\n   \
             The answer; its credential takes the place of the one that you hold:\n\n{granted}",
            claim = self.absolute(routes::CLAIM),
            complete = self.absolute(routes::CLAIM_COMPLETE),
            token = self.absolute(routes::TOKEN),
            json = media::JSON,
            form = media::FORM,
            pending = Code::AuthorizationPending.as_str(),
            hasty = Code::SlowDown.as_str(),
            ask = block(3, &json!({ agent_requests::CLAIM_TOKEN: CLAIM_TOKEN, agent_requests::EMAIL: EMAIL }))?,
            started = block(3, &started())?,
            tell = block(3, &json!({ agent_requests::CLAIM_TOKEN: CLAIM_TOKEN, agent_requests::OTP: OTP }))?,
            completed = block(3, &self.completed())?,
            granted = block(3, &self.granted())?,
        );
        if self.agents.exchange() {
            let _ = write!(
                out,
                "{token} takes an identity assertion too, with `grant_type={JWT_BEARER_GRANT}&assertion={ID_JAG}`, and answers \
                 alike. `scope`, names of scopes with a space between them, narrows what is granted; `resource` may say what it is \
                 for: {site}, {api} or {mcp}. There, what is wrong with the assertion is `{grant}`, with the code of the table below \
                 in `error_detail`; but `{sign_in}`, `{interaction}` and `{scope}` stand in `error` themselves.\n\n",
                token = self.absolute(routes::TOKEN),
                site = self.shared.site.url(),
                api = self.absolute(routes::API_BASE),
                mcp = self.absolute(routes::MCP),
                grant = Code::InvalidGrant.as_str(),
                sign_in = Code::InsufficientUserAuthentication.as_str(),
                interaction = Code::InteractionRequired.as_str(),
                scope = Code::InvalidScope.as_str(),
            );
        }
        out.push_str(
            "## Use\n\n\
             Send `Authorization: Bearer <CREDENTIAL>` to the API and to MCP. A credential has an expiry. When a working \
             credential gets 401, discard it and start again at Discovery.\n",
        );
        Ok(out)
    }

    fn errors(&self) -> Result<String, RenderError> {
        let example = AgentErrorResponse { attempts_remaining: Some(4), ..Code::OtpInvalid.response() };
        let mut out = format!(
            "## Errors\n\n\
             Every error that an agent meets at these endpoints is JSON with `error`, `message` and `resolution`; `attempts_remaining`, `error_detail`, and in seconds \
             `retry_after`, `interval` and `max_age` stand there where they help. Where a `resolution` says something else than \
             this table, it holds: a registration that has used up its codes is `{limited}` too, and waiting does not help \
             it.\n\n{example}",
            limited = Code::RateLimited.as_str(),
            example = block(0, &example)?,
        );
        if self.agents.accept(AssertionType::IdJag) {
            let _ = write!(
                out,
                "`{interaction}` brings a `claim_token` and all that belongs to it: go on with step 2 of the claim.\n\n",
                interaction = Code::InteractionRequired.as_str(),
            );
        }
        out.push_str("| Code | What to do |\n| --- | --- |\n");
        // Codes with the same resolution share a row.
        let mut rows: Vec<(&str, Vec<String>)> = Vec::new();
        let own = Code::ALL.into_iter().filter(|code| self.tells(*code)).map(|code| (code.as_str(), code.resolution()));
        let common = COMMON.iter().map(|code| (code.as_str(), code.resolution()));
        for (code, resolution) in own.chain(common) {
            let name = format!("`{code}`");
            match rows.iter_mut().find(|(known, _)| *known == resolution) {
                Some((_, names)) => names.push(name),
                None => rows.push((resolution, vec![name])),
            }
        }
        for (resolution, names) in rows {
            let _ = writeln!(out, "| {} | {resolution} |", names.join(", "));
        }
        Ok(out)
    }

    fn revoke(&self) -> String {
        let mut out =
            format!("## Revoke\n\nUsers see and revoke what agents hold at {}.", self.absolute(routes::ACCESS));
        if self.agents.accept(AssertionType::IdJag) {
            let _ = write!(
                out,
                " Agent providers `POST` security events (`application/secevent+jwt`, answered 202 without a body, or \
                 with `err` and `description` where they are refused) and logout tokens (`application/logout+jwt`) to {}.",
                self.absolute(routes::PROVIDER_REVOKE)
            );
        }
        out + "\n"
    }

    /// Whether an agent of this site may meet `code`.
    fn tells(&self, code: Code) -> bool {
        match code {
            Code::InvalidIssuer
            | Code::InvalidSignature
            | Code::InvalidAudience
            | Code::Expired
            | Code::ReplayDetected
            | Code::InvalidClientId
            | Code::MissingVerifiedEmail
            | Code::LoginRequired
            | Code::InteractionRequired
            | Code::InvalidScope => self.agents.accept(AssertionType::IdJag),
            // Only the exchange of an assertion answers with these.
            Code::InsufficientUserAuthentication | Code::InvalidTarget => self.agents.exchange(),
            Code::InvalidRequest
            | Code::PayloadTooLarge
            | Code::UnsupportedMediaType
            | Code::UnsupportedCredentialType
            | Code::UnsupportedAssertionType
            | Code::AnonymousNotEnabled
            | Code::VerifiedEmailNotEnabled
            | Code::InvalidClaimToken
            | Code::ClaimedOrInFlight
            | Code::PreviouslyClaimed
            | Code::ClaimExpired
            | Code::AccessDenied
            | Code::ClaimNotEnabled
            | Code::OtpInvalid
            | Code::OtpExpired
            | Code::OtpNotGenerated
            | Code::AuthorizationPending
            | Code::SlowDown
            | Code::ExpiredToken
            | Code::InvalidGrant
            | Code::UnsupportedGrantType
            | Code::InvalidClient
            // These two are only for somebody who has the user's link.
            | Code::ClaimSuperseded
            | Code::ClaimCompleted
            | Code::RateLimited
            | Code::TemporarilyUnavailable
            | Code::InternalError => true,
        }
    }

    fn absolute(&self, path: &str) -> String {
        self.shared.site.absolute(path)
    }

    fn pending(&self) -> PendingReply {
        PendingReply {
            claim_url: self.absolute(routes::CLAIM),
            claim_token: CLAIM_TOKEN.to_owned(),
            claim_token_expires: MOMENT.to_owned(),
            post_claim_scopes: Scope::ALL.to_vec(),
            claim: Polling {
                expires_in: UNCLAIMED_LIFE,
                interval: POLL_INTERVAL,
                token_endpoint: self.absolute(routes::TOKEN),
                grant_type: CLAIM_GRANT,
            },
        }
    }

    /// Returns the kind and the credential type of a claimed registration, as most of those on this site are.
    fn claimed(&self) -> (RegistrationType, CredentialType) {
        if self.agents.accept(AssertionType::VerifiedEmail) {
            (RegistrationType::Email, first(&self.agents.assertion_credentials))
        } else if self.agents.identity_types.contains(&IdentityType::Anonymous) {
            (RegistrationType::Anonymous, first(&self.agents.anonymous_credentials))
        } else {
            (RegistrationType::Provider, first(&self.agents.assertion_credentials))
        }
    }

    fn completed(&self) -> ClaimCompletedReply {
        let (registration_type, credential_type) = self.claimed();
        let is_new = registration_type != RegistrationType::Anonymous;
        ClaimCompletedReply {
            registration_id: ID.to_owned(),
            registration_type,
            status: ClaimStatus::Claimed,
            credential_type,
            credential: is_new.then(|| CREDENTIAL.to_owned()),
            credential_expires: MOMENT.to_owned(),
            scopes: Scope::ALL.to_vec(),
        }
    }

    fn granted(&self) -> TokenReply {
        let (registration_type, credential_type) = self.claimed();
        TokenReply {
            access_token: CREDENTIAL.to_owned(),
            token_type: TOKEN_TYPE,
            expires_in: ACCESS_TOKEN_LIFE,
            scope: Scope::list(&Scope::ALL),
            registration_id: ID.to_owned(),
            registration_type,
            issued: issued(credential_type, &Scope::ALL),
        }
    }
}

/// Returns the type of credential that an example asks for.
fn first(offered: &[CredentialType]) -> CredentialType {
    offered.first().copied().unwrap_or(CredentialType::AccessToken)
}

fn registered(
    registration_type: RegistrationType,
    issued: Option<IssuedReply>,
    pending: Option<PendingReply>,
) -> RegisteredReply {
    RegisteredReply { registration_id: ID.to_owned(), registration_type, issued, pending }
}

fn issued(credential_type: CredentialType, scopes: &[Scope]) -> IssuedReply {
    IssuedReply {
        credential_type,
        credential: CREDENTIAL.to_owned(),
        credential_expires: MOMENT.to_owned(),
        scopes: scopes.to_vec(),
    }
}

fn started() -> ClaimStartedReply {
    ClaimStartedReply {
        registration_id: ID.to_owned(),
        claim_attempt_id: "<CLAIM_ATTEMPT_ID>".to_owned(),
        status: ClaimStatus::Initiated,
        expires_at: MOMENT.to_owned(),
        expires_in: CLAIM_LIFE,
        interval: POLL_INTERVAL,
    }
}

/// Puts a body in a code block, indented by `indent` more letters than the text that it belongs to.
fn block(indent: usize, body: &impl Serialize) -> Result<String, RenderError> {
    let text = serde_json::to_string(body).map_err(|error| RenderError::Inconsistent(error.to_string()))?;
    let margin = " ".repeat(indent);
    Ok(format!("{margin}```json\n{margin}{text}\n{margin}```\n\n"))
}
