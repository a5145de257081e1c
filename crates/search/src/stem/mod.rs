//! Stems: keys that the forms of a word share. A stem need not be a word.
//!
//! Stems are made from folded words, because half of all queries are typed without Turkish letters. Snowball's Turkish
//! algorithm needs vowel harmony to recognise an ending; it also gives `dav` for `dava` but `dava` for `davanın`,
//! `serma` for `sermaye` but `sermayes` for `sermayesi` (measured with both of its Rust editions). For English,
//! Porter's algorithm is sufficient, and smaller than a crate of forty languages.

mod english;
mod roots;
mod turkish;

use contract::Locale;

/// The stem of a folded word. Words with digits or letters other than `a` to `z` are their own stems.
pub(crate) fn stem(locale: Locale, form: &str) -> String {
    if form.len() < 3 || !form.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return form.to_owned();
    }
    match locale {
        Locale::En => english::stem(form),
        Locale::Tr => turkish::stem(form),
    }
}

#[cfg(test)]
mod tests;
