//! The editor in the browser, at [`routes::ADMIN`]: the files of Sveltia CMS, and a configuration for a site.
//!
//! The files come from the package of npm, which is no part of this repository; see [`Bundle`]. The configuration follows from
//! the rows of the fields, as the schemas for text editors do.

mod bundle;
mod configuration;

pub use bundle::{Bundle, PACKAGE, VERSION};
pub use configuration::configuration;

use content::{Kind, Sharing, fields_of};
use contract::{Locale, media, routes};
use serde_json::{Map, Value as Json, json};
use site::{EditorFile, Site};

/// Returns the files of the editor for a site; none if the site has no editor.
pub fn files(site: &Site, bundle: &Bundle) -> Vec<EditorFile> {
    let Some(settings) = &site.settings.editor else { return Vec::new() };
    let file = |path: String, media_type, bytes: Vec<u8>| EditorFile { path, media_type, bytes };
    let mut files = vec![
        file(routes::ADMIN.to_owned(), media::HTML, include_str!("index.html").into()),
        file(format!("{}/start.js", routes::ADMIN), media::JAVASCRIPT, start().into_bytes()),
    ];
    files.extend(Locale::ALL.map(|locale| {
        let text = format!("{:#}\n", configuration(site, settings, locale));
        file(format!("{}/config.{locale}.json", routes::ADMIN), media::JSON, text.into_bytes())
    }));
    files.extend(bundle.files().iter().cloned());
    files
}

/// Returns the script of the page, with the fields of each kind.
fn start() -> String {
    let of = |kind: Kind| {
        let fields = fields_of(kind.folder()).iter();
        let fields: Map<_, _> = fields.map(|it| (it.name.clone(), json!(it.sharing == Sharing::Shared))).collect();
        (kind.folder().to_owned(), Json::Object(fields))
    };
    let kinds = Json::Object(Kind::ALL.into_iter().map(of).collect());
    include_str!("start.js").replacen("fieldsOf = {}", &format!("fieldsOf = {kinds}"), 1)
}

#[cfg(test)]
mod tests {
    use super::start;

    #[test]
    fn script_of_the_page_has_the_fields_in_the_order_of_the_files() {
        let script = start();
        let places =
            ["fieldsOf = {\"", "\"publications\":{\"title\":false,\"slug\":false,", "\"date\":true,\"author\":true"];
        assert!(places.iter().all(|part| script.contains(part)), "{script}");
    }
}
