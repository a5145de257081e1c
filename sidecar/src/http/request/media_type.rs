//! Media types of bodies.

use actix_web::http::header::{CONTENT_TYPE, HeaderMap};
use contract::media;

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
    /// Returns the known type that `Content-Type` names; parameters are ignored.
    pub(crate) fn of(headers: &HeaderMap) -> Option<Self> {
        let mut lines = headers.get_all(CONTENT_TYPE);
        let text = lines.next()?.to_str().ok()?;
        if lines.next().is_some() {
            return None;
        }
        let essence = media::essence(text).trim();
        let all = [Self::Json, Self::Form, Self::Logout, Self::Event];
        all.into_iter().find(|media_type| essence.eq_ignore_ascii_case(media_type.name()))
    }

    /// Lists `accepted` for a message.
    pub(crate) fn list(accepted: &[Self]) -> String {
        accepted.iter().map(|media_type| format!("`{}`", media_type.name())).collect::<Vec<_>>().join(" or ")
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Json => media::JSON,
            Self::Form => media::FORM,
            Self::Logout => "application/logout+jwt",
            Self::Event => "application/secevent+jwt",
        }
    }
}
