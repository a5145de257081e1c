//! A typed reader of fields that collects findings.

use contract::text::Date;
use findings::{
    Code, Finding, Place, Span, clean,
    messages::{self, Text},
    nearest,
};

use super::{
    At, SETTINGS,
    foreign_fields::foreign_field,
    node::{Node, Pair, Value},
    types::{self, Field, FieldContent, Type},
    values,
};

/// An example of the hours of an office.
const HOURS: &str = "hours: { days: [mon, tue], opens: \"09:00\", closes: \"18:00\" }";

/// A group of fields after reading.
pub(super) struct Group<T> {
    pub(super) value: T,
    /// The span of its name.
    pub(super) span: Span,
    /// The fields inside that are present but refused or misspelt.
    pub(super) failed: Vec<&'static str>,
}

/// The fields of a file, or of a group inside it.
pub(super) struct Fields<'n, 's> {
    file: &'n str,
    /// The place at which missing fields are reported.
    start: Span,
    /// The names of the enclosing groups, each with a dot.
    prefix: String,
    pairs: &'n [Pair<'s>],
    /// Fields of other groups of the file, with the names of these groups; the name of the top level is empty.
    elsewhere: &'static [(&'static str, &'static str)],
    known: Vec<&'static str>,
    /// Fields with a message of their own: neither reported as unknown nor listed as allowed.
    refused: Vec<&'static str>,
    missing: Vec<&'static str>,
    /// Fields that are present but refused or misspelt, or contain such a field; they get no further findings.
    failed: Vec<&'static str>,
    findings: Vec<Finding>,
    /// The allowed fields, collected for a schema; `None` when a file is read.
    table: Option<Vec<Field>>,
}

impl<'n, 's> Fields<'n, 's> {
    pub(super) fn new(file: &'n str, start: Span, pairs: &'n [Pair<'s>]) -> Self {
        Self {
            file,
            start,
            prefix: String::new(),
            pairs,
            elsewhere: &[],
            known: Vec::new(),
            refused: Vec::new(),
            missing: Vec::new(),
            failed: Vec::new(),
            findings: Vec::new(),
            table: None,
        }
    }

    /// Returns the fields that `read` allows.
    pub(super) fn table(read: impl FnOnce(&mut Self)) -> Vec<Field> {
        let mut fields = Self { table: Some(Vec::new()), ..Self::new("", Span::START, &[]) };
        read(&mut fields);
        let Self { missing, table, .. } = fields;
        table.into_iter().flatten().map(|field| Field { is_required: missing.contains(&field.name), ..field }).collect()
    }

    /// Sets the groups to which misplaced fields belong.
    pub(super) fn with_groups(self, elsewhere: &'static [(&'static str, &'static str)]) -> Self {
        Self { elsewhere, ..self }
    }

    /// Reads a required field.
    pub(super) fn required<T>(&mut self, name: &'static str, of: &impl Type<T>) -> Option<At<T>> {
        self.require(name);
        self.optional(name, of)
    }

    /// Reads an optional field. A field without a value counts as absent.
    pub(super) fn optional<T>(&mut self, name: &'static str, of: &impl Type<T>) -> Option<At<T>> {
        self.allow(name, || FieldContent::Value(of.form()));
        let pair = self.pair_with_value(name)?;
        self.value(name, &pair.node, of)
    }

    /// Reads an optional day. Converts a moment to its day, with a finding.
    pub(super) fn day(&mut self, name: &'static str) -> Option<At<Date>> {
        let day = self.optional(name, &types::date())?;
        let is_moment = self
            .pair(name)
            .is_some_and(|pair| values::scalar(&pair.node).is_ok_and(|(text, _)| text != day.value.as_str()));
        if is_moment {
            let message = messages::moment_for_day(self.path(name), &day.value);
            let finding = self.finding(Code::MOMENT_FOR_DAY, day.span, message);
            let label = messages::words_to_write(&day.value);
            self.findings.push(finding.label(label).edit(day.span, day.value.as_str()));
        }
        Some(day)
    }

    /// Reads a required day.
    pub(super) fn required_day(&mut self, name: &'static str) -> Option<At<Date>> {
        self.require(name);
        self.day(name)
    }

    /// Reads an optional list.
    pub(super) fn list<T: PartialEq>(&mut self, name: &'static str, of: &impl Type<T>) -> Option<At<Vec<At<T>>>> {
        self.allow(name, || FieldContent::List(of.form(), None));
        self.items(name, of)
    }

    fn items<T: PartialEq>(&mut self, name: &'static str, of: &impl Type<T>) -> Option<At<Vec<At<T>>>> {
        let pair = self.pair_with_value(name)?;
        let Value::List(nodes) = &pair.node.value else {
            self.failed.push(name);
            if !matches!(pair.node.value, Value::Refused) {
                let message = messages::list_expected(self.path(name), pair.node.shape());
                let finding = self.finding(Code::WRONG_SHAPE, pair.node.at, message);
                let items = match &pair.node.value {
                    Value::Scalar { text, .. } => text.split(',').map(str::trim).collect::<Vec<_>>().join(", "),
                    _ => "…, …".to_owned(),
                };
                self.findings.push(finding.help(messages::words_to_write(clean(&format!("{name}: [{items}]")))));
            }
            return None;
        };
        let mut items: Vec<At<T>> = Vec::with_capacity(nodes.len());
        for node in nodes.iter().filter(|node| !node.is_empty()) {
            let Some(item) = self.value(name, node, of) else { continue };
            if items.contains(&item) {
                let finding = self.finding(Code::ITEM_TWICE, item.span, messages::item_twice(self.path(name)));
                self.findings.push(finding.help(messages::item_twice_help()));
            } else {
                items.push(item);
            }
        }
        // In front matter an empty list counts as absent; in `site.toml` it means that nothing is offered.
        let is_absent = items.is_empty() && self.file != SETTINGS;
        (!is_absent).then(|| At::new(items, pair.node.at))
    }

    /// Reads a list of at most `most` items.
    pub(super) fn short_list<T: PartialEq>(
        &mut self,
        name: &'static str,
        most: usize,
        of: &impl Type<T>,
    ) -> Option<At<Vec<At<T>>>> {
        self.allow(name, || FieldContent::List(of.form(), Some(most)));
        let list = self.items(name, of)?;
        if let Some(first) = list.value.get(most) {
            let message = messages::list_too_long(self.path(name), list.value.len(), most);
            let finding = self.finding(Code::TOO_LONG, first.span, message);
            self.findings.push(finding.help(messages::list_too_long_help()));
        }
        Some(list)
    }

    /// Reads an optional group of fields with `read`.
    pub(super) fn group<T>(&mut self, name: &'static str, read: impl FnOnce(&mut Self) -> T) -> Option<Group<T>> {
        if self.table.is_some() {
            let inner = Self::table(|fields| drop(read(fields)));
            self.allow(name, || FieldContent::Group(inner));
            return None;
        }
        self.known.push(name);
        let pair = self.pair_with_value(name)?;
        let Value::Map(pairs) = &pair.node.value else {
            self.failed.push(name);
            if !matches!(pair.node.value, Value::Refused) {
                let message = messages::group_expected(self.path(name), pair.node.shape());
                let finding = self.finding(Code::WRONG_SHAPE, pair.node.at, message);
                self.findings.push(finding.help(self.group_help(name)));
            }
            return None;
        };
        let (value, failed) = self.inner(format!("{}{name}.", self.prefix), pair.at, pairs, read);
        if !failed.is_empty() {
            self.failed.push(name);
        }
        Some(Group { value, span: pair.at, failed })
    }

    /// Returns the help for a group with a value of another shape.
    fn group_help(&self, name: &str) -> Text {
        match (name, self.prefix.is_empty()) {
            ("hours", _) => messages::words_to_write(HOURS),
            (_, true) => messages::table_help(name),
            ("light" | "dark" | "fonts", _) => messages::inner_table_help(self.path(name)),
            _ => messages::words_to_write(format!("{name} = {{ en = \"…\", tr = \"…\" }}")),
        }
    }

    /// Reads a required group.
    pub(super) fn required_group<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Self) -> T,
    ) -> Option<Group<T>> {
        self.require(name);
        self.group(name, read)
    }

    /// Reads an optional list of groups, each with `read`. An unreadable field in one group does not affect the other
    /// groups. The caller enforces `most`.
    pub(super) fn groups<T>(
        &mut self,
        name: &'static str,
        most: Option<usize>,
        read: impl Fn(&mut Self) -> T,
    ) -> Vec<Group<T>> {
        self.allow(name, || FieldContent::Groups(Self::table(|fields| drop(read(fields))), most));
        let Some(pair) = self.pair_with_value(name) else { return Vec::new() };
        let Value::List(nodes) = &pair.node.value else {
            self.failed.push(name);
            if !matches!(pair.node.value, Value::Refused) {
                let message = messages::groups_expected(self.path(name), pair.node.shape());
                let finding = self.finding(Code::WRONG_SHAPE, pair.at, message);
                self.findings.push(finding.help(if self.file.ends_with(".md") {
                    messages::groups_in_list_help()
                } else {
                    messages::tables_help(self.path(name))
                }));
            }
            return Vec::new();
        };
        let mut groups = Vec::with_capacity(nodes.len());
        for node in nodes {
            if let Value::Map(pairs) = &node.value {
                let (value, failed) = self.inner(format!("{}{name}.", self.prefix), node.at, pairs, &read);
                groups.push(Group { value, span: node.at, failed });
            } else {
                let message = messages::group_expected_in_list(self.path(name), node.shape());
                self.findings.push(self.finding(Code::WRONG_SHAPE, node.at, message));
                self.failed.push(name);
            }
        }
        groups
    }

    /// Reports the field as missing, for conditions that [`Self::required`] does not cover.
    pub(super) fn missing(&mut self, name: &'static str) {
        self.missing.push(name);
    }

    /// Returns whether the field is present, even if it is unreadable.
    pub(super) fn has(&self, name: &str) -> bool {
        self.pair(name).is_some()
    }

    /// Refuses a field with a message of its own.
    pub(super) fn refuse(&mut self, name: &'static str, code: Code, message: Text, help: Text) {
        self.refused.push(name);
        if let Some(pair) = self.pair(name) {
            let finding = self.finding(code, pair.at, message).help(help);
            self.findings.push(finding);
        }
    }

    /// Adds a finding.
    pub(super) fn report(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    /// Creates a finding at a span of this file.
    pub(super) fn finding(&self, code: Code, span: Span, message: Text) -> Finding {
        Finding::new(code, Place::new(self.file, span), message)
    }

    /// Returns all findings, including those about unknown and missing fields, and the names of the failed fields.
    pub(super) fn finish(mut self) -> (Vec<Finding>, Vec<&'static str>) {
        self.close();
        (self.findings, self.failed)
    }

    /// Reads the fields of a group with `read`. Returns the names of its failed fields too.
    fn inner<T>(
        &mut self,
        prefix: String,
        start: Span,
        pairs: &'n [Pair<'s>],
        read: impl FnOnce(&mut Self) -> T,
    ) -> (T, Vec<&'static str>) {
        let mut inner = Self { prefix, elsewhere: self.elsewhere, ..Self::new(self.file, start, pairs) };
        let value = read(&mut inner);
        let (mut findings, failed) = inner.finish();
        self.findings.append(&mut findings);
        (value, failed)
    }

    /// Returns the name of a field with the names of its groups before it.
    fn path(&self, name: &str) -> String {
        format!("{}{name}", self.prefix)
    }

    /// Adds a field to the allowed ones; computes its content only for [`Self::table`].
    fn allow(&mut self, name: &'static str, content: impl FnOnce() -> FieldContent) {
        self.known.push(name);
        if let Some(table) = &mut self.table {
            table.push(Field { name, is_required: false, content: content() });
        }
    }

    fn pair(&self, name: &str) -> Option<&'n Pair<'s>> {
        self.pairs.iter().find(|pair| pair.key == name)
    }

    /// Returns a field that is present and has a value.
    fn pair_with_value(&self, name: &str) -> Option<&'n Pair<'s>> {
        self.pair(name).filter(|pair| !pair.node.is_empty())
    }

    /// Reports a field that is missing or has no value.
    fn require(&mut self, name: &'static str) {
        match self.pair(name) {
            None => self.missing.push(name),
            Some(pair) if pair.node.is_empty() => {
                let finding = self.finding(Code::NO_VALUE, pair.at, messages::field_without_value(self.path(name)));
                self.findings.push(finding.help(messages::field_without_value_help()));
                self.failed.push(name);
            }
            Some(_) => {}
        }
    }

    /// Returns the finding about a field that belongs to another group.
    fn misplaced_field(&self, pair: &Pair, group: &str) -> Finding {
        let here = self.prefix.trim_end_matches('.');
        let key = &pair.key;
        let message = match here {
            "" => messages::field_outside_of_table(key),
            _ => messages::field_in_other_table(key, here),
        };
        let finding = self.finding(Code::UNKNOWN_FIELD, pair.at, message);
        finding.help(match group {
            "" => messages::field_above_tables_help(),
            _ => messages::field_below_table_help(group),
        })
    }

    fn value<T>(&mut self, name: &'static str, node: &Node, of: &impl Type<T>) -> Option<At<T>> {
        match of.read(node) {
            Ok(value) => Some(At::new(value, node.at)),
            Err(None) => {
                self.failed.push(name);
                None
            }
            Err(Some(problem)) => {
                self.failed.push(name);
                let message = messages::field_problem(self.path(name), problem.message);
                let mut finding = self.finding(problem.code, node.at, message);
                finding.label = problem.label;
                finding.help.extend(problem.help);
                // The correction of a text lacks the quotation marks that TOML requires.
                let is_text = !matches!(problem.code, Code::BAD_BOOLEAN | Code::BAD_DATE | Code::BAD_INTEGER);
                let correction = problem.correction.filter(|_| !is_text || self.file != SETTINGS);
                self.findings.push(match correction {
                    Some(correction) => finding.edit(node.at, correction),
                    None => finding,
                });
                None
            }
        }
    }

    /// Reports unknown and missing fields. If an unknown name has a likely correction, the corrected field is not
    /// reported as missing.
    fn close(&mut self) {
        let allowed = self.known.join(", ");
        let mut misspelt = Vec::new();
        for pair in self.pairs {
            if self.known.contains(&pair.key.as_ref()) || self.refused.contains(&pair.key.as_ref()) {
                continue;
            }
            let absent = self.known.iter().copied().filter(|name| self.pair(name).is_none());
            if let Some((_, group)) = self.elsewhere.iter().find(|(name, _)| *name == pair.key) {
                let finding = self.misplaced_field(pair, group);
                self.findings.push(finding);
                continue;
            }
            let foreign = foreign_field(&pair.key);
            let run_on = absent.clone().find(|name| is_run_on(&pair.key, name));
            let word = match &foreign {
                Some(foreign) => absent.clone().find(|name| foreign.candidates.contains(name)),
                None => run_on.or_else(|| nearest(&pair.key, absent)),
            };
            misspelt.extend(word);
            let finding = self.finding(Code::UNKNOWN_FIELD, pair.at, messages::field_unknown(self.path(&pair.key)));
            let finding = match run_on {
                _ if foreign.is_some() => match (word, foreign.and_then(|foreign| foreign.help)) {
                    (Some(word), _) => finding.label(messages::words_to_write(word)).edit(pair.at, word),
                    (None, Some(help)) => finding.help(help),
                    (None, None) => finding,
                },
                Some(name) => finding.label(messages::field_run_on(name)),
                None => finding.did_you_mean(word),
            };
            self.findings.push(finding.help(messages::fields_allowed_help(&allowed)));
        }
        for name in std::mem::take(&mut self.missing) {
            if !misspelt.contains(&name) && !self.failed.contains(&name) {
                let message = messages::required_field_missing(self.path(name));
                self.findings.push(self.finding(Code::MISSING_FIELD, self.start, message));
            }
        }
        self.failed.append(&mut misspelt);
    }
}

/// Returns whether an unknown name is the field `name` with its value, because the colon or the space is missing.
fn is_run_on(key: &str, name: &str) -> bool {
    key.strip_prefix(name).is_some_and(|rest| rest.starts_with([' ', ':', '"', '\'']))
}
