//! The content API (contract, sections 2 and 3).

use contract::routes;

use crate::fixture::{Build, KEY, LIST_CACHE, SITE};

#[test]
fn list_answers_in_the_locale_that_is_asked_for() {
    let site = Build::small().serve();
    for (target, locale) in [
        ("/api/v1/team", "en"),
        ("/api/v1/team?locale=en", "en"),
        ("/api/v1/team?locale=tr", "tr"),
        ("/api/v1/team?locale=%74r", "tr"),
        ("/api/v1/team?page=2&locale=tr", "tr"),
        ("/api/v1/team?Locale=tr", "en"),
    ] {
        let response = site.get(target);
        assert_eq!(response.status, 200, "{target}");
        assert_eq!(response.as_text(), format!("{{\"locale\":\"{locale}\",\"count\":0}}"), "{target}");
        assert_eq!(response.header("content-language"), Some(locale));
    }
}

#[test]
fn list_carries_every_field_of_the_contract() {
    let site = Build::small().serve();
    let response = site.get(routes::TEAM);
    assert_eq!(response.header("content-type"), Some("application/json"));
    assert_eq!(response.header("cache-control"), Some(LIST_CACHE));
    assert_eq!(response.header("vary"), Some("Accept-Encoding, Authorization, X-Api-Key"));
    assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    assert_eq!(response.header("access-control-expose-headers"), Some(contract::headers::CORS_EXPOSED));
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(response.header("referrer-policy"), Some("strict-origin-when-cross-origin"));
    assert_eq!(response.header("ratelimit-policy"), Some("\"content\";q=600;w=60"));
    assert!(response.header("ratelimit").is_some() && response.header("date").is_some());
    assert!(response.header("x-request-id").is_some());
    assert_eq!(response.header("content-length"), Some(response.body.len().to_string().as_str()));
}

#[test]
fn locale_that_is_not_exactly_one_of_two_is_refused() {
    let site = Build::small().serve();
    for query in ["locale=", "locale", "locale=EN", "locale=de", "locale=en&locale=en", "locale=tr-TR", "locale=%00"] {
        let response = site.get(&format!("/api/v1/team?{query}"));
        assert_eq!((response.status, response.error_code().as_str()), (400, "invalid_locale"), "{query}");
        assert!(response.as_text().contains("locale=en") && response.as_text().contains("locale=tr"));
    }
}

#[test]
fn resources_without_locales_ignore_the_parameter() {
    let site = Build::small().serve();
    assert_eq!(site.get("/api/v1/health?locale=xx").status, 200);
}

#[test]
fn accept_is_not_judged_where_there_is_one_representation() {
    let site = Build::small().serve();
    assert_eq!(site.get_with(routes::TEAM, &["Accept: image/png"]).status, 200);
}

#[test]
fn sandbox_key_is_accepted_in_both_places() {
    let site = Build::small().serve();
    for line in
        [format!("Authorization: Bearer {KEY}"), format!("authorization: bearer {KEY}"), format!("X-Api-Key: {KEY}")]
    {
        assert_eq!(site.get_with(routes::TEAM, &[&line]).status, 200, "{line}");
    }
}

#[test]
fn invalid_key_is_refused_even_though_the_list_is_public() {
    let site = Build::small().serve();
    for target in [routes::TEAM, routes::HEALTH, "/api/v1/nothing", "/api/v1/team/", "/api/v1/team?locale=xx"] {
        for lines in [
            &["Authorization: Bearer at_unknown"][..],
            &["X-Api-Key: at_unknown"],
            &["Authorization:"],
            &["X-Api-Key: "],
            &["Authorization: Basic c2FuZGJveDo="],
            &["Authorization: Bearer sandbox-key-0123456789", "X-Api-Key: other"],
            &["Authorization: Bearer sandbox-key-0123456789", "Authorization: Bearer other"],
        ] {
            let response = site.get_with(target, lines);
            assert_eq!(
                (response.status, response.error_code().as_str()),
                (401, "invalid_api_key"),
                "{target} {lines:?}"
            );
            assert_eq!(
                response.header("www-authenticate"),
                Some(
                    format!(
                        "Bearer resource_metadata=\"{SITE}/.well-known/oauth-protected-resource\", \
                         error=\"invalid_token\", error_description=\"The credential that was sent is not valid.\""
                    )
                    .as_str()
                )
            );
        }
    }
}

#[test]
fn wrong_method_is_named_before_anything_else() {
    let site = Build::small().serve();
    for method in ["POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS", "PROPFIND", "get"] {
        for target in [routes::TEAM, routes::HEALTH, "/api/v1/nothing", "/api/v1/team?locale=xx"] {
            let response = site.request(method, target, &["Authorization: Bearer wrong"]);
            assert_eq!(
                (response.status, response.error_code().as_str()),
                (405, "method_not_allowed"),
                "{method} {target}"
            );
            assert_eq!(response.header("allow"), Some("GET, HEAD"));
        }
    }
}

#[test]
fn unknown_path_is_an_error_for_programs() {
    let site = Build::small().serve();
    for target in
        ["/api/v1/nothing", "/api", "/api/v1/team/", "/api/v1/team/x", "/api/v2/team", "/mcp/x", "/.well-known/x"]
    {
        let response = site.get_with(target, &["Accept: text/html"]);
        assert_eq!((response.status, response.error_code().as_str()), (404, "not_found"), "{target}");
    }
}

#[test]
fn head_is_get_without_the_body() {
    let site = Build::small().serve();
    for target in [routes::TEAM, routes::HEALTH, "/en/about", "/api/v1/nothing", "/nothing", "/api/v1/team?locale=x"] {
        let (get, head) = (site.get(target), site.request("HEAD", target, &[]));
        assert_eq!(head.status, get.status, "{target}");
        assert!(head.body.is_empty());
        let plain = |response: &crate::client::Response| {
            let mut fields = response.headers.clone();
            fields.retain(|(name, _)| name != "x-request-id" && name != "date");
            fields.sort();
            fields
        };
        assert_eq!(plain(&head), plain(&get), "{target}");
    }
}

#[test]
fn preflight_is_allowed_without_a_credential() {
    let site = Build::small().serve();
    let lines = ["Origin: https://app.example", "Access-Control-Request-Method: GET"];
    for target in [routes::TEAM, "/api/v1/nothing", routes::API_CATALOG, "/.well-known/openid-configuration"] {
        let response = site.request("OPTIONS", target, &lines);
        assert_eq!(response.status, 204, "{target}");
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
        assert_eq!(response.header("access-control-allow-methods"), Some("GET, HEAD"));
        assert_eq!(response.header("access-control-allow-headers"), Some(contract::headers::CORS_ALLOWED));
        assert!(response.header("access-control-max-age").is_some());
        assert_eq!(response.header("access-control-allow-credentials"), None);
    }
    let response = site.request("OPTIONS", "/en/about", &lines);
    assert_eq!((response.status, response.header("access-control-allow-origin")), (204, None));
    for lines in [&lines[..1], &lines[1..]] {
        assert_eq!(site.request("OPTIONS", routes::TEAM, lines).status, 405, "half a preflight is none");
    }
}

#[test]
fn request_keeps_its_name_or_gets_one() {
    let site = Build::small().serve();
    let response = site.get_with(routes::TEAM, &["X-Request-Id: client-7"]);
    assert_eq!(response.header("x-request-id"), Some("client-7"));
    let minted = site.get_with("/nothing", &["X-Request-Id: not safe"]);
    assert_ne!(minted.header("x-request-id"), Some("not safe"));
    assert_ne!(minted.header("x-request-id"), site.get("/nothing").header("x-request-id"));
}
