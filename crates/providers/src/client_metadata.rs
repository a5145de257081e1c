//! Clients that are named by the address of their metadata (draft-ietf-oauth-client-id-metadata-document).
//!
//! Security: an address is fetched only if a trusted provider has signed it and the trust list allows this for the
//! provider; by the fetcher of keys, with its limits: public addresses, no redirect, three seconds, 64 KiB. The document
//! must name its own address, and a client that would have to prove its identity is rejected.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use clock::Time;
use serde_json::{Map, Value};

use crate::{keys::Keys, trust::is_address};

/// Bounds of the time for which a document is kept, and the time without `max-age`.
const SHORTEST: Duration = Duration::from_mins(5);
const LONGEST: Duration = Duration::from_hours(24);
const USUAL: Duration = Duration::from_hours(1);
/// The time for which a rejected address is not fetched again.
const REJECTED: Duration = Duration::from_mins(1);
/// Maximum number of addresses that are kept.
const MAX_KEPT: usize = 256;

/// The examined addresses of one provider.
#[derive(Debug)]
pub(crate) struct ClientMetadata {
    keys: Keys,
    /// Whether the trust list is for development, so that this machine's addresses count.
    is_dev: bool,
    kept: Mutex<HashMap<String, ExaminedClient>>,
    /// Held during a fetch; other callers wait for its result.
    turn: tokio::sync::Mutex<()>,
}

/// The result for an address, and the time until which it counts.
#[derive(Clone, Debug)]
struct ExaminedClient {
    result: Result<(), String>,
    until: Time,
}

impl ClientMetadata {
    pub(crate) fn new(keys: &Keys, is_dev: bool) -> Self {
        Self { keys: keys.clone(), is_dev, kept: Mutex::default(), turn: tokio::sync::Mutex::default() }
    }

    /// Checks that `id` is the address of a document that describes a public client. The error is for the log.
    pub(crate) async fn check(self: &Arc<Self>, id: &str, now: Time) -> Result<(), String> {
        check_address(id, self.is_dev)?;
        if let Some(result) = self.examined(id, now) {
            return result;
        }
        // In a task of its own: a client that disconnects must not cancel a fetch for which others wait.
        let (own, id) = (Arc::clone(self), id.to_owned());
        let task = tokio::spawn(async move {
            let _turn = own.turn.lock().await;
            if let Some(result) = own.examined(&id, now) {
                return result;
            }
            let (keys, address) = (own.keys.clone(), id.clone());
            let fetched = tokio::task::spawn_blocking(move || keys.document_at(&address)).await;
            let fetched = fetched.unwrap_or_else(|_| Err("the fetch was aborted".to_owned()));
            let (result, life) = match fetched {
                Ok((body, max_age)) => match check_document(&body, &id) {
                    Ok(()) => (Ok(()), max_age.unwrap_or(USUAL).clamp(SHORTEST, LONGEST)),
                    Err(reason) => (Err(reason.to_owned()), REJECTED),
                },
                Err(reason) => (Err(reason), REJECTED),
            };
            own.keep(id, ExaminedClient { result: result.clone(), until: now.plus(life) }, now);
            result
        });
        task.await.unwrap_or_else(|_| Err("the fetch was aborted".to_owned()))
    }

    fn examined(&self, id: &str, now: Time) -> Option<Result<(), String>> {
        self.kept().get(id).filter(|examined| now < examined.until).map(|examined| examined.result.clone())
    }

    fn keep(&self, id: String, examined: ExaminedClient, now: Time) {
        let mut kept = self.kept();
        if kept.len() >= MAX_KEPT {
            kept.retain(|_, other| now < other.until);
        }
        if kept.len() < MAX_KEPT {
            kept.insert(id, examined);
        }
    }

    fn kept(&self) -> MutexGuard<'_, HashMap<String, ExaminedClient>> {
        // Every change is complete when the lock is released, so a poisoned lock holds a valid state.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks the form of an address (section 3 of the draft).
fn check_address(id: &str, is_dev: bool) -> Result<(), &'static str> {
    if !is_address(id, is_dev) {
        return Err("it is no `https` address");
    }
    let path = id.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, path)| path);
    if path.is_empty() || path.contains('?') || path.split('/').any(|part| matches!(part, "." | "..")) {
        return Err("its address must have a path, and neither a query nor `.` or `..`");
    }
    Ok(())
}

/// Checks the document at the address `id` (sections 4 and 6 of the draft).
fn check_document(body: &[u8], id: &str) -> Result<(), &'static str> {
    let document: Map<String, Value> = serde_json::from_slice(body).map_err(|_| "the answer is no JSON object")?;
    if document.get("client_id").and_then(Value::as_str) != Some(id) {
        return Err("the document does not name its own address as `client_id`");
    }
    if document.contains_key("client_secret") || document.contains_key("client_secret_expires_at") {
        return Err("the document publishes a client secret");
    }
    match document.get("token_endpoint_auth_method") {
        None => Ok(()),
        Some(Value::String(method)) if method == "none" => Ok(()),
        Some(_) => Err("`token_endpoint_auth_method` of the document is not `none`"),
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Write as _, path::Path};

    use serde_json::json;

    use super::*;
    use crate::{
        AssertionError, Trust, Verifier,
        testing::{ISSUER, KeyServer, SITE, Signer, answer, assertion_claims, now, with},
    };

    const NOW: Time = Time::from_millis(1_800_000_000_000);

    fn metadata(is_dev: bool) -> Arc<ClientMetadata> {
        Arc::new(ClientMetadata::new(&Keys::over_https(), is_dev))
    }

    fn published(server: &KeyServer, more: &Value) -> String {
        let id = format!("{}/client.json", server.url());
        let mut document = json!({ "client_id": id, "token_endpoint_auth_method": "none" });
        document.as_object_mut().unwrap().append(&mut more.as_object().unwrap().clone());
        server.publish(&document);
        id
    }

    #[tokio::test]
    async fn document_that_names_its_address_is_fetched_once() {
        let server = KeyServer::start(|_| ());
        let id = published(&server, &json!({ "client_name": "Desk" }));
        let metadata = metadata(true);
        assert_eq!(metadata.check(&id, NOW).await, Ok(()));
        assert_eq!(metadata.check(&id, NOW.plus(Duration::from_secs(3599))).await, Ok(()));
        assert_eq!(server.paths().len(), 1);
        published(&server, &json!({ "client_secret": "x" }));
        assert!(metadata.check(&id, NOW.plus(USUAL)).await.unwrap_err().contains("secret"));
        assert!(metadata.check(&id, NOW.plus(USUAL)).await.is_err());
        assert_eq!(server.paths().len(), 2, "a rejected address is not fetched at once again");
    }

    #[tokio::test]
    async fn document_of_another_client_or_with_authentication_is_rejected() {
        for (more, reason) in [
            (json!({ "client_id": "https://other.example/client.json" }), "own address"),
            (json!({ "client_id": 7 }), "own address"),
            (json!({ "client_secret_expires_at": 0 }), "secret"),
            (json!({ "token_endpoint_auth_method": "private_key_jwt" }), "not `none`"),
            (json!({ "token_endpoint_auth_method": ["none"] }), "not `none`"),
        ] {
            let server = KeyServer::start(|_| ());
            let id = published(&server, &more);
            assert!(metadata(true).check(&id, NOW).await.unwrap_err().contains(reason), "{reason}");
        }
    }

    #[tokio::test]
    async fn redirects_large_slow_and_broken_answers_are_rejected() {
        let id = |server: &KeyServer| format!("{}/client.json", server.url());
        for (status, fields, body, reason) in [
            ("302 Found", "Location: https://other.example/\r\n", String::new(), "status 302"),
            ("200 OK", "", format!("{{\"a\":\"{}\"}}", "x".repeat(70_000)), "more than 65536 bytes"),
            ("200 OK", "", "[]".to_owned(), "no JSON object"),
            ("404 Not Found", "", "{}".to_owned(), "status 404"),
        ] {
            let server = KeyServer::start(|_| ());
            server.answer_with(answer(status, fields, &body));
            assert!(metadata(true).check(&id(&server), NOW).await.unwrap_err().contains(reason), "{reason}");
        }
        let silent = KeyServer::start(|stream| {
            _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n");
            _ = std::io::Read::read(stream, &mut [0]);
        });
        assert!(metadata(true).check(&id(&silent), NOW).await.is_err());
    }

    #[tokio::test]
    async fn unlisted_client_of_an_assertion_is_fetched_only_if_the_list_allows_it() {
        let (server, signer) = (KeyServer::start(|_| ()), Signer::es256("key"));
        let id = published(&server, &json!({}));
        let verifier = |more: &str| {
            let jwks = json!({ "keys": [signer.jwk] });
            let list = format!("dev = true\n[[provider]]\nissuer = '{ISSUER}'\nname = 'A'\njwks = '{jwks}'\n{more}");
            let trust = Trust::parse(Path::new("trust.toml"), &list).unwrap();
            Verifier::new(trust, vec![SITE.to_owned()], &Keys::over_https())
        };
        let assertion = |id: &str| signer.assertion(&with(assertion_claims(), &json!({ "client_id": id })));
        let refused = verifier("").assertion(&assertion(&id), now()).await;
        assert_eq!((refused.err(), server.paths().len()), (Some(AssertionError::InvalidClientId), 0));
        let allowing = verifier("fetch_client_metadata = true");
        // Nothing is fetched for an assertion that is rejected for another reason.
        let elsewhere = json!({ "client_id": id, "aud": "https://other.example" });
        let refused = allowing.assertion(&signer.assertion(&with(assertion_claims(), &elsewhere)), now()).await;
        assert_eq!((refused.err(), server.paths().len()), (Some(AssertionError::InvalidAudience), 0));
        assert_eq!(allowing.assertion(&assertion(&id), now()).await.unwrap().client_id, id);
        assert_eq!(allowing.assertion(&assertion(ISSUER), now()).await.unwrap().client_id, ISSUER);
        let other = format!("{}/other.json", server.url());
        assert_eq!(allowing.assertion(&assertion(&other), now()).await.err(), Some(AssertionError::InvalidClientId));
    }

    #[tokio::test]
    async fn private_and_malformed_addresses_are_rejected_without_a_fetch() {
        let server = KeyServer::start(|_| ());
        let local = published(&server, &json!({}));
        for id in [
            local.as_str(),
            "agent-7",
            "https://client.example",
            "https://client.example/",
            "https://client.example/a/../b",
            "https://client.example/a?b=c",
            "https://user@client.example/a",
            "https://client.example/a#b",
        ] {
            assert!(metadata(false).check(id, NOW).await.is_err(), "{id}");
        }
        for id in ["https://127.0.0.1/a", "https://[::1]/a", "https://169.254.169.254/a", "https://10.0.0.1/a"] {
            assert!(metadata(false).check(id, NOW).await.unwrap_err().contains("not public"), "{id}");
        }
        assert!(server.paths().is_empty());
    }
}
