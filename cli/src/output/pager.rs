//! A pager, when the text is longer than the terminal.

use std::{
    io::Write,
    process::{Command, Stdio},
};

use crate::{
    output::{style, text},
    surroundings::Surroundings,
};

/// Shows `bytes` in the person's pager. False when no pager is needed, wanted or found.
pub(crate) fn shown(bytes: &[u8], env: &Surroundings) -> bool {
    let Some(screen) = env.screen else { return false };
    if lines(bytes, style::width(env)) < screen.rows {
        return false;
    }
    // Set and empty means: no pager, please.
    let wanted = ["MECELLE_PAGER", "PAGER"].iter().find_map(|name| env.variables.get(*name));
    let command = wanted.map_or("less", String::as_str);
    let mut words = command.split_whitespace();
    let Some(program) = words.next().filter(|program| *program != "cat") else { return false };
    let mut pager = Command::new(program);
    pager.args(words).stdin(Stdio::piped());
    if env.variable("LESS").is_none() {
        // Leave at once when it fits, keep colours and links, keep the screen.
        pager.env("LESS", "FRX");
    }
    let Ok(mut child) = pager.spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // A reader who leaves early has seen enough.
        let _ = input.write_all(bytes);
    }
    let _ = child.wait();
    true
}

/// How many rows of the terminal the text fills.
fn lines(bytes: &[u8], columns: usize) -> usize {
    let text = String::from_utf8_lossy(bytes);
    text.lines().map(|line| text::width(line).div_ceil(columns).max(1)).sum()
}
