//! What is wrong with a value, before it is known in which field of which file it stands.

use findings::{
    Code,
    messages::{self, Text},
};

/// Why a value was refused.
#[derive(Clone, Debug)]
pub(super) struct Problem {
    pub(super) code: Code,
    /// Completes "`field`: …".
    pub(super) message: Text,
    pub(super) label: Option<Text>,
    pub(super) help: Option<Text>,
    /// The value as it must be written, if only one can be meant.
    pub(super) meant: Option<String>,
}

impl Problem {
    pub(super) fn new(code: Code, message: Text) -> Self {
        Self { code, message, label: None, help: None, meant: None }
    }

    pub(super) fn label(self, label: Text) -> Self {
        Self { label: Some(label), ..self }
    }

    pub(super) fn help(self, help: Text) -> Self {
        Self { help: Some(help), ..self }
    }

    /// Says what to write, where nothing else can be meant.
    pub(super) fn write(self, meant: impl Into<String>) -> Self {
        let meant = meant.into();
        let problem = self.label(messages::words_to_write(&meant));
        Self { meant: Some(meant), ..problem }
    }
}

/// The result of reading a value. `None` in the error means that the value has already been refused.
pub type Reading<T> = Result<T, Option<Problem>>;
