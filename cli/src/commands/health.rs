//! `mecelle health`: whether the service answers now.

use contract::{resources::HealthResponse, routes};

use super::{reading::parsed, session::Session};
use crate::{
    client::{self, Answer},
    failure::Failure,
    output::sheet::{Cell, Fact, Sheet},
    settings::{Settings, Storing},
};

pub(crate) fn run(session: &mut Session<'_, '_>) -> Result<(), Failure> {
    if session.settings.storing == Storing::Only {
        return Err(client::not_offline());
    }
    let body = ask(session)?.body;
    session.show(&body, routes::HEALTH, |body| parsed(body).map(|health| sheet(&health)))
}

/// Asks the service itself: how it was when an answer was stored says nothing about how it is now.
pub(super) fn ask(session: &mut Session<'_, '_>) -> Result<Answer, Failure> {
    let asked = Settings { storing: Storing::Off, ..session.settings.clone() };
    client::fetch(routes::HEALTH, &asked, session.env, session.out.notes)
}

fn sheet(health: &HealthResponse) -> Sheet {
    let said = |fact: bool| Cell::new(&if fact { "yes" } else { "no" });
    let fact = |field: &str, label, value: String, shown| Fact { field: field.to_owned(), label, value, shown };
    Sheet::card(
        format!("{} {}", health.service, if health.ok { "answers" } else { "reports a fault" }),
        ["DETAIL", "VALUE"],
        [
            fact("ok", "Healthy", health.ok.to_string(), said(health.ok)),
            fact("service", "Service", health.service.clone(), Cell::new(&health.service)),
            fact("sandbox", "Sandbox key accepted", health.sandbox.to_string(), said(health.sandbox)),
        ],
    )
}
