//! Links in a terminal (OSC 8). Terminals cannot be queried for support, so the known ones are listed.

use crate::surroundings::Surroundings;

/// Returns whether the terminal supports links.
pub(crate) fn are_shown(env: &Surroundings, is_screen: bool) -> bool {
    if let Some(value) = env.variable("FORCE_HYPERLINK") {
        return value != "0";
    }
    if !is_screen || env.variable("TERM").as_deref() == Some("dumb") {
        return false;
    }
    // A multiplexer may drop links.
    if env.variable("TMUX").is_some() || env.variable("STY").is_some() {
        return false;
    }
    let known = ["KITTY_WINDOW_ID", "WT_SESSION", "KONSOLE_VERSION", "GHOSTTY_RESOURCES_DIR", "WEZTERM_PANE"];
    let programs = ["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "Tabby", "rio", "zed"];
    let terms = ["kitty", "alacritty", "foot", "ghostty", "contour", "wezterm"];
    known.iter().any(|name| env.variable(name).is_some())
        || env.variable("TERM_PROGRAM").is_some_and(|program| programs.contains(&&*program))
        || env.variable("TERM").is_some_and(|term| terms.iter().any(|name| term.contains(name)))
        // VTE (GNOME Terminal and others) from 0.50.
        || env.variable("VTE_VERSION").and_then(|version| version.parse::<u32>().ok()).is_some_and(|version| version >= 5000)
}

/// Returns whether an address may stand in the escape sequence. Security: known schemes only, and no byte that ends the
/// sequence.
pub(crate) fn is_safe(target: &str) -> bool {
    let is_known = ["https://", "http://", "mailto:", "tel:"].iter().any(|scheme| target.starts_with(scheme));
    is_known && target.bytes().all(|byte| byte.is_ascii_graphic())
}
