//! Reads the fields of each kind of entry, as docs/editors.md lists them.

use contract::{Locale, mcp::NetworkRelation, text::Slug};
use findings::{Code, Finding, Span, messages};

use super::{
    AreaFacts, ArticleFacts, AssociateFacts, At, Change, ContactFacts, Facts, Head, Kind, Lost, MemberFacts, PageKind,
    fields::Fields,
    hours::hours,
    offices,
    review::review,
    types::{self, Field},
    values::{LINE, SENTENCES},
    yaml,
};

/// Maximum number of authors of a publication, and of its tags. The page shows all of them at its top.
const MAX_AUTHORS: usize = 20;
const MAX_TAGS: usize = 20;
/// Maximum number of changes of a publication: its page shows all of them.
const MAX_CHANGES: usize = 50;
/// The longest tag, in characters.
const TAG: usize = 60;

/// The fields of an entry's file, with findings.
#[derive(Debug, Default)]
pub struct EntryFields {
    pub head: Head,
    /// `None` if the front matter could not be read at all.
    pub facts: Option<Facts>,
    pub lost: Lost,
    pub findings: Vec<Finding>,
}

pub fn read_facts((kind, key, locale): (Kind, &str, Locale), fields: &str, file: &str) -> EntryFields {
    let (pairs, mut findings) = yaml::parse(fields, file, 2);
    let Some(pairs) = pairs else { return EntryFields { findings, lost: Lost::All, ..EntryFields::default() } };
    let mut fields = Fields::new(file, Span::START, &pairs);
    let (head, facts) = entry(&mut fields, (kind, key, locale));
    let (more, failed) = fields.finish();
    findings.extend(more);
    EntryFields { head, facts: Some(facts), lost: Lost::of(failed), findings }
}

/// Returns the fields that the front matter of a kind may have.
pub fn fields_of(kind: Kind) -> Vec<Field> {
    let of = |key: &str| Fields::table(|fields| drop(entry(fields, (kind, key, Locale::DEFAULT))));
    // Front matter does not state its page, and the home page lacks fields that other pages require.
    let home = of("home");
    let is_required = |field: &Field| field.is_required && home.iter().any(|other| other.name == field.name);
    of("").into_iter().map(|field| Field { is_required: is_required(&field), ..field }).collect()
}

fn entry(fields: &mut Fields, (kind, key, locale): (Kind, &str, Locale)) -> (Head, Facts) {
    let (mut head, facts) = match kind {
        Kind::PracticeAreas => practice_area(fields, locale),
        Kind::Team => team_member(fields, locale),
        Kind::Publications => publication(fields, locale),
        Kind::Network => network_firm(fields),
        Kind::Contact => contact(fields),
        Kind::Pages => page(fields, key, locale),
    };
    head.reviewed = fields.optional("reviewed", &review());
    (head, facts)
}

fn practice_area(fields: &mut Fields, locale: Locale) -> (Head, Facts) {
    let head = Head {
        title: fields.required("name", &types::text(LINE)),
        slug: fields.required("slug", &types::slug(locale)),
        description: fields.required("summary", &types::text(SENTENCES)),
        updated: fields.day("updated"),
        aliases: aliases(fields, locale),
        ..Head::default()
    };
    (head, Facts::Area(AreaFacts { order: fields.optional("order", &types::integer()) }))
}

fn team_member(fields: &mut Fields, locale: Locale) -> (Head, Facts) {
    let head = Head {
        title: fields.optional("name", &types::text(LINE)),
        slug: fields.optional("slug", &types::slug(locale)),
        description: fields.required("summary", &types::text(SENTENCES)),
        updated: fields.day("updated"),
        aliases: aliases(fields, locale),
        ..Head::default()
    };
    let facts = MemberFacts {
        order: fields.optional("order", &types::integer()),
        title: fields.required("title", &types::text(LINE)),
        name_language: fields.optional("name_language", &types::language()),
        email: fields.optional("email", &types::email_address()),
        telephone: fields.optional("telephone", &types::telephone()),
        linkedin: fields.optional("linkedin", &types::uri()),
        bar: fields.optional("bar", &types::text(LINE)),
        languages: fields.list("languages", &types::language()),
        practice_areas: fields.list("practice_areas", &types::key()),
        portrait: fields.optional("portrait", &types::file_name()),
        portrait_alt: fields.optional("portrait_alt", &types::text(SENTENCES)),
        portrait_focus: fields.optional("portrait_focus", &types::focus()),
    };
    (head, Facts::Member(Box::new(facts)))
}

fn publication(fields: &mut Fields, locale: Locale) -> (Head, Facts) {
    let head = Head {
        title: fields.required("title", &types::text(LINE)),
        slug: fields.required("slug", &types::slug(locale)),
        description: fields.optional("excerpt", &types::text(SENTENCES)),
        updated: fields.day("updated"),
        aliases: aliases(fields, locale),
        ..Head::default()
    };
    let facts = ArticleFacts {
        date: fields.day("date"),
        author: fields.optional("author", &types::author()),
        authors: fields.short_list("authors", MAX_AUTHORS, &types::key()),
        category: fields.optional("category", &types::text(LINE)),
        tags: fields.short_list("tags", MAX_TAGS, &types::text(TAG)),
        draft: fields.optional("draft", &types::boolean()),
        publish: fields.optional("publish", &types::moment()),
        expires: fields.optional("expires", &types::moment()),
        changes: changes(fields),
    };
    (head, Facts::Article(Box::new(facts)))
}

fn changes(fields: &mut Fields) -> Vec<Change> {
    let groups = fields.groups("changes", Some(MAX_CHANGES), |change| Change {
        date: change.required_day("date"),
        text: change.required("text", &types::text(SENTENCES)),
    });
    if let Some(first) = groups.get(MAX_CHANGES) {
        let finding = fields.finding(Code::TOO_LONG, first.span, messages::changes_too_many(groups.len(), MAX_CHANGES));
        fields.report(finding);
    }
    groups.into_iter().map(|group| group.value).collect()
}

fn network_firm(fields: &mut Fields) -> (Head, Facts) {
    let head = Head { title: fields.optional("name", &types::text(LINE)), ..Head::default() };
    let facts = AssociateFacts {
        country: fields.optional("country", &types::country()),
        city: fields.required("city", &types::text(LINE)),
        relation: fields.optional("relation", &types::one_of(&NetworkRelation::NAMED)),
        network: fields.optional("network", &types::text(LINE)),
        url: fields.optional("url", &types::uri()),
    };
    (head, Facts::Associate(Box::new(facts)))
}

fn contact(fields: &mut Fields) -> (Head, Facts) {
    let head = Head { description: fields.required("description", &types::text(SENTENCES)), ..Head::default() };
    let facts = ContactFacts {
        email: fields.optional("email", &types::email_address()),
        telephone: fields.optional("telephone", &types::telephone()),
        telephone_display: fields.optional("telephone_display", &types::text(LINE)),
        address: fields.optional("address", &types::text(LINE)),
        offices: offices::offices(fields),
        directions: fields.optional("directions", &types::uri()),
        linkedin: fields.optional("linkedin", &types::uri()),
        hours: hours(fields),
        languages: fields.list("languages", &types::language()),
    };
    (head, Facts::Contact(Box::new(facts)))
}

fn page(fields: &mut Fields, key: &str, locale: Locale) -> (Head, Facts) {
    let title = fields.required("title", &types::text(LINE));
    let (slug, former) = if PageKind::of(key).has_slug() {
        (fields.required("slug", &types::slug(locale)), aliases(fields, locale))
    } else {
        for name in ["slug", "aliases"] {
            let (message, help) = (messages::page_without_own_address(key), messages::field_removal_help());
            fields.refuse(name, Code::FIELD_NOT_HERE, message, help);
        }
        (None, Vec::new())
    };
    let head = Head {
        title,
        slug,
        description: fields.required("description", &types::text(SENTENCES)),
        updated: fields.day("updated"),
        aliases: former,
        ..Head::default()
    };
    (head, Facts::Page)
}

fn aliases(fields: &mut Fields, locale: Locale) -> Vec<At<Slug>> {
    fields.list("aliases", &types::slug(locale)).map(|list| list.value).unwrap_or_default()
}
