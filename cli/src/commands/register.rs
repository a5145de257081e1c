//! `mecelle register`: registers anonymously, with an e-mail address, or with an identity assertion.

use std::fs;

use contract::{
    agent_auth::{AssertionType, CredentialType, IdentityType},
    agent_requests::{ASSERTION, ASSERTION_TYPE, LOCALE, REQUESTED_CREDENTIAL_TYPE, TYPE},
    media, routes,
};
use serde_json::{Map, Value};

use super::{
    registration::{self, RegistrationReply, RegistrationStep},
    session::Session,
};
use crate::{
    args,
    client::{HttpReply, PostRequest},
    failure::Failure,
    keyring::{Keyring, KeyringEntry},
    surroundings::Surroundings,
};

pub(crate) fn run(register: &args::RegisterArguments, session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let ring = Keyring::require(session.env)?;
    let body = Value::Object(request_body(register, session.env)?).to_string();
    // Check the file first: a key that cannot be stored must not be requested.
    ring.prepare()?;
    let before = ring.load(&session.settings.base)?;
    let post = PostRequest {
        path: routes::REGISTER,
        media_type: media::JSON,
        fields: &[],
        body: body.as_bytes(),
        keyed: false,
    };
    let reply = session.post(&post)?;
    let body = match session.success_body(&reply, &post) {
        Ok(body) => body,
        Err(failure) => {
            store_offered_claim(&reply, &ring, session)?;
            return Err(failure);
        }
    };
    let step = RegistrationStep::Registration(routes::REGISTER);
    let entry = registration::store(&body, step, session)?;
    match before {
        Some(KeyringEntry { credential: Some(_), .. }) => session.advise(registration::REPLACED),
        Some(KeyringEntry { claim_token: Some(_), registration_id, .. }) => {
            session.advise(&format!("the claim of {registration_id} was given up"));
        }
        _ => {}
    }
    if entry.credential.is_none() {
        session.advise_below(&registration::code_advice(session.settings));
    } else if entry.claim_token.is_some() {
        let claim = session.settings.typed.on_same_host("mecelle claim --email ADDRESS");
        session.advise_below(&format!("a person may claim it for more scopes: {claim}"));
    }
    Ok(())
}

fn request_body(register: &args::RegisterArguments, env: &Surroundings) -> Result<Map<String, Value>, Failure> {
    let mut question = Map::new();
    let mut set = |name: &str, value: &str| question.insert(name.to_owned(), value.into());
    match (&register.email, &register.assertion) {
        (Some(email), _) => {
            set(TYPE, IdentityType::IdentityAssertion.as_str());
            set(ASSERTION_TYPE, AssertionType::VerifiedEmail.as_str());
            set(ASSERTION, email);
        }
        (None, Some(place)) => {
            set(TYPE, IdentityType::IdentityAssertion.as_str());
            set(ASSERTION_TYPE, AssertionType::IdJag.as_str());
            set(ASSERTION, &read_assertion(place, env)?);
        }
        (None, None) => {
            set(TYPE, IdentityType::Anonymous.as_str());
        }
    }
    if let Some(locale) = register.language.locale {
        set(LOCALE, locale.as_str());
    }
    let wanted = register.credential.map(|wanted| match wanted {
        args::RequestedCredential::ApiKey => CredentialType::ApiKey,
        args::RequestedCredential::AccessToken => CredentialType::AccessToken,
    });
    if let Some(wanted) = wanted {
        set(REQUESTED_CREDENTIAL_TYPE, wanted.as_str());
    }
    Ok(question)
}

/// Reads the assertion from a file or standard input. Security: not from an argument, which every user of the machine
/// can read.
fn read_assertion(place: &str, env: &Surroundings) -> Result<String, Failure> {
    let wrong = |what: String| {
        let remedy = "Name a file with one signed assertion, or - for the standard input.";
        Failure::usage(format!("--assertion {place}: {what}."), remedy)
    };
    let bytes = if place == "-" { (env.input)() } else { fs::read(place) };
    let text = String::from_utf8(bytes.map_err(|error| wrong(error.to_string()))?)
        .map_err(|_| wrong("it is not text".to_owned()))?;
    let text = text.trim();
    if text.is_empty() || text.contains(char::is_whitespace) {
        return Err(wrong("it does not contain exactly one assertion".to_owned()));
    }
    Ok(text.to_owned())
}

/// Stores the claim that an `interaction_required` error offers.
fn store_offered_claim(reply: &HttpReply, ring: &Keyring, session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let Ok(offer) = serde_json::from_slice::<RegistrationReply>(&reply.body) else { return Ok(()) };
    let words = offer.match_phrase.clone();
    let entry = offer.merge_into(KeyringEntry::default());
    if entry.claim_token.is_some() {
        if let Some(holder) = ring.offer(&session.settings.base, entry)? {
            let id = holder.registration_id;
            session.advise(&format!("the key of {id} stays in use until the claim is complete"));
            if holder.claim_token.is_some() {
                session.advise(&format!("the claim of {id} was given up"));
            }
        }
        session.advise(&registration::code_advice(session.settings));
        if let Some(words) = words {
            session.advise(&format!("the e-mail shows this match phrase: {words}"));
        }
    }
    Ok(())
}
