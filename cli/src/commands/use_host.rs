//! `mecelle use`: checks that a host is such a service, and stores it with the sandbox key that it publishes.

use std::io;

use contract::{discovery, routes, tool};
use serde_json::Value;

use super::session::{Session, parse};
use crate::{
    base_url::BaseUrl,
    client,
    failure::Failure,
    host::StoredHost,
    settings::{CacheMode, SentKey, Settings},
    surroundings::Surroundings,
};

pub(crate) fn run(session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let (settings, env) = (session.settings, session.env);
    if settings.cache_mode == CacheMode::Only {
        return Err(client::not_offline());
    }
    let body = client::fetch(routes::API_OPENAPI, settings, env, session.out.notes)?.body;
    let (title, host) = parse_description(&body, settings)?;
    let place = host.save(env)?;
    let key = if host.sandbox_key.is_some() { "with its sandbox key" } else { "without a sandbox key" };
    session.advise(&format!("{}: {title}", host.base));
    session.advise(&format!("all commands use it now, {key}; kept in {place}"));
    if env.variable(tool::BASE_URL).is_some_and(|url| BaseUrl::parse(&url).as_ref() != Ok(&host.base)) {
        session.advise(&format!("note: {} is set, and overrides it", tool::BASE_URL));
    }
    Ok(())
}

/// Reads the sandbox key of a host that `mecelle use` has not stored, and keeps it. If the description cannot be read,
/// the command goes on without a key, which public content does not need, and reports the fault of the host itself. So
/// it does where no key can be kept: each command would read the description again.
pub(super) fn learn_key(settings: &Settings, env: &Surroundings) -> SentKey {
    if env.configuration().is_none() {
        return SentKey::Nothing;
    }
    // Security: no key is sent to the new host, and no cached answer replaces its reply.
    let once = Settings { sent: SentKey::Nothing, retries: 0, cache_mode: CacheMode::Off, ..settings.clone() };
    let learned = client::fetch(routes::API_OPENAPI, &once, env, &mut io::sink())
        .and_then(|answer| parse_description(&answer.body, settings));
    learned.map_or(SentKey::Nothing, |(_, host)| {
        host.save_learned(env);
        SentKey::of_host(host)
    })
}

/// Returns the title of the API description, and the host with its key.
fn parse_description(body: &[u8], settings: &Settings) -> Result<(String, StoredHost), Failure> {
    let description: Value = parse(body)?;
    let title = description.pointer("/info/title").and_then(Value::as_str).ok_or_else(|| Failure::Unusable {
        what: "The reply is not an API description.".to_owned(),
        url: settings.base.join(routes::API_OPENAPI),
    })?;
    let mut schemes =
        description.pointer("/components/securitySchemes").into_iter().filter_map(Value::as_object).flatten();
    let published = schemes.find_map(|(_, scheme)| scheme.get(discovery::OPENAPI_SANDBOX_KEY)).and_then(Value::as_str);
    Ok((title.to_owned(), StoredHost::new(settings.base.clone(), published)))
}
