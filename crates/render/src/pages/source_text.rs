//! The text of a page with what it asks of the site: if both are the same as in the last build, so are all its forms.

use std::{cell::RefCell, collections::BTreeSet};

use contract::Locale;
use markdown::{DocumentForms, Numbering, Plain, Size, Targets};
use sha2::{Digest as _, Sha256};
use site::{Document, KnownPages, LinkForm, Question, SiteTargets};

use super::contents_of;
use crate::{shared::Shared, view::ContentsView};

type Asked = BTreeSet<(Question, String)>;

/// A page's text in its forms.
#[derive(Default)]
pub(super) struct TextForms<'a> {
    pub(super) html: String,
    pub(super) contents: Vec<ContentsView>,
    /// The author's Markdown with absolute addresses.
    pub(super) twin: String,
    /// The words as plain text; `None` if the page has no text of its own.
    pub(super) plain: Option<Plain>,
    /// Known if the page may be kept.
    pub(super) source: Option<TextSource>,
    /// The other forms, if they are made only when they are needed.
    pub(super) later: Option<LaterForms<'a>>,
}

impl TextForms<'_> {
    pub(super) fn of(forms: DocumentForms) -> Self {
        let DocumentForms { html, twin, plain } = forms;
        let contents = contents_of(html.headings);
        Self { html: html.html, contents, twin, plain: Some(plain), ..Self::default() }
    }
}

/// Where the forms of a text come from.
pub(super) struct TextSource {
    /// A digest of the text, of its questions and of the answers.
    pub(super) digest: String,
    pub(super) asked: Asked,
}

/// A text whose forms were not made yet.
pub(super) struct LaterForms<'a> {
    text: String,
    shared: &'a Shared<'a>,
    document: &'a Document,
}

/// Returns the forms of `text`. Of a text of the last build, which is among `known`, only the words are read.
pub(super) fn forms<'a>(
    shared: &'a Shared<'a>,
    document: &'a Document,
    text: String,
    known: Option<&KnownPages>,
) -> TextForms<'a> {
    let later = LaterForms { text, shared, document };
    let Some(known) = known else {
        return TextForms::of(later.make(None));
    };
    if let Some(page) = known.last(&document.path).filter(|page| !page.text.is_empty()) {
        let digest = later.digest(&page.asked);
        if digest == page.text {
            let plain = Some(later.plain());
            let source = Some(TextSource { digest, asked: page.asked.clone() });
            return TextForms { plain, source, later: Some(later), ..TextForms::default() };
        }
    }
    let asked = RefCell::default();
    let forms = TextForms::of(later.make(Some(&asked)));
    let asked = asked.into_inner();
    TextForms { source: Some(TextSource { digest: later.digest(&asked), asked }), ..forms }
}

impl LaterForms<'_> {
    /// Makes the forms now, and records what the text asks.
    pub(super) fn make(&self, asked: Option<&RefCell<Asked>>) -> DocumentForms {
        let [rooted, absolute] = self.targets();
        let locale = self.document.locale;
        match asked {
            Some(asked) => {
                let [rooted, absolute] = [&rooted, &absolute].map(|targets| Recorded { targets, asked });
                markdown::to_forms(&self.text, locale, &rooted, &absolute)
            }
            None => markdown::to_forms(&self.text, locale, &rooted, &absolute),
        }
    }

    fn plain(&self) -> Plain {
        markdown::to_plain(&self.text, self.document.locale, self.shared.site.settings.numbering)
    }

    fn targets(&self) -> [SiteTargets<'_>; 2] {
        [LinkForm::RootRelative, LinkForm::Absolute].map(|form| self.shared.links.targets(self.document, form))
    }

    /// Returns a digest of the text, of what it asks and of what the site answers.
    fn digest(&self, asked: &Asked) -> String {
        let targets = self.targets();
        let answers = asked.iter().map(|(question, destination)| {
            let answers = targets.map(|targets| answer(&targets, *question, destination));
            format!("{question:?} {destination:?} {answers:?}\n")
        });
        let locale: Locale = self.document.locale;
        let head = format!("{locale} {} {}\n{}", self.text.len(), asked.len(), answers.collect::<String>());
        hex::encode(&Sha256::new_with_prefix(head).chain_update(&self.text).finalize()[..16])
    }
}

fn answer(targets: &SiteTargets, question: Question, destination: &str) -> String {
    match question {
        Question::Resolve => format!("{:?}", targets.resolve(destination)),
        Question::Size => format!("{:?}", targets.size(destination)),
        Question::Adapts => format!("{:?}", targets.adapts(destination)),
        Question::Forms => format!("{:?}", targets.forms(destination)),
        Question::Numbering => format!("{:?}", targets.numbering()),
        Question::Document => format!("{:?}", targets.document(destination)),
    }
}

/// Targets that record what a text asks.
struct Recorded<'t> {
    targets: &'t SiteTargets<'t>,
    asked: &'t RefCell<Asked>,
}

impl Recorded<'_> {
    fn note(&self, question: Question, destination: &str) {
        self.asked.borrow_mut().insert((question, destination.to_owned()));
    }
}

impl Targets for Recorded<'_> {
    fn resolve(&self, destination: &str) -> Option<String> {
        self.note(Question::Resolve, destination);
        self.targets.resolve(destination)
    }

    fn size(&self, destination: &str) -> Option<Size> {
        self.note(Question::Size, destination);
        self.targets.size(destination)
    }

    fn adapts(&self, destination: &str) -> bool {
        self.note(Question::Adapts, destination);
        self.targets.adapts(destination)
    }

    fn forms(&self, destination: &str) -> Vec<(String, u32)> {
        self.note(Question::Forms, destination);
        self.targets.forms(destination)
    }

    fn numbering(&self) -> Numbering {
        self.note(Question::Numbering, "");
        self.targets.numbering()
    }

    fn document(&self, destination: &str) -> Option<String> {
        self.note(Question::Document, destination);
        self.targets.document(destination)
    }
}
