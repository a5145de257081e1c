//! How an answer is shown: one file for each format, over one [`sheet::Sheet`].

mod csv;
mod held;
pub(crate) mod jq;
mod links;
mod markdown;
mod pager;
pub(crate) mod sheet;
pub(crate) mod style;
mod table;
pub(crate) mod text;

use crate::{
    failure::Failure,
    output::{
        held::Held,
        jq::{Filter, Layout},
        sheet::Sheet,
        style::Style,
    },
    surroundings::{Out, Surroundings},
};

/// How answers are shown.
#[derive(Clone, Debug)]
pub(crate) struct View {
    pub(crate) form: Form,
    /// Whether tables may be wider than the terminal.
    pub(crate) wide: bool,
    /// Whether output longer than the terminal goes through a pager.
    pub(crate) paged: bool,
}

/// The form of the output.
#[derive(Clone, Debug)]
pub(crate) enum Form {
    /// The API's exact bytes.
    Bytes,
    /// The results of a jq filter.
    Jq(Filter),
    /// A table for reading.
    Table,
    /// RFC 4180.
    Csv,
    /// A table for documents.
    Markdown,
}

/// Shows `body` in the requested form. `sheet` is called only if the form is made for people or spreadsheets, so that
/// bytes pass through even if this version does not know a field's shape.
pub(crate) fn show(
    body: &[u8],
    sheet: impl FnOnce(&[u8]) -> Result<Sheet, Failure>,
    view: &View,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut text = match &view.form {
        // A program gets the exact bytes; a person who asked for JSON wants to read it.
        Form::Bytes if env.screen.is_some() => jq::indented(body)?,
        Form::Bytes => body.to_vec(),
        Form::Jq(filter) if env.screen.is_none() => return filter.apply(body, Layout::Compact, out.data),
        Form::Jq(filter) => {
            let mut held = Held::new(out.data);
            filter.apply(body, Layout::Indented, &mut held)?;
            match held.whole().map_err(Failure::Write)? {
                Some(whole) => whole,
                None => return out.data.flush().map_err(Failure::Write),
            }
        }
        Form::Csv => csv::written(&sheet(body)?).into_bytes(),
        Form::Markdown => markdown::written(&sheet(body)?).into_bytes(),
        Form::Table => {
            let width = if view.wide { usize::MAX } else { style::width(env) };
            table::drawn(&sheet(body)?, Style::of_data(env), width).into_bytes()
        }
    };
    // Security: these forms are for programs, unchanged; a terminal would obey control characters in them.
    let is_bare = matches!(view.form, Form::Bytes | Form::Jq(_) | Form::Csv);
    if is_bare && env.screen.is_some() {
        text = text::disarmed(&text);
    }
    if view.paged && pager::shown(&text, env) {
        return Ok(());
    }
    // Flushed, so that what is said next appears below the data, not above.
    out.data.write_all(&text).and_then(|()| out.data.flush()).map_err(Failure::Write)
}
