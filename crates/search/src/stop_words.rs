//! Words without a meaning of their own in a query.

use std::sync::LazyLock;

use contract::{Locale, PerLocale};

const ENGLISH: &str = "a about after am an and any are as at attorney attorneys be been before being best by can \
    could deal dealing deals did do does for from get good had handle handles happens has have help how i if in \
    into is it its lawyer lawyers looking many matter matters may me might mr mrs ms much must my need not of on \
    or our please quickly shall should so solicitor solicitors some someone something take takes tell than that \
    the their them then there these they this those to try under us want wants was we were what when where which \
    who whose why will with would you your";

const TURKISH: &str = "acaba ama ariyorum ariyoruz avukat avukati avukatlar avukatlari bakan bana bay bayan ben \
    benim bey bilen bir biz bize bizim bu cok da daha de diye edebilir edebilirim edebiliriz edilir edilmeli en \
    etmek gerek gerekir gerekiyor gibi hakkinda hangi hangisi hanim hem icin ile ise istiyorum istiyoruz kac kadar \
    kim kime kimler lazim lutfen m mi misiniz miyim miyiz mu musunuz nasil ne neden nedir neler nelerdir nerede \
    nereden nereye niye o olabilir olan olarak oldu olmali olmaz olunca olur olursa once peki sayili sekilde sey \
    siz sonra su uygun var ve veya ya yapabilir yapabilirim yapabiliriz yapilir yapilirsa yapiliyor yapilmali \
    yapmak yapmali yapmaliyim yapmaliyiz yok zorunda zorundayim zorundayiz";

/// Returns whether a folded word with this stem means a lawyer: a query with such a word looks for a person.
pub(crate) fn is_lawyer(locale: Locale, form: &str, stem: &str) -> bool {
    match locale {
        Locale::En => matches!(form, "attorney" | "attorneys" | "lawyer" | "lawyers" | "solicitor" | "solicitors"),
        Locale::Tr => stem == "avukat",
    }
}

/// Returns whether a folded word means to work on a subject: with `who`, a query with such a word looks for a person.
pub(crate) fn is_work_of_a_person(locale: Locale, form: &str) -> bool {
    match locale {
        Locale::En => {
            matches!(form, "advises" | "deals" | "handle" | "handles" | "specialises" | "specializes" | "works")
        }
        Locale::Tr => {
            matches!(form, "bakan" | "bakar" | "bakiyor" | "calisiyor" | "ilgilenen" | "ilgileniyor" | "uzman")
        }
    }
}

/// Returns whether a word is `işe`, which folds to the stop word `ise`: `işe iade`.
pub(crate) fn is_dative(locale: Locale, word: &str) -> bool {
    locale == Locale::Tr && matches!(word, "işe" | "İşe" | "İŞE")
}

/// Returns whether a folded word is a stop word. `lawyer` and `Mr` are stop words, because the field or the name beside
/// them counts.
pub(crate) fn is_stop_word(locale: Locale, form: &str) -> bool {
    static WORDS: LazyLock<PerLocale<Vec<&str>>> = LazyLock::new(|| {
        let list = |words: &'static str| words.split_ascii_whitespace().collect();
        PerLocale { en: list(ENGLISH), tr: list(TURKISH) }
    });
    // The lists are sorted.
    WORDS[locale].binary_search(&form).is_ok()
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
