//! Media types of bodies.

use actix_http::header::HeaderMap;
use actix_web::http::header::CONTENT_TYPE;
use contract::media;

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MediaType {
    /// `application/json`.
    Json,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `application/logout+jwt`.
    Logout,
    /// `application/secevent+jwt`.
    Event,
}

impl MediaType {
    /// What the header fields say; parameters such as a charset are ignored.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut lines = headers.get_all(CONTENT_TYPE);
        let text = lines.next()?.to_str().ok()?;
        if lines.next().is_some() {
            return None;
        }
        let essence = media::essence(text).trim().to_ascii_lowercase();
        match essence.as_str() {
            media::JSON => Some(Self::Json),
            media::FORM => Some(Self::Form),
            "application/logout+jwt" => Some(Self::Logout),
            "application/secevent+jwt" => Some(Self::Event),
            _ => None,
        }
    }
}
