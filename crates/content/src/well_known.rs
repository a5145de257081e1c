//! `content/well-known/`: files that prove the ownership of the site. They are published unchanged below
//! `/.well-known/` (RFC 8615).

use contract::{manifest::Coding, routes::is_own_well_known};
use findings::messages::{self, Text};

/// The folder of these files.
pub const WELL_KNOWN: &str = "well-known";

/// The longest name of such a file, in bytes.
const MAX_NAME_BYTES: usize = 100;

/// Returns whether the file at this path below the content folder is one of them.
pub fn is_well_known(file: &str) -> bool {
    file.split_once('/').is_some_and(|(folder, _)| folder == WELL_KNOWN)
}

/// Returns the message and the help for a file name that cannot be published.
pub(super) fn check_name(name: &str) -> Option<(Text, Text)> {
    if is_own_well_known(name) {
        return Some((messages::well_known_taken(name), messages::well_known_taken_help()));
    }
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    let is_written = name.len() <= MAX_NAME_BYTES && !name.ends_with('.') && name.bytes().all(is_plain);
    if !is_written {
        return Some((messages::well_known_name(name), messages::well_known_name_help(MAX_NAME_BYTES)));
    }
    // Compressed variants have these endings, and pages are made only from texts.
    let small = name.to_ascii_lowercase();
    let is_of_the_build = Coding::ALL.into_iter().any(|coding| small.ends_with(coding.suffix()));
    (is_of_the_build || small.ends_with(".html") || small.ends_with(".htm"))
        .then(|| (messages::well_known_ending(name), messages::well_known_ending_help()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_that_is_reserved_or_ambiguous_is_refused() {
        for name in ["openai-apps-challenge", "assetlinks.json", "did.json", "_dnsauth.txt", "A.b-c_1"] {
            assert_eq!(check_name(name), None, "{name}");
        }
        let long = "a".repeat(101);
        for name in [
            "API-catalog",
            "mcp",
            "oauth-protected-resource.json",
            "security.txt",
            "acme-challenge",
            "a b",
            "ç",
            "a%20b",
            "a.",
            &long,
            "a.br",
            "a.HTM",
        ] {
            assert!(check_name(name).is_some(), "{name}");
        }
    }
}
