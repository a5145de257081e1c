//! A text as words, numbers and signs.

use std::{borrow::Cow, ops::Range};

use search::fold;

/// A word, a number, or a sign.
pub(crate) struct TextToken<'t> {
    pub text: &'t str,
    pub start: usize,
    /// The word in lower case and ASCII letters; empty for signs and numbers.
    pub folded: Cow<'t, str>,
    /// Whether the token follows a space or begins the text.
    pub is_spaced: bool,
    kind: TextTokenKind,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextTokenKind {
    Word,
    Number,
    Sign,
    /// An empty line, or the end of a row of a table: no citation goes beyond.
    Break,
}

pub(crate) struct TextTokens<'t>(Vec<TextToken<'t>>);

impl<'t> TextTokens<'t> {
    /// Divides a text in Markdown; marks of emphasis and the targets of links are left out.
    pub(crate) fn of(text: &'t str) -> Self {
        let mut tokens = Vec::new();
        let mut letters = text.char_indices().peekable();
        let (mut is_spaced, mut is_line_begun) = (true, true);
        while let Some((start, letter)) = letters.next() {
            let kind = match letter {
                _ if letter.is_ascii_digit() => TextTokenKind::Number,
                _ if letter.is_alphabetic() => TextTokenKind::Word,
                '\n' if is_line_begun => TextTokenKind::Break,
                '*' | '_' | '`' | '[' => continue,
                // The words of a link are words of the sentence.
                ']' => {
                    let target = text[start + 1..].split(['\n', ' ']).next().filter(|target| target.starts_with('('));
                    let end = target.and_then(|target| target.find(')')).map_or(0, |end| start + 1 + end);
                    while letters.next_if(|(at, _)| *at <= end).is_some() {}
                    continue;
                }
                _ if letter.is_whitespace() => {
                    is_spaced = true;
                    is_line_begun |= letter == '\n';
                    continue;
                }
                _ => TextTokenKind::Sign,
            };
            let mut end = start + letter.len_utf8();
            while let Some((at, next)) = letters.peek()
                && match kind {
                    TextTokenKind::Number => next.is_ascii_digit(),
                    // Marks that belong to the letter before them.
                    TextTokenKind::Word => next.is_alphabetic() || ('\u{300}'..='\u{36f}').contains(next),
                    TextTokenKind::Sign | TextTokenKind::Break => false,
                }
            {
                end = at + next.len_utf8();
                letters.next();
            }
            let text = &text[start..end];
            let folded = match kind {
                // Most words are their own folded form.
                TextTokenKind::Word if text.bytes().all(|byte| byte.is_ascii_lowercase()) => Cow::Borrowed(text),
                TextTokenKind::Word => Cow::Owned(fold(text)),
                _ => Cow::Borrowed(""),
            };
            tokens.push(TextToken { text, start, folded, is_spaced, kind });
            (is_spaced, is_line_begun) = (false, false);
        }
        Self(tokens)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn get(&self, at: usize) -> Option<&TextToken<'t>> {
        self.0.get(at)
    }

    /// Returns the folded word at a place; an empty text if there is none.
    pub(crate) fn word(&self, at: usize) -> &str {
        self.0.get(at).map_or("", |token| &token.folded)
    }

    /// Whether one of these signs is at a place.
    pub(crate) fn is_sign(&self, at: usize, signs: &str) -> bool {
        self.0.get(at).is_some_and(|token| token.kind == TextTokenKind::Sign && signs.contains(token.text))
    }

    pub(crate) fn begins_with_capital(&self, at: usize) -> bool {
        !self.word(at).is_empty() && self.get(at).is_some_and(|token| token.text.starts_with(char::is_uppercase))
    }

    pub(crate) fn is_break(&self, at: usize) -> bool {
        self.0.get(at).is_none_or(|token| token.kind == TextTokenKind::Break)
    }

    /// Returns the number at a place, of at most five digits.
    pub(crate) fn number(&self, at: usize) -> Option<u32> {
        let token = self.0.get(at).filter(|token| token.kind == TextTokenKind::Number)?;
        (token.text.len() <= 5 && !token.text.starts_with('0')).then(|| token.text.parse().ok())?
    }

    /// Returns the digits at a place.
    pub(crate) fn digits(&self, at: usize) -> Option<&'t str> {
        self.0.get(at).filter(|token| token.kind == TextTokenKind::Number).map(|token| token.text)
    }

    pub(crate) fn is_spaced(&self, at: usize) -> bool {
        self.0.get(at).is_none_or(|token| token.is_spaced)
    }

    /// Returns the range of the text from one token to before another.
    pub(crate) fn range(&self, from: usize, to: usize) -> Range<usize> {
        let last = &self.0[to - 1];
        self.0[from].start..last.start + last.text.len()
    }

    /// Returns the place after an apostrophe and the suffix behind it.
    pub(crate) fn after_suffix(&self, at: usize) -> usize {
        let is_suffix = self.is_sign(at, "'’ʼ‘`´") && !self.is_spaced(at) && !self.is_spaced(at + 1);
        if is_suffix && !self.word(at + 1).is_empty() { at + 2 } else { at }
    }
}
