//! Checks of the credentials in a text.

use findings::{Code, FileFindings, messages};
use memchr::memchr2_iter;

use super::text::CheckedText;

/// Words before a credential, compared case-insensitively, and the fewest blanks between both.
const MARKS: [(&str, usize); 2] = [("bearer", 1), ("x-api-key:", 0)];

/// Checks that examples show only the published key.
///
/// Security: an example copied from a terminal may publish a valid credential.
pub(super) fn published(prose: &CheckedText, findings: &mut FileFindings) {
    let Some(key) = prose.sandbox_key else { return };
    for (mark, blanks) in MARKS {
        for end in ends(prose.text.as_bytes(), mark.as_bytes()) {
            let behind = &prose.text[end..];
            let rest = behind.trim_start_matches([' ', '\t']);
            let between = behind.len() - rest.len();
            let (start, value) = (end + between, credential(rest));
            if between >= blanks && value != key && is_secret(value) {
                let message = messages::credential_unpublished();
                let finding = prose.finding(Code::CREDENTIAL, &(start..start + value.len()), message);
                findings.push(finding.help(messages::credential_unpublished_help(key)));
            }
        }
    }
}

fn ends(text: &[u8], mark: &'static [u8]) -> impl Iterator<Item = usize> {
    let first = mark[0];
    let starts = memchr2_iter(first, first.to_ascii_uppercase(), text);
    let is_here = |at: usize| {
        let mut found = text[at..].iter();
        mark.iter().all(|byte| found.next().is_some_and(|found| found.eq_ignore_ascii_case(byte)))
    };
    starts.filter(move |at| is_here(*at)).map(|at| at + mark.len())
}

/// Returns the bearer token (RFC 6750, 2.1) at the beginning of `text`, without the full stop of a sentence.
fn credential(text: &str) -> &str {
    let is_token = |letter: char| letter.is_ascii_alphanumeric() || "-._~+/=".contains(letter);
    let end = text.find(|letter| !is_token(letter)).unwrap_or(text.len());
    text[..end].trim_end_matches('.')
}

/// Returns whether `shown` is more than a word of a sentence, as in "bearer tokens".
fn is_secret(value: &str) -> bool {
    value.len() >= 8 && value.bytes().any(|byte| byte.is_ascii_digit() || byte == b'_')
}

#[cfg(test)]
mod tests {
    use content::{Kind, Lines};
    use contract::Locale;
    use findings::Span;

    use super::*;
    use markdown::survey;

    use crate::check::Conduct;

    fn is_reported(text: &str) -> bool {
        let span = |_| Span::default();
        let (survey, mut findings) = (survey(text, Locale::En), FileFindings::default());
        let sandbox_key = Some("sk_sandbox_1");
        published(
            &CheckedText {
                locale: contract::Locale::En,
                kind: Kind::Pages,
                key: "about",
                file: "pages/about/en.md",
                title: "About",
                text,
                survey: &survey,
                sandbox_key,
                origin: None,
                written: std::cell::OnceCell::new(),
                conduct: &Conduct::default(),
                whole: text,
                lines: &Lines::of(text),
                body_start: 0,
                span: &span,
            },
            &mut findings,
        );
        !findings.into_findings().is_empty()
    }

    #[test]
    fn credential_is_found_after_any_number_of_blanks() {
        for blanks in ["", " ", "  ", "\t"] {
            assert!(is_reported(&format!("`X-Api-Key:{blanks}sk_secret_2`")), "{blanks:?}");
            assert!(!is_reported(&format!("`X-Api-Key:{blanks}sk_sandbox_1`")), "{blanks:?}");
            assert_eq!(
                is_reported(&format!("`Authorization: Bearer{blanks}sk_secret_2`")),
                !blanks.is_empty(),
                "{blanks:?}"
            );
        }
        for shout in ["BEARER sk_secret_2", "`x-aPI-Key: sk_secret_2", "Ḃ Çbearer sk_secret_2"] {
            assert!(is_reported(shout), "{shout}");
        }
        assert!(["", "bear", "bearer", "X-Api-Key:"].iter().all(|text| !is_reported(text)));
        assert!(!is_reported("Bearer tokens of 2026 are named `x-api-key: <credential>`."));
    }
}
