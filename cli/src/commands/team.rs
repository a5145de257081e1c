//! `mecelle team`.

use contract::resources::TeamList;

use super::words;
use crate::output::sheet::{Cell, Column, Room, Sheet};

pub(crate) fn sheet(list: TeamList) -> Sheet {
    let locale = list.locale;
    let rows = list.items.into_iter().map(|member| {
        vec![
            Cell::new(&member.name).linking(&member.url),
            Cell::new(&member.title),
            Cell::new(&member.slug),
            Cell::address(&member.url),
            member.email.map_or_else(Cell::default, |email| Cell::new(&email).linking(&format!("mailto:{email}"))),
            member.linkedin.as_ref().map_or_else(Cell::default, Cell::address),
        ]
    });
    Sheet {
        caption: format!("{} · {} ({})", list.firm, words::TEAM.to(locale), list.count),
        headed: true,
        brief: true,
        rows: rows.collect(),
        columns: vec![
            Column::new("name", words::NAME.to(locale), Room::Needed),
            Column::new("title", words::POSITION.to(locale), Room::Shared),
            Column::new("slug", "SLUG", Room::None),
            Column::new("url", words::ADDRESS.to(locale), Room::Spare),
            Column::new("email", words::EMAIL.to(locale), Room::Needed),
            Column::new("linkedin", words::LINKEDIN.to(locale), Room::Spare),
        ],
    }
}
