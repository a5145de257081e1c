//! Reads the values of a file by the rows of its fields, and reports all findings at once.

use std::sync::LazyLock;

use contract::Locale;
use findings::{
    Code, Finding, Place, Span, clean,
    messages::{self, Text},
    nearest,
};

use super::{
    At, FieldValue, SETTINGS, Type, Values,
    fields::{Field, FieldContent, SITE, fields_of},
    foreign_fields::foreign_field,
    node::{Node, Pair, Value},
    values,
};

/// An example of the hours of an office.
const HOURS: &str = "hours: { days: [mon, tue], opens: \"09:00\", closes: \"18:00\" }";

/// The file whose fields are read.
#[derive(Clone, Copy)]
pub(super) struct FieldSource<'a> {
    pub(super) file: &'a str,
    /// The place at which missing fields are reported.
    pub(super) start: Span,
    /// The language of slugs.
    pub(super) locale: Locale,
    /// The key of a page without an address of its own.
    pub(super) unaddressed: Option<&'a str>,
}

impl<'a> FieldSource<'a> {
    /// Returns a file in TOML.
    pub(super) fn toml(file: &'a str) -> Self {
        let start = Span { line: 1, column: 1, length: 1 };
        Self { file, start, locale: Locale::Tr, unaddressed: None }
    }

    pub(super) fn finding(&self, code: Code, span: Span, message: Text) -> Finding {
        Finding::new(code, Place::new(self.file, span), message)
    }
}

/// Reads the fields of a file.
pub(super) fn read(source: FieldSource, fields: &'static [Field], pairs: &[Pair]) -> (Values, Vec<Finding>) {
    let mut findings = Vec::new();
    let reader = FieldReader {
        source,
        prefix: String::new(),
        pairs,
        fields,
        values: Values::default(),
        findings: &mut findings,
    };
    let values = reader.read();
    (values, findings)
}

/// Reads the fields of a file, or of a group inside it.
struct FieldReader<'r, 'n, 's> {
    source: FieldSource<'r>,
    /// The names of the enclosing groups, each with a dot.
    prefix: String,
    pairs: &'n [Pair<'s>],
    fields: &'static [Field],
    values: Values,
    findings: &'r mut Vec<Finding>,
}

impl<'n, 's> FieldReader<'_, 'n, 's> {
    fn read(mut self) -> Values {
        let mut missing = Vec::new();
        for field in self.allowed() {
            let name = field.name.as_str();
            let Some(pair) = self.pair(name) else {
                if field.is_required_in_each_file() {
                    missing.push(name);
                }
                continue;
            };
            self.values.present.push(name);
            // An optional field without a value counts as absent.
            if pair.node.is_empty() {
                if field.is_required_in_each_file() {
                    let message = messages::field_without_value(self.path(name));
                    self.fail(name, Code::NO_VALUE, pair.at, message, messages::field_without_value_help());
                }
                continue;
            }
            let value = match &field.content {
                FieldContent::Value(of) => self.single(name, &pair.node, of).map(|text| text.map(FieldValue::Text)),
                FieldContent::List(of, most) => self.list(name, &pair.node, of, *most),
                FieldContent::Group(fields) => self.group(name, pair, fields),
                FieldContent::Groups(fields, most) => self.groups(name, pair, fields, *most),
            };
            if let Some(value) = value {
                self.values.found.push((name, value));
            }
        }
        let is_read = |name: &String| self.values.find(name).is_some();
        let required = self.fields.iter().filter(|field| field.required_with.iter().any(is_read));
        missing.extend(required.map(|field| field.name.as_str()).filter(|name| !self.values.has(name)));
        self.report_others(missing);
        self.values
    }

    fn single(&mut self, name: &'static str, node: &Node, of: &Type) -> Option<At<String>> {
        // The values of both languages are named for them.
        let locale = name.parse().unwrap_or(self.source.locale);
        match of.read(node, locale) {
            Ok(text) => {
                if of.is_date() {
                    self.report_moment(name, node, &text);
                }
                Some(At::new(text, node.at))
            }
            Err(problem) => {
                self.values.failed.push(name);
                let problem = problem?;
                let message = messages::field_problem(self.path(name), problem.message);
                let mut finding = self.source.finding(problem.code, node.at, message);
                finding.label = problem.label;
                finding.help.extend(problem.help);
                // The correction of a text lacks the quotation marks that TOML requires.
                let is_text = !matches!(problem.code, Code::BAD_BOOLEAN | Code::BAD_DATE | Code::BAD_INTEGER);
                let correction = problem.correction.filter(|_| !is_text || self.source.file != SETTINGS);
                self.findings.push(match correction {
                    Some(correction) => finding.edit(node.at, correction),
                    None => finding,
                });
                None
            }
        }
    }

    /// Reports a moment that was converted to its day.
    fn report_moment(&mut self, name: &str, node: &Node, day: &str) {
        if values::scalar(node).is_ok_and(|(text, _)| text != day) {
            let message = messages::moment_for_day(self.path(name), day);
            let finding = self.source.finding(Code::MOMENT_FOR_DAY, node.at, message);
            self.findings.push(finding.label(messages::words_to_write(day)).edit(node.at, day));
        }
    }

    fn list(&mut self, name: &'static str, node: &Node, of: &Type, most: Option<usize>) -> Option<At<FieldValue>> {
        let Value::List(nodes) = &node.value else {
            let items = match &node.value {
                Value::Scalar { text, .. } => text.split(',').map(str::trim).collect::<Vec<_>>().join(", "),
                _ => "…, …".to_owned(),
            };
            let help = messages::words_to_write(clean(&format!("{name}: [{items}]")));
            self.refuse_shape(name, node, node.at, messages::list_expected(self.path(name), node.shape()), help);
            return None;
        };
        let mut items: Vec<At<String>> = Vec::with_capacity(nodes.len());
        for node in nodes.iter().filter(|node| !node.is_empty()) {
            let Some(item) = self.single(name, node, of) else { continue };
            if items.contains(&item) {
                let finding = self.source.finding(Code::ITEM_TWICE, item.span, messages::item_twice(self.path(name)));
                self.findings.push(finding.help(messages::item_twice_help()));
            } else {
                items.push(item);
            }
        }
        if let Some((most, first)) = most.and_then(|most| Some((most, items.get(most)?))) {
            let message = messages::list_too_long(self.path(name), items.len(), most);
            let finding = self.source.finding(Code::TOO_LONG, first.span, message);
            self.findings.push(finding.help(messages::list_too_long_help()));
        }
        // In front matter an empty list counts as absent; in `site.toml` it means that nothing is offered.
        let is_absent = items.is_empty() && self.source.file != SETTINGS;
        (!is_absent).then(|| At::new(FieldValue::List(items), node.at))
    }

    fn group(&mut self, name: &'static str, pair: &'n Pair<'s>, fields: &'static [Field]) -> Option<At<FieldValue>> {
        let Value::Map(pairs) = &pair.node.value else {
            let message = messages::group_expected(self.path(name), pair.node.shape());
            let help = match (name, self.prefix.is_empty()) {
                ("hours", _) => messages::words_to_write(HOURS),
                (_, true) => messages::table_help(name),
                ("light" | "dark" | "fonts", _) => messages::inner_table_help(self.path(name)),
                _ => messages::words_to_write(format!("{name} = {{ en = \"…\", tr = \"…\" }}")),
            };
            self.refuse_shape(name, &pair.node, pair.node.at, message, help);
            return None;
        };
        let values = self.inner(name, pair.at, pairs, fields);
        if !values.failed.is_empty() {
            self.values.failed.push(name);
        }
        Some(At::new(FieldValue::Group(values), pair.at))
    }

    /// Reads a list of groups. An unreadable field in one group does not affect the other groups.
    fn groups(
        &mut self,
        name: &'static str,
        pair: &'n Pair<'s>,
        fields: &'static [Field],
        most: Option<usize>,
    ) -> Option<At<FieldValue>> {
        let Value::List(nodes) = &pair.node.value else {
            let message = messages::groups_expected(self.path(name), pair.node.shape());
            let is_entry = self.source.file.ends_with(".md");
            let tables_help = || messages::tables_help(self.path(name));
            let help = if is_entry { messages::groups_in_list_help() } else { tables_help() };
            self.refuse_shape(name, &pair.node, pair.at, message, help);
            return None;
        };
        let mut groups = Vec::with_capacity(nodes.len());
        for node in nodes {
            if let Value::Map(pairs) = &node.value {
                groups.push(At::new(self.inner(name, node.at, pairs, fields), node.at));
            } else {
                let message = messages::group_expected_in_list(self.path(name), node.shape());
                self.findings.push(self.source.finding(Code::WRONG_SHAPE, node.at, message));
                self.values.failed.push(name);
            }
        }
        if let Some((most, first)) = most.and_then(|most| Some((most, groups.get(most)?))) {
            let (code, message, help) = too_many(name, groups.len(), most);
            let mut finding = self.source.finding(code, first.span, message);
            finding.help.extend(help);
            self.findings.push(finding);
            groups.truncate(most);
        }
        Some(At::new(FieldValue::Groups(groups), pair.node.at))
    }

    fn inner(&mut self, name: &str, start: Span, pairs: &'n [Pair<'s>], fields: &'static [Field]) -> Values {
        let source = FieldSource { start, ..self.source };
        let prefix = format!("{}{name}.", self.prefix);
        FieldReader { source, prefix, pairs, fields, values: Values::default(), findings: self.findings }.read()
    }

    /// Refuses a value of another shape, unless it has a finding.
    fn refuse_shape(&mut self, name: &'static str, node: &Node, at: Span, message: Text, help: Text) {
        if matches!(node.value, Value::Refused) {
            self.values.failed.push(name);
        } else {
            self.fail(name, Code::WRONG_SHAPE, at, message, help);
        }
    }

    fn fail(&mut self, name: &'static str, code: Code, at: Span, message: Text, help: Text) {
        self.values.failed.push(name);
        self.findings.push(self.source.finding(code, at, message).help(help));
    }

    /// Returns the fields that may be here.
    fn allowed(&self) -> impl Iterator<Item = &'static Field> + Clone + use<> {
        let has_address = self.source.unaddressed.is_none();
        self.fields.iter().filter(move |field| has_address || !field.is_addressed)
    }

    /// Returns the name of a field with the names of its groups before it.
    fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    fn pair(&self, name: &str) -> Option<&'n Pair<'s>> {
        self.pairs.iter().find(|pair| pair.key == name)
    }

    /// Reports unknown and missing fields. If an unknown name has a likely correction, the corrected field is not
    /// reported as missing.
    fn report_others(&mut self, missing: Vec<&'static str>) {
        let known: Vec<&str> = self.allowed().map(|field| field.name.as_str()).collect();
        let mut meant = Vec::new();
        for pair in self.pairs.iter().filter(|pair| !known.contains(&pair.key.as_ref())) {
            let finding = match self.source.unaddressed {
                Some(page) if self.fields.iter().any(|field| field.name == pair.key) => {
                    let finding =
                        self.source.finding(Code::FIELD_NOT_HERE, pair.at, messages::page_without_own_address(page));
                    finding.help(messages::field_removal_help())
                }
                _ => match self.table_of(&pair.key) {
                    Some(table) => self.misplaced_field(pair, table),
                    None => self.unknown_field(pair, &known, &mut meant),
                },
            };
            self.findings.push(finding);
        }
        for name in missing {
            if !meant.contains(&name) && !self.values.failed.contains(&name) {
                let message = messages::required_field_missing(self.path(name));
                self.findings.push(self.source.finding(Code::MISSING_FIELD, self.source.start, message));
            }
        }
        self.values.failed.append(&mut meant);
    }

    /// Returns the finding about an unknown field, and adds the field that is meant.
    fn unknown_field(&self, pair: &Pair, known: &[&'static str], meant: &mut Vec<&'static str>) -> Finding {
        let absent = known.iter().copied().filter(|name| self.pair(name).is_none());
        let foreign = foreign_field(&pair.key);
        let run_on = absent.clone().find(|name| is_run_on(&pair.key, name));
        let word = match &foreign {
            Some(foreign) => absent.clone().find(|name| foreign.candidates.contains(name)),
            None => run_on.or_else(|| nearest(&pair.key, absent)),
        };
        meant.extend(word);
        let finding = self.source.finding(Code::UNKNOWN_FIELD, pair.at, messages::field_unknown(self.path(&pair.key)));
        let finding = match run_on {
            _ if foreign.is_some() => match (word, foreign.and_then(|foreign| foreign.help)) {
                (Some(word), _) => finding.label(messages::words_to_write(word)).edit(pair.at, word),
                (None, Some(help)) => finding.help(help),
                (None, None) => finding,
            },
            Some(name) => finding.label(messages::field_run_on(name)),
            None => finding.did_you_mean(word),
        };
        finding.help(messages::fields_allowed_help(known.join(", ")))
    }

    /// Returns the table of `site.toml` to which a field belongs.
    fn table_of(&self, name: &str) -> Option<&'static str> {
        let table = TABLES.iter().find(|(known, _)| *known == name).map(|(_, table)| table.as_str());
        table.filter(|_| self.source.file == SETTINGS)
    }

    /// Returns the finding about a field that belongs to another table.
    fn misplaced_field(&self, pair: &Pair, table: &str) -> Finding {
        let here = self.prefix.trim_end_matches('.');
        let key = &pair.key;
        let message = match here {
            "" => messages::field_outside_of_table(key),
            _ => messages::field_in_other_table(key, here),
        };
        let finding = self.source.finding(Code::UNKNOWN_FIELD, pair.at, message);
        finding.help(match table {
            "" => messages::field_above_tables_help(),
            _ => messages::field_below_table_help(table),
        })
    }
}

/// Fields of `site.toml` with the only table in which they occur; its name is empty for those above the tables. They
/// detect a line that was added at the end of the file and so belongs to the last table.
pub(super) static TABLES: LazyLock<Vec<(&str, String)>> = LazyLock::new(|| {
    let mut places = Vec::new();
    collect_places(fields_of(SITE), "", &mut places);
    let is_only = |name: &str| places.iter().filter(|(known, _)| *known == name).count() == 1;
    // A `title` in another table is rather a name or a label.
    let mut tables = places.clone();
    tables.retain(|(name, table)| {
        table.as_ref().is_some_and(|table| table.is_empty() || is_only(name)) && *name != "title"
    });
    tables.into_iter().filter_map(|(name, table)| Some((name, table?))).collect()
});

/// Collects the fields of `site.toml` that hold values, each with its table; `None` if that is one of a list.
fn collect_places(fields: &'static [Field], table: &str, places: &mut Vec<(&'static str, Option<String>)>) {
    for Field { name, content, .. } in fields {
        match content {
            FieldContent::Group(fields) if !fields.iter().any(|field| field.name.parse::<Locale>().is_ok()) => {
                let inner = if table.is_empty() { name.clone() } else { format!("{table}.{name}") };
                collect_places(fields, &inner, places);
            }
            FieldContent::Groups(fields, _) => places.extend(fields.iter().map(|field| (field.name.as_str(), None))),
            _ => places.push((name, Some(table.to_owned()))),
        }
    }
}

/// Returns code, message and help for a list with more groups than it may have.
fn too_many(name: &str, count: usize, most: usize) -> (Code, Text, Option<Text>) {
    match name {
        "offices" => (Code::TOO_LONG, messages::offices_too_many(count, most), None),
        "changes" => (Code::TOO_LONG, messages::changes_too_many(count, most), None),
        "deviation" => {
            let help = messages::too_many_deviations_help();
            (Code::TOO_LONG, messages::too_many_deviations(count, most), Some(help))
        }
        "group" => (Code::TOO_LONG, messages::too_many_synonyms(count, most), Some(messages::too_many_synonyms_help())),
        "law" | "change" => (Code::TOO_LONG, messages::too_many_laws(count, most), None),
        menu => (Code::MENU_ENTRY, messages::menu_too_long(menu, count, most), Some(messages::menu_too_long_help())),
    }
}

/// Returns whether an unknown name is the field `name` with its value, because the colon or the space is missing.
fn is_run_on(key: &str, name: &str) -> bool {
    key.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', ':', '"', '\'']))
}
