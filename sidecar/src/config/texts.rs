//! Settings as texts, with the place they came from, before they are parsed.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
    net::IpAddr,
};

use contract::tool;
use settings::{ConfigError, PREFIX, Place, nearest, unknown};

use super::names::NAMES;

/// A setting's text. A list from the file is joined with commas here, as in a variable.
#[derive(Clone, Debug)]
pub(super) struct Setting {
    pub(super) value: String,
    pub(super) place: Place,
}

/// Every setting that was given, by its key.
#[derive(Debug, Default)]
pub(super) struct Settings(BTreeMap<&'static str, Setting>);

impl Settings {
    pub(super) fn insert(&mut self, key: &'static str, setting: Setting) {
        self.0.insert(key, setting);
    }

    pub(super) fn get(&self, key: &'static str) -> Option<&Setting> {
        debug_assert!(NAMES.iter().any(|name| name.key == key), "a key that is read must be known: {key}");
        self.0.get(key).filter(|setting| !setting.value.is_empty())
    }

    /// Returns the parsed value of `key`; `parse` names what it expected. An empty text counts as missing.
    pub(super) fn optional<T>(
        &self,
        key: &'static str,
        parse: impl FnOnce(&Setting) -> Result<T, &'static str>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(setting) = self.get(key) else { return Ok(None) };
        match parse(setting) {
            Ok(value) => Ok(Some(value)),
            Err(expected) => Err(ConfigError::new(
                setting.place.clone(),
                format!("cannot understand the value of `{key}`; expected {expected}"),
            )),
        }
    }

    /// Applies every variable of the project.
    pub(super) fn override_by(
        &mut self,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<(), ConfigError> {
        for (variable, value) in variables {
            let Some(variable) = variable.to_str() else { continue };
            if !variable.starts_with(PREFIX) || tool::VARIABLES.contains(&variable) || is_service_link(variable, &value)
            {
                continue;
            }
            let place = Place::Variable(variable.to_owned());
            let Some(name) = NAMES.iter().find(|name| name.variable == variable) else {
                let near = nearest(variable, NAMES.iter().map(|name| name.variable));
                return Err(ConfigError::new(place, unknown("variable", near)));
            };
            let Ok(value) = value.into_string() else {
                return Err(ConfigError::new(place, "the value is not UTF-8"));
            };
            self.insert(name.key, Setting { value: value.trim().to_owned(), place });
        }
        Ok(())
    }
}

/// The protocols of a Kubernetes Service.
const PROTOCOLS: [&str; 3] = ["TCP", "UDP", "SCTP"];

/// Whether Kubernetes sets `variable` in every pod beside a Service whose name begins like the project's, `mecelle` or
/// `mecelle-web`: `MECELLE_SERVICE_HOST`, `MECELLE_SERVICE_PORT`, followed by `_HTTP` for a port that has a name,
/// `MECELLE_PORT` and `MECELLE_PORT_8080_TCP`, followed by `_PROTO`, `_PORT` or `_ADDR`. No setting has such a name;
/// one that somebody may think of, such as `MECELLE_PORT`, is recognised by its value, which Kubernetes makes an
/// address.
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
