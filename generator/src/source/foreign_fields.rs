//! Names of fields in the front matter of other systems, and what takes their place here.

/// A field of another system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foreign {
    /// The fields that may mean the same; which of them does depends on the kind of entry.
    pub(super) meant: &'static [&'static str],
    /// What to do where there is no such field.
    pub(super) help: Option<&'static str>,
}

/// Returns what is known of a field with this name.
pub(super) fn foreign_field(name: &str) -> Option<Foreign> {
    let plain: String = name.to_lowercase().chars().filter(|letter| letter.is_alphanumeric()).collect();
    let (meant, help): (&[&str], _) = match plain.as_str() {
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
            (&["tags"], Some("only publications have `tags`: remove the line"))
        }
        "categories" | "kategori" | "topic" => (&["category"], Some("remove the line")),
        "yazar" | "writer" | "byline" => (&["author"], Some("remove the line")),
        "weight" | "position" | "navorder" | "sıra" => (&["order"], Some("remove the line")),
        "published" | "status" | "taslak" => {
            (&[], Some("a publication that is not ready has `draft: true`; anything else is kept outside of `content`"))
        }
        "layout" | "type" | "template" | "collection" => {
            (&[], Some("remove the line: the folder of an entry determines how it is shown"))
        }
        "image" | "images" | "cover" | "coverimage" | "thumbnail" | "featuredimage" | "hero" | "heroimage"
        | "ogimage" | "banner" | "resim" => {
            (&[], Some("put the picture beside the text and show it there: `![What it shows](picture.jpg)`"))
        }
        "lang" | "language" | "locale" | "dil" => {
            (&[], Some("remove the line: the name of the file, `en.md` or `tr.md`, says the language"))
        }
        "toc" | "comments" | "math" | "mermaid" | "sidebar" | "bibliography" | "output" | "documentclass"
        | "cssclass" | "cssclasses" | "publishtags" => (&[], Some("remove the line: it is for another program")),
        _ => return None,
    };
    Some(Foreign { meant, help })
}
