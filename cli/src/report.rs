//! Output of a failure: message, remedy, URL, request identifier, and a command to try.

use std::io::{self, Write};

use crate::{
    failure::Failure,
    next,
    output::{style::Style, text::clean},
    typed::TypedLine,
};

/// Writes `failure`. `command` is the command that ran, `typed` its command line.
pub(crate) fn write(
    failure: &Failure,
    command: &str,
    typed: &TypedLine,
    style: Style,
    notes: &mut dyn Write,
) -> io::Result<()> {
    let mut line = |label: &str, text: &str| {
        let text = clean(text);
        match label {
            "error" => writeln!(notes, "{} {text}", style.error("error:")),
            _ => writeln!(notes, "  {} {text}", style.faint(&format!("{label}:"))),
        }
    };
    line("error", &failure.message())?;
    if let Some(remedy) = failure.remedy(command) {
        line("help", &remedy)?;
    }
    if let Some(url) = failure.url() {
        line("url", url)?;
    }
    if let Failure::Refused(refusal) = failure
        && let Some(id) = &refusal.request_id
    {
        line("request", id)?;
    }
    next::next_command(failure, command, typed).map_or(Ok(()), |next| line("try", &next))
}
