//! Error responses. Code, message and status come from the contract; this module sets the header fields.

use std::sync::LazyLock;

use actix_web::http::{
    StatusCode,
    header::{
        ACCEPT_ENCODING, ALLOW, CONTENT_LANGUAGE, CONTENT_TYPE, HeaderValue, RETRY_AFTER, VARY, WWW_AUTHENTICATE,
    },
};
use bytes::Bytes;
use contract::{
    Locale,
    errors::{AVAILABLE, ErrorCode, ErrorDetail, ErrorResponse},
    media::{self, essence},
    routes,
};

use super::{Response, cors, harden, json, plain};

/// `Pragma` in the registration flow (RFC 6749, 5.1).
pub(crate) const NO_CACHE: HeaderValue = HeaderValue::from_static("no-cache");
/// `Content-Language` of texts for programs.
pub(crate) const ENGLISH: HeaderValue = HeaderValue::from_static("en");
/// `Accept-Encoding` of a response: the codings that a request body may have.
pub(crate) const IDENTITY: HeaderValue = HeaderValue::from_static("identity");

/// Seconds after which a client may retry while the store does not answer.
const RETRY_STORE: HeaderValue = HeaderValue::from_static("5");

/// Returns a status of the table of errors.
pub(crate) fn status(code: u16) -> StatusCode {
    StatusCode::from_u16(code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// Returns the error response for `code` (specification, "ErrorResponse"), readable by scripts of any origin.
pub(crate) fn of(code: ErrorCode) -> Response {
    static BODIES: LazyLock<[Bytes; ErrorCode::ALL.len()]> = LazyLock::new(|| {
        ErrorCode::ALL.map(|code| Bytes::from(serde_json::to_vec(&code.response()).unwrap_or_default()))
    });
    let mut response = json(status(code.status()), BODIES[code as usize].clone());
    let headers = response.headers_mut();
    headers.insert(CONTENT_LANGUAGE, ENGLISH);
    cors::readable(headers);
    response
}

/// Returns the response to a request whose body did not arrive in time.
pub(crate) fn late() -> Response {
    of_detail(ErrorDetail::Late)
}

/// Returns the response with the `status` that the HTTP library chose for a request that it cannot read.
pub(crate) fn unreadable(status: u16) -> Response {
    match status {
        400 => of(ErrorCode::InvalidRequest),
        408 => of_detail(ErrorDetail::LateHead),
        414 => of(ErrorCode::UriTooLong),
        431 => of_detail(ErrorDetail::LargeHead),
        _ => of(ErrorCode::InternalError),
    }
}

/// Returns the response to a request whose body is in a content coding (RFC 9110, 15.5.16).
pub(crate) fn coded() -> Response {
    let mut response = of_detail(ErrorDetail::Coded);
    response.headers_mut().insert(ACCEPT_ENCODING, IDENTITY);
    response
}

fn of_detail(detail: ErrorDetail) -> Response {
    let mut response = with_body(ErrorCode::InvalidRequest, &detail.response());
    *response.status_mut() = status(detail.status());
    response
}

/// Returns the error response for `code` with another body.
fn with_body(code: ErrorCode, error: &ErrorResponse) -> Response {
    of(code).set_body(Bytes::from(serde_json::to_vec(error).unwrap_or_default()))
}

/// Returns the response to a method that the resource does not support, in the language of a page in `locale`.
pub(crate) fn method_not_allowed(allow: &'static str, locale: Locale) -> Response {
    let mut response = with_body(ErrorCode::MethodNotAllowed, &ErrorCode::MethodNotAllowed.response_in(locale));
    let headers = response.headers_mut();
    headers.insert(ALLOW, HeaderValue::from_static(allow));
    headers.insert(CONTENT_LANGUAGE, HeaderValue::from_static(locale.as_str()));
    response
}

pub(crate) fn invalid_credential(challenge: &HeaderValue) -> Response {
    let mut response = of(ErrorCode::InvalidApiKey);
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge.clone());
    response
}

/// Returns the response to a request about its credential that has none.
pub(crate) fn no_credential(challenge: &HeaderValue) -> Response {
    let mut response = of_detail(ErrorDetail::NoCredential);
    response.headers_mut().insert(WWW_AUTHENTICATE, challenge.clone());
    response
}

/// Returns the response while the store cannot verify a credential.
pub(crate) fn undecided() -> Response {
    let mut response = of(ErrorCode::Unavailable);
    response.headers_mut().insert(RETRY_AFTER, RETRY_STORE);
    response
}

/// Returns the 406 of a page: it lists the addresses of both variants, in the language of the page.
pub(crate) fn not_acceptable(site_url: &str, (here, twin): (&str, &str)) -> Response {
    let types = [media::HTML, media::MARKDOWN].map(essence);
    let locale = routes::locale_of(here);
    let available = format!("{}\n{} {site_url}{here}\n{} {site_url}{twin}\n", AVAILABLE[locale], types[0], types[1]);
    let mut response = plain(status(ErrorCode::NotAcceptable.status()), available);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media::TEXT));
    headers.insert(CONTENT_LANGUAGE, HeaderValue::from_static(locale.as_str()));
    headers.insert(VARY, HeaderValue::from_static("Accept"));
    harden(headers);
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_numbered_in_their_listed_order() {
        for (index, code) in ErrorCode::ALL.into_iter().enumerate() {
            assert_eq!(code as usize, index);
        }
    }

    #[test]
    fn every_status_is_an_error() {
        for code in ErrorCode::ALL {
            assert_eq!(status(code.status()).as_u16(), code.status(), "{code:?}");
            assert!(status(code.status()).is_client_error() || status(code.status()).is_server_error(), "{code:?}");
            assert!(metrics::STATUSES.contains(&code.status()), "{code:?}");
        }
    }
}
