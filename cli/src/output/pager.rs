//! The pager for output longer than the terminal.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use contract::tool;

#[cfg(unix)]
use crate::private;
use crate::{
    output::{style, text},
    surroundings::Surroundings,
};

/// Characters that need a shell. Plain words are run directly: a shell would start even if the program is missing, and
/// nothing would be shown.
const FOR_THE_SHELL: [char; 13] = ['|', '&', ';', '<', '>', '(', ')', '$', '`', '\\', '"', '\'', '\n'];
/// Characters that need a shell in the first word only (home, pattern, variable); in later words they may belong to an
/// option.
const FOR_THE_SHELL_AT_FIRST: [char; 6] = ['~', '*', '?', '[', '#', '='];

/// Shows `bytes` in the pager. Returns `false` if no pager is needed, wanted or found.
pub(crate) fn show(bytes: &[u8], env: &Surroundings) -> bool {
    let Some(screen) = env.screen else { return false };
    if lines(bytes, style::width(env)) < screen.rows {
        return false;
    }
    let Some(mut pager) = command(env) else { return false };
    become_pager(&mut pager, bytes, env);
    // Otherwise the pager runs as a child process.
    let Ok(mut child) = pager.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // Quitting early is no failure.
        let _ = input.write_all(bytes);
    }
    let _ = child.wait();
    true
}

fn command(env: &Surroundings) -> Option<Command> {
    // Set but empty: no pager.
    let wanted = [tool::PAGER, "PAGER"].iter().find_map(|name| env.variables.get(*name));
    // A dumb terminal cannot move its cursor: `less` only prints warnings.
    if wanted.is_none() && env.variable("TERM").as_deref() == Some("dumb") {
        return None;
    }
    let wanted = wanted.map_or("less".into(), |wanted| wanted.to_string_lossy());
    let wanted = wanted.trim();
    if wanted.is_empty() || wanted == "cat" {
        return None;
    }
    let mut pager = if cfg!(unix) && is_for_the_shell(wanted) {
        let mut shell = Command::new("sh");
        shell.args(["-c", wanted]);
        shell
    } else {
        let mut words = wanted.split_whitespace();
        let mut program = Command::new(words.next()?);
        program.args(words);
        program
    };
    if env.variable("LESS").is_none() {
        // Quit if one screen is enough, keep colours and links, keep the screen.
        pager.env("LESS", "FRX");
    }
    Some(pager)
}

fn is_for_the_shell(wanted: &str) -> bool {
    let program = wanted.split_whitespace().next().unwrap_or_default();
    wanted.contains(FOR_THE_SHELL) || program.contains(FOR_THE_SHELL_AT_FIRST)
}

/// Replaces this process by the pager, which reads an unnamed file; returns only on failure. Otherwise Ctrl-C would end
/// the tool, not the pager, and leave two readers at the terminal.
#[cfg(unix)]
fn become_pager(pager: &mut Command, bytes: &[u8], env: &Surroundings) {
    use std::os::unix::process::CommandExt;
    if let Some(Ok(file)) = env.cache().map(|folder| private::create_unnamed(&folder, bytes)) {
        let _ = pager.stdin(file).exec();
    }
}

#[cfg(not(unix))]
fn become_pager(_: &mut Command, _: &[u8], _: &Surroundings) {}

/// Returns the number of terminal rows of the text.
fn lines(bytes: &[u8], columns: usize) -> usize {
    let text = style::strip_escapes(&String::from_utf8_lossy(bytes));
    text.lines().map(|line| text::width(line).div_ceil(columns).max(1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_have_no_width() {
        let style = style::Style { colour: true, links: true };
        let link = style.link("Kerem Özsoy", Some("https://yalicam.example/tr/ekip/kerem-ozsoy"));
        let text = format!("{}\n{link} {link}\n\n", style.heading("AD"));
        assert_eq!(lines(text.as_bytes(), 23), 3);
        assert_eq!(lines(text.as_bytes(), 22), 4);
    }
}
