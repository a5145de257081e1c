//! Filters of the list tools.

use std::collections::BTreeSet;

use citations::Cited;
use contract::{
    Locale, PerLocale,
    mcp::{
        Choice, Filter, ToolKind,
        arguments::{AUTHOR, CATEGORY, CITES, COUNTRY, LANGUAGE, PRACTICE_AREA, YEAR},
    },
    routes,
};

use site::Document;

use crate::shared::Shared;

/// Filter keys of each item of a list, in both languages.
type ItemKeys<'a> = PerLocale<Vec<Vec<&'a str>>>;

pub(super) fn of(kind: ToolKind, shared: &PerLocale<Shared>) -> Vec<Filter> {
    let content = |locale: Locale| shared[locale].content;
    let area = |key: &str, name: fn(&Shared, &str) -> Option<String>| {
        PerLocale::build(|locale| name(&shared[locale], key).unwrap_or_else(|| key.to_owned()))
    };
    match kind {
        ToolKind::Resource(routes::TEAM) => {
            let people = |locale| content(locale).team.iter();
            let areas = PerLocale::build(|locale| people(locale).map(|it| strings(&it.practice_areas)).collect());
            let languages = PerLocale::build(|locale| people(locale).map(|it| strings(&it.languages)).collect());
            vec![
                filter(PRACTICE_AREA, &areas, |key| Choice {
                    name: area(key, area_name),
                    others: vec![key.to_owned()],
                }),
                filter(LANGUAGE, &languages, |code| Choice {
                    name: area(code, |shared, code| shared.language_names(&[code.to_owned()]).pop()),
                    others: vec![code.to_owned()],
                }),
            ]
        }
        ToolKind::Resource(routes::PUBLICATIONS) => {
            let articles = |locale| content(locale).publications.iter();
            let categories = PerLocale::build(|locale| {
                articles(locale).map(|it| it.category.as_deref().into_iter().collect()).collect()
            });
            let years = PerLocale::build(|locale| {
                articles(locale).map(|it| it.date.iter().filter_map(|date| date.as_str().get(..4)).collect()).collect()
            });
            let cited_laws =
                PerLocale::build(|locale| articles(locale).map(|it| cited_keys(&it.document)).collect::<Vec<_>>());
            let cites = PerLocale::build(|locale| cited_laws[locale].iter().map(|keys| strings(keys)).collect());
            let authors = PerLocale::build(|locale| articles(locale).map(|it| strings(&it.authors)).collect());
            vec![
                filter(CATEGORY, &categories, |key| category(shared, key)),
                filter(YEAR, &years, |year| Choice { name: PerLocale::build(|_| year.to_owned()), others: Vec::new() }),
                filter(AUTHOR, &authors, |key| Choice { name: area(key, person_name), others: vec![key.to_owned()] }),
                filter(CITES, &cites, |key| Choice { name: PerLocale::build(|_| key.to_owned()), others: Vec::new() }),
            ]
        }
        ToolKind::Network => {
            let countries = PerLocale::build(|locale| {
                let firms = content(locale).network.chunk_by(|one, other| one.country == other.country);
                firms.map(|firms| vec![firms[0].country.as_str()]).collect()
            });
            vec![filter(COUNTRY, &countries, |code| Choice {
                name: area(code, country_name),
                others: vec![code.to_owned()],
            })]
        }
        _ => Vec::new(),
    }
}

fn strings(keys: &[String]) -> Vec<&str> {
    keys.iter().map(String::as_str).collect()
}

/// Returns the laws that a text cites, and their articles one by one.
fn cited_keys(document: &Document) -> Vec<String> {
    let mut keys = BTreeSet::new();
    for cited in &document.cites {
        if let Cited::Article(law, article) = cited {
            keys.extend(article.each().map(|article| format!("{law}/{article}")));
        }
        keys.extend(cited.law().map(str::to_owned));
    }
    keys.into_iter().collect()
}

fn area_name(shared: &Shared, key: &str) -> Option<String> {
    shared.content.practice_area(key).map(|area| area.document.title.clone())
}

fn person_name(shared: &Shared, key: &str) -> Option<String> {
    let person = shared.content.team.iter().find(|person| person.document.key == key)?;
    Some(person.document.title.clone())
}

fn country_name(shared: &Shared, code: &str) -> Option<String> {
    let firm = shared.content.network.iter().find(|firm| firm.country == code)?;
    Some(firm.country_name.clone())
}

/// Returns the choice of a category, which the name of its practice area selects too.
fn category(shared: &PerLocale<Shared>, key: &str) -> Choice {
    let here = &shared[Locale::DEFAULT];
    let known = here.site.settings.categories.iter().find(|category| category.key == key);
    let name = known.map_or_else(|| PerLocale::build(|_| key.to_owned()), |category| category.name.clone());
    let area = known.and_then(|category| category.practice_area.as_deref());
    let names = Locale::ALL.into_iter().filter_map(|locale| area_name(&shared[locale], area?));
    Choice { name, others: names.chain([key.to_owned()]).collect() }
}

fn filter(name: &str, keys: &ItemKeys<'_>, choice: impl Fn(&str) -> Choice) -> Filter {
    let all: BTreeSet<&str> = keys.iter().flat_map(|(_, items)| items.iter().flatten().copied()).collect();
    let all: Vec<&str> = all.into_iter().collect();
    let number = |key: &&str| all.binary_search(key).ok().and_then(|at| u32::try_from(at).ok());
    let items =
        PerLocale::build(|locale| keys[locale].iter().map(|keys| keys.iter().filter_map(number).collect()).collect());
    Filter { name: name.to_owned(), choices: all.iter().map(|key| choice(key)).collect(), items }
}
