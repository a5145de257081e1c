//! `mecelle health`.

use contract::resources::HealthResponse;

use crate::output::sheet::{Cell, Column, Room, Sheet};

pub(crate) fn sheet(health: HealthResponse) -> Sheet {
    let row = |field: &str, label: &str, value: String| vec![Cell::new(field), Cell::new(label), Cell::new(value)];
    let said = |fact: bool| if fact { "yes" } else { "no" };
    Sheet {
        caption: format!("{} {}", health.service, if health.ok { "answers" } else { "is not well" }),
        headed: false,
        brief: false,
        rows: vec![
            row("ok", "Well", said(health.ok).to_owned()),
            row("service", "Service", health.service),
            row("sandbox", "Sandbox key accepted", said(health.sandbox).to_owned()),
        ],
        columns: vec![
            Column::new("field", "", Room::None),
            Column::label("DETAIL", Room::Needed),
            Column::new("value", "VALUE", Room::Shared),
        ],
    }
}
