//! The formats of the report.

use contract::Locale;

use super::{UsageReport, html, text};

contract::names! {
    pub enum UsageFormat {
        Text "text",
        Json "json",
        Csv "csv",
        Html "html",
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
