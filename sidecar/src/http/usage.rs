//! Counts requests for the operator's report. Each worker has counts of its own.
//!
//! Security: what is counted is in [`usage`]; no address, no credential and no raw `User-Agent` is kept.

use std::sync::{Arc, Mutex, PoisonError};

use actix_web::{
    dev::ServiceRequest,
    http::{
        Method, StatusCode,
        header::{CONTENT_LANGUAGE, CONTENT_LOCATION, HeaderValue, REFERER, USER_AGENT},
    },
};
use arc_swap::ArcSwap;
use contract::{Locale, manifest::Class, routes};
use mcp::ToolUse;
use metrics::TargetKind;
use usage::{KnownReader, NamedCount, ReadFormat, RequestTally};

use super::{request::target, response::Response, site::ServedSite};

/// The longest path of this site that is kept with an address that does not exist.
const MAX_PAGE: usize = 120;

type WorkerTally = Arc<Mutex<RequestTally>>;

/// The counts of all workers.
#[derive(Debug, Default)]
pub(crate) struct UsageCounters(Mutex<Vec<WorkerTally>>);

/// What a handler adds to the counts; it travels with the response.
#[derive(Debug)]
pub(super) enum UsageNote {
    /// Calls of tools, and what their searches did not find.
    Tools(Vec<ToolUse>),
    /// The words of a search without results.
    Unfound(String),
}

impl UsageCounters {
    /// Returns the counts for one more worker.
    pub(crate) fn worker(&self) -> WorkerTally {
        let tally = WorkerTally::default();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(&tally));
        tally
    }

    /// Takes the counts of all workers, as those of `day`.
    pub(crate) fn drain(&self, day: &str) -> Vec<NamedCount> {
        let workers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let drained = workers.iter().map(|tally| tally.lock().unwrap_or_else(PoisonError::into_inner).drain(day));
        drained.flatten().collect()
    }
}

/// Counts a request and its response.
pub(super) fn count(
    tally: &Mutex<RequestTally>,
    site: &ArcSwap<ServedSite>,
    request: &ServiceRequest,
    kind: TargetKind,
    response: &mut Response,
) {
    let (method, status, path) = (request.method(), response.status(), request.uri().path());
    let is_read = matches!(status, StatusCode::OK | StatusCode::NOT_MODIFIED);
    let agent = request.headers().get(&USER_AGENT).map_or(&b""[..], |agent| agent.as_bytes());
    if KnownReader::is_check(agent) {
        return;
    }
    let locked = || tally.lock().unwrap_or_else(PoisonError::into_inner);
    match kind {
        TargetKind::Class(class) if is_read && *method == Method::GET => {
            let Some(format) = format(class, path, response) else { return };
            // The path first: a response to a reader that has the page already names no language.
            let first = path.as_bytes().split(|byte| *byte == b'/').nth(1);
            let named = || response.headers().get(&CONTENT_LANGUAGE).map(HeaderValue::as_bytes);
            let locale = first.and_then(locale).or_else(|| named().and_then(locale));
            let decoded = if path.contains('%') { target::decode(path) } else { None };
            let note = take_note(response);
            let mut tally = locked();
            let reader = tally.recognize(agent);
            tally.count_read(reader, decoded.as_deref().unwrap_or(path), format, locale);
            if let Some(UsageNote::Unfound(words)) = note {
                tally.count_unfound(&words);
            }
        }
        TargetKind::Endpoint if path == routes::MCP && *method == Method::POST => {
            let note = take_note(response);
            if !matches!(status, StatusCode::OK | StatusCode::ACCEPTED) {
                return;
            }
            let mut tally = locked();
            tally.count_read(KnownReader::MCP, path, ReadFormat::Mcp, None);
            let uses = if let Some(UsageNote::Tools(uses)) = note { uses } else { Vec::new() };
            for tool_use in uses {
                match tool_use {
                    ToolUse::Called(name) => tally.count_tool(&name),
                    ToolUse::Unfound(words) => tally.count_unfound(&words),
                }
            }
        }
        TargetKind::None if status == StatusCode::NOT_FOUND && *method == Method::GET => {
            let site = site.load();
            let referrer = request.headers().get(&REFERER).and_then(|value| value.to_str().ok());
            let page = referrer.and_then(|referrer| page_of_site(&site, referrer));
            locked().count_missing(path, page);
        }
        _ => {}
    }
}

fn take_note(response: &mut Response) -> Option<UsageNote> {
    response.extensions_mut().remove()
}

fn format(class: Class, path: &str, response: &Response) -> Option<ReadFormat> {
    let is_markdown = || {
        let location = response.headers().get(&CONTENT_LOCATION);
        location.is_some_and(|location| location.as_bytes().ends_with(b".md"))
    };
    Some(match class {
        Class::Api | Class::Health | Class::Description | Class::Discovery => ReadFormat::Json,
        Class::Page if is_markdown() => ReadFormat::Markdown,
        Class::Page => ReadFormat::Html,
        Class::Twin => ReadFormat::Markdown,
        Class::Feed => ReadFormat::Feed,
        Class::Document => ReadFormat::Document,
        Class::Text if [".txt", ".xml", ".md"].iter().any(|ending| path.ends_with(ending)) => ReadFormat::Text,
        Class::Text | Class::Asset | Class::Editor => return None,
    })
}

fn locale(language: &[u8]) -> Option<Locale> {
    Locale::ALL.into_iter().find(|locale| locale.as_str().as_bytes() == language)
}

/// Returns the path of the page that led to a request, if it is one of this site: other addresses may hold anything.
fn page_of_site<'r>(site: &ServedSite, referrer: &'r str) -> Option<&'r str> {
    let path = referrer.strip_prefix(site.url.as_str())?.split(['?', '#']).next()?;
    let path = if path.is_empty() { "/" } else { path };
    (path.len() <= MAX_PAGE && site.find(path).is_some()).then_some(path)
}
