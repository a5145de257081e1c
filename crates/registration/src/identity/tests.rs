//! Tests of the identity profile over real stores, alongside the profile of the specification.

use providers::{
    PresentedClient,
    testing::{Signer, assertion_claims, event_claims, verifier, with},
};
use serde_json::{Value, json};

use super::*;
use crate::{
    registrar::{Exchange, Quotas},
    store::testing::{runtime, stores},
    testing::*,
};

const ADA: &str = "ada@client.example";

/// A client of a registrar at a time.
#[derive(Clone, Copy)]
struct IdentityClient<'a> {
    registrar: &'a Registrar,
    caller: &'a Caller,
    now: Time,
}

impl<'a> IdentityClient<'a> {
    const fn of(registrar: &'a Registrar) -> Self {
        Self { registrar, caller: &WHO, now: START }
    }

    fn request<'b>(self, bytes: &'b [u8]) -> IdentityRequest<'b>
    where
        'a: 'b,
    {
        IdentityRequest { registrar: self.registrar, bytes, locale: Locale::En, caller: self.caller, now: self.now }
    }

    async fn register(self, body: &Value) -> Result<Value, &'static str> {
        reply_of(self.request(body.to_string().as_bytes()).register().await)
    }

    async fn claim(self, body: &Value) -> Result<Value, &'static str> {
        reply_of(self.request(body.to_string().as_bytes()).claim().await)
    }

    async fn complete(self, token: &Value, code: &str) -> Result<Value, &'static str> {
        let body = json!({ "claim_token": token, "user_code": code }).to_string();
        reply_of(self.request(body.as_bytes()).complete().await)
    }

    async fn exchange(self, assertion: &Value) -> Result<Token, &'static str> {
        self.exchange_as(assertion, |_| ()).await
    }

    async fn exchange_as(self, assertion: &Value, change: impl FnOnce(&mut Exchange)) -> Result<Token, &'static str> {
        let mut request = Exchange {
            assertion: Secret::new(assertion.as_str().unwrap()),
            scopes: None,
            client: PresentedClient::default(),
            resource: None,
            locale: Locale::En,
        };
        change(&mut request);
        let token = self.registrar.exchange(request, self.caller, self.now).await;
        token.map_err(|error| error.code().as_str_of_identity())
    }

    /// Returns the code shown to the person who was asked last.
    async fn code(self) -> String {
        let link = link(self.registrar, self.now).await;
        self.registrar.challenge(&link, self.now).await.unwrap().code.reveal().to_owned()
    }

    async fn is_live(self, credential: &Value) -> bool {
        let digest = Secret::new(credential.as_str().unwrap()).digest();
        self.registrar.check(&digest, self.now).await.unwrap().is_some()
    }
}

fn reply_of(reply: Result<impl serde::Serialize, RegistrationError>) -> Result<Value, &'static str> {
    match reply {
        Ok(body) => Ok(serde_json::to_value(body).unwrap()),
        Err(error) => Err(error.code().as_str_of_identity()),
    }
}

fn service_auth() -> Value {
    json!({ "type": "service_auth", "login_hint": ADA })
}

#[test]
fn anonymous_agent_exchanges_its_assertion_and_gets_a_wider_one_for_a_claim() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 61, None);
            let client = IdentityClient::of(&registrar);
            let registered = client.register(&json!({ "type": "anonymous" })).await.unwrap();
            assert_eq!((&registered["type"], &registered["claim"]["attempt"]), (&json!("anonymous"), &Value::Null));
            assert_eq!(registered["claim"]["url"], "https://firm.example/agent/identity/claim");
            assert_eq!(registered["scopes"]["pre_claim"], json!(["content.read", "mcp.read"]));
            let (first, token) = (&registered["identity"]["assertion"], &registered["claim"]["token"]);
            for _ in 0..2 {
                let granted = client.exchange(first).await.unwrap();
                assert_eq!((granted.id.as_str(), granted.issued.scopes.len()), (registered["id"].as_str().unwrap(), 2));
                assert_eq!(granted.issued.credential.reveal(), first.as_str().unwrap(), "{}", kept.name);
            }
            assert!(client.is_live(first).await);
            let request = json!({ "type": "service_auth", "claim_token": token, "login_hint": ADA });
            let started = client.claim(&request).await.unwrap();
            assert_eq!((&started["id"], &started["type"]), (&registered["id"], &json!("service_auth")));
            assert_eq!(started["attempt"]["verification_uri"], "https://firm.example/oauth2/authorize");
            assert_eq!(client.complete(token, "000000").await, Err("claim_not_confirmed"));
            let code = client.code().await;
            let completed = client.complete(token, &format!("{} {}", &code[..3], &code[3..])).await.unwrap();
            assert_eq!((&completed["id"], &completed["status"]), (&registered["id"], &json!("claimed")));
            let second = &completed["identity"]["assertion"];
            assert_eq!(client.exchange(second).await.unwrap().issued.scopes.len(), 4);
            assert_eq!(client.exchange(first).await.unwrap_err(), "invalid_grant");
            assert_eq!((client.is_live(first).await, client.is_live(second).await), (false, true), "{}", kept.name);
            assert_eq!(client.complete(token, &code).await, Err("previously_claimed"));
        });
    }
}

#[test]
fn agent_that_names_its_user_gets_an_assertion_only_with_the_code() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 62, None);
            let client = IdentityClient::of(&registrar);
            let registered = client.register(&service_auth()).await.unwrap();
            let (attempt, token) = (&registered["claim"]["attempt"], &registered["claim"]["token"]);
            assert_eq!((&registered["type"], &registered["identity"]), (&json!("service_auth"), &Value::Null));
            assert_eq!(attempt["match_phrase"].as_str().unwrap().split(' ').count(), 2);
            assert!(!registered.to_string().contains("cvt_"), "the secret of the link is for the mailbox alone");
            let hasty = registrar.redeem(ClaimToken::new(token.as_str().unwrap()), START).await;
            assert_eq!(hasty.unwrap_err().code().as_str(), "authorization_pending");
            assert_eq!(client.exchange(token).await.unwrap_err(), "invalid_issuer", "it has not the form of our own");
            let code = client.code().await;
            let completed = client.complete(token, &code).await.unwrap();
            let assertion = &completed["identity"]["assertion"];
            assert!(assertion.as_str().unwrap().starts_with(CredentialType::ApiKey.prefix()));
            assert_eq!(client.exchange(assertion).await.unwrap().issued.scopes.len(), 4, "{}", kept.name);
        });
    }
}

#[test]
fn provider_assertion_is_accepted_once_across_profiles_and_revoked_by_report() {
    for kept in stores() {
        runtime().block_on(async {
            let signer = Signer::es256("key");
            let registrar = registrar(&kept.store, 63, Some(verifier(&[&signer])));
            let client = IdentityClient::of(&registrar);
            let jag = |jti: &str| signer.assertion(&with(assertion_claims(), &json!({ "jti": jti })));
            let body = |assertion: &str| {
                json!({ "type": "identity_assertion", "assertion_type": AssertionType::IdJag, "assertion": assertion })
            };
            let one = jag("one");
            let registered = client.register(&body(&one)).await.unwrap();
            assert_eq!((&registered["type"], &registered["claim"]), (&json!("identity_assertion"), &Value::Null));
            let assertion = &registered["identity"]["assertion"];
            assert_eq!(client.exchange(assertion).await.unwrap().issued.scopes.len(), 4);
            assert_eq!(client.register(&body(&one)).await, Err("replay_detected"));
            let other = registration_request(Identity::Provider(Secret::new(one)));
            assert_eq!(registrar.register(other, &WHO, START).await.unwrap_err().code().as_str(), "replay_detected");
            let two = jag("two");
            registrar.register(registration_request(Identity::Provider(Secret::new(two.clone()))), &WHO, START).await.unwrap();
            assert_eq!(client.register(&body(&two)).await, Err("replay_detected"), "{}", kept.name);
            let report = signer.sign(&signer.header("secevent+jwt"), &event_claims());
            assert_eq!(registrar.security_event(&report, START).await.unwrap(), 2);
            assert_eq!(client.exchange(assertion).await.unwrap_err(), "invalid_grant");
            assert!(!client.is_live(assertion).await, "{}", kept.name);
        });
    }
}

#[test]
fn guesses_through_both_profiles_are_counted_together() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 64, None);
            let client = IdentityClient::of(&registrar);
            let registered = client.register(&service_auth()).await.unwrap();
            let token = &registered["claim"]["token"];
            let code = client.code().await;
            for round in 0..5 {
                if round % 2 == 0 {
                    assert_eq!(client.complete(token, WRONG).await, Err("invalid_user_code"), "{round}");
                } else {
                    let token = ClaimToken::new(token.as_str().unwrap());
                    let error = registrar.complete(completion(&token, WRONG), &WHO, START).await.unwrap_err();
                    assert_eq!(error.code().as_str(), "otp_invalid", "{round}");
                }
            }
            assert_eq!(client.complete(token, &code).await, Err("user_code_expired"), "{}", kept.name);
        });
    }
}

#[test]
fn limits_are_shared_by_both_profiles() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar_with(&kept.store, 65, Quotas::default(), None);
            let client = IdentityClient { caller: &Caller::Client(1 << 8), ..IdentityClient::of(&registrar) };
            for _ in 0..3 {
                client.register(&json!({ "type": "anonymous" })).await.unwrap();
                registrar.register(registration_request(Identity::Anonymous), client.caller, START).await.ok();
            }
            assert_eq!(client.register(&json!({ "type": "anonymous" })).await, Err("rate_limited"));
            for _ in 0..5 {
                client.register(&service_auth()).await.unwrap();
            }
            assert_eq!(client.register(&service_auth()).await, Err("rate_limited"), "{}: one mailbox", kept.name);
        });
    }
}

#[test]
fn expired_unknown_or_misdirected_assertion_is_not_exchanged() {
    for kept in stores() {
        runtime().block_on(async {
            let registrar = registrar(&kept.store, 66, None);
            let client = IdentityClient::of(&registrar);
            let registered = client.register(&json!({ "type": "anonymous" })).await.unwrap();
            let assertion = &registered["identity"]["assertion"];
            let text = assertion.as_str().unwrap();
            for (other, error) in [
                ("ak_", "invalid_grant"),
                ("at_unknown", "invalid_grant"),
                (&format!("{text} "), "invalid_grant"),
                (&text.replacen("ak_", "at_", 1), "invalid_grant"),
                // Any other form is taken for a provider's assertion, and no provider is trusted.
                (&text[1..], "invalid_issuer"),
                (&text.to_uppercase(), "invalid_issuer"),
                ("ak_a.b.c", "invalid_issuer"),
            ] {
                assert_eq!(client.exchange(&json!(other)).await.unwrap_err(), error, "{other}");
            }
            let target = |request: &mut Exchange| request.resource = Some("https://other.example".to_owned());
            assert_eq!(client.exchange_as(assertion, target).await.unwrap_err(), "invalid_target");
            let ours = |request: &mut Exchange| request.resource = Some("https://firm.example/".to_owned());
            assert!(client.exchange_as(assertion, ours).await.is_ok());
            let wider = |request: &mut Exchange| request.scopes = Some(vec![contract::scopes::Scope::ALL[0]]);
            assert_eq!(client.exchange_as(assertion, wider).await.unwrap_err(), "invalid_scope");
            let secret = |request: &mut Exchange| {
                request.client = PresentedClient::read(None, None, Some("secret")).ok().unwrap();
            };
            assert_eq!(client.exchange_as(assertion, secret).await.unwrap_err(), "invalid_client");
            let expires = client.exchange(assertion).await.unwrap().issued.expires;
            let late = IdentityClient { now: expires, ..client };
            assert_eq!(late.exchange(assertion).await.unwrap_err(), "invalid_grant", "{}", kept.name);
            registrar.revoke_token(&Secret::new(text), START).await.unwrap();
            assert_eq!(client.exchange(assertion).await.unwrap_err(), "invalid_grant", "{}: revoked", kept.name);
        });
    }
}

#[test]
fn fields_and_values_of_the_other_profile_are_rejected() {
    let kept = stores().remove(0);
    runtime().block_on(async {
        let registrar = registrar(&kept.store, 67, None);
        let client = IdentityClient::of(&registrar);
        let by_mail = json!({ "type": "identity_assertion", "assertion_type": "verified_email", "assertion": ADA });
        for (body, error) in [
            (by_mail, "unsupported_assertion_type"),
            (json!({ "type": "identity_assertion", "assertion": "a.b.c" }), "unsupported_assertion_type"),
            (json!({ "type": "service_auth", "email": ADA }), "invalid_login_hint"),
            (json!({ "type": "service_auth", "assertion": ADA }), "invalid_login_hint"),
            (json!({ "type": "service_auth", "login_hint": "ada" }), "invalid_login_hint"),
            (json!({ "type": "service_auth", "login_hint": [ADA] }), "invalid_request"),
            (json!({ "type": "service_auth", "login_hint": format!("{ADA}\r\nBcc: b@c.example") }), "invalid_request"),
            (json!({ "type": "service_auth", "login_hint": "a".repeat(20_000) }), "invalid_login_hint"),
            (json!({ "type": "Service_auth", "login_hint": ADA }), "invalid_request"),
            (json!({ "type": "service_auth ", "login_hint": ADA }), "invalid_request"),
            (json!({ "type": "s\u{435}rvice_auth", "login_hint": ADA }), "invalid_request"),
            (json!({ "type": "refresh", "refresh_token": "x" }), "invalid_request"),
            (json!({ "type": null }), "invalid_request"),
            (json!({}), "invalid_request"),
        ] {
            assert_eq!(client.register(&body).await, Err(error), "{body:.80}");
        }
        let twice = client.request(br#"{"type":"anonymous","type":"service_auth"}"#).register().await;
        assert_eq!(reply_of(twice), Err("invalid_request"));
        // A member that is unknown to this profile has no effect.
        let wish = json!({ "type": "anonymous", "requested_credential_type": "access_token" });
        let registered = client.register(&wish).await.unwrap();
        assert!(registered["identity"]["assertion"].as_str().unwrap().starts_with("ak_"));
        let token = &registered["claim"]["token"];
        for (body, error) in [
            (json!({ "claim_token": token, "email": ADA }), "invalid_login_hint"),
            (json!({ "type": "identity_assertion", "claim_token": token, "assertion": "a.b.c" }), "invalid_request"),
            (json!({ "type": "service_auth", "login_hint": ADA }), "invalid_request"),
            (json!({ "type": "login_hint", "claim_token": "clm_unknown", "login_hint": ADA }), "invalid_claim_token"),
        ] {
            assert_eq!(client.claim(&body).await, Err(error), "{body}");
        }
        let otp = json!({ "claim_token": token, "otp": "123456" }).to_string();
        assert_eq!(reply_of(client.request(otp.as_bytes()).complete().await), Err("invalid_request"));
    });
}
