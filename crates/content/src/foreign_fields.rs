//! Names of fields in the front matter of other systems, with their replacements here.

use findings::messages::{self, Text};

/// A field of another system.
#[derive(Clone, Debug)]
pub(super) struct ForeignField {
    /// The fields that may replace it; the kind of entry determines which one exists.
    pub(super) candidates: &'static [&'static str],
    /// The remedy if the kind has none of them.
    pub(super) help: Option<Text>,
}

/// Looks up a field name, ignoring case and punctuation.
pub(super) fn foreign_field(name: &str) -> Option<ForeignField> {
    let plain: String = name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
    let (candidates, help): (&[&str], _) = match plain.as_str() {
        "pubdate" | "publishdate" | "publisheddate" | "publishedat" | "datepublished" | "created" | "createdat"
        | "tarih" => (&["date"], None),
        "lastmod" | "modified" | "modifiedat" | "lastmodified" | "lastmodifiedat" | "updateddate" | "updatedat"
        | "datemodified" => (&["updated"], None),
        "description" | "summary" | "subtitle" | "abstract" | "teaser" | "excerpt" | "lead" | "özet" => {
            (&["excerpt", "summary", "description"], None)
        }
        "name" | "title" | "başlık" | "baslik" => (&["title", "name"], None),
        "permalink" | "url" | "path" | "handle" => (&["slug"], None),
        "redirectfrom" | "redirects" => (&["aliases"], None),
        "keywords" | "tag" | "labels" | "etiketler" | "tags" => {
            (&["tags"], Some(messages::tags_of_publications_help()))
        }
        "categories" | "kategori" | "topic" => (&["category"], Some(messages::line_removal_help())),
        "yazar" | "writer" | "byline" => (&["author"], Some(messages::line_removal_help())),
        "weight" | "position" | "navorder" | "sıra" => (&["order"], Some(messages::line_removal_help())),
        "published" | "status" | "taslak" => (&[], Some(messages::field_of_status_help())),
        "layout" | "type" | "template" | "collection" => (&[], Some(messages::field_of_layout_help())),
        "image" | "images" | "cover" | "coverimage" | "thumbnail" | "featuredimage" | "hero" | "heroimage"
        | "ogimage" | "banner" | "resim" => (&[], Some(messages::field_of_picture_help())),
        "lang" | "language" | "locale" | "dil" => (&[], Some(messages::field_of_language_help())),
        "toc" | "comments" | "math" | "mermaid" | "sidebar" | "bibliography" | "output" | "documentclass"
        | "cssclass" | "cssclasses" | "publishtags" => (&[], Some(messages::field_of_program_help())),
        _ => return None,
    };
    Some(ForeignField { candidates, help })
}
