//! `mecelle practice-areas`.

use contract::resources::PracticeAreaList;

use super::words;
use crate::output::sheet::{Cell, Column, Room, Sheet};

pub(crate) fn sheet(list: PracticeAreaList) -> Sheet {
    let locale = list.locale;
    let rows = list.items.into_iter().map(|area| {
        vec![
            Cell::new(&area.name).linking(&area.url),
            Cell::new(&area.slug),
            Cell::address(&area.url),
            Cell::new(&area.summary),
        ]
    });
    Sheet {
        caption: format!("{} · {} ({})", list.firm, words::PRACTICE_AREAS.to(locale), list.count),
        headed: true,
        brief: true,
        rows: rows.collect(),
        columns: vec![
            Column::new("name", words::NAME.to(locale), Room::Needed),
            Column::new("slug", "SLUG", Room::None),
            Column::new("url", words::ADDRESS.to(locale), Room::Spare),
            Column::new("summary", words::SUMMARY.to(locale), Room::Shared),
        ],
    }
}
