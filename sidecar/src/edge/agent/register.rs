//! `POST /agent/auth`.

use std::sync::Arc;

use actix_http::Request;
use actix_web::http::StatusCode;
use contract::{
    agent_auth::{AssertionType, CredentialType},
    agent_errors::AgentErrorCode as Code,
};

use super::{posted::Posted, refusal::refuse, reply};
use crate::{
    edge::{
        answer::payload::Reply,
        request::{media_type::MediaType, object::Object},
        routes::{Later, Shared},
    },
    registration::{Identity, Mailbox, Refusal, RegistrationRequest, Secret},
};

/// Registers an agent.
pub(crate) fn register(shared: Arc<Shared>, request: Request) -> Later {
    Box::pin(async move { answer(shared, request).await.unwrap_or_else(refuse) })
}

async fn answer(shared: Arc<Shared>, request: Request) -> Result<Reply, Refusal> {
    let posted = Posted::read(shared, request, &[MediaType::Json]).await?;
    let object = Object::parse(&posted.octets)?;
    let credential = match object.text("requested_credential_type")? {
        None => None,
        Some(name) => Some(credential_type(name).ok_or(Code::UnsupportedCredentialType)?),
    };
    let locale = object.text("locale")?.and_then(|text| text.parse().ok()).unwrap_or(posted.locale);
    let request = RegistrationRequest { identity: identity(&object)?, credential, locale };
    let registered = posted.registrar().register(request, &posted.caller, posted.now).await?;
    Ok(reply::json(StatusCode::OK, &reply::registered(registered)))
}

fn identity(object: &Object) -> Result<Identity, Refusal> {
    match object.text("type")? {
        Some("anonymous") => Ok(Identity::Anonymous),
        // The name that later versions of the protocol give a registration by e-mail.
        Some("service_auth") => by_email(object.either(["login_hint", "assertion"])?),
        Some("identity_assertion") => {
            let kind = object.text("assertion_type")?.ok_or(Refusal::Malformed("`assertion_type` is missing."))?;
            if kind == AssertionType::VerifiedEmail.as_str() {
                by_email(object.either(["assertion", "login_hint"])?)
            } else if kind == AssertionType::IdJag.as_str() {
                by_provider(object.text("assertion")?)
            } else {
                Err(Code::UnsupportedAssertionType.into())
            }
        }
        Some(_) => Err(Refusal::Malformed("`type` must be `identity_assertion` or `anonymous`.")),
        None => Err(Refusal::Malformed("`type` is missing.")),
    }
}

fn by_email(text: Option<&str>) -> Result<Identity, Refusal> {
    let mailbox = text.and_then(Mailbox::parse);
    mailbox.map(Identity::Email).ok_or(Refusal::Malformed("`assertion` must be an e-mail address."))
}

/// An assertion of a registration or of the token endpoint.
pub(super) fn by_provider(text: Option<&str>) -> Result<Identity, Refusal> {
    let assertion = text.filter(|text| !text.is_empty()).ok_or(Refusal::Malformed("`assertion` is missing."))?;
    Ok(Identity::Provider(Secret::new(assertion)))
}

fn credential_type(name: &str) -> Option<CredentialType> {
    [CredentialType::AccessToken, CredentialType::ApiKey].into_iter().find(|kind| kind.as_str() == name)
}
