//! What one worker has for all of its connections and requests, and what it remembers of them.

use std::{
    cell::{OnceCell, RefCell},
    rc::Rc,
    sync::Arc,
};

use actix_http::{HttpMessage as _, Request};
use actix_web::http::{
    Method, StatusCode, Version,
    header::{AUTHORIZATION, COOKIE, EXPECT, PROXY_AUTHORIZATION},
};
use bytes::Bytes;

use super::{
    answer::payload::{Fields, Reply},
    connection::{Pages, Whole},
    date::DateLine,
    head::Head,
    limits::Client,
    metrics::{Counters, Kind},
    recall::{Known, Recall},
    request_id::{self, RequestIds},
    shared::{API_KEY, Shared, is_passed_on},
    site::edition::Edition,
};

/// The most octets of a body that is remembered. With a longer one, what is saved is next to nothing.
const MOST: usize = 64 * 1024;

/// What one worker has.
pub(crate) struct Worker {
    pub(crate) shared: Arc<Shared>,
    pub(crate) counters: Arc<Counters>,
    pub(crate) ids: RequestIds,
    recall: RefCell<Recall<Edition, Remembered>>,
    date: DateLine,
}

/// An answer from the build, but for what belongs to the moment.
struct Remembered {
    kind: Kind,
    status: StatusCode,
    /// Whether each request for it counts on the limit of the content API.
    is_counted: bool,
    status_line: Box<[u8]>,
    fields: Box<[u8]>,
    body: Bytes,
    /// The body in pages, once there are any.
    pages: OnceCell<Rc<Pages>>,
}

impl Remembered {
    fn pages(&self) -> Option<Rc<Pages>> {
        if self.pages.get().is_none() {
            // If somebody was faster, they are the same.
            let _ = self.pages.set(Pages::of(&self.body)?);
        }
        self.pages.get().cloned()
    }
}

impl Worker {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self {
            counters: shared.metrics.worker(),
            ids: RequestIds::new(),
            recall: RefCell::default(),
            date: DateLine::default(),
            shared,
        }
    }

    /// Forgets what is of builds before the one in force.
    pub(crate) fn forget_former(&self) {
        self.recall.borrow_mut().enter(self.shared.site.load().edition);
    }

    /// Remembers `reply` for the next request of the same `octets`, if it depends on them and the build alone.
    pub(crate) fn learn(&self, octets: Box<[u8]>, request: &Request, kind: Kind, reply: &Reply) {
        let Some(fields) = &reply.body().fields else { return };
        if !may_be_kept(request, fields) || reply.body().body.len() > MOST {
            return;
        }
        let status = reply.status();
        let status_line = format!("HTTP/1.1 {} {}\r\n", status.as_str(), status.canonical_reason().unwrap_or_default());
        let remembered = Remembered {
            kind,
            status,
            is_counted: fields.is_counted(),
            status_line: status_line.into_bytes().into(),
            fields: fields.of_build().into(),
            body: if request.method() == Method::HEAD { Bytes::new() } else { reply.body().body.clone() },
            pages: OnceCell::new(),
        };
        // The memory noted the edition before the request was answered. If it is still in force, the answer is of it.
        self.recall.borrow_mut().learn(self.shared.site.load().edition, octets, remembered);
    }

    /// Answers a request of `client` of exactly these octets, if it is known what the build has for it.
    pub(crate) fn recall(&self, request: &[u8], client: Client) -> Known<Whole> {
        let Self { shared, counters, ids, recall, date } = self;
        let known = recall.borrow_mut().find(shared.site.load().edition, request);
        let remembered = match known {
            Known::Answer(remembered) => remembered,
            Known::Again => return Known::Again,
            Known::No => return Known::No,
        };
        let quota = &shared.limits.content;
        let count = || shared.limits.count(quota, client, || shared.clock.nanoseconds());
        // A request beyond the limit is not counted; whoever answers it finds the same.
        let Ok(allowance) = remembered.is_counted.then(count).transpose() else { return Known::No };
        counters.count(remembered.kind, remembered.status);
        let mut head = Head::begin([&remembered.status_line, &date.at(shared.clock.now()), &remembered.fields, b""]);
        if let Some(allowance) = allowance {
            quota.push(allowance, &mut head);
        }
        head.end(&ids.name(None));
        Known::Answer(Whole { head, body: remembered.body.clone(), pages: remembered.pages() })
    }
}

/// Whether the answer with these fields depends on the octets of `request` and the build alone, and the octets may be
/// kept. Security: what nobody asks for here is kept nowhere: cookies, users named in an address, and credentials and
/// queries of pages, which may hold the token of a mistyped link.
fn may_be_kept(request: &Request, fields: &Fields) -> bool {
    let has = |name| request.headers().contains_key(name);
    // To other versions the library writes fields of its own.
    request.version() == Version::HTTP_11
        && request.uri().authority().is_none()
        && !is_passed_on(request)
        && ![&request_id::FIELD, &EXPECT, &COOKIE, &PROXY_AUTHORIZATION].into_iter().any(has)
        && (fields.is_counted() || request.uri().query().is_none() && ![&AUTHORIZATION, &API_KEY].into_iter().any(has))
}

#[cfg(test)]
mod tests {
    use actix_http::test::TestRequest;

    use super::*;
    use crate::edge::answer::payload;

    /// Whether a request with this field, beside the usual ones, may be kept.
    fn is_kept(version: Version, target: &str, name: &'static str, is_counted: bool) -> bool {
        let mut request = TestRequest::with_uri(target);
        request.version(version);
        for field in [("host", "firm.example"), ("accept", "*/*"), ("user-agent", "x"), (name, "x")] {
            request.append_header(field);
        }
        let reply = payload::prepared(StatusCode::OK, Head::begin([b""; 4]), Bytes::new());
        let mut fields = reply.into_parts().1.fields.unwrap();
        if is_counted {
            fields.begin_limit();
        }
        may_be_kept(&request.finish(), &fields)
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_long_body_is_in_pages_once_however_it_is_asked_for() {
        let remembered = |body: &Bytes| Remembered {
            kind: Kind::None,
            status: StatusCode::OK,
            is_counted: false,
            status_line: Box::default(),
            fields: Box::default(),
            body: body.clone(),
            pages: OnceCell::new(),
        };
        let (long, short) = (Bytes::from(vec![b'x'; 20_000]), Bytes::from_static(b"x"));
        let (one, other) = (remembered(&long), remembered(&long));
        let pages = one.pages().unwrap();
        assert!([one.pages(), other.pages()].into_iter().all(|same| Rc::ptr_eq(&same.unwrap(), &pages)));
        assert!(remembered(&short).pages().is_none());
    }

    #[test]
    fn what_depends_on_more_than_the_request_or_holds_what_is_nobodys_business_is_not_kept() {
        for (name, on_pages, on_the_api) in [
            ("if-none-match", true, true),
            ("accept-encoding", true, true),
            ("sec-fetch-mode", true, true),
            ("authorization", false, true),
            ("x-api-key", false, true),
            ("cookie", false, false),
            ("proxy-authorization", false, false),
            ("expect", false, false),
            ("forwarded", false, false),
            ("via", false, false),
            ("x-forwarded-for", false, false),
            ("x-request-id", false, false),
        ] {
            assert_eq!(is_kept(Version::HTTP_11, "/x", name, false), on_pages, "{name}");
            assert_eq!(is_kept(Version::HTTP_11, "/x?locale=tr", name, true), on_the_api, "{name}");
            assert!(!is_kept(Version::HTTP_11, "/x?token=y", name, false), "{name}");
            assert!(!is_kept(Version::HTTP_11, "http://user:word@firm.example/x", name, true), "{name}");
            assert!(!is_kept(Version::HTTP_10, "/x", name, true), "{name}");
        }
    }
}
