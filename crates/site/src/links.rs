//! Resolves the destinations in texts.

use std::collections::HashMap;

use content::Kind;
use contract::{Locale, PerLocale};
use foldhash::quality::RandomState;
use markdown::{Numbering, Size, Targets, names_questions};

use super::{Attachment, Document, Site, Usage, attachments::linked_file};

/// The public paths of all link targets. Build it once per site; it borrows from the site.
#[derive(Debug)]
pub struct Links<'a> {
    site: &'a Site,
    entries: PerLocale<HashMap<(&'static str, &'a str), &'a str, RandomState>>,
    files: HashMap<&'a str, &'a Attachment, RandomState>,
}

/// The form of the resolved addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkForm {
    /// `/en/about`, for pages.
    RootRelative,
    /// `https://firm.example/en/about`, for texts outside pages: twins, feeds, answers.
    Absolute,
}

/// Resolves the destinations in one document.
#[derive(Clone, Copy, Debug)]
pub struct SiteTargets<'a> {
    links: &'a Links<'a>,
    file: &'a str,
    /// The document's own path.
    path: &'a str,
    locale: Locale,
    form: LinkForm,
    /// Whether the title names questions.
    asks_questions: bool,
}

impl<'a> Links<'a> {
    pub fn new(site: &'a Site) -> Self {
        let entries = PerLocale::build(|locale| {
            let content = &site.content[locale];
            let areas = content.practice_areas.iter().map(|area| (Kind::PracticeAreas, &area.document));
            let team = content.team.iter().map(|member| (Kind::Team, &member.document));
            let publications = content.publications.iter().map(|article| (Kind::Publications, &article.document));
            let pages = content.pages.all().iter().map(|page| (Kind::Pages, &page.document));
            let all = areas.chain(team).chain(publications).chain(pages);
            all.map(|(kind, document)| ((kind.folder(), document.key.as_str()), document.path.as_str())).collect()
        });
        let in_texts = site.files.iter().filter(|file| file.usage == Usage::Text);
        let files = in_texts.map(|file| (file.file.as_str(), file)).collect();
        Self { site, entries, files }
    }

    /// Returns a resolver for the destinations in `document`.
    pub fn targets(&'a self, document: &'a Document, form: LinkForm) -> SiteTargets<'a> {
        let (file, path) = (document.origin.file.as_str(), document.path.as_str());
        let asks_questions = names_questions(&document.title);
        SiteTargets { links: self, file, path, locale: document.locale, form, asks_questions }
    }

    /// Returns a resolver for the destinations in a text without a page of its own, such as the note on a firm of the
    /// network.
    pub fn targets_of(&'a self, file: &'a str, path: &'a str, locale: Locale, form: LinkForm) -> SiteTargets<'a> {
        SiteTargets { links: self, file, path, locale, form, asks_questions: false }
    }

    /// Returns the path of the entry that `@/kind/key` names.
    fn entry(&self, destination: &str, locale: Locale) -> Option<&'a str> {
        let (kind, key) = destination.strip_prefix("@/")?.split_once('/')?;
        let kind = Kind::parse(kind)?.folder();
        self.entries[locale].get(&(kind, key)).copied()
    }
}

impl Targets for SiteTargets<'_> {
    fn resolve(&self, destination: &str) -> Option<String> {
        let (target, anchor) = match destination.find('#') {
            Some(at) => destination.split_at(at),
            None => (destination, ""),
        };
        let path = if target.is_empty() {
            // An anchor on the same page needs the path only outside the page.
            if self.form == LinkForm::RootRelative {
                return None;
            }
            self.path.to_owned()
        } else if target.starts_with('@') {
            self.links.entry(target, self.locale)?.to_owned()
        } else if target.starts_with('/') && !target.starts_with("//") {
            target.to_owned()
        } else {
            self.links.files.get(linked_file(self.file, target).as_str())?.path.clone()
        };
        Some(match self.form {
            LinkForm::RootRelative => format!("{path}{anchor}"),
            LinkForm::Absolute => format!("{}{anchor}", self.links.site.absolute(&path)),
        })
    }

    fn size(&self, destination: &str) -> Option<Size> {
        self.links.files.get(linked_file(self.file, destination).as_str())?.size
    }

    fn forms(&self, destination: &str) -> Vec<(String, u32)> {
        let file = self.links.files.get(linked_file(self.file, destination).as_str());
        let forms = file.and_then(|file| file.photograph.as_ref()).map_or(&[][..], |photograph| &photograph.forms);
        let address = |path: &String| match self.form {
            LinkForm::RootRelative => path.clone(),
            LinkForm::Absolute => self.links.site.absolute(path),
        };
        forms.iter().map(|form| (address(&form.path), form.size.width)).collect()
    }

    fn numbering(&self) -> Numbering {
        self.links.site.settings.numbering
    }

    fn asks_questions(&self) -> bool {
        self.asks_questions
    }

    fn document(&self, destination: &str) -> Option<String> {
        let file =
            self.links.files.get(linked_file(self.file, destination).as_str()).filter(|file| file.is_document())?;
        let (_, ending) = file.path.rsplit_once('.')?;
        Some(format!("{}, {}", ending.to_ascii_uppercase(), size_in_words(file.bytes, self.locale)))
    }

    fn adapts(&self, destination: &str) -> bool {
        self.links.files.get(linked_file(self.file, destination).as_str()).is_some_and(|file| file.adapts)
    }
}

/// Formats the size of a file in whole kilobytes, or in megabytes with one decimal place.
fn size_in_words(bytes: u64, locale: Locale) -> String {
    let tenths = bytes.div_ceil(100_000);
    if tenths < 10 {
        return format!("{} KB", bytes.div_ceil(1000).max(1));
    }
    let mark = match locale {
        Locale::En => '.',
        Locale::Tr => ',',
    };
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole} MB"),
        (whole, tenth) => format!("{whole}{mark}{tenth} MB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_mark_of_a_size_depends_on_the_language() {
        for (bytes, english, turkish) in [
            (0, "1 KB", "1 KB"),
            (84_001, "85 KB", "85 KB"),
            (900_000, "900 KB", "900 KB"),
            (900_001, "1 MB", "1 MB"),
            (1_200_000, "1.2 MB", "1,2 MB"),
            (16_777_216, "16.8 MB", "16,8 MB"),
        ] {
            assert_eq!(size_in_words(bytes, Locale::En), english);
            assert_eq!(size_in_words(bytes, Locale::Tr), turkish);
        }
    }
}
