//! Checks of the colours of `[theme]` in `site.toml`.

use crate::{
    diagnostic::{Code, Finding, Place},
    palette::{MIN_TEXT_CONTRAST, Part, Scheme},
    site::Draft,
    source::{Colours, SETTINGS},
};

/// Checks that text and links can be read in both modes.
pub(super) fn contrast(draft: &Draft, findings: &mut Vec<Finding>) {
    let theme = &draft.settings.theme;
    let [light, dark] = theme.schemes();
    for (mode, colours, scheme) in [("light", &theme.light, light), ("dark", &theme.dark, dark)] {
        findings.extend([Part::Ink, Part::Accent].into_iter().filter_map(|text| too_low(mode, colours, &scheme, text)));
    }
}

fn too_low(mode: &str, colours: &Colours, scheme: &Scheme, text: Part) -> Option<Finding> {
    let contrast = scheme.too_low(text)?;
    // What the site itself says is what can be changed.
    let (part, at) = [text, Part::Paper, Part::Accent].into_iter().find_map(|part| Some((part, colours.get(part)?)))?;
    let (name, colour, paper) = (text.as_str(), scheme.get(text), scheme.paper);
    // Cut off, not rounded: 4.499 is not enough.
    let contrast = (contrast * 100.0).floor() / 100.0;
    let message = format!(
        "in {mode} mode the {name} `{colour}` has a contrast of {contrast} to 1 with the paper `{paper}` and its tint; \
         text needs {MIN_TEXT_CONTRAST} to 1 (WCAG AA)"
    );
    let finding = Finding::new(Code::LOW_CONTRAST, Place::new(SETTINGS, at.span), message);
    let nearest: Vec<String> = scheme.nearest(part, text).iter().map(|colour| format!("`{colour}`")).collect();
    Some(if nearest.is_empty() {
        finding.help("no shade of this colour is far enough from the other: change both")
    } else {
        finding.help(format!(
            "the nearest that {}: {}",
            if nearest.len() == 1 { "passes" } else { "pass" },
            nearest.join(", ")
        ))
    })
}
