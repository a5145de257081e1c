//! Fetches one document: revalidates the cached answer by its tag, retries, and falls back on the cached answer.
//!
//! The cached answer is shown only if the host is unreachable, with its date. It never replaces an error, which would
//! hide the fault.

mod judgement;
mod post;
mod proxy;
mod retry;
mod store;
mod transport;

use std::{
    io::Write,
    time::{Duration, SystemTime},
};

pub(crate) use self::{
    judgement::is_transient,
    post::{form, not_offline, post, success_body},
    transport::{HttpReply, PostRequest},
};
use self::{
    judgement::{judge, refuse},
    post::{note_refused_key, refuses_published_key, warn_of_exposure},
    store::{CacheFile, CachedAnswer},
    transport::{GetRequest, HttpTransport},
};
use crate::{
    failure::Failure,
    output::text::note,
    settings::{CacheMode, Settings},
    surroundings::Surroundings,
};

/// Age from which a revalidated answer is stored again with the new date.
const MIN_REFRESH_AGE: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(crate) struct FetchedAnswer {
    /// The exact bytes of one JSON object.
    pub(crate) body: Vec<u8>,
    /// The key was refused; the body was fetched without one.
    pub(crate) is_key_refused: bool,
}

/// Fetches the document at `path`. Warnings and pauses are written to `notes`.
pub(crate) fn fetch(
    path: &str,
    settings: &Settings,
    env: &Surroundings,
    notes: &mut dyn Write,
) -> Result<FetchedAnswer, Failure> {
    let url = settings.base.join(path);
    let store = match settings.cache_mode {
        CacheMode::Off => None,
        CacheMode::Normal | CacheMode::Only => {
            env.cache().map(|folder| CacheFile::new(folder, &url, settings.private_key()))
        }
    };
    let cached = store.as_ref().and_then(CacheFile::load);
    if settings.cache_mode == CacheMode::Only {
        let cached = cached.ok_or(Failure::NotCached { url })?;
        note_age("offline", &cached, env.clock.now(), notes);
        return Ok(FetchedAnswer { body: cached.body, is_key_refused: false });
    }
    if settings.private_key().is_some() {
        warn_of_exposure(settings, notes);
    }
    let transport = HttpTransport::new(settings, env)?;
    let attempt = GetRequest { url: &url, key: settings.key(), tag: cached.as_ref().map(|cached| cached.tag.as_str()) };
    let mut is_key_refused = false;
    let mut result = send_with_retries(&transport, &attempt, settings.retries, env, notes);
    if result.as_ref().is_ok_and(|reply| refuses_published_key(reply, settings)) {
        is_key_refused = true;
        note_refused_key(settings, env, notes);
        result = send_with_retries(&transport, &GetRequest { key: None, ..attempt }, settings.retries, env, notes);
    }
    let body = match result {
        Ok(reply) if reply.status == 304 => {
            let unexpected =
                || Failure::Unusable { what: "The server answered 304 to an unconditional request.".to_owned(), url };
            let cached = cached.ok_or_else(unexpected)?;
            refresh_date(store.as_ref(), &cached, env.clock.now());
            cached.body
        }
        Ok(reply) => {
            let body = judge(&reply, &url, env.clock.now())?;
            if let (Some(store), Some(tag), true) = (&store, &reply.tag, reply.is_storable) {
                // A full or read-only cache is no failure.
                let _ = store.save(&CachedAnswer { tag: tag.clone(), at: env.clock.now(), body: body.clone() });
            }
            body
        }
        Err(Failure::Network { trouble, url, attempts, proxy }) => match cached {
            Some(cached) if trouble.is_unreachable() => {
                note_age(&trouble.message(proxy.as_deref()), &cached, env.clock.now(), notes);
                cached.body
            }
            _ => return Err(Failure::Network { trouble, url, attempts, proxy }),
        },
        Err(failure) => return Err(failure),
    };
    Ok(FetchedAnswer { body, is_key_refused })
}

/// Stores a revalidated answer again, so that its age counts from now.
fn refresh_date(store: Option<&CacheFile>, cached: &CachedAnswer, now: SystemTime) {
    let is_old = now.duration_since(cached.at).is_ok_and(|age| age >= MIN_REFRESH_AGE);
    if let Some(store) = store.filter(|_| is_old) {
        let _ = store.save(&CachedAnswer { tag: cached.tag.clone(), at: now, body: cached.body.clone() });
    }
}

pub(crate) fn retry_after(reply: &HttpReply, env: &Surroundings) -> Option<Duration> {
    retry::retry_after(reply.retry_after.as_deref(), env.clock.now())
}

/// Sends the request until a reply is final or no attempt is left.
fn send_with_retries(
    transport: &HttpTransport,
    attempt: &GetRequest<'_>,
    retries: u8,
    env: &Surroundings,
    notes: &mut dyn Write,
) -> Result<HttpReply, Failure> {
    let mut number = 1;
    loop {
        let result = transport.send(attempt);
        let last = number > retries;
        let mut reason = "";
        let pause = match &result {
            Ok(reply) if is_transient(reply) => match retry_after(reply, env) {
                // A long wait, or one after the last attempt, is reported instead.
                Some(wait) if last || wait > retry::MAX_RETRY_AFTER => {
                    return Err(refuse(reply, attempt.url, Some(wait)));
                }
                None if last => return Err(refuse(reply, attempt.url, None)),
                Some(wait) => {
                    reason = ", as the server requires";
                    wait
                }
                None => retry::backoff(number, env.clock.chance()),
            },
            Err(trouble) if trouble.is_transient() && !last => retry::backoff(number, env.clock.chance()),
            _ => {
                return result.map_err(|trouble| transport.failure(trouble, attempt.url, number));
            }
        };
        if pause >= Duration::from_secs(1) {
            note(notes, &format!("waiting {} s{reason}", pause.as_secs()));
        }
        env.clock.sleep(pause);
        number += 1;
    }
}

fn note_age(why: &str, cached: &CachedAnswer, now: SystemTime, notes: &mut dyn Write) {
    let age = now.duration_since(cached.at).unwrap_or_default().as_secs();
    let age = match age {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", age / 60),
        3600..86_400 => format!("{} h ago", age / 3600),
        86_400..172_800 => "a day ago".to_owned(),
        _ => format!("{} days ago", age / 86_400),
    };
    let why = why.trim_end_matches('.');
    note(notes, &format!("{why}: showing the cached answer of {} ({age})", httpdate::fmt_http_date(cached.at)));
}
