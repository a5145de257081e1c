//! One request for a page: who comes, in which language, with which fields.

use std::sync::Arc;

use actix_http::{Request, Response, body::BoxBody};
use actix_web::http::{
    StatusCode,
    header::{ACCEPT_LANGUAGE, CONTENT_TYPE},
};
use contract::{Locale, forms::Form};

use super::{
    super::{agent, body, content::values, limits::Client, negotiate, routes::Shared, site::Site},
    fields::Fields,
    origin,
    refusal::{self, Refused, Subject},
    reply,
};
use crate::{
    Time,
    forms::Page,
    registration::{Caller, Refusal, Registrar},
};

/// More than any form here needs.
const MOST_OCTETS: usize = 8 * 1024;

/// One request.
pub(super) struct Visit {
    pub(super) shared: Arc<Shared>,
    site: Arc<Site>,
    pub(super) fields: Fields,
    pub(super) caller: Caller,
    pub(super) now: Time,
    /// Whether the answer is for a program: JSON to who sent JSON.
    pub(super) is_json: bool,
    /// What `Accept-Language` prefers.
    preferred: Option<Locale>,
}

impl Visit {
    /// Somebody reads: the fields are those of the query.
    pub(super) fn reading(shared: Arc<Shared>, request: &Request) -> Result<Self, Response<BoxBody>> {
        let mut visit = Self::new(shared, request);
        // What cannot be understood is not there; an address that was cut in two still leads to a page.
        visit.fields = Fields::parse(request.uri().query().unwrap_or_default().as_bytes()).unwrap_or_default();
        visit.pass()?;
        Ok(visit)
    }

    /// Somebody sends a form: the fields are those of the body. `programs` may send JSON instead.
    pub(super) async fn sending(
        shared: Arc<Shared>,
        mut request: Request,
        programs: bool,
    ) -> Result<Self, Response<BoxBody>> {
        let mut visit = Self::new(shared, &request);
        let media_type = values(&request, &CONTENT_TYPE).next().unwrap_or_default();
        let essence = media_type.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
        visit.is_json = programs && essence.eq_ignore_ascii_case(b"application/json");
        visit.pass()?;
        let is_form = essence.eq_ignore_ascii_case(b"application/x-www-form-urlencoded");
        if !is_form && !visit.is_json {
            return Err(visit.refuse(Refused::MediaType));
        }
        if !origin::is_ours(&request, visit.site.forms.site_url()) {
            return Err(visit.refuse(Refused::Origin));
        }
        let octets = match body::read(&mut request, MOST_OCTETS).await {
            Ok(octets) => octets,
            Err(body::BodyError::TooLarge) => return Err(visit.refuse(Refused::TooLarge)),
            Err(body::BodyError::Broken) => return Err(visit.refuse(Refused::Malformed)),
        };
        let fields = if visit.is_json { Fields::parse_json(&octets) } else { Fields::parse(&octets) };
        match fields {
            Ok(fields) => visit.fields = fields,
            Err(_) => return Err(visit.refuse(Refused::Malformed)),
        }
        Ok(visit)
    }

    fn new(shared: Arc<Shared>, request: &Request) -> Self {
        Self {
            site: shared.site.load_full(),
            caller: agent::caller(&shared, request),
            now: shared.clock.now(),
            shared,
            fields: Fields::default(),
            is_json: false,
            preferred: negotiate::language(values(request, &ACCEPT_LANGUAGE)),
        }
    }

    /// Security: whoever asks too often is sent away before a body is read or the store is asked.
    fn pass(&self) -> Result<(), Response<BoxBody>> {
        let Caller::Client(number) = self.caller else { return Ok(()) };
        let passed = self.shared.agent_limits.pass(Client::Remote(number), || self.shared.clock.nanoseconds());
        passed.map_err(|retry_after| self.refusal(Subject::Access, &Refusal::Limited { retry_after }))
    }

    pub(super) fn registrar(&self) -> &Registrar {
        &self.shared.registrar
    }

    /// The secret of the link that led here.
    pub(super) fn token(&self) -> Option<&str> {
        self.fields.find("token").or_else(|| self.fields.find("claim_attempt_token"))
    }

    /// The language of the answer: the one that is asked for, else the `known` one of this person, else what the
    /// browser prefers.
    pub(super) fn locale(&self, known: Option<Locale>) -> Locale {
        self.fields.locale().or(known).or(self.preferred).unwrap_or(Locale::DEFAULT)
    }

    /// A page for this person, whose language is perhaps known.
    pub(super) fn page(&self, known: Option<Locale>, page: &Page) -> Response<BoxBody> {
        self.page_with(StatusCode::OK, known, page)
    }

    pub(super) fn page_with(&self, status: StatusCode, known: Option<Locale>, page: &Page) -> Response<BoxBody> {
        reply::page(&self.site.forms, status, self.locale(known), page)
    }

    /// What was sent is no form of ours.
    pub(super) fn refuse(&self, refused: Refused) -> Response<BoxBody> {
        if self.is_json {
            return refusal::document(refused);
        }
        self.page_with(refused.status(), None, &Page::Plain(Form::Refused))
    }
}
