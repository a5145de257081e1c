//! Parses YAML into [`Node`]s: YAML 1.2 without anchors, aliases, tags and multiple documents.

use std::borrow::Cow;

use findings::{
    Code, Finding, Place, Span, clean,
    messages::{self, Text},
};
use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span as YamlSpan};

use super::line_mender::{MendedLine, continues_after_brackets, inside_other_marks, mend_line, quote};
use super::node::{Node, Pair, Value};

/// The greatest depth of nested lists and groups.
const MAX_DEPTH: usize = 8;

/// Reads the fields of a file. `first_line` is the line on which `text` starts.
pub fn parse<'a>(text: &'a str, file: &str, first_line: u32) -> (Option<Vec<Pair<'a>>>, Vec<Finding>) {
    let lines = text.lines().collect();
    let mut builder =
        TreeBuilder { file, first_line, lines, open: Vec::new(), root: None, findings: Vec::new(), documents: 0 };
    if let Some(finding) = builder.find_tab(text) {
        return (None, vec![finding]);
    }
    for event in Parser::new_from_str(text) {
        let more = match event {
            Ok((event, span)) => builder.event(event, span),
            Err(error) => {
                builder.findings.push(builder.syntax_finding(&error, text));
                false
            }
        };
        if !more {
            return (None, builder.findings);
        }
    }
    let fields = match builder.root.take() {
        None => Some(Vec::new()),
        Some(Node { value: Value::Map(pairs), .. }) => Some(pairs),
        Some(node) if node.is_empty() => Some(Vec::new()),
        Some(node) => {
            let message = messages::fields_not_fields(node.shape());
            builder.findings.push(Finding::new(Code::YAML_SYNTAX, Place::new(file, node.at), message));
            None
        }
    };
    (fields, builder.findings)
}

/// A list or group that is not closed yet.
enum OpenNode<'a> {
    List(Span, Vec<Node<'a>>),
    Map(Span, Vec<Pair<'a>>, Option<(Cow<'a, str>, Span)>),
}

struct TreeBuilder<'a, 'f> {
    file: &'f str,
    first_line: u32,
    lines: Vec<&'a str>,
    open: Vec<OpenNode<'a>>,
    root: Option<Node<'a>>,
    findings: Vec<Finding>,
    documents: usize,
}

impl<'a> TreeBuilder<'a, '_> {
    /// Processes an event. Returns `false` to stop parsing.
    fn event(&mut self, event: Event<'a>, span: YamlSpan) -> bool {
        let at = self.span(span);
        match event {
            Event::DocumentStart(_) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.report(Code::MORE_DOCUMENTS, at, messages::document_second());
                    return false;
                }
            }
            Event::Scalar(text, style, anchor, tag) => {
                let refused = self.refuse_feature(anchor, tag.is_some(), at);
                let plain = style == ScalarStyle::Plain;
                if plain && text.is_empty() && self.is_read_as_comment() {
                    return self.add(Node { at, value: Value::Refused });
                }
                if plain {
                    self.warn_of_cut_off(span);
                    self.warn_of_other_marks(&text, at);
                }
                return self
                    .add(Node { at, value: if refused { Value::Refused } else { Value::Scalar { text, plain } } });
            }
            Event::Alias(_) => {
                self.refuse_feature(1, false, at);
                return self.add(Node { at, value: Value::Refused });
            }
            Event::SequenceStart(anchor, tag) => {
                self.refuse_feature(anchor, tag.is_some(), at);
                self.open.push(OpenNode::List(at, Vec::new()));
            }
            Event::MappingStart(anchor, tag) => {
                self.refuse_feature(anchor, tag.is_some(), at);
                self.open.push(OpenNode::Map(at, Vec::new(), None));
            }
            Event::SequenceEnd | Event::MappingEnd => match self.open.pop() {
                Some(OpenNode::List(at, items)) => return self.add(Node { at, value: Value::List(items) }),
                Some(OpenNode::Map(at, pairs, _)) => return self.add(Node { at, value: Value::Map(pairs) }),
                None => return false,
            },
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentEnd => {}
        }
        if self.open.len() > MAX_DEPTH {
            self.report(Code::TOO_DEEP, at, messages::values_too_deep());
            return false;
        }
        true
    }

    /// Adds a finished value to the list or group that contains it.
    fn add(&mut self, node: Node<'a>) -> bool {
        let is_item = matches!(self.open.as_slice(), [.., OpenNode::List(..), OpenNode::Map(..)]);
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(OpenNode::List(_, items)) => items.push(node),
            Some(OpenNode::Map(_, pairs, pending)) => match pending.take() {
                None => {
                    let Value::Scalar { text, .. } = node.value else {
                        self.report(Code::WRONG_SHAPE, node.at, messages::field_name_no_word());
                        return false;
                    };
                    *pending = Some((text, node.at));
                }
                Some((key, at)) => match pairs.iter().find(|pair| pair.key == key).map(|pair| pair.at) {
                    None => pairs.push(Pair { key, at, node }),
                    Some(earlier) => {
                        let first = pairs[0].key.clone();
                        let help = if is_item {
                            messages::field_of_item_twice_help(first)
                        } else {
                            messages::field_twice_help()
                        };
                        let finding = Finding::new(Code::FIELD_TWICE, self.place(at), messages::field_twice(key))
                            .related(self.place(earlier), messages::field_first_here())
                            .help(help);
                        self.findings.push(finding);
                    }
                },
            },
        }
        true
    }

    /// Reports anchors and tags, which front matter must not contain. Returns whether there were any.
    fn refuse_feature(&mut self, anchor: usize, tagged: bool, at: Span) -> bool {
        if anchor > 0 {
            self.report(Code::YAML_FEATURE, at, messages::fields_with_anchors());
        }
        if tagged {
            self.report(Code::YAML_FEATURE, at, messages::fields_with_tags());
        }
        anchor > 0 || tagged
    }

    /// Warns of a comment that is probably part of the plain value before it: `title: Decision no. #12`. In a real
    /// comment, a space follows the `#`.
    fn warn_of_cut_off(&mut self, value: YamlSpan) {
        let line = self.lines.get(value.end.line().saturating_sub(1)).copied().unwrap_or_default();
        let start = line.char_indices().nth(value.end.col()).map_or(line.len(), |(at, _)| at);
        let behind = line[start..].trim_start();
        let is_word = behind.strip_prefix('#').is_some_and(|word| word.starts_with(|c: char| c.is_alphanumeric()));
        if !is_word {
            return;
        }
        let word = behind.split_whitespace().next().unwrap_or_default();
        let span = Span {
            line: value.end.line() as u32 + self.first_line - 1,
            column: line[..line.len() - behind.len()].chars().count() as u32 + 1,
            length: word.chars().count() as u32,
        };
        let finding = Finding::new(Code::VALUE_CUT_OFF, self.place(span), messages::value_cut_off(clean(word)));
        self.findings.push(finding.help(messages::value_cut_off_help()));
    }

    /// Warns of a value in the quotation marks of word processors, which YAML reads as letters.
    fn warn_of_other_marks(&mut self, text: &str, at: Span) {
        let Some(inside) = inside_other_marks(text).filter(|inside| !inside.is_empty()) else { return };
        let corrected = quote(inside);
        let finding = Finding::new(Code::OTHER_MARKS, self.place(at), messages::marks_in_value());
        let finding = finding.label(messages::words_to_write(&corrected));
        self.findings.push(finding.help(messages::marks_in_value_help(clean(text))).edit(at, corrected));
    }

    /// Reports a missing value that was probably read as a comment: `title: #12 karar`. Returns whether it was.
    fn is_read_as_comment(&mut self) -> bool {
        let Some(OpenNode::Map(_, _, Some((key, at)))) = self.open.last() else { return false };
        let at = *at;
        let line = self.lines.get((at.line - self.first_line) as usize).copied().unwrap_or_default();
        let behind = line.split_once(':').map_or("", |(_, value)| value.trim_start());
        if !behind.strip_prefix('#').is_some_and(|word| word.starts_with(char::is_alphanumeric)) {
            return false;
        }
        let word = clean(behind.split_whitespace().next().unwrap_or_default());
        let corrected = format!("{}: {}", clean(key), clean(&quote(behind.trim_end())));
        let finding = Finding::new(Code::NO_VALUE, self.place(at), messages::value_as_comment(key, word));
        self.findings.push(finding.help(messages::value_in_marks_help(corrected)));
        true
    }

    fn report(&mut self, code: Code, at: Span, message: Text) {
        let finding = Finding::new(code, self.place(at), message);
        self.findings.push(match code {
            Code::YAML_FEATURE => finding.help(messages::yaml_feature_help()),
            Code::MORE_DOCUMENTS => finding.help(messages::document_second_help()),
            Code::TOO_DEEP => finding.help(messages::values_too_deep_help()),
            _ => finding,
        });
    }

    fn place(&self, at: Span) -> Place {
        Place::new(self.file, at)
    }

    fn span(&self, span: YamlSpan) -> Span {
        let length = if span.end.line() == span.start.line() { span.len() } else { 1 };
        Span {
            line: span.start.line() as u32 + self.first_line - 1,
            column: span.start.col() as u32 + 1,
            length: length.max(1) as u32,
        }
    }

    /// Returns a finding about a tab among the spaces at the start of a line.
    fn find_tab(&self, text: &str) -> Option<Finding> {
        let (index, line) =
            text.lines().enumerate().find(|(_, line)| line.trim_start_matches(' ').starts_with('\t'))?;
        let column = line.find('\t').unwrap_or_default() as u32 + 1;
        let span = Span { line: index as u32 + self.first_line, column, length: 1 };
        let finding = Finding::new(Code::TAB, self.place(span), messages::tab_at_start());
        let tabs = line.chars().skip(column as usize - 1).take_while(|letter| *letter == '\t').count();
        let edit = (Span { length: tabs as u32, ..span }, "  ".repeat(tabs));
        Some(finding.help(messages::tab_at_start_help()).edit(edit.0, edit.1))
    }

    /// Returns a finding about a tab after the name of a field, on the line of a syntax error.
    fn find_tab_after_name(&self, text: &str, line: usize) -> Option<Finding> {
        let index = line.checked_sub(1)?;
        let (name, value) = text.lines().nth(index)?.split_once(':')?;
        let blanks = value.len() - value.trim_start_matches(' ').len();
        value[blanks..].strip_prefix('\t')?;
        let column = (name.chars().count() + 1 + blanks) as u32 + 1;
        let span = Span { line: index as u32 + self.first_line, column, length: 1 };
        let finding = Finding::new(Code::TAB, self.place(span), messages::tab_after_name(clean(name)));
        Some(finding.help(messages::tab_after_name_help()).edit(span, " "))
    }

    /// Returns a finding about a name without a space after its colon, on the line of a syntax error or on the line
    /// above, since the scanner may report the error one line late.
    fn find_missing_space(&self, text: &str, line: usize) -> Option<Finding> {
        let mut lines = text.lines().enumerate().skip(line.saturating_sub(2)).take(2);
        let (index, name, before) = lines.find_map(|(index, line)| {
            // A field of a group is indented; the first field of an item follows a hyphen.
            let field = line.trim_start_matches([' ', '-']);
            Some((index, name_without_space(field)?, line.len() - field.len()))
        })?;
        let end = before + name.len();
        let span = Span { line: index as u32 + self.first_line, column: end as u32 + 1, length: 1 };
        let behind = Span { column: span.column + 1, ..span };
        let follows = text.lines().nth(index).and_then(|line| line.get(end + 1..)?.chars().next());
        if let Some(space) = follows.filter(|letter| letter.is_whitespace()) {
            let what = match space {
                '\u{a0}' => messages::no_break_space(),
                _ => messages::character_numbered(format!("U+{:04X}", space as u32)),
            };
            let message = messages::space_of_another_kind(clean(name), what);
            let finding = Finding::new(Code::YAML_SYNTAX, self.place(behind), message);
            return Some(finding.help(messages::space_of_another_kind_help()).edit(behind, " "));
        }
        let finding = Finding::new(Code::YAML_SYNTAX, self.place(span), messages::space_missing(clean(name)));
        let finding = finding.help(messages::space_missing_help(clean(name)));
        Some(finding.edit(Span { length: 0, ..behind }, " "))
    }

    /// Returns a finding about a syntax error, with the remedy for the usual mistakes.
    fn syntax_finding(&self, error: &ScanError, text: &str) -> Finding {
        let marker = error.marker();
        if let Some(finding) =
            self.find_tab_after_name(text, marker.line()).or_else(|| self.find_missing_space(text, marker.line()))
        {
            return finding;
        }
        let last = text.lines().count().max(1);
        let (line, column) = if marker.line() > last {
            (last, text.lines().last().unwrap_or_default().chars().count())
        } else {
            (marker.line().max(1), marker.col())
        };
        let source = text.lines().nth(line - 1).unwrap_or_default();
        let span = Span { line: line as u32 + self.first_line - 1, column: column as u32 + 1, length: 1 };
        if let Some(MendedLine { line: corrected, why }) = mend_line(source) {
            let whole = Span { column: 1, length: source.chars().count() as u32, ..span };
            let finding = Finding::new(Code::YAML_SYNTAX, self.place(span), why.map(clean));
            return finding.help(messages::words_to_write(clean(corrected.trim_start()))).edit(whole, corrected);
        }
        let finding = Finding::new(Code::YAML_SYNTAX, self.place(span), messages::fields_not_yaml());
        let first = text.lines().position(|line| !line.trim().is_empty() && !line.starts_with('#')).unwrap_or_default();
        let is_outside = line > first + 1 && text.lines().nth(first).is_some_and(|line| line.starts_with(' '));
        if is_outside && error.info().contains("document start") {
            let span = Span { line: first as u32 + self.first_line, column: 1, length: 1 };
            return Finding::new(Code::YAML_SYNTAX, self.place(span), messages::fields_not_yaml())
                .help(messages::field_indented_help());
        }
        let above = line.checked_sub(2).and_then(|above| text.lines().nth(above)).unwrap_or_default();
        let is_further_in = error.info().starts_with("mapping values")
            && source.starts_with(' ')
            && !above.ends_with(':')
            && !has_colon_in_value(source);
        finding.help(if is_further_in { messages::field_indented_help() } else { remedy(source) })
    }
}

/// Returns the name of a field at the start of a line if no space follows its colon.
fn name_without_space(line: &str) -> Option<&str> {
    let (name, value) = line.split_once(':')?;
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    let runs_on = !value.is_empty() && !value.starts_with([' ', '\t', '/']);
    (is_name && runs_on).then_some(name)
}

/// Returns whether the value on a line contains a colon and a space: `street: Deneme Sokak No: 1`.
fn has_colon_in_value(line: &str) -> bool {
    let value = line.split_once(": ").map_or("", |(_, value)| value).trim_start();
    value.contains(": ") && !value.starts_with(['"', '\'', '{', '['])
}

/// Returns the remedy for the probable mistake on a line.
fn remedy(line: &str) -> Text {
    let value = line.split_once(':').map_or("", |(_, value)| value).trim_start();
    if has_colon_in_value(line) {
        messages::colon_in_value_help()
    } else if value.starts_with(['"', '\'']) {
        messages::mark_not_closed_help()
    } else if value.starts_with(['@', '`', '%', '&', '*', '!', '|', '>']) || continues_after_brackets(value) {
        messages::special_start_help()
    } else if value.starts_with(['[', '{']) {
        messages::bracket_not_closed_help()
    } else if !line.contains(':') {
        messages::field_at_start_help()
    } else {
        messages::field_form_help()
    }
}

#[cfg(test)]
mod tests {
    use contract::Locale;

    use super::*;

    fn codes(text: &str) -> Vec<(&'static str, u32, u32)> {
        let (_, findings) = parse(text, "x.md", 2);
        findings.iter().map(|f| (f.code.id(), f.place.span.line, f.place.span.column)).collect()
    }

    #[test]
    fn places_count_characters() {
        let (pairs, findings) = parse("title: Şğü\nlist: [ığ, b]\n", "x.md", 2);
        assert!(findings.is_empty());
        let pairs = pairs.unwrap();
        assert_eq!(pairs[0].node.at, Span { line: 2, column: 8, length: 3 });
        let Value::List(items) = &pairs[1].node.value else { panic!("a list") };
        assert_eq!(items[1].at, Span { line: 3, column: 12, length: 1 });
    }

    #[test]
    fn forbidden_yaml_features_are_refused_at_their_place() {
        assert_eq!(codes("a: 1\na: 2\n"), [("E0106", 3, 1)]);
        assert_eq!(codes("a: &x 1\nb: *x\n").len(), 2);
        assert_eq!(codes("a: !!str 1\n")[0].0, "E0125");
        assert_eq!(codes("a: 1\n...\nb: 2\n")[0].0, "E0126");
        assert_eq!(codes("a: [[[[[[[[[1]]]]]]]]]\n")[0].0, "E0127");
        assert_eq!(codes("a:\n\tb: 1\n"), [("E0105", 3, 1)]);
        assert_eq!(codes("- a\n- b\n")[0].0, "E0104");
        assert_eq!(codes("? [a]\n: b\n")[0].0, "E0109");
    }

    #[test]
    fn colon_in_a_title_is_explained() {
        let (fields, findings) = parse("slug: a\ntitle: Work: a guide\n", "x.md", 2);
        assert!(fields.is_none());
        assert_eq!(findings[0].place.span.line, 3);
        assert!(findings[0].message[Locale::En].contains("colon"), "{findings:?}");
        assert_eq!(&findings[0].help[0][Locale::En], "write `title: \"Work: a guide\"`");
    }

    #[test]
    fn syntax_error_is_reported_with_its_remedy() {
        for (text, code, column, help) in [
            ("date:\t2023-02-20\n", "E0105", 6, "write a space"),
            ("a: 1\ndate: \t\u{11f}: x\n", "E0105", 7, "write a space"),
            ("title: #12 karar\n", "E0110", 1, "quotation marks"),
            ("title: [2024] karar\n", "E0104", 15, "`title: \"[2024] karar\"`"),
            ("title: {a} b\n", "E0104", 12, "`title: \"{a} b\"`"),
            ("title: [2024\n", "E0104", 13, "close the bracket"),
            ("title: \"Kira\": yeni\n", "E0104", 14, "`title: '\"Kira\": yeni'`"),
            ("title: \"Kira\" ve \"satış\"\n", "E0104", 15, "`title: '\"Kira\" ve \"satış\"'`"),
            ("title: 'Kira': yeni\n", "E0104", 14, "`title: \"'Kira': yeni\"`"),
            ("title: 'Türkiye'de kira'\n", "E0104", 17, "`title: \"Türkiye'de kira\"`"),
            ("title: \"Kira # yeni\n", "E0104", 8, "close the quotation mark"),
            ("offices:\n  - key: a\n    street: Deneme Sokak No: 1\n", "E0104", 28, "`street: \"Deneme Sokak No: 1\"`"),
            ("offices:\n  - key: Deneme: 1\n", "E0104", 16, "key: \"Deneme: 1\"`"),
            ("offices:\n  - key: a\n    street:Deneme\n    city: b\n", "E0104", 11, "a space after the colon"),
            (" title: a\nslug: b\n", "E0104", 1, "begin the field at the start of the line"),
            ("title: *Kira*\n", "E0104", 8, "`title: \"Kira\"`"),
            ("title: a\n  slug: b\n", "E0104", 7, "begin the field at the start of the line"),
        ] {
            let (_, findings) = parse(text, "x.md", 2);
            let [finding] = findings.as_slice() else { panic!("{text:?}: {findings:?}") };
            assert_eq!((finding.code.id(), finding.place.span.column), (code, column), "{text:?}: {findings:?}");
            assert!(finding.help[0][Locale::En].contains(help), "{findings:?}");
        }
        for text in ["a: \"b:\tc\"\n", "title: # 12 karar\n", "a: {b: #1\n  c}\n"] {
            assert_eq!(codes(text), [], "{text:?}");
        }
    }

    #[test]
    fn comment_that_is_probably_part_of_a_value_is_reported() {
        assert_eq!(codes("title: Decision no. #12 of 2025\n"), [("W0106", 2, 21)]);
        assert_eq!(codes("a: [x, Kanun  #6698\n ]\n"), [("W0106", 2, 15)]);
        assert_eq!(codes("a: Şu iki\n  satır #ğ\n"), [("W0106", 3, 9)]);
        for text in ["a: 1 # one\n", "a: '1 #2'\n", "a: b#c\n", "a: # x\n", "a: 1 ##\n", "a: |\n  b #c\n", "#a\nb: 1\n"]
        {
            assert_eq!(codes(text), [], "{text:?}");
        }
    }

    #[test]
    fn front_matter_without_fields_is_accepted() {
        for text in ["", "\n", "# a comment\n", "~\n"] {
            let (fields, findings) = parse(text, "x.md", 2);
            assert_eq!((fields.map(|f| f.len()), findings.len()), (Some(0), 0), "{text:?}");
        }
    }
}
