//! Parses the address of a PostgreSQL server, as far as it can be judged without asking the server.

use std::{fs::File, io, str::FromStr as _};

use percent_encoding::percent_decode_str;
use settings::{nearest, unknown};
use sqlx::postgres::PgConnectOptions;

use super::OpenError;

/// What may follow `?`: every parameter that the library knows, as it spells them. The library ignores any other, so a
/// typing error in a parameter that asks for TLS would leave the connection without.
const PARAMETERS: [&str; 18] = [
    "sslmode",
    "ssl-mode",
    "sslrootcert",
    "ssl-root-cert",
    "ssl-ca",
    "sslcert",
    "ssl-cert",
    "sslkey",
    "ssl-key",
    "statement-cache-capacity",
    "host",
    "hostaddr",
    "port",
    "dbname",
    "user",
    "password",
    "application_name",
    "options",
];
/// The parameters that name a file.
const FILES: [&str; 7] = ["sslrootcert", "ssl-root-cert", "ssl-ca", "sslcert", "ssl-cert", "sslkey", "ssl-key"];
/// The parameters whose value is a secret unless it is a path.
const KEYS: [&str; 2] = ["sslkey", "ssl-key"];
/// How a certificate or a key begins.
const PEM: &str = "-----BEGIN";
/// How a setting of the server itself begins, such as `options[search_path]`.
const OPTION: &str = "options[";

/// Returns how to connect to the server at `address`, if the address is understood.
pub(super) fn parse_options(address: &str) -> Result<PgConnectOptions, OpenError> {
    let (_, place) = address.split_once("://").ok_or(OpenError::Address)?;
    let behind = place.find(['/', '?', '#']).map_or("", |end| &place[end..]);
    // Security: in a password, one of these ends the host too early. A part of the password would be looked up as a
    // host, or shown as the name of a parameter.
    if behind.contains(['@', '#']) {
        return Err(OpenError::Address);
    }
    let mut follows_password = false;
    for pair in pairs(address) {
        let (name, _) = decode_pair(pair);
        let is_known = PARAMETERS.contains(&name.as_str()) || name.starts_with(OPTION) && name.ends_with(']');
        // Security: a bare `&` in a password ends it too early as well, and the rest of it looks like a name.
        if !is_known && follows_password {
            return Err(OpenError::Address);
        }
        if !is_known {
            let problem = unknown("parameter", nearest_parameter(&name.to_lowercase()));
            return Err(OpenError::Parameter(name, problem));
        }
        if PgConnectOptions::from_str(&format!("postgres:///?{pair}")).is_err() {
            return Err(OpenError::Parameter(name, "the value is invalid".to_owned()));
        }
        follows_password |= name == "password";
    }
    PgConnectOptions::from_str(address).map_err(|_| OpenError::Address)
}

/// Checks that the files that `address` names can be opened. The library finds out only when it connects, and reports
/// it as if the server were not there.
pub(super) fn check_files(address: &str) -> Result<(), OpenError> {
    for (name, file) in pairs(address).map(decode_pair) {
        if FILES.contains(&name.as_str()) && !is_inline(&file) {
            let opened = File::options().read(true).open(&file);
            opened.map_err(|error| {
                let problem = explain_unopened(&name, &file, &error);
                OpenError::Parameter(name, problem)
            })?;
        }
    }
    Ok(())
}

/// Whether a value is the certificate or the key itself, by the rule of the library, which takes anything else for a
/// path.
fn is_inline(value: &str) -> bool {
    value.trim().starts_with(PEM) && value.trim().ends_with("-----")
}

/// Explains why the file cannot be opened. Security: a key that is not recognised as one is not repeated.
fn explain_unopened(name: &str, file: &str, error: &io::Error) -> String {
    if file.trim().starts_with(PEM) {
        "the PEM text is cut off".to_owned()
    } else if KEYS.contains(&name) {
        error.kind().to_string()
    } else {
        format!("{file}: {error}")
    }
}

/// Returns the parameter that was probably meant.
fn nearest_parameter(name: &str) -> Option<&'static str> {
    match name {
        // The spelling with which other programs, and the mail setting, ask for TLS.
        "ssl" | "tls" => Some("sslmode"),
        _ => nearest(name, PARAMETERS.into_iter()),
    }
}

fn pairs(address: &str) -> impl Iterator<Item = &str> {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    query.split('&').filter(|pair| !pair.is_empty())
}

/// Decodes a name and a value, as a form encodes them.
fn decode_pair(pair: &str) -> (String, String) {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let decode = |text: &str| percent_decode_str(&text.replace('+', " ")).decode_utf8_lossy().into_owned();
    (decode(name), decode(value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn library_knows_every_parameter_that_is_let_through() {
        let (_ear, lines) = testing::listen();
        let told = |name: &str| {
            // Some refuse the value, which is possible only for a name that the library knows.
            let _ = PgConnectOptions::from_str(&format!("postgres:///?{name}=1"));
            lines.try_iter().collect::<String>()
        };
        assert!(told("sslmod").contains("sslmod"), "the library says what it passes over");
        for name in PARAMETERS {
            assert_eq!(told(name), "", "{name}");
        }
    }
}
