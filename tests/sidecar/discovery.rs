//! Discovery documents (contract, section 5), as far as serving them goes.

use contract::{media, routes};

use crate::fixture::{Build, SITE};

#[test]
fn api_catalog_names_itself_on_get_and_head() {
    let site = Build::small().serve();
    for method in ["GET", "HEAD"] {
        let response = site.request(method, routes::API_CATALOG, &[]);
        assert_eq!(response.status, 200);
        assert_eq!(response.header("content-type"), Some(media::LINKSET));
        let link = format!("<{SITE}{}>; rel=\"api-catalog\"", routes::API_CATALOG);
        assert_eq!(response.header("link"), Some(link.as_str()));
        assert_eq!(response.header("access-control-allow-origin"), Some("*"));
    }
}

#[test]
fn discovery_asks_for_no_credential() {
    let site = Build::small().serve();
    assert_eq!(site.get_with(routes::API_CATALOG, &["Authorization: Bearer wrong"]).status, 200);
}
