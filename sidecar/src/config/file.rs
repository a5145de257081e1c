//! The configuration file: parses TOML into settings that know their line.

use std::path::Path;

use settings::{ConfigError, Place, line_of, nearest, text_of, unknown};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{
    names::NAMES,
    texts::{Setting, Settings},
};

/// Reads and parses the file at `path`.
pub(super) fn read(path: &Path) -> Result<Settings, ConfigError> {
    parse(path, &text_of(path, "--config")?)
}

/// Parses `text`, which came from `path`.
pub(super) fn parse(path: &Path, text: &str) -> Result<Settings, ConfigError> {
    let table = DeTable::parse(text).map_err(|error| {
        let line = line_of(text, error.span().unwrap_or(0..0));
        ConfigError::new(Place::Line(path.to_owned(), line), error.message().replace('\n', "; "))
    })?;
    let mut reading = Reading { path, text, settings: Settings::default() };
    reading.table("", table.get_ref())?;
    Ok(reading.settings)
}

struct Reading<'a> {
    path: &'a Path,
    text: &'a str,
    settings: Settings,
}

impl Reading<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) -> Result<(), ConfigError> {
        for (key, value) in table {
            let full = format!("{prefix}{}", key.get_ref());
            if let DeValue::Table(inner) = value.get_ref()
                && NAMES.iter().any(|name| name.key.starts_with(&format!("{full}.")))
            {
                self.table(&format!("{full}."), inner)?;
                continue;
            }
            let place = Place::Line(self.path.to_owned(), line_of(self.text, key.span()));
            let Some(name) = NAMES.iter().find(|name| name.key == full) else {
                let near = nearest(&full, NAMES.iter().map(|name| name.key));
                return Err(ConfigError::new(place, format!("`{full}`: {}", unknown("key", near))));
            };
            let Some(value) = as_text(value) else {
                return Err(ConfigError::new(place, format!("`{full}` must be a text, a number or a list of texts")));
            };
            self.settings.insert(name.key, Setting { value, place });
        }
        Ok(())
    }
}

fn as_text(value: &Spanned<DeValue<'_>>) -> Option<String> {
    match value.get_ref() {
        DeValue::String(text) => Some(text.trim().to_owned()),
        DeValue::Integer(number) if number.radix() == 10 => Some(number.as_str().to_owned()),
        DeValue::Boolean(value) => Some(value.to_string()),
        DeValue::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(|item| item.get_ref().as_str()).collect();
            Some(items?.join(","))
        }
        _ => None,
    }
}
