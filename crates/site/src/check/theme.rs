//! Checks of the colours of `[theme]` in `site.toml`.

use content::{
    Colours, SETTINGS,
    palette::{MIN_TEXT_CONTRAST, PalettePart, Scheme},
};
use findings::{
    Code, Finding, Place,
    messages::{self, Text},
};

use crate::Draft;

/// Checks the contrast of text and links in both modes.
pub(super) fn contrast(draft: &Draft, findings: &mut Vec<Finding>) {
    let theme = &draft.settings.theme;
    let [light, dark] = theme.schemes();
    for (mode, colours, scheme) in [(messages::light(), &theme.light, light), (messages::dark(), &theme.dark, dark)] {
        // Report a colour that the site sets; a paper may be too near to both ink and accent.
        for changed in [PalettePart::Ink, PalettePart::Accent, PalettePart::Paper] {
            let is_changed = |text: PalettePart| {
                let parts = [text, PalettePart::Paper, PalettePart::Accent];
                parts.into_iter().find(|part| colours.get(*part).is_some()) == Some(changed)
            };
            let texts = [PalettePart::Ink, PalettePart::Accent]
                .into_iter()
                .filter(|text| scheme.insufficient_contrast(*text).is_some());
            let texts: Vec<PalettePart> = texts.filter(|text| is_changed(*text)).collect();
            findings.extend(too_low(&mode, colours, &scheme, changed, &texts));
        }
    }
}

/// Returns a finding if the contrast of `texts` is too low, with a new value for `part`.
fn too_low(
    mode: &Text,
    colours: &Colours,
    scheme: &Scheme,
    part: PalettePart,
    texts: &[PalettePart],
) -> Option<Finding> {
    let at = colours.get(part).filter(|_| !texts.is_empty())?;
    let contrasts = texts.iter().filter_map(|text| {
        // Rounded down: 4.499 is not enough.
        let contrast = (scheme.insufficient_contrast(*text)? * 100.0).floor() / 100.0;
        Some(messages::contrast_of_text(text.as_str(), scheme.get(*text), decimal(contrast)))
    });
    let contrasts = contrasts.reduce(messages::contrasts_of_texts)?;
    let message = messages::contrast_too_low(mode.clone(), contrasts, scheme.paper, decimal(MIN_TEXT_CONTRAST));
    let finding = Finding::new(Code::LOW_CONTRAST, Place::new(SETTINGS, at.span), message);
    let nearest: Vec<String> = scheme.nearest(part, texts).iter().map(|colour| format!("`{colour}`")).collect();
    Some(finding.help(match nearest.as_slice() {
        [] => messages::no_contrast_help(),
        [colour] => messages::nearest_colour_help(colour),
        colours => messages::nearest_colours_help(colours.join(", ")),
    }))
}

/// Returns a number with the decimal mark of each language.
fn decimal(number: f64) -> Text {
    let number = number.to_string();
    match number.split_once('.') {
        Some((whole, fraction)) => messages::decimal(whole, fraction),
        None => Text::verbatim(number),
    }
}
