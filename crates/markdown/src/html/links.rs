//! Links and pictures.

use std::{fmt::Write as _, net::Ipv6Addr};

use pulldown_cmark::{CowStr, LinkType};
use pulldown_cmark_escape::escape_href;

use super::HtmlWriter;
use crate::language;

/// Width of a picture in a text (`sizes`): the theme's column, on small screens nearly the whole width.
const SIZES: &str = "(min-width: 47rem) 44rem, 94vw";

#[derive(Debug, Default)]
pub(super) struct OpenLinks<'t> {
    open: Vec<LinkElement>,
    /// Type and size of the linked document, written at the end of the open link.
    document: Option<String>,
    /// Nesting depth of pictures; inner pictures are part of the description of the outermost.
    images: u32,
    /// The outermost picture.
    ending: Option<OpenImage<'t>>,
    /// The picture at the beginning of the paragraph.
    figure: Option<Figure<'t>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkElement {
    Link,
    /// Words in another language than the text around them.
    Words,
    None,
}

#[derive(Debug)]
struct OpenImage<'t> {
    title: CowStr<'t>,
    size: Option<crate::Size>,
    forms: Vec<(String, u32)>,
    begins_paragraph: bool,
}

/// A picture that is alone in its paragraph if nothing is written after it.
#[derive(Debug)]
pub(super) struct Figure<'t> {
    /// Where the picture ends in the output.
    pub(super) end: usize,
    /// The caption.
    pub(super) title: CowStr<'t>,
}

impl<'t> OpenLinks<'t> {
    pub(super) fn in_image(&self) -> bool {
        self.images > 0
    }

    fn in_link(&self) -> bool {
        self.open.contains(&LinkElement::Link)
    }

    pub(super) fn take_figure(&mut self) -> Option<Figure<'t>> {
        self.figure.take()
    }
}

impl<'t> HtmlWriter<'t> {
    /// Opens a link. HTML allows no link inside a link, such as `[<https://…>](…)`.
    ///
    /// Security: an address whose scheme could run code does not become a link.
    pub(super) fn open_link(&mut self, form: LinkType, destination: &str, title: &str) {
        if self.links.in_image() {
            return;
        }
        if let Some(code) = language::of_link(form, destination) {
            self.links.open.push(LinkElement::Words);
            let _ = write!(self.out, "<span lang=\"{code}\">");
            return;
        }
        let resolved = self.targets.resolve(destination);
        let elsewhere = resolved.is_none() && is_absolute(destination);
        let address = resolved.as_deref().unwrap_or(destination);
        let possible = !self.links.in_link() && is_harmless(address);
        self.links.open.push(if possible { LinkElement::Link } else { LinkElement::None });
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

    /// Writes an address; the brackets around an IPv6 address are not escaped (RFC 3986, 3.2.2).
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
            Some(LinkElement::Link) => {
                if let Some(document) = self.links.document.take() {
                    self.out.push_str(" <span class=\"document nobreak\">(");
                    self.attribute(&document);
                    self.out.push_str(")</span>");
                }
                self.out.push_str("</a>");
            }
            Some(LinkElement::Words) => self.out.push_str("</span>"),
            Some(LinkElement::None) | None => {}
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
        self.links.ending = Some(OpenImage { title, size, forms: self.targets.forms(destination), begins_paragraph });
    }

    pub(super) fn close_image(&mut self) {
        self.links.images -= 1;
        if self.links.images > 0 {
            return;
        }
        let Some(OpenImage { title, size, forms, begins_paragraph }) = self.links.ending.take() else { return };
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

    /// Adds a title to the picture that ends at `end`; figures have a caption instead.
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
