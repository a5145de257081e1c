//! `mecelle catalog`: the API catalog (RFC 9727), one row per link.

use contract::discovery::Linkset;

use crate::output::sheet::{Cell, Column, Room, Sheet};

pub(crate) fn sheet(catalog: Linkset) -> Sheet {
    let count = catalog.linkset.len();
    // Usually all links are on one host: the caption names it, so that the paths fit the terminal.
    let site = catalog.linkset.first().map(|context| origin(context.anchor.as_str()).to_owned()).unwrap_or_default();
    let brief = |url: &str| match url.strip_prefix(&site) {
        Some(path) if !site.is_empty() && path.starts_with('/') => Cell::new(&path).linking(url),
        _ => Cell::address(&url),
    };
    let mut rows = Vec::new();
    for context in catalog.linkset {
        let mut first = true;
        for (relation, targets) in context.relations {
            for target in targets {
                let anchor = context.anchor.as_str();
                // On a terminal only the first row of a group shows the anchor; CSV has it on every row.
                let cell = if first { brief(anchor) } else { Cell::default() };
                first = false;
                rows.push(vec![
                    Cell::new(&anchor),
                    cell,
                    Cell::new(&relation),
                    brief(target.href.as_str()),
                    Cell::new(&target.href),
                    Cell::maybe(target.media_type.as_ref()),
                    Cell::maybe(target.title.as_ref()),
                ]);
            }
        }
    }
    Sheet {
        caption: format!("API catalog of {site} ({count})"),
        headed: true,
        brief: false,
        rows,
        columns: vec![
            Column::new("anchor", "", Room::None),
            Column::label("INTERFACE", Room::Shared),
            Column::new("rel", "RELATION", Room::Needed),
            Column::label("ADDRESS", Room::Shared),
            Column::new("href", "", Room::None),
            Column::new("type", "TYPE", Room::Spare),
            Column::new("title", "TITLE", Room::Spare),
        ],
    }
}

/// Returns the scheme and authority of a URL.
fn origin(url: &str) -> &str {
    let start = url.find("://").map_or(0, |place| place + 3);
    url[start..].find('/').map_or(url, |end| &url[..start + end])
}
