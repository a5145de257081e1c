//! A request for a page: its caller, language and fields.

use actix_web::{
    dev::ServiceRequest,
    http::{
        StatusCode,
        header::{ACCEPT_LANGUAGE, HeaderValue, RETRY_AFTER},
    },
};
use clock::Time;
use contract::{
    Locale,
    errors::{BadForm, MAX_FORM_BYTES},
    forms::Form,
    routes,
};
use forms::FormPage;
use registration::{domain::RegistrationError, registrar::Registrar, strict_json::StrictObject};

use super::{
    error_response::{self, FormTopic},
    origin, reply,
};
use crate::http::{
    handler::Incoming,
    negotiate,
    request::{body, media_type::MediaType, parameters::Parameters, values},
    response::Response,
    site::ServedSite,
    state::AppState,
};

/// The kinds of requests that a page accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Submission {
    /// A form with the secret of a link.
    Secret,
    /// A form with the secret of a link; programs may also send JSON.
    SecretOrJson,
    /// A form without a secret.
    Open,
}

pub(super) struct FormVisit<'a> {
    state: &'a AppState,
    site: &'a ServedSite,
    fields: Parameters,
    pub(super) now: Time,
    /// Whether the response is JSON, because the request is.
    pub(super) is_json: bool,
    /// The locale that `Accept-Language` prefers.
    preferred: Option<Locale>,
    /// The page for a rejected form: it names where to start again.
    refused: Form,
}

/// Returns the page for a request that is rejected before its handler.
pub(crate) fn refused_response(state: &AppState, request: &ServiceRequest, status: StatusCode) -> Response {
    let site = state.site.load_full();
    let visit = FormVisit::new(state, &site, request);
    visit.page_with(status, None, &FormPage::Plain(visit.refused))
}

/// Returns the response to a client that exceeds its limit.
pub(crate) fn limited_response(state: &AppState, request: &ServiceRequest, refusal: &RegistrationError) -> Response {
    let site = state.site.load_full();
    let mut visit = FormVisit::new(state, &site, request);
    visit.is_json = MediaType::of(request.headers()) == Some(MediaType::Json);
    visit.refusal(FormTopic::Access, refusal)
}

impl<'a> FormVisit<'a> {
    pub(super) fn from_query(incoming: &Incoming<'a>) -> Self {
        let mut visit = Self::new(incoming.state, incoming.admitted.site, incoming.request);
        // A malformed query counts as empty, so that a truncated address still leads to a page.
        visit.fields =
            Parameters::parse(incoming.request.uri().query().unwrap_or_default().as_bytes()).unwrap_or_default();
        visit
    }

    /// Reads the fields from the body of a submitted form.
    pub(super) async fn from_body(incoming: &mut Incoming<'a>, sent: Submission) -> Result<Self, Response> {
        let Incoming { state, admitted, request } = incoming;
        let mut visit = Self::new(state, admitted.site, request);
        let media_type = MediaType::of(request.headers());
        visit.is_json = sent == Submission::SecretOrJson && media_type == Some(MediaType::Json);
        if media_type != Some(MediaType::Form) && !visit.is_json {
            return Err(visit.refuse(BadForm::MediaType));
        }
        let is_secret = !matches!(sent, Submission::Open);
        if !origin::is_ours(request, visit.site.forms.site_url(), is_secret) {
            return Err(visit.refuse(BadForm::Origin));
        }
        let bytes = match body::read(request, MAX_FORM_BYTES).await {
            Ok(bytes) => bytes,
            Err(body::BodyError::Coded) => return Err(visit.refuse(BadForm::Coded)),
            Err(body::BodyError::TooLarge) => return Err(visit.refuse(BadForm::TooLarge)),
            Err(body::BodyError::Late) => return Err(visit.refuse(BadForm::Late)),
            Err(body::BodyError::Broken) => return Err(visit.refuse(BadForm::Malformed)),
        };
        let fields = if visit.is_json {
            StrictObject::parse(&bytes).and_then(StrictObject::into_texts).map(Parameters)
        } else {
            Parameters::parse(&bytes)
        };
        match fields {
            Ok(fields) => visit.fields = fields,
            Err(_) => return Err(visit.refuse(BadForm::Malformed)),
        }
        Ok(visit)
    }

    fn new(state: &'a AppState, site: &'a ServedSite, request: &ServiceRequest) -> Self {
        Self {
            site,
            now: state.clock.now(),
            state,
            fields: Parameters::default(),
            is_json: false,
            preferred: negotiate::language(values(request, &ACCEPT_LANGUAGE)),
            refused: match request.uri().path() {
                // A person who requests a link has no message yet.
                routes::ACCESS => Form::AccessRefused,
                routes::AUTHORIZE => Form::AuthorizeRefused,
                _ => Form::Refused,
            },
        }
    }

    pub(super) fn registrar(&self) -> &Registrar {
        &self.state.registrar
    }

    /// Returns the trimmed value of a field; an empty one counts as missing.
    pub(super) fn find(&self, name: &str) -> Option<&str> {
        self.fields.find(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Whether the word that `form` requires was typed.
    pub(super) fn has_word(&self, form: Form) -> bool {
        self.find("word").is_some_and(|text| form.is_word(text))
    }

    /// Returns the secret of the link.
    pub(super) fn token(&self) -> Option<&str> {
        self.find("token").or_else(|| self.find("claim_attempt_token"))
    }

    /// Returns the language of the response: the requested one, else the `known` one of this person, else that of the
    /// browser.
    pub(super) fn locale(&self, known: Option<Locale>) -> Locale {
        // An unknown locale is ignored.
        let requested = self.find("locale").and_then(|locale| locale.parse().ok());
        requested.or(known).or(self.preferred).unwrap_or(Locale::DEFAULT)
    }

    /// Returns a page; `known` is the language of the person.
    pub(super) fn page(&self, known: Option<Locale>, page: &FormPage) -> Response {
        self.page_with(StatusCode::OK, known, page)
    }

    pub(super) fn page_with(&self, status: StatusCode, known: Option<Locale>, page: &FormPage) -> Response {
        reply::page(&self.site.forms, status, self.locale(known), page)
    }

    /// Rejects a request that is not a form of this site.
    pub(super) fn refuse(&self, bad: BadForm) -> Response {
        if self.is_json {
            return error_response::document(bad);
        }
        self.page_with(error_response::status(bad), None, &FormPage::Plain(self.refused))
    }

    /// Responds to an error of the registrar.
    pub(super) fn refusal(&self, topic: FormTopic, refused: &RegistrationError) -> Response {
        let (status, form) = error_response::page_for(topic, refused);
        let wait = match refused {
            RegistrationError::Limited { retry_after } | RegistrationError::Unavailable { retry_after } => {
                Some(*retry_after)
            }
            _ => None,
        };
        let mut response = if self.is_json {
            let mut error = refused.code().response();
            error.retry_after = wait;
            error_response::document_of(status, &error)
        } else {
            self.page_with(status, None, &FormPage::Plain(form))
        };
        if let Some(wait) = wait {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(wait));
        }
        response
    }
}
