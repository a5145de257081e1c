//! How an answer is shown: one format a file, over one [`sheet::Sheet`].

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
    output::{held::Held, jq::Layout, sheet::Sheet, style::Style},
    settings::{Form, Settings},
    surroundings::{Out, Surroundings},
};

/// Shows `body` in the form that was asked for. `sheet` is called only when the form is made for people or
/// spreadsheets, so that bytes pass through even where this version does not know a field's shape.
pub(crate) fn show(
    body: &[u8],
    sheet: impl FnOnce(&[u8]) -> Result<Sheet, Failure>,
    settings: &Settings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut text = match &settings.form {
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
            let width = if settings.wide { usize::MAX } else { style::width(env) };
            table::drawn(&sheet(body)?, Style::of_data(env), width).into_bytes()
        }
    };
    // Security: these forms are for programs, unchanged; a terminal would obey what stands in them.
    let is_bare = matches!(settings.form, Form::Bytes | Form::Jq(_) | Form::Csv);
    if is_bare && env.screen.is_some() {
        text = text::disarmed(&text);
    }
    if settings.paged && pager::shown(&text, env) {
        return Ok(());
    }
    // What is said next stands below the data, not above.
    out.data.write_all(&text).and_then(|()| out.data.flush()).map_err(Failure::Write)
}
