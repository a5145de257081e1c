//! The calls of calls.ts through what Rust's generators made of the description.
//!
//! `calls URL KEY`

use std::{env, error::Error};

use generated::{
    apis::{configuration::Configuration, content_api},
    models,
};
use reqwest::{
    Client,
    header::{ETAG, HeaderMap, HeaderName, HeaderValue, IF_NONE_MATCH},
};

/// What progenitor makes of the description.
mod content {
    progenitor::generate_api!("openapi-3.0.json");
}

const KEY: HeaderName = HeaderName::from_static("x-api-key");

fn sending(name: HeaderName, value: &str) -> Result<Client, Box<dyn Error>> {
    let headers = HeaderMap::from_iter([(name, HeaderValue::from_str(value)?)]);
    Ok(Client::builder().default_headers(headers).build()?)
}

async fn progenitor(base: &str, key: &str) -> Result<(), Box<dyn Error>> {
    for locale in [content::types::Locale::En, content::types::Locale::Tr] {
        let client = content::Client::new_with_client(base, sending(KEY, key)?);
        let answer = client.list_publications(Some(locale)).await?;
        assert_eq!((answer.locale, answer.count as usize), (locale, answer.items.len()));
        assert!(answer.items.iter().any(|item| item.excerpt.is_none()));
        assert!(answer.items.iter().any(|item| item.excerpt.is_some()));
        let tag = answer.headers()[ETAG].to_str()?;
        let again = content::Client::new_with_client(base, sending(IF_NONE_MATCH, tag)?);
        let error = again.list_publications(Some(locale)).await.unwrap_err();
        assert_eq!(error.status().map(|status| status.as_u16()), Some(304));
    }
    let refused = content::Client::new_with_client(base, sending(KEY, "wrong")?);
    match refused.list_publications(None).await {
        Err(content::Error::ErrorResponse(answer)) => {
            assert_eq!((answer.status().as_u16(), answer.error.as_str()), (401, "invalid_api_key"));
        }
        other => return Err(format!("{other:?}").into()),
    }
    Ok(())
}

async fn openapi_generator(base: &str, key: &str) -> Result<(), Box<dyn Error>> {
    let configured = |client| Configuration { base_path: base.to_owned(), client, ..Configuration::default() };
    for locale in [models::Locale::En, models::Locale::Tr] {
        let list = content_api::list_publications(&configured(sending(KEY, key)?), Some(locale)).await?;
        assert_eq!((list.locale, list.count as usize), (locale, list.items.len()));
        assert!(list.items.iter().any(|item| item.excerpt.is_none()));
        assert!(list.items.iter().any(|item| item.excerpt.is_some()));
    }
    match content_api::list_publications(&configured(sending(KEY, "wrong")?), None).await {
        Err(generated::apis::Error::ResponseError(answer)) => {
            let error: models::ErrorResponse = serde_json::from_str(&answer.content)?;
            assert_eq!((answer.status.as_u16(), error.error.as_str()), (401, "invalid_api_key"));
        }
        other => return Err(format!("{other:?}").into()),
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [base, key] = arguments.as_slice() else { return Err("usage: calls URL KEY".into()) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        progenitor(base, key).await?;
        openapi_generator(base, key).await
    })?;
    println!("ok    progenitor, openapi-generator in Rust");
    Ok(())
}
