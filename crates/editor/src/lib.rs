//! The editor in the browser, at [`routes::ADMIN`]: the files of Sveltia CMS, and a configuration for a site.
//!
//! The files come from the package of npm, which is no part of this repository; see [`Bundle`]. The configuration follows from
//! the rows of the fields, as the schemas for text editors do.

mod bundle;
mod configuration;

pub use bundle::{Bundle, PACKAGE, VERSION};
pub use configuration::configuration;

use contract::{Locale, media, routes};
use site::{EditorFile, Site};

/// Returns the files of the editor for a site; none if the site has no editor.
pub fn files(site: &Site, bundle: &Bundle) -> Vec<EditorFile> {
    let Some(settings) = &site.settings.editor else { return Vec::new() };
    let file = |path: String, media_type, bytes: Vec<u8>| EditorFile { path, media_type, bytes };
    let mut files = vec![
        file(routes::ADMIN.to_owned(), media::HTML, include_str!("index.html").into()),
        file(format!("{}/start.js", routes::ADMIN), media::JAVASCRIPT, include_str!("start.js").into()),
        file(format!("{}/entry.js", routes::ADMIN), media::JAVASCRIPT, include_str!("entry.js").into()),
    ];
    files.extend(Locale::ALL.map(|locale| {
        let text = format!("{:#}\n", configuration(site, settings, locale));
        file(format!("{}/config.{locale}.json", routes::ADMIN), media::JSON, text.into_bytes())
    }));
    files.extend(bundle.files().iter().cloned());
    files
}
