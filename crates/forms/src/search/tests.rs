use std::collections::BTreeMap;

use bytes::Bytes;
use citations::Laws;
use contract::{
    Locale, PerLocale,
    forms::search::{SearchContact, SearchFacts, SearchText, SearchWords},
};
use search::{Builder, Index, IndexedDocument};

use super::{SearchAnswer, SearchPage};

fn words() -> SearchWords {
    let word = |text: &str| text.to_owned();
    SearchWords {
        site_url: word("https://firm.example"),
        path: word("/en/search"),
        months: (1..=12).map(|number| format!("M{number}")).collect(),
        kinds: BTreeMap::from([(word("publication"), word("Article")), (word("person"), word("Person"))]),
        subjects: BTreeMap::from([(word("tax"), word("Tax"))]),
        text: SearchText {
            found: word("{total} for “{query}”"),
            found_one: word("One for “{query}”"),
            found_most: word("Best {total} for “{query}”"),
            nothing: word("Nothing for “{query}”"),
            attempts: vec![word("Try other words.")],
            did_you_mean: word("Did you mean"),
            ask: word("Ask"),
            bad: word("No such page of results."),
            too_many: word("Wait a minute."),
            as_of: word("Law as of {date}"),
            in_other: word("in Turkish"),
            filters: word("Narrow down"),
            kind: word("Kind"),
            subject: word("Subject"),
            year: word("Year"),
            all: word("All"),
            previous: word("Previous"),
            next: word("Next"),
            page: word("Page {page} of {pages}"),
        },
        contact: SearchContact { name: word("Firm"), path: word("/en/contact"), ..SearchContact::default() },
    }
}

fn page() -> SearchPage {
    let parts = [
        ("forms/search", Bytes::from("<input value=\"{{=query}}\">{{=results}}")),
        ("forms/search-twin", Bytes::from("# Search\n\n{{=results}}\n")),
        ("forms/search-words", Bytes::from(serde_json::to_vec(&words()).unwrap())),
    ];
    let part = |name: &str, _: Locale| parts.iter().find(|(known, _)| *known == name).map(|(_, bytes)| bytes);
    SearchPage::load(Locale::En, &part).unwrap().unwrap()
}

fn indexes() -> PerLocale<Option<Index>> {
    let mut builder = Builder::new(Locale::En);
    let contact = SearchContact {
        email: Some("ada@firm.example".to_owned()),
        telephone: Some("+902125550101".to_owned()),
        ..SearchContact::default()
    };
    let of_person = serde_json::to_string(&SearchFacts { contact: Some(contact), ..SearchFacts::default() }).unwrap();
    builder.add(&IndexedDocument {
        id: "/en/ada",
        title: "Ada <Tax>",
        url: "https://firm.example/en/ada",
        kind: "person",
        body: "Ada works on tax & customs.",
        facts: &of_person,
        ..IndexedDocument::default()
    });
    for number in 0..45 {
        let id = format!("/en/p/{number:02}");
        let facts = SearchFacts {
            as_of: Some("2026-03-05".to_owned()),
            year: Some(format!("{}", 2020 + number % 3)),
            subjects: vec!["tax".to_owned()],
            contact: None,
            ..SearchFacts::default()
        };
        let facts = serde_json::to_string(&facts).unwrap();
        builder.add(&IndexedDocument {
            id: &id,
            title: "On duties",
            url: &id,
            kind: "publication",
            body: "12. madde: *tax* is due.",
            facts: &facts,
            ..IndexedDocument::default()
        });
    }
    let mut turkish = Builder::new(Locale::Tr);
    turkish.add(&IndexedDocument {
        id: "/tr/gumruk",
        title: "Gümrük",
        url: "https://firm.example/tr/gumruk",
        kind: "publication",
        summary: "Yalnız Türkçe.",
        body: "Gümrük vergisi.",
        ..IndexedDocument::default()
    });
    builder.add(&IndexedDocument { id: "/tr/gumruk", headings: &["customs"], ..IndexedDocument::default() });
    let index = |builder: Builder| Some(Index::parse(Bytes::from(builder.build())).unwrap());
    PerLocale { en: index(builder), tr: index(turkish) }
}

fn html(address: &str) -> SearchAnswer {
    page().answer((&indexes(), &Laws::default()), address, false)
}

#[test]
fn results_have_a_total_filters_and_further_pages() {
    let SearchAnswer { body, is_bad, .. } = html("q=tax&page=2");
    assert!(!is_bad);
    for part in [
        "value=\"tax\"",
        "46 for “tax”",
        "start=\"21\"",
        "<mark>tax</mark>",
        "Article · Law as of 5 M3 2026",
        "Page 2 of 3",
        "rel=\"prev\" href=\"/en/search?q=tax\"",
        "rel=\"next\" href=\"/en/search?q=tax&amp;page=3\"",
        "<a href=\"/en/search?q=tax&amp;kind=publication\">Article (45)</a>",
        "<a href=\"/en/search?q=tax&amp;year=2021\">2021 (15)</a>",
    ] {
        assert!(body.contains(part), "{part} in {body}");
    }
    let narrowed = html("q=tax&kind=person").body;
    for part in ["One for “tax”", "Ada &lt;Tax&gt;", "mailto:ada@firm.example", "tel:+902125550101", ">All</a>"] {
        assert!(narrowed.contains(part), "{part} in {narrowed}");
    }
}

#[test]
fn page_that_exists_in_the_other_language_only_is_marked() {
    let body = html("q=customs").body;
    assert!(body.contains("<a lang=\"tr\" hreflang=\"tr\" href=\"/tr/gumruk\">Gümrük</a>"), "{body}");
    assert!(body.contains("in Turkish"));
}

#[test]
fn markdown_has_the_results_of_the_page() {
    let twin = page().answer((&indexes(), &Laws::default()), "q=tax+customs", true).body;
    for part in [
        "# Search",
        "[Ada \\<Tax\\>](https://firm.example/en/ada) · Person",
        "**tax** \\& **customs**",
        "[ada@firm.example](mailto:ada@firm.example)",
    ] {
        assert!(twin.contains(part), "{part} in {twin}");
    }
    let twin = page().answer((&indexes(), &Laws::default()), "q=customs", true).body;
    let other = "[Gümrük](https://firm.example/tr/gumruk) · Article · in Turkish";
    assert!(twin.contains(other), "{other} in {twin}");
    let twin = page().answer((&indexes(), &Laws::default()), "q=tax", true).body;
    assert!(twin.contains("   12\\. madde: \\***tax**\\* is due."), "{twin}");
}

#[test]
fn address_with_an_unknown_value_is_bad() {
    for bad in [
        "q=tax&page=0",
        "q=tax&page=x",
        "q=tax&page=99999999999999999999999",
        "q=tax&page=4",
        "q=tax&year=20x6",
        "q=tax&kind=nonsense",
        "q=tax&subject=nonsense",
        "q=a&q=b",
        "kind=nonsense",
    ] {
        let SearchAnswer { body, is_bad, .. } = html(bad);
        assert!(is_bad && body.contains("No such page of results."), "{bad}");
    }
}

#[test]
fn empty_query_returns_the_page_of_the_build() {
    for empty in ["", "q=", "q=+%20", "utm_source=x", "q=%E2%80%8F%E2%80%AE", "kind=person"] {
        assert!(!page().has_query(empty), "{empty}");
    }
}

#[test]
fn hostile_words_do_no_harm() {
    let long = format!("q={}", "%C5%9F".repeat(10_000));
    for hostile in [
        "q=%3Cscript%3Ealert(1)%3C/script%3E",
        "q=%22%20onfocus=%22x",
        "q=!!!???",
        "q=%E6%BC%A2%E5%AD%97",
        "q=%FF%FE",
        "q=%E2%80%AEtax",
        "q={query}{total}",
        "q=[x](javascript:1)",
        &long,
    ] {
        let SearchAnswer { body, is_bad, .. } = html(hostile);
        assert!(
            !is_bad && !body.contains("<script") && !body.contains("\" onfocus") && !body.contains('\u{202e}'),
            "{body}"
        );
        assert!(body.chars().count() < 12_000, "a query is cut");
        let twin = page().answer((&indexes(), &Laws::default()), hostile, true).body;
        assert!(!twin.contains("[x]"), "{twin}");
    }
    let body = html("q=xqzw").body;
    assert!(body.contains("Nothing for “xqzw”") && body.contains("Try other words.") && body.contains("/en/contact"));
    assert!(html("q=customss").body.contains("Did you mean <a href=\"/en/search?q=customs\">customs</a>"));
}
