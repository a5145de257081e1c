//! Settings as texts with their places: a TOML file, overridden by environment variables.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    fmt,
    net::IpAddr,
    path::{Path, PathBuf},
};

use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use crate::{ConfigError, PREFIX, SettingPlace, line_of, nearest, parse_toml, unknown};

/// The two names of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Name {
    /// Key in the file; `table.key` for a key of a table.
    pub key: &'static str,
    /// Environment variable: the key in capitals, after [`PREFIX`].
    pub variable: &'static str,
}

/// The text of a setting. A list in the file is joined with commas, as in a variable.
#[derive(Clone, PartialEq, Eq)]
pub struct Setting {
    /// The trimmed text.
    pub value: String,
    pub place: SettingPlace,
}

/// All settings by key.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct RawSettings {
    file: Option<PathBuf>,
    values: BTreeMap<&'static str, Setting>,
    /// Values of the file that a variable overrides.
    overridden: BTreeMap<&'static str, String>,
}

/// Reads a file that operators write.
///
/// # Errors
/// If the file cannot be read, or is empty, as an editor or a full disk may leave it: the problem with the first or the
/// second remedy.
pub fn read_text(path: &Path, [correct, rewrite]: [&str; 2]) -> Result<String, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot be read ({error}); {correct}"))?;
    if text.trim().is_empty() { Err(format!("is empty; {rewrite}")) } else { Ok(text) }
}

/// Security: prints no values, because an address holds a password.
impl fmt::Debug for RawSettings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_map().entries(self.values.iter().map(|(key, setting)| (key, &setting.place))).finish()
    }
}

impl RawSettings {
    /// Reads the file at `path`, which may contain the keys of `names`.
    pub fn read(path: &Path, names: &[Name]) -> Result<Self, ConfigError> {
        let rewrite = "write the settings again, or a comment (`#`) to use the defaults";
        let text = read_text(path, ["correct the file or --config", rewrite]);
        let text = text.map_err(|problem| ConfigError::new(SettingPlace::File(path.to_owned()), problem))?;
        Self::parse(path, &text, names)
    }

    /// Parses `text`, the content of `path`.
    pub fn parse(path: &Path, text: &str, names: &[Name]) -> Result<Self, ConfigError> {
        let table = parse_toml(text)
            .map_err(|(line, problem)| ConfigError::new(SettingPlace::Line(path.to_owned(), line), problem))?;
        let settings = Self { file: Some(path.to_owned()), ..Self::default() };
        let mut reading = SettingsReader { path, text, names, settings };
        reading.table("", table.get_ref())?;
        Ok(reading.settings)
    }

    /// Applies all variables of the project except `others`.
    ///
    /// # Errors
    /// If one is unknown, or is not UTF-8.
    pub fn override_by(
        &mut self,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        names: &[Name],
        others: &[&str],
    ) -> Result<(), ConfigError> {
        for (variable, value) in variables {
            let Some(variable) = variable.to_str() else { continue };
            if !variable.starts_with(PREFIX) || others.contains(&variable) || is_service_link(variable, &value) {
                continue;
            }
            let place = SettingPlace::Variable(variable.to_owned());
            let Some(name) = names.iter().find(|name| name.variable == variable) else {
                let near = nearest(variable, names.iter().map(|name| name.variable));
                return Err(ConfigError::new(place, unknown("variable", near)));
            };
            let Ok(value) = value.into_string() else {
                return Err(ConfigError::new(place, "the value is not UTF-8"));
            };
            let setting = Setting { value: value.trim().to_owned(), place };
            if let Some(former) = self.values.insert(name.key, setting) {
                self.overridden.insert(name.key, former.value);
            }
        }
        Ok(())
    }

    /// Returns the path of the file.
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// Returns the setting `key`. An empty text counts as missing.
    pub fn get(&self, key: &str) -> Option<&Setting> {
        self.values.get(key).filter(|setting| !setting.value.is_empty())
    }

    /// Returns the parsed value of `key`; the error of `parse` is what it expected.
    pub fn optional<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&Setting) -> Result<T, &'static str>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(setting) = self.get(key) else { return Ok(None) };
        parse(setting).map(Some).map_err(|expected| {
            let problem = format!("`{key}`: expected {expected}");
            ConfigError::new(setting.place.clone(), problem)
        })
    }

    /// Returns the name of `key` for messages: with its line or file, or its variable.
    pub fn name(&self, key: &str) -> String {
        match (self.values.get(key).map(|setting| &setting.place), &self.file) {
            (Some(place @ SettingPlace::Line(..)), _) => format!("{place}: `{key}`"),
            (None, Some(file)) => format!("`{key}` in {}", file.display()),
            _ => format!("{PREFIX}{}", key.replace('.', "_").to_uppercase()),
        }
    }

    /// Whether `key` has the same text in `other`.
    pub fn is_same(&self, key: &str, other: &Self) -> bool {
        let value = |settings: &Self| settings.get(key).map(|setting| setting.value.clone());
        value(self) == value(other)
    }

    /// Returns these settings with `key` as in `other`.
    #[must_use]
    pub fn with(mut self, key: &'static str, other: &Self) -> Self {
        match other.values.get(key) {
            Some(setting) => self.values.insert(key, setting.clone()),
            None => self.values.remove(key),
        };
        self
    }

    /// Returns the keys whose values in the file have changed since `former` without effect, because variables override
    /// them.
    pub fn overridden_since(&self, former: &Self) -> Vec<&'static str> {
        let is_new = |key: &&str, value: &String| {
            former.overridden.get(*key) != Some(value) && self.get(key).is_none_or(|setting| setting.value != *value)
        };
        self.overridden.iter().filter(|(key, value)| is_new(key, value)).map(|(key, _)| *key).collect()
    }
}

struct SettingsReader<'a> {
    path: &'a Path,
    text: &'a str,
    names: &'a [Name],
    settings: RawSettings,
}

impl SettingsReader<'_> {
    fn table(&mut self, prefix: &str, table: &DeTable<'_>) -> Result<(), ConfigError> {
        let tables = self.names.iter().filter_map(|name| Some(name.key.split_once('.')?.0));
        for (key, value) in table {
            let full = format!("{prefix}{}", key.get_ref());
            let inner = value.get_ref().as_table();
            if let Some(inner) = inner.filter(|_| tables.clone().any(|known| known == full)) {
                self.table(&format!("{full}."), inner)?;
                continue;
            }
            let place = SettingPlace::Line(self.path.to_owned(), line_of(self.text, key.span()));
            let Some(name) = self.names.iter().find(|name| name.key == full) else {
                let problem = match inner {
                    Some(_) if prefix.is_empty() => unknown("table", nearest(&full, tables.clone())),
                    _ => unknown("key", nearest(&full, self.names.iter().map(|name| name.key))),
                };
                return Err(ConfigError::new(place, format!("`{full}`: {problem}")));
            };
            let Some(value) = as_text(value) else {
                return Err(ConfigError::new(place, format!("`{full}` must be a text, a number or a list of texts")));
            };
            self.settings.values.insert(name.key, Setting { value, place });
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

/// The protocols of a Kubernetes Service.
const PROTOCOLS: [&str; 3] = ["TCP", "UDP", "SCTP"];

/// Whether Kubernetes sets `variable` in every pod for a Service named `mecelle` or `mecelle-…`:
/// `MECELLE_SERVICE_HOST`,
/// `MECELLE_SERVICE_PORT`, with `_HTTP` for a named port, `MECELLE_PORT` and `MECELLE_PORT_8080_TCP`, with `_PROTO`,
/// `_PORT` or `_ADDR`. No setting has such a name. A name that an operator may try, such as `MECELLE_PORT`, must also
/// have a value of Kubernetes, an address.
fn is_service_link(variable: &str, value: &OsStr) -> bool {
    let Some(name) = variable.strip_prefix(PREFIX) else { return false };
    let value = value.to_str().unwrap_or_default();
    let is_address = || {
        let (protocol, address) = value.split_once("://").unwrap_or_default();
        PROTOCOLS.iter().any(|known| known.eq_ignore_ascii_case(protocol)) && address.contains(':')
    };
    let parts: Vec<_> = name.split('_').collect();
    match parts[..] {
        [.., "SERVICE", "HOST"] => value.parse::<IpAddr>().is_ok(),
        [.., "SERVICE", "PORT"] => value.parse::<u16>().is_ok(),
        [.., "PORT"] if is_address() => true,
        [.., "PORT", port, protocol] if is_port(port, protocol) => is_address(),
        [.., "PORT", port, protocol, "PROTO" | "PORT" | "ADDR"] => is_port(port, protocol),
        _ => name.contains("SERVICE_PORT_") && value.parse::<u16>().is_ok(),
    }
}

fn is_port(port: &str, protocol: &str) -> bool {
    port.parse::<u16>().is_ok() && PROTOCOLS.contains(&protocol)
}
