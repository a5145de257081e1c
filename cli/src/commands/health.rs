//! `mecelle health`: whether the service answers now.

use contract::{resources::HealthResponse, routes};

use super::reading::{located, parsed};
use crate::{
    client::{self, Answer},
    failure::Failure,
    output::{
        self,
        sheet::{Cell, Fact, Sheet},
    },
    settings::{Settings, Storing},
    surroundings::{Out, Surroundings},
};

pub(crate) fn run(settings: &Settings, env: &Surroundings, out: &mut Out<'_>) -> Result<(), Failure> {
    if settings.storing == Storing::Only {
        return Err(client::not_offline());
    }
    let body = ask(settings, env, out)?.body;
    output::show(&body, |body| parsed(body).map(|health| sheet(&health)), &settings.view, env, out)
        .map_err(|failure| located(failure, &settings.base.join(routes::HEALTH)))
}

/// Asks the service itself: how it was when an answer was stored says nothing about how it is now.
pub(super) fn ask(settings: &Settings, env: &Surroundings, out: &mut Out<'_>) -> Result<Answer, Failure> {
    let asked = Settings { storing: Storing::Off, ..settings.clone() };
    client::fetch(routes::HEALTH, &asked, env, out.notes)
}

fn sheet(health: &HealthResponse) -> Sheet {
    let said = |fact: bool| Cell::new(&if fact { "yes" } else { "no" });
    let fact = |field: &str, label, value: String, shown| Fact { field: field.to_owned(), label, value, shown };
    Sheet::card(
        format!("{} {}", health.service, if health.ok { "answers" } else { "is not well" }),
        ["DETAIL", "VALUE"],
        [
            fact("ok", "In order", health.ok.to_string(), said(health.ok)),
            fact("service", "Service", health.service.clone(), Cell::new(&health.service)),
            fact("sandbox", "Sandbox key accepted", health.sandbox.to_string(), said(health.sandbox)),
        ],
    )
}
