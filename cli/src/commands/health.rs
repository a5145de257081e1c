//! `mecelle health`: the state of the service.

use contract::{resources::HealthResponse, routes};

use super::session::{Session, parse};
use crate::{
    client::{self, FetchedAnswer},
    failure::Failure,
    output::sheet::{Cell, Fact, Sheet},
    settings::{CacheMode, Settings},
};

pub(crate) fn run(session: &mut Session<'_, '_>) -> Result<(), Failure> {
    if session.settings.cache_mode == CacheMode::Only {
        return Err(client::not_offline());
    }
    let body = fetch_uncached(session)?.body;
    session.show(&body, routes::HEALTH, |body| parse(body).map(|health| sheet(&health)))
}

/// Fetches the state without the cache: an old state is of no use.
pub(super) fn fetch_uncached(session: &mut Session<'_, '_>) -> Result<FetchedAnswer, Failure> {
    let uncached = Settings { cache_mode: CacheMode::Off, ..session.settings.clone() };
    client::fetch(routes::HEALTH, &uncached, session.env, session.out.notes)
}

fn sheet(health: &HealthResponse) -> Sheet {
    let yes_or_no = |fact: bool| Cell::new(&if fact { "yes" } else { "no" });
    let fact = |field: &str, label, value: String, shown| Fact { field: field.to_owned(), label, value, shown };
    Sheet::card(
        format!("{} {}", health.service, if health.ok { "answers" } else { "reports a fault" }),
        ["DETAIL", "VALUE"],
        [
            fact("ok", "Healthy", health.ok.to_string(), yes_or_no(health.ok)),
            fact("service", "Service", health.service.clone(), Cell::new(&health.service)),
            fact("sandbox", "Sandbox key accepted", health.sandbox.to_string(), yes_or_no(health.sandbox)),
        ],
    )
}
