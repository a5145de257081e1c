//! The formats of the report.

use std::str::FromStr;

use contract::Locale;

use super::{UsageReport, html, text};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsageFormat {
    Text,
    Json,
    Csv,
    Html,
}

impl UsageFormat {
    pub const NAMES: [&str; 4] = ["text", "json", "csv", "html"];
}

impl FromStr for UsageFormat {
    type Err = &'static str;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Ok(match name {
            "text" => Self::Text,
            "json" => Self::Json,
            "csv" => Self::Csv,
            "html" => Self::Html,
            _ => return Err("write text, json, csv or html"),
        })
    }
}

impl UsageReport {
    /// Returns the report in `format`; people read it in `locale`.
    pub fn render(&self, format: UsageFormat, locale: Locale) -> String {
        match format {
            UsageFormat::Text => text::text(self, locale),
            UsageFormat::Json => format!("{:#}", text::object(self)),
            UsageFormat::Csv => text::csv(self),
            UsageFormat::Html => html::page(self, locale),
        }
    }
}
