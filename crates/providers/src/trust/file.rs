//! The parser of the trust list. Errors name the line.

use std::{
    collections::{HashMap, HashSet},
    ops::Range,
    path::Path,
};

use contract::{
    id_jag::{AUTH_TIME, CONTACT},
    text::is_invisible,
};
use secrets::Digest;
use serde_json::{Map, Value};
use settings::{SettingPlace, line_of, nearest, parse_toml, unknown};
use toml::{
    Spanned,
    de::{DeTable, DeValue},
};

use super::{KeysAt, Provider, Requirements, TrustError};
use crate::{
    client::TrustedClient,
    keys::{Algorithm, KeySet, is_inward},
};

const AT_THE_TOP: [&str; 2] = ["dev", "provider"];
const OF_A_PROVIDER: [&str; 11] = [
    "issuer",
    "name",
    "jwks_uri",
    "jwks",
    "client_ids",
    "client",
    "fetch_client_metadata",
    "event_audiences",
    "algorithms",
    "reuse_until_exp",
    "requires",
];
const OF_A_CLIENT: [&str; 2] = ["id", "secret_sha256"];

/// The default of `jwks_uri`, relative to the issuer.
const USUAL_PLACE: &str = "/.well-known/jwks.json";

pub(super) fn parse(path: &Path, text: &str) -> Result<Vec<Provider>, TrustError> {
    let parser = TrustListParser { path, text };
    let table = parse_toml(text)
        .map_err(|(line, problem)| TrustError::new(SettingPlace::Line(path.to_owned(), line), problem))?;
    parser.known_keys(table.get_ref(), &AT_THE_TOP)?;
    let is_dev = parser.switch(table.get_ref(), "dev")?;
    let mut providers: Vec<Provider> = Vec::new();
    let mut issuers: HashMap<String, String> = HashMap::new();
    for (table, span) in parser.tables(table.get_ref(), "provider", "[[provider]]")? {
        let provider = parser.provider(table, span.clone(), is_dev)?;
        let issuer = &provider.issuer;
        if let Some(other) = issuers.insert(normalize_issuer(issuer), issuer.clone()) {
            let problem = if other == *issuer {
                format!("the issuer `{issuer}` is in the list twice")
            } else {
                format!("the issuers `{other}` and `{issuer}` are the same; keep the one that its tokens name")
            };
            return Err(parser.error(span, problem));
        }
        providers.push(provider);
    }
    Ok(providers)
}

struct TrustListParser<'a> {
    path: &'a Path,
    text: &'a str,
}

impl TrustListParser<'_> {
    fn error(&self, span: Range<usize>, problem: impl Into<String>) -> TrustError {
        TrustError::new(SettingPlace::Line(self.path.to_owned(), line_of(self.text, span)), problem)
    }

    fn known_keys(&self, table: &DeTable<'_>, known: &[&str]) -> Result<(), TrustError> {
        for key in table.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let near = nearest(name, known.iter().copied());
                return Err(self.error(key.span(), format!("`{name}`: {}", unknown("key", near))));
            }
        }
        Ok(())
    }

    /// Returns a Boolean; `false` if missing.
    fn switch(&self, table: &DeTable<'_>, name: &str) -> Result<bool, TrustError> {
        let Some(value) = table.get(name) else { return Ok(false) };
        let problem = || self.error(value.span(), format!("`{name}` must be `true` or `false`"));
        value.get_ref().as_bool().ok_or_else(problem)
    }

    fn tables<'t, 'i>(
        &self,
        top: &'t DeTable<'i>,
        name: &str,
        header: &str,
    ) -> Result<Vec<(&'t DeTable<'i>, Range<usize>)>, TrustError> {
        let Some(list) = top.get(name) else { return Ok(Vec::new()) };
        let problem = || self.error(list.span(), format!("`{name}` must be a list: write `{header}`"));
        let items = list.get_ref().as_array().ok_or_else(problem)?;
        items.iter().map(|item| Ok((item.get_ref().as_table().ok_or_else(problem)?, item.span()))).collect()
    }

    fn provider(&self, table: &DeTable<'_>, span: Range<usize>, is_dev: bool) -> Result<Provider, TrustError> {
        self.known_keys(table, &OF_A_PROVIDER)?;
        let required = |name| {
            let problem = || self.error(span.clone(), format!("a provider needs `{name}`"));
            table.get(name).ok_or_else(problem).and_then(|value| Ok((self.text_of(name, value)?, value.span())))
        };
        let (issuer, at) = required("issuer")?;
        self.check_url("issuer", issuer, at, is_dev)?;
        let (name, at) = required("name")?;
        if name.chars().count() > 64 {
            return Err(self.error(at, "`name` is shown to people; it may have at most 64 characters"));
        }
        let algorithms = match table.get("algorithms") {
            Some(value) => self.algorithms(value)?,
            None => Algorithm::ALL.to_vec(),
        };
        let mut clients = self.clients(table)?;
        if clients.is_empty() {
            clients.push(TrustedClient { id: issuer.to_owned(), secret: None });
        }
        let texts = table.get("event_audiences").map(|value| self.texts("event_audiences", value)).transpose()?;
        let event_audiences = texts.into_iter().flatten().map(|(text, _)| text.to_owned()).collect();
        let keys = self.keys(table, (issuer, span.clone()), &algorithms, is_dev)?;
        let reuse_until_exp = self.switch(table, "reuse_until_exp")?;
        let fetches_clients = self.switch(table, "fetch_client_metadata")?;
        let claims = table.get("requires").map_or(Ok(Requirements::ALL), |value| self.requirements(value))?;
        // Security: an assertion without a time of sign-in is fresh only because it counts once.
        if let Some(value) = table.get("reuse_until_exp").filter(|_| reuse_until_exp && !claims.auth_time) {
            return Err(self.error(
                value.span(),
                "`reuse_until_exp` needs \"auth_time\" in `requires`: without it, an assertion counts once",
            ));
        }
        let (issuer, name) = (issuer.to_owned(), name.to_owned());
        Ok(Provider {
            issuer,
            name,
            clients,
            fetches_clients,
            is_dev,
            event_audiences,
            algorithms,
            reuse_until_exp,
            requires: claims,
            keys,
        })
    }

    /// Reads the list of required claims, which may be empty.
    fn requirements(&self, value: &Spanned<DeValue<'_>>) -> Result<Requirements, TrustError> {
        const NAMES: [&str; 2] = [AUTH_TIME.name, CONTACT];
        let [sign_in, contact] = NAMES;
        let expected =
            || self.error(value.span(), format!("`requires` must be a list of \"{sign_in}\" and \"{contact}\", or []"));
        let mut requires = Requirements { auth_time: false, contact: false };
        for item in value.get_ref().as_array().ok_or_else(expected)? {
            let name = item.get_ref().as_str().ok_or_else(expected)?;
            match NAMES.iter().position(|known| *known == name) {
                Some(0) => requires.auth_time = true,
                Some(_) => requires.contact = true,
                None => {
                    let near = nearest(name, NAMES.into_iter());
                    return Err(self.error(item.span(), format!("`{name}` of `requires`: {}", unknown("claim", near))));
                }
            }
        }
        Ok(requires)
    }

    /// Reads `client_ids`, clients without a secret, and `[[provider.client]]`.
    fn clients(&self, table: &DeTable<'_>) -> Result<Vec<TrustedClient>, TrustError> {
        let mut clients: Vec<TrustedClient> = Vec::new();
        if let Some(value) = table.get("client_ids") {
            clients.extend(
                self.texts("client_ids", value)?
                    .into_iter()
                    .map(|(id, _)| TrustedClient { id: id.to_owned(), secret: None }),
            );
        }
        let mut ids: HashSet<String> = clients.iter().map(|client| client.id.clone()).collect();
        for (table, span) in self.tables(table, "client", "[[provider.client]]")? {
            self.known_keys(table, &OF_A_CLIENT)?;
            let id = table.get("id").ok_or_else(|| self.error(span.clone(), "a client needs `id`"))?;
            let client = TrustedClient {
                id: self.text_of("id", id)?.to_owned(),
                secret: table.get("secret_sha256").map(|value| self.digest(value)).transpose()?,
            };
            if !ids.insert(client.id.clone()) {
                return Err(self.error(span, format!("the client `{}` is in the list twice", client.id)));
            }
            clients.push(client);
        }
        Ok(clients)
    }

    /// Reads the SHA-256 of a secret. Security: rejects that of an empty text, a likely slip that would accept every
    /// client.
    fn digest(&self, value: &Spanned<DeValue<'_>>) -> Result<Digest, TrustError> {
        let text = self.text_of("secret_sha256", value)?.to_ascii_lowercase();
        let is_fine = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digest = Digest::new(text);
        if !is_fine || digest == Digest::of(b"") {
            return Err(self.error(
                value.span(),
                "`secret_sha256` must be the SHA-256 of the secret, as 64 hexadecimal digits: \
                 `printf %s SECRET | sha256sum`",
            ));
        }
        Ok(digest)
    }

    fn keys(
        &self,
        table: &DeTable<'_>,
        (issuer, span): (&str, Range<usize>),
        allowed: &[Algorithm],
        is_dev: bool,
    ) -> Result<KeysAt, TrustError> {
        match (table.get("jwks_uri"), table.get("jwks")) {
            (Some(_), Some(value)) => {
                Err(self.error(value.span(), "`jwks` and `jwks_uri` exclude each other; remove one"))
            }
            (None, Some(value)) => self.key_set(value, allowed).map(KeysAt::Here),
            (Some(value), None) => {
                let address = self.text_of("jwks_uri", value)?;
                self.check_url("jwks_uri", address, value.span(), is_dev)?;
                self.check_public(address, value.span())?;
                Ok(KeysAt::Address(address.to_owned()))
            }
            (None, None) => {
                self.check_public(issuer, span)?;
                Ok(KeysAt::Address(format!("{}{USUAL_PLACE}", issuer.trim_end_matches('/'))))
            }
        }
    }

    /// Checks that keys can be fetched from the host of `url`; those of a provider for development are on this machine.
    fn check_public(&self, url: &str, span: Range<usize>) -> Result<(), TrustError> {
        let Some(host) = url.strip_prefix("https://").map(host).filter(|host| is_inward(host)) else { return Ok(()) };
        Err(self.error(
            span,
            format!(
                "keys are fetched from public addresses only, and `{host}` is inside a network; write them into the \
                 list as `jwks`"
            ),
        ))
    }

    /// Reads a key set from JSON in a string, or from a table. An unusable key is an error here.
    fn key_set(&self, value: &Spanned<DeValue<'_>>, allowed: &[Algorithm]) -> Result<KeySet, TrustError> {
        let read = match value.get_ref() {
            DeValue::String(text) => KeySet::parse(text.as_bytes(), allowed),
            other => KeySet::read(&json(other), allowed),
        };
        let problem = |problem: String| self.error(value.span(), problem);
        let (keys, unusable) = read.map_err(|reason| problem(format!("`jwks` is not a key set: {reason}")))?;
        if let Some(key) = unusable.first() {
            return Err(problem(format!("key {} of `jwks` cannot be used: {}", key.place, key.reason)));
        }
        if keys.len() == 0 {
            return Err(problem("`jwks` has no key".to_owned()));
        }
        Ok(keys)
    }

    fn algorithms(&self, value: &Spanned<DeValue<'_>>) -> Result<Vec<Algorithm>, TrustError> {
        let names = self.texts("algorithms", value)?;
        let read = names.into_iter().map(|(name, span)| {
            Algorithm::parse(name).ok_or_else(|| {
                let accepted = Algorithm::ALL.map(Algorithm::name).join(", ");
                self.error(span, format!("the algorithm `{name}` is not accepted; accepted are {accepted}"))
            })
        });
        read.collect()
    }

    fn texts<'t>(
        &self,
        name: &str,
        value: &'t Spanned<DeValue<'_>>,
    ) -> Result<Vec<(&'t str, Range<usize>)>, TrustError> {
        let items = value
            .get_ref()
            .as_array()
            .filter(|items| !items.is_empty())
            .ok_or_else(|| self.error(value.span(), format!("`{name}` must be a list of at least one text")))?;
        items.iter().map(|item| Ok((self.text_of(name, item)?, item.span()))).collect()
    }

    fn text_of<'t>(&self, name: &str, value: &'t Spanned<DeValue<'_>>) -> Result<&'t str, TrustError> {
        let is_fine = |text: &&str| !text.trim().is_empty() && !text.chars().any(is_hidden);
        let problem = || {
            self.error(value.span(), format!("`{name}` must be a text that is not empty, without hidden characters"))
        };
        value.get_ref().as_str().filter(is_fine).ok_or_else(problem)
    }

    fn check_url(&self, name: &str, url: &str, span: Range<usize>, is_dev: bool) -> Result<(), TrustError> {
        if is_address(url, is_dev) && (name != "issuer" || !url.contains('?')) {
            return Ok(());
        }
        let expected = if is_dev {
            "an address that begins with `https://`, or with `http://` and `localhost`, `127.0.0.1` or `[::1]`"
        } else {
            "an address that begins with `https://`"
        };
        Err(self.error(span, format!("`{name}` must be {expected}")))
    }
}

/// Returns whether a URL is HTTPS, or in development HTTP on this machine.
pub(crate) fn is_address(url: &str, is_dev: bool) -> bool {
    let secure = url.strip_prefix("https://");
    let local = url.strip_prefix("http://").filter(|rest| is_dev && is_loopback(host(rest)));
    let rest = secure.or(local).unwrap_or_default();
    !host(rest).is_empty()
        && !rest.contains(['#', '@', '\\'])
        && rest.bytes().all(|byte| byte.is_ascii_graphic())
        && url.parse::<ureq::http::Uri>().is_ok()
}

/// Normalises an issuer: two that differ only in case or trailing slash are a typing error.
fn normalize_issuer(issuer: &str) -> String {
    let (scheme, rest) = issuer.split_once("://").unwrap_or(("", issuer));
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    format!("{scheme}://{}{}", host.to_ascii_lowercase(), path.trim_end_matches('/'))
}

/// Whether a character is invisible. Security: people decide by displayed names; a joiner or a direction mark makes two
/// names look alike.
fn is_hidden(letter: char) -> bool {
    is_invisible(letter) || matches!(letter, '\u{ad}' | '\u{61c}' | '\u{200c}'..='\u{200f}')
}

fn host(rest: &str) -> &str {
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// Whether `host` is a plain name of this machine. Security: other spellings of loopback look like another host.
fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

/// Converts TOML to JSON; a key set has no times and fractions.
fn json(value: &DeValue<'_>) -> Value {
    match value {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(value) => Value::Bool(*value),
        DeValue::Integer(number) => number.as_str().parse::<i64>().map_or(Value::Null, Value::from),
        DeValue::Array(items) => Value::Array(items.iter().map(|item| json(item.get_ref())).collect()),
        DeValue::Table(table) => {
            let members = table.iter().map(|(name, value)| (name.get_ref().to_string(), json(value.get_ref())));
            Value::Object(members.collect::<Map<_, _>>())
        }
        DeValue::Float(_) | DeValue::Datetime(_) => Value::Null,
    }
}
