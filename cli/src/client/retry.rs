//! Which replies to retry, and after which pause.

use std::time::{Duration, SystemTime};

/// The longest `Retry-After` that the tool waits for. A longer one ends the run with a report: the command neither
/// hangs nor retries too early.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(30);

/// Returns whether the same request may succeed soon.
pub(crate) const fn is_transient(status: u16) -> bool {
    matches!(status, 429 | 500 | 502 | 503 | 504)
}

/// Returns the pause after attempt `number`: doubled each time, spread by `chance` (below 1000), at most 5 s.
pub(crate) fn backoff(number: u8, chance: u16) -> Duration {
    let full = 250_u64.saturating_mul(1 << number.min(6)).min(10_000);
    Duration::from_millis(full / 4 + full / 4 * u64::from(chance.min(1000)) / 1000)
}

/// Parses `Retry-After`: seconds or a date (RFC 9110, 10.2.3).
pub(crate) fn retry_after(value: Option<&str>, now: SystemTime) -> Option<Duration> {
    let value = value?.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_and_stay_within_five_seconds() {
        assert_eq!(backoff(1, 0), Duration::from_millis(125));
        assert_eq!(backoff(1, 1000), Duration::from_millis(250));
        assert_eq!(backoff(2, 1000), Duration::from_millis(500));
        assert_eq!(backoff(200, 1000), Duration::from_secs(5));
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        let now = httpdate::parse_http_date("Sat, 21 Nov 2026 10:00:00 GMT").unwrap();
        assert_eq!(retry_after(Some("7"), now), Some(Duration::from_secs(7)));
        assert_eq!(retry_after(Some("Sat, 21 Nov 2026 10:00:09 GMT"), now), Some(Duration::from_secs(9)));
        assert_eq!(retry_after(Some("Sat, 21 Nov 2026 09:00:00 GMT"), now), Some(Duration::ZERO));
        assert_eq!(retry_after(Some("soon"), now), None);
        assert_eq!(retry_after(None, now), None);
    }
}
