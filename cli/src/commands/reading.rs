//! Parsing of answers.

use serde::de::DeserializeOwned;

use crate::failure::Failure;

pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| shape_failure(&error))
}

/// Builds the failure of a body with an unexpected shape.
pub(super) fn shape_failure(error: &serde_json::Error) -> Failure {
    Failure::Misshapen { what: error.to_string(), url: String::new() }
}

/// Adds the URL to a failure without one.
pub(super) fn with_url(failure: Failure, address: &str) -> Failure {
    match failure {
        Failure::Unusable { what, url } if url.is_empty() => Failure::Unusable { what, url: address.to_owned() },
        Failure::Misshapen { what, url } if url.is_empty() => Failure::Misshapen { what, url: address.to_owned() },
        other => other,
    }
}
