//! `POST /agent/auth`.

use actix_web::http::StatusCode;
use contract::{
    agent_auth::{AssertionType, CredentialType, IdentityType},
    agent_replies::RegisteredReply,
    agent_requests::{ASSERTION, ASSERTION_TYPE, LOCALE, LOGIN_HINT, REQUESTED_CREDENTIAL_TYPE, TYPE},
    errors::AgentErrorCode as Code,
};
use registration::{
    domain::RegistrationError,
    registrar::{Identity, RegistrationRequest},
    strict_json::StrictObject,
};
use secrets::{Mailbox, Secret};
use settings::nearest;

use super::{error_response::refuse, posted::Posted, reply};
use crate::http::{
    handler::{Handled, Incoming},
    request::media_type::MediaType,
    response::Response,
};

/// Registers an agent.
pub(crate) fn register(incoming: Incoming<'_>) -> Handled<'_> {
    Box::pin(async move { answer(incoming).await.unwrap_or_else(refuse) })
}

async fn answer(incoming: Incoming<'_>) -> Result<Response, RegistrationError> {
    let posted = Posted::read(incoming, &[MediaType::Json]).await?;
    let object = StrictObject::parse(&posted.bytes)?;
    let credential = match object.text(REQUESTED_CREDENTIAL_TYPE)? {
        None => None,
        Some(name) => Some(CredentialType::parse(name).ok_or(Code::UnsupportedCredentialType)?),
    };
    let locale = object.text(LOCALE)?.and_then(|text| text.parse().ok()).unwrap_or(posted.locale);
    let identity = identity(&object, || posted.registrar().rules().offers.identity_types())?;
    let request = RegistrationRequest { identity, credential, locale };
    let registered = posted.registrar().register(request, &posted.caller, posted.now).await?;
    Ok(reply::json(StatusCode::OK, &RegisteredReply::from(registered)))
}

/// Reads the identity; `offered` returns the types that the metadata lists.
fn identity(object: &StrictObject, offered: impl FnOnce() -> Vec<IdentityType>) -> Result<Identity, RegistrationError> {
    let name = object.text(TYPE)?.ok_or(RegistrationError::Malformed("`type` is missing."))?;
    match IdentityType::parse(name) {
        Some(IdentityType::ServiceAuth) => by_email(object.either([LOGIN_HINT, ASSERTION])?),
        Some(IdentityType::Anonymous) => Ok(Identity::Anonymous),
        Some(IdentityType::IdentityAssertion) => {
            let kind =
                object.text(ASSERTION_TYPE)?.ok_or(RegistrationError::Malformed("`assertion_type` is missing."))?;
            match AssertionType::parse(kind).ok_or(Code::UnsupportedAssertionType)? {
                AssertionType::VerifiedEmail => by_email(object.either([ASSERTION, LOGIN_HINT])?),
                AssertionType::IdJag => by_provider(object.text(ASSERTION)?).map(Identity::Provider),
            }
        }
        None => Err(unknown_type(name, &offered())),
    }
}

/// Returns the error of a `type` that is none, with the one that was probably meant.
fn unknown_type(name: &str, offered: &[IdentityType]) -> RegistrationError {
    if offered.is_empty() {
        return RegistrationError::NothingOffered(Code::InvalidRequest);
    }
    let names = offered.iter().map(|kind| kind.as_str());
    let listed = names.clone().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    let hint = if AssertionType::parse(name).is_some() {
        let asserted = IdentityType::IdentityAssertion.as_str();
        format!(" `{name}` is an `{ASSERTION_TYPE}`: send it there, with the `type` `{asserted}`.")
    } else {
        nearest(name, names).map(|near| format!(" Did you mean `{near}`?")).unwrap_or_default()
    };
    RegistrationError::UnknownType(format!("`type` must be one of {listed}.{hint}"))
}

fn by_email(text: Option<&str>) -> Result<Identity, RegistrationError> {
    let mailbox = text.and_then(Mailbox::parse);
    mailbox.map(Identity::Email).ok_or(RegistrationError::Malformed("`assertion` must be an e-mail address."))
}

/// Reads the assertion of a registration, or of a request to the token endpoint.
pub(super) fn by_provider(text: Option<&str>) -> Result<Secret, RegistrationError> {
    text.filter(|text| !text.is_empty()).map(Secret::new).ok_or(RegistrationError::Malformed("`assertion` is missing."))
}
