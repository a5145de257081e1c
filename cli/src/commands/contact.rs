//! `mecelle contact`.

use contract::{
    Locale,
    resources::{ContactResponse, Hours},
};

use super::words::{self, Word};
use crate::output::sheet::{Cell, Column, Room, Sheet};

pub(crate) fn sheet(contact: ContactResponse, locale: Locale) -> Sheet {
    let mut rows: Vec<Vec<Cell>> = Vec::new();
    let mut row = |field: &str, label: &Word, cell: Cell| {
        rows.push(vec![Cell::new(field), Cell::new(label.to(locale)), cell]);
    };
    row("firm", &words::FIRM, Cell::new(&contact.firm));
    row("description", &words::DESCRIPTION, Cell::new(&contact.description));
    row("email", &words::MAILBOX, Cell::new(&contact.email).linking(format!("mailto:{}", contact.email)));
    let display = contact.telephone_display.as_ref().unwrap_or(&contact.telephone);
    row("telephone", &words::TELEPHONE, Cell::new(display).linking(format!("tel:{}", contact.telephone)));
    row("address", &words::POSTAL_ADDRESS, Cell::new(&contact.address));
    if let Some(url) = contact.directions_url {
        row("directionsUrl", &words::DIRECTIONS, Cell::address(url));
    }
    if let Some(url) = contact.linkedin_url {
        row("linkedinUrl", &words::PROFILE, Cell::address(url));
    }
    if let Some(hours) = contact.hours {
        row("hours", &words::HOURS, Cell::new(told(&hours)));
    }
    if let Some(languages) = contact.languages {
        row("languages", &words::LANGUAGES, Cell::new(languages.join(", ")));
    }
    for (place, (name, url)) in contact.urls.into_iter().enumerate() {
        let label = if place == 0 { words::PAGES.to(locale) } else { "" };
        rows.push(vec![Cell::new(format!("urls.{name}")), Cell::new(label), Cell::address(url)]);
    }
    Sheet {
        caption: format!("{} · {}", contact.firm, words::CONTACT.to(locale)),
        headed: false,
        brief: false,
        rows,
        columns: vec![
            Column::new("field", "", Room::None),
            Column::label(words::DETAIL.to(locale), Room::Needed),
            Column::new("value", words::VALUE.to(locale), Room::Shared),
        ],
    }
}

fn told(hours: &Hours) -> String {
    let days = hours.days.as_deref().unwrap_or_default().join(", ");
    let times = match (&hours.opens, &hours.closes) {
        (Some(opens), Some(closes)) => format!("{opens}–{closes}"),
        (Some(time), None) | (None, Some(time)) => time.clone(),
        (None, None) => String::new(),
    };
    let zone = hours.time_zone.as_ref().map(|zone| format!("({zone})")).unwrap_or_default();
    let parts: Vec<String> = [days, times, zone].into_iter().filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}
