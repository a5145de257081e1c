//! The data of `/auth.md`: how an agent gets a credential, with every request, reply and error that the site offers.
//! The text is in `templates/agents/auth.md`.

use contract::{
    agent_auth::{AssertionType, CLAIM_GRANT, CredentialType, IdentityType, JWT_BEARER_GRANT, RegistrationType},
    agent_replies::{
        ACCESS_TOKEN_LIFE, ClaimCompletedReply, ClaimStartedReply, ClaimStatus, IssuedReply, LINK_LIFE, POLL_INTERVAL,
        PendingReply, Polling, RegisteredReply, TOKEN_TYPE, TokenReply, UNCLAIMED_LIFE,
    },
    agent_requests::{self, ASSERTION, ASSERTION_TYPE, LOGIN_HINT, REQUESTED_CREDENTIAL_TYPE},
    errors::{AgentErrorCode as Code, AgentErrorResponse, ErrorCode},
    id_jag::{CLAIMS, CLOCK_SKEW, HEADER, MAX_BYTES, Need, TokenMember},
    routes,
    scopes::Scope,
};
use findings::messages::Text;
use serde::Serialize;
use serde_json::{Value, json};
use site::Agents;

use super::{RenderError, shared::Shared, theme::LocaleTemplates};

// Placeholders for values that only the agent or the service can fill in.
const ID: &str = "<REGISTRATION_ID>";
const CREDENTIAL: &str = "<CREDENTIAL>";
const CLAIM_TOKEN: &str = "<CLAIM_TOKEN>";
const EMAIL: &str = "<EMAIL>";
const ID_JAG: &str = "<ID_JAG>";
const OTP: &str = "<OTP>";
const MATCH_PHRASE: &str = "<MATCH_PHRASE>";
/// A fixed time, because a build has no clock.
const MOMENT: &str = "2027-01-31T09:00:00.000Z";

/// Returns a section on the required content of an identity assertion, in the language of `shared`; empty if none is
/// accepted.
pub(super) fn assertion(shared: &Shared, pages: &LocaleTemplates, agents: &Agents) -> Result<String, RenderError> {
    if !agents.accept(AssertionType::IdJag) {
        return Ok(String::new());
    }
    // Members with the same requirement share a row.
    let same = |one: &TokenMember, next: &TokenMember| one.must_be(shared.locale) == next.must_be(shared.locale);
    let row = |header: bool| {
        move |members: &[TokenMember]| {
            let need = match members[0].need {
                Need::Required => "required",
                Need::Optional => "optional",
                Need::Either => "either",
                Need::Absent => "absent",
            };
            let names: Vec<&str> = members.iter().map(|member| member.name).collect();
            let must_be = members[0].must_be(shared.locale);
            json!({ "name": names.join("`, `"), "header": header, "need": need, "must_be": must_be })
        }
    };
    let members: Vec<Value> =
        HEADER.chunk_by(same).map(row(true)).chain(CLAIMS.chunk_by(same).map(row(false))).collect();
    let limits = json!({ "bytes": MAX_BYTES.to_string(), "skew": CLOCK_SKEW.to_string() });
    Ok(pages.render_document("agents/assertion.md", ("members", &members), ("limits", &limits))?)
}

/// Returns the template value `auth` for `agents`.
pub(super) fn view(shared: &Shared, pages: &LocaleTemplates, agents: &Agents) -> Result<Value, RenderError> {
    let claims = agents.claims;
    let (asserted, anonymous) = (first_type(&agents.assertion_credentials), first_type(&agents.anonymous_credentials));
    let pending = |is_claim_open| claims.then(|| pending(shared, is_claim_open));
    Ok(json!({
        "sandbox_key": shared.site.settings.sandbox_key,
        "service": agents.service,
        "registration": agents.register(),
        "claims": claims,
        "id_jag": agents.accept(AssertionType::IdJag),
        "verified_email": agents.accept(AssertionType::VerifiedEmail),
        "anonymous": agents.identity_types.contains(&IdentityType::Anonymous),
        "exchange": agents.exchange(),
        "identity": agents.identity(),
        "identity_types": identity_types(agents),
        "assertion": assertion(shared, pages, agents)?,
        "request": {
            "id_jag": text(&json!({
                agent_requests::TYPE: IdentityType::IdentityAssertion,
                ASSERTION_TYPE: AssertionType::IdJag,
                ASSERTION: ID_JAG,
                REQUESTED_CREDENTIAL_TYPE: asserted,
            }))?,
            "verified_email": text(&json!({
                agent_requests::TYPE: IdentityType::IdentityAssertion,
                ASSERTION_TYPE: AssertionType::VerifiedEmail,
                ASSERTION: EMAIL,
            }))?,
            "anonymous": text(&json!({
                agent_requests::TYPE: IdentityType::Anonymous,
                REQUESTED_CREDENTIAL_TYPE: anonymous,
            }))?,
            "claim": text(&json!({ agent_requests::CLAIM_TOKEN: CLAIM_TOKEN, agent_requests::EMAIL: EMAIL }))?,
            "complete": text(&json!({ agent_requests::CLAIM_TOKEN: CLAIM_TOKEN, agent_requests::OTP: OTP }))?,
            "token": format!("grant_type={CLAIM_GRANT}&claim_token={CLAIM_TOKEN}"),
            "exchange": format!("grant_type={JWT_BEARER_GRANT}&assertion={ID_JAG}"),
            "identity": format!("grant_type={JWT_BEARER_GRANT}&assertion=<ASSERTION>"),
        },
        "reply": {
            "id_jag": text(&registration_reply(RegistrationType::Provider, Some(issued_reply(asserted, &Scope::ALL)), None))?,
            "verified_email": text(&registration_reply(RegistrationType::Email, None, pending(true)))?,
            "anonymous": text(&registration_reply(
                RegistrationType::Anonymous,
                Some(issued_reply(anonymous, &Scope::BEFORE_CLAIM)),
                pending(false),
            ))?,
            "claim": text(&claim_started())?,
            "complete": text(&claim_completed(agents))?,
            "token": text(&granted(agents))?,
            "error": text(&if claims {
                AgentErrorResponse { attempts_remaining: Some(4), ..Code::OtpInvalid.response() }
            } else {
                Code::InvalidRequest.response()
            })?,
        },
        "errors": errors(agents, claims),
    }))
}

/// Returns the identity types that an agent can register with in the identity profile.
fn identity_types(agents: &Agents) -> String {
    let types = [
        (agents.identity_types.contains(&IdentityType::Anonymous), IdentityType::Anonymous, &[][..]),
        (agents.accept(AssertionType::VerifiedEmail), IdentityType::ServiceAuth, &[LOGIN_HINT]),
        (agents.accept(AssertionType::IdJag), IdentityType::IdentityAssertion, &[ASSERTION_TYPE, ASSERTION]),
    ];
    let types = types.into_iter().filter(|(is_offered, ..)| *is_offered).map(|(_, kind, fields)| match fields {
        [] => format!("`{}`", kind.as_str()),
        fields => format!("`{}` with `{}`", kind.as_str(), fields.join("` and `")),
    });
    types.collect::<Vec<_>>().join(", or ")
}

fn text(body: &impl Serialize) -> Result<String, RenderError> {
    serde_json::to_string(body).map_err(|error| RenderError::Inconsistent(Text::verbatim(error)))
}

/// Returns the credential type for an example.
fn first_type(offered: &[CredentialType]) -> CredentialType {
    offered.first().copied().unwrap_or(CredentialType::AccessToken)
}

fn registration_reply(
    registration_type: RegistrationType,
    issued: Option<IssuedReply>,
    pending: Option<PendingReply>,
) -> RegisteredReply {
    RegisteredReply::new(ID.to_owned(), registration_type, issued, pending)
}

fn issued_reply(credential_type: CredentialType, scopes: &[Scope]) -> IssuedReply {
    IssuedReply {
        credential_type,
        credential: CREDENTIAL.to_owned(),
        credential_expires: MOMENT.to_owned(),
        scopes: scopes.to_vec(),
    }
}

/// Returns the pending part of a reply; with `is_claim_open`, a claim request was already sent.
fn pending(shared: &Shared, is_claim_open: bool) -> PendingReply {
    PendingReply {
        claim_url: shared.site.absolute(routes::CLAIM),
        claim_token: CLAIM_TOKEN.to_owned(),
        claim_token_expires: MOMENT.to_owned(),
        post_claim_scopes: Scope::ALL.to_vec(),
        claim: Polling {
            expires_in: UNCLAIMED_LIFE,
            interval: POLL_INTERVAL,
            token_endpoint: shared.site.absolute(routes::TOKEN),
            grant_type: CLAIM_GRANT,
        },
        match_phrase: is_claim_open.then(|| MATCH_PHRASE.to_owned()),
    }
}

fn claim_started() -> ClaimStartedReply {
    ClaimStartedReply {
        registration_id: ID.to_owned(),
        claim_attempt_id: "<CLAIM_ATTEMPT_ID>".to_owned(),
        status: ClaimStatus::Initiated,
        expires_at: MOMENT.to_owned(),
        expires_in: LINK_LIFE,
        interval: POLL_INTERVAL,
        match_phrase: Some(MATCH_PHRASE.to_owned()),
    }
}

/// Returns the most common kind and credential type of a claimed registration on this site.
fn claimed(agents: &Agents) -> (RegistrationType, CredentialType) {
    if agents.accept(AssertionType::VerifiedEmail) {
        (RegistrationType::Email, first_type(&agents.assertion_credentials))
    } else if agents.identity_types.contains(&IdentityType::Anonymous) {
        (RegistrationType::Anonymous, first_type(&agents.anonymous_credentials))
    } else {
        (RegistrationType::Provider, first_type(&agents.assertion_credentials))
    }
}

fn claim_completed(agents: &Agents) -> ClaimCompletedReply {
    let (registration_type, credential_type) = claimed(agents);
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

fn granted(agents: &Agents) -> TokenReply {
    let (registration_type, credential_type) = claimed(agents);
    TokenReply {
        access_token: CREDENTIAL.to_owned(),
        token_type: TOKEN_TYPE,
        expires_in: ACCESS_TOKEN_LIFE,
        scope: Scope::list(&Scope::ALL),
        registration_id: ID.to_owned(),
        registration_type,
        issued: issued_reply(credential_type, &Scope::ALL),
    }
}

/// Returns the rows of the table of errors: codes with the same resolution share one.
fn errors(agents: &Agents, claims: bool) -> Vec<Value> {
    // Errors of every endpoint of the site.
    let common = [ErrorCode::MethodNotAllowed, ErrorCode::UriTooLong].map(|code| (code.as_str(), code.resolution()));
    let own = Code::ALL.into_iter().filter(|code| is_possible(*code, agents, claims));
    let mut rows: Vec<(&str, String)> = Vec::new();
    for (code, resolution) in own.map(|code| (code.as_str(), code.resolution())).chain(common) {
        match rows.iter_mut().find(|(known, _)| *known == resolution) {
            Some((_, codes)) => codes.extend([", `", code, "`"]),
            None => rows.push((resolution, format!("`{code}`"))),
        }
    }
    rows.into_iter().map(|(resolution, codes)| json!({ "codes": codes, "resolution": resolution })).collect()
}

/// Whether an agent of this site may receive `code`.
fn is_possible(code: Code, agents: &Agents, claims: bool) -> bool {
    match code {
        Code::InvalidIssuer
        | Code::InvalidSignature
        | Code::InvalidAudience
        | Code::Expired
        | Code::ReplayDetected
        | Code::InvalidClientId
        | Code::MissingVerifiedEmail
        | Code::LoginRequired => agents.accept(AssertionType::IdJag),
        Code::InvalidScope => agents.accept(AssertionType::IdJag) || agents.identity(),
        Code::InvalidLoginHint => claims && agents.identity(),
        Code::InteractionRequired => claims && agents.accept(AssertionType::IdJag),
        Code::InvalidClaimToken
        | Code::ClaimedOrInFlight
        | Code::PreviouslyClaimed
        | Code::ClaimCompleted
        | Code::ClaimExpired
        | Code::ClaimSuperseded
        | Code::OtpInvalid
        | Code::OtpExpired
        | Code::OtpNotGenerated
        | Code::AccessDenied
        | Code::AuthorizationPending
        | Code::SlowDown
        | Code::ExpiredToken => claims,
        // Only the token exchange returns these.
        Code::InsufficientUserAuthentication => agents.exchange(),
        Code::InvalidTarget => agents.exchange() || agents.identity(),
        // Only the authorization endpoint returns this, to a person who is sent to sign in.
        Code::UnsupportedResponseType => false,
        _ => true,
    }
}
