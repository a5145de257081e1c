//! Media types of bodies.

use actix_http::header::HeaderMap;
use actix_web::http::header::CONTENT_TYPE;

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MediaType {
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
    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut lines = headers.get_all(CONTENT_TYPE);
        let text = lines.next()?.to_str().ok()?;
        if lines.next().is_some() {
            return None;
        }
        let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/json" => Some(Self::Json),
            "application/x-www-form-urlencoded" => Some(Self::Form),
            "application/logout+jwt" => Some(Self::Logout),
            "application/secevent+jwt" => Some(Self::Event),
            _ => None,
        }
    }
}
