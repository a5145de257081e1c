//! Request IDs, by which a report of a reader, the log of a proxy and the log of this service can be matched.

use std::{
    cell::Cell,
    hash::{BuildHasher as _, RandomState},
};

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};
use contract::headers::{TRACEPARENT, X_REQUEST_ID};

pub(crate) static FIELD: HeaderName = HeaderName::from_static(X_REQUEST_ID);

static TRACE: HeaderName = HeaderName::from_static(TRACEPARENT);

/// Returns the value of `traceparent`. Security: it is logged, so only a well-formed one.
pub(crate) fn trace(headers: &HeaderMap) -> Option<&str> {
    let trace = headers.get(&TRACE)?.to_str().ok()?;
    let is_hex = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte));
    let lengths = trace.split('-').map(str::len);
    (lengths.eq([2, 32, 16, 2]) && trace.split('-').all(is_hex)).then_some(trace)
}

/// Generates IDs: a random number per worker, and a counter. Unique without a system call for each request.
pub(crate) struct RequestIds {
    next: Cell<[u8; NAME]>,
}

/// Length of an ID in bytes: the digits of the worker, a hyphen, and the digits of the counter.
const NAME: usize = WORKER + COUNT;
const WORKER: usize = 16 + 1;
const COUNT: usize = 10;

impl RequestIds {
    pub(crate) fn new() -> Self {
        let worker = RandomState::new().hash_one(std::thread::current().id());
        let mut next = [b'0'; NAME];
        for (digit, letter) in next.iter_mut().zip(format!("{worker:016x}-").bytes()) {
            *digit = letter;
        }
        Self { next: Cell::new(next) }
    }

    /// Returns the client's ID of the request if it is safe in a log, otherwise a new one.
    pub(crate) fn name(&self, sent: Option<&HeaderValue>) -> HeaderValue {
        match sent {
            Some(value) if is_safe(value.as_bytes()) => value.clone(),
            _ => self.mint(),
        }
    }

    fn mint(&self) -> HeaderValue {
        let mut name = self.next.get();
        let minted = HeaderValue::from_bytes(&name);
        increment(&mut name[WORKER..]);
        self.next.set(name);
        minted.unwrap_or_else(|_| HeaderValue::from_static("unknown"))
    }
}

/// Adds one to a hexadecimal number; it wraps to zero.
fn increment(digits: &mut [u8]) {
    for digit in digits.iter_mut().rev() {
        match *digit {
            b'f' => *digit = b'0',
            b'9' => return *digit = b'a',
            _ => return *digit += 1,
        }
    }
}

/// Whether an ID is safe. Security: it is repeated in a header field and in logs, and must not break either.
fn is_safe(name: &[u8]) -> bool {
    (1..=128).contains(&name.len())
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || b"-._~:+/=@".contains(byte))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn safe_request_id_is_repeated() {
        let sent = HeaderValue::from_static("trace:0af7651916cd43dd8448eb211c80319c");
        assert_eq!(RequestIds::new().name(Some(&sent)), sent);
    }

    #[test]
    fn unsafe_request_id_is_replaced() {
        let long = "x".repeat(129);
        for sent in ["", "a b", "a\"b", "<script>", "a,b", long.as_str()] {
            let sent = HeaderValue::from_str(sent).unwrap();
            assert_ne!(RequestIds::new().name(Some(&sent)), sent);
        }
    }

    #[test]
    fn malformed_trace_is_ignored() {
        let of = |value| {
            let headers: HeaderMap = [(TRACE.clone(), HeaderValue::from_str(value).unwrap())].into_iter().collect();
            trace(&headers).map(str::to_owned)
        };
        let right = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        assert_eq!(of(right).as_deref(), Some(right));
        for wrong in [&right[..54], &right.replace('f', "F"), &format!("{right}-00"), "ayse@person.example", ""] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn names_are_counted_in_hexadecimal_digits() {
        for (number, next) in [("000", "001"), ("009", "00a"), ("00f", "010"), ("9ff", "a00"), ("fff", "000")] {
            let mut digits = number.as_bytes().to_vec();
            increment(&mut digits);
            assert_eq!(digits, next.as_bytes());
        }
    }

    #[test]
    fn minted_names_differ_within_and_between_workers() {
        let workers = [RequestIds::new(), RequestIds::new()];
        let names: HashSet<_> =
            (0..100).flat_map(|_| workers.iter().map(|ids| ids.name(None).to_str().unwrap().to_owned())).collect();
        assert_eq!(names.len(), 200);
    }
}
