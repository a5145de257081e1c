//! Bare addresses as links: `https://kvkk.gov.tr`, `bilgi@firma.example`.
//!
//! The parser leaves them as text: in one piece, or in several pieces where they contain a possible mark. Here these
//! pieces become the events of a link.

use std::{collections::VecDeque, ops::Range};

use contract::text::{Email, Uri};
use memchr::{memchr, memchr_iter, memmem};
use pulldown_cmark::{Event, LinkType, Tag, TagEnd};

/// The beginning of bare web addresses.
const SCHEME: &[u8] = b"https://";
/// The longest address, in bytes.
const MAX_BYTES: usize = 2048;
/// The longest name of a host, in bytes.
const MAX_HOST_BYTES: usize = 253;
/// Bytes before an `@` that are searched for the beginning of a mailbox.
const MAX_MAILBOX_BYTES: usize = 64;

/// The events of a parser, with bare addresses as links.
pub(super) struct Autolinks<'t, I> {
    text: &'t str,
    events: I,
    queue: VecDeque<(Event<'t>, Range<usize>)>,
    /// Open links, pictures and blocks of code, in which addresses stay text.
    closed: usize,
}

impl<'t, I: Iterator<Item = (Event<'t>, Range<usize>)>> Autolinks<'t, I> {
    pub(super) fn new(text: &'t str, events: I) -> Self {
        Self { text, events, queue: VecDeque::new(), closed: 0 }
    }

    /// Returns the parser.
    pub(super) fn events(&self) -> &I {
        &self.events
    }

    /// Queues the adjacent pieces of text from `first` on, with the addresses in them as links, and the next event.
    fn take(&mut self, first: (Event<'t>, Range<usize>)) {
        let mut pieces = vec![first];
        let mut behind = None;
        for (event, range) in self.events.by_ref() {
            let goes_on = pieces.last().is_some_and(|(_, last)| last.end == range.start);
            if goes_on && matches!(&event, Event::Text(words) if words.len() == range.len()) {
                pieces.push((event, range));
            } else {
                behind = Some((event, range));
                break;
            }
        }
        let start = pieces.first().map_or(0, |(_, range)| range.start);
        let end = pieces.last().map_or(start, |(_, range)| range.end);
        let mut links = addresses(self.text, start..end).into_iter().peekable();
        for (event, range) in pieces {
            let mut at = range.start;
            while let Some((link, form)) = links.peek().filter(|(link, _)| link.start < range.end).cloned() {
                if at < link.start {
                    self.text_of(at..link.start);
                }
                if link.start >= range.start {
                    self.link(&link, form);
                }
                at = at.max(link.end.min(range.end));
                if link.end > range.end {
                    break;
                }
                links.next();
            }
            if at == range.start {
                self.queue.push_back((event, range));
            } else if at < range.end {
                self.text_of(at..range.end);
            }
        }
        if let Some((event, range)) = behind {
            self.count(&event);
            self.queue.push_back((event, range));
        }
    }

    fn text_of(&mut self, range: Range<usize>) {
        self.queue.push_back((Event::Text(self.text[range.clone()].into()), range));
    }

    fn link(&mut self, range: &Range<usize>, link_type: LinkType) {
        let dest_url = self.text[range.clone()].into();
        let tag = Tag::Link { link_type, dest_url, title: "".into(), id: "".into() };
        self.queue.push_back((Event::Start(tag), range.clone()));
        self.text_of(range.clone());
        self.queue.push_back((Event::End(TagEnd::Link), range.clone()));
    }

    fn count(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::CodeBlock(_) | Tag::HtmlBlock) => self.closed += 1,
            Event::End(TagEnd::Link | TagEnd::Image | TagEnd::CodeBlock | TagEnd::HtmlBlock) => self.closed -= 1,
            _ => {}
        }
    }
}

impl<'t, I: Iterator<Item = (Event<'t>, Range<usize>)>> Iterator for Autolinks<'t, I> {
    type Item = (Event<'t>, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(event) = self.queue.pop_front() {
                return Some(event);
            }
            let (event, range) = self.events.next()?;
            let may_hold = self.closed == 0
                && matches!(&event, Event::Text(words) if words.len() == range.len() && may_hold_address(words));
            if !may_hold {
                self.count(&event);
                return Some((event, range));
            }
            self.take((event, range));
        }
    }
}

fn may_hold_address(words: &str) -> bool {
    memmem::find(words.as_bytes(), SCHEME).is_some() || memchr(b'@', words.as_bytes()).is_some()
}

/// Returns the bare addresses in a range of `text`.
fn addresses(text: &str, range: Range<usize>) -> Vec<(Range<usize>, LinkType)> {
    let part = &text.as_bytes()[range.clone()];
    let mut web = memmem::find_iter(part, SCHEME).map(|at| range.start + at).peekable();
    let mut mail = memchr_iter(b'@', part).map(|at| range.start + at).peekable();
    let mut found: Vec<(Range<usize>, LinkType)> = Vec::new();
    loop {
        let end = found.last().map_or(range.start, |(link, _)| link.end);
        let next = match (web.peek(), mail.peek()) {
            (Some(start), at) if at.is_none_or(|at| start < at) => {
                let link = of_web(text, *start, range.end).map(|link| (link, LinkType::Autolink));
                web.next();
                link
            }
            (_, Some(at)) => {
                let link = mailbox(text, end, *at, range.end).map(|link| (link, LinkType::Email));
                mail.next();
                link
            }
            _ => return found,
        };
        found.extend(next.filter(|(link, _)| link.start >= end));
    }
}

/// Returns the web address at `start`.
fn of_web(text: &str, start: usize, limit: usize) -> Option<Range<usize>> {
    if text[..start].ends_with(|before: char| before.is_alphanumeric() || before == '<') {
        return None;
    }
    let limit = text.floor_char_boundary(limit.min(start + MAX_BYTES));
    let rest = &text[start..limit];
    // Turkish suffixes follow an apostrophe.
    let ends = |letter: char| letter.is_whitespace() || "<>\"'`’‘“”«»|…–—".contains(letter);
    let mut address = &rest[..rest.find(ends).unwrap_or(rest.len())];
    let count = |mark: u8| address.bytes().filter(|byte| *byte == mark).count();
    let (opened, mut closed) = (count(b'('), count(b')'));
    while let Some(last) = address.chars().next_back() {
        match last {
            '.' | ',' | ';' | ':' | '!' | '?' | '*' | '_' | '~' | '\\' => {}
            ')' if closed > opened => closed -= 1,
            _ => break,
        }
        address = &address[..address.len() - 1];
    }
    (address.is_ascii() && Uri::parse(address).is_ok()).then(|| start..start + address.len())
}

/// Returns the mailbox around the `@` at `at`.
fn mailbox(text: &str, from: usize, at: usize, limit: usize) -> Option<Range<usize>> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '+' | '-');
    let near = text.floor_char_boundary(from.max(at.saturating_sub(MAX_MAILBOX_BYTES)));
    let before = &text[near..at];
    let start = at - (before.len() - before.trim_end_matches(is_name).len());
    let behind = &text[at + 1..text.floor_char_boundary(limit.min(at + 1 + MAX_HOST_BYTES))];
    let host = behind
        .find(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-')))
        .unwrap_or(behind.len());
    let host = behind[..host].trim_end_matches(['.', '-']);
    let mailbox = start..at + 1 + host.len();
    let is_apart = |letter: char| !letter.is_alphanumeric() && !matches!(letter, '@' | '/' | ':' | '=');
    let is_whole = text[..start].chars().next_back().is_none_or(is_apart)
        && text[mailbox.end..].chars().next().is_none_or(is_apart);
    let last = host.rsplit('.').next().unwrap_or_default();
    let is_host = host.contains('.') && last.len() > 1 && last.bytes().all(|byte| byte.is_ascii_alphabetic());
    (is_whole && is_host && Email::parse(&text[mailbox.clone()]).is_ok()).then_some(mailbox)
}

#[cfg(test)]
mod tests {
    use crate::{Targets, survey, to_html, to_twin};
    use contract::Locale;

    struct Nowhere;

    impl Targets for Nowhere {
        fn resolve(&self, _: &str) -> Option<String> {
            None
        }
    }

    fn html(text: &str) -> String {
        to_html(text, Locale::Tr, &Nowhere).html
    }

    #[test]
    fn bare_address_is_a_link_to_itself() {
        for (text, address) in [
            ("Bkz. https://kvkk.gov.tr.", "https://kvkk.gov.tr"),
            ("(https://kvkk.gov.tr/Icerik/6649_a(b)), sonra", "https://kvkk.gov.tr/Icerik/6649_a(b)"),
            ("https://a.example/b_c_d/*x*?q=1&r=2#s", "https://a.example/b_c_d/"),
            ("“https://a.example/b”", "https://a.example/b"),
            ("https://kvkk.gov.tr’de", "https://kvkk.gov.tr"),
            ("https://a.example/x_y_z!", "https://a.example/x_y_z"),
        ] {
            let link = format!("<a href=\"{address}\" rel=\"noopener\">{address}</a>");
            assert!(html(text).contains(&link), "{text}: {}", html(text));
            let found = survey(text, Locale::Tr).links;
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!((found[0].destination.as_str(), &text[found[0].range.clone()]), (address, address));
            assert_eq!(to_twin(text, Locale::En, &Nowhere), text);
        }
        let mail = html("Yazın: bilgi@firma.example, ya da avukat.a@b-c.example.");
        assert!(mail.contains("<a href=\"mailto:bilgi@firma.example\""), "{mail}");
        assert!(mail.contains(">avukat.a@b-c.example</a>."), "{mail}");
        assert_eq!(survey("a bilgi@firma.example b", Locale::Tr).links[0].destination, "mailto:bilgi@firma.example");
    }

    #[test]
    fn address_in_code_in_a_link_or_in_a_word_stays_text() {
        for text in [
            "`https://a.example`",
            "    https://a.example\n",
            "```\nbilgi@firma.example\n```",
            "[https://a.example](https://b.example)",
            "![https://a.example](b.svg)",
            "xhttps://a.example",
            "https://",
            "https://ayşe.example",
            "a@b",
            "@/team/a",
            "@kurum",
            "a@b.c",
            "user@host.example/path:bilgi@",
        ] {
            let links = survey(text, Locale::Tr).links;
            assert!(links.iter().all(|link| link.destination == "https://b.example"), "{text}: {links:?}");
        }
        assert_eq!(html("<https://a.example>").matches("<a ").count(), 1);
    }
}
