//! Turns a checked [`Draft`] into a [`Site`], in the order of the site.
//!
//! Consumes the draft, so that a large site is in memory only once.

use std::cmp::{Ordering, Reverse};

use content::{At, CategoryDraft, Folder, SettingsDraft};
use contract::PerLocale;
use findings::{Code, Finding, Place, messages};
use markdown::turkish::Language;

use super::{
    AreaEntry, ArticleEntry, Category, Contact, Content, Document, Firm, Mcp, MemberEntry, MenuEntry, NetworkFirm,
    Page, Pages, Security, Site, SiteSettings, Usage,
    attachments::attach,
    draft::{Draft, Status},
    published::{Address, PublicFiles, Published, value},
    schedule::{is_unreviewed, next_change},
};

/// Assembles the site. Fails only if a check overlooked an error.
pub fn assemble(draft: Draft, folder: Folder) -> Result<Site, Box<Finding>> {
    let files = attach(&draft);
    let public: PublicFiles = files.iter().map(|file| ((file.file.as_str(), file.usage), file)).collect();
    let (next_change, drafts) = (next_change(&draft), draft.drafts);
    let entries = entries(draft, &public);
    if let Some((settings, content_of)) = entries {
        return Ok(Site { settings, content: content_of, files, next_change, drafts, editor: Vec::new(), folder });
    }
    Err(Box::new(Finding::new(Code::INCOMPLETE, Place::file(""), messages::site_incomplete())))
}

fn entries(mut draft: Draft, files: &PublicFiles) -> Option<(SiteSettings, PerLocale<Content>)> {
    let addresses: Vec<Option<Address>> = draft
        .records
        .iter()
        .map(|record| (draft.status(record) == Status::Published).then(|| Address::of(&draft, record)))
        .collect();
    let unreviewed: Vec<bool> = draft.records.iter().map(|record| is_unreviewed(&draft, record)).collect();
    let is_reachable = draft.has_security_contact();
    let today = draft.today().to_string();
    draft.settings.law_changes.retain(|change| change.in_force.as_str() <= today.as_str());
    // Links and anchors take most of the memory and are no longer needed after the checks.
    for record in &mut draft.records {
        record.prose.iter_mut().for_each(content::Prose::forget_links);
    }
    let languages = PerLocale::build(Language::new);
    let mut builders: PerLocale<ContentBuilder> = PerLocale::default();
    for ((record, address), is_unreviewed) in draft.records.into_iter().zip(addresses).zip(unreviewed) {
        let Some(address) = address else { continue };
        let locale = record.locale;
        builders.of_mut(locale).add(Published::new(record, address, is_unreviewed, files, &languages[locale])?);
    }
    let PerLocale { en, tr } = builders;
    let content = PerLocale { en: en.finish(&languages.en)?, tr: tr.finish(&languages.tr)? };
    Some((settings(draft.settings, files, is_reachable)?, content))
}

/// Collects the entries of a locale.
#[derive(Default)]
struct ContentBuilder {
    practice_areas: Vec<AreaEntry>,
    team: Vec<MemberEntry>,
    publications: Vec<ArticleEntry>,
    network: Vec<NetworkFirm>,
    contact: Option<Contact>,
    pages: Vec<Page>,
}

impl ContentBuilder {
    fn add(&mut self, entry: Published) {
        match entry {
            Published::PracticeArea(area) => self.practice_areas.push(area),
            Published::TeamMember(member) => self.team.push(member),
            Published::Publication(publication) => self.publications.push(publication),
            Published::NetworkFirm(firm) => self.network.push(firm),
            Published::Contact(contact) => self.contact = Some(contact),
            Published::Page(page) => self.pages.push(page),
        }
    }

    /// Sorts the entries into the order of the site.
    fn finish(mut self, language: &Language) -> Option<Content> {
        let by_title = |a: &Document, b: &Document| language.compare(&a.title, &b.title);
        self.practice_areas.sort_by(|a, b| in_order(a.order, b.order).then_with(|| by_title(&a.document, &b.document)));
        self.team.sort_by(|a, b| in_order(a.order, b.order).then_with(|| by_title(&a.document, &b.document)));
        self.publications.sort_by(|a, b| {
            let newest_first = Reverse(&a.date).cmp(&Reverse(&b.date));
            newest_first
                .then_with(|| by_title(&a.document, &b.document))
                .then_with(|| a.document.key.cmp(&b.document.key))
        });
        self.network.sort_by(|a, b| {
            language.compare(&a.country_name, &b.country_name).then_with(|| language.compare(&a.name, &b.name))
        });
        self.publications.shrink_to_fit();
        Some(Content {
            practice_areas: self.practice_areas,
            team: self.team,
            publications: self.publications,
            network: self.network,
            contact: self.contact?,
            pages: Pages::new(self.pages)?,
        })
    }
}

/// Compares two values of `order`; an entry without one comes last.
fn in_order(a: Option<i64>, b: Option<i64>) -> Ordering {
    (a.is_none(), a).cmp(&(b.is_none(), b))
}

fn settings(draft: SettingsDraft, files: &PublicFiles, is_reachable: bool) -> Option<SiteSettings> {
    let path_of =
        |picture: At<String>, usage| files.get(&(picture.value.as_str(), usage)).map(|file| file.path.clone());
    Some(SiteSettings {
        site_url: value(draft.site_url)?,
        service: value(draft.service)?,
        sandbox_key: value(draft.sandbox_key)?,
        review_after: value(draft.review_after),
        feed_id: value(draft.feed_id),
        firm: Firm {
            name: draft.name?,
            short_name: value(draft.short_name)?,
            tagline: draft.tagline?,
            description: draft.description?,
            disclaimer: draft.disclaimer?,
            logo: path_of(draft.logo?, Usage::Text)?,
            share_picture: draft.share_picture.and_then(|picture| path_of(picture, Usage::Shared)),
        },
        security: if is_reachable {
            Some(Security { contact: value(draft.security_contact)?, expires: value(draft.security_expires)? })
        } else {
            None
        },
        crawlers: draft.crawlers?,
        agents: draft.agents?,
        icon: draft.theme.icon.clone().and_then(|icon| path_of(icon, Usage::Text)),
        theme: draft.theme,
        numbering: draft.numbering,
        mcp: Mcp { name: value(draft.mcp_name)?, title: draft.mcp_title? },
        navigation: draft.navigation.map(menu),
        footer: draft.footer.map(menu),
        assistants: draft.assistants,
        laws: draft.laws,
        own_laws: draft.own_laws.into_iter().map(|law| law.value).collect(),
        law_changes: draft.law_changes,
        synonyms: draft.synonyms,
        editor: draft.editor,
        categories: draft.categories.into_iter().map(category).collect::<Option<_>>()?,
    })
}

fn menu(entries: Vec<At<MenuEntry>>) -> Vec<MenuEntry> {
    entries.into_iter().map(|entry| entry.value).collect()
}

fn category(draft: CategoryDraft) -> Option<Category> {
    Some(Category {
        key: value(draft.key)?,
        name: draft.name?,
        slug: PerLocale { en: value(draft.slug.en)?, tr: value(draft.slug.tr)? },
        aliases: draft.aliases.into_iter().map(|alias| alias.value).collect(),
        practice_area: value(draft.practice_area),
    })
}
