//! Whether a form was sent from this site's own page.
//!
//! Security: the secret in the body is the authority; this check keeps other sites from having a person's browser use
//! one. Pages whose address holds a secret send no referrer, and for them browsers write `Origin: null` on a form's
//! request (Fetch, 3.2), so there `null` proves nothing either way. `Sec-Fetch-Site`, which no script can write,
//! decides wherever it is sent. A form without a secret is on a page that tells this site where it comes from, so there
//! `null` means another site.

use actix_web::dev::ServiceRequest;
use actix_web::http::header::{HeaderName, ORIGIN};
use contract::headers;

use crate::http::request::values;

static SEC_FETCH_SITE: HeaderName = HeaderName::from_static(headers::SEC_FETCH_SITE);

/// Returns whether `request` may change something on behalf of a person at `site_url`; `is_secret` says whether it
/// carries a secret.
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
            // A form that anybody can make up is not accepted from a page that does not say which one it is.
            let is_hidden = fields == [("origin", "null")];
            assert_eq!(is_ours(&request, "https://firm.example", false), expected && !is_hidden, "{fields:?}");
        }
    }
}
