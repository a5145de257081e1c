//! Colours and rules that browsers know and the drawing library does not. It paints black for such a colour, also where
//! one that it knows stands before, which CSS would use, and leaves out what such a rule says.

use std::borrow::Cow;

use roxmltree::{Document, Node};

/// Properties whose values are colours.
const COLOURS: [&str; 6] = ["fill", "stroke", "stop-color", "flood-color", "lighting-color", "color"];
/// Words for colours of the reader's system, and for those of another place.
const UNKNOWN_WORDS: [&str; 23] = [
    "initial",
    "unset",
    "revert",
    "revert-layer",
    "accentcolor",
    "accentcolortext",
    "activetext",
    "buttonborder",
    "buttonface",
    "buttontext",
    "canvas",
    "canvastext",
    "field",
    "fieldtext",
    "graytext",
    "highlight",
    "highlighttext",
    "linktext",
    "mark",
    "marktext",
    "selecteditem",
    "selecteditemtext",
    "visitedtext",
];
/// Properties of a shape, which the library reads from attributes only.
const GEOMETRY: [&str; 13] =
    ["x", "y", "cx", "cy", "r", "rx", "ry", "width", "height", "d", "translate", "rotate", "scale"];
/// Units of a `transform`, which the library reads without units.
const UNITS: [&str; 6] = ["deg", "rad", "turn", "px", "em", "%"];
/// Conditions of selectors that the library knows, or that no picture meets.
const KNOWN_CONDITIONS: [&str; 6] = [":first-child", ":hover", ":focus", ":active", ":visited", ":focus-visible"];
/// Rules of a style sheet that change nothing in a picture.
const RULES_WITHOUT_EFFECT: [&str; 6] = ["@charset", "@namespace", "@font-face", "@keyframes", "@page", "@property"];

/// Maximum length in bytes of a colour, and of the declarations before it that are compared with it. Without them, the
/// work would grow with the square of the size of a drawing.
const MAX_COLOUR: usize = 200;
const MAX_DISTANCE: usize = 2_000;

/// Returns a drawing in colours that the library knows: the declaration before an unknown one, or the same colour in
/// another form.
///
/// # Errors
/// The position of a colour for which there is neither, or of a rule that the library would leave out.
pub(super) fn known<'t>(text: &'t str, document: &Document) -> Result<Cow<'t, str>, usize> {
    let elements = || document.descendants().filter(Node::is_element);
    let sheets = elements().filter(|element| element.tag_name().name() == "style");
    for part in sheets.flat_map(|sheet| sheet.children()) {
        if let Some(rule) = part.text().and_then(lost_rule) {
            let start = part.range().start;
            return Err(start + text[part.range()].find(&rule).unwrap_or_default());
        }
    }
    let mut inner = elements().skip(1).filter(|element| element.attribute("style").is_some_and(sets_geometry));
    if let Some(element) = inner.next() {
        return Err(element.range().start);
    }
    let mut drawn = String::new();
    let mut done = 0;
    for colour in colours(text) {
        match form(colour.value) {
            Some(Cow::Borrowed(_)) => {}
            Some(Cow::Owned(form)) => {
                drawn.push_str(text.get(done..colour.start).ok_or(colour.start)?);
                drawn.push_str(&form);
                done = colour.start + colour.value.len();
            }
            // Without a declaration before it there is nothing to draw.
            None => {
                let start = colour.start_of_declaration.ok_or(colour.start)?;
                let from = start.saturating_sub(MAX_DISTANCE);
                let list = memchr::memrchr3(b'{', b'"', b'\'', &text.as_bytes()[from..start]).ok_or(colour.start)?;
                let list = from + list + 1;
                let is_same = |(other, value): (&str, &str)| other.trim() == colour.property && form(value).is_some();
                if !text[list..start].split(';').filter_map(|it| it.split_once(':')).any(is_same) {
                    return Err(colour.start);
                }
                let end = colour.start + colour.value.len();
                drawn.push_str(text.get(done..start).ok_or(start)?);
                done = end + usize::from(text[end..].starts_with(';'));
            }
        }
    }
    if done == 0 {
        return Ok(Cow::Borrowed(text));
    }
    drawn.push_str(&text[done..]);
    Ok(Cow::Owned(drawn))
}

/// A colour in the text of a drawing.
struct WrittenColour<'t> {
    property: &'t str,
    value: &'t str,
    /// Bytes before the value.
    start: usize,
    /// Bytes before the declaration; `None` for an attribute.
    start_of_declaration: Option<usize>,
}

/// Finds `fill: …` and `fill="…"`.
fn colours(text: &str) -> impl Iterator<Item = WrittenColour<'_>> {
    memchr::memchr2_iter(b':', b'=', text.as_bytes()).filter_map(|at| {
        let before = text[..at].trim_end();
        let start = before.trim_end_matches(|letter: char| letter.is_ascii_alphanumeric() || letter == '-').len();
        let property = COLOURS.into_iter().find(|property| *property == &before[start..])?;
        let after = &text[at + 1..];
        let value = after.trim_start();
        let from = text.len() - value.len();
        if text.as_bytes()[at] == b'=' {
            let quote = value.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
            let is_foreign = before[..start].ends_with(':');
            let near = &value[1..value.floor_char_boundary(MAX_COLOUR)];
            let (value, _) = near.split_once(quote).filter(|_| !is_foreign)?;
            return Some(WrittenColour { property, value, start: from + 1, start_of_declaration: None });
        }
        // A reference may have quotation marks.
        let near = &value[..value.floor_char_boundary(MAX_COLOUR)];
        let inner = if value.starts_with("url(") { near.find(')')? } else { 0 };
        let end = inner + near[inner..].find([';', '}', '"', '\'', '<'])?;
        Some(WrittenColour { property, value: &value[..end], start: from, start_of_declaration: Some(start) })
    })
}

/// Returns a colour in a form that the library knows, which is mostly the written one; `None` if there is none. Words that
/// are no colours in browsers either are returned as they are.
fn form(written: &str) -> Option<Cow<'_, str>> {
    let bare = written.split('!').next().unwrap_or_default().trim();
    let lower = bare.to_ascii_lowercase();
    let changed = |form: &str| Some(Cow::Owned(written.replacen(bare, form, 1)));
    match lower.as_str() {
        "currentcolor" if bare != "currentColor" => return changed("currentColor"),
        "rebeccapurple" => return changed("#663399"),
        word if UNKNOWN_WORDS.contains(&word) => return None,
        _ => {}
    }
    let Some((name, arguments)) = lower.split_once('(').filter(|(name, _)| *name != "url") else {
        return Some(Cow::Borrowed(written));
    };
    let arguments = arguments.strip_suffix(')')?;
    let parts: Vec<&str> = arguments.split([',', '/', ' ', '\t', '\n', '\r']).filter(|part| !part.is_empty()).collect();
    let is_number = |part: &&str| part.starts_with(|letter: char| letter.is_ascii_digit() || "+-.".contains(letter));
    if !matches!(name, "rgb" | "rgba" | "hsl" | "hsla")
        || !(3..=4).contains(&parts.len())
        || !parts.iter().all(is_number)
    {
        return None;
    }
    let alpha = parts.get(3).and_then(|alpha| alpha.strip_suffix('%'));
    let is_listed = arguments.contains(',');
    if alpha.is_none() && is_listed {
        return Some(Cow::Borrowed(written));
    }
    let [first, second, third, ..] = parts[..] else { return None };
    let name = &name[..3];
    match alpha
        .map(str::parse::<f64>)
        .or_else(|| parts.get(3).map(|alpha| alpha.parse().map(|alpha: f64| alpha * 100.0)))
    {
        Some(alpha) => changed(&format!("{name}a({first},{second},{third},{})", alpha.ok()? / 100.0)),
        None => changed(&format!("{name}({first},{second},{third})")),
    }
}

/// Returns the beginning of a rule of a style sheet that the library leaves out and a browser applies by day.
fn lost_rule(sheet: &str) -> Option<String> {
    let sheet = without_comments(sheet);
    let mut sheet = sheet.as_str();
    while let Some((prelude, rest)) = sheet.split_once('{') {
        let prelude = prelude.rsplit(';').next().unwrap_or_default().trim();
        let Some(end) = end_of_block(rest) else { return Some(prelude.to_owned()) };
        let block = &rest[..end];
        let is_lost = if let Some(rule) = prelude.strip_prefix('@') {
            let is_of_another_medium = rule.starts_with("media") && (rule.contains("dark") || rule.contains("print"));
            !is_of_another_medium && !RULES_WITHOUT_EFFECT.iter().any(|known| prelude.starts_with(known))
        } else {
            let is_root = matches!(prelude, "svg" | ":root");
            // What is nested in a rule is lost with it.
            block.contains('{') || !is_known(prelude) || (!is_root && sets_geometry(block))
        };
        if is_lost {
            return Some(prelude.to_owned());
        }
        sheet = &rest[end + 1..];
    }
    None
}

/// Returns whether the library knows the conditions of a selector.
fn is_known(selector: &str) -> bool {
    let conditions = selector.match_indices(':').map(|(at, _)| &selector[at..]);
    let is_condition = |rest: &str| {
        let end = rest[1..]
            .find(|letter: char| !letter.is_ascii_alphabetic() && letter != '-')
            .map_or(rest.len(), |end| end + 1);
        KNOWN_CONDITIONS.contains(&&rest[..end])
    };
    selector == ":root" || (conditions.into_iter().all(is_condition) && !selector.replace("~=", "").contains('~'))
}

fn sets_geometry(declarations: &str) -> bool {
    let mut pairs = declarations.split(';').filter_map(|declaration| declaration.split_once(':'));
    pairs.any(|(name, value)| {
        let has_unit = || UNITS.iter().any(|unit| value.contains(unit));
        GEOMETRY.contains(&name.trim()) || (name.trim() == "transform" && has_unit())
    })
}

fn without_comments(sheet: &str) -> String {
    let mut parts = sheet.split("/*");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.filter_map(|part| part.split_once("*/")).fold(first, |all, (_, rest)| all + rest)
}

/// Returns the number of bytes before the bracket that closes a block.
fn end_of_block(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    rest.match_indices(['{', '}']).find_map(|(at, bracket)| {
        if bracket == "{" {
            depth += 1;
            return None;
        }
        depth.checked_sub(1).map_or(Some(at), |less| {
            depth = less;
            None
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is drawn of elements inside a drawing.
    fn drawn(inside: &str) -> Option<String> {
        let root = "<svg xmlns=\"http://www.w3.org/2000/svg\">";
        let text = format!("{root}{inside}</svg>");
        let drawn = known(&text, &Document::parse(&text).unwrap()).ok()?;
        Some(drawn.strip_prefix(root)?.strip_suffix("</svg>")?.to_owned())
    }

    #[test]
    fn colour_before_an_unknown_one_is_used() {
        for (written, expected) in [
            ("<path style=\"fill:#1F3A5F;fill:color(display-p3 .1 .2 .4)\"/>", Some("<path style=\"fill:#1F3A5F;\"/>")),
            (
                "<style>.a{fill:navy;fill:oklch(35% .07 260);stroke:none}</style>",
                Some("<style>.a{fill:navy;stroke:none}</style>"),
            ),
            ("<path fill=\"oklch(35% .07 260)\"/>", None),
            ("<style>.a{stroke:navy;fill:var(--brand)}</style>", None),
            ("<path fill=\"color-mix(in srgb, red, blue)\"/>", None),
            ("<path style=\"fill:red;stroke:Canvas\"/>", None),
            ("<path fill=\"hwb(213 12% 63%)\"/>", None),
            ("<path fill=\"rgb(none 0 0)\"/>", None),
            ("<path fill=\"rgb(from red r g b)\"/>", None),
            ("<text>color(s) and var(iables)</text>", Some("<text>color(s) and var(iables)</text>")),
            ("<title>Yalıçam: ş=</title>", Some("<title>Yalıçam: ş=</title>")),
        ] {
            assert_eq!(drawn(written).as_deref(), expected, "{written}");
        }
    }

    #[test]
    fn colour_far_from_the_one_before_it_is_not_drawn() {
        let style =
            |between: usize| format!("<path style=\"fill:navy;{}fill:var(--a)\"/>", "opacity:1;".repeat(between));
        assert!(drawn(&style(150)).is_some());
        assert_eq!(drawn(&style(250)), None);
    }

    #[test]
    fn same_colour_in_another_form_is_drawn() {
        for (written, expected) in [
            ("style='fill: rgb(31 58 95 / 50%)'", "style='fill: rgba(31,58,95,0.5)'"),
            ("style='fill:rgba(31,58,95,50%)!important'", "style='fill:rgba(31,58,95,0.5)!important'"),
            ("fill=\"rgb(31 58 95)\"", "fill=\"rgb(31,58,95)\""),
            ("fill=\"hsl(213deg 51% 25% / .5)\"", "fill=\"hsla(213deg,51%,25%,0.5)\""),
            ("fill=\"RebeccaPurple\" stroke=\"currentcolor\"", "fill=\"#663399\" stroke=\"currentColor\""),
            ("fill=\"rgb(31,58,95)\" transform=\"scale(2)\"", "fill=\"rgb(31,58,95)\" transform=\"scale(2)\""),
            (
                "fill=\"url(#a) red\" style='stroke:url(\"#b\");color:Navy'",
                "fill=\"url(#a) red\" style='stroke:url(\"#b\");color:Navy'",
            ),
            (
                "fill=\"#1f3a5f80\" stroke=\"none\" color=\"inherit\"",
                "fill=\"#1f3a5f80\" stroke=\"none\" color=\"inherit\"",
            ),
        ] {
            assert_eq!(drawn(&format!("<path {written}/>")), Some(format!("<path {expected}/>")));
        }
    }

    #[test]
    fn place_of_an_unknown_colour_or_rule_is_found() {
        for (inside, place) in [
            ("<path fill=\"red\"/><path fill=\"oklch(1 0 0)\"/>", "oklch"),
            ("<style>.a{fill:red}\n/* b */ path:not(.b){fill:navy}</style>", "path:not"),
            ("<rect style='width:4px'/>", "<rect"),
        ] {
            let text = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>");
            let at = known(&text, &Document::parse(&text).unwrap()).unwrap_err();
            assert!(text[at..].starts_with(place), "{}", &text[at..]);
        }
    }

    #[test]
    fn rules_that_the_library_leaves_out_are_not_drawn() {
        for (sheet, is_drawn) in [
            (".a,path.b[d] > c + d{fill:red} #x{fill:url(#a)}", true),
            ("a:hover{fill:red}/* :not(.b) @layer */.c:first-child{fill:red}", true),
            ("@charset \"utf-8\";.a{fill:red}@font-face{font-family:a;src:none}", true),
            (".a{fill:red}@media (prefers-color-scheme: dark){.a{fill:white}}@media print{.a{fill:black}}", true),
            ("svg{width:10px;height:10px}:root{color:red}", true),
            ("path:not(.b){fill:navy}", false),
            (":is(.a,.b){fill:navy}", false),
            ("path:nth-child(2){fill:navy}", false),
            (".a ~ .b{fill:navy}", false),
            ("@layer a{path{fill:navy}}", false),
            ("@supports (fill:red){path{fill:navy}}", false),
            ("@media (prefers-color-scheme: light){.a{fill:red}}", false),
            (".a{fill:red; .b{fill:navy}}", false),
            ("rect{x:4px;fill:red}", false),
            (".a{fill:red", false),
        ] {
            assert_eq!(drawn(&format!("<style><![CDATA[{sheet}]]></style>")).is_some(), is_drawn, "{sheet}");
        }
        assert_eq!(drawn("<rect style='width:4px'/>"), None);
        assert_eq!(drawn("<rect style='transform: rotate(90deg)'/>"), None);
        assert!(drawn("<rect style='transform:rotate(90)'/>").is_some());
        assert!(drawn("<rect style='stroke-width:4px;fill:red'/>").is_some());
    }
}
