//! Links and pictures.

use std::{fmt::Write as _, net::Ipv6Addr};

use pulldown_cmark::{CowStr, LinkType};
use pulldown_cmark_escape::escape_href;

use super::Writer;
use crate::language;

/// How wide a picture in a text is shown: the column of the theme, and on small screens nearly all of them.
const SIZES: &str = "(min-width: 47rem) 44rem, 94vw";

/// The links and pictures that are open.
#[derive(Debug, Default)]
pub(super) struct Links<'t> {
    /// What each open link is rendered as.
    open: Vec<Element>,
    /// What is written at the end of the link that is open: the type and size of a document.
    document: Option<String>,
    /// The number of pictures around the current text; all but the outermost are part of its description.
    images: u32,
    /// What is written at the end of the outermost picture.
    ending: Option<Ending<'t>>,
    /// The picture with which the paragraph begins.
    figure: Option<Figure<'t>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    Link,
    /// Words in another language than the text around them.
    Words,
    None,
}

#[derive(Debug)]
struct Ending<'t> {
    title: CowStr<'t>,
    size: Option<crate::Size>,
    forms: Vec<(String, u32)>,
    begins_paragraph: bool,
}

/// A picture that is alone in its paragraph if nothing is written after it.
#[derive(Debug)]
pub(super) struct Figure<'t> {
    /// Where it ends in the output.
    pub(super) end: usize,
    /// Its caption.
    pub(super) title: CowStr<'t>,
}

impl<'t> Links<'t> {
    pub(super) fn in_image(&self) -> bool {
        self.images > 0
    }

    fn in_link(&self) -> bool {
        self.open.contains(&Element::Link)
    }

    pub(super) fn take_figure(&mut self) -> Option<Figure<'t>> {
        self.figure.take()
    }
}

impl<'t> Writer<'t> {
    /// Opens a link. HTML allows no links inside links (`[<https://…>](…)` would be one), and an address whose
    /// scheme could run code does not become a link at all.
    pub(super) fn open_link(&mut self, form: LinkType, destination: &str, title: &str) {
        if self.links.in_image() {
            return;
        }
        if let Some(code) = language::of_link(form, destination) {
            self.links.open.push(Element::Words);
            let _ = write!(self.out, "<span lang=\"{code}\">");
            return;
        }
        let resolved = self.targets.resolve(destination);
        let elsewhere = resolved.is_none() && is_absolute(destination);
        let address = resolved.as_deref().unwrap_or(destination);
        let possible = !self.links.in_link() && is_harmless(address);
        self.links.open.push(if possible { Element::Link } else { Element::None });
        if !possible {
            return;
        }
        self.links.document = self.targets.document(destination);
        self.out.push_str("<a href=\"");
        self.address(address);
        if !title.is_empty() {
            self.out.push_str("\" title=\"");
            self.attribute(title);
        }
        self.out.push_str(if elsewhere { "\" rel=\"noopener\">" } else { "\">" });
    }

    /// Writes an address. The brackets of a host that is an IPv6 address stay as they are (RFC 3986, 3.2.2).
    fn address(&mut self, address: &str) {
        let of_host = ["https://", "http://"].into_iter().find_map(|scheme| {
            let (host, rest) = address.strip_prefix(scheme)?.strip_prefix('[')?.split_once(']')?;
            let host: Ipv6Addr = host.parse().ok()?;
            let _ = write!(self.out, "{scheme}[{host}]");
            Some(rest)
        });
        let _ = escape_href(&mut self.out, of_host.unwrap_or(address));
    }

    pub(super) fn close_link(&mut self) {
        if self.links.in_image() {
            return;
        }
        match self.links.open.pop() {
            Some(Element::Link) => {
                if let Some(document) = self.links.document.take() {
                    self.out.push_str(" <span class=\"document nobreak\">(");
                    self.attribute(&document);
                    self.out.push_str(")</span>");
                }
                self.out.push_str("</a>");
            }
            Some(Element::Words) => self.out.push_str("</span>"),
            Some(Element::None) | None => {}
        }
    }

    pub(super) fn open_image(&mut self, destination: &str, title: CowStr<'t>) {
        self.links.images += 1;
        if self.links.images > 1 {
            return;
        }
        let size = self.targets.size(destination);
        let resolved = self.targets.resolve(destination);
        let begins_paragraph = self.paragraph == Some(self.out.len());
        self.out.push_str(if self.targets.adapts(destination) {
            "<img class=\"adapts\" src=\""
        } else {
            "<img src=\""
        });
        let _ = escape_href(&mut self.out, resolved.as_deref().unwrap_or(destination));
        self.out.push_str("\" alt=\"");
        self.links.ending = Some(Ending { title, size, forms: self.targets.forms(destination), begins_paragraph });
    }

    pub(super) fn close_image(&mut self) {
        self.links.images -= 1;
        if self.links.images > 0 {
            return;
        }
        let Some(Ending { title, size, forms, begins_paragraph }) = self.links.ending.take() else { return };
        if let Some(size) = size {
            let _ = write!(self.out, "\" width=\"{}\" height=\"{}", size.width, size.height);
        }
        if forms.len() > 1 {
            self.out.push_str("\" srcset=\"");
            for (at, (address, width)) in forms.iter().enumerate() {
                self.out.push_str(if at > 0 { ", " } else { "" });
                let _ = escape_href(&mut self.out, address);
                let _ = write!(self.out, " {width}w");
            }
            self.out.push_str("\" sizes=\"");
            self.out.push_str(SIZES);
        }
        self.out.push_str("\" loading=\"lazy\" decoding=\"async\">");
        let end = self.out.len();
        if begins_paragraph {
            self.links.figure = Some(Figure { end, title });
        } else {
            self.add_title(end, &title);
        }
    }

    /// Adds the title of a picture that ends at `end` and is not a figure.
    pub(super) fn add_title(&mut self, end: usize, title: &str) {
        if !title.is_empty() {
            let after = self.out.split_off(end - ">".len());
            self.out.push_str(" title=\"");
            self.attribute(title);
            self.out.push('"');
            self.out.push_str(&after);
        }
    }
}

fn is_absolute(address: &str) -> bool {
    let scheme = scheme(address).unwrap_or_default();
    scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http") || address.starts_with("//")
}

/// Returns whether an address may become a link.
///
/// Security: only schemes that cannot run code in the page are allowed.
fn is_harmless(address: &str) -> bool {
    scheme(address)
        .is_none_or(|scheme| ["http", "https", "mailto", "tel"].iter().any(|known| scheme.eq_ignore_ascii_case(known)))
}

fn scheme(address: &str) -> Option<&str> {
    let end = address.find([':', '/', '?', '#'])?;
    address[end..].starts_with(':').then(|| &address[..end])
}
