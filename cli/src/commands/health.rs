//! `mecelle health`.

use contract::resources::HealthResponse;

use crate::output::sheet::{Cell, Fact, Sheet};

pub(crate) fn sheet(health: &HealthResponse) -> Sheet {
    let said = |fact: bool| Cell::new(&if fact { "yes" } else { "no" });
    let fact = |field: &str, label, value: String, shown| Fact { field: field.to_owned(), label, value, shown };
    Sheet::card(
        format!("{} {}", health.service, if health.ok { "answers" } else { "is not well" }),
        ["DETAIL", "VALUE"],
        [
            fact("ok", "Well", health.ok.to_string(), said(health.ok)),
            fact("service", "Service", health.service.clone(), Cell::new(&health.service)),
            fact("sandbox", "Sandbox key accepted", health.sandbox.to_string(), said(health.sandbox)),
        ],
    )
}
