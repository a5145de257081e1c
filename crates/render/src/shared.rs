//! Data that many pages of a locale need: cards, indexes and the template value `site`. Built once per build.

use std::{borrow::Cow, collections::BTreeMap, sync::Arc};

use citations::{Article, Cited, Law};
use contract::{Locale, forms::search::parameters, routes, text::Date};
use markdown::turkish::Language;
use site::{
    AreaEntry, ArticleEntry, Category, ChangeOfLaw, Contact, Content, Document, LinkForm, Links, MemberEntry,
    MenuEntry, MenuTarget, NetworkFirm, Office, OpeningHours, PageKind, Site, SiteTargets, card_paths, laws_path,
    office_path,
};

use super::{
    archive_index::{ArchiveIndex, article_number, law_title, series_name},
    theme::SharedPart,
    view::{
        AreaCard, ContactView, DateView, HoursView, ImageView, LawArticleView, LawChangeView, LinkView, OfficeView,
        PersonCard, PictureView, Prepared, PublicationCard, SiteView,
    },
};

/// Maximum number of publications per author and per category in the index and on a person's page.
pub(super) const LISTED: usize = 20;

/// Main menu of a site without `navigation` in its settings.
const NAVIGATION: [PageKind; 6] = [
    PageKind::PracticeAreas,
    PageKind::Team,
    PageKind::Publications,
    PageKind::GlobalNetwork,
    PageKind::About,
    PageKind::Contact,
];
/// Footer of a site without `footer` in its settings.
const FOOTER: [PageKind; 4] =
    [PageKind::LegalNotice, PageKind::PrivacyNotice, PageKind::Accessibility, PageKind::Developers];

pub(super) struct Shared<'a> {
    pub(super) site: &'a Site,
    pub(super) locale: Locale,
    pub(super) language: Language,
    pub(super) content: &'a Content,
    /// Link targets; the same in both locales.
    pub(super) links: Arc<Links<'a>>,
    /// Publications by author key, newest first, at most [`LISTED`].
    by_author: BTreeMap<&'a str, Vec<ListedPublication<'a>>>,
    /// Publications by category key, newest first, at most [`LISTED`].
    by_category: BTreeMap<&'a str, Vec<ListedPublication<'a>>>,
    team: BTreeMap<&'a str, MemberLinks<'a>>,
    categories: BTreeMap<&'a str, CategoryLink<'a>>,
    pub(super) archives: ArchiveIndex<'a>,
}

/// A publication with its card.
pub(super) struct ListedPublication<'a> {
    /// Position among all publications.
    pub(super) place: usize,
    pub(super) publication: &'a ArticleEntry,
    pub(super) card: Prepared<PublicationCard>,
}

/// A team member with their card and link.
struct MemberLinks<'a> {
    person: &'a MemberEntry,
    card: Prepared<PersonCard>,
    link: Prepared<LinkView>,
}

struct CategoryLink<'a> {
    category: &'a Category,
    /// Link to its archive, if the locale has a publication of this category.
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
            (category.key.as_str(), CategoryLink { category, link })
        });
        shared.categories = categories.collect();
        // Cards of publications need authors and categories.
        shared.by_author = shared.newest_by(|publication| publication.authors.iter().map(String::as_str));
        shared.by_category = shared.newest_by(|publication| publication.category.as_deref().into_iter());
        shared
    }

    fn prepare_member(&self, member: &'a MemberEntry) -> MemberLinks<'a> {
        let lang = self.name_language(member);
        let link = Prepared::new(&LinkView { lang, ..self.document_link(&member.document) });
        MemberLinks { person: member, card: Prepared::new(&self.person_view(member)), link }
    }

    fn prepare_category(&self, category: &Category) -> Prepared<LinkView> {
        Prepared::new(&self.link(&category.name[self.locale], &self.archives.category_path(category)))
    }

    /// Returns the newest publications by key.
    fn newest_by<K: Iterator<Item = &'a str>>(
        &self,
        keys: impl Fn(&'a ArticleEntry) -> K,
    ) -> BTreeMap<&'a str, Vec<ListedPublication<'a>>> {
        let mut index: BTreeMap<&str, Vec<ListedPublication>> = BTreeMap::new();
        for (place, publication) in self.content.publications.iter().enumerate() {
            for key in keys(publication) {
                let listed = index.entry(key).or_default();
                if listed.len() < LISTED {
                    let card = Prepared::new(&self.publication_card(publication));
                    listed.push(ListedPublication { place, publication, card });
                }
            }
        }
        index
    }

    /// Returns the page of a kind, if the firm has it in this locale.
    pub(super) fn page(&self, kind: PageKind) -> Option<&'a Document> {
        self.content.pages.of(kind).map(|page| &page.document)
    }

    pub(super) fn home(&self) -> &'a Document {
        &self.content.pages.home().document
    }

    pub(super) fn contact_page(&self) -> &'a Document {
        &self.content.pages.contact().document
    }

    /// Returns the address of the search for `words`, if the firm has a search page.
    pub(super) fn search_url(&self, words: &str) -> Option<String> {
        let page = self.page(PageKind::Search)?;
        Some(format!("{}?{}={words}", self.site.absolute(&page.path), parameters::QUERY))
    }

    /// Returns path and media type of the documentation for developers: their page, or else the overview for language
    /// models, which names the interfaces too.
    pub(super) fn documentation(&self) -> (Cow<'a, str>, &'static str) {
        match self.page(PageKind::Developers) {
            Some(page) => (page.path.as_str().into(), "text/html"),
            None => (routes::in_locale(self.locale, routes::LLMS_TXT).into(), "text/plain"),
        }
    }

    pub(super) fn member(&self, key: &str) -> Option<&'a MemberEntry> {
        Some(self.team.get(key)?.person)
    }

    pub(super) fn category(&self, key: &str) -> Option<&'a Category> {
        Some(self.categories.get(key)?.category)
    }

    pub(super) fn by_author(&self, key: &str) -> &[ListedPublication<'a>] {
        self.by_author.get(key).map_or(&[], Vec::as_slice)
    }

    pub(super) fn by_category(&self, key: &str) -> &[ListedPublication<'a>] {
        self.by_category.get(key).map_or(&[], Vec::as_slice)
    }

    /// Returns the link targets of a note on a network firm, which appears on the network page.
    pub(super) fn note_targets<'s>(&'s self, of: &'s NetworkFirm, form: LinkForm) -> SiteTargets<'s> {
        let page = self.page(PageKind::GlobalNetwork).unwrap_or_else(|| self.home());
        self.links.targets_of(&of.file, &page.path, self.locale, form)
    }

    /// Returns the note on a network firm as Markdown with absolute links.
    pub(super) fn note_twin(&self, firm: &NetworkFirm) -> String {
        let targets = self.note_targets(firm, LinkForm::Absolute);
        markdown::trimmed(&markdown::to_twin(&firm.note, self.locale, &targets)).to_owned()
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

    /// Describes a change of law for the pages that do not state it yet.
    pub(super) fn law_change(&self, change: &ChangeOfLaw) -> LawChangeView {
        let number = &change.law.value;
        let law = self.site.settings.laws.get(number);
        let article =
            |article: &Article| LawArticleView { series: series_name(article.series), number: article_number(article) };
        LawChangeView {
            number: number.clone(),
            title: law.map_or_else(|| number.clone(), |law| law_title(self.locale, law)),
            articles: change.articles.iter().map(article).collect(),
            in_force: self.date(&change.in_force),
            what: change.what[self.locale].clone(),
        }
    }

    /// Returns links to the pages of the laws that an article cites, each once, in the order of the text.
    pub(super) fn cited_laws(&self, document: &Document) -> Vec<LinkView> {
        let mut numbers: Vec<&str> = Vec::new();
        for number in document.cites.iter().filter_map(Cited::law) {
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        let law = |number: &&str| self.site.settings.laws.get(number);
        let path = |law: &Law| format!("{}{}", laws_path(self.locale), law.number);
        numbers.iter().filter_map(law).map(|law| self.link(&law_title(self.locale, law), &path(law))).collect()
    }

    pub(super) fn area_card(&self, area: &AreaEntry) -> AreaCard {
        let document = &area.document;
        AreaCard {
            title: document.title.clone(),
            path: document.path.clone(),
            url: self.site.absolute(&document.path),
            summary: document.description.clone(),
        }
    }

    /// Returns the breadcrumbs of a page, from the home page to `section`.
    pub(super) fn trail<'p>(&'p self, section: Option<&'p Document>) -> SharedPart<'p> {
        let path = section.map(|document| document.path.as_str());
        SharedPart::new("breadcrumbs", path, move || {
            let section = section.map(|document| self.document_link(document));
            std::iter::once(self.document_link(self.home())).chain(section).collect::<Vec<_>>()
        })
    }

    pub(super) fn person_card(&self, member: &MemberEntry) -> Prepared<PersonCard> {
        let prepared = self.team.get(member.document.key.as_str());
        prepared.map_or_else(|| Prepared::new(&self.person_view(member)), |prepared| prepared.card.clone())
    }

    fn person_view(&self, member: &MemberEntry) -> PersonCard {
        let document = &member.document;
        PersonCard {
            name: document.title.clone(),
            title: member.title.clone(),
            path: document.path.clone(),
            url: self.site.absolute(&document.path),
            summary: document.description.clone(),
            lang: self.name_language(member),
            email: member.email.as_ref().map(ToString::to_string),
            telephone: member.telephone.clone(),
            telephone_display: member.telephone.as_deref().map(contract::text::telephone::group_digits),
            portrait: self.portrait(member),
            initials: member.initials(),
        }
    }

    /// Returns the language of a name if it differs from the page's.
    pub(super) fn name_language(&self, member: &MemberEntry) -> Option<String> {
        Some(member.name_language.clone()).filter(|language| language != self.locale.as_str())
    }

    pub(super) fn portrait(&self, member: &MemberEntry) -> Option<ImageView> {
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

    pub(super) fn publication_card(&self, publication: &ArticleEntry) -> PublicationCard {
        let document = &publication.document;
        PublicationCard {
            title: document.title.clone(),
            path: document.path.clone(),
            url: self.site.absolute(&document.path),
            excerpt: Some(document.description.clone()).filter(|excerpt| !excerpt.is_empty()),
            date: publication.date.as_ref().map(|date| self.date(date)),
            reviewed: document.updated.as_ref().map(|date| self.date(date)),
            unreviewed: publication.is_unreviewed,
            law_changed: Vec::new(),
            authors: self.author_links(publication),
            category: self.category_link(publication),
        }
    }

    pub(super) fn cards<'p>(&self, of: impl Iterator<Item = &'p ArticleEntry>) -> Vec<PublicationCard> {
        of.map(|publication| self.publication_card(publication)).collect()
    }

    pub(super) fn authors(&self, publication: &ArticleEntry) -> Vec<&'a MemberEntry> {
        publication.authors.iter().filter_map(|key| self.member(key)).collect()
    }

    /// Returns the names of the authors, joined as the locale does.
    pub(super) fn author_names(&self, publication: &ArticleEntry) -> Option<String> {
        let names: Vec<&str> = self.authors(publication).into_iter().map(|it| it.document.title.as_str()).collect();
        Some(self.language.list(&names)).filter(|names| !names.is_empty())
    }

    pub(super) fn category_name(&self, publication: &ArticleEntry) -> Option<&'a str> {
        Some(&self.category(publication.category.as_deref()?)?.name[self.locale])
    }

    fn author_links(&self, publication: &ArticleEntry) -> Vec<Prepared<LinkView>> {
        publication.authors.iter().filter_map(|key| Some(self.team.get(key.as_str())?.link.clone())).collect()
    }

    /// Returns a link to the archive of the publication's category, if the locale has one.
    pub(super) fn category_link(&self, publication: &ArticleEntry) -> Option<Prepared<LinkView>> {
        self.categories.get(publication.category.as_deref()?)?.link.clone()
    }

    /// Returns the firm's share picture for all pages. The checks reject one whose size cannot be read.
    pub(super) fn share_picture(&self) -> Option<PictureView> {
        let firm = &self.site.settings.firm;
        let path = firm.share_picture.as_deref()?;
        let size = self.site.files.iter().find(|file| file.path == path)?.size?;
        let (url, alt) = (self.site.absolute(path), firm.name[self.locale].clone());
        Some(PictureView { url, width: size.width, height: size.height, alt })
    }

    /// Returns the template value `site`.
    pub(super) fn site_view(&self) -> SiteView {
        let settings = &self.site.settings;
        let firm = &settings.firm;
        let locale = self.locale;
        // Feeds list publications and link to their page.
        let publications = self.page(PageKind::Publications);
        let of_feed = |name: &str| publications.map(|_| routes::in_locale(locale, name));
        SiteView {
            locale: locale.as_str(),
            url: self.site.url().to_owned(),
            drafts: self.site.drafts,
            name: firm.name[locale].clone(),
            short_name: firm.short_name.clone(),
            tagline: firm.tagline[locale].clone(),
            description: firm.description[locale].clone(),
            disclaimer: firm.disclaimer[locale].clone(),
            logo_path: firm.logo.clone(),
            home_path: self.home().path.clone(),
            navigation: self.menu(settings.navigation.as_deref(), &NAVIGATION),
            footer: self.menu(settings.footer.as_deref(), &FOOTER),
            contact: self.contact_view(),
            atom_path: of_feed(routes::ATOM),
            json_feed_path: of_feed(routes::JSON_FEED),
            llms_path: routes::in_locale(locale, routes::LLMS_TXT),
            llms_url: self.site.absolute(&routes::in_locale(locale, routes::LLMS_TXT)),
            publications_path: publications.map(|page| page.path.clone()),
            search_path: self.page(PageKind::Search).map(|page| page.path.clone()),
            opensearch_path: self.page(PageKind::Search).map(|_| routes::in_locale(locale, routes::OPENSEARCH)),
            people_path: self.page(PageKind::Team).map(|page| page.path.clone()),
        }
    }

    /// Returns the links of a menu: those in the settings, or else the existing pages of the kinds in `usual`.
    fn menu(&self, entries: Option<&[MenuEntry]>, usual: &[PageKind]) -> Vec<LinkView> {
        let Some(entries) = entries else {
            return usual.iter().filter_map(|kind| self.page(*kind)).map(|page| self.document_link(page)).collect();
        };
        let of_locale = entries.iter().filter(|entry| entry.locales.contains(&self.locale));
        let link = |entry: &MenuEntry| {
            let label = entry.label[self.locale].as_deref();
            Some(match &entry.target {
                MenuTarget::Page(key) => {
                    let page = &self.content.pages.with_key(key)?.document;
                    self.link(label.unwrap_or(&page.title), &page.path)
                }
                MenuTarget::Elsewhere(url) => {
                    let url = url.to_string();
                    LinkView { title: label?.to_owned(), path: url.clone(), url, lang: None }
                }
            })
        };
        of_locale.filter_map(link).collect()
    }

    pub(super) fn language_names(&self, codes: &[String]) -> Vec<String> {
        codes.iter().map(|code| self.language.language_name(code).unwrap_or_else(|| code.clone())).collect()
    }

    pub(super) fn contact_view(&self) -> ContactView {
        let contact = &self.content.contact;
        let path = &self.contact_page().path;
        let [vcard_path, vcard_old_path] = card_paths(path);
        ContactView {
            path: path.clone(),
            vcard_path,
            vcard_old_path,
            description: contact.description.clone(),
            email: contact.email.to_string(),
            telephone: contact.telephone.clone(),
            telephone_display: telephone_display(contact),
            address: contact.address.clone(),
            offices: if contact.offices.len() > 1 { self.office_views(contact) } else { Vec::new() },
            directions: contact.directions.as_ref().map(ToString::to_string),
            linkedin: contact.linkedin.as_ref().map(ToString::to_string),
            hours: contact.hours.as_ref().map(|hours| self.hours_view(hours)),
            languages: self.language_names(&contact.languages),
        }
    }

    /// Describes each office; the main one uses the firm's contact details unless it has its own.
    fn office_views(&self, contact: &Contact) -> Vec<OfficeView> {
        let view = |(at, office): (usize, &Office)| {
            let of_firm = (at == 0).then_some(contact);
            let own = office.telephone.as_ref().map(|number| (number, contract::text::telephone::group_digits(number)));
            let telephone = own.or_else(|| of_firm.map(|firm| (&firm.telephone, telephone_display(firm))));
            let hours = office.hours.as_ref().or_else(|| of_firm?.hours.as_ref());
            let directions = office.directions.as_ref().or_else(|| of_firm?.directions.as_ref());
            let [vcard_path, vcard_old_path] = card_paths(&office_path(self.contact_page(), office));
            OfficeView {
                key: office.key.clone(),
                name: office.name.clone(),
                address: office.address.clone(),
                areas_served: office.areas_served.clone(),
                telephone: telephone.as_ref().map(|(number, _)| (*number).clone()),
                telephone_display: telephone.map(|(_, display)| display),
                email: office.email.as_ref().map(ToString::to_string),
                hours: hours.map(|hours| self.hours_view(hours)),
                directions: directions.map(ToString::to_string),
                vcard_path,
                vcard_old_path,
            }
        };
        contact.offices.iter().enumerate().map(view).collect()
    }

    fn hours_view(&self, hours: &OpeningHours) -> HoursView {
        HoursView {
            days: Some(self.language.weekdays(hours.days.iter().map(String::as_str))).filter(|days| !days.is_empty()),
            opens: hours.opens.as_ref().map(|time| self.language.time(time)),
            closes: hours.closes.as_ref().map(|time| self.language.time(time)),
            time_zone: hours.time_zone.as_ref().map(|zone| self.language.time_zone(zone)),
        }
    }

    pub(super) fn day_names(&self, days: &[String]) -> Vec<String> {
        days.iter().map(|day| self.language.weekday(day).unwrap_or(day).to_owned()).collect()
    }
}

fn telephone_display(contact: &Contact) -> String {
    contact.telephone_display.clone().unwrap_or_else(|| contract::text::telephone::group_digits(&contact.telephone))
}

fn link(site: &Site, title: &str, path: &str) -> LinkView {
    LinkView { title: title.to_owned(), path: path.to_owned(), url: site.absolute(path), lang: None }
}
