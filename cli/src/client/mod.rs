//! Asks the service for one document: sends the stored answer's tag, tries a few times, and falls back on the stored
//! answer.
//!
//! A stored answer is shown only if the host is out of reach, with the time at which it was received. It never takes
//! the place of a wrong answer, which would hide the fault.

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
    judgement::is_passing,
    post::{accepted, form, not_offline, post},
    transport::{Post, Reply},
};
use self::{
    judgement::{judge, refuse},
    post::{refuses_published_key, tell_refused_key, warn_of_exposure},
    store::{Kept, Store},
    transport::{Attempt, Transport},
};
use crate::{
    failure::Failure,
    output::text::note,
    settings::{Settings, Storing},
    surroundings::Surroundings,
};

/// Age below which a stored answer counts as current.
const MIN_TOLD_AGE: Duration = Duration::from_mins(1);

/// What the service answered.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The exact bytes, which are one JSON object.
    pub(crate) body: Vec<u8>,
    /// Whether the settings' key was refused, so that this was answered without one.
    pub(crate) is_key_refused: bool,
}

/// Fetches the document at `path`. Anything that the person should know meanwhile is written to `notes`.
pub(crate) fn fetch(
    path: &str,
    settings: &Settings,
    env: &Surroundings,
    notes: &mut dyn Write,
) -> Result<Answer, Failure> {
    let url = settings.base.join(path);
    let store = match settings.storing {
        Storing::Off => None,
        Storing::Normal | Storing::Only => env.cache().map(|folder| Store::new(folder, &url, settings.private_key())),
    };
    let kept = store.as_ref().and_then(Store::load);
    if settings.storing == Storing::Only {
        let kept = kept.ok_or(Failure::NotStored { url })?;
        tell_age("offline", &kept, env.clock.now(), notes);
        return Ok(Answer { body: kept.body, is_key_refused: false });
    }
    if settings.private_key().is_some() {
        warn_of_exposure(settings, notes);
    }
    let transport = Transport::new(settings, env)?;
    let attempt = Attempt { url: &url, key: settings.key(), tag: kept.as_ref().map(|kept| kept.tag.as_str()) };
    let mut is_key_refused = false;
    let mut asked = ask(&transport, &attempt, settings.retries, env, notes);
    if asked.as_ref().is_ok_and(|reply| refuses_published_key(reply, settings)) {
        is_key_refused = true;
        tell_refused_key(settings, notes);
        asked = ask(&transport, &Attempt { key: None, ..attempt }, settings.retries, env, notes);
    }
    let body = match asked {
        Ok(reply) if reply.status == 304 => {
            let unasked =
                || Failure::Unusable { what: "The server answered 304 to an unconditional request.".to_owned(), url };
            let kept = kept.ok_or_else(unasked)?;
            freshen(store.as_ref(), &kept, env.clock.now());
            kept.body
        }
        Ok(reply) => {
            let body = judge(&reply, &url, env.clock.now())?;
            if let (Some(store), Some(tag), true) = (&store, &reply.tag, reply.is_storable) {
                // An answer that cannot be kept is still an answer.
                let _ = store.save(&Kept { tag: tag.clone(), at: env.clock.now(), body: body.clone() });
            }
            body
        }
        Err(Failure::Network { trouble, url, attempts, proxy }) => match kept {
            Some(kept) if trouble.is_absence() => {
                tell_age(&trouble.message(proxy.as_deref()), &kept, env.clock.now(), notes);
                kept.body
            }
            _ => return Err(Failure::Network { trouble, url, attempts, proxy }),
        },
        Err(failure) => return Err(failure),
    };
    Ok(Answer { body, is_key_refused })
}

/// Records that a stored answer is still current, so that its age counts from now.
fn freshen(store: Option<&Store>, kept: &Kept, now: SystemTime) {
    let is_old = now.duration_since(kept.at).is_ok_and(|age| age >= MIN_TOLD_AGE);
    if let Some(store) = store.filter(|_| is_old) {
        let _ = store.save(&Kept { tag: kept.tag.clone(), at: now, body: kept.body.clone() });
    }
}

/// Returns the pause that a reply asks for.
pub(crate) fn wished(reply: &Reply, env: &Surroundings) -> Option<Duration> {
    retry::wished(reply.retry_after.as_deref(), env.clock.now())
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
                // The wish is reported instead of waited for.
                Some(wish) if last || wish > retry::MAX_WISH => {
                    return Err(refuse(reply, attempt.url, Some(wish)));
                }
                None if last => return Err(refuse(reply, attempt.url, None)),
                Some(wish) => {
                    asker = ", as the server requires";
                    wish
                }
                None => retry::backoff(number, env.clock.chance()),
            },
            Err(trouble) if trouble.is_passing() && !last => retry::backoff(number, env.clock.chance()),
            _ => {
                return result.map_err(|trouble| transport.failure(trouble, attempt.url, number));
            }
        };
        if pause >= Duration::from_secs(1) {
            note(notes, &format!("waiting {} s{asker}", pause.as_secs()));
        }
        env.clock.sleep(pause);
        number += 1;
    }
}

fn tell_age(why: &str, kept: &Kept, now: SystemTime, notes: &mut dyn Write) {
    let age = now.duration_since(kept.at).unwrap_or_default().as_secs();
    let age = match age {
        0..60 => "just now".to_owned(),
        60..3600 => format!("{} min ago", age / 60),
        3600..86_400 => format!("{} h ago", age / 3600),
        86_400..172_800 => "a day ago".to_owned(),
        _ => format!("{} days ago", age / 86_400),
    };
    let why = why.trim_end_matches('.');
    note(notes, &format!("{why}: showing the cached answer of {} ({age})", httpdate::fmt_http_date(kept.at)));
}
