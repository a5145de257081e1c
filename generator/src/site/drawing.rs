//! Whether an SVG picture only shows something.
//!
//! Knows no more of XML than where tags and their attributes stand: what it cannot read it refuses.

/// Elements that run, embed or change something; `set` and `animate` can give a link another destination.
const ACTIVE: [&str; 14] = [
    "script",
    "foreignobject",
    "iframe",
    "embed",
    "object",
    "audio",
    "video",
    "handler",
    "listener",
    "set",
    "animate",
    "animatemotion",
    "animatetransform",
    "a",
];

/// What a drawing does beyond showing, if anything.
///
/// Security: in a page a picture is harmless, but its own address can be opened like a page, on this origin, also from
/// hosts that send no content security policy.
pub(super) fn action(bytes: &[u8]) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Some("is not UTF-8".to_owned()) };
    let text = text.to_ascii_lowercase();
    // Both reach for other files from any place where styles stand.
    if text.contains("@import") {
        return Some("imports styles".to_owned());
    }
    let mut urls =
        text.match_indices("url(").map(|(at, _)| text[at + 4..].trim_start().trim_start_matches(['"', '\'']));
    if urls.any(|url| !url.starts_with('#')) {
        return Some("loads another file by `url(…)`".to_owned());
    }
    let mut rest = text.as_str();
    let mut is_drawing = false;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let skipped = [("!--", "-->"), ("![cdata[", "]]>"), ("?xml ", "?>")]
            .into_iter()
            .find_map(|(start, end)| rest.strip_prefix(start).map(|inside| (inside, end)));
        if let Some((inside, end)) = skipped {
            rest = inside.split_once(end).map_or("", |(_, after)| after);
            continue;
        }
        if rest.starts_with(['!', '?']) {
            return Some("declares a document type, entities or a style sheet".to_owned());
        }
        let Some(end) = end_of_tag(rest) else { return Some("is not well-formed".to_owned()) };
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        let name =
            tag.trim_start_matches('/').split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        let name = name.rsplit(':').next().unwrap_or_default();
        is_drawing |= name == "svg";
        if !is_drawing {
            return Some("is not a drawing".to_owned());
        }
        if ACTIVE.contains(&name) {
            return Some(format!("holds an element `{name}`"));
        }
        if let Some(found) = attributes(tag).find_map(|(name, value)| of_attribute(name, value)) {
            return Some(found);
        }
    }
    (!is_drawing).then(|| "is not a drawing".to_owned())
}

/// The end of a tag, which no quoted `>` is.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    text.bytes().position(|byte| {
        match quote {
            Some(open) if open == byte => quote = None,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None => return byte == b'>',
            Some(_) => {}
        }
        false
    })
}

fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = tag;
    std::iter::from_fn(move || {
        let (before, after) = rest.split_once('=')?;
        let name = before.trim_end().rsplit(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '/')).next()?;
        let after = after.trim_start();
        let quote = after.chars().next().filter(|quote| matches!(quote, '"' | '\''));
        let (value, next) = match quote {
            Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        rest = next;
        Some((name, value))
    })
}

fn of_attribute(name: &str, value: &str) -> Option<String> {
    let local = name.rsplit(':').next().unwrap_or_default();
    if local.starts_with("on") {
        return Some(format!("holds an attribute `{name}`"));
    }
    let value = value.trim();
    let picture = ["data:image/png;", "data:image/jpeg;", "data:image/webp;"];
    let is_fine = value.starts_with('#') || picture.iter().any(|start| value.starts_with(start));
    (matches!(local, "href" | "src") && !is_fine).then(|| format!("leads or loads elsewhere by `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(inside: &str) -> Option<String> {
        action(format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>").as_bytes())
    }

    #[test]
    fn a_drawing_shows_and_nothing_else() {
        for inside in [
            "",
            "<title>A > B</title><!-- <script> --><path d='M0 0'/>",
            "<style>path { fill: url(#g) }</style><linearGradient id=\"g\"/>",
            "<use href=\"#g\"/><use xlink:href='#g'/><image href=\"data:image/png;base64,AA\"/>",
            "<text font-family=\"a\" style=\"fill:red\">one = two</text>",
            "<style><![CDATA[ a > b {} ]]></style>",
        ] {
            assert_eq!(of(inside), None, "{inside}");
        }
        assert_eq!(action(b"<?xml version=\"1.0\"?>\n<!-- a --><svg/>"), None);
    }

    #[test]
    fn whatever_acts_is_named() {
        for inside in [
            "<script>1</script>",
            "<x:SCRIPT xmlns:x=\"http://www.w3.org/1999/xhtml\">1</x:SCRIPT>",
            "<path onload=\"1\"/>",
            "<path d=\"a\"ONLOAD = '1'/>",
            "<path\nonload='1'/>",
            "<foreignObject/>",
            "<a href=\"#x\"/>",
            "<use href=\"javascript:1\"/>",
            "<use href=\"&#106;avascript:1\"/>",
            "<use xlink:href=\"https://other.example/a.svg#x\"/>",
            "<image href=\"//other.example/a.png\"/>",
            "<image href=\"data:image/svg+xml,x\"/>",
            "<style>@import 'x'</style>",
            "<path style=\"fill:url( 'https://other.example/')\"/>",
            "<set attributeName=\"href\" to=\"javascript:1\"/>",
            "<path d=\"unclosed",
        ] {
            assert!(of(inside).is_some(), "{inside}");
        }
        for text in
            ["<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>", "<?xml-stylesheet href='x'?><svg/>", "", "<html><svg/></html>"]
        {
            assert!(action(text.as_bytes()).is_some(), "{text}");
        }
        assert!(action(b"\xff\xfe<\0s\0v\0g\0").is_some());
    }
}
