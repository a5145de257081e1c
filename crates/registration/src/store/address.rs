//! Parses and checks the address of a PostgreSQL server, without connecting.

use std::{fs::File, io, path::PathBuf, str::FromStr as _, time::Duration};

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

/// Parameters of `psql` that this program takes itself: the library does not know them.
const OWN: [&str; 3] = ["connect_timeout", "target_session_attrs", "client_encoding"];
/// The other parameters of `psql`. They are refused, because a connection without what they ask for is another one.
const REFUSED: [&str; 31] = [
    "channel_binding",
    "fallback_application_name",
    "gssdelegation",
    "gssencmode",
    "gsslib",
    "keepalives",
    "keepalives_count",
    "keepalives_idle",
    "keepalives_interval",
    "krbsrvname",
    "load_balance_hosts",
    "max_protocol_version",
    "min_protocol_version",
    "passfile",
    "replication",
    "require_auth",
    "requirepeer",
    "requiressl",
    "scram_client_key",
    "scram_server_key",
    "service",
    "ssl_max_protocol_version",
    "ssl_min_protocol_version",
    "sslcertmode",
    "sslcompression",
    "sslcrl",
    "sslcrldir",
    "sslnegotiation",
    "sslpassword",
    "sslsni",
    "tcp_user_timeout",
];
/// The folder of the socket if an address names a user but no host: the one of `psql`.
const SOCKET_FOLDER: &str = "%2Frun%2Fpostgresql";
const ONE_SERVER: &str = "name one server; for several, name an address that leads to the primary";

/// A server, as its address describes it.
#[derive(Clone, Debug)]
pub(super) struct ServerAddress {
    pub(super) options: PgConnectOptions,
    /// Time limit of the first connection, if the address sets one.
    pub(super) connect_timeout: Option<Duration>,
    /// Whether named statements and settings of a session are avoided, since each transaction may be on another
    /// connection to the server: a pooler in transaction mode. The address says so by a capacity of 0 for statements,
    /// the parameter of the library for the same.
    pub(super) is_pooled: bool,
}

/// Parses the address of a server: every form that `psql` takes, or an error that names what is not taken.
pub(super) fn parse(address: &str) -> Result<ServerAddress, OpenError> {
    let (scheme, place) = address.split_once("://").ok_or(OpenError::Address)?;
    let (authority, behind) = place.split_at(place.find(['/', '?', '#']).unwrap_or(place.len()));
    // Security: an unencoded `/`, `?` or `#` in a password ends the host too early. The rest of the password would be
    // looked up as a host, or printed as the name of a parameter.
    if behind.contains(['@', '#']) {
        return Err(OpenError::Address);
    }
    let (mut connect_timeout, mut is_pooled, mut has_host) = (None, false, false);
    let mut follows_password = false;
    let mut passed_on = Vec::new();
    for pair in pairs(address) {
        let (name, value) = decode_pair(pair);
        let is_library = PARAMETERS.contains(&name.as_str()) || name.starts_with(OPTION) && name.ends_with(']');
        let is_known = is_library || OWN.contains(&name.as_str()) || REFUSED.contains(&name.as_str());
        // Security: after a password, an unknown name may be the rest of the password behind an unencoded `&`. Do not
        // print it.
        if !is_known && follows_password {
            return Err(OpenError::Address);
        }
        if !is_known {
            let problem = unknown("parameter", nearest_parameter(&name.to_lowercase()));
            return Err(OpenError::Parameter(name, problem));
        }
        check_value(&name, &value).map_err(|problem| OpenError::Parameter(name.clone(), problem.to_owned()))?;
        if is_library {
            if PgConnectOptions::from_str(&format!("postgres:///?{pair}")).is_err() {
                return Err(OpenError::Parameter(name, "the value is invalid".to_owned()));
            }
            passed_on.push(pair);
        }
        match &*name {
            // As for `psql`, 0 means no limit of the address.
            "connect_timeout" => connect_timeout = value.parse().ok().filter(|seconds| *seconds > 0),
            "statement-cache-capacity" => is_pooled = value == "0",
            _ => {}
        }
        has_host |= name.starts_with("host");
        follows_password |= name == "password";
    }
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    if host.contains(',') {
        return Err(OpenError::Parameter("host".to_owned(), ONE_SERVER.to_owned()));
    }
    let user = authority.strip_suffix(host).unwrap_or_default();
    let lacks_host = host.is_empty() && !user.is_empty() || host.starts_with(':');
    // The library reads no address with a user or a port and without a host.
    let folder = match (lacks_host, has_host) {
        (false, _) => "",
        (true, true) => "localhost",
        (true, false) => SOCKET_FOLDER,
    };
    let path = behind.split('?').next().unwrap_or_default();
    let address = format!("{scheme}://{user}{folder}{host}{path}?{}", passed_on.join("&"));
    let mut options = PgConnectOptions::from_str(&address).map_err(|_| OpenError::Address)?;
    // The library looks up an address of IPv6 with its brackets, as if it were a name.
    if let Some(host) = options.get_host().strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
        options = options.clone().host(host);
    }
    Ok(ServerAddress { options, connect_timeout: connect_timeout.map(Duration::from_secs), is_pooled })
}

/// Checks the value of a parameter that the library does not check.
fn check_value(name: &str, value: &str) -> Result<(), &'static str> {
    match name {
        "host" | "hostaddr" | "port" if value.contains(',') => Err(ONE_SERVER),
        "connect_timeout" if value.parse::<i64>().is_err() => Err("expected a number of seconds"),
        // The store writes, so that it needs the primary in any case.
        "target_session_attrs" if !["any", "read-write", "primary"].contains(&value) => {
            Err("expected `any`, `read-write` or `primary`: the store writes")
        }
        "client_encoding" if !["auto", "utf8", "utf-8", "unicode"].contains(&&*value.to_lowercase()) => {
            Err("expected `UTF8`")
        }
        "sslrootcert" | "ssl-root-cert" | "ssl-ca" if value == "system" => {
            Err("expected a file, such as /etc/ssl/certs/ca-certificates.crt")
        }
        name if REFUSED.contains(&name) => Err("this program does not support this parameter of psql; remove it"),
        _ => Ok(()),
    }
}

/// Returns the paths of files in `address`.
pub(super) fn files(address: &str) -> Vec<PathBuf> {
    let is_file = |(name, file): &(String, String)| FILES.contains(&name.as_str()) && !is_inline(file);
    pairs(address).map(decode_pair).filter(is_file).map(|(_, file)| PathBuf::from(file)).collect()
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
        _ => nearest(name, PARAMETERS.into_iter().chain(OWN)),
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

    fn read(address: &str) -> ServerAddress {
        parse(address).expect(address)
    }

    #[test]
    fn address_is_read_as_psql_reads_it() {
        let folder = |address: &str| {
            let options = read(address).options;
            let socket = options.get_socket().map(|folder| folder.display().to_string());
            (
                socket.unwrap_or_else(|| options.get_host().to_owned()),
                options.get_port(),
                options.get_username().to_owned(),
            )
        };
        for (address, host, port, user) in [
            ("postgres://mecelle@db.example:5433/x", "db.example", 5433, "mecelle"),
            ("postgres://mecelle@[::1]:5433/x", "::1", 5433, "mecelle"),
            ("postgres://mecelle@[::1]/x", "::1", 5432, "mecelle"),
            ("postgresql://mecelle@%2Frun%2Fpostgresql/x", "/run/postgresql", 5432, "mecelle"),
            ("postgresql://mecelle@%2Frun%2Fpostgresql:6432/x", "/run/postgresql", 6432, "mecelle"),
            ("postgres:///x?host=/run/pg&user=mecelle", "/run/pg", 5432, "mecelle"),
            ("postgres://mecelle@/x?host=/run/pg", "/run/pg", 5432, "mecelle"),
            ("postgres://mecelle@:6432/x?host=/run/pg", "/run/pg", 6432, "mecelle"),
            ("postgres://mecelle:p%40@/x?host=db.example", "db.example", 5432, "mecelle"),
            ("postgres://mecelle@/x", "/run/postgresql", 5432, "mecelle"),
            ("postgres://mecelle@:5433", "/run/postgresql", 5433, "mecelle"),
            ("postgres://:5433/x?hostaddr=127.0.0.1&user=mecelle", "127.0.0.1", 5433, "mecelle"),
        ] {
            assert_eq!(folder(address), (host.to_owned(), port, user.to_owned()), "{address}");
        }
    }

    #[test]
    fn user_is_that_of_the_process_if_the_address_names_none() {
        let output = std::process::Command::new("id").arg("-un").output().unwrap().stdout;
        let own = String::from_utf8(output).unwrap();
        for address in ["postgres:///x?host=/run/postgresql", "postgres://%2Frun%2Fpostgresql/x", "postgres://h/x"] {
            assert_eq!(read(address).options.get_username(), own.trim(), "{address}");
        }
    }

    #[test]
    fn parameter_of_psql_is_taken_or_refused_by_name() {
        let seconds = |query: &str| read(&format!("postgres://h/db?{query}")).connect_timeout.map(|it| it.as_secs());
        assert_eq!(seconds("connect_timeout=10&sslmode=require"), Some(10));
        assert_eq!([seconds("connect_timeout=0"), seconds("connect_timeout=-1"), seconds("")], [None; 3]);
        read("postgres://h/db?target_session_attrs=read-write&client_encoding=UTF8");
        assert!(read("postgres://h/db?statement-cache-capacity=0").is_pooled);
        assert!(!read("postgres://h/db?statement-cache-capacity=10").is_pooled);
        let (_ear, lines) = testing::listen();
        for (query, part) in [
            ("connect_timeout=soon", "`connect_timeout`: expected a number of seconds"),
            ("target_session_attrs=standby", "`target_session_attrs`: expected `any`"),
            ("client_encoding=LATIN5", "`client_encoding`: expected `UTF8`"),
            ("sslrootcert=system", "`sslrootcert`: expected a file"),
            ("service=own", "`service`: this program does not support"),
            ("passfile=/x", "`passfile`: this program does not support"),
            ("host=/a,/b", "`host`: name one server"),
            ("port=1,2", "`port`: name one server"),
        ] {
            let text = parse(&format!("postgres://u:hunter2@h/db?{query}")).unwrap_err().to_string();
            assert!(text.contains(part) && !text.contains("hunter2"), "{query}: {text}");
        }
        let text = parse("postgres://u:hunter2@h1:1,h2:2/db").unwrap_err().to_string();
        assert!(text.contains("`host`: name one server") && !text.contains("hunter2"), "{text}");
        assert_eq!(lines.try_iter().collect::<String>(), "", "the library ignores nothing");
    }

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
