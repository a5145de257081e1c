//! The problem of a value, independent of its field and file.

use findings::{
    Code,
    messages::{self, Text},
};

/// The reason why a value is refused.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) code: Code,
    /// Completes "`field`: …".
    pub(super) message: Text,
    pub(super) label: Option<Text>,
    pub(super) help: Option<Text>,
    /// The corrected value, if it is unambiguous.
    pub(super) correction: Option<String>,
}

impl Problem {
    pub(super) fn new(code: Code, message: Text) -> Self {
        Self { code, message, label: None, help: None, correction: None }
    }

    pub(super) fn label(self, label: Text) -> Self {
        Self { label: Some(label), ..self }
    }

    pub(super) fn help(self, help: Text) -> Self {
        Self { help: Some(help), ..self }
    }

    /// Adds an unambiguous correction, with a label.
    pub(super) fn correction(self, correction: impl Into<String>) -> Self {
        let correction = correction.into();
        let problem = self.label(messages::words_to_write(&correction));
        Self { correction: Some(correction), ..problem }
    }
}

/// The result of reading a value. The error is `None` if the value already has a finding.
pub(super) type Reading<T> = Result<T, Option<Problem>>;
