//! Asks the service for one document: with the stored answer's tag, a few attempts, and the stored answer in reserve.

mod form;
mod retry;
mod store;
mod transport;

use std::{
    io::Write,
    time::{Duration, SystemTime},
};

use contract::errors::ErrorResponse;

pub(crate) use self::{
    form::form,
    transport::{Reply, Trouble},
};
use self::{
    store::{Kept, Store},
    transport::{Attempt, Parcel, Transport},
};
use crate::{
    failure::{Failure, Refusal},
    output::text::clean,
    settings::{Settings, Storing},
    surroundings::Surroundings,
};

/// Fetches the document at `path` and returns its exact bytes, which are one JSON object. Whatever a person should
/// know on the way is written to `notes`.
pub(crate) fn fetch(
    path: &str,
    settings: &Settings,
    env: &Surroundings,
    notes: &mut dyn Write,
) -> Result<Vec<u8>, Failure> {
    let url = settings.base.join(path);
    let store = match settings.storing {
        Storing::Off => None,
        Storing::Normal | Storing::Only => env.cache().map(|folder| Store::new(folder, &url, settings.key.as_ref())),
    };
    let kept = store.as_ref().and_then(Store::load);
    if settings.storing == Storing::Only {
        let kept = kept.ok_or(Failure::NotStored { url })?;
        tell_age("offline", &kept, env.clock.now(), notes);
        return Ok(kept.body);
    }
    if settings.key.as_ref().is_some_and(|key| key.reveal() != crate::SANDBOX_KEY) {
        warn_of_exposure(settings, notes);
    }
    let transport = Transport::new(settings, env)?;
    let attempt = Attempt { url: &url, key: settings.key.as_ref(), tag: kept.as_ref().map(|kept| kept.tag.as_str()) };
    match ask(&transport, &attempt, settings.retries, env, notes) {
        Ok(reply) if reply.status == 304 => {
            let unasked = || Failure::Unusable { what: "The server answered 304 to a plain question.".to_owned(), url };
            Ok(kept.ok_or_else(unasked)?.body)
        }
        Ok(reply) => {
            let body = judge(&reply, &url, settings.key.is_some(), env.clock.now())?;
            if let (Some(store), Some(tag), true) = (&store, &reply.tag, reply.is_storable) {
                // An answer that cannot be kept is still an answer.
                let _ = store.save(&Kept { tag: tag.clone(), at: env.clock.now(), body: body.clone() });
            }
            Ok(body)
        }
        Err(Failure::Network { trouble, url, attempts }) => match kept {
            Some(kept) if trouble.is_absence() => {
                tell_age(&trouble.message(), &kept, env.clock.now(), notes);
                Ok(kept.body)
            }
            _ => Err(Failure::Network { trouble, url, attempts }),
        },
        Err(failure) => Err(failure),
    }
}

/// What is posted to the service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Post<'a> {
    pub(crate) path: &'a str,
    /// Media type of the body.
    pub(crate) media_type: &'a str,
    /// Further header fields.
    pub(crate) fields: &'a [(&'static str, &'a str)],
    pub(crate) body: &'a [u8],
    /// Whether the settings' key goes with it.
    pub(crate) keyed: bool,
}

/// Posts once and returns whatever reply comes. Nothing is tried again: a reply may be lost after the deed was done.
pub(crate) fn post(
    post: &Post<'_>,
    settings: &Settings,
    env: &Surroundings,
    notes: &mut dyn Write,
) -> Result<Reply, Failure> {
    let url = settings.base.join(post.path);
    if settings.storing == Storing::Only {
        return Err(not_offline());
    }
    let key = settings.key.as_ref().filter(|_| post.keyed);
    // What is posted without a key is about one: a token, an assertion, a code.
    if key.is_none_or(|key| key.reveal() != crate::SANDBOX_KEY) {
        warn_of_exposure(settings, notes);
    }
    let parcel = Parcel { url: &url, key, media_type: post.media_type, fields: post.fields, body: post.body };
    let sent = Transport::new(settings, env)?.post(&parcel);
    sent.map_err(|trouble| Failure::Network { trouble, url, attempts: 1 })
}

/// The body of `reply` to `post`, if it is a JSON object that means success.
pub(crate) fn accepted(
    reply: &Reply,
    post: &Post<'_>,
    settings: &Settings,
    env: &Surroundings,
) -> Result<Vec<u8>, Failure> {
    judge(reply, &settings.base.join(post.path), post.keyed, env.clock.now())
}

/// The pause that a reply asks for.
pub(crate) fn wished(reply: &Reply, env: &Surroundings) -> Option<Duration> {
    retry::wished(reply.retry_after.as_deref(), env.clock.now())
}

/// Whether the same question may have a better answer in a moment.
pub(crate) const fn is_passing(reply: &Reply) -> bool {
    retry::is_passing(reply.status)
}

/// What `--offline` forbids.
pub(crate) fn not_offline() -> Failure {
    Failure::usage("This cannot be done offline.", "Leave --offline out.")
}

fn warn_of_exposure(settings: &Settings, notes: &mut dyn Write) {
    if settings.base.is_exposed() {
        note(notes, "warning: the credential crosses the network in clear; use https");
    }
}

/// Tries until there is an answer, a final refusal, or no attempt left.
fn ask(
    transport: &Transport,
    attempt: &Attempt<'_>,
    retries: u8,
    env: &Surroundings,
    notes: &mut dyn Write,
) -> Result<Reply, Failure> {
    let mut number = 1;
    loop {
        let result = transport.send(attempt);
        let last = number > retries;
        let mut asker = "";
        let pause = match &result {
            Ok(reply) if is_passing(reply) => match wished(reply, env) {
                // Told instead of waited for.
                Some(wish) if last || wish > retry::LONGEST_WISH => {
                    return Err(refuse(reply, attempt.url, Some(wish), attempt.key.is_some()));
                }
                None if last => return Err(refuse(reply, attempt.url, None, attempt.key.is_some())),
                Some(wish) => {
                    asker = ", as the server asks";
                    wish
                }
                None => retry::backoff(number, env.clock.chance()),
            },
            Err(trouble) if trouble.is_passing() && !last => retry::backoff(number, env.clock.chance()),
            _ => {
                return result.map_err(|trouble| Failure::Network {
                    trouble,
                    url: attempt.url.to_owned(),
                    attempts: number,
                });
            }
        };
        if pause >= Duration::from_secs(1) {
            note(notes, &format!("waiting {} s{asker}", pause.as_secs()));
        }
        env.clock.sleep(pause);
        number += 1;
    }
}

/// The body of a reply that is an answer.
fn judge(reply: &Reply, url: &str, keyed: bool, now: SystemTime) -> Result<Vec<u8>, Failure> {
    match reply.status {
        200 => {}
        300..=399 => {
            let (url, target) = (url.to_owned(), reply.location.clone());
            return Err(Failure::Redirected { status: reply.status, url, target });
        }
        400..=599 => {
            let wish = retry::wished(reply.retry_after.as_deref(), now).filter(|_| is_passing(reply));
            return Err(refuse(reply, url, wish, keyed));
        }
        status => {
            let what = format!("The server answered with the unexpected status {status}.");
            return Err(Failure::Unusable { what, url: url.to_owned() });
        }
    }
    let object: Result<serde_json::Map<String, serde_json::Value>, _> = serde_json::from_slice(&reply.body);
    match object {
        Ok(_) => Ok(reply.body.clone()),
        Err(error) => {
            let kind = reply.content_type.as_deref().unwrap_or("no content type");
            let what = match error.classify() {
                serde_json::error::Category::Eof if !reply.body.is_empty() => "JSON that breaks off",
                serde_json::error::Category::Data => "JSON that is not an object",
                _ => "something that is not JSON",
            };
            let size = reply.body.len();
            Err(Failure::Unusable {
                what: format!("The server sent {what} ({kind}, {size} bytes)."),
                url: url.to_owned(),
            })
        }
    }
}

fn refuse(reply: &Reply, url: &str, wish: Option<Duration>, keyed: bool) -> Failure {
    let error: Option<ErrorResponse> = serde_json::from_slice(&reply.body).ok();
    Failure::Refused(Box::new(Refusal {
        status: reply.status,
        url: url.to_owned(),
        error,
        request_id: reply.request_id.clone(),
        wait: wish.map(|wish| wish.as_secs()).filter(|seconds| *seconds > 0),
        keyed,
        dropped: false,
    }))
}

fn tell_age(why: &str, kept: &Kept, now: SystemTime, notes: &mut dyn Write) {
    let age = now.duration_since(kept.at).unwrap_or_default().as_secs();
    let age = match age {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", age / 60),
        3600..86_400 => format!("{} h ago", age / 3600),
        _ => format!("{} days ago", age / 86_400),
    };
    let why = why.trim_end_matches('.');
    note(notes, &format!("{why}: showing the copy of {} ({age})", httpdate::fmt_http_date(kept.at)));
}

/// A line beside the data. A closed error stream is no reason to keep the data back.
pub(crate) fn note(notes: &mut dyn Write, text: &str) {
    let _ = writeln!(notes, "{}", clean(text));
}
