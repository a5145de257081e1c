//! `mecelle catalog`: the API catalog (RFC 9727), a row for each link.

use contract::discovery::Linkset;

use crate::output::sheet::{Cell, Column, Room, Sheet};

pub(crate) fn sheet(catalog: Linkset) -> Sheet {
    let count = catalog.linkset.len();
    let mut rows = Vec::new();
    for context in catalog.linkset {
        let mut first = true;
        for (relation, targets) in context.relations {
            for target in targets {
                let anchor = Cell::address(&context.anchor);
                // Repeating the anchor on each row would hide the groups; programs get it on each.
                let shown = if first { anchor.clone() } else { Cell::default() };
                first = false;
                rows.push(vec![
                    anchor,
                    shown,
                    Cell::new(&relation),
                    Cell::address(target.href),
                    Cell::maybe(target.media_type.as_ref()),
                    Cell::maybe(target.title.as_ref()),
                ]);
            }
        }
    }
    Sheet {
        caption: format!("API catalog ({count})"),
        headed: true,
        brief: false,
        rows,
        columns: vec![
            Column::new("anchor", "", Room::None),
            Column::label("INTERFACE", Room::Shared),
            Column::new("rel", "RELATION", Room::Needed),
            Column::new("href", "ADDRESS", Room::Shared),
            Column::new("type", "TYPE", Room::Spare),
            Column::new("title", "TITLE", Room::Spare),
        ],
    }
}
