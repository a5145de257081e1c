//! Counters of registrations, the store and mail. Security: labels hold kinds and outcomes only, no client, mailbox,
//! domain or credential.

use std::time::Duration;

use mail::MailError;
use metrics::{Counter, Counters, DURATIONS, Histogram, MetricsText, Unit, label};

use crate::{
    domain::RegistrationError,
    store::error::{StoreError, StoreFailure},
};

/// Outcomes of a request.
const OUTCOMES: [&str; 4] = ["accepted", "refused", "limited", "failed"];
/// Outcomes of a credential check; `failed` if the store did not answer.
const CHECKS: [&str; 3] = ["valid", "invalid", "failed"];
/// Outcomes of an attempt to send an e-mail; `expired` if there was none in time.
const MAIL: [&str; 6] = ["sent", "deferred", "failed", "unanswered", "refused", "expired"];

/// A kind of request, with a counter for each outcome.
type ByOutcome = (&'static str, Counters<{ OUTCOMES.len() }>);

#[derive(Debug)]
pub(crate) struct Metrics {
    store_durations: Histogram<{ DURATIONS.len() }>,
    store_errors: Counters<3>,
    registrations: [ByOutcome; 3],
    claims: [ByOutcome; 3],
    pub(crate) codes_shown: Counter,
    codes_compared: Counters<2>,
    credentials: Counters<{ CHECKS.len() }>,
    mail: Counters<{ MAIL.len() }>,
}

impl Default for Metrics {
    fn default() -> Self {
        let by_outcome = |kind| (kind, Counters::new(OUTCOMES));
        Self {
            store_durations: Histogram::new(&DURATIONS),
            store_errors: Counters::new(["late", "failed", "unusable"]),
            registrations: ["anonymous", "email", "provider"].map(by_outcome),
            claims: ["requested", "completed", "denied"].map(by_outcome),
            codes_shown: Counter::default(),
            codes_compared: Counters::new(["right", "wrong"]),
            credentials: Counters::new(CHECKS),
            mail: Counters::new(MAIL),
        }
    }
}

impl Metrics {
    pub(crate) fn count_store_call<T>(&self, time: Duration, done: &Result<T, StoreError>) {
        self.store_durations.observe(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX));
        if let Err(StoreError::Down(failure)) = done {
            self.store_errors.count(match failure {
                StoreFailure::Late(_) => "late",
                StoreFailure::Failed(_) => "failed",
                StoreFailure::Unusable => "unusable",
            });
        }
    }

    pub(crate) fn count_registration<T>(&self, kind: &str, done: &Result<T, RegistrationError>) {
        count(&self.registrations, kind, done);
    }

    /// Returns the accepted requests to register since the start, by kind.
    pub(crate) fn accepted_registrations(&self) -> [(&'static str, u64); 3] {
        self.registrations.each_ref().map(|(kind, counters)| {
            (*kind, counters.rows().find(|(outcome, _)| *outcome == OUTCOMES[0]).map_or(0, |(_, count)| count))
        })
    }

    pub(crate) fn count_claim_step<T>(&self, step: &str, done: &Result<T, RegistrationError>) {
        count(&self.claims, step, done);
    }

    pub(crate) fn count_code(&self, is_right: bool) {
        self.codes_compared.count(if is_right { "right" } else { "wrong" });
    }

    pub(crate) fn count_credential_check<T>(&self, held: &Result<Option<T>, StoreError>) {
        self.credentials.count(match held {
            Ok(Some(_)) => "valid",
            Ok(None) => "invalid",
            Err(_) => "failed",
        });
    }

    pub(crate) fn count_email(&self, done: &Result<(), MailError>) {
        self.mail.count(match done {
            Ok(()) => "sent",
            Err(MailError::Transient { .. }) => "deferred",
            Err(MailError::Down { .. }) => "failed",
            Err(MailError::Unanswered { .. }) => "unanswered",
            Err(MailError::Permanent { .. }) => "refused",
        });
    }

    pub(crate) fn count_expired_email(&self) {
        self.mail.count("expired");
    }

    pub(crate) fn write(&self, text: &mut MetricsText) {
        let outcomes = |(outcome, count): (&str, u64)| (label("outcome", outcome), count);
        text.histograms(
            "mecelle_store_operation_duration_seconds",
            "Duration of a store call, including the wait for other calls.",
            Unit::Seconds,
            [(String::new(), [&self.store_durations])],
        );
        text.counters(
            "mecelle_store_errors_total",
            "Store calls without a usable answer: late (perhaps only behind other calls), failed or unusable.",
            self.store_errors.rows().map(|(kind, count)| (label("kind", kind), count)),
        );
        let name = "mecelle_registrations_total";
        text.counters(name, "Requests to register.", rows(&self.registrations));
        text.counters("mecelle_claims_total", "Requests for a step of a claim.", rows(&self.claims));
        let codes_shown = [(String::new(), self.codes_shown.value())];
        text.counters("mecelle_codes_shown_total", "Codes shown to people.", codes_shown);
        let name = "mecelle_codes_compared_total";
        text.counters(name, "Codes compared with the right one.", self.codes_compared.rows().map(outcomes));
        text.counters(
            "mecelle_credentials_checked_total",
            "Credentials looked up in the store.",
            self.credentials.rows().map(outcomes),
        );
        text.counters("mecelle_mail_sent_total", "Attempts to send an e-mail.", self.mail.rows().map(outcomes));
    }
}

fn count<T>(counters: &[ByOutcome], kind: &str, done: &Result<T, RegistrationError>) {
    let outcome = match done {
        Ok(_) | Err(RegistrationError::InteractionRequired(_)) => "accepted",
        Err(RegistrationError::Limited { .. } | RegistrationError::NoCodesLeft { .. }) => "limited",
        Err(RegistrationError::Unavailable { .. }) => "failed",
        Err(_) => "refused",
    };
    for (_, counters) in counters.iter().filter(|(known, _)| *known == kind) {
        counters.count(outcome);
    }
}

fn rows(counters: &[ByOutcome]) -> impl Iterator<Item = (String, u64)> {
    counters.iter().flat_map(|(kind, counters)| {
        counters.rows().map(move |(outcome, count)| (format!("kind=\"{kind}\",outcome=\"{outcome}\""), count))
    })
}
