//! The work of drawing a logo or an icon, counted before the drawing library does it.
//!
//! A few lines of SVG can nest and refer to each other so that they overflow the library's stack, or draw millions of
//! shapes. What is counted is never less than what the library does; what cannot be bounded is not drawn.

use std::collections::HashMap;

use roxmltree::{Document, Node, NodeId};

use super::{NAMESPACE, URL};

/// Maximum nesting, with references followed.
const MAX_DEPTH: usize = 48;
/// Maximum of elements that are drawn, with references followed; 50 bytes of attributes and one byte of text count as
/// one.
const MAX_WORK: u64 = 100_000;
/// Bytes of attributes that count as an element.
const BYTES: usize = 50;
/// What an element with an effect on a layer of its own counts.
const LAYER: u64 = 20;
/// What a step of a filter counts.
const FILTER_STEP: u64 = 4_000;
/// Maximum of bytes of styles times elements: each rule is compared with each element.
const MAX_STYLE_WORK: u64 = 400_000_000;
/// Elements whose work depends on more than their number.
const UNBOUNDED: [&str; 5] = ["pattern", "marker", "feTurbulence", "feMorphology", "feConvolveMatrix"];
/// Elements that are not drawn.
const UNDRAWN: [&str; 4] = ["metadata", "title", "desc", "style"];

#[derive(Clone, Copy)]
struct Measure {
    /// Levels below an element, with itself.
    height: usize,
    work: u64,
}

struct Drawing<'d, 't> {
    by_id: HashMap<&'d str, Node<'d, 't>>,
    /// The properties that rules set, by class, name of element or identifier as selectors write them.
    rules: HashMap<String, Vec<(&'d str, &'d str)>>,
    measured: HashMap<NodeId, Measure>,
}

/// Returns whether the work of drawing `document` is small.
pub(super) fn is_drawable(document: &Document) -> bool {
    let elements = || document.descendants().filter(Node::is_element);
    let sheets = elements().filter(|element| element.tag_name().name() == "style");
    let sheets: Vec<&str> = sheets.flat_map(|sheet| sheet.children()).filter_map(|child| child.text()).collect();
    let style_bytes = sheets.iter().map(|sheet| sheet.len() as u64).sum::<u64>();
    let names = |element: Node| 1 + element.attribute("class").unwrap_or_default().split_ascii_whitespace().count();
    if style_bytes.saturating_mul(elements().map(names).sum::<usize>() as u64) > MAX_STYLE_WORK {
        return false;
    }
    let Some(rules) = rules(&sheets) else { return false };
    let by_id = elements().filter_map(|element| Some((element.attribute("id")?, element))).collect();
    let mut drawing = Drawing { by_id, rules, measured: HashMap::new() };
    let Some(whole) = drawing.measure(document.root_element(), 1) else { return false };
    whole.work <= MAX_WORK && style_bytes.saturating_mul(whole.work) <= MAX_STYLE_WORK
}

/// Returns the properties that matter here by selector; `None` if such a rule has a selector of more than one part, so
/// that it is unknown where it applies.
fn rules<'d>(sheets: &[&'d str]) -> Option<HashMap<String, Vec<(&'d str, &'d str)>>> {
    let mut rules: HashMap<String, Vec<_>> = HashMap::new();
    for rule in sheets.iter().flat_map(|sheet| sheet.split('}')) {
        let Some((selectors, body)) = rule.rsplit_once('{') else { continue };
        let set: Vec<_> = declarations(body).filter(|(property, value)| matters(property, value)).collect();
        if set.is_empty() {
            continue;
        }
        for selector in selectors.rsplit(['{', '/']).next().unwrap_or_default().split(',') {
            let selector = selector.trim();
            let name = selector.trim_start_matches(['.', '#']);
            let is_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-');
            if name.is_empty() || !name.chars().all(is_name) || selector.len() > name.len() + 1 {
                return None;
            }
            rules.entry(selector.to_owned()).or_default().extend(&set);
        }
    }
    Some(rules)
}

fn declarations(style: &str) -> impl Iterator<Item = (&str, &str)> {
    let pairs = style.split(';').filter_map(|declaration| declaration.split_once(':'));
    pairs.map(|(property, value)| (property.rsplit('/').next().unwrap_or_default().trim(), value.trim()))
}

/// Returns whether a property adds work: it refers to an element, makes a layer, or repeats something along a line.
fn matters(property: &str, value: &str) -> bool {
    value.contains(URL) || is_layer(property, value) || is_repeated(property, value)
}

fn is_layer(property: &str, value: &str) -> bool {
    matches!(property, "opacity" | "filter" | "mask" | "clip-path" | "mix-blend-mode" | "isolation")
        && !matches!(value, "none" | "1" | "normal" | "auto")
}

fn is_repeated(property: &str, value: &str) -> bool {
    (property == "stroke-dasharray" || property.starts_with("marker")) && value != "none"
}

/// Returns the identifier to which `value` refers: `url(#a)`.
fn target(value: &str) -> Option<&str> {
    let (_, rest) = value.split_once(URL)?;
    let (name, _) = rest.split_once(')')?;
    name.trim().trim_matches(['"', '\'']).strip_prefix('#')
}

impl<'d, 't> Drawing<'d, 't> {
    /// Measures an element at this level; `None` if its work is not bounded. References in a circle are too deep.
    fn measure(&mut self, element: Node<'d, 't>, level: usize) -> Option<Measure> {
        if let Some(known) = self.measured.get(&element.id()) {
            return Some(*known).filter(|known| level + known.height - 1 <= MAX_DEPTH);
        }
        let name = element.tag_name().name();
        if level > MAX_DEPTH || UNBOUNDED.contains(&name) {
            return None;
        }
        let mut own =
            1 + element.attributes().map(|attribute| attribute.range().len()).sum::<usize>() as u64 / BYTES as u64;
        own += if name.starts_with("fe") && name != "feMergeNode" && !name.starts_with("feFunc") {
            FILTER_STEP
        } else {
            0
        };
        let (mut height, mut below, mut referred) = (0, 0_u64, 0_u64);
        for child in element.children() {
            if child.is_text() {
                let is_drawn = matches!(name, "text" | "tspan" | "textPath" | "tref" | "switch");
                own += if is_drawn { child.text().unwrap_or_default().len() as u64 } else { 0 };
            }
            let tag = child.tag_name();
            if child.is_element() && tag.namespace() == Some(NAMESPACE) && !UNDRAWN.contains(&tag.name()) {
                let measure = self.measure(child, level + 1)?;
                (height, below) = (height.max(measure.height), below.saturating_add(measure.work));
            }
        }
        for attribute in element.attributes().filter(|attribute| attribute.name() == "href") {
            let Some(target) = attribute.value().trim().strip_prefix('#').and_then(|id| self.by_id.get(id)) else {
                continue;
            };
            let measure = self.measure(*target, level + 1)?;
            (height, below) = (height.max(measure.height), below.saturating_add(measure.work));
        }
        for (property, value) in self.properties(element) {
            if is_repeated(property, value) {
                return None;
            }
            own += if is_layer(property, value) { LAYER } else { 0 };
            let Some(target) = target(value).and_then(|id| self.by_id.get(id)) else { continue };
            let measure = self.measure(*target, level + 1)?;
            // Colours are inherited by each element below.
            let times = if matches!(property, "fill" | "stroke") { below.max(1) } else { 1 };
            height = height.max(measure.height);
            referred = referred.saturating_add(measure.work.saturating_mul(times));
        }
        let measure = Measure { height: height + 1, work: own.saturating_add(below).saturating_add(referred) };
        self.measured.insert(element.id(), measure);
        Some(measure)
    }

    /// Returns the properties of an element from its attributes, its style and the rules that apply to it.
    fn properties(&self, element: Node<'d, 't>) -> Vec<(&'d str, &'d str)> {
        let attribute = |name: &str| element.attribute(name).unwrap_or_default();
        let own = element.attributes().map(|attribute| (attribute.name(), attribute.value().trim()));
        let mut properties: Vec<_> = own.chain(declarations(attribute("style"))).collect();
        let classes = attribute("class").split_ascii_whitespace().map(|class| format!(".{class}"));
        let selectors = classes.chain([format!("#{}", attribute("id")), element.tag_name().name().to_owned()]);
        for set in selectors.filter_map(|selector| self.rules.get(&selector)) {
            properties.extend(set);
        }
        properties
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_drawn(inside: &str) -> bool {
        let text = format!("<svg xmlns='{NAMESPACE}' xmlns:xlink='http://www.w3.org/1999/xlink'>{inside}</svg>");
        is_drawable(&Document::parse(&text).unwrap())
    }

    fn nested(times: usize) -> String {
        format!("{}<path d='M0 0h9'/>{}", "<g>".repeat(times), "</g>".repeat(times))
    }

    #[test]
    fn usual_logo_is_drawn() {
        for inside in [
            "<title>A</title><defs><linearGradient id='a'><stop offset='0'/></linearGradient></defs><path fill='url(#a)'/>",
            "<style>.a,.b{fill:url(#a);stroke-dasharray:none} text { font: 9px serif }</style><path class='a'/>",
            "<style>/* x */ #c { clip-path: url('#a') } path{opacity:.5}</style><clipPath id='a'><rect/></clipPath><g id='c'/>",
            "<g clip-path='url(#a)' style='filter:url(#f)'><path/></g><clipPath id='a'><rect/></clipPath>
             <filter id='f'><feFlood/><feOffset/><feGaussianBlur/><feColorMatrix/><feBlend/><feMerge><feMergeNode/></feMerge></filter>",
            "<symbol id='s'><path/></symbol><use xlink:href='#s'/><use href='#s'/><use href='#nowhere'/>",
            "<text>Hukuk<tspan>Bürosu</tspan></text>",
        ] {
            assert!(is_drawn(inside), "{inside}");
        }
    }

    #[test]
    fn nesting_is_limited_with_references_followed() {
        assert!(is_drawn(&nested(MAX_DEPTH - 2)));
        assert!(!is_drawn(&nested(MAX_DEPTH - 1)));
        for (link, ends) in [("use href='#g0'", true), ("g clip-path='url(#g0)'", true), ("use href='#other'", false)] {
            // A group that refers to another, which lies below as many.
            let groups = format!("<g id='g0'>{}</g>", nested(MAX_DEPTH - 4));
            assert_eq!(is_drawn(&format!("{groups}<g><{link}/></g>")), !ends, "{link}");
        }
        assert!(!is_drawn("<g id='a'><use href='#b'/></g><g id='b'><use href='#a'/></g>"));
        assert!(!is_drawn("<style>.a{fill:url(#p)}</style><linearGradient id='p'><stop class='a'/></linearGradient>"));
    }

    #[test]
    fn elements_are_counted_after_references_are_followed() {
        // Each group draws the one before it a number of times.
        let multiplied = |times: usize| {
            let mut text = "<g id='g0'><path/></g>".to_owned();
            for level in 1..=4 {
                let uses = format!("<use href='#g{}'/>", level - 1).repeat(times);
                text.extend(["<g id='g", &level.to_string(), "'>", &uses, "</g>"]);
            }
            text
        };
        assert!(is_drawn(&multiplied(11)));
        assert!(!is_drawn(&multiplied(18)));
        // A colour is drawn for each element that inherits it.
        let stops = "<stop/>".repeat(400);
        let coloured = |paths: usize| {
            format!("<linearGradient id='a'>{stops}</linearGradient><g fill='url(#a)'>{}</g>", "<path/>".repeat(paths))
        };
        assert!(is_drawn(&coloured(200)));
        assert!(!is_drawn(&coloured(260)));
        assert!(!is_drawn(&format!("<text>{}</text>", "a".repeat(MAX_WORK as usize))));
        assert!(!is_drawn(&format!("<path d='{}'/>", "M0 0".repeat(MAX_WORK as usize * BYTES / 4))));
    }

    #[test]
    fn effects_without_a_bound_are_not_drawn() {
        for inside in [
            "<pattern/>",
            "<path stroke-dasharray='1'/>",
            "<path style='marker-mid:url(#m)'/>",
            "<style>path{stroke-dasharray:1 2}</style><path/>",
            "<style>g path{fill:url(#a)}</style><path/>",
            "<filter><feTurbulence/></filter>",
        ] {
            assert!(!is_drawn(inside), "{inside}");
        }
        assert!(!is_drawn(&format!("<filter>{}</filter>", "<feOffset/>".repeat(25))));
        let classes = format!("<path class='{}'/>", "a ".repeat(20_000));
        let rules = ".a{fill:red}".repeat(2_000);
        assert!(!is_drawn(&format!("<style>{rules}</style>{classes}")));
        assert!(!is_drawn(&format!("<style>{rules}</style>{}", "<path/>".repeat(20_000))));
    }
}
