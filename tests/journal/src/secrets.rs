//! Collects every secret of the tests and searches logs for them, in plain and encoded forms.
//!
//! Secrets are recognized in requests and replies by their form, so tests need not report them.

use std::{
    collections::{BTreeSet, HashMap},
    fs::File,
    io::Write as _,
    sync::{Mutex, PoisonError},
};

use base64::{Engine as _, alphabet, engine::GeneralPurpose, engine::general_purpose::NO_PAD};

/// Prefixes of issued secrets; 27 letters and digits follow.
const PREFIXES: [&[u8]; 7] = [b"at_", b"ak_", b"clm_", b"cvt_", b"cav_", b"cla_", b"stp_"];
/// Prefix of a signed token.
const TOKEN: &[u8] = b"eyJ";
/// Minimum number of letters after one of these prefixes.
const FEWEST: usize = 20;
/// Number of digits of a code.
const CODE: usize = 6;

/// All secrets of this process.
static COLLECTED: Mutex<Secrets> = Mutex::new(Secrets { all: BTreeSet::new(), record: None });

/// Adds a secret that cannot be recognized by its form.
pub fn note(secret: &str) {
    collected(|secrets| secrets.note(secret.as_bytes()));
}

/// Adds a secret if secrets are recorded in a file.
pub fn note_if_recorded(secret: &str) {
    collected(|secrets| {
        if secrets.record.is_some() {
            secrets.note(secret.as_bytes());
        }
    });
}

/// Adds everything in `text` that has the form of a secret.
pub fn harvest(text: &[u8]) {
    collected(|secrets| secrets.harvest(text));
}

/// Returns the secrets of this process that are in `log`.
#[must_use]
pub fn found_in(log: &[u8]) -> Vec<String> {
    let all = collected(|secrets| secrets.all.clone());
    Secrets { all, record: None }.found_in(log)
}

/// Counts the secrets of this process.
#[must_use]
pub fn count() -> usize {
    collected(|secrets| secrets.count())
}

/// Writes every secret, present and future, to `file`, one a line.
pub(crate) fn record(mut file: File) {
    collected(|secrets| {
        for secret in &secrets.all {
            write_line(&mut file, secret);
        }
        secrets.record = Some(file);
    });
}

fn write_line(file: &mut File, secret: &[u8]) {
    // Issued secrets are single lines.
    if !secret.contains(&b'\n') {
        file.write_all(&[secret, b"\n"].concat()).expect("a secret is written down");
    }
}

fn collected<T>(use_them: impl FnOnce(&mut Secrets) -> T) -> T {
    use_them(&mut COLLECTED.lock().unwrap_or_else(PoisonError::into_inner))
}

#[derive(Debug, Default)]
pub struct Secrets {
    all: BTreeSet<Vec<u8>>,
    /// File to which each new secret is appended.
    record: Option<File>,
}

impl Secrets {
    /// Adds a secret, unless it is too short to search for.
    pub fn note(&mut self, secret: &[u8]) {
        if secret.len() >= CODE
            && self.all.insert(secret.to_vec())
            && let Some(file) = &mut self.record
        {
            write_line(file, secret);
        }
    }

    /// Adds everything in `text` that has the form of a secret: issued ones, signed tokens, addresses, codes.
    pub fn harvest(&mut self, text: &[u8]) {
        for found in recognised(text).chain(codes(text)) {
            self.note(found);
        }
    }

    #[must_use]
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// Returns what `log` must not contain: these secrets in any form, and anything that looks like a secret. A finding
    /// shows only the beginning of the secret.
    #[must_use]
    pub fn found_in(&self, log: &[u8]) -> Vec<String> {
        let mut found = BTreeSet::new();
        for stranger in recognised(log) {
            found.insert(finding(stranger, "something of the form of a secret", line_of(log, stranger)));
        }
        let forms: Vec<(Vec<u8>, &Vec<u8>)> =
            self.all.iter().flat_map(|secret| forms_of(secret).into_iter().map(move |form| (form, secret))).collect();
        let mut places: HashMap<&[u8], Vec<usize>> = HashMap::new();
        let mut beginnings = vec![false; 1 << 16];
        for (place, (form, _)) in forms.iter().enumerate() {
            beginnings[usize::from(form[0]) << 8 | usize::from(form[1])] = true;
            places.entry(&form[..CODE]).or_default().push(place);
        }
        for at in 0..log.len().saturating_sub(CODE - 1) {
            let here = &log[at..];
            if !beginnings[usize::from(here[0]) << 8 | usize::from(here[1])] {
                continue;
            }
            for place in places.get(&here[..CODE]).into_iter().flatten() {
                let (form, secret) = &forms[*place];
                if here.starts_with(form) && (!is_code(form) || stands_alone(log, at, form.len())) {
                    found.insert(finding(secret, "a secret", line_of(log, here)));
                }
            }
        }
        found.into_iter().collect()
    }
}

fn finding(secret: &[u8], what: &str, line: usize) -> String {
    format!("line {line}: {what}, {}…", String::from_utf8_lossy(&secret[..4]))
}

/// Returns the line number of `part`, a part of `log`.
fn line_of(log: &[u8], part: &[u8]) -> usize {
    let at = part.as_ptr() as usize - log.as_ptr() as usize;
    log[..at].split(|byte| *byte == b'\n').count()
}

/// Returns the forms in which a secret may occur: plain, percent-encoded, and in both alphabets of base64 at each of
/// the three offsets in a longer text.
fn forms_of(secret: &[u8]) -> Vec<Vec<u8>> {
    let mut forms = vec![secret.to_vec()];
    let percent = |byte: &u8| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(byte) {
            vec![*byte]
        } else {
            format!("%{byte:02X}").into_bytes()
        }
    };
    forms.push(secret.iter().flat_map(percent).collect());
    for alphabet in [&alphabet::STANDARD, &alphabet::URL_SAFE] {
        let engine = GeneralPurpose::new(alphabet, NO_PAD);
        // The part of an encoded code that does not depend on its neighbours would be too short.
        let places = if is_code(secret) { 1 } else { 3 };
        for before in 0..places {
            let padded: Vec<u8> = vec![0; before].into_iter().chain(secret.iter().copied()).collect();
            let text = engine.encode(&padded).into_bytes();
            forms.push(text[(before * 8).div_ceil(6)..padded.len() * 8 / 6].to_vec());
        }
    }
    forms.retain(|form| form.len() >= CODE);
    forms.sort();
    forms.dedup();
    forms
}

fn is_code(text: &[u8]) -> bool {
    text.len() == CODE && text.iter().all(u8::is_ascii_digit)
}

/// Returns whether the text at `at` is a whole word or number.
fn stands_alone(log: &[u8], at: usize, length: usize) -> bool {
    let before = at.checked_sub(1).map(|before| log[before]);
    let after = log.get(at + length).copied();
    !before.into_iter().chain(after).any(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the parts of `text` that have the form of a secret, except codes.
fn recognised(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    words(text)
        .flat_map(|word| {
            let issued = PREFIXES.iter().filter_map(move |prefix| beginning(word, prefix));
            let signed = beginning(word, TOKEN).filter(|_| word.contains(&b'.'));
            issued.chain(signed)
        })
        .chain(addresses(text))
}

/// Returns the rest of `word` from `beginning` on, if it is long enough and does not begin inside a name.
fn beginning<'a>(word: &'a [u8], beginning: &[u8]) -> Option<&'a [u8]> {
    let at = word.windows(beginning.len()).position(|window| window == beginning)?;
    let starts = at == 0 || !word[at - 1].is_ascii_alphanumeric();
    (starts && word.len() - at >= beginning.len() + FEWEST).then(|| &word[at..])
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| !(byte.is_ascii_alphanumeric() || b"_-.".contains(byte))).filter(|word| word.len() > FEWEST)
}

/// Returns mailboxes, whose `@` may be percent-encoded. Those of the tests end in `.example`.
fn addresses(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let of_mailbox = |byte: &u8| byte.is_ascii_alphanumeric() || b"@%+._-".contains(byte);
    text.split(move |byte| !of_mailbox(byte)).filter(|word| {
        let has_host = word.ends_with(b".example");
        has_host && (word.contains(&b'@') || word.windows(3).any(|window| window == b"%40"))
    })
}

/// Returns the codes in a body: six digits as a JSON string or as the whole content of an element.
fn codes(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.windows(CODE + 2).filter_map(|window| {
        let (first, code, last) = (window[0], &window[1..=CODE], window[CODE + 1]);
        let is_framed = (first == b'"' && last == b'"') || (first == b'>' && last == b'<');
        (is_framed && is_code(code)).then_some(code)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "ak_0123456789abcdefghijABCDEFG";

    fn secrets_with(secret: &str) -> Secrets {
        let mut secrets = Secrets::default();
        secrets.note(secret.as_bytes());
        secrets
    }

    #[test]
    fn log_without_secrets_passes() {
        let log =
            b"2026-11-21T10:00:00.407193Z  INFO registration.created registration=reg_0123456789abcdefghijABCDEFG\n";
        assert_eq!(secrets_with("407193").found_in(log), Vec::<String>::new());
        assert_eq!(secrets_with("a.lawyer@firm.example").found_in(log), Vec::<String>::new());
    }

    #[test]
    fn secret_is_found_in_every_encoding_and_position() {
        let encode = |alphabet, text: &str| GeneralPurpose::new(alphabet, NO_PAD).encode(text);
        for secret in ["a.lawyer@firm.example", "p@ss:word/?&ÿ>>>", "407193"] {
            let secrets = secrets_with(secret);
            let percent = String::from_utf8(
                forms_of(secret.as_bytes()).into_iter().find(|it| it.contains(&b'%')).unwrap_or_default(),
            )
            .unwrap();
            let mut planted = vec![secret.to_owned(), encode(&alphabet::STANDARD, secret), percent];
            if secret.len() > CODE {
                for before in ["", "u", "us", "user", "{\"a\":\""] {
                    planted.push(encode(&alphabet::STANDARD, &format!("{before}{secret}\"")));
                    planted.push(encode(&alphabet::URL_SAFE, &format!("{before}{secret}")));
                }
            }
            for form in planted.into_iter().filter(|form| !form.is_empty()) {
                let log = format!("one line\n2026 WARN it said \"{form}\" to me\n");
                assert!(!secrets.found_in(log.as_bytes()).is_empty(), "{secret} as {form}");
            }
        }
    }

    #[test]
    fn text_that_looks_like_a_secret_is_found() {
        let token = "eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJodHRwczovL3gifQ.c2lnbmF0dXJl";
        for stranger in [KEY, token, "a@b.example", "a%40b.example"] {
            let log = format!("said token={stranger}, and went");
            let found = Secrets::default().found_in(log.as_bytes());
            assert_eq!(found.len(), 1, "{stranger}: {found:?}");
            assert!(!found[0].contains(stranger), "a finding repeats no secret");
        }
    }

    #[test]
    fn secrets_are_collected_from_responses() {
        let mut secrets = Secrets::default();
        secrets.harvest(format!("{{\"credential\":\"{KEY}\",\"challenge\":\"407193\"}}").as_bytes());
        secrets.harvest(b"{\"email\":\"a.b+c@firm.example\",\"n\":123456}");
        secrets.harvest(b"<p>Code <strong>700001</strong> token=cvt_0123456789abcdefghijABCDEFG&amp;x");
        assert_eq!(secrets.count(), 5);
        assert_eq!(secrets.found_in(b"code 700001 was wrong").len(), 1);
        assert_eq!(secrets.found_in(b"took 700001ms").len(), 0);
    }
}
