//! Office hours.

/// Office hours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hours {
    /// `mon` to `sun`; empty if the content names no days.
    pub days: Vec<String>,
    /// `HH:MM`.
    pub opens: Option<String>,
    /// `HH:MM`.
    pub closes: Option<String>,
    /// IANA time zone.
    pub time_zone: Option<String>,
}
