//! `mecelle contact`.

use contract::{
    Locale,
    resources::{ContactResponse, Hours},
};

use super::words::{self, LocalizedWord};
use crate::output::sheet::{Cell, Fact, Sheet};

pub(crate) fn sheet(contact: ContactResponse, locale: Locale) -> Sheet {
    let mut facts: Vec<Fact> = Vec::new();
    let mut fact = |field: &str, label: &LocalizedWord, value: &str, shown: Cell| {
        facts.push(Fact { field: field.to_owned(), label: label[locale], value: value.to_owned(), shown });
    };
    fact("firm", &words::FIRM, &contact.firm, Cell::new(&contact.firm));
    fact("description", &words::DESCRIPTION, &contact.description, Cell::new(&contact.description));
    let email = contact.email.as_str();
    fact("email", &words::MAILBOX, email, Cell::new(&email).linking(&format!("mailto:{email}")));
    let number = &contact.telephone;
    let display = contact.telephone_display.as_ref().unwrap_or(number);
    fact("telephone", &words::TELEPHONE, number, Cell::new(&display).linking(&format!("tel:{number}")));
    fact("address", &words::POSTAL_ADDRESS, &contact.address, Cell::new(&contact.address));
    if let Some(url) = &contact.directions_url {
        fact("directionsUrl", &words::DIRECTIONS, url.as_str(), Cell::address(&url));
    }
    if let Some(url) = &contact.linkedin_url {
        fact("linkedinUrl", &words::PROFILE, url.as_str(), Cell::address(&url));
    }
    if let Some(hours) = contact.hours.as_ref().map(format_hours) {
        fact("hours", &words::HOURS, &hours, Cell::new(&hours));
    }
    if let Some(languages) = contact.languages.map(|languages| languages.join(", ")) {
        fact("languages", &words::LANGUAGES, &languages, Cell::new(&languages));
    }
    for (place, (name, url)) in contact.urls.iter().enumerate() {
        let label = if place == 0 { &words::PAGES } else { &words::NOTHING };
        fact(&format!("urls.{name}"), label, url.as_str(), Cell::address(&url));
    }
    Sheet::card(
        format!("{} · {}", contact.firm, words::CONTACT[locale]),
        [words::DETAIL[locale], words::VALUE[locale]],
        facts,
    )
}

fn format_hours(hours: &Hours) -> String {
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
