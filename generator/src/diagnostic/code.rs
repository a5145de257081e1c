//! The kinds of findings.

use std::fmt;

use super::Severity;

/// A kind of finding. It is stable, so that it can be looked up and searched for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Code(pub(super) &'static Entry);

/// The table entry of a code.
#[derive(PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: &'static str,
    pub(super) severity: Severity,
    pub(super) title: &'static str,
    pub(super) explanation: &'static str,
}

impl Code {
    /// Returns an identifier such as `E0107`, which is never reused for another kind.
    #[must_use]
    pub const fn id(self) -> &'static str {
        self.0.id
    }

    /// Returns whether it keeps the site from being published.
    #[must_use]
    pub const fn severity(self) -> Severity {
        self.0.severity
    }

    /// Returns the kind in one line.
    #[must_use]
    pub const fn title(self) -> &'static str {
        self.0.title
    }

    /// Returns why it matters and what to do.
    #[must_use]
    pub const fn explanation(self) -> &'static str {
        self.0.explanation
    }

    /// Returns what `explain CODE` prints.
    #[must_use]
    pub fn explain(self) -> String {
        let lines = wrapped(self.explanation());
        format!("{}[{}]: {}\n\n{lines}\n", self.severity().as_str(), self.id(), self.title())
    }
}

/// Breaks `text` into lines that fit a terminal.
fn wrapped(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if width + length >= 80 {
            lines.push('\n');
            width = 0;
        } else if width > 0 {
            lines.push(' ');
            width += 1;
        }
        lines.push_str(word);
        width += length;
    }
    lines
}

impl fmt::Debug for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.id())
    }
}
