//! Every document offers exactly what the service enforces, for every build and every service.

use std::fs;

use contract::{
    agent_auth::{AssertionType, CLAIM_GRANT, IdentityType, JWT_BEARER_GRANT},
    routes,
};
use serde_json::{Value, json};
use tests::{BuiltFirm, build, content_of, copy_folder};

use crate::id_jag::{Provider, Scene};

/// Builds the small firm with these offers.
fn build_with_offers(identities: &[IdentityType], assertions: &[AssertionType]) -> BuiltFirm {
    let content = tempfile::TempDir::new().unwrap();
    copy_folder(&content_of("firm"), content.path());
    let settings = content.path().join("site.toml");
    let text = fs::read_to_string(&settings).unwrap();
    let lines = text.lines().map(|line| match line.split(' ').next() {
        Some("identity_types") => format!("identity_types = {}", json!(identities)),
        Some("assertion_types") => format!("assertion_types = {}", json!(assertions)),
        _ => line.to_owned(),
    });
    fs::write(&settings, lines.collect::<Vec<_>>().join("\n")).unwrap();
    build(content.path())
}

/// The offers that both build and service support.
#[derive(Clone, Copy)]
struct Honoured {
    id_jag: bool,
    verified_email: bool,
    anonymous: bool,
}

impl Honoured {
    fn any(self) -> bool {
        self.id_jag || self.verified_email || self.anonymous
    }

    /// Checks every document of `scene`, and the results of registrations.
    fn judge(self, mail: bool, scene: &Scene, provider: &Provider, case: &str) {
        let read = |path: &str| scene.service.get(path, &[]);
        self.metadata(&read(routes::AUTHORIZATION_SERVER).json(), case);
        for path in [routes::PROTECTED_RESOURCE, routes::PROTECTED_RESOURCE_API] {
            let servers = &read(path).json()["authorization_servers"];
            assert_eq!(servers.as_array().unwrap().is_empty(), !self.any(), "{case}: {path}");
        }
        for path in [routes::PROTECTED_RESOURCE_MCP, routes::REGISTRATION_SKILL] {
            assert_eq!(read(path).status, if self.any() { 200 } else { 404 }, "{case}: {path}");
        }
        let typ = "oauth-id-jag+jwt";
        for (path, sign, is_mentioned) in [
            (routes::AUTH_MD, AssertionType::IdJag.as_str(), self.id_jag),
            (routes::AUTH_MD, typ, self.id_jag),
            (routes::AUTH_MD, JWT_BEARER_GRANT, self.any()),
            (routes::AUTH_MD, "<ID_JAG>", self.id_jag),
            (routes::AUTH_MD, "`service_auth`", self.verified_email),
            (routes::AUTH_MD, routes::IDENTITY, self.any()),
            (routes::AUTH_MD, routes::PROVIDER_REVOKE, self.id_jag),
            (routes::AUTH_MD, "\"verified_email\"", self.verified_email),
            (routes::AUTH_MD, "\"type\":\"anonymous\"", self.anonymous),
            (routes::AUTH_MD, "## Claim", self.any() && mail),
            (routes::AUTH_MD, "No registration is offered here", !self.any()),
            ("/en/developers", typ, self.id_jag),
            ("/tr/gelistiriciler", typ, self.id_jag),
            ("/en/developers.md", typ, self.id_jag),
            ("/tr/gelistiriciler.md", typ, self.id_jag),
            // The full text is the same for every service.
            (routes::LLMS_FULL_TXT, typ, false),
            (routes::LLMS_TXT, "an agent can register", self.any()),
            ("/en/llms.txt", "an agent can register", self.any()),
            ("/tr/llms.txt", "kaydol", self.any()),
            (routes::OPENAPI, "agent registration", self.any()),
            (routes::API_OPENAPI, "agent registration", self.any()),
            (routes::OPENAPI_YAML, "agent registration", self.any()),
            (routes::OPENAPI_3_0, "agent registration", self.any()),
            (routes::AGENT_SKILLS, routes::REGISTRATION_SKILL, self.any()),
            (routes::API_CATALOG, routes::REGISTER, self.any()),
            (routes::API_CATALOG, routes::PROTECTED_RESOURCE_MCP, self.any()),
            // Neither mentions credentials.
            (routes::SERVER_CARD, "regist", false),
            (routes::AI_CATALOG, "regist", false),
        ] {
            let reply = read(path);
            assert_eq!(reply.status, 200, "{case}: {path}");
            assert_eq!(reply.text().contains(sign), is_mentioned, "{case}: {path} contains {sign}");
        }
        let twin = "/en/developers.md";
        for accept in ["Accept: text/markdown", "Accept: text/html"] {
            let reply = scene.service.get("/en/developers", &[accept]);
            assert_eq!(reply.text() == read(twin).text(), accept.ends_with("markdown"), "{case}");
            let tag = reply.header("etag").unwrap();
            let again = scene.service.get("/en/developers", &[accept, &format!("If-None-Match: {tag}")]);
            assert_eq!(again.status, 304, "{case}");
            let packed = scene.service.get("/en/developers", &[accept, "Accept-Encoding: br"]);
            assert_eq!(packed.header("content-encoding"), Some("br"), "{case}");
        }
        let call = json!({
            "jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": { "name": "get_page_markdown", "arguments": { "url": twin, "max_chars": 50_000 } },
        });
        let answer = scene.service.post_json(routes::MCP, &call).json();
        assert_eq!(answer.pointer("/result/content/0/text"), Some(&json!(read(twin).text())), "{case}");
        self.enforced(scene, provider, case);
    }

    fn metadata(self, document: &Value, case: &str) {
        let list = |pointer: &str| -> Vec<&str> {
            let list = document.pointer(pointer).and_then(Value::as_array);
            assert!(list.is_some(), "{case}: {pointer} is no list: {document}");
            list.into_iter().flatten().filter_map(Value::as_str).collect()
        };
        let listed = |all: &[(bool, &'static str)]| -> Vec<&str> {
            all.iter().filter(|(is_listed, _)| *is_listed).map(|(_, name)| *name).collect()
        };
        let (of_users, id_jag) = (self.id_jag || self.verified_email, AssertionType::IdJag.as_str());
        let identities =
            [(self.anonymous, "anonymous"), (of_users, "identity_assertion"), (self.verified_email, "service_auth")];
        assert_eq!(list("/agent_auth/identity_types_supported"), listed(&identities), "{case}");
        let assertions = [(self.id_jag, id_jag), (self.verified_email, "verified_email")];
        assert_eq!(list("/agent_auth/identity_assertion/assertion_types_supported"), listed(&assertions), "{case}");
        // The service itself issues the assertions of the identity profile.
        let grants = [(self.any(), JWT_BEARER_GRANT), (self.any(), CLAIM_GRANT)];
        assert_eq!(list("/grant_types_supported"), listed(&grants), "{case}");
        for (pointer, is_offered) in [
            ("/agent_auth/events_supported", self.id_jag),
            ("/agent_auth/anonymous/credential_types_supported", self.anonymous),
            ("/agent_auth/identity_assertion/credential_types_supported", of_users),
        ] {
            assert_eq!(list(pointer).is_empty(), !is_offered, "{case}: {pointer}");
        }
        for endpoint in ["identity_endpoint", "claim_endpoint", "events_endpoint"] {
            assert_eq!(document["agent_auth"][endpoint].is_string(), self.any(), "{case}: {endpoint}");
        }
        let methods = list("/token_endpoint_auth_methods_supported");
        assert_eq!(methods.contains(&"client_secret_basic"), self.id_jag, "{case}");
    }

    fn enforced(self, scene: &Scene, provider: &Provider, case: &str) {
        let register = |body: &Value| scene.service.post_json(routes::REGISTER, body);
        let assertion = provider.assertion(scene.now(), &json!({}));
        let by_mail = json!({ "type": "identity_assertion", "assertion_type": "verified_email", "assertion": "a@client.example" });
        for (is_offered, reply, error) in [
            (self.anonymous, register(&json!({ "type": "anonymous" })), "anonymous_not_enabled"),
            (self.verified_email, register(&by_mail), "verified_email_not_enabled"),
            (self.id_jag, scene.register(&assertion), "unsupported_assertion_type"),
        ] {
            if is_offered {
                assert_eq!(reply.status, 200, "{case}: {}", reply.text());
            } else {
                reply.assert_refused(400, error);
                let names_a_list = reply.text_of("resolution").contains("metadata");
                assert_eq!(names_a_list, self.any(), "{case}: {}", reply.text());
            }
        }
        if self.any() && !self.id_jag {
            // The grant accepts the service's own assertions only.
            let exchanged = scene.exchange(&assertion);
            exchanged.assert_refused(400, "invalid_grant");
            assert_eq!(exchanged.text_of("error_detail"), "invalid_issuer", "{case}: {}", exchanged.text());
        }
    }
}

#[test]
fn documents_offer_what_build_and_service_both_support() {
    let provider = Provider::with_key("one");
    let (anonymous, asserted) = (IdentityType::Anonymous, IdentityType::IdentityAssertion);
    let (id_jag, email) = (AssertionType::IdJag, AssertionType::VerifiedEmail);
    for identities in [&[][..], &[anonymous], &[asserted], &[anonymous, asserted]] {
        for assertions in [&[id_jag][..], &[email], &[id_jag, email]] {
            if !identities.contains(&asserted) && assertions.len() == 1 {
                // The same as a build with both.
                continue;
            }
            let firm = build_with_offers(identities, assertions);
            for (mail, trust) in [(true, true), (true, false), (false, true), (false, false)] {
                let accepts = |assertion| identities.contains(&asserted) && assertions.contains(&assertion);
                let honoured = Honoured {
                    id_jag: trust && accepts(id_jag),
                    verified_email: mail && accepts(email),
                    anonymous: identities.contains(&anonymous),
                };
                let trusted = if trust { &[&provider][..] } else { &[] };
                let scene = Scene::configured(firm.copied(), trusted, |config| {
                    config.registration.mail = (!mail).then(|| "none".to_owned());
                });
                let case = format!("{identities:?}, {assertions:?}, mail {mail}, providers {trust}");
                honoured.judge(mail, &scene, &provider, &case);
            }
        }
    }
}
