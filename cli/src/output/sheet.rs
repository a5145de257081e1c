//! An answer as rows and columns, for every format.

#[derive(Debug)]
pub(crate) struct Sheet {
    /// One line above the table.
    pub(crate) caption: String,
    pub(crate) headed: bool,
    /// Long text is cut to a few lines.
    pub(crate) brief: bool,
    pub(crate) columns: Vec<Column>,
    /// One cell per column.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// One row of a card.
#[derive(Debug)]
pub(crate) struct Fact {
    /// The API's name of the field.
    pub(crate) field: String,
    /// The name for people, in the language of the answer.
    pub(crate) label: &'static str,
    /// The API's value, for CSV.
    pub(crate) value: String,
    /// The value for people.
    pub(crate) shown: Cell,
}

impl Sheet {
    /// Builds a sheet about one thing, one row per fact; Markdown shows `headings`.
    pub(crate) fn card(caption: String, headings: [&'static str; 2], facts: impl IntoIterator<Item = Fact>) -> Self {
        let row = |fact: Fact| vec![Cell::new(&fact.field), Cell::new(&fact.value), Cell::new(fact.label), fact.shown];
        Self {
            caption,
            headed: false,
            brief: false,
            rows: facts.into_iter().map(row).collect(),
            columns: vec![
                Column::new("field", "", Room::None),
                Column::new("value", "", Room::None),
                Column::label(headings[0], Room::Needed),
                Column::label(headings[1], Room::Shared),
            ],
        }
    }
}

#[derive(Debug)]
pub(crate) struct Column {
    /// The API's name of the field, the heading in CSV; `None` for a column that CSV leaves out.
    pub(crate) field: Option<&'static str>,
    /// The heading for people.
    pub(crate) heading: &'static str,
    pub(crate) room: Room,
}

/// A column's share of a table's width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// The width of the longest cell.
    Needed,
    /// A share of the rest; cells wrap.
    Shared,
    /// Only with `--wide`.
    Spare,
    /// Only in CSV.
    None,
}

impl Column {
    pub(crate) const fn new(field: &'static str, heading: &'static str, room: Room) -> Self {
        Self { field: Some(field), heading, room }
    }

    /// Builds a column that CSV leaves out.
    pub(crate) const fn label(heading: &'static str, room: Room) -> Self {
        Self { field: None, heading, room }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) link: Option<String>,
}

impl Cell {
    /// Builds a cell without a link.
    pub(crate) fn new(text: &(impl ToString + ?Sized)) -> Self {
        Self { text: text.to_string(), link: None }
    }

    /// Builds a cell; empty without `text`.
    pub(crate) fn maybe(text: Option<&impl ToString>) -> Self {
        text.map(|text| Self::new(text)).unwrap_or_default()
    }

    /// Builds a cell that links to its own text.
    pub(crate) fn address(url: &(impl ToString + ?Sized)) -> Self {
        Self::new(url).linking(url)
    }

    pub(crate) fn linking(mut self, target: &(impl ToString + ?Sized)) -> Self {
        self.link = Some(target.to_string());
        self
    }
}
