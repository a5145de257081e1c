//! Data that many pages of a locale need: cards, indexes and the `site` value of the templates. Built once per build.

use std::{collections::BTreeMap, sync::Arc};

use contract::{Locale, routes, text::Date};
use markdown::turkish::Language;

use super::{
    archive_index::ArchiveIndex,
    telephone,
    theme::Part,
    view::{
        AreaCard, ContactView, DateView, HoursView, ImageView, LinkView, PersonCard, PictureView, Prepared,
        PublicationCard, SiteView,
    },
};
use crate::site::{
    Category, Content, Document, Form, Links, NetworkFirm, Page, PageKind, PracticeArea, Publication, Site,
    SiteTargets, TeamMember,
};

/// Maximum number of publications indexed per author and per category; the page of a person lists as many.
pub(super) const LISTED: usize = 20;

/// A locale's shared data.
pub(super) struct Shared<'a> {
    pub(super) site: &'a Site,
    pub(super) locale: Locale,
    pub(super) language: Language,
    pub(super) content: &'a Content,
    /// Where links in texts lead; the same in both locales.
    pub(super) links: Arc<Links<'a>>,
    /// Publications by author key, newest first, at most [`LISTED`].
    by_author: BTreeMap<&'a str, Vec<Listed<'a>>>,
    /// Publications by category key, newest first, at most [`LISTED`].
    by_category: BTreeMap<&'a str, Vec<Listed<'a>>>,
    team: BTreeMap<&'a str, Member<'a>>,
    categories: BTreeMap<&'a str, Heading<'a>>,
    /// All publications, as the archives list them.
    pub(super) archives: ArchiveIndex<'a>,
}

/// A publication that many pages list, with its card.
pub(super) struct Listed<'a> {
    /// Its position among all publications.
    pub(super) place: usize,
    pub(super) publication: &'a Publication,
    pub(super) card: Prepared<PublicationCard>,
}

/// A member of the team, as other pages refer to them.
struct Member<'a> {
    person: &'a TeamMember,
    card: Prepared<PersonCard>,
    link: Prepared<LinkView>,
}

/// A category, as its publications refer to it.
struct Heading<'a> {
    category: &'a Category,
    /// Link to its archive, which exists only if the locale has a publication of this category.
    link: Option<Prepared<LinkView>>,
}

impl<'a> Shared<'a> {
    pub(super) fn new(site: &'a Site, links: Arc<Links<'a>>, locale: Locale) -> Self {
        let content = &site.content[locale];
        let mut shared = Self {
            site,
            locale,
            language: Language::new(locale),
            content,
            links,
            by_author: BTreeMap::new(),
            by_category: BTreeMap::new(),
            team: BTreeMap::new(),
            categories: BTreeMap::new(),
            archives: ArchiveIndex::new(site, locale),
        };
        shared.team = content.team.iter().map(|it| (it.document.key.as_str(), shared.prepare_member(it))).collect();
        let categories = site.settings.categories.iter().map(|category| {
            let is_listed = !shared.archives.of_category(&category.key).is_empty();
            let link = is_listed.then(|| shared.prepare_category(category));
            (category.key.as_str(), Heading { category, link })
        });
        shared.categories = categories.collect();
        // The cards of publications need their authors and categories.
        shared.by_author = shared.newest_by(|publication| publication.author.as_deref());
        shared.by_category = shared.newest_by(|publication| publication.category.as_deref());
        shared
    }

    fn prepare_member(&self, member: &'a TeamMember) -> Member<'a> {
        let link = Prepared::new(&self.document_link(&member.document));
        Member { person: member, card: Prepared::new(&self.person_view(member)), link }
    }

    fn prepare_category(&self, category: &Category) -> Prepared<LinkView> {
        Prepared::new(&self.link(&category.name[self.locale], &self.archives.category_path(category)))
    }

    fn newest_by(&self, key: impl Fn(&'a Publication) -> Option<&'a str>) -> BTreeMap<&'a str, Vec<Listed<'a>>> {
        let mut index: BTreeMap<&str, Vec<Listed>> = BTreeMap::new();
        for (place, publication) in self.content.publications.iter().enumerate() {
            let Some(key) = key(publication) else { continue };
            let listed = index.entry(key).or_default();
            if listed.len() < LISTED {
                let card = Prepared::new(&self.publication_card(publication));
                listed.push(Listed { place, publication, card });
            }
        }
        index
    }

    pub(super) fn page(&self, kind: PageKind) -> &'a Page {
        self.site.page(self.locale, kind)
    }

    pub(super) fn member(&self, key: &str) -> Option<&'a TeamMember> {
        Some(self.team.get(key)?.person)
    }

    pub(super) fn category(&self, key: &str) -> Option<&'a Category> {
        Some(self.categories.get(key)?.category)
    }

    /// Returns the newest publications of an author.
    pub(super) fn by_author(&self, key: &str) -> &[Listed<'a>] {
        self.by_author.get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns the newest publications of a category.
    pub(super) fn by_category(&self, key: &str) -> &[Listed<'a>] {
        self.by_category.get(key).map_or(&[], Vec::as_slice)
    }

    /// Resolves destinations in the note on a firm of the network, which is shown on the page of all firms.
    pub(super) fn note_targets<'s>(&'s self, of: &'s NetworkFirm, form: Form) -> SiteTargets<'s> {
        let page = &self.page(PageKind::GlobalNetwork).document;
        self.links.targets_of(&of.file, &page.path, self.locale, form)
    }

    /// Returns the note on a firm of the network as Markdown to be read away from its page.
    pub(super) fn note_twin(&self, firm: &NetworkFirm) -> String {
        markdown::trimmed(&markdown::to_twin(&firm.note, &self.note_targets(firm, Form::Absolute))).to_owned()
    }

    pub(super) fn link(&self, title: &str, path: &str) -> LinkView {
        link(self.site, title, path)
    }

    pub(super) fn document_link(&self, document: &Document) -> LinkView {
        self.link(&document.title, &document.path)
    }

    pub(super) fn date(&self, date: &Date) -> DateView {
        DateView { iso: date.to_string(), text: self.language.date(date) }
    }

    pub(super) fn area_card(&self, area: &PracticeArea) -> AreaCard {
        let document = &area.document;
        AreaCard {
            title: document.title.clone(),
            path: document.path.clone(),
            url: self.site.absolute(&document.path),
            summary: document.description.clone(),
        }
    }

    /// Returns the breadcrumbs of a page: from the home page, down to `section` if the page is in one.
    pub(super) fn trail<'p>(&'p self, section: Option<&'p Document>) -> Part<'p> {
        let path = section.map(|document| document.path.as_str());
        Part::new("breadcrumbs", path, move || {
            let section = section.map(|document| self.document_link(document));
            std::iter::once(self.document_link(&self.page(PageKind::Home).document)).chain(section).collect::<Vec<_>>()
        })
    }

    pub(super) fn person_card(&self, member: &TeamMember) -> Prepared<PersonCard> {
        let prepared = self.team.get(member.document.key.as_str());
        prepared.map_or_else(|| Prepared::new(&self.person_view(member)), |prepared| prepared.card.clone())
    }

    fn person_view(&self, member: &TeamMember) -> PersonCard {
        let document = &member.document;
        PersonCard {
            name: document.title.clone(),
            title: member.title.clone(),
            path: document.path.clone(),
            url: self.site.absolute(&document.path),
            summary: document.description.clone(),
            portrait: self.portrait(member),
        }
    }

    pub(super) fn portrait(&self, member: &TeamMember) -> Option<ImageView> {
        member.portrait.as_ref().map(|portrait| ImageView {
            path: portrait.path.clone(),
            url: self.site.absolute(&portrait.path),
            alt: portrait.alt.clone(),
            srcset: (portrait.forms.len() > 1).then(|| {
                let forms = portrait.forms.iter().map(|form| format!("{} {}w", form.path, form.size.width));
                forms.collect::<Vec<_>>().join(", ")
            }),
        })
    }

    pub(super) fn publication_card(&self, publication: &Publication) -> PublicationCard {
        let document = &publication.document;
        PublicationCard {
            title: document.title.clone(),
            path: document.path.clone(),
            url: self.site.absolute(&document.path),
            excerpt: Some(document.description.clone()).filter(|excerpt| !excerpt.is_empty()),
            date: publication.date.as_ref().map(|date| self.date(date)),
            author: self.author_link(publication),
            category: self.category_link(publication),
        }
    }

    /// Returns the cards of publications, in their order.
    pub(super) fn cards<'p>(&self, of: impl Iterator<Item = &'p Publication>) -> Vec<PublicationCard> {
        of.map(|publication| self.publication_card(publication)).collect()
    }

    pub(super) fn author(&self, publication: &Publication) -> Option<&'a TeamMember> {
        self.member(publication.author.as_deref()?)
    }

    pub(super) fn category_name(&self, publication: &Publication) -> Option<&'a str> {
        Some(&self.category(publication.category.as_deref()?)?.name[self.locale])
    }

    fn author_link(&self, publication: &Publication) -> Option<Prepared<LinkView>> {
        Some(self.team.get(publication.author.as_deref()?)?.link.clone())
    }

    /// Returns a link to this locale's list of publications of the same category, if it has any.
    pub(super) fn category_link(&self, publication: &Publication) -> Option<Prepared<LinkView>> {
        self.categories.get(publication.category.as_deref()?)?.link.clone()
    }

    /// Describes a picture that is not a drawing; one whose size cannot be read has been refused before.
    fn picture_view(&self, path: &str) -> Option<PictureView> {
        let size = self.site.files.iter().find(|file| file.path == path)?.size?;
        Some(PictureView { url: self.site.absolute(path), width: size.width, height: size.height })
    }

    /// Returns the template value `site`.
    pub(super) fn site_view(&self) -> SiteView {
        let links =
            |kinds: &[PageKind]| kinds.iter().map(|kind| self.document_link(&self.page(*kind).document)).collect();
        let path = |kind: PageKind| self.page(kind).document.path.clone();
        let firm = &self.site.settings.firm;
        let locale = self.locale;
        SiteView {
            locale: locale.as_str(),
            url: self.site.url().to_owned(),
            name: firm.name[locale].clone(),
            short_name: firm.short_name.clone(),
            tagline: firm.tagline[locale].clone(),
            description: firm.description[locale].clone(),
            disclaimer: firm.disclaimer[locale].clone(),
            logo_path: firm.logo.clone(),
            share_picture: firm.share_picture.as_deref().and_then(|path| self.picture_view(path)),
            home_path: path(PageKind::Home),
            navigation: links(&[
                PageKind::PracticeAreas,
                PageKind::Team,
                PageKind::Publications,
                PageKind::GlobalNetwork,
                PageKind::About,
                PageKind::Contact,
            ]),
            footer: links(&[
                PageKind::LegalNotice,
                PageKind::PrivacyNotice,
                PageKind::Accessibility,
                PageKind::Developers,
            ]),
            contact: self.contact_view(),
            atom_path: routes::in_locale(locale, routes::ATOM),
            json_feed_path: routes::in_locale(locale, routes::JSON_FEED),
            llms_path: routes::in_locale(locale, routes::LLMS_TXT),
            llms_url: self.site.absolute(&routes::in_locale(locale, routes::LLMS_TXT)),
            publications_path: path(PageKind::Publications),
        }
    }

    pub(super) fn language_names(&self, codes: &[String]) -> Vec<String> {
        codes.iter().map(|code| self.language.language_name(code).unwrap_or_else(|| code.clone())).collect()
    }

    pub(super) fn contact_view(&self) -> ContactView {
        let contact = &self.content.contact;
        ContactView {
            path: self.page(PageKind::Contact).document.path.clone(),
            description: contact.description.clone(),
            email: contact.email.to_string(),
            telephone: contact.telephone.clone(),
            telephone_display: contact
                .telephone_display
                .clone()
                .unwrap_or_else(|| telephone::grouped(&contact.telephone)),
            address: contact.address.clone(),
            directions: contact.directions.as_ref().map(ToString::to_string),
            linkedin: contact.linkedin.as_ref().map(ToString::to_string),
            hours: contact.hours.as_ref().map(|hours| HoursView {
                days: Some(self.language.weekdays(hours.days.iter().map(String::as_str)))
                    .filter(|days| !days.is_empty()),
                opens: hours.opens.as_ref().map(|time| self.language.time(time)),
                closes: hours.closes.as_ref().map(|time| self.language.time(time)),
                time_zone: hours.time_zone.as_ref().map(|zone| self.language.time_zone(zone)),
            }),
            languages: self.language_names(&contact.languages),
        }
    }

    /// Returns the names of weekdays in the locale.
    pub(super) fn day_names(&self, days: &[String]) -> Vec<String> {
        days.iter().map(|day| self.language.weekday(day).unwrap_or(day).to_owned()).collect()
    }
}

fn link(site: &Site, title: &str, path: &str) -> LinkView {
    LinkView { title: title.to_owned(), path: path.to_owned(), url: site.absolute(path) }
}
