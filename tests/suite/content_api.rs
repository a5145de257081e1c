//! Specification, "Endpoints: Content API": methods, locale, caching, encodings, conditional requests.

use std::num::NonZeroU32;

use contract::{headers, routes};
use serde_json::Value;
use sidecar::{Clock, Config, LimitSettings};
use tests::{Firm as _, Reply, built, fixture};

/// Returns the path of every operation, and the second address of the description.
fn paths() -> Vec<&'static str> {
    let mut paths: Vec<_> = routes::OPERATIONS.iter().map(|operation| operation.path).collect();
    paths.push(routes::OPENAPI);
    paths
}

const LOCALIZED: [&str; 4] = [routes::PRACTICE_AREAS, routes::TEAM, routes::PUBLICATIONS, routes::CONTACT];

#[test]
fn locale_is_english_by_default() {
    let service = fixture();
    for path in LOCALIZED {
        let absent = service.get(path, &["Accept-Language: tr"]);
        let english = service.get(&format!("{path}?locale=en"), &[]);
        let turkish = service.get(&format!("{path}?locale=tr"), &[]);
        assert_eq!(absent.body, english.body, "{path}");
        assert_ne!(english.body, turkish.body, "{path}");
        let languages = [&english, &turkish].map(|reply| reply.header("content-language"));
        assert_eq!(languages, [Some("en"), Some("tr")]);
        assert_eq!(service.get(&format!("{path}?Locale=tr"), &[]).body, english.body, "names are exact");
        assert_eq!(service.get(&format!("{path}?locale=%74r"), &[]).body, turkish.body, "percent-encoding is decoded");
        assert_eq!(service.get(&format!("{path}?page=2&locale=tr&x"), &[]).body, turkish.body, "others are ignored");
    }
}

#[test]
fn unknown_locale_is_refused_with_the_known_ones() {
    let service = fixture();
    for path in LOCALIZED {
        for query in [
            "locale=",
            "locale",
            "locale=de",
            "locale=EN",
            "locale=tr&locale=tr",
            "locale=en&locale=en",
            "locale=en&locale=tr",
            "locale=en%00",
            "locale=%ff",
            "locale=en-GB",
        ] {
            let reply = service.get(&format!("{path}?{query}"), &[]);
            assert_eq!((reply.status, reply.error_code().as_str()), (400, "invalid_locale"), "{path}?{query}");
            let resolution = reply.text_of("resolution");
            assert!(resolution.contains("locale=en") && resolution.contains("locale=tr"), "{resolution}");
        }
    }
    assert_eq!(service.get(&format!("{}?locale=de", routes::HEALTH), &[]).status, 200, "health has no locale");
}

#[test]
fn head_is_get_without_the_body() {
    let service = fixture();
    let fields = |reply: &Reply| {
        let mut fields = reply.headers.clone();
        fields.retain(|(name, _)| name != "x-request-id" && name != "date");
        fields.sort();
        fields
    };
    for path in paths().into_iter().chain(["/en/about", "/nothing", "/api/v1/nothing", "/api/v1/team?locale=x"]) {
        for encoding in ["identity", "br", "gzip", "zstd"] {
            let line = format!("Accept-Encoding: {encoding}");
            let (get, head) = (service.get(path, &[&line]), service.head(path, &[&line]));
            assert_eq!((get.status, fields(&get)), (head.status, fields(&head)), "{path}");
            assert!(head.body.is_empty() && !get.body.is_empty());
        }
    }
}

#[test]
fn unsupported_method_is_405_with_allow() {
    let service = fixture();
    for path in paths().into_iter().chain(["/api/v1/nothing", "/api/v1/team?locale=x"]) {
        for method in ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "BREW", "get"] {
            // The method is checked before the credential.
            for lines in [&[][..], &["Authorization: Bearer wrong"]] {
                let reply = service.request(method, path, lines);
                let refusal = (reply.status, reply.error_code());
                assert_eq!(refusal, (405, "method_not_allowed".to_owned()), "{method} {path} {lines:?}");
                assert_eq!(reply.header("allow"), Some("GET, HEAD"));
            }
        }
    }
}

#[test]
fn cors_allows_every_origin_to_read() {
    let service = fixture();
    let preflight = [
        "Origin: https://agent.example",
        "Access-Control-Request-Method: GET",
        "Access-Control-Request-Headers: authorization",
    ];
    let others = ["/api/v1/nothing", routes::API_CATALOG, "/.well-known/openid-configuration"];
    for path in paths().into_iter().chain(others) {
        let reply = service.request("OPTIONS", path, &preflight);
        assert_eq!(reply.status, 204, "{path}");
        assert_eq!(reply.header("access-control-allow-origin"), Some("*"));
        assert_eq!(reply.header("access-control-allow-methods"), Some("GET, HEAD"));
        assert_eq!(reply.header("access-control-allow-headers"), Some(headers::CORS_ALLOWED));
        assert!(headers::CORS_ALLOWED.to_ascii_lowercase().contains("authorization"));
        assert!(reply.header("access-control-max-age").is_some());
        assert!(reply.header("access-control-allow-credentials").is_none());
    }
    for half in &preflight[..2] {
        assert_eq!(service.request("OPTIONS", routes::TEAM, &[half]).status, 405, "half a preflight is none");
    }
    let page = service.request("OPTIONS", "/en/about", &preflight);
    assert_eq!((page.status, page.header("access-control-allow-origin")), (204, None));
    for path in paths() {
        let get = service.get(path, &["Origin: https://agent.example"]);
        assert_eq!(get.header("access-control-allow-origin"), Some("*"));
        let exposed = get.header("access-control-expose-headers").unwrap();
        for name in ["ETag", "Link", "RateLimit", "Retry-After", "WWW-Authenticate", "X-Request-Id"] {
            assert!(exposed.contains(name), "{name}");
        }
    }
}

#[test]
fn response_is_cacheable_and_revalidated() {
    let service = fixture();
    for path in paths().into_iter().filter(|path| *path != routes::HEALTH) {
        let reply = service.get(path, &[]);
        assert_eq!(reply.header("cache-control"), Some("public, max-age=300, stale-while-revalidate=3600"));
        assert_eq!(reply.header("vary"), Some("Accept-Encoding, Authorization, X-Api-Key"));
        let tag = reply.header("etag").unwrap();
        assert!(tag.starts_with('"') && tag.len() == 34, "a strong tag: {tag}");
        for condition in [tag.to_owned(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
            let again = service.get(path, &[&format!("If-None-Match: {condition}")]);
            assert_eq!(again.status, 304, "{condition}");
            assert!(again.body.is_empty());
            assert_eq!(again.header("etag"), Some(tag));
            assert_eq!(again.header("vary"), reply.header("vary"));
            assert_eq!(again.header("cache-control"), reply.header("cache-control"));
            assert_eq!(again.header("access-control-allow-origin"), Some("*"));
            assert!(again.header("date").is_some() && again.header("x-request-id").is_some());
        }
        let line = format!("If-None-Match: {tag}");
        assert_eq!(service.head(path, &[&line]).status, 304);
        assert_eq!(service.get(path, &[&line, "Accept-Encoding: br"]).status, 200, "another coding of {path}");
        if LOCALIZED.contains(&path) {
            assert_eq!(service.get(&format!("{path}?locale=tr"), &[&line]).status, 200, "another variant of {path}");
        }
        assert_eq!(service.get(path, &["If-None-Match: \"other\""]).status, 200);
    }
}

#[test]
fn description_is_the_same_bytes_at_both_addresses() {
    let service = fixture();
    let (below, root) = (service.get(routes::API_OPENAPI, &[]), service.get(routes::OPENAPI, &[]));
    assert_eq!(below.body, root.body);
    let document = root.json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3.1."));
    assert_eq!(document.get("security"), None, "an importer would send an empty key with every request");
    for path in document["paths"].as_object().unwrap().values() {
        let security = &path["get"]["security"];
        assert_eq!(*security, serde_json::json!([{}, { "bearerAuth": [] }, { "apiKeyAuth": [] }]));
    }
    for name in [
        "PracticeArea",
        "TeamMember",
        "Publication",
        "PracticeAreaList",
        "TeamList",
        "PublicationList",
        "ContactResponse",
        "HealthResponse",
        "ErrorResponse",
    ] {
        assert!(document["components"]["schemas"][name].is_object(), "{name}");
    }
    let nullable = document.to_string().contains("\"null\"");
    assert!(!nullable, "an absent field is absent, never null");
}

#[test]
fn description_is_published_in_other_formats() {
    let service = fixture();
    let mut document = service.get(routes::OPENAPI, &[]).json();
    assert!(document["info"]["title"].as_str().unwrap().is_ascii());
    let yaml = service.get(routes::OPENAPI_YAML, &[]);
    assert_eq!(yaml.header("content-type"), Some("application/yaml"));
    assert!(yaml.text().starts_with("openapi: ") && yaml.text().contains("\npaths:\n"));
    let older = service.get(routes::OPENAPI_3_0, &[]).json();
    assert_eq!(older["openapi"], "3.0.3");
    document["openapi"] = "3.0.3".into();
    document["info"].as_object_mut().unwrap().remove("summary");
    for schema in document["components"]["schemas"].as_object_mut().unwrap().values_mut() {
        // A schema of OpenAPI 3.0 has one example.
        if let Some(examples) = schema.as_object_mut().unwrap().remove("examples") {
            schema["example"] = examples[0].clone();
        }
    }
    assert_eq!(older, document, "nothing else differs");
    for path in [routes::OPENAPI_YAML, routes::OPENAPI_3_0] {
        service.get(path, &["X-Api-Key: wrong"]).assert_refused(401, "invalid_api_key");
    }
}

#[test]
fn description_has_nothing_beside_a_reference() {
    fn assert_by_itself(value: &Value) {
        match value {
            Value::Object(members) => {
                assert!(!members.contains_key("$ref") || members.len() == 1, "{value}");
                members.values().for_each(assert_by_itself);
            }
            Value::Array(items) => items.iter().for_each(assert_by_itself),
            _ => {}
        }
    }
    let document = fixture().get(routes::OPENAPI, &[]).json();
    assert_by_itself(&document);
    let schema = &document["components"]["parameters"]["locale"]["schema"];
    assert_eq!(*schema, serde_json::json!({ "default": "en", "allOf": [{ "$ref": "#/components/schemas/Locale" }] }));
}

#[test]
fn description_names_exactly_the_fields_of_responses() {
    let service = fixture();
    let document = service.get(routes::OPENAPI, &[]).json();
    let firm = built("firm");
    let mut config = Config { limits: LimitSettings::default(), ..firm.config() };
    config.limits.content_per_minute = NonZeroU32::MIN;
    config.limits.loopback = true;
    let strict = firm.serve_by(config, &Clock::manual());
    assert_eq!(strict.get(routes::HEALTH, &[]).status, 200);
    for path in [routes::HEALTH, routes::TEAM, routes::PUBLICATIONS, routes::CONTACT, routes::API_OPENAPI] {
        let tag = service.get(path, &[]).header("etag").unwrap().to_owned();
        let mut replies = vec![
            (service.get(path, &[]), 200),
            (service.get(path, &["Accept-Encoding: br"]), 200),
            (service.get(path, &[&format!("If-None-Match: {tag}")]), 304),
            (service.get(path, &["X-Api-Key: wrong"]), 401),
            (service.request("PUT", path, &[]), 405),
            (service.get(&format!("{path}?x={}", "a".repeat(9_000)), &[]), 414),
            (strict.get(path, &[]), 429),
        ];
        if LOCALIZED.contains(&path) {
            replies.push((service.get(&format!("{path}?locale=x"), &[]), 400));
        }
        for (reply, status) in replies {
            assert_eq!(reply.status, status, "{path}");
            assert_fields_as_described(&document, path, &reply);
        }
    }
    let coded = service.get(routes::PUBLICATIONS, &["Accept-Encoding: br"]);
    assert_eq!(coded.header("content-encoding"), Some("br"), "a field that is only sometimes sent was compared too");
}

/// Compares the header fields of `reply` with those of the description.
fn assert_fields_as_described(document: &Value, path: &str, reply: &Reply) {
    let place = format!("{path} {}", reply.status);
    let get = &document["paths"][path.trim_start_matches(routes::API_BASE)]["get"];
    let mut response = &get["responses"][reply.status.to_string()];
    if let Some(name) = response["$ref"].as_str() {
        response = &document["components"]["responses"][name.rsplit('/').next().unwrap()];
    }
    // Fields of the transport.
    let of_transport = ["connection", "content-length", "date"];
    // OpenAPI describes the media type in `content` only.
    let types: Vec<_> = response["content"].as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect();
    assert_eq!(reply.header("content-type").as_slice(), types, "{place}");
    let others = reply.headers.iter().map(|(name, _)| name.as_str());
    let mut sent: Vec<_> =
        others.filter(|name| !of_transport.contains(name) && *name != "content-type").map(str::to_owned).collect();
    let described = response["headers"].as_object().unwrap().keys().map(|name| name.to_lowercase());
    // Compression is optional.
    let is_due = |name: &String| name != "content-encoding" || reply.header(name).is_some();
    let mut described: Vec<_> = described.filter(is_due).collect();
    described.sort();
    sent.sort();
    assert_eq!(described, sent, "{place}");
    for (name, value) in response["headers"].as_object().unwrap() {
        let component = value["$ref"].as_str().unwrap().strip_prefix("#/components/headers/").unwrap();
        assert!(component.starts_with(name.as_str()), "{component} for {name} of {place}");
        let example = document["components"]["headers"][component]["example"].as_str();
        // These fields have constant values.
        let is_constant =
            ["access-control-", "allow", "cache-", "content-security-", "referrer-", "vary", "www-", "x-content-"];
        if is_constant.iter().any(|start| name.to_lowercase().starts_with(start)) {
            assert_eq!(example, reply.header(&name.to_lowercase()), "{name} of {place}");
        }
    }
}

#[test]
fn trailing_slash_or_an_unknown_path_is_not_found_in_json() {
    let service = fixture();
    for path in [
        "/api/v1/team/",
        "/api/v1/team/x",
        "/api/v1/nothing",
        "/api/v1/",
        "/api",
        "/api/v2/team",
        "/api/v1/team.en.json",
        "/mcp/x",
        "/.well-known/x",
    ] {
        let reply = service.get(path, &["Accept: text/html"]);
        assert_eq!((reply.status, reply.error_code().as_str()), (404, "not_found"), "{path}");
    }
}

#[test]
fn checks_run_in_the_order_method_credential_path_query() {
    let service = fixture();
    let wrong = "Authorization: Bearer wrong";
    let first = service.request("PUT", "/api/v1/team?locale=x", &[wrong]);
    assert_eq!(first.status, 405);
    assert_eq!(service.get("/api/v1/nothing?locale=x", &[wrong]).status, 401);
    assert_eq!(service.get("/api/v1/nothing?locale=x", &[]).status, 404);
    assert_eq!(service.get("/api/v1/team?locale=x", &[]).status, 400);
}

#[test]
fn request_id_is_in_the_response() {
    let service = fixture();
    let named = service.get(routes::HEALTH, &["X-Request-Id: agent-42"]);
    assert_eq!(named.header("x-request-id"), Some("agent-42"));
    let (one, other) = (service.get(routes::HEALTH, &[]), service.get(routes::HEALTH, &[]));
    assert!(one.header("x-request-id").is_some());
    assert_ne!(one.header("x-request-id"), other.header("x-request-id"));
    for hostile in ["<script>alert(1)</script>", "not safe"] {
        let reply = service.get("/nothing", &[&format!("X-Request-Id: {hostile}")]);
        assert!(reply.header("x-request-id").is_some_and(|name| !name.contains(['<', ' '])), "{hostile}");
    }
}

#[test]
fn list_items_have_every_required_field() {
    let reply = fixture().get(routes::TEAM, &["Accept: image/png"]);
    assert_eq!(reply.status, 200, "`Accept` is not judged where there is one representation");
    let length = reply.body.len().to_string();
    for (name, value) in [
        ("content-type", "application/json"),
        ("content-length", &length),
        ("access-control-allow-origin", "*"),
        ("access-control-expose-headers", headers::CORS_EXPOSED),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "strict-origin-when-cross-origin"),
        ("ratelimit-policy", "\"content\";q=600;w=60"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{name}");
    }
    assert!(["ratelimit", "date", "x-request-id"].iter().all(|name| reply.header(name).is_some()));
}
