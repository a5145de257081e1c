//! `mecelle use`: checks that a host is such a service, and stores it.

use contract::{discovery, routes, tool};
use serde_json::Value;

use super::{reading::parse, session::Session};
use crate::{base_url::BaseUrl, client, failure::Failure, host::StoredHost, settings::CacheMode};

pub(crate) fn run(session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let (settings, env) = (session.settings, session.env);
    if settings.cache_mode == CacheMode::Only {
        return Err(client::not_offline());
    }
    let body = client::fetch(routes::API_OPENAPI, settings, env, session.out.notes)?.body;
    let url = settings.base.join(routes::API_OPENAPI);
    let description: Value = parse(&body)?;
    let Some(title) = description.pointer("/info/title").and_then(Value::as_str) else {
        return Err(Failure::Unusable { what: "The reply is not an API description.".to_owned(), url });
    };
    let mut schemes =
        description.pointer("/components/securitySchemes").into_iter().filter_map(Value::as_object).flatten();
    let published = schemes.find_map(|(_, scheme)| scheme.get(discovery::OPENAPI_SANDBOX_KEY)).and_then(Value::as_str);
    let host = StoredHost::new(settings.base.clone(), published);
    let place = host.save(env)?;
    let key = if host.sandbox_key.is_some() { "with its sandbox key" } else { "without a sandbox key" };
    session.advise(&format!("{}: {title}", host.base));
    session.advise(&format!("all commands use it now, {key}; kept in {place}"));
    if env.variable(tool::BASE_URL).is_some_and(|url| BaseUrl::parse(&url).as_ref() != Ok(&host.base)) {
        session.advise(&format!("note: {} is set, and overrides it", tool::BASE_URL));
    }
    Ok(())
}
