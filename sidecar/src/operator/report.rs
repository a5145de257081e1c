//! The report on what was read: from the store, or from a log of a host.

use std::{fs::File, io::BufReader, path::PathBuf};

use clock::{Time, timestamp};
use contract::Locale;
use registration::store::{Store, StoredTally};
use tokio::runtime::Runtime;
use usage::{CloudFrontLog, LogError, Month, StoredCount, UsageFormat, UsageReport};

use super::error::TaskError;

/// What to report, and how.
#[derive(Clone, Debug)]
pub(crate) struct ReportRequest {
    /// The present month if absent.
    pub(crate) month: Option<Month>,
    pub(crate) format: UsageFormat,
    pub(crate) locale: Locale,
}

impl ReportRequest {
    fn month(&self, now: Time) -> Result<Month, TaskError> {
        let present = || Month::of_day(&timestamp(now.millis()));
        self.month
            .clone()
            .or_else(present)
            .ok_or_else(|| TaskError::Clock("the clock of this machine is before 1970".to_owned()))
    }

    /// Reports what the service has counted.
    pub(super) fn of_store(&self, runtime: &Runtime, store: &Store, now: Time) -> Result<String, TaskError> {
        let month = self.month(now)?;
        let mut stored = Vec::new();
        runtime.block_on(store.each_tally(month.as_str(), |StoredTally { kind, name, words, count }| {
            stored.push(StoredCount { kind, name, words, count });
        }))?;
        Ok(self.render(&UsageReport::of_store(month, stored)))
    }

    /// Reports what a log of `CloudFront` contains.
    pub(super) fn of_log(&self, log: &PathBuf, now: Time) -> Result<String, TaskError> {
        let month = self.month(now)?;
        let read = File::open(log).map_err(LogError::from);
        let report = read.and_then(|file| CloudFrontLog::read(BufReader::new(file), month));
        let report = report.map_err(|error| TaskError::Log(log.clone(), error))?;
        Ok(self.render(&report))
    }

    /// Returns the report without the end of its last line, which the caller writes.
    fn render(&self, report: &UsageReport) -> String {
        let mut text = report.render(self.format, self.locale);
        if text.ends_with('\n') {
            text.pop();
        }
        text
    }
}
