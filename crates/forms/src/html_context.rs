//! Determines the HTML context of a slot, with as much of an HTML parser as that needs. Pure.
//!
//! Security: escaping protects only text and quoted attribute values, so a slot may be only there: never in an
//! attribute that is a script or a style, and in an address only as a parameter after its beginning, so that no value
//! chooses a scheme or a host.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HtmlContext {
    /// Between tags.
    Text,
    /// In a quoted value of an attribute that is safe to fill.
    Attribute,
    /// In a quoted address, after its beginning.
    Address,
    /// Anywhere else.
    Forbidden,
}

/// Attributes whose value is an address.
const ADDRESSES: [&[u8]; 8] = [b"href", b"src", b"action", b"formaction", b"poster", b"data", b"cite", b"background"];
/// Attributes whose value is a script, a style or a document. Every attribute that starts with `on` is one too.
const PROGRAMS: [&[u8]; 4] = [b"style", b"srcdoc", b"srcset", b"http-equiv"];
/// Elements whose content is not text.
const RAW: [&[u8]; 6] = [b"script", b"style", b"noscript", b"iframe", b"template", b"xmp"];

/// Reads an HTML text piece by piece.
#[derive(Clone, Debug, Default)]
pub(super) struct HtmlReader<'a> {
    state: ReaderState<'a>,
    /// The element whose raw text is read.
    raw: Option<&'a [u8]>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ReaderState<'a> {
    #[default]
    Text,
    /// After `<!`.
    Declaration,
    /// In the tag of an element, between attributes.
    Tag(&'a [u8]),
    /// In an attribute's quoted value.
    Quoted { tag: &'a [u8], name: &'a [u8], quote: u8, filled: bool },
    /// In syntax that the forms do not need, such as an unquoted value.
    Lost,
}

impl<'a> HtmlReader<'a> {
    /// Reads `text` to its end.
    pub(super) fn read(&mut self, mut text: &'a [u8]) {
        while !text.is_empty() {
            text = match self.state {
                ReaderState::Text => self.read_text(text),
                ReaderState::Declaration => self.read_declaration(text),
                ReaderState::Tag(tag) => self.read_tag(tag, text),
                ReaderState::Quoted { tag, name, quote, .. } => self.read_quoted(tag, name, quote, text),
                ReaderState::Lost => return,
            };
        }
    }

    /// Returns the context at the current position, and counts a value as inserted there.
    pub(super) fn context(&mut self) -> HtmlContext {
        match &mut self.state {
            ReaderState::Text if self.raw.is_none() => HtmlContext::Text,
            ReaderState::Quoted { name, filled, .. } => {
                let is_start = !*filled;
                *filled = true;
                let is_any_of = |list: &[&[u8]]| list.iter().any(|known| name.eq_ignore_ascii_case(known));
                let is_handler = name.len() >= 2 && name[..2].eq_ignore_ascii_case(b"on");
                let is_address = is_any_of(&ADDRESSES);
                if is_handler || is_any_of(&PROGRAMS) || (is_start && is_address) {
                    HtmlContext::Forbidden
                } else if is_address {
                    HtmlContext::Address
                } else {
                    HtmlContext::Attribute
                }
            }
            _ => HtmlContext::Forbidden,
        }
    }

    fn read_text(&mut self, text: &'a [u8]) -> &'a [u8] {
        let Some(at) = text.iter().position(|byte| *byte == b'<') else { return &[] };
        let rest = &text[at + 1..];
        if rest.first() == Some(&b'!') {
            self.state = if self.raw.is_some() { ReaderState::Text } else { ReaderState::Declaration };
            return rest;
        }
        let is_end = rest.first() == Some(&b'/');
        let named = &rest[usize::from(is_end)..];
        let length = named.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let (name, rest) = named.split_at(length);
        if let Some(raw) = self.raw {
            // Only its own end tag closes raw text.
            if is_end && name.eq_ignore_ascii_case(raw) {
                self.raw = None;
                self.state = ReaderState::Tag(b"");
            }
            return rest;
        }
        if !name.is_empty() {
            self.state = ReaderState::Tag(if is_end { b"" } else { name });
        } else if rest.is_empty() {
            // A value here would become the name of an element.
            self.state = ReaderState::Lost;
        }
        rest
    }

    fn read_declaration(&mut self, text: &'a [u8]) -> &'a [u8] {
        // Templates have no HTML comments, so slots after one are rejected.
        let Some(at) = text.iter().position(|byte| *byte == b'>') else { return &[] };
        self.state = if text[..at].starts_with(b"!--") { ReaderState::Lost } else { ReaderState::Text };
        &text[at + 1..]
    }

    fn read_tag(&mut self, tag: &'a [u8], text: &'a [u8]) -> &'a [u8] {
        let Some(at) = text.iter().position(|byte| matches!(byte, b'>' | b'=')) else { return &[] };
        let rest = &text[at + 1..];
        if text[at] == b'>' {
            self.raw = RAW.into_iter().find(|raw| tag.eq_ignore_ascii_case(raw));
            self.state = ReaderState::Text;
            return rest;
        }
        let before = text[..at].trim_ascii_end();
        let start = before.iter().rposition(|byte| byte.is_ascii_whitespace() || *byte == b'/').map_or(0, |at| at + 1);
        let rest = rest.trim_ascii_start();
        if let Some((quote @ (b'"' | b'\''), rest)) = rest.split_first() {
            self.state = ReaderState::Quoted { tag, name: &before[start..], quote: *quote, filled: false };
            return rest;
        }
        self.state = ReaderState::Lost;
        rest
    }

    fn read_quoted(&mut self, tag: &'a [u8], name: &'a [u8], quote: u8, text: &'a [u8]) -> &'a [u8] {
        if let Some(at) = text.iter().position(|byte| *byte == quote) {
            self.state = ReaderState::Tag(tag);
            return &text[at + 1..];
        }
        self.state = ReaderState::Quoted { tag, name, quote, filled: true };
        &[]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(text: &str) -> HtmlContext {
        let mut reader = HtmlReader::default();
        reader.read(text.split_once('@').unwrap().0.as_bytes());
        reader.context()
    }

    #[test]
    fn text_and_quoted_values_may_be_filled() {
        for text in ["@", "<p>@", "<!doctype html><p class=\"a\">x<br>@", "a < b @", "<style>a{}</style>@", "<title>@"]
        {
            assert_eq!(context(text), HtmlContext::Text, "{text}");
        }
        for text in ["<input value=\"@", "<a title = '@", "<p id=\"x\" title=\"@", "<a\nhref='/'\ntitle='a @"] {
            assert_eq!(context(text), HtmlContext::Attribute, "{text}");
        }
        assert_eq!(context("<a href=\"/x?token=@"), HtmlContext::Address);
    }

    #[test]
    fn other_addresses_are_rejected() {
        for text in [
            "<p @",
            "<@",
            "</@",
            "<p title=@",
            "<a href=\"@",
            "<form action='@",
            "<p onclick=\"@",
            "<p ONclick=\"x @",
            "<p style=\"@",
            "<script>@",
            "<style>a{ @",
            "<SCRIPT src=\"/x\">\"<p>\" @",
            "<!-- @",
            "<!-- > @",
            "<iframe srcdoc=\"@",
        ] {
            assert_eq!(context(text), HtmlContext::Forbidden, "{text}");
        }
    }
}
