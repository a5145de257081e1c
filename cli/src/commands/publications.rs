//! `mecelle publications`.

use contract::resources::PublicationList;

use super::words;
use crate::output::sheet::{Cell, Column, Room, Sheet};

pub(crate) fn sheet(list: PublicationList) -> Sheet {
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
        caption: format!("{} · {} ({})", list.firm, words::PUBLICATIONS.to(locale), list.count),
        headed: true,
        brief: true,
        rows: rows.collect(),
        columns: vec![
            Column::new("title", words::TITLE.to(locale), Room::Shared),
            Column::new("slug", "SLUG", Room::None),
            Column::new("url", words::ADDRESS.to(locale), Room::Spare),
            Column::new("excerpt", words::SUMMARY.to(locale), Room::Spare),
            Column::new("date", words::DATE.to(locale), Room::Needed),
            Column::new("author", words::AUTHOR.to(locale), Room::Shared),
            Column::new("category", words::CATEGORY.to(locale), Room::Shared),
        ],
    }
}
