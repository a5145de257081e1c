//! Specification, "Resources and their fields": the answers of the content API, field by field.

use std::collections::BTreeSet;

use contract::{
    Locale,
    resources::{ContactResponse, HealthResponse, List, PracticeArea, Publication, TeamMember},
    routes,
};
use serde_json::Value;
use tests::{Service, demonstration, fixture};

fn answer(service: &Service, path: &str, locale: Locale) -> Value {
    let reply = service.get(&format!("{path}?locale={locale}"), &[]);
    assert_eq!(reply.status, 200, "{path}");
    assert_eq!(reply.header("content-type"), Some("application/json"));
    reply.json()
}

fn keys(value: &Value) -> BTreeSet<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

/// Every member is required or optional, and none of the optional ones is null or empty.
fn has_exactly(value: &Value, required: &[&str], optional: &[&str]) {
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
fn a_list_has_firm_locale_count_and_items() {
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
fn a_practice_area_has_name_slug_url_and_summary() {
    let list = answer(&demonstration(), routes::PRACTICE_AREAS, Locale::Tr);
    for item in list["items"].as_array().unwrap() {
        has_exactly(item, &["name", "slug", "url", "summary"], &[]);
    }
    let typed: List<PracticeArea> = serde_json::from_value(list).unwrap();
    assert!(typed.count >= 12);
}

#[test]
fn a_team_member_has_name_title_slug_and_url_and_may_have_email_and_linkedin() {
    let list = answer(&demonstration(), routes::TEAM, Locale::En);
    for item in list["items"].as_array().unwrap() {
        has_exactly(item, &["name", "title", "slug", "url"], &["email", "linkedin"]);
    }
    let items = list["items"].as_array().unwrap();
    assert!(items.iter().any(|item| item.get("email").is_none()), "an optional field is exercised");
    let typed: List<TeamMember> = serde_json::from_value(list.clone()).unwrap();
    assert!(typed.count >= 12);
}

#[test]
fn a_publication_has_title_slug_and_url_and_may_have_the_rest() {
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
fn the_languages_list_the_same_areas_and_people_but_their_own_publications() {
    let service = demonstration();
    let count = |path: &str, locale| answer(&service, path, locale)["count"].clone();
    for path in [routes::PRACTICE_AREAS, routes::TEAM] {
        assert_eq!(count(path, Locale::En), count(path, Locale::Tr));
    }
    assert_ne!(count(routes::PUBLICATIONS, Locale::En), count(routes::PUBLICATIONS, Locale::Tr));
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

#[test]
fn health_says_ok_service_and_sandbox() {
    let reply = demonstration().get(routes::HEALTH, &[]);
    has_exactly(&reply.json(), &["ok", "service", "sandbox"], &[]);
    let health: HealthResponse = serde_json::from_value(reply.json()).unwrap();
    assert!(health.ok && health.sandbox);
    assert_eq!(reply.header("cache-control"), Some("no-store"));
}
