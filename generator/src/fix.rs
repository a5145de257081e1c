//! Applies the edits of findings that have only one right form.
//!
//! The edits are applied in memory until none is left, so that the difference can be shown before a file is written.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    io::Write as _,
    ops::Range,
    path::{Path, PathBuf},
};

use content::{Checksum, split, tidy};
use contract::{Locale, text::Date};
use findings::{
    Code, Edit, Finding, Findings, Severity,
    messages::{self, Text},
};
use similar::TextDiff;
use site::{KnownFiles, Loading, examine, report};
use tempfile::Builder;

/// Rounds of edits: an edit may cause a finding with another edit.
const MAX_ROUNDS: usize = 10;

/// The changes, and the remaining findings.
#[derive(Debug)]
pub struct Fixes {
    /// The files to change, sorted by path.
    pub changes: Vec<FileChange>,
    /// The findings after the changes.
    pub left: Findings,
}

#[derive(Debug)]
pub struct FileChange {
    /// Path below the content folder.
    pub file: String,
    /// Differences that no editor shows.
    pub unseen: Vec<Text>,
    before: String,
    after: String,
    /// Number of edits that readers see.
    pub visible: usize,
    path: PathBuf,
    checksum: Checksum,
    renamed: Option<String>,
}

/// Finds the changes without writing any file.
///
/// # Errors
/// When there is no content folder.
pub fn find(loading: &Loading) -> Result<Fixes, Findings> {
    let mut visible: HashMap<String, usize> = HashMap::new();
    let mut texts = HashMap::new();
    let mut examined = examine(loading, HashMap::new(), &mut KnownFiles::default())?;
    for file in &examined.texts {
        if let Some(text) = fs::read(examined.folder.path_of(file)).ok().and_then(|bytes| String::from_utf8(bytes).ok())
        {
            let tidy = tidy(&text);
            let styled = restyle(&tidy, file);
            if styled != tidy {
                texts.insert(file.clone(), styled);
            }
        }
    }
    for _ in 0..MAX_ROUNDS {
        let mut edits: BTreeMap<&str, Vec<&Edit>> = BTreeMap::new();
        for finding in examined.found.iter().filter(|finding| !finding.edits.is_empty()) {
            edits.entry(&finding.place.file).or_default().extend(&finding.edits);
            if is_visible(finding) {
                *visible.entry(finding.place.file.clone()).or_default() += finding.edits.len();
            }
        }
        let mut is_changed = !examined.folder.has_texts(&texts);
        for (file, edits) in edits {
            // The places refer to the text as it was read.
            let before = match examined.folder.text(file).map(str::to_owned) {
                Some(text) => text,
                None => read(&examined.folder.path_of(file)).map(|text| tidy(&text).into_owned()).unwrap_or_default(),
            };
            let after = restyle(&apply_edits(&before, &edits), file);
            if after != before {
                is_changed = true;
                texts.insert(file.to_owned(), after);
            }
        }
        if !is_changed {
            break;
        }
        examined = examine(loading, texts.clone(), &mut KnownFiles::default())?;
    }
    let mut renamed: BTreeMap<String, String> = BTreeMap::new();
    for (file, name) in examined.found.iter().filter_map(renaming) {
        // The name may be taken, by a file or by an earlier rename.
        if !renamed.values().any(|other| *other == name) && !exists(&examined.folder.path_of(&name)) {
            renamed.insert(file.to_owned(), name);
        }
    }
    let mut changes = Vec::new();
    for file in &examined.texts {
        let path = examined.folder.path_of(file);
        let Some(bytes) = fs::read(&path).ok() else { continue };
        let Ok(raw) = str::from_utf8(&bytes) else { continue };
        let before = tidy(raw).into_owned();
        let after = texts.get(file).cloned().unwrap_or_else(|| before.clone());
        let renamed = renamed.get(file).cloned();
        if raw != after || renamed.is_some() {
            let visible = visible.get(file).copied().unwrap_or_default();
            let (unseen, checksum) = (unseen(raw), Checksum::of(&bytes));
            changes.push(FileChange { file: file.clone(), unseen, before, after, visible, path, checksum, renamed });
        }
    }
    let is_left = |finding: &Finding| match finding.code {
        Code::DOTTED_I => false,
        Code::NAME_IN_CAPITALS => !renamed.contains_key(&finding.place.file),
        _ => true,
    };
    let found = examined.found.into_iter().filter(is_left);
    let left = report(loading, &examined.folder, found.collect(), examined.files).accepting(examined.accepted);
    Ok(Fixes { changes, left })
}

fn read(path: &Path) -> Option<String> {
    String::from_utf8(fs::read(path).ok()?).ok()
}

/// Returns whether the edits of a finding change a page that could be published.
fn is_visible(finding: &Finding) -> bool {
    finding.severity() == Severity::Warning && finding.code != Code::MOMENT_FOR_DAY
}

/// Returns a file to rename, with its new name.
fn renaming(finding: &Finding) -> Option<(&str, String)> {
    let file = finding.place.file.as_str();
    let (folder, name) = file.rsplit_once('/').filter(|_| finding.code == Code::NAME_IN_CAPITALS)?;
    Some((file, format!("{folder}/{}", name.to_lowercase())))
}

/// Returns whether a file has exactly this name. On a file system that ignores case, a name that differs only in case
/// is the same file and may be renamed.
fn exists(path: &Path) -> bool {
    let entries = path.parent().and_then(|folder| fs::read_dir(folder).ok());
    entries.into_iter().flatten().flatten().any(|entry| Some(&*entry.file_name()) == path.file_name())
}

/// Returns the invisible differences between a file and its tidy form.
fn unseen(raw: &str) -> Vec<Text> {
    let marked = raw.trim_start_matches('\u{feff}');
    let ends = marked.replace("\r\n", "\n").replace('\r', "\n");
    let all = [
        (marked.len() < raw.len(), messages::byte_order_mark_removed()),
        (ends != marked, messages::line_ends_changed()),
        (tidy(&ends) != ends, messages::letters_composed()),
    ];
    all.into_iter().filter_map(|(is_so, what)| is_so.then_some(what)).collect()
}

/// Returns `text` with the edits applied. The places refer to `text`; of two that overlap, the first is applied.
pub(crate) fn apply_edits(text: &str, edits: &[&Edit]) -> String {
    let lines: Vec<usize> = [0].into_iter().chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let range = |edit: &Edit| -> Option<Range<usize>> {
        let start = *lines.get(edit.span.line.checked_sub(1)? as usize)?;
        let line = text[start..].lines().next().unwrap_or_default();
        let at = |column: usize| line.char_indices().map(|(at, _)| at).chain([line.len()]).nth(column);
        let first = edit.span.column.checked_sub(1)? as usize;
        Some(start + at(first)?..start + at(first + edit.span.length as usize)?)
    };
    let mut ranges: Vec<(Range<usize>, &str)> =
        edits.iter().filter_map(|edit| Some((range(edit)?, edit.with.as_str()))).collect();
    ranges.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    let mut last = None;
    for (range, with) in ranges {
        if range.start < done || last.replace(range.clone()) == Some(range.clone()) {
            continue;
        }
        out.extend([&text[done..range.start], with]);
        done = range.end;
    }
    out + &text[done..]
}

/// Returns `text` in the form of `docs/editors.md` without a change of meaning: days without quotation marks, items of
/// lists indented by two spaces, a line feed at the end.
pub(crate) fn restyle(text: &str, file: &str) -> String {
    let ended = if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") };
    let Ok(parts) = split(&ended, file) else { return ended };
    let opening = ended.find('\n').map_or(0, |end| end + 1);
    let mut out = ended[..opening].to_owned();
    let lines: Vec<&str> = parts.fields.lines().collect();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        out.extend([plain_day(line).as_deref().unwrap_or(line), "\n"]);
        let is_open = line.starts_with(|letter: char| letter.is_ascii_lowercase()) && line.trim_end().ends_with(':');
        let inside = lines[at..].iter().take_while(|line| is_open && !begins_field(line)).count();
        let inside = &lines[at..at + inside];
        // A list keeps its form if one of its items has more than a line.
        if inside.iter().all(|line| is_item(line) || is_between(line)) {
            for line in inside {
                let (room, line) = if is_item(line) { ("  ", line.trim_start()) } else { ("", *line) };
                out.extend([room, line, "\n"]);
            }
            at += inside.len();
        }
    }
    out + &ended[opening + parts.fields.len()..]
}

/// Returns a line `date: '2025-09-03'` without the quotation marks.
fn plain_day(line: &str) -> Option<String> {
    let (name, value) = line.split_once(": ")?;
    let value = value.trim();
    let inside = [b'"', b'\''].into_iter().find_map(|mark| {
        let mark = char::from(mark);
        value.strip_prefix(mark)?.strip_suffix(mark)
    })?;
    let is_day = matches!(name, "date" | "updated") && Date::parse(inside.trim()).is_ok();
    is_day.then(|| format!("{name}: {}", inside.trim()))
}

/// Returns whether a line ends the value of the field above it.
fn begins_field(line: &str) -> bool {
    !line.is_empty() && !line.starts_with([' ', '-', '#'])
}

/// Returns whether a line between items is blank or a comment.
fn is_between(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with('#')
}

/// Returns whether a line is an item of a list with one value.
fn is_item(line: &str) -> bool {
    let value = line.trim_start_matches(' ').strip_prefix("- ").map(str::trim);
    value.is_some_and(|value| {
        // A value that begins with one of these may continue on the next line.
        let is_closed = [('[', ']'), ('{', '}'), ('"', '"'), ('\'', '\'')]
            .iter()
            .all(|(opening, closing)| !value.starts_with(*opening) || value[1..].ends_with(*closing));
        is_closed
            && !value.is_empty()
            && !value.contains(": ")
            && !value.ends_with(':')
            && !value.starts_with(['|', '>', '-'])
    })
}

impl FileChange {
    /// Creates a change of a file with this path below the content folder, from its text before to that after.
    pub(crate) fn new(
        file: String,
        path: PathBuf,
        checksum: Checksum,
        (before, after): (String, String),
        renamed: Option<String>,
    ) -> Self {
        Self { file, unseen: Vec::new(), before, after, visible: 0, path, checksum, renamed }
    }

    pub fn changes_line_ends(&self) -> bool {
        self.unseen.contains(&messages::line_ends_changed())
    }

    /// Returns a unified diff with paths below the content folder.
    pub fn diff(&self, content: &str, language: Locale) -> String {
        let name = |file: &str| format!("{}/{file}", content.trim_end_matches('/'));
        let (old, new) = (name(&self.file), name(self.renamed.as_deref().unwrap_or(&self.file)));
        let mut out = String::new();
        for what in &self.unseen {
            out.extend([&old, ": ", &what[language], "\n"]);
        }
        if old != new {
            out.extend([&old, ": ", &messages::file_renamed(&new)[language], "\n"]);
        }
        let diff = TextDiff::from_lines(&self.before, &self.after);
        out + &diff.unified_diff().context_radius(1).header(&old, &new).to_string()
    }

    /// Replaces the file atomically.
    ///
    /// # Errors
    /// If the file changed since it was read, its new name is taken, or the disk fails; the file is then unchanged.
    pub fn apply(&self) -> Result<(), Text> {
        let bytes = fs::read(&self.path).map_err(Text::verbatim)?;
        if Checksum::of(&bytes) != self.checksum {
            return Err(messages::file_changed_meanwhile());
        }
        let folder = self.path.parent().unwrap_or(&self.path);
        let name = self.renamed.as_deref().and_then(|name| name.rsplit('/').next());
        let target = name.map_or_else(|| self.path.clone(), |name| folder.join(name));
        if target != self.path && exists(&target) {
            return Err(messages::file_name_taken(target.display()));
        }
        let write = || {
            let mut new = Builder::new().prefix(".fix-").tempfile_in(folder)?;
            new.write_all(self.after.as_bytes())?;
            new.as_file().set_permissions(fs::metadata(&self.path)?.permissions())?;
            new.as_file().sync_all()?;
            if target != self.path {
                fs::rename(&self.path, &target)?;
            }
            new.persist(&target).map_err(|error| error.error)
        };
        write().map(drop).map_err(Text::verbatim)
    }
}

#[cfg(test)]
mod tests {
    use findings::Span;

    use super::*;

    #[test]
    fn edits_are_made_at_their_places() {
        let edit =
            |line, column, length, with: &str| Edit { span: Span { line, column, length }, with: with.to_owned() };
        let edits =
            [edit(2, 3, 1, "S"), edit(1, 1, 0, "> "), edit(2, 3, 1, "S"), edit(2, 2, 3, "no"), edit(9, 1, 1, "x")];
        assert_eq!(apply_edits("ab\nğışö\n", &edits.iter().collect::<Vec<_>>()), "> ab\nğno\n");
    }

    #[test]
    fn fields_have_the_form_of_the_manual() {
        let written =
            "---\ndate: '2025-09-03'\nlanguages:\n- tr\n    - en\ntags:\n    - a\noffices:\n    - key: a\n---\nText";
        let expected =
            "---\ndate: 2025-09-03\nlanguages:\n  - tr\n  - en\ntags:\n  - a\noffices:\n    - key: a\n---\nText\n";
        assert_eq!(restyle(written, "x.md"), expected);
        assert_eq!(restyle(expected, "x.md"), expected);
        for other in ["no fields\n", "---\ntitle: '2025-09-03'\nexcerpt:\n  - a\n    b\n---\n"] {
            assert_eq!(restyle(other, "x.md"), other);
        }
    }

    #[test]
    fn list_is_moved_as_a_whole_or_not_at_all() {
        for (written, expected) in [
            ("tags:\n- a\n\n- b\n", "tags:\n  - a\n\n  - b\n"),
            ("tags:\n# one\n- a\n  # two\n- b\n", "tags:\n# one\n  - a\n  # two\n  - b\n"),
            ("tags:\n- a\n- b: c\n", "tags:\n- a\n- b: c\n"),
            ("tags:\n- a\n- b\n  c\n- d\n", "tags:\n- a\n- b\n  c\n- d\n"),
            ("tags:\n- a\n- \"b\n  c\"\n", "tags:\n- a\n- \"b\n  c\"\n"),
            ("tags:\n- \"a\"\n- [b]\nslug: c\n", "tags:\n  - \"a\"\n  - [b]\nslug: c\n"),
        ] {
            assert_eq!(restyle(&format!("---\n{written}---\n"), "x.md"), format!("---\n{expected}---\n"));
        }
    }
}
