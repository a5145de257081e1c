//! The fields of each kind of entry, as docs/editors.md lists them.

use contract::{Locale, mcp::NetworkRelation, text::Slug};

use super::{
    AreaFacts, ArticleFacts, AssociateFacts, At, ContactFacts, Facts, Head, Hours, Kind, Lost, MemberFacts, PageKind,
    boolean,
    fields::Fields,
    offices, times,
    values::{self, LINE, SENTENCES},
    web_addresses, yaml,
};
use crate::{
    diagnostic::{Code, Finding, Span},
    messages,
};

/// Maximum number of authors of a publication, and of its tags. A page names all of them at its top.
const MAX_AUTHORS: usize = 20;
const MAX_TAGS: usize = 20;
/// The longest tag, in characters.
const TAG: usize = 60;

/// What the front matter of a file says.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    pub(crate) head: Head,
    /// `None` if the front matter could not be read at all.
    pub(crate) facts: Option<Facts>,
    pub(crate) lost: Lost,
    pub(crate) findings: Vec<Finding>,
}

/// Reads the fields of an entry's file.
pub(crate) fn read_facts((kind, key, locale): (Kind, &str, Locale), fields: &str, file: &str) -> Reading {
    let (pairs, mut findings) = yaml::parse(fields, file, 2);
    let Some(pairs) = pairs else { return Reading { findings, lost: Lost::All, ..Reading::default() } };
    let mut fields = Fields::new(file, Span::START, &pairs);
    let (head, facts) = match kind {
        Kind::PracticeAreas => practice_area(&mut fields, locale),
        Kind::Team => team_member(&mut fields, locale),
        Kind::Publications => publication(&mut fields, locale),
        Kind::Network => network_firm(&mut fields),
        Kind::Contact => contact(&mut fields),
        Kind::Pages => page(&mut fields, key, locale),
    };
    let (more, failed) = fields.finish();
    findings.extend(more);
    Reading { head, facts: Some(facts), lost: Lost::of(failed), findings }
}

fn practice_area(fields: &mut Fields, locale: Locale) -> (Head, Facts) {
    let head = Head {
        title: fields.required("name", values::text(LINE)),
        slug: fields.required("slug", values::slug(locale)),
        description: fields.required("summary", values::text(SENTENCES)),
        updated: fields.day("updated"),
        aliases: aliases(fields, locale),
    };
    (head, Facts::Area(AreaFacts { order: fields.optional("order", values::integer) }))
}

fn team_member(fields: &mut Fields, locale: Locale) -> (Head, Facts) {
    let head = Head {
        title: fields.optional("name", values::text(LINE)),
        slug: fields.optional("slug", values::slug(locale)),
        description: fields.required("summary", values::text(SENTENCES)),
        updated: fields.day("updated"),
        aliases: aliases(fields, locale),
    };
    let facts = MemberFacts {
        order: fields.optional("order", values::integer),
        title: fields.required("title", values::text(LINE)),
        email: fields.optional("email", values::email),
        telephone: fields.optional("telephone", values::telephone),
        linkedin: fields.optional("linkedin", web_addresses::uri),
        bar: fields.optional("bar", values::text(LINE)),
        languages: fields.list("languages", values::language),
        practice_areas: fields.list("practice_areas", values::key),
        portrait: fields.optional("portrait", values::file_name),
        portrait_alt: fields.optional("portrait_alt", values::text(SENTENCES)),
        portrait_focus: fields.optional("portrait_focus", values::focus),
    };
    (head, Facts::Member(Box::new(facts)))
}

fn publication(fields: &mut Fields, locale: Locale) -> (Head, Facts) {
    let head = Head {
        title: fields.required("title", values::text(LINE)),
        slug: fields.required("slug", values::slug(locale)),
        description: fields.optional("excerpt", values::text(SENTENCES)),
        updated: fields.day("updated"),
        aliases: aliases(fields, locale),
    };
    let facts = ArticleFacts {
        date: fields.day("date"),
        author: fields.optional("author", values::author),
        authors: fields.short_list("authors", MAX_AUTHORS, values::key),
        category: fields.optional("category", values::text(LINE)),
        tags: fields.short_list("tags", MAX_TAGS, values::text(TAG)),
        draft: fields.optional("draft", boolean::boolean),
        publish: fields.optional("publish", times::moment),
        expires: fields.optional("expires", times::moment),
    };
    (head, Facts::Article(Box::new(facts)))
}

fn network_firm(fields: &mut Fields) -> (Head, Facts) {
    let head = Head { title: fields.optional("name", values::text(LINE)), ..Head::default() };
    let facts = AssociateFacts {
        country: fields.optional("country", values::country),
        city: fields.required("city", values::text(LINE)),
        relation: fields.optional("relation", values::one_of(&NetworkRelation::NAMED)),
        network: fields.optional("network", values::text(LINE)),
        url: fields.optional("url", web_addresses::uri),
    };
    (head, Facts::Associate(Box::new(facts)))
}

fn contact(fields: &mut Fields) -> (Head, Facts) {
    let head = Head { description: fields.required("description", values::text(SENTENCES)), ..Head::default() };
    let facts = ContactFacts {
        email: fields.optional("email", values::email),
        telephone: fields.optional("telephone", values::telephone),
        telephone_display: fields.optional("telephone_display", values::text(LINE)),
        address: fields.optional("address", values::text(LINE)),
        offices: offices::offices(fields),
        directions: fields.optional("directions", web_addresses::uri),
        linkedin: fields.optional("linkedin", web_addresses::uri),
        hours: hours(fields),
        languages: fields.list("languages", values::language),
    };
    (head, Facts::Contact(Box::new(facts)))
}

fn page(fields: &mut Fields, key: &str, locale: Locale) -> (Head, Facts) {
    let title = fields.required("title", values::text(LINE));
    let (slug, former) = if PageKind::of(key).has_slug() {
        (fields.required("slug", values::slug(locale)), aliases(fields, locale))
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
        description: fields.required("description", values::text(SENTENCES)),
        updated: fields.day("updated"),
        aliases: former,
    };
    (head, Facts::Page)
}

fn aliases(fields: &mut Fields, locale: Locale) -> Vec<At<Slug>> {
    fields.list("aliases", values::slug(locale)).map(|list| list.value).unwrap_or_default()
}

pub(super) fn hours(fields: &mut Fields) -> Option<At<Hours>> {
    let days = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"].map(|day| (day, day));
    let group = fields.group("hours", |hours| {
        let list = hours.list("days", values::one_of(&days));
        let opens = hours.optional("opens", times::time);
        let closes = hours.optional("closes", times::time);
        let time_zone = hours.optional("time_zone", values::time_zone);
        if let (Some(opens), Some(closes)) = (&opens, &closes)
            && opens.value >= closes.value
        {
            let message = messages::hours_reversed(&closes.value, &opens.value);
            hours.find(hours.finding(Code::HOURS_ORDER, closes.span, message));
        }
        let days = list.map(|list| list.value.into_iter().map(|day| day.value.to_owned()).collect());
        let [opens, closes, time_zone] = [opens, closes, time_zone].map(|field| field.map(|field| field.value));
        Hours { days: days.unwrap_or_default(), opens, closes, time_zone }
    })?;
    // A field that is refused or misspelt has been reported; keeping the rest would also report a difference from the
    // other language's hours. An empty group says no more than none.
    let is_whole = group.failed.is_empty() && group.value != Hours::default();
    is_whole.then(|| At::new(group.value, group.span))
}
