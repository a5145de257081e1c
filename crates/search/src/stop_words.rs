//! Words that carry no meaning of their own in a query.

use contract::Locale;

const ENGLISH: &str = "a about after an and any are as at attorney attorneys be been before by can could did do does for \
    from get had has have how i if in into is it its lawyer lawyers many me mr mrs ms much must my need of on or our shall \
    should that the their there these they this those to under was we were what when where which who whose why with would \
    you your";

const TURKISH: &str = "acaba ama avukat avukati avukatlar avukatlari bana bay bayan ben bey bir biz bize bu \
    cok da daha de edilir en etmek gerek gerekir gerekiyor gibi hakkinda hangi hanim hem icin ile ise istiyorum \
    istiyoruz kac kadar kim lazim m mi mu nasil ne neden nedir neler nelerdir nerede niye o olan olarak oldu olur \
    once sayili siz sonra su var ve veya ya yapilir yapmak yapmali yapmaliyim yapmaliyiz yok";

/// Whether a folded word only holds other words together. Someone who looks for a lawyer names the field as well, and
/// means the field; someone who looks for Mr X means X.
pub(crate) fn is_stop_word(locale: Locale, form: &str) -> bool {
    let words = match locale {
        Locale::En => ENGLISH,
        Locale::Tr => TURKISH,
    };
    words.split_ascii_whitespace().any(|word| word == form)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_listed_once_and_folded() {
        for words in [ENGLISH, TURKISH] {
            let words: Vec<&str> = words.split_ascii_whitespace().collect();
            assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
            assert!(words.iter().all(|word| crate::fold(word) == **word));
        }
    }
}
