//! Output of answers: one file per format, over one [`sheet::Sheet`].

mod buffer;
mod csv;
pub(crate) mod jq;
mod links;
mod markdown;
mod pager;
mod regex;
pub(crate) mod sheet;
pub(crate) mod style;
mod table;
pub(crate) mod text;

use crate::{
    failure::Failure,
    output::{
        buffer::BufferedOutput,
        jq::{JqFilter, Layout},
        sheet::Sheet,
        style::Style,
    },
    surroundings::{Out, Surroundings},
};

#[derive(Clone, Debug)]
pub(crate) struct OutputSettings {
    pub(crate) format: ResolvedFormat,
    /// Tables may be wider than the terminal.
    pub(crate) wide: bool,
    /// Output longer than the terminal goes through a pager.
    pub(crate) paged: bool,
}

/// The format after the defaults for a terminal or a pipe.
#[derive(Clone, Debug)]
pub(crate) enum ResolvedFormat {
    /// The API's exact bytes.
    Bytes,
    Jq(JqFilter),
    Table,
    /// RFC 4180.
    Csv,
    Markdown,
}

/// Shows `body` in the requested format. Only CSV, Markdown and tables call `sheet`, so that other formats work with
/// unknown shapes.
pub(crate) fn show(
    body: &[u8],
    sheet: impl FnOnce(&[u8]) -> Result<Sheet, Failure>,
    view: &OutputSettings,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let mut text = match &view.format {
        // Exact bytes in a pipe, indented on a terminal.
        ResolvedFormat::Bytes if env.screen.is_some() => jq::indent_json(body)?,
        ResolvedFormat::Bytes => body.to_vec(),
        ResolvedFormat::Jq(filter) if env.screen.is_none() => return filter.apply(body, Layout::Compact, out.data),
        ResolvedFormat::Jq(filter) => {
            let mut buffer = BufferedOutput::new(out.data);
            filter.apply(body, Layout::Indented, &mut buffer)?;
            match buffer.finish().map_err(Failure::Write)? {
                Some(whole) => whole,
                None => return out.data.flush().map_err(Failure::Write),
            }
        }
        ResolvedFormat::Csv => csv::render(&sheet(body)?).into_bytes(),
        ResolvedFormat::Markdown => markdown::render(&sheet(body)?).into_bytes(),
        ResolvedFormat::Table => {
            let width = if view.wide { usize::MAX } else { style::width(env) };
            table::render(&sheet(body)?, Style::of_data(env), width).into_bytes()
        }
    };
    // Security: these formats keep control characters for programs; a terminal would obey them.
    let is_bare = matches!(view.format, ResolvedFormat::Bytes | ResolvedFormat::Jq(_) | ResolvedFormat::Csv);
    if is_bare && env.screen.is_some() {
        text = text::sanitize(&text);
    }
    if view.paged && pager::show(&text, env) {
        return Ok(());
    }
    // Flush, so that later notes appear below the data.
    out.data.write_all(&text).and_then(|()| out.data.flush()).map_err(Failure::Write)
}
