//! Specification, "Resources and their fields": the answers of the content API, field by field.

use std::{collections::BTreeSet, fs};

use contract::{
    Locale,
    resources::{ContactResponse, HealthResponse, List, PracticeArea, Publication, TeamMember},
    routes,
};
use serde_json::{Value, json};
use tests::{BuiltFirm, Service, build, content_of, copy_folder, demonstration, fixture};

fn answer(service: &Service, path: &str, locale: Locale) -> Value {
    let reply = service.get(&format!("{path}?locale={locale}"), &[]);
    assert_eq!(reply.status, 200, "{path}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    reply.json()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Asserts that every member is required or optional, and that no optional one is null or empty.
pub(crate) fn has_exactly(value: &Value, required: &[&str], optional: &[&str]) {
    let present = keys(value);
    for name in required {
        assert!(present.contains(name), "{name} is missing in {value}");
    }
    for name in present {
        assert!(required.contains(&name) || optional.contains(&name), "{name} is not a field: {value}");
        let is_empty = value[name].is_null() || value[name] == "" || value[name] == Value::Array(Vec::new());
        assert!(!is_empty, "{name} is empty instead of absent");
    }
}

#[test]
fn list_has_firm_locale_count_and_items() {
    let service = demonstration();
    for path in [routes::PRACTICE_AREAS, routes::TEAM, routes::PUBLICATIONS] {
        for locale in Locale::ALL {
            let list = answer(&service, path, locale);
            has_exactly(&list, &["firm", "locale", "count", "items"], &[]);
            assert_eq!(list["locale"], locale.as_str());
            assert_eq!(list["count"], list["items"].as_array().unwrap().len());
            assert!(list["count"].as_u64().unwrap() > 0);
        }
    }
}

#[test]
fn practice_area_has_name_slug_url_and_summary() {
    let list = answer(&demonstration(), routes::PRACTICE_AREAS, Locale::Tr);
    for item in list["items"].as_array().unwrap() {
        has_exactly(item, &["name", "slug", "url", "summary"], &[]);
    }
    let typed: List<PracticeArea> = serde_json::from_value(list).unwrap();
    assert!(typed.count >= 12);
}

#[test]
fn team_member_has_name_title_slug_and_url_and_may_have_email_and_linkedin() {
    let list = answer(&demonstration(), routes::TEAM, Locale::En);
    for item in list["items"].as_array().unwrap() {
        has_exactly(item, &["name", "title", "slug", "url"], &["email", "linkedin"]);
    }
    let items = list["items"].as_array().unwrap();
    assert!(items.iter().any(|item| keys(item).len() == 4), "one with no optional field");
    assert!(items.iter().any(|item| keys(item).len() == 6), "one with every optional field");
    let typed: List<TeamMember> = serde_json::from_value(list.clone()).unwrap();
    assert!(typed.count >= 12);
}

#[test]
fn publication_has_title_slug_and_url_and_may_have_the_rest() {
    let service = demonstration();
    for locale in Locale::ALL {
        let list = answer(&service, routes::PUBLICATIONS, locale);
        let items = list["items"].as_array().unwrap();
        for item in items {
            has_exactly(item, &["title", "slug", "url"], &["excerpt", "date", "author", "category"]);
        }
        assert!(items.iter().any(|item| keys(item).len() == 3), "one with no optional field in {locale}");
        assert!(items.iter().any(|item| keys(item).len() == 7), "one with every optional field in {locale}");
        let typed: List<Publication> = serde_json::from_value(list.clone()).unwrap();
        let dates: Vec<_> = typed.items.iter().map(|item| item.date.clone()).collect();
        let mut newest_first = dates.clone();
        newest_first.sort_by(|one, other| other.cmp(one));
        assert_eq!(dates, newest_first, "newest first, undated last");
    }
}

#[test]
fn locales_share_areas_and_people_but_not_publications() {
    let service = demonstration();
    let count = |path: &str, locale| answer(&service, path, locale)["count"].clone();
    for path in [routes::PRACTICE_AREAS, routes::TEAM] {
        assert_eq!(count(path, Locale::En), count(path, Locale::Tr));
    }
    let [english, turkish] =
        [Locale::En, Locale::Tr].map(|locale| count(routes::PUBLICATIONS, locale).as_u64().unwrap());
    assert!(turkish >= 30 && turkish > english, "some are in Turkish only: {turkish}, {english} in English");
}

#[test]
fn demonstration_has_every_kind_of_content_in_both_languages() {
    let service = demonstration();
    for locale in Locale::ALL {
        let list = answer(&service, routes::PUBLICATIONS, locale);
        let url = |item: &Value| item["url"].as_str().unwrap().strip_prefix(tests::SITE_URL).unwrap().to_owned();
        let twins = list["items"].as_array().unwrap().iter().map(|item| service.get(&format!("{}.md", url(item)), &[]));
        // Skip the footer, which contains a list.
        let texts: Vec<_> = twins.map(|twin| twin.text().rsplit_once("\n---\n").unwrap().0.to_owned()).collect();
        let has = |what: &str, of: &dyn Fn(&str) -> bool| {
            let found = texts.iter().filter(|text| text.lines().any(of)).count();
            assert!(found >= 3, "{what} in {found} publications in {locale}");
        };
        has("footnotes", &|line| line.starts_with("[^") && line.contains("]: "));
        has("tables", &|line| line.starts_with('|') && line.contains("---") && line.ends_with('|'));
        has("numbered lists", &|line| line.starts_with("1. "));
        has("lists", &|line| line.starts_with("- ") && !line.starts_with("- ["));
        has("quotations", &|line| line.starts_with("> "));
        has("pictures and what they show", &|line| line.starts_with("![") && !line.starts_with("![]"));
        let network = if locale == Locale::En { "/en/global-network.md" } else { "/tr/kuresel-ag.md" };
        let network = service.get(network, &[]).text();
        let firms = network.lines().filter(|line| line.starts_with("### ")).count();
        let countries = network.lines().filter(|line| line.starts_with("## ")).count();
        // One heading precedes the links at the end of every page.
        assert!(firms >= 10 && countries > 10, "{firms} firms in {countries} countries in {locale}");
    }
}

#[test]
fn every_url_is_absolute_and_answers_with_the_page_in_that_language() {
    let service = fixture();
    for path in [routes::PRACTICE_AREAS, routes::TEAM, routes::PUBLICATIONS] {
        for locale in Locale::ALL {
            for item in answer(&service, path, locale)["items"].as_array().unwrap() {
                let url = item["url"].as_str().unwrap();
                let page = url.strip_prefix(tests::SITE_URL).expect("an address of this site");
                let reply = service.get(page, &[]);
                assert_eq!(reply.status, 200, "{url}");
                assert_eq!(reply.header("content-language"), Some(locale.as_str()));
                assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
                assert!(page.ends_with(item["slug"].as_str().unwrap()));
            }
        }
    }
}

#[test]
fn contact_has_the_fields_of_the_specification() {
    let service = demonstration();
    for locale in Locale::ALL {
        let contact = answer(&service, routes::CONTACT, locale);
        has_exactly(
            &contact,
            &["firm", "description", "email", "telephone", "address", "urls"],
            &["telephoneDisplay", "directionsUrl", "linkedinUrl", "hours", "languages"],
        );
        has_exactly(&contact["hours"], &[], &["days", "opens", "closes", "timeZone"]);
        assert_eq!(contact["hours"]["timeZone"], "Europe/Istanbul");
        let typed: ContactResponse = serde_json::from_value(contact).unwrap();
        assert!(typed.telephone.starts_with("+90"));
        assert!(typed.languages.unwrap().len() > 1);
    }
    let turkish = answer(&service, routes::CONTACT, Locale::Tr);
    assert_eq!(turkish["hours"]["days"][0], "Pazartesi");
}

/// Builds the small firm with `hours` as office hours.
fn open_at(hours: &str) -> BuiltFirm {
    let content = tempfile::tempdir().unwrap();
    copy_folder(&content_of("firm"), content.path());
    let file = content.path().join("contact/en.md");
    let text = fs::read_to_string(&file).unwrap();
    let line = text.lines().find(|line| line.starts_with("hours: ")).unwrap();
    fs::write(&file, text.replace(line, hours)).unwrap();
    build(content.path())
}

#[test]
fn office_hours_are_returned_as_far_as_they_are_set() {
    let (opens, closes) =
        ("<span class=\"nobreak\">opens at 09:00</span>", "<span class=\"nobreak\">kapanış 18.00</span>");
    let both = "<span class=\"nobreak\">09:00–18:00</span>";
    let zone = "<span class=\"muted\">Istanbul time (UTC+3)</span>";
    // The hours in the source, in the API, and on the page.
    for (hours, locale, json, page, footer) in [
        (
            "{ days: [mon, tue, wed, sat] }",
            "en",
            json!({ "days": ["Monday", "Tuesday", "Wednesday", "Saturday"] }),
            "Monday–Wednesday, Saturday".to_owned(),
            "Monday–Wednesday, Saturday".to_owned(),
        ),
        (
            "{ days: [mon, sat] }",
            "tr",
            json!({ "days": ["Pazartesi", "Cumartesi"] }),
            "Pazartesi, Cumartesi".to_owned(),
            "Pazartesi, Cumartesi".to_owned(),
        ),
        (
            "{ opens: \"09:00\", time_zone: Europe/Istanbul }",
            "en",
            json!({ "opens": "09:00", "timeZone": "Europe/Istanbul" }),
            format!("{opens}, {zone}"),
            opens.to_owned(),
        ),
        (
            "{ days: [sat], closes: \"18:00\" }",
            "tr",
            json!({ "days": ["Cumartesi"], "closes": "18:00" }),
            format!("Cumartesi, {closes}"),
            format!("Cumartesi, {closes}"),
        ),
        (
            "{ opens: \"09:00\", closes: \"18:00\" }",
            "en",
            json!({ "opens": "09:00", "closes": "18:00" }),
            both.to_owned(),
            both.to_owned(),
        ),
        (
            "{ time_zone: Europe/Istanbul }",
            "en",
            json!({ "timeZone": "Europe/Istanbul" }),
            zone.to_owned(),
            String::new(),
        ),
        ("{}", "en", Value::Null, String::new(), String::new()),
        ("{ days: [] }", "tr", Value::Null, String::new(), String::new()),
    ] {
        let firm = open_at(&format!("hours: {hours}"));
        let read = |file: &str| String::from_utf8(firm.read(file)).unwrap();
        let answer: Value = serde_json::from_str(&read(&format!("api/v1/contact.{locale}.json"))).unwrap();
        assert_eq!(answer.get("hours").unwrap_or(&Value::Null), &json, "{hours}");
        let (path, label) =
            if locale == "en" { ("en/contact", "Office hours") } else { ("tr/iletisim", "Çalışma saatleri") };
        let html = read(&format!("{path}.html"));
        let line = html.lines().find(|line| line.contains(label));
        let expected = format!("<div><dt>{label}</dt><dd>{page}</dd></div>");
        assert_eq!(line, Some(expected.as_str()).filter(|_| !page.is_empty()), "{hours}");
        let (address, _) = html.rsplit_once("</address>").unwrap();
        let last = address.lines().last().unwrap();
        assert_eq!(last == format!("<p>{footer}</p>"), !footer.is_empty(), "{hours}: {last}");
        assert!(!last.contains("<p></p>"), "{hours}: {last}");
        let plain = page.split('<').map(|part| part.split_once('>').map_or(part, |(_, text)| text)).collect::<String>();
        let twin = read(&format!("{path}.md"));
        let line = twin.lines().find(|line| line.starts_with(&format!("- {label}")));
        assert_eq!(line, Some(format!("- {label}: {plain}").as_str()).filter(|_| !page.is_empty()), "{hours}");
        // Without `opens`, schema.org treats a place as closed (OpeningHoursSpecification).
        assert_eq!(html.contains("\"openingHoursSpecification\""), hours.contains("opens"), "{hours}");
        assert_eq!(
            html.contains("\"closes\":\"18:00\""),
            hours.contains("opens") && hours.contains("closes"),
            "{hours}"
        );
        assert!(!html.contains("\"dayOfWeek\"") && !html.contains("null"), "{hours}");
    }
}

#[test]
fn health_has_ok_service_and_sandbox() {
    let reply = demonstration().get(routes::HEALTH, &[]);
    has_exactly(&reply.json(), &["ok", "service", "sandbox"], &[]);
    let health: HealthResponse = serde_json::from_value(reply.json()).unwrap();
    assert!(health.ok && health.sandbox);
    assert_eq!(reply.header("cache-control"), Some("no-store"));
}
