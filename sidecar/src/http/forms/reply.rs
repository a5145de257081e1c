//! Responses with a page: private and not stored.

use actix_web::http::{
    StatusCode,
    header::{
        CACHE_CONTROL, CONTENT_LANGUAGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, HeaderValue, PRAGMA,
        REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
    },
};
use contract::{
    Locale,
    forms::Form,
    headers::{CROSS_ORIGIN_OPENER_POLICY, NOSNIFF, X_ROBOTS_TAG},
    media,
};
use forms::{FormPage, Forms};

use crate::http::{
    response,
    response::{NO_STORE, Response, error_response::NO_CACHE},
};

/// No scripts, nothing from other origins, no frames, and forms only to this site.
const POLICY: &str = "default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; \
                      frame-ancestors 'none'; base-uri 'none'";

/// Fields of every page. Security: the address holds a secret, so no request may forward it and no opener window may
/// read it.
const FIELDS: [(HeaderName, HeaderValue); 9] = [
    (CACHE_CONTROL, NO_STORE),
    (PRAGMA, NO_CACHE),
    (CONTENT_TYPE, HeaderValue::from_static(media::HTML)),
    (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
    (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static(NOSNIFF)),
    (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
    (HeaderName::from_static(X_ROBOTS_TAG), HeaderValue::from_static("noindex, nofollow")),
    (HeaderName::from_static(CROSS_ORIGIN_OPENER_POLICY), HeaderValue::from_static("same-origin")),
];

pub(super) fn page(forms: &Forms, status: StatusCode, locale: Locale, page: &FormPage) -> Response {
    let html = forms.fill(page.form(), locale, &page.facts());
    let mut response = response::plain(status, html);
    let headers = response.headers_mut();
    for (name, value) in FIELDS {
        headers.insert(name, value);
    }
    if let FormPage::Plain(Form::Access) | FormPage::AccessInvalid { .. } = page {
        // This address holds no secret, and its form must be sent with an origin.
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("same-origin"));
    }
    headers.insert(CONTENT_LANGUAGE, HeaderValue::from_static(locale.as_str()));
    response
}
