//! Readers of single values that only the files beside the entries have.

use contract::text::Email;
use findings::{
    Code,
    messages::{self, Text},
    nearest,
};
use markdown::mailto;

use super::{
    node::Node,
    palette::Colour,
    problem::{Problem, Reading},
    values::{self, LINE},
    web_addresses,
};

/// The longest period of review in months: ten years.
pub(super) const MAX_REVIEW_AFTER: u16 = 120;

/// The values of `section` in a menu, each with the key of its page.
pub(super) const SECTIONS: [(&str, &str); 6] = [
    ("practice-areas", "practice-areas"),
    ("team", "team"),
    ("publications", "publications"),
    ("global-network", "global-network"),
    // The name of the section's folder.
    ("network", "global-network"),
    ("contact", "contact"),
];

pub(super) fn months(node: &Node) -> Reading<String> {
    let months = values::integer(node)?;
    if let Ok(1..=MAX_REVIEW_AFTER) = months.parse() {
        return Ok(months);
    }
    let (text, _) = values::scalar(node)?;
    Err(Some(Problem::new(Code::BAD_INTEGER, values::expected(messages::months_wanted(), text))))
}

pub(super) fn sandbox_key(node: &Node) -> Reading<String> {
    let key = values::text(node, LINE)?;
    let is_fine = (8..=128).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        && !key.starts_with("at_")
        && !key.starts_with("ak_");
    if is_fine {
        return Ok(key);
    }
    Err(Some(Problem::new(Code::BAD_SANDBOX_KEY, values::expected(messages::sandbox_key_wanted(), &key))))
}

pub(super) fn security_contact(node: &Node) -> Reading<String> {
    let contact = values::text(node, LINE)?;
    let is_fine = match contact.strip_prefix("mailto:") {
        // A mailbox may contain characters that a link must not: `?` would begin header fields.
        Some(mailbox) => Email::parse(mailbox).is_ok() && mailto(mailbox) == contact,
        None => contact.starts_with("https://") && web_addresses::web_address(&contact).is_ok(),
    };
    if is_fine {
        return Ok(contact);
    }
    let message = values::expected(messages::security_contact_wanted(), &contact);
    let problem = Problem::new(Code::BAD_SECURITY_CONTACT, message);
    Err(Some(match Email::parse(&contact) {
        Ok(email) => problem.label(messages::words_to_write(format!("mailto:{email}"))),
        Err(_) => problem,
    }))
}

/// Reads the name of the MCP server, in the form that the schema of server cards requires.
pub(super) fn mcp_name(node: &Node) -> Reading<String> {
    let name = values::text(node, LINE)?;
    let word = |part: &str, marks: &[u8]| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || marks.contains(&byte))
    };
    let is_fine = name
        .split_once('/')
        .is_some_and(|(domain, rest)| word(domain, b"-.") && domain.contains('.') && word(rest, b"-._"));
    if is_fine {
        return Ok(name);
    }
    let problem = Problem::new(Code::BAD_MCP_NAME, values::expected(messages::server_name_wanted(), &name));
    Err(Some(problem.help(messages::server_name_help())))
}

/// Reads the name of the share picture. Other sites do not accept drawings.
pub(super) fn share_picture(node: &Node) -> Reading<String> {
    let (wanted, help) = (messages::share_picture_wanted(), messages::share_picture_help());
    file_of(node, &["png", "jpg", "webp"], Code::NOT_ONE_OF, wanted, help)
}

pub(super) fn icon(node: &Node) -> Reading<String> {
    file_of(node, &["svg", "png"], Code::NOT_ONE_OF, messages::icon_wanted(), messages::icon_help())
}

pub(super) fn font(node: &Node) -> Reading<String> {
    let name = file_of(node, &["woff2"], Code::FONT, messages::font_file_wanted(), messages::font_file_help())?;
    if name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_')) {
        return Ok(name);
    }
    // Security: the name is part of a style sheet, where a quotation mark would end it.
    let problem = Problem::new(Code::FONT, values::expected(messages::font_name_wanted(), &name));
    Err(Some(problem.help(messages::font_name_help())))
}

/// Reads the name of a file with one of a few endings.
fn file_of(node: &Node, endings: &[&str], code: Code, wanted: Text, help: Text) -> Reading<String> {
    let name = values::file_name(node)?;
    if name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending)) {
        return Ok(name);
    }
    Err(Some(Problem::new(code, values::expected(wanted, &name)).help(help)))
}

pub(super) fn colour(node: &Node) -> Reading<String> {
    let text = values::text(node, LINE)?;
    if Colour::parse(&text).is_some() {
        return Ok(text);
    }
    let problem = Problem::new(Code::BAD_COLOUR, values::expected(messages::colour_wanted(), &text));
    Err(Some(match find_intended_colour(&text) {
        Some(colour) => problem.label(messages::words_to_write(format!("\"{colour}\""))),
        None => problem.help(messages::colour_help()),
    }))
}

/// Reads the short form `#abc`, or digits without their sign.
fn find_intended_colour(text: &str) -> Option<Colour> {
    let digits = text.trim().trim_start_matches('#');
    let whole: String = match digits.len() {
        3 => digits.chars().flat_map(|digit| [digit, digit]).collect(),
        _ => digits.to_owned(),
    };
    Colour::parse(&format!("#{whole}"))
}

/// Reads the code of an advisory check.
pub(super) fn advisory_code(node: &Node) -> Reading<String> {
    let (text, _) = values::scalar(node)?;
    if let Some(code) = Code::find(text).filter(|code| code.is_advisory()) {
        return Ok(code.id().to_owned());
    }
    let problem = Problem::new(Code::NOT_ONE_OF, messages::deviation_code(text)).help(messages::deviation_code_help());
    let known = Code::ALL.into_iter().filter(|code| code.is_advisory());
    Err(Some(match nearest(text, known.map(Code::id)) {
        Some(id) => problem.label(messages::did_you_mean(id)),
        None => problem,
    }))
}
