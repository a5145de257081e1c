//! Colours and links on a terminal.

use crate::{output::links, surroundings::Surroundings};

/// What the stream supports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) colour: bool,
    pub(crate) links: bool,
}

impl Style {
    pub(crate) fn of_data(env: &Surroundings) -> Self {
        let is_screen = env.screen.is_some();
        Self { colour: colour(env, is_screen), links: links::are_shown(env, is_screen) }
    }

    pub(crate) fn of_notes(env: &Surroundings) -> Self {
        Self { colour: colour(env, env.notes_on_screen), links: false }
    }

    pub(crate) fn heading(self, text: &str) -> String {
        self.paint("1", text)
    }

    pub(crate) fn faint(self, text: &str) -> String {
        self.paint("2", text)
    }

    pub(crate) fn error(self, text: &str) -> String {
        self.paint("1;31", text)
    }

    /// Returns `text` as a link if links are supported and `target` is safe.
    pub(crate) fn link(self, text: &str, target: Option<&str>) -> String {
        match target {
            Some(target) if self.links && links::is_safe(target) => {
                format!("\x1b]8;;{target}\x1b\\{text}\x1b]8;;\x1b\\")
            }
            _ => text.to_owned(),
        }
    }

    fn paint(self, code: &str, text: &str) -> String {
        if self.colour && !text.is_empty() { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Removes the escape sequences of a [`Style`].
pub(crate) fn strip_escapes(text: &str) -> String {
    let mut parts = text.split('\x1b');
    let mut bare = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // A link begins with `ESC ]` and its address, and ends with `ESC \`: the whole part is sequence.
        if !part.starts_with(']') {
            let end = if part.starts_with('[') { part.find('m') } else { part.find('\\') };
            bare.push_str(end.map_or(part, |end| &part[end + 1..]));
        }
    }
    bare
}

/// Returns the width of a table: of the terminal, else `COLUMNS`, else 80.
pub(crate) fn width(env: &Surroundings) -> usize {
    let columns_variable = || env.variable("COLUMNS")?.parse().ok().filter(|columns| *columns > 0);
    env.screen.map(|screen| screen.columns).or_else(columns_variable).unwrap_or(80)
}

/// Returns whether to use colours: `NO_COLOR` (no-color.org) overrides `CLICOLOR_FORCE`, which overrides the kind of
/// stream.
fn colour(env: &Surroundings, is_screen: bool) -> bool {
    if env.variable("NO_COLOR").is_some() {
        return false;
    }
    if env.variable("CLICOLOR_FORCE").is_some_and(|value| value != "0") {
        return true;
    }
    is_screen && env.variable("CLICOLOR").as_deref() != Some("0") && env.variable("TERM").as_deref() != Some("dumb")
}
