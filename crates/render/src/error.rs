//! Errors of rendering a checked site.

use findings::{
    Finding,
    messages::{self, Text},
};

use super::theme::ThemeError;

#[derive(Debug)]
pub enum RenderError {
    /// A template failed; the finding names file, line and column.
    Theme(ThemeError),
    /// A text cannot be read again, or changed since it was checked.
    Body(Text),
    /// A picture is damaged, which shows only when it is decoded.
    Picture(Box<Finding>),
    /// A contradiction in the model: a defect of the generator, not of the content.
    Inconsistent(Text),
}

impl RenderError {
    pub fn message(&self) -> Text {
        match self {
            Self::Theme(error) => error.message(),
            Self::Body(error) => error.clone(),
            Self::Picture(finding) => finding.message.map(|words| format!("{}: {words}", finding.place.file)),
            Self::Inconsistent(what) => messages::generator_defect(what.clone()),
        }
    }
}

impl From<ThemeError> for RenderError {
    fn from(error: ThemeError) -> Self {
        Self::Theme(error)
    }
}

impl From<Text> for RenderError {
    fn from(error: Text) -> Self {
        Self::Body(error)
    }
}
