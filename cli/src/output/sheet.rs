//! An answer as rows and columns, before it is given a form.

/// Rows and columns, with what each form needs to know.
#[derive(Debug)]
pub(crate) struct Sheet {
    /// One line above the table.
    pub(crate) caption: String,
    /// Whether the column headings add something to the rows.
    pub(crate) headed: bool,
    /// Whether long text is cut to a few lines, as in a list, or shown in full.
    pub(crate) brief: bool,
    pub(crate) columns: Vec<Column>,
    /// Each row has as many cells as there are columns.
    pub(crate) rows: Vec<Vec<Cell>>,
}

/// One fact of a sheet that describes a single thing.
#[derive(Debug)]
pub(crate) struct Fact {
    /// The API's name of the field.
    pub(crate) field: String,
    /// The fact's name, in the language of the answer.
    pub(crate) label: &'static str,
    /// The API's value, for CSV.
    pub(crate) value: String,
    /// The value for people.
    pub(crate) shown: Cell,
}

impl Sheet {
    /// Builds a sheet about one thing, a row for each fact; `headings` are above its two columns in a document.
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

/// One column.
#[derive(Debug)]
pub(crate) struct Column {
    /// The API's name of the field, which is the heading in CSV; none if the column is a label for people.
    pub(crate) field: Option<&'static str>,
    /// The heading for people.
    pub(crate) heading: &'static str,
    pub(crate) room: Room,
}

/// How much of a table's width a column gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    /// As much as its longest cell needs.
    Needed,
    /// A share of what is left; its cells wrap.
    Shared,
    /// Nothing, unless every column is requested.
    Spare,
    /// Nothing: only CSV has this column.
    None,
}

impl Column {
    /// Builds a column of the field `field`.
    pub(crate) const fn new(field: &'static str, heading: &'static str, room: Room) -> Self {
        Self { field: Some(field), heading, room }
    }

    /// Builds a column that repeats a field in words for people.
    pub(crate) const fn label(heading: &'static str, room: Room) -> Self {
        Self { field: None, heading, room }
    }
}

/// One cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Cell {
    pub(crate) text: String,
    pub(crate) link: Option<String>,
}

impl Cell {
    /// Builds a cell of plain text.
    pub(crate) fn new(text: &(impl ToString + ?Sized)) -> Self {
        Self { text: text.to_string(), link: None }
    }

    /// Builds a cell for an optional field; empty if it is absent.
    pub(crate) fn maybe(text: Option<&impl ToString>) -> Self {
        text.map(|text| Self::new(text)).unwrap_or_default()
    }

    /// Builds a cell for an address, which links to itself.
    pub(crate) fn address(url: &(impl ToString + ?Sized)) -> Self {
        Self::new(url).linking(url)
    }

    /// Returns the cell with a link.
    pub(crate) fn linking(mut self, target: &(impl ToString + ?Sized)) -> Self {
        self.link = Some(target.to_string());
        self
    }
}
