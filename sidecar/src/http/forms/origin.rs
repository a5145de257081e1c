//! Checks that a form was submitted from a page of this site.
//!
//! Security: the secret in the body is the authority; this check prevents that other sites make a person's browser use
//! one. Pages whose address holds a secret send no referrer, and their forms have `Origin: null` (Fetch, 3.2), so
//! `null` is accepted there. `Sec-Fetch-Site`, which no script can write, takes precedence. A form without a secret is
//! on a page that sends its origin, so there `null` is another site.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{HeaderName, ORIGIN};
use contract::headers;

use crate::http::request::values;

static SEC_FETCH_SITE: HeaderName = HeaderName::from_static(headers::SEC_FETCH_SITE);

/// Whether the form in `request` was submitted from a page at `site_url`; `is_secret` is whether it carries a secret.
pub(super) fn is_ours(request: &ServiceRequest, site_url: &str, is_secret: bool) -> bool {
    let mut site = values(request, &SEC_FETCH_SITE).peekable();
    if site.peek().is_some() {
        return site.all(|value| value == b"same-origin" || value == b"none");
    }
    values(request, &ORIGIN).all(|value| (is_secret && value == b"null") || value == site_url.as_bytes())
}

#[cfg(test)]
mod tests {
    use actix_web::test::TestRequest;

    use super::*;

    #[test]
    fn forms_of_other_sites_are_refused() {
        for (fields, expected) in [
            (&[][..], true),
            (&[(headers::SEC_FETCH_SITE, "same-origin"), ("origin", "null")], true),
            (&[(headers::SEC_FETCH_SITE, "none")], true),
            (&[(headers::SEC_FETCH_SITE, "cross-site")], false),
            (&[(headers::SEC_FETCH_SITE, "same-site"), ("origin", "https://firm.example")], false),
            (&[(headers::SEC_FETCH_SITE, "")], false),
            (&[("origin", "https://firm.example")], true),
            (&[("origin", "null")], true),
            (&[("origin", "https://firm.example.evil.example")], false),
            (&[("origin", "http://firm.example")], false),
        ] {
            let mut request = TestRequest::default();
            for field in fields {
                request = request.append_header(*field);
            }
            let request = request.to_srv_request();
            assert_eq!(is_ours(&request, "https://firm.example", true), expected, "{fields:?}");
            // A form without a secret is not accepted from a page without an origin.
            let is_hidden = fields == [("origin", "null")];
            assert_eq!(is_ours(&request, "https://firm.example", false), expected && !is_hidden, "{fields:?}");
        }
    }
}
