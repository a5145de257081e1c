//! Errors between a checked site and its files.

use std::fmt;

use contract::Locale;

use super::theme::ThemeError;
use crate::{diagnostic::Finding, messages::Text, site::BodyError};

/// Why rendering stopped.
#[derive(Debug)]
pub enum RenderError {
    /// A template failed; the report names file, line and column.
    Theme(ThemeError),
    /// A text could not be read again, or changed since it was checked.
    Body(BodyError),
    /// A picture is damaged in a way that shows only when it is decoded.
    Picture(Box<Finding>),
    /// The model contradicts itself: a defect of the generator, not of the content.
    Inconsistent(String),
}

impl RenderError {
    /// Returns the reason in words.
    #[must_use]
    pub fn message(&self) -> Text {
        Text::verbatim(self)
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Theme(error) => error.fmt(out),
            Self::Body(error) => error.fmt(out),
            Self::Picture(finding) => write!(out, "{}: {}", finding.place.file, &finding.message[Locale::En]),
            Self::Inconsistent(what) => write!(out, "defect of the generator, please report it: {what}"),
        }
    }
}

impl std::error::Error for RenderError {}

impl From<ThemeError> for RenderError {
    fn from(error: ThemeError) -> Self {
        Self::Theme(error)
    }
}

impl From<BodyError> for RenderError {
    fn from(error: BodyError) -> Self {
        Self::Body(error)
    }
}
