//! Attributes an unexpected answer to the service, to something in front of it, or to another site.

use std::borrow::Cow;

use contract::routes;
use findings::messages::{self, Text};

use super::{
    fault::{Fault, Faults, area},
    visit::{Answer, Visit},
};

impl Fault {
    /// Creates the fault of an answer with an unexpected status. The remedy depends on the sender: errors of the
    /// service have its own form, those of a proxy do not.
    pub(super) fn of_status(visit: &Visit, path: &str, answer: &Answer) -> Self {
        let (status, area) = (answer.status, area(path));
        let is_own = answer.is_error() || answer.json().is_ok_and(|body| body["jsonrpc"].is_string());
        let location = answer.field("location");
        let origin = location.split('/').take(3).collect::<Vec<_>>().join("/");
        let is_whole = location.starts_with("http://") || location.starts_with("https://");
        let (fault, remedy) = match status {
            300..=399 if is_whole && origin != visit.origin() => {
                (messages::redirected(status, &origin), origin_remedy(visit, &origin))
            }
            300..=399 if !location.is_empty() => {
                (messages::redirected(status, redirect_target(visit, path, location)), messages::doctor_redirect_help())
            }
            503 if is_own => (messages::service_unavailable(status), messages::doctor_store_help(routes::HEALTH)),
            502..=504 | 520..=530 => (messages::service_down(status), messages::doctor_start_help()),
            _ if is_own && status == 403 => (messages::answer_status(status), messages::doctor_host_help()),
            _ if is_own && status == 415 => (messages::answer_status(status), messages::doctor_request_fields_help()),
            404 if is_cut(visit, &area) => (messages::answer_status(status), messages::doctor_prefix_help(area)),
            413 => (messages::answer_status(status), messages::doctor_body_help()),
            429 => (messages::answer_status(status), messages::doctor_wait_help()),
            _ if is_own => (messages::answer_status(status), messages::doctor_publish_help()),
            403 if area.starts_with("/.") => (messages::kept_out(status), messages::doctor_hidden_help(area)),
            401 | 403 => (messages::kept_out(status), messages::doctor_kept_out_help(area)),
            405 | 501 => (messages::answer_status(status), messages::doctor_methods_help()),
            _ if area.starts_with("/.") => (messages::answer_status(status), messages::doctor_hidden_help(area)),
            _ => (answer.status_message(), messages::doctor_area_help(area)),
        };
        Self::new(path, fault, || remedy)
    }
}

/// Returns whether a proxy cuts the name of a folder off: then the state of the service is below the folder too.
fn is_cut(visit: &Visit, folder: &str) -> bool {
    folder.ends_with('/')
        && visit
            .get(&format!("{}{}", folder.trim_end_matches('/'), routes::HEALTH), &[])
            .is_ok_and(|answer| answer.status == 200 && answer.json().is_ok_and(|state| state["ok"] == true))
}

impl Faults {
    /// Adds a fault unless `holds`. If something in front of the service sent the answer, the fault is about that.
    pub(super) fn expect_answer(
        &mut self,
        visit: &Visit,
        (path, answer): (&str, &Answer),
        holds: bool,
        remedy: impl FnOnce() -> Text,
        fault: impl FnOnce() -> Text,
    ) {
        let is_refused = answer.status == 503 || answer.status >= 400 && !answer.is_own();
        if !holds {
            self.push(if is_refused || matches!(answer.status, 300..=303 | 305..=399) {
                Fault::of_status(visit, path, answer)
            } else {
                Fault::new(path, fault(), remedy)
            });
        }
    }
}

/// Returns the target of a redirect for a message. The part that repeats the path becomes `…`, so that redirects of
/// several paths are merged.
fn redirect_target<'a>(visit: &Visit, path: &str, location: &'a str) -> Cow<'a, str> {
    let bare = |target: &'a str| target.split('?').next().unwrap_or_default();
    let target = bare(location.strip_prefix(visit.origin()).unwrap_or(location));
    let rest = target.strip_prefix(path.split('?').next().unwrap_or_default());
    match rest.filter(|rest| rest.is_empty() || rest.starts_with('/')) {
        Some(rest) => format!("…{rest}").into(),
        // The same page with another query; below, the root of the site.
        None if location.starts_with('?') => "…".into(),
        None if target.is_empty() => "/".into(),
        None => target.into(),
    }
}

/// Returns the remedy for an address whose origin is not that of the site.
pub(super) fn origin_remedy(visit: &Visit, address: &str) -> Text {
    let other = super::other_scheme(visit.origin());
    if address == other || address.starts_with(&format!("{other}/")) {
        return messages::doctor_scheme_help(other);
    }
    messages::doctor_origin_help()
}
