//! Arranges a content folder for an editor that rewrites the fields of a file when it saves: names of texts, shared facts in
//! the Turkish file, fields in the order of the schema and in the form of the editor's YAML library. The first save of an entry then
//! changes only what a person changed.
//!
//! A file whose fields have comments keeps its form, because the editor would delete them.

use std::{collections::BTreeMap, fs, path::Path};

use content::{
    Checksum, EntryFile, Field, FieldContent, Kind, Sharing, fields_of,
    node::{Node, Pair, Value},
    split, yaml,
};
use contract::Locale;

use crate::fix::FileChange;

/// The language whose files state the shared facts.
const MAIN: Locale = Locale::Tr;

/// What is to change in a content folder.
#[derive(Debug, Default)]
pub struct Arrangement {
    /// By path; a change may be a rename only.
    pub changes: Vec<FileChange>,
    /// Files whose fields have comments, which the editor does not keep.
    pub commented: Vec<String>,
    /// Files that cannot be read as fields and a text; `check` reports why.
    pub unreadable: Vec<String>,
}

struct EntryText {
    file: EntryFile,
    /// The whole file as it is.
    raw: String,
    /// The whole file in NFC, with line feeds.
    text: String,
}

/// Finds the changes without writing any file. With `names_only`, the contents stay as they are.
pub fn arrange(content: &Path, names_only: bool) -> Arrangement {
    let (tree, _) = content::walk(content);
    let mut entries: BTreeMap<(Kind, String), Vec<EntryText>> = BTreeMap::new();
    let mut arrangement = Arrangement::default();
    for file in tree.entries {
        match fs::read_to_string(content.join(&file.file)) {
            Ok(raw) => {
                let text = content::tidy(&raw).into_owned();
                entries.entry((file.kind, file.key.clone())).or_default().push(EntryText { file, raw, text });
            }
            Err(_) => arrangement.unreadable.push(file.file),
        }
    }
    for texts in entries.into_values() {
        let arranged = if names_only { vec![None; texts.len()] } else { arrange_entry(&texts, &mut arrangement) };
        for (EntryText { file, raw, text }, arranged) in texts.into_iter().zip(arranged) {
            let name = new_name(&file.file, file.locale);
            let renamed = (name != file.file).then_some(name);
            let after = arranged.unwrap_or_else(|| text.clone());
            if renamed.is_some() || after != text {
                let (path, checksum) = (content.join(&file.file), Checksum::of(raw.as_bytes()));
                // A rename alone changes no byte.
                let (before, after) = if after == text { (raw.clone(), raw) } else { (text, after) };
                arrangement.changes.push(FileChange::new(file.file, path, checksum, (before, after), renamed));
            }
        }
    }
    arrangement
}

fn new_name(file: &str, locale: Locale) -> String {
    let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
    format!("{folder}/index.{locale}.md")
}

/// Returns the new content of each file of an entry; `None` if it stays as it is.
fn arrange_entry(texts: &[EntryText], arrangement: &mut Arrangement) -> Vec<Option<String>> {
    let mut parsed: Vec<Option<Vec<Pair>>> = texts.iter().map(|text| pairs(text, arrangement)).collect();
    let Some(kind) = texts.first().map(|text| text.file.kind) else { return Vec::new() };
    let fields = fields_of(kind.folder());
    // Facts move only between two files that can both be rewritten.
    if let [Some(one), Some(other)] = &mut parsed[..] {
        let (main, translation) = if texts[0].file.locale == MAIN { (one, other) } else { (other, one) };
        for field in fields.iter().filter(|field| field.sharing == Sharing::Shared) {
            if let Some(at) = translation.iter().position(|pair| pair.key == field.name) {
                let fact = translation.remove(at);
                if !main.iter().any(|pair| pair.key == field.name) {
                    main.push(fact);
                }
            }
        }
    }
    let write = |(text, pairs): (&EntryText, Option<Vec<Pair>>)| {
        let split = split(&text.text, &text.file.file).ok()?;
        let body = split.body.trim();
        let body = if body.is_empty() { String::new() } else { format!("\n{}\n", split.body.trim_matches('\n')) };
        Some(format!("---\n{}---\n{body}", fields_text(&in_order(pairs?, fields), fields, 0)))
    };
    texts.iter().zip(parsed).map(write).collect()
}

/// Returns the fields of a file; `None` if it is unreadable or has comments.
fn pairs<'t>(text: &'t EntryText, arrangement: &mut Arrangement) -> Option<Vec<Pair<'t>>> {
    let file = &text.file.file;
    let fields = split(&text.text, file).ok().map(|split| split.fields);
    let parsed = fields.map(|fields| (fields, yaml::parse(fields, file, 2)));
    match parsed {
        Some((fields, (Some(pairs), findings)))
            if findings.is_empty() && pairs.iter().all(|it| can_write(&it.node)) =>
        {
            let is_commented = has_comment(fields);
            if is_commented {
                arrangement.commented.push(file.clone());
            }
            (!is_commented).then_some(pairs)
        }
        _ => {
            arrangement.unreadable.push(file.clone());
            None
        }
    }
}

/// Returns whether a value has no part that this module cannot write.
fn can_write(node: &Node) -> bool {
    match &node.value {
        Value::Scalar { text, .. } => !text.contains(char::is_control),
        Value::List(items) => items.iter().all(|item| !matches!(item.value, Value::List(_)) && can_write(item)),
        Value::Map(pairs) => pairs.iter().all(|pair| can_write(&pair.node)),
        Value::Refused => false,
    }
}

/// Returns whether YAML has a comment. A `#` inside of quotation marks after a space counts as one, too.
fn has_comment(fields: &str) -> bool {
    fields.lines().any(|line| line.trim_start().starts_with('#') || line.contains(" #"))
}

/// Returns pairs in the order of their fields; unknown ones follow.
fn in_order<'n>(mut pairs: Vec<Pair<'n>>, fields: &[Field]) -> Vec<Pair<'n>> {
    let place = |pair: &Pair| fields.iter().position(|field| field.name == pair.key).unwrap_or(usize::MAX);
    pairs.sort_by_key(place);
    pairs
}

fn fields_text(pairs: &[Pair], fields: &[Field], depth: usize) -> String {
    let room = "  ".repeat(depth);
    let mut text = String::new();
    for pair in pairs {
        let field = fields.iter().find(|field| field.name == pair.key);
        let inner = match field.map(|field| &field.content) {
            Some(FieldContent::Group(fields) | FieldContent::Groups(fields, _)) => fields.as_slice(),
            _ => &[],
        };
        let is_string = field.is_some_and(|field| match &field.content {
            FieldContent::Value(of) | FieldContent::List(of, _) => !["integer", "boolean"].contains(&of.name.as_str()),
            FieldContent::Group(_) | FieldContent::Groups(..) => true,
        });
        text.extend([&room, &*pair.key, ":"]);
        match &pair.node.value {
            Value::Scalar { .. } => text.extend([" ", &scalar_text(&pair.node, is_string), "\n"]),
            Value::List(items) if items.is_empty() => text += " []\n",
            Value::List(items) => {
                text.push('\n');
                for item in items {
                    let value = match &item.value {
                        Value::Map(pairs) => {
                            let group = fields_text(&in_order(pairs.clone(), inner), inner, depth + 2);
                            group.trim().to_owned()
                        }
                        _ => scalar_text(item, is_string),
                    };
                    text.extend([&room, "  - ", &value, "\n"]);
                }
            }
            Value::Map(pairs) if pairs.is_empty() => text += " {}\n",
            Value::Map(pairs) => {
                text.push('\n');
                text += &fields_text(&in_order(pairs.clone(), inner), inner, depth + 1);
            }
            Value::Refused => {}
        }
    }
    text
}

/// Returns a value as the editor's library writes it: without quotation marks unless they are needed.
fn scalar_text(node: &Node, is_string: bool) -> String {
    let Value::Scalar { text, plain } = &node.value else { return String::new() };
    // Unquoted, it is a number or a boolean, which stays one.
    if (*plain && !is_string) || !needs_quotes(text, *plain) {
        return text.clone().into_owned();
    }
    if text.contains('\'') && !text.contains('"') {
        serde_json::Value::from(text.as_ref()).to_string()
    } else {
        format!("'{}'", text.replace('\'', "''"))
    }
}

/// Returns whether a text without quotation marks would be something else in YAML 1.2 (core schema).
fn needs_quotes(text: &str, is_plain: bool) -> bool {
    let mut letters = text.chars();
    let (first, second) = (letters.next(), letters.next());
    let is_indicator = match first {
        None => true,
        Some('?' | '-') => second.is_none_or(|letter| letter == ' '),
        Some(letter) => " ,[]{}#&*!|>'\"%@`".contains(letter),
    };
    let is_structure = text.contains(": ") || text.contains(" #") || text.ends_with([' ', ':', '-']) && text != "-";
    // As it is read now, an unquoted value is one already.
    is_indicator || is_structure || (!is_plain && is_other_type(text))
}

/// Returns whether an unquoted text is null, a boolean or a number.
fn is_other_type(text: &str) -> bool {
    let is_word = ["~", "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE"].contains(&text);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let is_number = digits.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.')
        && (digits.parse::<f64>().is_ok()
            || ["0x", "0o"].iter().any(|prefix| text.strip_prefix(prefix).is_some_and(is_hexadecimal))
            || [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"].contains(&digits));
    is_word || is_number
}

fn is_hexadecimal(digits: &str) -> bool {
    !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(files: &[(&str, &str)]) -> (Arrangement, tempfile::TempDir) {
        let content = tempfile::tempdir().unwrap();
        for (file, text) in files {
            let path = content.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let arrangement = arrange(content.path(), false);
        arrangement.changes.iter().for_each(|change| change.apply().unwrap());
        (arrangement, content)
    }

    fn read(content: &tempfile::TempDir, file: &str) -> String {
        fs::read_to_string(content.path().join(file)).unwrap()
    }

    #[test]
    fn shared_facts_move_to_the_turkish_file_in_the_order_of_the_schema() {
        let (_, content) = arranged(&[
            (
                "team/ada/en.md",
                "---\nupdated: \"2026-01-02\"\nname: \"Ada: D\"\ntitle: Attorney\nslug: ada\nsummary: \"Works, 'here'.\"\n\
                 languages: [tr, en]\ntelephone: \"+902125550101\"\norder: 3\nunknown: x\n---\n\nText  \n\n\n",
            ),
            ("team/ada/tr.md", "---\nsummary: Çalışır.\ntitle: Avukat\n---\nMetin | -\n"),
        ]);
        assert_eq!(
            read(&content, "team/ada/index.tr.md"),
            "---\nname: 'Ada: D'\nslug: ada\nsummary: Çalışır.\nupdated: 2026-01-02\norder: 3\ntitle: Avukat\n\
             telephone: '+902125550101'\nlanguages:\n  - tr\n  - en\n---\n\nMetin | -\n"
        );
        assert_eq!(
            read(&content, "team/ada/index.en.md"),
            "---\nsummary: Works, 'here'.\ntitle: Attorney\nunknown: x\n---\n\nText  \n"
        );
        assert!(!content.path().join("team/ada/en.md").exists());
        assert!(arrange(content.path(), false).changes.is_empty(), "a second run changes nothing");
    }

    #[test]
    fn groups_are_written_as_blocks_and_a_language_alone_keeps_its_facts() {
        let (_, content) = arranged(&[
            (
                "contact/en.md",
                "---\ndescription: A\noffices: [{ name: Istanbul, key: istanbul }]\n\
                 hours: { opens: \"09:00\", days: [mon, tue] }\n---\n",
            ),
            ("publications/a/en.md", "---\ndate: 2026-01-02\ntitle: A\nslug: a\n---\n\nText\n"),
        ]);
        assert_eq!(
            read(&content, "contact/index.en.md"),
            "---\ndescription: A\noffices:\n  - key: istanbul\n    name: Istanbul\nhours:\n  days:\n    - mon\n    - tue\n  \
             opens: 09:00\n---\n"
        );
        assert_eq!(
            read(&content, "publications/a/index.en.md"),
            "---\ntitle: A\nslug: a\ndate: 2026-01-02\n---\n\nText\n"
        );
    }

    #[test]
    fn file_with_comments_or_faults_is_renamed_only() {
        let broken = "---\ntitle: [\n---\n";
        let commented = "---\ntitle: A # ours\nslug: a\n---\n";
        let (arrangement, content) =
            arranged(&[("pages/a/tr.md", commented), ("pages/b/tr.md", broken), ("pages/b/x.txt", "")]);
        assert_eq!(arrangement.commented, ["pages/a/tr.md"]);
        assert_eq!(arrangement.unreadable, ["pages/b/tr.md"]);
        assert_eq!(read(&content, "pages/a/index.tr.md"), commented);
        assert_eq!(read(&content, "pages/b/index.tr.md"), broken);
    }

    #[test]
    fn quotation_marks_are_those_of_the_library() {
        for (text, expected) in [
            ("m. 5/1", "m. 5/1"),
            ("a: b", "'a: b'"),
            ("a:b", "a:b"),
            ("a #b", "'a #b'"),
            ("it's \"so\": a", "'it''s \"so\": a'"),
            ("it's: a", "\"it's: a\""),
            ("true", "'true'"),
            ("34371", "'34371'"),
            ("1.2", "'1.2'"),
            ("09:00", "09:00"),
            ("2026-01-02", "2026-01-02"),
            ("- a", "'- a'"),
            ("-a", "-a"),
            ("@a", "'@a'"),
            ("a-", "'a-'"),
            ("50% 30%", "50% 30%"),
            ("%a", "'%a'"),
            ("", "''"),
        ] {
            let node = Node { at: findings::Span::START, value: Value::Scalar { text: text.into(), plain: false } };
            assert_eq!(scalar_text(&node, true), expected, "{text}");
        }
    }
}
