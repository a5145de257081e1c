//! The calls of `calls.ts` through what Rust's generators made of the description.
//!
//! `calls URL KEY`

use std::env;

use generated_client::{
    apis::{Error, configuration::Configuration, content_api},
    models,
};
use progenitor_client::Error as ProgenitorError;
use reqwest::{Client, StatusCode, header::HeaderMap};

/// Made by progenitor, which reads version 3.0 alone.
mod progenitor_content {
    progenitor::generate_api!(spec = "openapi-3.0.json");
}
use progenitor_content::types::Locale;

type Failure = Box<dyn std::error::Error>;

/// What a client makes of an answer.
#[derive(Debug, PartialEq)]
enum Answer {
    /// A list: its language, its count, and which of its items have an excerpt.
    List(String, u64, Vec<bool>),
    NotModified,
    /// Status and code of an error.
    Error(u16, String),
}

fn main() -> Result<(), Failure> {
    let [base, key] = env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "usage: calls URL KEY")?;
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
        judge("progenitor", &base, &key, by_progenitor).await?;
        // Its type of a language has no other value, so that a wrong one cannot be sent.
        assert!("de".parse::<Locale>().is_err());
        judge("openapi-generator, Rust", &base, &key, by_openapi_generator).await?;
        let wrong = by_openapi_generator(&base, Client::new(), "de").await?;
        assert_eq!(wrong, Answer::Error(400, "invalid_locale".to_owned()));
        Ok(())
    })
}

async fn judge(
    name: &str,
    base: &str,
    key: &str,
    ask: impl AsyncFn(&str, Client, &str) -> Result<Answer, Failure>,
) -> Result<(), Failure> {
    for locale in ["en", "tr"] {
        let answer = ask(base, sending("x-api-key", key)?, locale).await?;
        let Answer::List(spoken, count, excerpts) = &answer else { return Err(format!("{name}: {answer:?}").into()) };
        assert_eq!((&**spoken, *count), (locale, excerpts.len() as u64), "{name}");
        assert!(excerpts.contains(&true) && excerpts.contains(&false), "{name}: {excerpts:?}");
        // Not every client hands out the header fields of an answer.
        let reply = Client::new().get(format!("{base}/publications?locale={locale}")).send().await?;
        let etag = reply.headers()["etag"].to_str()?;
        assert_eq!(ask(base, sending("if-none-match", etag)?, locale).await?, Answer::NotModified, "{name}");
    }
    let refused = ask(base, sending("x-api-key", "wrong")?, "en").await?;
    assert_eq!(refused, Answer::Error(401, "invalid_api_key".to_owned()), "{name}");
    println!("ok    {name}");
    Ok(())
}

/// Makes a client that sends a header field with every request.
fn sending(name: &'static str, value: &str) -> Result<Client, Failure> {
    let fields = HeaderMap::from_iter([(name.parse()?, value.parse()?)]);
    Ok(Client::builder().default_headers(fields).build()?)
}

async fn by_progenitor(base: &str, client: Client, locale: &str) -> Result<Answer, Failure> {
    let content = progenitor_content::Client::new_with_client(base, client);
    match content.list_publications(Some(locale.parse()?)).await {
        Ok(list) => {
            let list = list.into_inner();
            let excerpts = list.items.iter().map(|item| item.excerpt.is_some()).collect();
            Ok(Answer::List(list.locale.to_string(), list.count, excerpts))
        }
        Err(ProgenitorError::ErrorResponse(error)) => {
            Ok(Answer::Error(error.status().as_u16(), error.into_inner().error))
        }
        Err(ProgenitorError::UnexpectedResponse(reply)) if reply.status() == StatusCode::NOT_MODIFIED => {
            Ok(Answer::NotModified)
        }
        Err(other) => Err(other.into()),
    }
}

async fn by_openapi_generator(base: &str, client: Client, locale: &str) -> Result<Answer, Failure> {
    let configuration = Configuration { base_path: base.to_owned(), client, ..Configuration::default() };
    match content_api::list_publications(&configuration, Some(locale)).await {
        Ok(list) => {
            let excerpts = list.items.iter().map(|item| item.excerpt.is_some()).collect();
            Ok(Answer::List(list.locale.to_string(), u64::try_from(list.count)?, excerpts))
        }
        Err(Error::ResponseError(reply)) => {
            let error: models::ErrorResponse = serde_json::from_str(&reply.content)?;
            Ok(Answer::Error(reply.status.as_u16(), error.error))
        }
        // It reads a list in whatever is no error, and so names no status. Of a reply without a body it tells the type
        // that it takes it for; a list that cannot be read is told otherwise.
        Err(Error::Serde(error)) if error.to_string().starts_with("Received `") => Ok(Answer::NotModified),
        Err(other) => Err(other.into()),
    }
}
