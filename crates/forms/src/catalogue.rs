//! All forms and messages of a build, by name and locale.

use std::collections::BTreeMap;

use bytes::Bytes;
use contract::{
    Locale, PerLocale,
    forms::{Form, MessageKind, MessagePiece, Slot, WORDS, Words, WordsError},
};

use super::{
    LOCALES, SearchPage,
    sheet::{SheetError, SheetFormat, SlotSheet},
    value::{SlotValue, SlotValues, escape_into, plain_text},
};

/// The forms and messages of a build, ready to be filled.
#[derive(Debug)]
pub struct Forms {
    /// Origin of the site, for the identifiers of messages.
    pub(super) site_url: String,
    sheets: BTreeMap<(Form, Locale), SlotSheet>,
    messages: BTreeMap<(MessageKind, Locale), MessageSheets>,
    words: PerLocale<Words>,
    search: PerLocale<Option<SearchPage>>,
}

#[derive(Debug)]
pub(super) struct MessageSheets {
    pub(super) subject: String,
    pub(super) text: SlotSheet,
    pub(super) html: SlotSheet,
}

/// Why the forms of a build are rejected.
#[derive(Debug, thiserror::Error)]
pub enum FormsError {
    #[error("part {part:?} is missing in `{locale}`")]
    Missing { part: String, locale: Locale },
    #[error("part {part:?} in `{locale}` is not UTF-8")]
    Encoding { part: String, locale: Locale },
    #[error("part {part:?} in `{locale}` {problem}")]
    Sheet { part: String, locale: Locale, problem: SheetError },
    #[error("part {part:?} in `{locale}` is not one line")]
    Subject { part: String, locale: Locale },
    #[error("part {WORDS:?} in `{locale}`: {problem}")]
    Malformed { locale: Locale, problem: serde_json::Error },
    #[error("part {WORDS:?} in `{locale}`: {problem}")]
    Words { locale: Locale, problem: WordsError },
}

impl Forms {
    /// Parses the parts that `part` finds by name and locale; the build is for the origin `site_url`.
    pub fn load<'p>(site_url: &str, part: impl Fn(&str, Locale) -> Option<&'p Bytes>) -> Result<Self, FormsError> {
        let text = |name: String, locale| {
            let Some(bytes) = part(&name, locale) else { return Err(FormsError::Missing { part: name, locale }) };
            match str::from_utf8(bytes) {
                Ok(text) => Ok((name, text)),
                Err(_) => Err(FormsError::Encoding { part: name, locale }),
            }
        };
        let sheet = |name: String, locale, medium, slots: &[Slot]| {
            let (part, text) = text(name, locale)?;
            SlotSheet::parse(medium, text, slots).map_err(|problem| FormsError::Sheet { part, locale, problem })
        };
        let (mut sheets, mut messages) = (BTreeMap::new(), BTreeMap::new());
        for locale in LOCALES {
            for form in Form::ALL {
                sheets.insert((form, locale), sheet(form.part(), locale, SheetFormat::Html, form.slots())?);
            }
            for kind in MessageKind::ALL {
                let (part, subject) = text(kind.part(MessagePiece::Subject), locale)?;
                let subject = subject.trim_end_matches('\n');
                if subject.is_empty() || subject.contains(char::is_control) {
                    return Err(FormsError::Subject { part, locale });
                }
                let slots = kind.slots();
                let message = MessageSheets {
                    subject: subject.to_owned(),
                    text: sheet(kind.part(MessagePiece::Text), locale, SheetFormat::Text, slots)?,
                    html: sheet(kind.part(MessagePiece::Html), locale, SheetFormat::Html, slots)?,
                };
                messages.insert((kind, locale), message);
            }
        }
        let words = |locale| {
            let (_, text) = text(WORDS.to_owned(), locale)?;
            let words: Words =
                serde_json::from_str(text).map_err(|problem| FormsError::Malformed { locale, problem })?;
            words.check().map_err(|problem| FormsError::Words { locale, problem })?;
            Ok(words)
        };
        let words = PerLocale { en: words(Locale::En)?, tr: words(Locale::Tr)? };
        let search = PerLocale { en: SearchPage::load(Locale::En, &part)?, tr: SearchPage::load(Locale::Tr, &part)? };
        Ok(Self { site_url: site_url.to_owned(), sheets, messages, words, search })
    }

    pub fn site_url(&self) -> &str {
        &self.site_url
    }

    /// Returns the page of search results whose address, or that of its Markdown, is `path`.
    pub fn search_at(&self, path: &str) -> Option<&SearchPage> {
        self.search.iter().filter_map(|(_, page)| page.as_ref()).find(|page| page.is_at(path))
    }

    pub fn fill(&self, form: Form, locale: Locale, facts: &SlotValues) -> String {
        // `load` has inserted every form in every locale.
        self.sheets.get(&(form, locale)).map(|sheet| self.fill_sheet(sheet, locale, facts)).unwrap_or_default()
    }

    pub(super) fn message(&self, kind: MessageKind, locale: Locale) -> Option<&MessageSheets> {
        self.messages.get(&(kind, locale))
    }

    pub(super) fn words(&self, locale: Locale) -> &Words {
        &self.words[locale]
    }

    /// Fills `sheet` with `facts`. A slot without a value stays empty; typed pages and e-mails have a value for each.
    pub(super) fn fill_sheet(&self, sheet: &SlotSheet, locale: Locale, facts: &SlotValues) -> String {
        let words = &self.words[locale];
        sheet.fill(|slot, out| match (facts.find(slot), sheet.medium) {
            (None, _) => {}
            (Some(SlotValue::Items(items)), SheetFormat::Html) => {
                for item in items {
                    out.push_str(&self.fill(Form::AccessItem, locale, item));
                }
            }
            (Some(SlotValue::Scopes(scopes)), medium) => {
                let texts = scopes.iter().filter_map(|scope| words.scopes.get(scope));
                for (at, scope) in texts.enumerate() {
                    match medium {
                        SheetFormat::Html => {
                            let scope = SlotValues::of([(Slot::Scope, SlotValue::Text(scope))]);
                            out.push_str(&self.fill(Form::ScopeItem, locale, &scope));
                        }
                        SheetFormat::Text => {
                            out.push_str(if at == 0 { "– " } else { "\n– " });
                            out.push_str(scope);
                        }
                    }
                }
            }
            (Some(value), SheetFormat::Html) => escape_into(out, &plain_text(slot, value, words)),
            (Some(value), SheetFormat::Text) => out.push_str(&plain_text(slot, value, words)),
        })
    }
}
