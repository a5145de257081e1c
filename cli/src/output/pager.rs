//! A pager, when the text is longer than the terminal.

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

/// Characters that make a command more than a list of words. Plain words are run without the shell, which would start
/// even if their program is missing, and nothing would be shown.
const FOR_THE_SHELL: [char; 13] = ['|', '&', ';', '<', '>', '(', ')', '$', '`', '\\', '"', '\'', '\n'];
/// The same for the first word only, which may begin with a home, a pattern or a variable; in later words these
/// characters may belong to an option.
const FOR_THE_SHELL_AT_FIRST: [char; 6] = ['~', '*', '?', '[', '#', '='];

/// Shows `bytes` in the person's pager. Returns false if no pager is needed, wanted or found.
pub(crate) fn show(bytes: &[u8], env: &Surroundings) -> bool {
    let Some(screen) = env.screen else { return false };
    if lines(bytes, style::width(env)) < screen.rows {
        return false;
    }
    let Some(mut pager) = command(env) else { return false };
    become_pager(&mut pager, bytes, env);
    // If that cannot be done, the pager runs alongside the tool.
    let Ok(mut child) = pager.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // A reader who quits early has seen enough.
        let _ = input.write_all(bytes);
    }
    let _ = child.wait();
    true
}

fn command(env: &Surroundings) -> Option<Command> {
    // Set but empty means that no pager is wanted.
    let wanted = [tool::PAGER, "PAGER"].iter().find_map(|name| env.variables.get(*name));
    // On a terminal that cannot move its cursor, a pager only complains.
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
        // Quit at once if it fits, keep colours and links, keep the screen.
        pager.env("LESS", "FRX");
    }
    Some(pager)
}

fn is_for_the_shell(wanted: &str) -> bool {
    let program = wanted.split_whitespace().next().unwrap_or_default();
    wanted.contains(FOR_THE_SHELL) || program.contains(FOR_THE_SHELL_AT_FIRST)
}

/// Replaces this process by the pager, which reads an unnamed file; returns only if that fails. Ctrl-C then goes to the
/// pager alone: with the tool in between, it would end the tool and leave two readers at one terminal.
#[cfg(unix)]
fn become_pager(pager: &mut Command, bytes: &[u8], env: &Surroundings) {
    use std::os::unix::process::CommandExt;
    if let Some(Ok(file)) = env.cache().map(|folder| private::create_unnamed(&folder, bytes)) {
        let _ = pager.stdin(file).exec();
    }
}

#[cfg(not(unix))]
fn become_pager(_: &mut Command, _: &[u8], _: &Surroundings) {}

/// Returns how many rows of the terminal the text fills.
fn lines(bytes: &[u8], columns: usize) -> usize {
    let text = style::strip_escapes(&String::from_utf8_lossy(bytes));
    text.lines().map(|line| text::width(line).div_ceil(columns).max(1)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_sequences_take_no_room() {
        let style = style::Style { colour: true, links: true };
        let link = style.link("Kerem Özsoy", Some("https://yalicam.example/tr/ekip/kerem-ozsoy"));
        let text = format!("{}\n{link} {link}\n\n", style.heading("AD"));
        assert_eq!(lines(text.as_bytes(), 23), 3);
        assert_eq!(lines(text.as_bytes(), 22), 4);
    }
}
