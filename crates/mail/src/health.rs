//! Logs once when no message can be sent, and once when that is over.
//!
//! An error about one mailbox does not count, because any request can name a mailbox that does not exist. Messages are
//! sent concurrently, so only an attempt that began after the last failure shows that the outage is over.

use std::sync::{Mutex, PoisonError};

use super::{MailError, error::Reason};

/// The health of the mail, shared by all attempts.
#[derive(Debug, Default)]
pub(super) struct MailHealth(Mutex<MailHealthState>);

#[derive(Debug, Default)]
struct MailHealthState {
    /// The number of failed attempts.
    failures: u64,
    /// The logged reasons why no message can be sent, each once; empty if messages can be sent.
    logged: Vec<Reason>,
}

impl MailHealth {
    /// Returns the number of failed attempts, for an attempt that begins now.
    pub(super) fn failures(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).failures
    }

    /// Records the result of an attempt that began after `since` failures, and logs a change.
    pub(super) fn record(&self, done: &Result<(), MailError>, since: u64) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match done {
            Err(error @ MailError::Down { reason }) => {
                state.failures += 1;
                if state.logged.contains(reason) {
                    tracing::debug!("{error}");
                } else {
                    state.logged.push(*reason);
                    tracing::error!("{error}; messages wait until it is possible");
                }
            }
            // The server accepted the connection and answered about the message.
            Ok(()) | Err(MailError::Permanent { reason: Reason::Answer(_), .. })
                if state.failures == since && !state.logged.is_empty() =>
            {
                state.logged.clear();
                tracing::info!("messages can be sent again");
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use journal::listen;

    #[test]
    fn outage_of_mail_is_logged_once_and_so_is_its_end() {
        const UNREACHABLE: Result<(), MailError> = Err(MailError::Down { reason: Reason::Connection });
        const REFUSED: Result<(), MailError> = Err(MailError::Down { reason: Reason::Answer(535) });
        let unknown = || Err(MailError::permanent("ayse@person.example", Reason::Answer(550)));
        let later = || Err(MailError::transient("ayse@person.example", Reason::Answer(451)));
        let (_ear, lines) = listen();
        let health = MailHealth::default();
        let hear = |done| health.record(&done, health.failures());
        let logged = || {
            let lines = lines.try_iter().filter(|line| ["ERROR", "INFO"].iter().any(|level| line.contains(level)));
            lines.collect::<Vec<_>>()
        };
        for done in [Ok(()), unknown(), later()] {
            hear(done);
        }
        assert_eq!(logged().len(), 0, "nothing was wrong");
        let begun_before = health.failures();
        for done in [UNREACHABLE, UNREACHABLE, later(), REFUSED, UNREACHABLE, REFUSED] {
            hear(done);
        }
        let lines = logged();
        let is_logged = |line: &String, why: &str| line.contains("ERROR") && line.contains(why);
        assert!(
            lines.len() == 2 && is_logged(&lines[0], "cannot be reached") && is_logged(&lines[1], "535"),
            "{lines:?}"
        );
        health.record(&Ok(()), begun_before);
        let composed = MailError::permanent("ayse@person.example", Reason::Message);
        hear(Err(composed));
        assert_eq!(logged().len(), 0, "neither is an answer of a server that is there again");
        for done in [unknown(), Ok(())] {
            hear(done);
        }
        let lines = logged();
        assert!(lines.len() == 1 && lines[0].contains("INFO") && lines[0].contains("sent again"), "{lines:?}");
        hear(UNREACHABLE);
        assert_eq!(logged().len(), 1, "a new outage is logged");
    }
}
