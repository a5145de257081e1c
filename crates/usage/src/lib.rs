//! What is read on a site: counts of requests, and the report made of them. Independent of HTTP and of the store.
//!
//! Security: nothing here holds an address, a cookie, an identifier or a raw `User-Agent`. Names that senders choose
//! (unknown paths, search words) are few and short; what exceeds the limits is counted as `other`, and what recurs least
//! goes there first, so that no client can hide it behind names that it invents.

mod cloudfront;
mod html;
mod names;
mod readers;
mod render;
mod report;
mod tally;
mod text;

pub use self::{
    cloudfront::{CloudFrontLog, LogError},
    readers::{KnownReader, ReaderGroup},
    render::UsageFormat,
    report::{Month, StoredCount, UsageReport},
    tally::{CountKind, NamedCount, ReadFormat, RequestTally},
};

/// Smaller counts are shown as fewer than this.
pub const MIN_COUNT: u64 = 10;
/// Days of a month on which search words and addresses that do not exist must have been used before they are stored in
/// clear and shown.
pub const MIN_DAYS: u64 = 5;
/// The name under which everything beyond a limit is counted.
pub const OTHER: &str = "other";
/// The name under which addresses that do not exist are counted if no page of the site led there.
pub const ELSEWHERE: &str = "elsewhere";

#[cfg(test)]
mod tests;
