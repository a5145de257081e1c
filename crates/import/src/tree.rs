//! Changes pandoc's tree of a text into what the site's Markdown can express, and lists what is lost.
//!
//! The tree is changed in place; pandoc itself writes the Markdown. Positions are named by the heading above and the
//! first words, because neither Word nor `WordPress` has lines.

use std::{collections::BTreeMap, mem};

use contract::Locale;
use findings::messages::{self, Text};
use serde_json::{Value, json};

use crate::numbering::counted;

/// Stands for `<br>` in a cell: pandoc writes no raw HTML.
pub(crate) const BREAK: char = '\u{e000}';
/// Stand for brackets that pandoc would escape.
pub(crate) const OPEN: char = '\u{e001}';
pub(crate) const CLOSE: char = '\u{e002}';
/// Digits and signs that exist as small characters of their own.
const SUPERSCRIPTS: [(char, char); 10] = [
    ('0', '⁰'),
    ('1', '¹'),
    ('2', '²'),
    ('3', '³'),
    ('4', '⁴'),
    ('5', '⁵'),
    ('6', '⁶'),
    ('7', '⁷'),
    ('8', '⁸'),
    ('9', '⁹'),
];
const SUBSCRIPTS: [(char, char); 10] = [
    ('0', '₀'),
    ('1', '₁'),
    ('2', '₂'),
    ('3', '₃'),
    ('4', '₄'),
    ('5', '₅'),
    ('6', '₆'),
    ('7', '₇'),
    ('8', '₈'),
    ('9', '₉'),
];

/// Something that could not be carried over.
#[derive(Clone, Debug)]
pub struct Loss {
    /// The nearest heading above; empty before the first.
    pub heading: String,
    /// The first words of the place.
    pub words: String,
    pub message: Text,
}

/// A text in the form of the site.
pub(crate) struct Adapted {
    /// The title that the text itself names.
    pub(crate) title: Option<String>,
    pub(crate) tree: Value,
    pub(crate) losses: Vec<Loss>,
}

/// The target of a link.
pub(crate) enum Resolve {
    /// An entry or another address.
    To(String),
    /// A file that is published beside the text.
    File,
    /// An address elsewhere.
    Outside,
}

/// Returns the name of a file beside the text for an address in it, or the reason why there is none.
pub(crate) type NameFile<'n> = dyn FnMut(&str) -> Result<String, Text> + 'n;

/// Adapts a tree. `has_title` is set if the text may begin with its title. `name_picture` returns the name of the file beside the text for a picture of the text, or the reason
/// why there is none.
pub(crate) fn adapt<'n>(
    mut tree: Value,
    locale: Locale,
    has_title: bool,
    name_picture: &'n mut NameFile<'n>,
    resolve: &'n dyn Fn(&str) -> Resolve,
    name_file: &'n mut NameFile<'n>,
) -> Adapted {
    let mut walk = Walk {
        locale,
        losses: Vec::new(),
        heading: String::new(),
        words: String::new(),
        name_picture,
        resolve,
        name_file,
        levels: BTreeMap::new(),
        last_level: 1,
        is_in_cell: false,
    };
    let mut title = tree["meta"].get("title").map(|title| plain(&title["c"])).filter(|title| !title.is_empty());
    if let Some(subtitle) = tree["meta"].get("subtitle").map(|subtitle| plain(&subtitle["c"])) {
        walk.words = subtitle;
        walk.lose(messages::lost_subtitle());
    }
    let mut blocks = take_array(&mut tree["blocks"]);
    if title.is_none() && has_title {
        let first = blocks.iter().position(|block| !plain(block).is_empty());
        // A heading of the first level that stands alone at the beginning is the title.
        let is_title = |block: &Value| block["t"] == "Header" && block["c"][0] == 1;
        if let Some(at) = first.filter(|at| is_title(&blocks[*at]))
            && blocks.iter().filter(|block| is_title(block)).count() == 1
        {
            title = Some(plain(&blocks.remove(at)["c"][2]));
        }
    }
    walk.levels = levels(&blocks);
    let blocks = walk.blocks(blocks);
    let losses = walk.losses;
    let version = tree["pandoc-api-version"].take();
    let tree = json!({ "pandoc-api-version": version, "meta": {}, "blocks": blocks });
    Adapted { title: title.map(|title| one_line(&title)), tree, losses }
}

/// Returns the level of the site for each level of headings that a text uses: the title is its only first one.
fn levels(blocks: &[Value]) -> BTreeMap<u64, u64> {
    fn collect(value: &Value, levels: &mut BTreeMap<u64, u64>) {
        match value {
            Value::Object(node) if value["t"] == "Header" => {
                levels.insert(node["c"][0].as_u64().unwrap_or(1), 0);
            }
            Value::Object(node) => node.values().for_each(|value| collect(value, levels)),
            Value::Array(items) => items.iter().for_each(|value| collect(value, levels)),
            _ => {}
        }
    }
    let mut levels = BTreeMap::new();
    for block in blocks {
        collect(block, &mut levels);
    }
    for (level, of_site) in (2..).zip(levels.values_mut()) {
        *of_site = level.min(6);
    }
    levels
}

struct Walk<'n> {
    locale: Locale,
    losses: Vec<Loss>,
    heading: String,
    words: String,
    name_picture: &'n mut NameFile<'n>,
    resolve: &'n dyn Fn(&str) -> Resolve,
    name_file: &'n mut NameFile<'n>,
    levels: BTreeMap<u64, u64>,
    last_level: u64,
    is_in_cell: bool,
}

impl Walk<'_> {
    fn lose(&mut self, message: Text) {
        let words = excerpt(&self.words);
        let is_same = |loss: &Loss| loss.words == words && loss.message == message && loss.heading == self.heading;
        if !self.losses.iter().any(is_same) {
            self.losses.push(Loss { heading: self.heading.clone(), words, message });
        }
    }

    fn blocks(&mut self, blocks: Vec<Value>) -> Vec<Value> {
        let mut adapted: Vec<Value> = Vec::with_capacity(blocks.len());
        for block in blocks {
            // Two lists in a row would become one.
            let is_behind_list = adapted.last().is_some_and(|last| last["t"] == "OrderedList");
            self.block(block, is_behind_list, &mut adapted);
        }
        adapted
    }

    fn block(&mut self, mut block: Value, is_behind_list: bool, adapted: &mut Vec<Value>) {
        let kind = block["t"].as_str().unwrap_or_default().to_owned();
        let mut content = block["c"].take();
        if matches!(kind.as_str(), "Para" | "Plain" | "Header") {
            self.words = plain(&content);
        }
        match kind.as_str() {
            "Para" | "Plain" => {
                let inlines = trim(self.inlines(take_array(&mut content)));
                if !inlines.is_empty() {
                    adapted.push(json!({ "t": kind, "c": inlines }));
                }
            }
            "Header" => {
                let level = self.levels.get(&content[0].as_u64().unwrap_or(1)).copied().unwrap_or(2);
                let inlines = trim(self.inlines(take_array(&mut content[2])));
                let inlines = without_emphasis(inlines);
                if inlines.is_empty() {
                    return;
                }
                self.heading = one_line(&plain(&json!(inlines)));
                // Skips no level.
                self.last_level = level.min(self.last_level + 1);
                adapted.push(json!({ "t": "Header", "c": [self.last_level, ["", [], []], inlines] }));
            }
            "BlockQuote" => {
                let blocks = self.blocks(take_array(&mut content));
                if !blocks.is_empty() {
                    adapted.push(json!({ "t": "BlockQuote", "c": blocks }));
                }
            }
            "Div" => {
                // Paragraph marks of tracked changes, and styles.
                let blocks = self.blocks(take_array(&mut content[1]));
                adapted.extend(blocks);
            }
            "BulletList" => {
                let items = take_array(&mut content);
                let items: Vec<_> = items.into_iter().map(|mut item| self.item(take_array(&mut item))).collect();
                adapted.push(json!({ "t": "BulletList", "c": items }));
            }
            "OrderedList" => self.ordered(content, is_behind_list, adapted),
            "DefinitionList" => {
                self.words = plain(&content);
                self.lose(messages::lost_definition_list());
                for mut item in take_array(&mut content) {
                    let term = self.inlines(take_array(&mut item[0]));
                    adapted.push(json!({ "t": "Para", "c": [{ "t": "Strong", "c": term }] }));
                    for mut blocks in take_array(&mut item[1]) {
                        adapted.extend(self.blocks(take_array(&mut blocks)));
                    }
                }
            }
            "LineBlock" => {
                let lines = take_array(&mut content);
                let lines: Vec<_> = lines.into_iter().map(|mut line| self.inlines(take_array(&mut line))).collect();
                adapted.push(json!({ "t": "Para", "c": lines.join(&json!({ "t": "LineBreak" })) }));
            }
            "Table" => self.table(content, adapted),
            "Figure" => {
                let caption = take_array(&mut content[1][1]);
                adapted.extend(self.blocks(take_array(&mut content[2])));
                adapted.extend(self.blocks(caption));
            }
            "CodeBlock" => adapted.push(json!({ "t": "CodeBlock", "c": [["", [], []], content[1]] })),
            "HorizontalRule" => adapted.push(json!({ "t": "HorizontalRule" })),
            "RawBlock" => {
                content[1].as_str().unwrap_or_default().clone_into(&mut self.words);
                self.lose(messages::lost_raw());
            }
            _ => {}
        }
    }

    /// Returns an item of a list. Word sets each in a paragraph; those of one line stay close together.
    fn item(&mut self, blocks: Vec<Value>) -> Vec<Value> {
        let mut blocks = self.blocks(blocks);
        if blocks.iter().filter(|block| block["t"] == "Para").count() == 1 && blocks[0]["t"] == "Para" {
            blocks[0]["t"] = "Plain".into();
        }
        blocks
    }

    fn ordered(&mut self, mut content: Value, is_behind_list: bool, adapted: &mut Vec<Value>) {
        let start = content[0][0].as_u64().unwrap_or(1);
        let style = content[0][1]["t"].as_str().unwrap_or_default().to_owned();
        let delimiter = content[0][2]["t"].as_str().unwrap_or_default().to_owned();
        let items = take_array(&mut content[1]);
        let is_plain = matches!(style.as_str(), "Decimal" | "DefaultStyle" | "Example")
            && matches!(delimiter.as_str(), "Period" | "DefaultDelim");
        if is_plain && start == 1 && !is_behind_list && !self.is_in_cell {
            let items: Vec<_> = items.into_iter().map(|mut item| self.item(take_array(&mut item))).collect();
            adapted.push(json!({ "t": "OrderedList", "c": [[1, { "t": "Decimal" }, { "t": "Period" }], items] }));
            return;
        }
        // The number is written as text, which the site sets as a clause.
        let format = match style.as_str() {
            "LowerAlpha" => "lowerLetter",
            "UpperAlpha" => "upperLetter",
            "LowerRoman" => "lowerRoman",
            "UpperRoman" => "upperRoman",
            _ => "decimal",
        };
        for (number, mut item) in (start..).zip(items) {
            let number = counted(u32::try_from(number).unwrap_or(u32::MAX), format);
            let mark = match delimiter.as_str() {
                "OneParen" => format!("{number})"),
                "TwoParens" => format!("({number})"),
                _ => format!("{number}."),
            };
            let mut blocks = self.blocks(take_array(&mut item));
            let mark = [json!({ "t": "Str", "c": mark }), json!({ "t": "Space" })];
            match blocks.first_mut().filter(|first| matches!(first["t"].as_str(), Some("Para" | "Plain"))) {
                Some(first) => {
                    first["t"] = "Para".into();
                    let rest = take_array(&mut first["c"]);
                    first["c"] = mark.into_iter().chain(rest).collect::<Vec<_>>().into();
                }
                None => blocks.insert(0, json!({ "t": "Para", "c": mark })),
            }
            adapted.extend(blocks);
        }
    }

    /// `Table` is attributes, caption, columns, head, bodies, foot; a row is attributes and cells; a cell is attributes,
    /// alignment, rows, columns and blocks.
    fn table(&mut self, mut content: Value, adapted: &mut Vec<Value>) {
        let caption = take_array(&mut content[1][1]);
        let columns = take_array(&mut content[2]);
        let mut head = take_array(&mut content[3][1]);
        let mut rows: Vec<Value> = Vec::new();
        for mut body in take_array(&mut content[4]) {
            rows.extend(take_array(&mut body[2]));
            rows.extend(take_array(&mut body[3]));
        }
        rows.extend(take_array(&mut content[5][1]));
        if head.is_empty() && !rows.is_empty() {
            head.push(rows.remove(0));
        }
        if head.len() > 1 {
            rows.splice(0..0, head.drain(1..));
        }
        // A table of one row or one column sets text side by side or in a frame.
        if rows.is_empty() || columns.len() < 2 {
            self.words = plain(&json!([&head, &rows]));
            self.lose(messages::lost_layout_table());
            for mut row in head.into_iter().chain(rows) {
                for mut cell in take_array(&mut row[1]) {
                    adapted.extend(self.blocks(take_array(&mut cell[4])));
                }
            }
            return;
        }
        let was_in_cell = mem::replace(&mut self.is_in_cell, true);
        let mut grid: Vec<Vec<Value>> = Vec::new();
        // Cells that reach down from above, by column.
        let mut from_above: Vec<u64> = vec![0; columns.len()];
        for mut row in head.into_iter().chain(rows) {
            let mut cells: Vec<Value> = Vec::new();
            let mut given = take_array(&mut row[1]).into_iter();
            while cells.len() < columns.len() {
                let at = cells.len();
                if from_above[at] > 0 {
                    from_above[at] -= 1;
                    cells.push(json!([]));
                    continue;
                }
                let Some(mut cell) = given.next() else {
                    cells.push(json!([]));
                    continue;
                };
                let (down, across) = (cell[2].as_u64().unwrap_or(1), cell[3].as_u64().unwrap_or(1));
                self.words = plain(&cell[4]);
                if down > 1 || across > 1 {
                    self.lose(messages::lost_joined_cells());
                }
                let inlines = self.cell(take_array(&mut cell[4]));
                for below in from_above.iter_mut().skip(at).take(across as usize) {
                    *below = down - 1;
                }
                cells.push(json!(inlines));
                for _ in 1..across {
                    if cells.len() < columns.len() {
                        cells.push(json!([]));
                    }
                }
            }
            grid.push(cells);
        }
        self.is_in_cell = was_in_cell;
        let cell = |inlines: Value| {
            let blocks = if inlines == json!([]) { json!([]) } else { json!([{ "t": "Plain", "c": inlines }]) };
            json!([["", [], []], { "t": "AlignDefault" }, 1, 1, blocks])
        };
        let row = |cells: Vec<Value>| json!([["", [], []], cells.into_iter().map(cell).collect::<Vec<_>>()]);
        let mut rows: Vec<Value> = grid.into_iter().map(row).collect();
        let head = rows.remove(0);
        // Widths of columns would make pandoc write another form of table.
        let columns: Vec<Value> = columns.iter().map(|column| json!([column[0], { "t": "ColWidthDefault" }])).collect();
        let none = json!(["", [], []]);
        adapted.push(json!({ "t": "Table", "c":
            [none, [null, []], columns, [none, [head]], [[none, 0, [], rows]], [none, []]] }));
        adapted.extend(self.blocks(caption));
    }

    /// Returns the content of a cell in one line.
    fn cell(&mut self, blocks: Vec<Value>) -> Vec<Value> {
        let mut lines: Vec<Vec<Value>> = Vec::new();
        self.lines(blocks, &mut lines);
        let mut inlines = lines.join(&json!({ "t": "LineBreak" }));
        in_one_line(&mut inlines);
        inlines
    }

    fn lines(&mut self, blocks: Vec<Value>, lines: &mut Vec<Vec<Value>>) {
        let blocks = self.blocks(blocks);
        for mut block in blocks {
            match block["t"].as_str().unwrap_or_default() {
                "Para" | "Plain" => lines.push(take_array(&mut block["c"])),
                "BulletList" => {
                    for mut item in take_array(&mut block["c"]) {
                        let before = lines.len();
                        self.lines(take_array(&mut item), lines);
                        if let Some(first) = lines.get_mut(before) {
                            first.insert(0, json!({ "t": "Str", "c": "• " }));
                        }
                    }
                }
                "BlockQuote" => self.lines(take_array(&mut block["c"]), lines),
                "Header" => lines.push(vec![json!({ "t": "Strong", "c": take_array(&mut block["c"][2]) })]),
                "Table" => {
                    self.words = plain(&block["c"]);
                    self.lose(messages::lost_nested_table());
                    lines.push(vec![json!({ "t": "Str", "c": one_line(&plain(&block["c"])) })]);
                }
                _ => lines.push(vec![json!({ "t": "Str", "c": one_line(&plain(&block)) })]),
            }
        }
    }

    fn inlines(&mut self, inlines: Vec<Value>) -> Vec<Value> {
        let mut adapted = Vec::with_capacity(inlines.len());
        for inline in inlines {
            self.inline(inline, &mut adapted);
        }
        adapted
    }

    fn inline(&mut self, mut inline: Value, adapted: &mut Vec<Value>) {
        let kind = inline["t"].as_str().unwrap_or_default().to_owned();
        let mut content = inline["c"].take();
        match kind.as_str() {
            // No-break spaces are set by the site itself.
            "Str" => {
                let text =
                    content.as_str().unwrap_or_default().replace(['\u{a0}', '\u{202f}', BREAK, OPEN, CLOSE], " ");
                let text: String =
                    text.chars().filter(|letter| !matches!(letter, '\u{ad}' | '\u{200b}' | '\u{feff}')).collect();
                adapted.push(json!({ "t": "Str", "c": text }));
            }
            "Strong" | "Emph" | "Strikeout" => {
                let inlines = self.inlines(take_array(&mut content));
                if plain(&json!(inlines)).is_empty() {
                    adapted.extend(inlines);
                } else {
                    adapted.push(json!({ "t": kind, "c": inlines }));
                }
            }
            "Underline" => {
                self.lose(messages::lost_underline());
                adapted.extend(self.inlines(take_array(&mut content)));
            }
            "SmallCaps" => adapted.extend(self.inlines(take_array(&mut content))),
            "Superscript" | "Subscript" => {
                let table = if kind == "Superscript" { &SUPERSCRIPTS } else { &SUBSCRIPTS };
                let text = plain(&content);
                let small = text.chars().map(|digit| Some(table.iter().find(|(plain, _)| *plain == digit)?.1));
                if let Some(small) = small.collect::<Option<String>>() {
                    adapted.push(json!({ "t": "Str", "c": small }));
                } else {
                    self.lose(messages::lost_raised(text.as_str()));
                    adapted.extend(self.inlines(take_array(&mut content)));
                }
            }
            "Quoted" => {
                let is_double = content[0]["t"] == "DoubleQuote";
                let (open, close) = if is_double { ("“", "”") } else { ("‘", "’") };
                adapted.push(json!({ "t": "Str", "c": open }));
                adapted.extend(self.inlines(take_array(&mut content[1])));
                adapted.push(json!({ "t": "Str", "c": close }));
            }
            "Cite" => adapted.extend(self.inlines(take_array(&mut content[1]))),
            "Math" => {
                let formula = content[1].as_str().unwrap_or_default().to_owned();
                self.lose(messages::lost_formula(formula.as_str()));
                adapted.push(json!({ "t": "Code", "c": [["", [], []], formula] }));
            }
            "Code" => adapted.push(json!({ "t": "Code", "c": [["", [], []], content[1]] })),
            "RawInline" => {
                let raw = content[1].as_str().unwrap_or_default();
                if !raw.starts_with("<!--") {
                    self.lose(messages::lost_raw());
                }
            }
            "Span" => self.span(content, adapted),
            "Link" => self.link(content, adapted),
            "Image" => self.image(content, adapted),
            "Note" => {
                let words = mem::take(&mut self.words);
                let blocks = self.blocks(take_array(&mut content));
                self.words = words;
                if !blocks.is_empty() {
                    adapted.push(json!({ "t": "Note", "c": blocks }));
                }
            }
            _ => {
                adapted.push(if content.is_null() { json!({ "t": kind }) } else { json!({ "t": kind, "c": content }) });
            }
        }
    }

    /// Takes over insertions, and leaves out deletions and comments.
    fn span(&mut self, mut content: Value, adapted: &mut Vec<Value>) {
        let classes: Vec<String> =
            take_array(&mut content[0][1]).into_iter().filter_map(|class| class.as_str().map(str::to_owned)).collect();
        let has = |name: &str| classes.iter().any(|class| class == name);
        let text = excerpt(&plain(&content[1]));
        if has("deletion") {
            self.lose(messages::lost_deletion(text.as_str()));
            return;
        }
        if has("comment-start") {
            self.lose(messages::lost_comment(text.as_str()));
            return;
        }
        if has("comment-end") || has("paragraph-deletion") || has("paragraph-insertion") {
            return;
        }
        if has("insertion") {
            self.lose(messages::lost_insertion(text.as_str()));
        }
        adapted.extend(self.inlines(take_array(&mut content[1])));
    }

    fn link(&mut self, mut content: Value, adapted: &mut Vec<Value>) {
        let target = content[2][0].as_str().unwrap_or_default().trim().to_owned();
        let inlines = self.inlines(take_array(&mut content[1]));
        let target = match (self.resolve)(&target) {
            Resolve::To(target) => {
                adapted.push(json!({ "t": "Link", "c": [["", [], []], inlines, [target, ""]] }));
                return;
            }
            Resolve::File => match (self.name_file)(&target) {
                Ok(name) => {
                    adapted.push(json!({ "t": "Link", "c": [["", [], []], inlines, [name, ""]] }));
                    return;
                }
                // A picture around which a link to its full size was put.
                Err(_) if inlines.iter().any(|inline| inline["t"] == "Image") => {
                    adapted.extend(inlines);
                    return;
                }
                Err(message) => {
                    self.lose(message);
                    adapted.extend(inlines);
                    return;
                }
            },
            Resolve::Outside => target,
        };
        let is_safe =
            ["https://", "http://", "mailto:"].iter().any(|scheme| target.to_ascii_lowercase().starts_with(scheme));
        if is_safe {
            adapted.push(json!({ "t": "Link", "c": [["", [], []], inlines, [target, ""]] }));
            return;
        }
        // Links inside the document lead to bookmarks, which are other ones here.
        self.lose(messages::lost_link(target.as_str()));
        adapted.extend(inlines);
    }

    fn image(&mut self, mut content: Value, adapted: &mut Vec<Value>) {
        let target = content[2][0].as_str().unwrap_or_default().to_owned();
        let alt = one_line(&plain(&json!(self.inlines(take_array(&mut content[1])))));
        match (self.name_picture)(&target) {
            Ok(name) => {
                self.words = if alt.is_empty() { name.clone() } else { alt.clone() };
                let alt = if alt.is_empty() {
                    self.lose(messages::lost_description(name.as_str()));
                    messages::picture_without_description()[self.locale]
                        .replace('[', &OPEN.to_string())
                        .replace(']', &CLOSE.to_string())
                } else {
                    alt
                };
                adapted.push(json!({ "t": "Image", "c": [["", [], []], [{ "t": "Str", "c": alt }], [name, ""]] }));
            }
            Err(message) => {
                self.lose(message);
                if !alt.is_empty() {
                    adapted.push(json!({ "t": "Str", "c": alt }));
                }
            }
        }
    }
}

/// Replaces line breaks by what pandoc writes as text.
fn in_one_line(inlines: &mut [Value]) {
    for inline in inlines {
        if inline["t"] == "LineBreak" {
            *inline = json!({ "t": "Str", "c": BREAK.to_string() });
        } else if inline["t"] == "SoftBreak" {
            *inline = json!({ "t": "Space" });
        } else if let Some(children) = inline["c"].as_array_mut() {
            in_one_line(children);
        }
    }
}

/// Removes spaces and line breaks at both ends.
fn trim(mut inlines: Vec<Value>) -> Vec<Value> {
    let is_blank = |inline: &Value| match inline["t"].as_str() {
        Some("Space" | "SoftBreak" | "LineBreak") => true,
        Some("Str") => inline["c"].as_str().is_some_and(|text| text.trim().is_empty()),
        _ => false,
    };
    while inlines.last().is_some_and(is_blank) {
        inlines.pop();
    }
    let start = inlines.iter().position(|inline| !is_blank(inline)).unwrap_or(inlines.len());
    inlines.drain(..start);
    inlines
}

/// Headings of Word are bold by themselves.
fn without_emphasis(inlines: Vec<Value>) -> Vec<Value> {
    let mut plain = Vec::with_capacity(inlines.len());
    for mut inline in inlines {
        match inline["t"].as_str() {
            Some("Strong" | "Emph") => plain.extend(without_emphasis(take_array(&mut inline["c"]))),
            Some("LineBreak" | "SoftBreak") => plain.push(json!({ "t": "Space" })),
            _ => plain.push(inline),
        }
    }
    plain
}

/// Returns the words of a part of the tree.
fn plain(value: &Value) -> String {
    fn collect(value: &Value, text: &mut String) {
        match value {
            Value::Object(node) => match node.get("t").and_then(Value::as_str) {
                Some("Str") => text.push_str(node["c"].as_str().unwrap_or_default()),
                Some("Space" | "SoftBreak" | "LineBreak") => text.push(' '),
                Some("Code" | "Math" | "CodeBlock") => text.push_str(node["c"][1].as_str().unwrap_or_default()),
                Some("Note" | "RawInline" | "RawBlock") => {}
                Some("Span") if node["c"][0][1].as_array().is_some_and(|it| it.contains(&"comment-start".into())) => {}
                Some("Link" | "Image" | "Span" | "Quoted" | "Cite" | "Div") => collect(&node["c"][1], text),
                Some("Header") => collect(&node["c"][2], text),
                _ => {
                    if let Some(content) = node.get("c") {
                        collect(content, text);
                    }
                    if matches!(node.get("t").and_then(Value::as_str), Some("Para" | "Plain")) {
                        text.push(' ');
                    }
                }
            },
            Value::Array(items) => items.iter().for_each(|item| collect(item, text)),
            _ => {}
        }
    }
    let mut text = String::new();
    collect(value, &mut text);
    text.trim().to_owned()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the first words of a text.
pub(crate) fn excerpt(text: &str) -> String {
    let line = one_line(text);
    match line.char_indices().nth(60) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}

fn take_array(value: &mut Value) -> Vec<Value> {
    match value.take() {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}
