//! Options of every command.

use clap::{ValueEnum, ValueHint};

/// Options for requests and output.
#[derive(Clone, Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub(crate) struct Options {
    /// table, json (piped: the exact bytes), csv or markdown
    #[arg(
        short,
        long,
        global = true,
        display_order = 10,
        value_name = "FORMAT",
        hide_possible_values = true,
        conflicts_with = "jq"
    )]
    pub(crate) output: Option<OutputFormat>,
    /// Apply a jq filter to the JSON, one result per line
    #[arg(short = 'q', long, global = true, display_order = 11, value_name = "FILTER", value_hint = ValueHint::Other)]
    pub(crate) jq: Option<String>,
    /// Show all columns, up to 4,000 characters per cell
    #[arg(short, long, global = true, display_order = 12)]
    pub(crate) wide: bool,
    /// Host to contact, with or without /api/v1
    #[arg(long, global = true, display_order = 13, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) base_url: Option<String>,
    /// Key to send, '' for none [default: kept or sandbox]
    #[arg(long, global = true, display_order = 14, value_name = "KEY", allow_hyphen_values = true)]
    #[arg(value_hint = ValueHint::Other)]
    pub(crate) api_key: Option<String>,
    /// Time limit of one attempt, in seconds [default: 10]
    #[arg(
        long,
        global = true,
        display_order = 15,
        value_name = "SECONDS",
        default_value = "10",
        hide_default_value = true
    )]
    #[arg(value_parser = seconds, value_hint = ValueHint::Other)]
    pub(crate) timeout: std::time::Duration,
    /// Maximum number of retries [default: 2]
    #[arg(long, global = true, display_order = 16, value_name = "N", default_value_t = 2, hide_default_value = true)]
    #[arg(value_parser = number(0, 10), value_hint = ValueHint::Other)]
    pub(crate) retries: u8,
    /// Do not read or write the cache
    #[arg(long, global = true, display_order = 17, conflicts_with = "offline")]
    pub(crate) no_cache: bool,
    /// Do not contact the host; show the cached answer
    #[arg(long, global = true, display_order = 18)]
    pub(crate) offline: bool,
    /// Do not start a pager
    #[arg(long, global = true, display_order = 19)]
    pub(crate) no_pager: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OutputFormat {
    /// Table for a terminal
    Table,
    /// JSON as the API sends it
    Json,
    /// CSV as in RFC 4180
    Csv,
    /// Markdown table with links
    #[value(alias = "md")]
    Markdown,
}

/// Returns a parser of whole numbers from `min` to `max`.
pub(super) fn number(min: u8, max: u8) -> impl Fn(&str) -> Result<u8, String> + Clone + Send + Sync {
    move |text| {
        let number = text.parse().ok().filter(|number| (min..=max).contains(number));
        number.ok_or_else(|| format!("give a whole number from {min} to {max}"))
    }
}

/// Parses a time-out: from 1 ms to ten minutes.
fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let number = text.strip_suffix('s').unwrap_or(text);
    match number.parse::<f64>() {
        Ok(seconds) if (0.001..=600.0).contains(&seconds) => Ok(std::time::Duration::from_secs_f64(seconds)),
        _ => Err("give seconds between 0.001 and 600".to_owned()),
    }
}
