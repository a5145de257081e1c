//! The numbers that Word writes before paragraphs, as text.
//!
//! Word stores `Madde 5 –`, `1.1.` and `(a)` as settings of a list. pandoc reads lists of them and loses the form of the
//! numbers, and all numbers of headings. Therefore they are written into the paragraphs before pandoc reads these; only
//! plain lists (`1.`, `2.`, `3.` on one level) stay lists.

use std::collections::{BTreeMap, HashMap, HashSet};

use roxmltree::{Document, Node};

use crate::edits::{PartEdit, WORD, edited};

/// Levels of a list in Word.
const LEVELS: usize = 9;

/// Returns the text of a document, `word/document.xml`, with its numbers written out.
pub(crate) fn write_out(document: &str, numbering: &str, styles: Option<&str>) -> Option<String> {
    let (text, lists) = (Document::parse(document).ok()?, Document::parse(numbering).ok()?);
    let lists = Lists::of(&lists);
    let styles = styles.and_then(|styles| Document::parse(styles).ok());
    let styles = styles.as_ref().map(StyleNumbers::of).unwrap_or_default();
    let paragraphs: Vec<(Node, NumberOfParagraph)> = text
        .descendants()
        .filter(|node| node.has_tag_name((WORD, "p")))
        .filter_map(|paragraph| Some((paragraph, styles.of_paragraph(paragraph)?)))
        .filter(|(_, number)| lists.level(*number).is_some())
        .collect();
    let mut used: HashMap<&str, HashSet<usize>> = HashMap::new();
    for (paragraph, number) in &paragraphs {
        if let Some(list) = lists.by_number.get(number.list) {
            // A heading is never the item of a list.
            let level = if is_heading(*paragraph) { LEVELS } else { number.level };
            used.entry(list.shared).or_default().insert(level);
        }
    }
    let mut counters: HashMap<&str, [Option<u32>; LEVELS]> = HashMap::new();
    let mut begun: HashSet<(&str, usize)> = HashSet::new();
    let mut edits: Vec<PartEdit> = Vec::new();
    for (paragraph, number) in paragraphs {
        let (Some(list), Some(level)) = (lists.by_number.get(number.list), lists.level(number)) else { continue };
        let counters = counters.entry(list.shared).or_default();
        // "Restart at" is another list of the same levels, with a number of its own.
        if begun.insert((number.list, number.level)) && list.starts.contains_key(&number.level) {
            counters[number.level] = None;
        }
        let label = lists.next_label(list, number.level, counters);
        let is_plain_list = used.get(list.shared).is_some_and(|levels| *levels == HashSet::from([0]))
            && level.format == "decimal"
            && level.text == "%1.";
        if level.format == "bullet" || is_plain_list {
            continue;
        }
        edits.extend(edits_of(paragraph, &label));
    }
    edited(document, edits)
}

/// Returns the edits that turn the number of a paragraph into text.
fn edits_of(paragraph: Node, label: &str) -> Vec<PartEdit> {
    let prefix = paragraph.lookup_prefix(WORD).unwrap_or("w");
    let label = label.replace('&', "&amp;").replace('<', "&lt;");
    let run = if label.is_empty() {
        String::new()
    } else {
        format!("<{prefix}:r><{prefix}:t xml:space=\"preserve\">{label} </{prefix}:t></{prefix}:r>")
    };
    // A list that does not exist: the paragraph's style may name one, too.
    let none = format!("<{prefix}:numPr><{prefix}:numId {prefix}:val=\"0\"/></{prefix}:numPr>");
    let Some(properties) = child(paragraph, "pPr") else {
        let start = paragraph.first_child().map_or(paragraph.range().end, |first| first.range().start);
        return vec![(start, start, format!("<{prefix}:pPr>{none}</{prefix}:pPr>{run}"))];
    };
    // pandoc reads an indented paragraph that is no item of a list as a quotation.
    let removed =
        properties.children().filter(|node| ["ind", "numPr"].iter().any(|name| node.has_tag_name((WORD, *name))));
    let mut edits: Vec<_> = removed.map(|node| (node.range().start, node.range().end, String::new())).collect();
    let last = properties.range().end;
    match properties.last_child() {
        Some(child) => {
            // Behind the last property, which may be one of those that are removed.
            let end = child.range().end;
            edits.push((end, end, none));
            edits.push((last, last, run));
        }
        None => edits.push((last, last, run)),
    }
    edits
}

fn child<'a, 'x>(node: Node<'a, 'x>, name: &str) -> Option<Node<'a, 'x>> {
    node.children().find(|child| child.has_tag_name((WORD, name)))
}

/// Returns the attribute `val` of a child.
fn value<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    child(node, name)?.attribute((WORD, "val"))
}

fn style_of<'a>(paragraph: Node<'a, '_>) -> Option<&'a str> {
    value(child(paragraph, "pPr")?, "pStyle")
}

fn is_heading(paragraph: Node) -> bool {
    let style = style_of(paragraph).unwrap_or_default().to_lowercase();
    // The names of Word in English and in Turkish, without spaces.
    style.starts_with("heading") || style.starts_with("balk") || style.starts_with("başlık")
}

/// The list and the level of a paragraph.
#[derive(Clone, Copy)]
struct NumberOfParagraph<'a> {
    list: &'a str,
    level: usize,
}

/// The list and the level that paragraph styles state.
#[derive(Default)]
struct StyleNumbers<'a> {
    by_style: HashMap<&'a str, (Option<&'a str>, Option<usize>)>,
}

impl<'a> StyleNumbers<'a> {
    fn of(styles: &'a Document) -> Self {
        let all: HashMap<&str, Node> = styles
            .descendants()
            .filter(|node| node.has_tag_name((WORD, "style")))
            .filter_map(|node| Some((node.attribute((WORD, "styleId"))?, node)))
            .collect();
        let by_style = all.iter().map(|(id, style)| {
            let (mut list, mut level, mut present) = (None, None, Some(*style));
            // Styles inherit; the length of a chain is limited, because it may be a circle.
            for _ in 0..12 {
                let Some(style) = present else { break };
                let numbers = child(style, "pPr").and_then(|properties| child(properties, "numPr"));
                list = list.or_else(|| value(numbers?, "numId"));
                level = level.or_else(|| value(numbers?, "ilvl")?.parse().ok());
                present = value(style, "basedOn").and_then(|parent| all.get(parent)).copied();
            }
            (*id, (list, level))
        });
        Self { by_style: by_style.collect() }
    }

    fn of_paragraph<'b>(&self, paragraph: Node<'b, '_>) -> Option<NumberOfParagraph<'b>>
    where
        'a: 'b,
    {
        let own = child(paragraph, "pPr").and_then(|properties| child(properties, "numPr"));
        let (of_style, level_of_style) =
            style_of(paragraph).and_then(|style| self.by_style.get(style)).copied().unwrap_or_default();
        let list = own.and_then(|own| value(own, "numId")).or(of_style)?;
        let level = own.and_then(|own| value(own, "ilvl")?.parse().ok()).or(level_of_style).unwrap_or_default();
        (level < LEVELS).then_some(NumberOfParagraph { list, level })
    }
}

#[derive(Clone, Debug)]
struct ListLevel<'a> {
    start: u32,
    format: &'a str,
    /// The text with `%1` to `%9` for the counters.
    text: &'a str,
    /// Whether all counters are written in digits.
    is_legal: bool,
}

struct NumberedList<'a> {
    /// The list whose levels and counters several lists share.
    shared: &'a str,
    /// The numbers from which this list begins anew, by level.
    starts: BTreeMap<usize, u32>,
}

struct Lists<'a> {
    by_number: HashMap<&'a str, NumberedList<'a>>,
    levels: HashMap<&'a str, BTreeMap<usize, ListLevel<'a>>>,
}

impl<'a> Lists<'a> {
    fn of(numbering: &'a Document) -> Self {
        let root = numbering.root_element();
        let level = |node: Node<'a, '_>| {
            let at: usize = node.attribute((WORD, "ilvl"))?.parse().ok()?;
            let level = ListLevel {
                start: value(node, "start").and_then(|start| start.parse().ok()).unwrap_or(1),
                format: value(node, "numFmt").unwrap_or("decimal"),
                text: value(node, "lvlText").unwrap_or_default(),
                is_legal: child(node, "isLgl").is_some(),
            };
            Some((at, level))
        };
        let of_name = |name| root.children().filter(move |node| node.has_tag_name((WORD, name)));
        let levels = of_name("abstractNum").filter_map(|list| {
            let levels = list.children().filter(|node| node.has_tag_name((WORD, "lvl"))).filter_map(level).collect();
            Some((list.attribute((WORD, "abstractNumId"))?, levels))
        });
        let by_number = of_name("num").filter_map(|list| {
            let overrides = list.children().filter(|node| node.has_tag_name((WORD, "lvlOverride")));
            let starts = overrides.filter_map(|node| {
                Some((node.attribute((WORD, "ilvl"))?.parse().ok()?, value(node, "startOverride")?.parse().ok()?))
            });
            let shared = value(list, "abstractNumId")?;
            Some((list.attribute((WORD, "numId"))?, NumberedList { shared, starts: starts.collect() }))
        });
        Self { by_number: by_number.collect(), levels: levels.collect() }
    }

    fn level(&self, number: NumberOfParagraph) -> Option<&ListLevel<'a>> {
        self.levels.get(self.by_number.get(number.list)?.shared)?.get(&number.level)
    }

    /// Counts a paragraph, and returns its number as Word shows it.
    fn next_label(&self, list: &NumberedList, level: usize, counters: &mut [Option<u32>; LEVELS]) -> String {
        let Some(levels) = self.levels.get(list.shared) else { return String::new() };
        let start =
            |at: usize| list.starts.get(&at).copied().unwrap_or_else(|| levels.get(&at).map_or(1, |level| level.start));
        counters[level] = Some(counters[level].map_or_else(|| start(level), |count| count.saturating_add(1)));
        counters[level + 1..].fill(None);
        let Some(of_level) = levels.get(&level) else { return String::new() };
        let mut label = of_level.text.to_owned();
        for (at, counter) in counters.iter().enumerate() {
            let place = format!("%{}", at + 1);
            if label.contains(&place) {
                let format = levels.get(&at).map_or("decimal", |level| level.format);
                let format = if of_level.is_legal { "decimal" } else { format };
                label = label.replace(&place, &counted(counter.unwrap_or_else(|| start(at)), format));
            }
        }
        label.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Returns a number in one of the forms of Word.
pub(crate) fn counted(number: u32, format: &str) -> String {
    match format {
        "none" => String::new(),
        "decimalZero" => format!("{number:02}"),
        "lowerLetter" => letters(number),
        "upperLetter" => letters(number).to_uppercase(),
        "lowerRoman" => roman(number),
        "upperRoman" => roman(number).to_uppercase(),
        _ => number.to_string(),
    }
}

/// Word counts `z`, `aa`, `bb`.
fn letters(number: u32) -> String {
    let index = number.saturating_sub(1);
    let letter = char::from(b'a' + (index % 26) as u8);
    letter.to_string().repeat((index / 26).min(20) as usize + 1)
}

fn roman(number: u32) -> String {
    const DIGITS: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    let (mut rest, mut text) = (number.min(4_999), String::new());
    for (value, digits) in DIGITS {
        while rest >= value {
            text.push_str(digits);
            rest -= value;
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const NUMBERING: &str = r#"<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
        <w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:start w:val="5"/><w:numFmt w:val="decimal"/><w:lvlText w:val="Madde %1 –"/></w:lvl>
        <w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2."/></w:lvl>
        <w:lvl w:ilvl="2"><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="(%3)"/></w:lvl></w:abstractNum>
        <w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>
        <w:num w:numId="9"><w:abstractNumId w:val="1"/><w:lvlOverride w:ilvl="2"><w:startOverride w:val="1"/></w:lvlOverride></w:num>
        <w:num w:numId="7"><w:abstractNumId w:val="1"/></w:num><w:num w:numId="8"><w:abstractNumId w:val="2"/></w:num></w:numbering>"#;

    fn document(paragraphs: &[(&str, &str, &str)]) -> String {
        let paragraphs = paragraphs.iter().map(|(list, level, text)| {
            format!(
                "<w:p><w:pPr><w:numPr><w:ilvl w:val=\"{level}\"/><w:numId w:val=\"{list}\"/></w:numPr><w:ind w:left=\"720\"/></w:pPr>\
                 <w:r><w:t>{text}</w:t></w:r></w:p>"
            )
        });
        format!("<w:document xmlns:w=\"{WORD}\"><w:body>{}</w:body></w:document>", paragraphs.collect::<String>())
    }

    fn texts(document: &str) -> Vec<String> {
        let document = Document::parse(document).unwrap();
        let paragraphs = document.descendants().filter(|node| node.has_tag_name((WORD, "p")));
        let text = |paragraph: Node| {
            paragraph.descendants().filter(Node::is_text).filter_map(|node| node.text()).collect::<String>()
        };
        paragraphs.map(text).collect()
    }

    #[test]
    fn numbers_of_articles_and_clauses_become_text() {
        let rows = [
            ("7", "0", "bir"),
            ("7", "1", "iki"),
            ("7", "2", "üç"),
            ("7", "2", "dört"),
            ("7", "0", "beş"),
            ("7", "1", "altı"),
        ];
        let written = write_out(&document(&rows), NUMBERING, None).unwrap();
        assert_eq!(texts(&written), ["Madde 5 – bir", "5.1. iki", "(a) üç", "(b) dört", "Madde 6 – beş", "6.1. altı"]);
        assert!(!written.contains("w:ind ") && !written.contains("w:val=\"7\""), "{written}");
    }

    #[test]
    fn list_that_is_restarted_begins_anew() {
        let rows =
            [("7", "0", "x"), ("7", "2", "x"), ("7", "2", "x"), ("9", "2", "x"), ("9", "2", "x"), ("7", "2", "x")];
        let written = write_out(&document(&rows), NUMBERING, None).unwrap();
        assert_eq!(texts(&written), ["Madde 5 – x", "(a) x", "(b) x", "(a) x", "(b) x", "(c) x"]);
    }

    #[test]
    fn plain_list_stays_a_list() {
        let rows = [("8", "0", "bir"), ("8", "0", "iki")];
        assert_eq!(write_out(&document(&rows), NUMBERING, None).unwrap(), document(&rows));
    }

    #[test]
    fn numbers_have_the_forms_of_word() {
        assert_eq!([1, 26, 27, 28].map(|it| counted(it, "lowerLetter")), ["a", "z", "aa", "bb"]);
        assert_eq!([4, 9, 14, 40].map(|it| counted(it, "upperRoman")), ["IV", "IX", "XIV", "XL"]);
    }
}
