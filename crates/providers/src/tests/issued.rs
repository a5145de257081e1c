//! Assertions as providers issue them: the examples in `docs/registrations.md`, verified as they stand there.

use std::{collections::BTreeMap, path::Path};

use clock::Time;
use contract::id_jag::{MAX_AGE, MAX_LIFETIME};
use serde_json::{Value, json};

use crate::{
    Assertion, AssertionError, Keys, Trust, Verifier,
    testing::{SITE, Signer, with},
};

const PROVIDERS: [&str; 5] = ["Auth0", "Claude", "Entra", "Keycloak", "Okta"];

/// An example: an entry of a trust list, and the claims of an assertion.
struct Example {
    list: String,
    claims: Value,
}

/// Returns the examples of the document by the name of their provider.
fn examples() -> BTreeMap<String, Example> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/registrations.md");
    let text = std::fs::read_to_string(path).unwrap();
    let (_, section) = text.split_once("\n### Assertions as providers issue them\n").unwrap();
    let section = section.split("\n## ").next().unwrap();
    let examples = section.split("\n**").skip(1).map(|part| {
        let block = |language: &str| {
            let (_, rest) = part.split_once(&format!("```{language}\n")).unwrap();
            rest.split_once("```").unwrap().0.to_owned()
        };
        let name = part.split("**").next().unwrap().to_owned();
        (name, Example { list: block("toml"), claims: serde_json::from_str(&block("json")).unwrap() })
    });
    examples.collect()
}

impl Example {
    /// Returns a verifier with the list of the example, whose keys are those of `signer`.
    fn verifier(&self, signer: &Signer) -> Verifier {
        let keys = format!("jwks = '{}'\n", json!({ "keys": [signer.jwk] }));
        let lines = self.list.lines().filter(|line| !line.starts_with("jwks_uri"));
        let text = lines.fold(String::new(), |text, line| {
            let keys = if line.starts_with("issuer") { keys.as_str() } else { "" };
            format!("{text}{line}\n{keys}")
        });
        let trust = Trust::parse(Path::new("trust.toml"), &text).unwrap();
        let audiences = ["", "/mcp", "/api/v1"].map(|path| format!("{SITE}{path}")).to_vec();
        Verifier::new(trust, audiences, &Keys::over_https())
    }

    async fn verify(&self, changes: &Value, seconds: i64) -> Result<Assertion, AssertionError> {
        let signer = Signer::rs256("key");
        let issued_at = self.claims["iat"].as_i64().unwrap();
        let now = Time::from_millis((issued_at + seconds) * 1000);
        self.verifier(&signer).assertion(&signer.assertion(&with(self.claims.clone(), changes)), now).await
    }
}

#[tokio::test]
async fn assertion_of_each_documented_provider_is_accepted() {
    let examples = examples();
    assert_eq!(examples.keys().collect::<Vec<_>>(), PROVIDERS);
    for (name, example) in examples {
        assert!(Trust::parse(Path::new("trust.toml"), &example.list).is_ok(), "{name}");
        let verified = example.verify(&json!({}), 5).await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert_eq!(Value::from(verified.subject.as_str()), example.claims["sub"], "{name}");
        assert_eq!((verified.has_contact, verified.email, verified.phone), (false, None, None), "{name}");
        assert!(!verified.is_reusable, "{name}");
    }
}

#[tokio::test]
async fn assertion_without_time_of_sign_in_is_short_lived() {
    for (name, example) in examples() {
        let issued_at = example.claims["iat"].as_i64().unwrap();
        let longer = json!({ "exp": issued_at + i64::try_from(MAX_LIFETIME).unwrap() + 1 });
        assert!(matches!(example.verify(&longer, 5).await, Err(AssertionError::InvalidRequest(_))), "{name}");
        assert_eq!(example.verify(&json!({}), 1000).await.err(), Some(AssertionError::Expired), "{name}");
    }
}

#[tokio::test]
async fn sign_in_that_an_assertion_names_is_recent_even_if_it_need_not_be_named() {
    for (name, example) in examples() {
        let issued_at = example.claims["iat"].as_i64().unwrap();
        let max_age = i64::try_from(MAX_AGE).unwrap();
        let of = |ago: i64| json!({ "auth_time": issued_at - ago });
        assert!(example.verify(&of(max_age), 0).await.is_ok(), "{name}");
        for ago in [max_age + 61, -120] {
            let refused = example.verify(&of(ago), 0).await.err();
            assert_eq!(refused, Some(AssertionError::LoginRequired { max_age: MAX_AGE }), "{name}");
        }
    }
}

#[tokio::test]
async fn mailbox_that_need_not_be_verified_is_not_read() {
    for (name, example) in examples() {
        for email in ["ayse@client.example", "no address"] {
            let named = json!({ "email": email, "email_verified": true });
            assert_eq!(example.verify(&named, 5).await.unwrap().email, None, "{name}: {email}");
        }
    }
}

#[tokio::test]
async fn client_that_the_list_does_not_name_is_rejected_although_its_identifier_is_an_address() {
    for (name, example) in examples() {
        for client in ["https://attacker.example/client.json", "http://169.254.169.254/latest"] {
            let refused = example.verify(&json!({ "client_id": client }), 5).await.err();
            assert_eq!(refused, Some(AssertionError::InvalidClientId), "{name}: {client}");
        }
    }
}
