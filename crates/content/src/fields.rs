//! The rows of `fields.toml`: the fields that each file and each group may have.

use std::{collections::BTreeMap, sync::LazyLock};

use ::toml::Spanned;
use contract::{Locale, PerLocale};
use serde::Deserialize;

use super::{Kind, Type};

/// The names of the files that are no entries, without their endings: as in [`fields_of`].
pub(super) const SITE: &str = "site";
pub(super) const DEVIATIONS: &str = "deviations";
pub(super) const SYNONYMS: &str = "synonyms";
pub(super) const LAWS: &str = "laws";
pub(super) const LAW_CHANGES: &str = "law-changes";

/// An allowed field.
#[derive(Debug)]
pub struct Field {
    pub name: String,
    pub content: FieldContent,
    /// Whether the field must be present: in each file or, if it is shared, in one of the two.
    pub is_required: bool,
    pub sharing: Sharing,
    /// Whether only pages with an address of their own have the field.
    pub is_addressed: bool,
    pub required_with: Vec<String>,
    /// The meaning, without the form of the value.
    pub words: PerLocale<String>,
    /// The name in a form. Only fields of entries have one.
    pub label: Option<PerLocale<String>>,
    /// The meaning in a form, if it differs from that in a text editor.
    pub form_words: Option<PerLocale<String>>,
    /// The name of an item of a list in a form.
    pub item_label: Option<PerLocale<String>>,
}

#[derive(Debug)]
pub enum FieldContent {
    Value(Type),
    /// A list of values, with the maximum number of items.
    List(Type, Option<usize>),
    Group(Vec<Field>),
    /// A list of groups, with the maximum number of items.
    Groups(Vec<Field>, Option<usize>),
}

/// How the files of both languages relate in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Each file has its own value.
    Own,
    /// Both files state the same; one takes what it lacks from the other.
    Shared,
    /// One takes what it lacks from the other; the two may differ.
    Inherited,
}

impl Field {
    /// Returns whether the field must be present in each file. A page without an address of its own lacks the field.
    pub fn is_required_in_each_file(&self) -> bool {
        self.is_required && self.sharing == Sharing::Own
    }
}

/// Returns the fields of a file: of an entry's file by the folder of its kind, otherwise by the name of the file. Empty
/// if there is no such file.
pub fn fields_of(name: &str) -> &'static [Field] {
    ROWS.fields.get(name).map_or(&[], Vec::as_slice)
}

pub fn title_of(name: &str) -> Option<&'static PerLocale<String>> {
    ROWS.titles.get(name)
}

/// Returns the title of a list of entries of this kind.
pub fn list_title_of(kind: Kind) -> Option<&'static PerLocale<String>> {
    ROWS.lists.get(kind.folder())
}

struct Rows {
    titles: BTreeMap<String, PerLocale<String>>,
    lists: BTreeMap<String, PerLocale<String>>,
    fields: BTreeMap<&'static str, Vec<Field>>,
}

static ROWS: LazyLock<Rows> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the rows are compiled in, and every test of this crate reads them")]
    read_rows(include_str!("fields.toml")).expect("invariant: rows of fields")
});

type FieldTables = BTreeMap<String, FieldTable>;
/// Rows by name, with their places.
type FieldTable = BTreeMap<Spanned<String>, FieldRow>;

/// A row, as the head of `fields.toml` describes it.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "a row states what holds")]
struct FieldRow {
    r#type: Option<String>,
    list: Option<String>,
    each: Option<String>,
    group: Option<String>,
    groups: Option<String>,
    most: Option<usize>,
    required: bool,
    required_with: Vec<String>,
    shared: bool,
    inherited: bool,
    addressed: bool,
    label: Option<PerLocale<String>>,
    form: Option<PerLocale<String>>,
    item: Option<PerLocale<String>>,
    en: Option<String>,
    tr: Option<String>,
}

fn read_rows(text: &str) -> Result<Rows, String> {
    let tables: FieldTables = ::toml::from_str(text).map_err(|error| error.to_string())?;
    let names = Kind::ALL.map(Kind::folder).into_iter().chain([SITE, DEVIATIONS, SYNONYMS, LAWS, LAW_CHANGES]);
    let fields = names.map(|name| Ok((name, table(&tables, name)?))).collect::<Result<_, String>>()?;
    let titles = rows(&tables, "titles")?;
    let lists = titles.iter().filter_map(|(name, row)| Some(((*name).to_owned(), row.label.clone()?))).collect();
    let titles = titles.into_iter().map(|(name, row)| Ok((name.to_owned(), words(row, row).ok_or(name)?)));
    Ok(Rows { titles: titles.collect::<Result<_, String>>()?, lists, fields })
}

/// Returns the rows of a table in the order of the file.
fn rows<'t>(tables: &'t FieldTables, name: &str) -> Result<Vec<(&'t str, &'t FieldRow)>, String> {
    let table = tables.get(name).ok_or_else(|| format!("no table {name}"))?;
    let mut rows: Vec<_> = table.iter().collect();
    rows.sort_by_key(|(name, _)| name.span().start);
    Ok(rows.into_iter().map(|(name, row)| (name.as_ref().as_str(), row)).collect())
}

fn table(tables: &FieldTables, name: &str) -> Result<Vec<Field>, String> {
    let fields = rows(tables, name)?.into_iter().map(|(field, row)| self::field(tables, field, row));
    fields.collect::<Result<_, _>>().map_err(|error| format!("{name}.{error}"))
}

fn field(tables: &FieldTables, name: &str, row: &FieldRow) -> Result<Field, String> {
    let any = tables.get("any").and_then(|any| any.get(name)).unwrap_or(row);
    let content = match content(tables, row).transpose() {
        Some(content) => content,
        None => content(tables, any).transpose().unwrap_or_else(|| Err("no type".to_owned())),
    };
    Ok(Field {
        name: name.to_owned(),
        content: content.map_err(|error| format!("{name}: {error}"))?,
        is_required: row.required,
        sharing: match (row.inherited, row.shared || any.shared) {
            (true, _) => Sharing::Inherited,
            (_, true) => Sharing::Shared,
            _ => Sharing::Own,
        },
        is_addressed: row.addressed,
        required_with: row.required_with.clone(),
        words: words(row, any).ok_or_else(|| format!("{name}: no words"))?,
        label: row.label.clone().or_else(|| any.label.clone()),
        form_words: row.form.clone().or_else(|| any.form.clone()),
        item_label: row.item.clone().or_else(|| any.item.clone()),
    })
}

fn content(tables: &FieldTables, row: &FieldRow) -> Result<Option<FieldContent>, String> {
    let of_type = |name: &String| Type::parse(name).ok_or_else(|| format!("no type {name}"));
    Ok(Some(match row {
        FieldRow { r#type: Some(name), .. } => FieldContent::Value(of_type(name)?),
        FieldRow { list: Some(name), .. } => FieldContent::List(of_type(name)?, row.most),
        FieldRow { group: Some(name), .. } => FieldContent::Group(table(tables, name)?),
        FieldRow { groups: Some(name), .. } => FieldContent::Groups(table(tables, name)?, row.most),
        FieldRow { each: Some(name), .. } => FieldContent::Group(
            Locale::ALL
                .map(|locale| {
                    let row = FieldRow { r#type: Some(name.clone()), required: row.required, ..FieldRow::default() };
                    field(tables, locale.as_str(), &row)
                })
                .into_iter()
                .collect::<Result<_, _>>()?,
        ),
        _ => return Ok(None),
    }))
}

/// Returns the words of a row, otherwise those of the row for any table.
fn words(row: &FieldRow, any: &FieldRow) -> Option<PerLocale<String>> {
    let of = |words: fn(&FieldRow) -> &Option<String>| words(row).as_ref().or(words(any).as_ref()).cloned();
    Some(PerLocale { en: of(|row| &row.en)?, tr: of(|row| &row.tr)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_of_rows_is_used() {
        let tables: FieldTables = ::toml::from_str(include_str!("fields.toml")).unwrap();
        let groups = tables.values().flat_map(BTreeMap::values).flat_map(|row| row.group.iter().chain(&row.groups));
        let mut used: Vec<&str> = groups.map(String::as_str).collect();
        used.extend(Kind::ALL.map(Kind::folder));
        used.extend([SITE, DEVIATIONS, SYNONYMS, LAWS, LAW_CHANGES, "any", "titles"]);
        let idle: Vec<_> = tables.keys().filter(|name| !used.contains(&name.as_str())).collect();
        assert!(idle.is_empty(), "{idle:?}");
    }

    fn assert_labels(owner: &str, fields: &[Field]) {
        for Field { name, content, label, .. } in fields {
            assert!(label.is_some(), "{owner}.{name}");
            if let FieldContent::Group(fields) | FieldContent::Groups(fields, _) = content {
                assert_labels(name, fields);
            }
        }
    }

    #[test]
    fn fields_of_entries_have_labels() {
        for kind in Kind::ALL {
            assert!(list_title_of(kind).is_some(), "{kind:?}");
            assert_labels(kind.folder(), fields_of(kind.folder()));
        }
    }

    #[test]
    fn wrong_row_is_reported_with_its_place() {
        let rows = |text: &str| read_rows(text).err().unwrap_or_default();
        let text = include_str!("fields.toml");
        for (old, new, expected) in [
            ("type = \"focus\"", "type = \"focsu\"", "team.portrait_focus: no type focsu"),
            ("bar = { type = \"line\", ", "bar = { ", "team.bar: no type"),
            ("hours = { group = \"hours\"", "hours = { group = \"hour\"", "no table hour"),
            ("addressed = true", "adressed = true", "unknown field `adressed`"),
        ] {
            assert!(text.contains(old), "{old}");
            let error = rows(&text.replace(old, new));
            assert!(error.contains(expected), "{error}");
        }
    }
}
