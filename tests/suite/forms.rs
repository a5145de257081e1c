//! The pages and messages for people in a build.

use std::collections::BTreeSet;

use contract::{
    Locale,
    forms::{Form, MessageKind, MessagePiece, Slot, WORDS, Words},
    routes,
};
use tests::{BuiltFirm, Service, built, fixture};

fn part(firm: &BuiltFirm, name: &str, locale: Locale) -> String {
    String::from_utf8(firm.read(&format!(".parts/{name}.{locale}"))).unwrap()
}

/// Returns the values of an attribute, in the order of the text.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    html.split(&format!(" {attribute}=\"")).skip(1).map(|rest| rest.split('"').next().unwrap()).collect()
}

#[test]
fn form_posts_to_the_service_and_names_its_language() {
    let firm = built("firm");
    let mut targets = BTreeSet::new();
    for form in Form::ALL {
        for locale in Locale::ALL {
            let html = part(&firm, &form.part(), locale);
            assert!(!html.contains("<script") && !html.contains(" style="), "{form:?}");
            for action in values(&html, "action") {
                targets.insert(action.to_owned());
            }
            if matches!(form, Form::AccessItem | Form::ScopeItem) {
                continue;
            }
            assert!(html.starts_with("<!DOCTYPE html>\n"), "{form:?}");
            assert!(html.contains(&format!("<html lang=\"{locale}\">")) && html.contains("noindex"), "{form:?}");
            let posts = html.matches("<form").count();
            assert_eq!(html.matches("method=\"post\"").count(), posts, "{form:?} posts");
            assert_eq!(values(&html, "action").len(), posts, "{form:?} has its target");
        }
    }
    let expected =
        [routes::ACCESS, routes::ACCESS_REVOKE, routes::MAIL_STOP, routes::CLAIM_CHALLENGE, routes::CLAIM_DENY];
    assert_eq!(targets, expected.map(str::to_owned).into());
}

#[test]
fn titles_of_forms_differ_between_languages() {
    let firm = built("firm");
    for form in Form::ALL.into_iter().filter(|form| !matches!(form, Form::AccessItem | Form::ScopeItem)) {
        let title = |locale| {
            let html = part(&firm, &form.part(), locale);
            html.split("<h1>").nth(1).unwrap().split("</h1>").next().unwrap().to_owned()
        };
        assert_ne!(title(Locale::En), title(Locale::Tr), "{form:?}");
    }
}

#[test]
fn text_and_html_of_a_message_have_the_same_content() {
    let firm = built("firm");
    for kind in MessageKind::ALL {
        for locale in Locale::ALL {
            let subject = part(&firm, &kind.part(MessagePiece::Subject), locale);
            assert!(!subject.trim().is_empty() && subject.matches('\n').count() == 1, "{subject:?}");
            let text = part(&firm, &kind.part(MessagePiece::Text), locale);
            let html = part(&firm, &kind.part(MessagePiece::Html), locale);
            for slot in kind.slots() {
                assert!(text.contains(&slot.marker()) && html.contains(&slot.marker()), "{kind:?} {slot:?}");
            }
            assert!(!text.contains('<') && !text.contains("&amp;"), "{text}");
            assert!(!html.contains("http-equiv") && values(&html, "src").is_empty(), "nothing is fetched");
            let link = match kind {
                MessageKind::Claim => Some(routes::CLAIM_VIEW),
                MessageKind::Access => Some(routes::ACCESS_VIEW),
                MessageKind::Superseded | MessageKind::Revoked => None,
            };
            let stop = format!("{}{}?token={}", tests::SITE_URL, routes::MAIL_STOP, Slot::Stop.marker());
            assert!(text.contains(&format!("{stop}&locale={locale}\n")), "{text}");
            assert!(html.contains(&format!("{stop}&amp;locale={locale}\"")), "{html}");
            if let Some(path) = link {
                let query = format!("{}{path}?token={}", tests::SITE_URL, Slot::Token.marker());
                assert!(text.contains(&format!("{query}&locale={locale}\n")), "{text}");
                assert!(html.contains(&format!("{query}&amp;locale={locale}\"")), "{html}");
            }
        }
    }
}

#[test]
fn words_of_forms_are_complete_in_both_languages() {
    let firm = built("firm");
    for locale in Locale::ALL {
        let words: Words = serde_json::from_str(&part(&firm, WORDS, locale)).unwrap();
        assert_eq!(words.check(), Ok(()));
    }
}

#[test]
fn forms_of_a_build_are_served_with_its_own_pages() {
    let service = fixture();
    let page = service.get(routes::ACCESS, &["Accept-Language: tr"]);
    assert_eq!(page.status, 200);
    let text = page.text();
    assert!(text.contains("<html lang=\"tr\">"));
    for sheet in values(&text, "href").into_iter().filter(|path| path.ends_with(".css")) {
        assert_eq!(service.get(sheet, &[]).status, 200, "{sheet}");
    }
    for path in [routes::CLAIM_VIEW, routes::ACCESS_VIEW, routes::MAIL_STOP] {
        let unknown = service.get(path, &[]);
        assert_eq!((unknown.status, unknown.header("referrer-policy")), (404, Some("no-referrer")), "{path}");
    }
}

#[test]
fn form_of_another_site_changes_nothing() {
    let service: &Service = &fixture();
    let lines = ["Content-Type: application/x-www-form-urlencoded", "Sec-Fetch-Site: cross-site"];
    for path in [routes::ACCESS, routes::ACCESS_REVOKE, routes::CLAIM_CHALLENGE, routes::CLAIM_DENY] {
        let reply = service.request("POST", path, &lines);
        assert_eq!(reply.status, 403, "{path}");
        assert_eq!(service.get(path, &[]).status, if path == routes::ACCESS { 200 } else { 405 }, "{path}");
    }
}

#[test]
fn authorization_endpoint_explains_agent_access() {
    let service = fixture();
    for (line, language) in [("Accept-Language: en", "en"), ("Accept-Language: tr", "tr")] {
        let page = service.get(routes::AUTHORIZE, &[line]);
        assert_eq!((page.status, page.header("content-language")), (200, Some(language)));
        let text = page.text();
        let links = values(&text, "href");
        assert!(links.contains(&routes::AUTH_MD), "{links:?}");
        assert!(links.iter().any(|link| link.starts_with(routes::ACCESS)), "{links:?}");
        assert!(!text.contains("<form"));
    }
}

#[test]
fn authorization_request_is_refused_without_a_redirect() {
    let service = fixture();
    let redirect = "redirect_uri=https%3A%2F%2Felsewhere.example%2Fcallback&state=s";
    for query in [
        format!("response_type=code&client_id=x&{redirect}"),
        format!("client_id=x&{redirect}"),
        format!("response_type=none&{redirect}"),
        format!("{redirect}&response_type=code&response_type=token"),
        "response_type=%ff".to_owned(),
        "response_type".to_owned(),
    ] {
        let target = format!("{}?{query}", routes::AUTHORIZE);
        let page = service.get(&target, &["Accept: text/html,application/xhtml+xml,*/*;q=0.8"]);
        assert_eq!((page.status, page.header("location"), page.header("refresh")), (400, None, None), "{query}");
        assert!(page.text().contains("unsupported_response_type"), "{query}");
        assert!(!page.text().contains("elsewhere.example"), "{query}");
        let program = service.get(&target, &["Accept: application/json"]);
        assert_eq!((program.status, program.header("location")), (400, None), "{query}");
        assert_eq!(program.text_of("error"), "unsupported_response_type", "{query}");
    }
    let posted = service.request("POST", routes::AUTHORIZE, &["Content-Type: application/x-www-form-urlencoded"]);
    assert_eq!((posted.status, posted.header("allow")), (405, Some("GET, HEAD")));
}
