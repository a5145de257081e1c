//! Values stay in their slots.

use clock::Time;
use contract::{Locale, forms::Form, scopes::Scope};
use proptest::prelude::*;

use super::{AccessItem, EmailContent, EmailDraft, FormPage, Forms, Stamp, testing::forms};

fn fill(forms: &Forms, page: &FormPage) -> String {
    forms.fill(page.form(), Locale::Tr, &page.facts())
}

/// Counts HTML's own characters in `text`.
fn markup(text: &str) -> [usize; 5] {
    ['<', '>', '"', '\'', '\n'].map(|character| text.matches(character).count())
}

fn pages<'a>(values: &'a [String], number: i64, items: &'a [AccessItem<'a>]) -> Vec<FormPage<'a>> {
    let value = |at: usize| values[at].as_str();
    vec![
        FormPage::Claim {
            agent: value(0),
            provider: Some(value(1)),
            match_phrase: Some(value(3)),
            email: value(2),
            requested: Time::from_millis(number),
            expires: Time::from_millis(number),
            scopes: &Scope::ALL,
            token: value(3),
        },
        FormPage::ClaimCode { agent: value(0), code: value(1), expires: Time::from_millis(number), token: value(2) },
        FormPage::ClaimDeny { token: value(2) },
        FormPage::AccessInvalid { email: value(0) },
        FormPage::AccessMailed { email: value(1) },
        FormPage::AccessList { email: value(0), expires: Time::from_millis(number), token: value(1), items },
        FormPage::AccessRevoked { email: value(2), count: 7, token: value(3) },
        FormPage::Messages { form: Form::Stop, token: value(1) },
    ]
}

fn item(values: &[String]) -> AccessItem<'_> {
    AccessItem {
        registration: &values[0],
        agent: &values[1],
        provider: Some(&values[2]),
        match_phrase: Some(&values[3]),
        since: Time::from_millis(0),
        expires: Time::from_millis(i64::MAX),
        scopes: &Scope::BEFORE_CLAIM,
    }
}

#[test]
fn page_shows_its_values() {
    let forms = forms();
    let page = FormPage::Claim {
        agent: "reg_1",
        provider: None,
        match_phrase: None,
        email: "a&b@firm.example",
        requested: Time::from_millis(1_795_268_700_000),
        expires: Time::from_millis(1_795_268_700_000),
        scopes: &[Scope::Openid, Scope::McpRead],
        token: "cvt_1",
    };
    let text = fill(&forms, &page);
    for expected in [
        "<p title=\"reg_1\">reg_1</p>",
        "<p title=\"nobody\">nobody</p>",
        "<p title=\"none\">none</p>",
        ">a&amp;b@firm.example<",
        ">21 Kasım 2026 16.45<",
        "<p title=\"o &amp; o\">o &amp; o</p>",
        "<a href=\"/x?p=cvt_1&amp;q\">",
    ] {
        assert!(text.contains(expected), "{expected} in {text}");
    }
}

#[test]
fn value_is_not_filled_again() {
    let text = fill(
        &forms(),
        &FormPage::ClaimCode { agent: "{{=code}}", code: "123456", expires: Time::from_millis(0), token: "t" },
    );
    assert!(text.contains("{{=code}}") && text.matches("123456").count() == 2, "{text}");
}

#[test]
fn characters_that_move_or_hide_text_are_replaced() {
    let text = fill(&forms(), &FormPage::AccessMailed { email: "a\u{202E}b\u{200B}c\r\nd\0e\u{2066}" });
    assert!(text.contains(">a\u{FFFD}b\u{FFFD}c\u{FFFD}\u{FFFD}d\u{FFFD}e\u{FFFD}<"), "{text}");
}

#[test]
fn facts_and_emails_print_no_value() {
    let email = EmailDraft {
        to: "ayse@client.example".to_owned(),
        locale: Locale::En,
        content: EmailContent::Access { expires: Time::from_millis(0) },
    };
    let facts =
        FormPage::ClaimCode { agent: "agent-1", code: "123456", expires: Time::from_millis(0), token: "cvt_1" }.facts();
    let printed = format!("{email:?} {facts:?}");
    for secret in ["ayse", "123456", "cvt_1"] {
        assert!(!printed.contains(secret), "{printed}");
    }
}

#[test]
fn email_survives_the_store_without_its_secret() {
    let email = EmailDraft {
        to: "ayse@client.example".to_owned(),
        locale: Locale::Tr,
        content: EmailContent::Claim {
            agent: "reg_1".to_owned(),
            provider: None,
            scopes: vec![Scope::ContentRead],
            requested: Time::from_millis(1),
            expires: Time::from_millis(2),
            match_phrase: None,
        },
    };
    let stored = serde_json::to_string(&email).unwrap();
    assert_eq!(serde_json::from_str::<EmailDraft>(&stored).unwrap(), email);
    let message =
        forms().compose(&email, Stamp { id: "m1", at: Time::from_millis(0), token: "cvt_secret", stop: "stp_1" });
    assert!(message.text.contains("token: cvt_secret") && message.html.contains("p=cvt_secret&amp;"));
    assert!(!stored.contains("cvt_secret"));
    assert_eq!(message.unsubscribe, "https://firm.example/agent/access/stop?token=stp_1");
    assert_eq!((message.to.as_str(), message.host.as_str()), ("ayse@client.example", "firm.example"));
}

proptest! {
    #[test]
    fn no_value_adds_markup_to_a_page(values in prop::collection::vec(any::<String>(), 4), number: i64) {
        let forms = forms();
        let empty = vec![String::new(); 4];
        let (full_items, empty_items) = ([item(&values)], [item(&empty)]);
        let filled = pages(&values, number, &full_items);
        let bare = pages(&empty, number, &empty_items);
        for (filled, bare) in filled.iter().zip(&bare) {
            prop_assert_eq!(markup(&fill(&forms, filled)), markup(&fill(&forms, bare)));
        }
    }

    #[test]
    fn parameter_stays_one_parameter(token: String) {
        let text = fill(&forms(), &FormPage::ClaimCode { agent: "", code: "", expires: Time::from_millis(0), token: &token });
        let value = text.split("?p=").nth(1).unwrap().split("&amp;q").next().unwrap();
        prop_assert!(value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~%".contains(&byte)), "{}", value);
        let decoded = percent_encoding::percent_decode_str(value).decode_utf8().unwrap();
        prop_assert_eq!(decoded, token);
    }

    #[test]
    fn no_value_begins_a_line_of_a_message(to: String, agent: String, provider: String, token: String, at: i64) {
        let (forms, at) = (forms(), Time::from_millis(at));
        let email = |to: String, agent: String, provider| EmailDraft {
            to,
            locale: Locale::En,
            content: EmailContent::Claim {
                match_phrase: Some(agent.clone()),
                agent,
                provider: Some(provider),
                scopes: vec![],
                requested: at,
                expires: at,
            },
        };
        let stamp = |token| Stamp { id: "m1", at, token, stop: token };
        let filled = forms.compose(&email(to, agent, provider), stamp(&token));
        let bare = forms.compose(&email(String::new(), String::new(), String::new()), stamp(""));
        prop_assert_eq!(filled.text.lines().count(), bare.text.lines().count());
        prop_assert!(!filled.text.contains('\r'));
        prop_assert_eq!(markup(&filled.html), markup(&bare.html));
    }
}
