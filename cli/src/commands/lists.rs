//! `mecelle practice-areas`, `mecelle team` and `mecelle publications`.

use contract::resources::{PracticeAreaList, PublicationList, TeamList};

use super::words;
use crate::output::sheet::{Cell, Column, Room, Sheet};

pub(crate) fn practice_areas(list: PracticeAreaList) -> Sheet {
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
        caption: format!("{} · {} ({})", list.firm, words::PRACTICE_AREAS[locale], list.count),
        headed: true,
        brief: true,
        rows: rows.collect(),
        columns: vec![
            Column::new("name", words::NAME[locale], Room::Needed),
            Column::new("slug", "SLUG", Room::None),
            Column::new("url", words::ADDRESS[locale], Room::Spare),
            Column::new("summary", words::SUMMARY[locale], Room::Shared),
        ],
    }
}

pub(crate) fn team(list: TeamList) -> Sheet {
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
        caption: format!("{} · {} ({})", list.firm, words::TEAM[locale], list.count),
        headed: true,
        brief: true,
        rows: rows.collect(),
        columns: vec![
            Column::new("name", words::NAME[locale], Room::Needed),
            Column::new("title", words::POSITION[locale], Room::Shared),
            Column::new("slug", "SLUG", Room::None),
            Column::new("url", words::ADDRESS[locale], Room::Spare),
            Column::new("email", words::EMAIL[locale], Room::Needed),
            Column::new("linkedin", words::LINKEDIN[locale], Room::Spare),
        ],
    }
}

pub(crate) fn publications(list: PublicationList) -> Sheet {
    let locale = list.locale;
    let rows = list.items.into_iter().map(|article| {
        vec![
            Cell::new(&article.title).linking(&article.url),
            Cell::new(&article.slug),
            Cell::address(&article.url),
            Cell::maybe(article.excerpt.as_ref()),
            Cell::maybe(article.date.as_ref()),
            Cell::maybe(article.author.as_ref()),
            Cell::maybe(article.category.as_ref()),
        ]
    });
    Sheet {
        caption: format!("{} · {} ({})", list.firm, words::PUBLICATIONS[locale], list.count),
        headed: true,
        brief: true,
        rows: rows.collect(),
        columns: vec![
            Column::new("title", words::TITLE[locale], Room::Shared),
            Column::new("slug", "SLUG", Room::None),
            Column::new("url", words::ADDRESS[locale], Room::Spare),
            Column::new("excerpt", words::SUMMARY[locale], Room::Spare),
            Column::new("date", words::DATE[locale], Room::Needed),
            Column::new("author", words::AUTHOR[locale], Room::Shared),
            Column::new("category", words::CATEGORY[locale], Room::Shared),
        ],
    }
}
