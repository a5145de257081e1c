//! Media types of published files.

/// HTML pages.
pub const HTML: &str = "text/html; charset=utf-8";
/// Markdown twins (RFC 7763).
pub const MARKDOWN: &str = "text/markdown; charset=utf-8";
/// Plain text.
pub const TEXT: &str = "text/plain; charset=utf-8";
/// JSON.
pub const JSON: &str = "application/json";
/// YAML (RFC 9512).
pub const YAML: &str = "application/yaml";
/// Forms, and the bodies of the token and revocation endpoints.
pub const FORM: &str = "application/x-www-form-urlencoded";
/// The API catalog (RFC 9264 linkset with the profile of RFC 9727).
pub const LINKSET: &str = "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
/// Links in JSON (RFC 9264).
pub const LINKS: &str = "application/linkset+json";
/// MCP server card.
pub const SERVER_CARD: &str = "application/mcp-server-card+json";
/// AI catalog.
pub const AI_CATALOG: &str = "application/ai-catalog+json";
/// Atom feed (RFC 4287).
pub const ATOM: &str = "application/atom+xml; charset=utf-8";
/// JSON Feed.
pub const JSON_FEED: &str = "application/feed+json";
/// Description of a search (`OpenSearch` 1.1).
pub const OPENSEARCH: &str = "application/opensearchdescription+xml";
/// XML.
pub const XML: &str = "application/xml; charset=utf-8";
/// Style sheets.
pub const CSS: &str = "text/css; charset=utf-8";
/// Scripts.
pub const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
/// Vector images.
pub const SVG: &str = "image/svg+xml";
/// Raster images.
pub const PNG: &str = "image/png";
/// Photographs.
pub const JPEG: &str = "image/jpeg";
/// Photographs, smaller.
pub const WEBP: &str = "image/webp";
/// Photographs, smallest.
pub const AVIF: &str = "image/avif";
/// Site icon.
pub const ICON: &str = "image/x-icon";
/// Web fonts.
pub const WOFF2: &str = "font/woff2";
/// Portable documents.
pub const PDF: &str = "application/pdf";

/// Texts of Word.
pub const DOCX: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
/// Tables of Excel.
pub const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Texts of `OpenDocument`.
pub const ODT: &str = "application/vnd.oasis.opendocument.text";
/// Dates for a calendar (RFC 5545).
pub const CALENDAR: &str = "text/calendar; charset=utf-8";
/// Details for an address book (RFC 6350).
pub const VCARD: &str = "text/vcard; charset=utf-8";

/// Any other file.
pub const BINARY: &str = "application/octet-stream";

/// Returns the media type of a file by its extension; `None` if such files are not published.
pub fn of_extension(extension: &str) -> Option<&'static str> {
    Some(match extension {
        "html" => HTML,
        "md" => MARKDOWN,
        "txt" => TEXT,
        "json" => JSON,
        "yaml" => YAML,
        "xml" => XML,
        "css" => CSS,
        "js" => JAVASCRIPT,
        "svg" => SVG,
        "png" => PNG,
        "jpg" | "jpeg" => JPEG,
        "webp" => WEBP,
        "avif" => AVIF,
        "ico" => ICON,
        "woff2" => WOFF2,
        "pdf" => PDF,
        "docx" => DOCX,
        "xlsx" => XLSX,
        "odt" => ODT,
        "ics" => CALENDAR,
        "vcf" => VCARD,
        _ => return None,
    })
}

/// Returns a media type without its parameters.
pub fn essence(media_type: &str) -> &str {
    media_type.split(';').next().unwrap_or_default().trim_end()
}

/// Returns whether compression makes a body of this type smaller.
pub fn is_compressible(media_type: &str) -> bool {
    let essence = essence(media_type);
    essence.starts_with("text/")
        || essence == SVG
        || essence == "application/json"
        || essence == YAML
        || essence == "application/xml"
        || essence.ends_with("+json")
        || essence.ends_with("+xml")
}
