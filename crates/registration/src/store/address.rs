//! Parses and checks the address of a PostgreSQL server, without connecting.

use std::{fs::File, io, str::FromStr as _};

use percent_encoding::percent_decode_str;
use settings::{nearest, unknown};
use sqlx::postgres::PgConnectOptions;

use super::OpenError;

/// The parameters that the library knows, as it spells them. The library ignores any other, so a typing error in
/// `sslmode` would leave the connection without TLS.
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
const FILES: [&str; 7] = ["sslrootcert", "ssl-root-cert", "ssl-ca", "sslcert", "ssl-cert", "sslkey", "ssl-key"];
/// The parameters whose value may be a secret: a key instead of a path.
const KEYS: [&str; 2] = ["sslkey", "ssl-key"];
const PEM: &str = "-----BEGIN";
/// The prefix of a setting of the server itself, such as `options[search_path]`.
const OPTION: &str = "options[";

/// Parses the address of a server.
pub(super) fn parse_options(address: &str) -> Result<PgConnectOptions, OpenError> {
    let (_, place) = address.split_once("://").ok_or(OpenError::Address)?;
    let behind = place.find(['/', '?', '#']).map_or("", |end| &place[end..]);
    // Security: an unencoded `/`, `?` or `#` in a password ends the host too early. The rest of the password would be
    // looked up as a host, or printed as the name of a parameter.
    if behind.contains(['@', '#']) {
        return Err(OpenError::Address);
    }
    let mut follows_password = false;
    for pair in pairs(address) {
        let (name, _) = decode_pair(pair);
        let is_known = PARAMETERS.contains(&name.as_str()) || name.starts_with(OPTION) && name.ends_with(']');
        // Security: after a password, an unknown name may be the rest of the password behind an unencoded `&`. Do not
        // print it.
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

/// Checks that the files in `address` can be opened. The library opens them when it connects, and reports a failure as
/// if the server were unreachable.
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

/// Whether the library reads `value` as PEM text; it takes anything else for a path.
fn is_inline(value: &str) -> bool {
    value.trim().starts_with(PEM) && value.trim().ends_with("-----")
}

/// Explains why a file cannot be opened. Security: the value of a key parameter is not printed, because it may be the
/// key.
fn explain_unopened(name: &str, file: &str, error: &io::Error) -> String {
    if file.trim().starts_with(PEM) {
        "the PEM text is cut off".to_owned()
    } else if KEYS.contains(&name) {
        error.kind().to_string()
    } else {
        format!("{file}: {error}")
    }
}

fn nearest_parameter(name: &str) -> Option<&'static str> {
    match name {
        // Other programs, and the mail setting, spell it so.
        "ssl" | "tls" => Some("sslmode"),
        _ => nearest(name, PARAMETERS.into_iter()),
    }
}

fn pairs(address: &str) -> impl Iterator<Item = &str> {
    let query = address.split_once('?').map_or("", |(_, query)| query);
    query.split('&').filter(|pair| !pair.is_empty())
}

/// Decodes a name and a value (`application/x-www-form-urlencoded`).
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
    fn library_accepts_every_known_parameter() {
        let (_ear, lines) = testing::listen();
        let log_of = |name: &str| {
            // The library may reject the value, but only of a name that it knows.
            let _ = PgConnectOptions::from_str(&format!("postgres:///?{name}=1"));
            lines.try_iter().collect::<String>()
        };
        assert!(log_of("sslmod").contains("sslmod"), "the library names the ignored parameter");
        for name in PARAMETERS {
            assert_eq!(log_of(name), "", "{name}");
        }
    }
}
