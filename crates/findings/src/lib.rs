//! Messages to editors: a code, a place, a sentence and a remedy.
//!
//! All readers of content return [`Finding`]s and never stop at the first one. This crate sorts findings and writes
//! them as text, as JSON lines, as annotations of a code forge and as SARIF. It does not depend on content.

mod code;
mod excerpt;
mod file_findings;
mod github;
mod json;
pub mod messages;
mod nearest;
mod sarif;
mod text;

pub use code::Code;
pub use excerpt::Excerpt;
pub use excerpt::Excerpts;
pub use file_findings::FileFindings;
pub use nearest::{is_slip, nearest};
pub use text::{clean, number, number_of_files};

use contract::Locale;
use serde::{Deserialize, Serialize};

use messages::Text;

contract::names! {
    /// How bad a finding is.
    pub enum Severity {
        /// Prevents publication.
        Error "error",
        /// Does not prevent publication.
        Warning "warning",
    }
}

impl Severity {
    /// Returns the word for people.
    pub fn word(self) -> Text {
        match self {
            Self::Error => messages::error(),
            Self::Warning => messages::warning(),
        }
    }
}

/// A range within a file. Lines and columns start at 1 and columns count characters; line 0 is the whole file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    pub line: u32,
    pub column: u32,
    /// Number of characters, at least 1; never beyond the end of the line when shown.
    pub length: u32,
}

impl Span {
    /// The file as a whole.
    pub const FILE: Self = Self { line: 0, column: 0, length: 0 };
    /// The first characters of a file: its opening delimiter.
    pub const START: Self = Self { line: 1, column: 1, length: 3 };
}

/// A span of a certain file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Path below the content folder, with `/` between its parts; empty for the folder itself.
    pub file: String,
    pub span: Span,
}

impl Place {
    pub fn new(file: impl Into<String>, span: Span) -> Self {
        Self { file: file.into(), span }
    }

    /// The whole of `file`.
    pub fn file(file: impl Into<String>) -> Self {
        Self::new(file, Span::FILE)
    }
}

/// A change of a line that corrects a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The characters to replace; a length of 0 inserts.
    pub span: Span,
    pub with: String,
}

/// A fault, or advice, at one place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub code: Code,
    pub place: Place,
    /// One sentence without a full stop.
    pub message: Text,
    /// A few words beside the caret.
    pub label: Option<Text>,
    /// Remedies.
    pub help: Vec<Text>,
    /// Other places that belong to the finding, each with a few words.
    pub related: Vec<(Place, Text)>,
    /// The edits of `check --fix`; empty unless there is only one right form.
    pub edits: Vec<Edit>,
    /// Number of further findings of this kind in the file, which are only counted.
    pub more: usize,
    /// The line of `place`; set after all checks.
    pub source: Option<Excerpt>,
}

impl Finding {
    /// Creates a finding without remedies.
    pub fn new(code: Code, place: Place, message: impl Into<Text>) -> Self {
        Self {
            code,
            place,
            message: message.into(),
            label: None,
            help: Vec::new(),
            related: Vec::new(),
            edits: Vec::new(),
            more: 0,
            source: None,
        }
    }

    /// Sets the words beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<Text>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Suggests a word beside the caret.
    #[must_use]
    pub fn did_you_mean(self, word: Option<&str>) -> Self {
        match word {
            Some(word) => self.label(messages::did_you_mean(word)),
            None => self,
        }
    }

    /// Adds a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<Text>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, place: Place, words: impl Into<Text>) -> Self {
        self.related.push((place, words.into()));
        self
    }

    /// Adds an edit that corrects the finding.
    #[must_use]
    pub fn edit(mut self, span: Span, with: impl Into<String>) -> Self {
        self.edits.push(Edit { span, with: with.into() });
        self
    }

    /// Cuts long words, such as a picture in a `data:` address.
    fn shorten(&mut self) {
        let texts = [Some(&mut self.message), self.label.as_mut()].into_iter().flatten();
        let texts = texts.chain(&mut self.help).chain(self.related.iter_mut().map(|(_, words)| words));
        for text in texts.filter(|text| text[Locale::En].len() > LONGEST_WORD) {
            *text = text.map(|words| words.split(' ').map(shorten_word).collect::<Vec<_>>().join(" "));
        }
    }

    pub const fn severity(&self) -> Severity {
        self.code.severity()
    }
}

/// A passage that the register of deviations accepts, so that it is not reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    pub code: Code,
    /// Path of the text below the content folder.
    pub file: String,
    pub words: String,
    pub reason: String,
    /// The person who accepts it.
    pub name: String,
    /// The last day on which it is accepted.
    pub until: String,
    /// Path of the register below the content folder.
    pub register: &'static str,
}

/// The longest word of a message, in bytes.
const LONGEST_WORD: usize = 400;

/// Returns the beginning and the end of a long word.
fn shorten_word(word: &str) -> String {
    if word.len() <= LONGEST_WORD {
        return word.to_owned();
    }
    let (start, end) = (word.floor_char_boundary(60), word.ceil_char_boundary(word.len() - 20));
    format!("{}…{}", &word[..start], &word[end..])
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    items: Vec<Finding>,
    /// The prefix of each file's path in output, such as `content`.
    root: String,
    /// Number of files that were read.
    files: usize,
    accepted: Vec<Accepted>,
}

impl Findings {
    /// Sorts `items` by file, line and column, removes duplicates, and limits the number per kind and file.
    pub fn new(mut items: Vec<Finding>, root: impl Into<String>, files: usize) -> Self {
        items.sort_by(|a, b| {
            let messages = (&a.message[Locale::En], &b.message[Locale::En]);
            (&a.place, a.code.id(), messages.0).cmp(&(&b.place, b.code.id(), messages.1))
        });
        items.dedup();
        let mut items = file_findings::limit(items);
        items.iter_mut().for_each(Finding::shorten);
        Self { items, root: root.into(), files, accepted: Vec::new() }
    }

    #[must_use]
    pub fn accepting(mut self, accepted: Vec<Accepted>) -> Self {
        self.accepted = accepted;
        self
    }

    /// Sets the prefix of each path in output.
    #[must_use]
    pub fn under(mut self, root: impl Into<String>) -> Self {
        self.root = root.into();
        self
    }

    /// Returns these findings and `others` in one report.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        let files = self.files + others.files;
        let accepted = [&*self.accepted, &*others.accepted].concat();
        let whole = |findings: Self| {
            let whole = |place: &Place| Place::new(findings.path(place), place.span);
            let items = findings.items.iter().map(|finding| Finding {
                place: whole(&finding.place),
                related: finding.related.iter().map(|(place, words)| (whole(place), words.clone())).collect(),
                ..finding.clone()
            });
            items.collect::<Vec<_>>()
        };
        let items = [whole(self), whole(others)].concat();
        Self::new(items, "", files).accepting(accepted)
    }

    /// Removes the warnings.
    #[must_use]
    pub fn errors_alone(self) -> Self {
        self.only(|finding| finding.severity() == Severity::Error)
    }

    /// Keeps the findings that `is_kept` selects.
    #[must_use]
    pub fn only(mut self, is_kept: impl FnMut(&Finding) -> bool) -> Self {
        self.items.retain(is_kept);
        self
    }

    /// Returns the findings by file, line and column.
    pub fn items(&self) -> &[Finding] {
        &self.items
    }

    /// Returns the prefix of each file's path in output.
    pub fn root(&self) -> &str {
        &self.root
    }

    pub const fn files(&self) -> usize {
        self.files
    }

    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the number of errors, including those that are only counted.
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    /// Returns the number of warnings, including those that are only counted.
    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    fn count(&self, severity: Severity) -> usize {
        self.items.iter().filter(|finding| finding.severity() == severity).map(|finding| 1 + finding.more).sum()
    }

    /// `2 errors, 1 warning in 212 files`
    pub fn summary(&self) -> Text {
        let errors = match self.errors() {
            0 => None,
            1 => Some(messages::one_error()),
            count => Some(messages::errors(count)),
        };
        let warnings = match self.warnings() {
            0 => None,
            1 => Some(messages::one_warning()),
            count => Some(messages::warnings(count)),
        };
        let files = messages::counted_files(self.files);
        let found = Text::list(errors.into_iter().chain(warnings));
        messages::summary(found.unwrap_or_else(messages::no_findings), files)
    }

    /// `and 12 more of these in this file`
    #[must_use]
    pub fn more(finding: &Finding) -> Option<Text> {
        (finding.more > 0).then(|| messages::more_findings(finding.more))
    }

    /// Returns the path of `place` from the working directory.
    #[must_use]
    pub fn path(&self, place: &Place) -> String {
        let root = self.root.strip_prefix("./").unwrap_or(&self.root).trim_end_matches('/');
        match (root, place.file.as_str()) {
            ("" | ".", file) if !file.is_empty() => file.to_owned(),
            (root, "") => root.to_owned(),
            (root, file) => format!("{root}/{file}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_counts_and_declines() {
        let finding = |code| Finding::new(code, Place::file("a.md"), "x");
        assert_eq!(&Findings::default().summary()[Locale::En], "no findings in 0 files");
        let findings = Findings::new(vec![finding(Code::UNKNOWN_FIELD), finding(Code::PICTURE_NOT_USED)], "content", 1);
        assert_eq!(&findings.summary()[Locale::En], "1 error, 1 warning in 1 file");
    }

    #[test]
    fn findings_beyond_the_limit_are_counted() {
        let at = |file: &str, line| {
            Finding::new(Code::RAW_HTML, Place::new(file, Span { line, column: 1, length: 1 }), "HTML in the text")
        };
        let found = (1..=1000).map(|line| at("a.md", line)).chain([at("b.md", 1)]);
        let findings = Findings::new(found.collect(), "", 2);
        assert_eq!((findings.items().len(), findings.errors()), (21, 1001));
        assert_eq!(findings.items()[19].more, 980);
        let text = findings.to_text(Locale::En, false);
        assert!(text.contains("\n  = and 1000 more, in 2 files:\n    a.md:2:1, 3:1, "), "{text}");
        assert!(text.contains(", 20:1, … (+980)\n    b.md:1:1\n"), "{text}");
        assert!(findings.to_json_lines(Locale::En).contains("\"more\":980"));
        assert_eq!(findings.to_annotations(Locale::En, &|_| None).matches("and 980 more of these").count(), 1);
        // Limiting again, as for a file before all files, changes nothing.
        let twice = Findings::new(findings.items().to_vec(), "", 2);
        assert_eq!(twice, findings);
    }

    #[test]
    fn findings_of_two_folders_are_one_report() {
        let finding = |file: &str| Finding::new(Code::UNKNOWN_FIELD, Place::file(file), "x");
        let of_content = finding("a.md").related(Place::file("b.md"), "y");
        let both = Findings::new(vec![of_content], "content", 2)
            .and(Findings::new(vec![finding("(built-in)/a.md")], "", 3))
            .and(Findings::new(vec![finding("c.md")], "theme/", 1));
        let files: Vec<_> = both.items().iter().map(|finding| finding.place.file.as_str()).collect();
        assert_eq!(files, ["(built-in)/a.md", "content/a.md", "theme/c.md"]);
        assert_eq!(both.items()[1].related[0].0.file, "content/b.md");
        assert_eq!(&both.summary()[Locale::En], "3 errors in 6 files");
    }

    #[test]
    fn path_is_relative_to_the_working_directory() {
        let path = |root: &str| Findings::new(Vec::new(), root, 0).path(&Place::file("a/en.md"));
        for root in [".", "./", ""] {
            assert_eq!(path(root), "a/en.md", "{root}");
        }
        assert_eq!(
            [path("./content"), path("content/"), path("../x")],
            ["content/a/en.md", "content/a/en.md", "../x/a/en.md"]
        );
    }

    #[test]
    fn long_address_is_cut() {
        let address = format!("![şema](data:image/png;base64,{})", "ş".repeat(200_000));
        let finding = Finding::new(Code::RAW_HTML, Place::file("a.md"), format!("`{address}` is shown"));
        let text = Findings::new(vec![finding.help(address)], "", 1).to_text(Locale::En, false);
        assert!(text.len() < 500 && text.contains("data:image/png") && text.contains("is shown"), "{text}");
    }

    #[test]
    fn findings_are_in_the_order_of_the_files() {
        let at = |file: &str, line| {
            Finding::new(Code::UNKNOWN_FIELD, Place::new(file, Span { line, column: 1, length: 1 }), "x")
        };
        let findings = Findings::new(vec![at("b.md", 1), at("a.md", 9), at("a.md", 2), at("a.md", 2)], "", 2);
        let places: Vec<_> = findings.items().iter().map(|f| (f.place.file.as_str(), f.place.span.line)).collect();
        assert_eq!(places, [("a.md", 2), ("a.md", 9), ("b.md", 1)]);
    }
}
