//! Whether an SVG picture shows something, and does nothing else.
//!
//! Knows no more of XML than where tags and their attributes stand: what it cannot read it refuses.

use std::ops::Range;

use crate::diagnostic::Code;

/// By this name of its namespace a browser knows a drawing from any other XML.
const NAMESPACE: &str = "http://www.w3.org/2000/svg";

/// The only encoding in which what is read here is what others read.
const ENCODING: &str = "utf-8";

/// Reach for other files from any place where styles stand.
const IMPORT: &str = "@import";
const URL: &str = "url(";
/// Takes addresses without `url(`, too.
const IMAGE_SET: &str = "image-set(";
const HIDES: &str = "hides letters behind escapes or numbers";

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

/// What a drawing does beyond showing, or why it is not shown.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: Code,
    /// A verb and what it is done to, after "the picture".
    pub(super) words: String,
    /// Octets of the file in which it lies.
    pub(super) at: Range<usize>,
}

/// That the octets `at` do what `words` say.
fn does(words: impl Into<String>, at: Range<usize>) -> Fault {
    Fault { code: Code::PICTURE_ACTS, words: words.into(), at }
}

/// That it is not shown, for what the octets `at` are.
fn breaks(words: impl Into<String>, at: Range<usize>) -> Fault {
    Fault { code: Code::PICTURE_FORM, words: words.into(), at }
}

/// What the drawing `text` does beyond showing, or else what keeps browsers from showing it, if anything.
///
/// Security: in a page a picture is harmless, but its own address can be opened like a page, on this origin, also from
/// hosts that send no content security policy.
pub(super) fn fault(written: &str) -> Option<Fault> {
    // Octets stay where they are.
    let text = written.to_ascii_lowercase();
    // With one of them another encoding can begin; no program that draws writes any.
    if let Some((at, control)) = text.char_indices().find(|(_, c)| c.is_control() && !matches!(c, '\t' | '\n' | '\r')) {
        return Some(does("holds a control character", at..at + control.len_utf8()));
    }
    if let Some((words, at)) = reaches_out(&text) {
        return Some(does(words, at));
    }
    let mut rest = text.as_str();
    let mut is_drawing = false;
    let mut elements = Elements::default();
    let mut style: Option<Style> = None;
    while let Some(at) = rest.find('<') {
        if let Some(style) = &mut style {
            style.text.push_str(&rest[..at]);
        }
        rest = &rest[at + 1..];
        let start = text.len() - rest.len() - 1;
        let skipped = [("!--", "-->"), ("![cdata[", "]]>"), ("?xml ", "?>")]
            .into_iter()
            .find_map(|(start, end)| rest.strip_prefix(start).map(|inside| (inside, end)));
        if let Some((inside, end)) = skipped {
            let (within, after) = inside.split_once(end).unwrap_or((inside, ""));
            if let Some(style) = style.as_mut().filter(|_| end == "]]>") {
                // There a reference is none. No file holds the mark that says so.
                style.text.push_str(&within.replace('&', "\u{1}&"));
            }
            if end == "?>" && declares_another_encoding(within) {
                return Some(does("declares an encoding other than UTF-8", start..text.len() - after.len()));
            }
            rest = after;
            continue;
        }
        if rest.starts_with(['!', '?']) {
            return Some(does("declares a document type, entities or a style sheet", start..start + 2));
        }
        let Some(end) = end_of_tag(rest) else { return Some(does("is not well-formed", start..text.len())) };
        let (tag, place) = (&rest[..end], start..start + end + 2);
        rest = &rest[end + 1..];
        let name = local_name(tag.trim_start_matches('/'));
        is_drawing |= name == "svg";
        if !is_drawing {
            return Some(does("is not a drawing", place));
        }
        if ACTIVE.contains(&name) {
            return Some(does(format!("holds an element `{name}`"), place));
        }
        if let Some(words) = attributes(tag).find_map(|(name, value)| of_attribute(name, value)) {
            return Some(does(words, place));
        }
        match style.take() {
            Some(style) if name == "style" && tag.starts_with('/') => {
                if let Some(fault) = style.fault() {
                    return Some(fault);
                }
            }
            Some(_) => return Some(does(format!("holds an element `{name}` inside a style"), place)),
            None if name == "style" && !tag.starts_with('/') && !tag.ends_with('/') => {
                style = Some(Style { at: place.clone(), text: String::new() });
            }
            None => {}
        }
        elements.see(&written[place.start + 1..place.end - 1], place);
    }
    if let Some(mut style) = style {
        style.text.push_str(rest);
        if let Some(fault) = style.fault() {
            return Some(fault);
        }
    }
    if is_drawing { elements.fault() } else { Some(does("is not a drawing", 0..0)) }
}

/// The name with which a tag begins, without its prefix.
fn local_name(tag: &str) -> &str {
    let name = tag.split(|c: char| c.is_whitespace() || matches!(c, '/' | '>')).next().unwrap_or_default();
    name.rsplit(':').next().unwrap_or_default()
}

/// By what, and where, styles reach for another file.
fn reaches_out(styles: &str) -> Option<(&'static str, Range<usize>)> {
    let is_elsewhere = |at: &usize| {
        let url = styles[at + URL.len()..].trim_start();
        let inside = behind_quotation_reference(url).unwrap_or_else(|| url.trim_start_matches(['"', '\'']));
        !inside.starts_with('#')
    };
    let import = styles.find(IMPORT).map(|at| ("imports styles", at, IMPORT));
    let url = || styles.match_indices(URL).map(|(at, _)| at).find(is_elsewhere);
    let set = || styles.find(IMAGE_SET).map(|at| ("loads another file by `image-set(…)`", at, IMAGE_SET));
    let found = import.or_else(|| Some(("loads another file by `url(…)`", url()?, URL))).or_else(set);
    found.map(|(words, at, word)| (words, at..at + word.len()))
}

/// What stands behind a quotation mark for which XML has a reference, as inside an attribute.
fn behind_quotation_reference(text: &str) -> Option<&str> {
    let text = text.strip_prefix('&')?;
    let (name, rest) = text.split_at(text.bytes().take(12).position(|byte| byte == b';')?);
    let number = name.strip_prefix('#').and_then(referred);
    (matches!(name, "quot" | "apos") || matches!(number, Some('"' | '\''))).then(|| &rest[1..])
}

/// An element `style` that is open.
struct Style {
    /// Its tag.
    at: Range<usize>,
    /// Its text as browsers join it: without comments, and with character data.
    text: String,
}

impl Style {
    /// What is wrong with it now that it ends. A word may stand in parts that only a browser puts together.
    fn fault(self) -> Option<Fault> {
        let words = reaches_out(&self.text).map(|(words, _)| words);
        words.or_else(|| hides_letters(&self.text).then_some(HIDES)).map(|words| does(words, self.at))
    }
}

/// The elements of a drawing as they are written, since XML tells capitals from small letters.
#[derive(Default)]
struct Elements<'a> {
    open: Vec<(&'a str, Range<usize>)>,
    /// Whether the first of them was seen, in which all others are.
    has_root: bool,
    /// The first fault.
    fault: Option<Fault>,
}

impl<'a> Elements<'a> {
    /// Takes note of a tag, without its brackets.
    fn see(&mut self, tag: &'a str, at: Range<usize>) {
        if self.fault.is_some() {
            return;
        }
        if let Some(name) = tag.strip_prefix('/') {
            let open = self.open.pop();
            if open.as_ref().is_none_or(|(open, _)| *open != name.trim_end()) {
                let expected = open.map_or_else(String::new, |(open, _)| format!(", where `{open}` is open"));
                self.fault = Some(breaks(format!("closes `{}`{expected}", name.trim_end()), at));
            }
            return;
        }
        let name = tag.split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        if self.open.is_empty() {
            if self.has_root {
                self.fault = Some(breaks(format!("goes on with `{name}` where it has ended"), at));
                return;
            }
            self.has_root = true;
            let declaration = name.split_once(':').map_or("xmlns".to_owned(), |(prefix, _)| format!("xmlns:{prefix}"));
            if !attributes(tag).any(|(name, value)| name == declaration && value == NAMESPACE) {
                self.fault = Some(breaks(format!("lacks `{declaration}=\"{NAMESPACE}\"` in its first tag"), at));
                return;
            }
        }
        if !tag.ends_with('/') {
            self.open.push((name, at));
        }
    }

    fn fault(mut self) -> Option<Fault> {
        let open = self.open.pop().map(|(name, at)| breaks(format!("does not close `{name}`"), at));
        self.fault.or(open)
    }
}

/// Whether an XML declaration, without its marks, names another encoding than the one in which pictures are read here:
/// whoever honours it may see other tags in the same octets.
fn declares_another_encoding(declaration: &str) -> bool {
    let declared = attributes(declaration).find(|(name, _)| *name == "encoding");
    declared.is_some_and(|(_, encoding)| encoding != ENCODING)
}

/// Whether styles could hold a word that is looked for here and does not show: by escapes of CSS, or by the numbers of
/// letters in XML. No program that draws writes either.
fn hides_letters(styles: &str) -> bool {
    styles.contains('\\') || styles.split("&#").skip(1).any(is_ascii_reference)
}

/// Whether a numeric reference, behind its `&#`, stands for a letter of ASCII, or a mark, of which such words are made.
fn is_ascii_reference(text: &str) -> bool {
    referred(text).is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '(' | '@' | ':' | '/' | '\\'))
}

/// The character of a numeric reference, behind its `&#`.
fn referred(text: &str) -> Option<char> {
    let (digits, radix) = match text.strip_prefix('x') {
        Some(digits) => (digits, 16),
        None => (text, 10),
    };
    let digits = &digits[..digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len())];
    u32::from_str_radix(digits, radix).ok().and_then(char::from_u32)
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
    // What drawing programs note for themselves is no style: names of files, for one.
    let is_foreign = name.contains(':') && !name.starts_with("xlink:");
    if !is_foreign && hides_letters(value) {
        return Some(HIDES.to_owned());
    }
    let value = value.trim();
    let picture = ["data:image/png;", "data:image/jpeg;", "data:image/webp;"];
    let is_fine = value.starts_with('#') || picture.iter().any(|start| value.starts_with(start));
    (matches!(local, "href" | "src") && !is_fine).then(|| format!("leads or loads elsewhere by `{name}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(inside: &str) -> Option<Fault> {
        fault(&drawing(inside))
    }

    fn drawing(inside: &str) -> String {
        format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{inside}</svg>")
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
            "<style>/* <![CDATA[ */ a > b { fill: url( '#g' ) } /* ]]> */</style>",
            "<style><!-- drawn by hand -->p {}</style>",
            "<g style=\"fill: url(&quot;#g&quot;)\" fill='url( &apos;#g&apos;)'/><g style='fill: url(&#34;#g&#x22;)'/>",
            "<style>p { fill: url(&#039;#g&#X27;) }</style>",
            "<title>&#304;&#x15F; &#38; &#10;&amp; &#; a&#45;&gt;b C:\\d</title>",
            "<g inkscape:export-filename=\"C:\\Users\\a.png\" aria-label=\"&#304;&#45;\"/>",
            "<style>p { fill: red }</style><text>\\</text>",
            "<style>p { fill: red }</style><text>C:\\&#65;</text><style>q { fill: red }</style><style/><text>\\</text>",
        ] {
            assert_eq!(of(inside), None, "{inside}");
        }
        for declaration in ["", " encoding=\"UTF-8\"", " encoding='utf-8' standalone=\"no\""] {
            assert_eq!(fault(&format!("<?xml version=\"1.0\"{declaration}?>\n<!-- a -->{}", drawing("<g/>"))), None);
        }
        assert_eq!(fault("<x:svg width='3' xmlns:x='http://www.w3.org/2000/svg'><x:g\n></x:g ></x:svg>\n"), None);
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
            "<path style=\"fill:&#117;rl(https://other.example/)\"/>",
            "<path style=\"fill:&#x00075;rl(https://other.example/)\"/>",
            "<path style=\"fill:u\\72l(https://other.example/)\"/>",
            "<path fill=\"&#117;rl(https://other.example/)\"/>",
            "<style>p { fill: u\\72l(https://other.example/) }</style>",
            "<style><![CDATA[p { fill: u\\72l(https://other.example/) }]]></style>",
            "<svg:style>&#64;import 'x'</svg:style>",
            "<style><![CDATA[/*</*/@\\69mport \"//other.example/x.css\";]]></style>",
            "<style><!--</-->@\\69mport \"//other.example/x.css\";</style>",
            "<style><g></g>@\\69mport \"//other.example/x.css\";</style>",
            "<style><!--</style>-->@\\69mport 'x'</style >",
            "<style><![CDATA[</style>]]>@\\69mport 'x'</style>",
            "<style><style></style>@\\69mport 'x'</style>",
            "<style>p{}</style><g/><style>@\\69mport 'x'</style>",
            "<style>p{}</style><style>@\\69mport 'x'",
            "<style>@imp<!-- -->ort '//other.example/x.css';</style>",
            "<style>@imp<![CDATA[ort]]> '//other.example/x.css';</style>",
            "<style>@imp<g/>ort '//other.example/x.css';</style>",
            "<style>p { fill: u<!---->rl(//other.example/x) }</style>",
            "<style>@imp<!-- -->ort '//other.example/x.css'",
            "<path style=\"fill: url(&quot;a.svg#g&quot;)\"/>",
            "<path style=\"fill: url(&amp;quot;#g)\"/>",
            "<path style=\"fill: url(&quot;&quot;a)\"/>",
            "<path style=\"fill: url(&#35;g)\"/>",
            "<style><![CDATA[p { fill: url(&quot;#g) }]]></style>",
            "<style>p { fill: ur<![CDATA[l(&#34;#g)]]> }</style>",
            "<path style=\"cursor: image-set('//other.example/x' 1x)\"/>",
        ] {
            assert_eq!(of(inside).unwrap().code, Code::PICTURE_ACTS, "{inside}");
        }
        for text in [
            "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>",
            "<?xml-stylesheet href='x'?><svg/>",
            "",
            "<html><svg/></html>",
            // What is a quotation mark in one encoding is half a letter in the other.
            "<?xml version=\"1.0\" encoding=\"ISO-2022-JP\"?><svg/>",
            "<?xml version='1.0'\nencoding = 'utf-7' ?><svg/>",
            "<?xml version=\"1.0\" encoding=\"utf-16\"?><svg/>",
            "<svg><rect a=\"\u{1b}$B\"!\u{1b}(B\"/><script>1</script>\u{1b}$B\"!\u{1b}(B></svg>",
            "<svg>\0</svg>",
        ] {
            assert_eq!(fault(text).unwrap().code, Code::PICTURE_ACTS, "{text}");
        }
    }

    #[test]
    fn what_no_browser_shows_is_told_where_it_breaks() {
        let root = "<svg xmlns=\"http://www.w3.org/2000/svg\">";
        let whole = root.replace('>', "/>");
        for (text, place, words) in [
            ("<svg><rect/></svg>".to_owned(), "<svg>", "lacks `xmlns=\"http://www.w3.org/2000/svg\"` in its first tag"),
            (whole.replace("<svg", "<x:svg"), &whole.replace("<svg", "<x:svg"), "lacks `xmlns:x="),
            (format!("{root}<g><rect></svg>"), "</svg>", "closes `svg`, where `rect` is open"),
            (format!("{root}<G></g></svg>"), "</g>", "closes `g`, where `G` is open"),
            (format!("{root}<g><rect/>"), "<g>", "does not close `g`"),
            (format!("{whole}</svg>"), "</svg>", "closes `svg`"),
            (format!("{whole}{whole}"), &whole, "goes on with `svg` where it has ended"),
        ] {
            let found = fault(&text).unwrap();
            assert!(found.words.starts_with(words), "{text}: {}", found.words);
            assert_eq!((&text[found.at], found.code), (place, Code::PICTURE_FORM), "{text}");
        }
        // What acts is told first.
        assert_eq!(fault("<svg><script>1</script></svg>").unwrap().code, Code::PICTURE_ACTS);
    }

    #[test]
    fn many_styles_cost_no_more_than_other_elements() {
        assert_eq!(of(&"<style>p{}</style>".repeat(100_000)), None);
    }

    #[test]
    fn its_place_is_that_of_the_tag_or_of_the_word() {
        for (inside, place) in [
            ("<title>İş</title><SCRIPT a='>'>1</SCRIPT>", "<SCRIPT a='>'>"),
            ("<g>\n<path onload=\"1\"/></g>", "<path onload=\"1\"/>"),
            ("<style>p{fill:url(#g)} @import 'x'</style>", "@import"),
            ("<g style='fill:url(#g)'/><g style='fill:URL(x)'/>", "URL("),
            ("<!-- a --><!DOCTYPE x>", "<!"),
            ("<path d=\"unclosed", "<path d=\"unclosed</svg>"),
        ] {
            let Fault { at, words, .. } = of(inside).unwrap();
            assert_eq!(&drawing(inside)[at], place, "{words}");
        }
    }
}
