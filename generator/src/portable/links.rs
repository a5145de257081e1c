//! Replaces the addresses in HTML and CSS.
//!
//! Start tags and attributes are tokenized as in the HTML standard, because the templates of a firm may quote
//! differently from the built-in ones. Comments, scripts and styles are copied unchanged. Preloads and external scripts
//! are removed: browsers do not load them in `file:` pages.

/// Returns the address to write in place of one; the second argument is whether it is a link for readers.
pub(super) type Replace<'a> = dyn Fn(&str, bool) -> Option<String> + 'a;

/// Attributes that hold one address.
const ADDRESSES: [&str; 6] = ["href", "src", "action", "formaction", "poster", "data"];
/// Values of `rel` that are removed.
const PRELOADS: [&str; 2] = ["preload", "modulepreload"];
/// Elements whose content is not markup.
const RAW: [&str; 2] = ["script", "style"];

/// Replaces the addresses in attributes.
pub(super) fn rewrite_html(html: &str, replace: &Replace) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        out.push_str(text);
        if tag.starts_with("<!--") {
            let end = tag.find("-->").map_or(tag.len(), |end| end + 3);
            out.push_str(&tag[..end]);
            rest = &tag[end..];
        } else if tag[1..].starts_with(|first: char| first.is_ascii_alphabetic()) {
            let name_end = tag[1..].find(|it: char| it.is_ascii_whitespace() || matches!(it, '/' | '>'));
            let (name, mut attributes) = tag.split_at(name_end.map_or(tag.len(), |end| end + 1));
            let start = out.len();
            out.push_str(name);
            let name = name[1..].to_ascii_lowercase();
            let mut is_left_out = false;
            while let Some(found) = attribute(attributes, &name, replace) {
                is_left_out |= found.is_left_out;
                out.push_str(&found.written);
                attributes = found.after;
            }
            rest = attributes;
            if RAW.contains(&name.as_str()) {
                let close = rest.to_ascii_lowercase().find(&format!("</{name}")).unwrap_or(rest.len());
                out.push_str(&rest[..close]);
                rest = &rest[close..];
            }
            if is_left_out {
                out.truncate(start);
                rest = rest.split_once('>').map_or("", |(_, rest)| rest);
            }
        } else {
            out.push('<');
            rest = &tag[1..];
        }
    }
    out.push_str(rest);
    out
}

struct Attribute<'h> {
    /// The attribute to write, with the text before it.
    written: String,
    /// The text after it.
    after: &'h str,
    /// Whether the element has no effect in a `file:` page and is removed.
    is_left_out: bool,
}

/// Returns the next attribute of an element; `None` at the end of the tag.
fn attribute<'h>(text: &'h str, element: &str, replace: &Replace) -> Option<Attribute<'h>> {
    let start = text.find(|it: char| !it.is_ascii_whitespace() && it != '/')?;
    if text[start..].starts_with('>') {
        return None;
    }
    // A leading `=` belongs to the name (HTML, 13.2.5.32).
    let is_end = |it: char| it.is_ascii_whitespace() || matches!(it, '/' | '>' | '=');
    let name_end = text[start..].char_indices().skip(1).find(|(_, it)| is_end(*it));
    let name_end = name_end.map_or(text.len(), |(at, _)| start + at);
    let name = text[start..name_end].to_ascii_lowercase();
    let behind = text[name_end..].trim_ascii_start();
    let Some(value) = behind.strip_prefix('=').map(str::trim_ascii_start) else {
        let (written, after) = text.split_at(name_end);
        return Some(Attribute { written: written.to_owned(), after, is_left_out: false });
    };
    let value_start = text.len() - value.len();
    let (inside, after) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => {
            let end = value[1..].find(quote).map_or(value.len(), |end| end + 1);
            (&value[1..end], value.get(end + 1..).unwrap_or_default())
        }
        _ => value.split_at(value.find(|it: char| it.is_ascii_whitespace() || it == '>').unwrap_or(value.len())),
    };
    let decoded = inside.replace("&amp;", "&");
    let replaced = match name.as_str() {
        "srcset" => Some(source_set(&decoded, replace)),
        name if ADDRESSES.contains(&name) => replace(decoded.trim(), matches!(element, "a" | "area" | "form")),
        _ => None,
    };
    let written = match replaced {
        Some(address) => {
            let address = address.replace('&', "&amp;").replace('"', "&quot;");
            format!("{}\"{address}\"", &text[..value_start])
        }
        None => text[..text.len() - after.len()].to_owned(),
    };
    let of_preload = |word: &str| PRELOADS.iter().any(|preload| word.eq_ignore_ascii_case(preload));
    let is_left_out = match element {
        "link" => name == "rel" && inside.split_ascii_whitespace().any(of_preload),
        "script" => name == "src",
        _ => false,
    };
    Some(Attribute { written, after, is_left_out })
}

/// Replaces the addresses of `srcset`: each is followed by its width, and a comma separates them.
fn source_set(set: &str, replace: &Replace) -> String {
    let candidates = set.split(',').map(|candidate| {
        let candidate = candidate.trim();
        let (address, width) = candidate.split_at(candidate.find(char::is_whitespace).unwrap_or(candidate.len()));
        replace(address, false).map_or_else(|| candidate.to_owned(), |other| other + width)
    });
    candidates.collect::<Vec<_>>().join(", ")
}

/// Replaces the addresses of a style sheet in `url(…)`.
pub(super) fn rewrite_css(css: &str, replace: &Replace) -> String {
    let mut out = String::with_capacity(css.len());
    let mut rest = css;
    while let Some(at) = rest.find("url(") {
        let (before, after) = rest.split_at(at + 4);
        let (inside, tail) = after.split_at(after.find(')').unwrap_or(after.len()));
        out.push_str(before);
        match replace(inside.trim().trim_matches(['"', '\'']), false) {
            Some(address) => out.extend(["\"", &address, "\""]),
            None => out.push_str(inside),
        }
        rest = tail;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn upper(address: &str, is_link: bool) -> Option<String> {
        address.starts_with('/').then(|| format!("{}{}", if is_link { "->" } else { "" }, address.to_uppercase()))
    }

    #[test]
    fn portable_links_are_found_in_any_notation() {
        for (html, expected) in [
            ("<a href=\"/a?b=1&amp;c\">/a</a>", "<a href=\"->/A?B=1&amp;C\">/a</a>"),
            ("<A HREF='/a' class=x>", "<A HREF=\"->/A\" class=x>"),
            ("<img src=/a alt=\"<a href='/b'>\"/>", "<img src=\"/A\" alt=\"<a href='/b'>\"/>"),
            ("<img\nsrcset=\"/a 1w,\n/b 2w, c 3w\" >", "<img\nsrcset=\"/A 1w, /B 2w, c 3w\" >"),
            ("<!-- <a href=\"/a\"> --><br><p>a < b", "<!-- <a href=\"/a\"> --><br><p>a < b"),
            ("<script>'<a href=\"/b\">'</SCRIPT>", "<script>'<a href=\"/b\">'</SCRIPT>"),
            ("a<script src=\"/a\" defer>'<a href=\"/b\">'</SCRIPT>b", "ab"),
            ("<a href=\"b\" hidden href = \"/c\">", "<a href=\"b\" hidden href = \"->/C\">"),
            ("<a href=\"/a", "<a href=\"->/A\""),
            ("<a", "<a"),
            ("a<link REL=\"preload\" href=\"/b\" crossorigin>b", "ab"),
            ("a<link href=/b rel='PreLoad'>b", "ab"),
            ("a<link rel = preload href=/b>b", "ab"),
            ("a<link rel=\"next modulepreload\" href=/b />b", "ab"),
            ("<link rel=\"preloaded\" href=\"/b\">", "<link rel=\"preloaded\" href=\"/B\">"),
            ("<a rel=preload>", "<a rel=preload>"),
            ("<a =\"/x\" />", "<a =\"/x\" />"),
        ] {
            assert_eq!(rewrite_html(html, &upper), expected);
        }
    }

    #[test]
    fn portable_style_sheet_names_its_files() {
        let css = "a{src:url(\"/f.woff2\") format('x'), url( '/g' ),url(data:x)} b{c:url(/h";
        assert_eq!(
            rewrite_css(css, &upper),
            "a{src:url(\"/F.WOFF2\") format('x'), url(\"/G\"),url(data:x)} b{c:url(\"/H\""
        );
    }
}
