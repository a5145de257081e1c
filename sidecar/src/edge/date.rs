//! The date of an answer (RFC 9110, 6.6.1), where the HTTP library does not write it, whose own may be half a second old.

use std::{
    cell::Cell,
    time::{Duration, UNIX_EPOCH},
};

use actix_web::http::header::HttpDate;

use crate::Time;

/// The octets of a line such as `date: Sun, 06 Nov 1994 08:49:37 GMT`, with its end.
const LENGTH: usize = 37;

/// The line of the current second.
#[derive(Default)]
pub(crate) struct DateLine(Cell<Option<(i64, [u8; LENGTH])>>);

impl DateLine {
    /// Returns the line for `now`.
    pub(crate) fn at(&self, now: Time) -> [u8; LENGTH] {
        let second = now.millis().div_euclid(1000);
        match self.0.get() {
            Some((of, line)) if of == second => line,
            _ => {
                let line = line(second);
                self.0.set(Some((second, line)));
                line
            }
        }
    }
}

fn line(second: i64) -> [u8; LENGTH] {
    let time = UNIX_EPOCH + Duration::from_secs(u64::try_from(second).unwrap_or(0));
    let mut line = [b' '; LENGTH];
    for (octet, text) in line.iter_mut().zip(format!("date: {}\r\n", HttpDate::from(time)).bytes()) {
        *octet = text;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_is_that_of_the_second() {
        let date = DateLine::default();
        for (milliseconds, text) in [
            (784_111_777_000, "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
            (784_111_777_999, "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
            (784_111_778_000, "date: Sun, 06 Nov 1994 08:49:38 GMT\r\n"),
            (0, "date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"),
            (784_111_777_001, "date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"),
        ] {
            let line = date.at(Time::from_millis(milliseconds));
            assert_eq!(String::from_utf8_lossy(&line), text);
        }
    }
}
