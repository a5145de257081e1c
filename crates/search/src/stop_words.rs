//! Words without a meaning of their own in a query.

use std::sync::LazyLock;

use contract::{Locale, PerLocale};

const ENGLISH: &str = "a about after am an and any are arent as at attorney attorneys be been before being best by \
    can cant could couldnt deal dealing deals did didnt do does doesnt dont for from get good had hadnt handle \
    handles happens has hasnt have havent help how i if im in into is isnt it its ive lawyer lawyers looking many \
    matter matters may me might mr mrs ms much must my need not of on or our please quickly shall should shouldnt so \
    solicitor solicitors some someone something take takes tell than that the their them then there these they this \
    those to try under us want wants was wasnt we were what whats when where which who whose why will with wont would \
    wouldnt you your youre";

const TURKISH: &str = "acaba ama ariyorum ariyoruz avukat avukati avukatlar avukatlari bakan bana bay bayan ben \
    benim bey bilen bir biz bize bizim bu cok da daha de diye edebilir edebilirim edebiliriz edilir edilmeli en \
    etmek gerek gerekir gerekiyor gibi hakkinda hangi hangisi hanim hem icin ile ise istiyorum istiyoruz kac kadar \
    kim kime kimler lazim lutfen m mi misiniz miyim miyiz mu musunuz nasil ne neden nedir neler nelerdir nerede \
    nereden nereye niye o olabilir olan olarak oldu olmali olmaz olunca olur olursa once peki sayili sekilde sey \
    siz sonra su uygun var ve veya ya yapabilir yapabilirim yapabiliriz yapilir yapilirsa yapiliyor yapilmali \
    yapmak yapmali yapmaliyim yapmaliyiz yok zorunda zorundayim zorundayiz";

/// Words of everyday language, which tell little of a question even where they are rare in the texts, and the name of the
/// country, whose law all texts are about. In Turkish any form of the word is meant.
const EVERYDAY_ENGLISH: &str = "able again ago all already also always another anybody anyone anything around ask \
    asked asking away back bad become begin big both bring came case cases come coming day days different doing done \
    down each either else end enough even ever every everybody everyone everything exactly far few find first \
    following found full further gave gets getting give given gives giving go goes going gone got great hand happen \
    happened happening here hold hour hours important instead just keep keeps kind know known last late later least \
    leave left less let like live lived lives living long look looks lot made make makes making maybe mean means meet \
    minute month months more most move name needed needs never new next night no nobody none nothing now off often ok \
    old once one only onto open opened other out over own people perhaps person place possible probably put quick \
    quite rather ready really receive received recently said same saw say says see seem seen send sending sent set \
    several she show shown shows since small somebody soon speak speaking speaks start started starting stay still \
    stop stuff such sure thing things think time times today together told tomorrow tonight too took toward tried \
    trying turkey turkish turkiye two until up use used uses using usual usually very wait wanted way ways week weeks \
    well went whether while whole within without won wonder worried worry year years yes yesterday yet";

const EVERYDAY_TURKISH: &str = "alan alir almak altinda anlam artik asla aslinda ayni ayri az bagli bakmak basit \
    baska baslamak beri bile bilgi bilmek birakmak biri birinci birkac bitirmek bitmek boyle bugun bulmak bulunmak \
    butun buyuk cikmak dakika degil degisik demek diger dogru dun durum dusunmek eger evet falan farkli fazla gece \
    gecmek gelen gelmek gercek gercekten gerekli getirmek giden girmek gitmek gore gormek gun gunler haber hafta hal \
    hala halinde hayir hemen hep hepsi her herkes hic hizli iki ilgili ilk insan istemek isteyen iyi kabaca kalan \
    kalmak kere kesin kimse kisa kisi kolay konu konusunda kotu kucuk kullanmak mesela mumkun olmak onceki onemli \
    onlar onun orada oturmak ozel parca pek sabah sadece sanki simdi sira son sonraki sonunda sormak soylemek \
    soz tabii tam tane tek tum turk turkiye tutmak uzak uzeri uzerinde uzun vakit veren vermek yakin yalniz yani \
    yapan yapilan yarin yeni yeniden yer yil yine yol yoluyla zaman zor";

/// Returns whether a folded word with this stem is a word of everyday language.
pub(crate) fn is_everyday(locale: Locale, form: &str, stem: &str) -> bool {
    static ENGLISH: LazyLock<Vec<&str>> = LazyLock::new(|| EVERYDAY_ENGLISH.split_ascii_whitespace().collect());
    static TURKISH: LazyLock<Vec<String>> = LazyLock::new(|| {
        let mut stems: Vec<String> =
            EVERYDAY_TURKISH.split_ascii_whitespace().map(|word| crate::stem::stem(Locale::Tr, word)).collect();
        stems.sort_unstable();
        stems
    });
    match locale {
        Locale::En => ENGLISH.binary_search(&form).is_ok(),
        Locale::Tr => TURKISH.binary_search_by(|word| word.as_str().cmp(stem)).is_ok(),
    }
}

/// Returns whether a folded word with this stem means a lawyer: a query with such a word looks for a person.
pub(crate) fn is_lawyer(locale: Locale, form: &str, stem: &str) -> bool {
    match locale {
        Locale::En => matches!(form, "attorney" | "attorneys" | "lawyer" | "lawyers" | "solicitor" | "solicitors"),
        Locale::Tr => stem == "avukat",
    }
}

/// Returns whether a folded word means to work on a subject, to speak a language, or to be reached: with `who`, a query with
/// such a word looks for a person.
pub(crate) fn is_work_of_a_person(locale: Locale, form: &str) -> bool {
    const ENGLISH: [&str; 13] = [
        "advises",
        "deals",
        "email",
        "handle",
        "handles",
        "mail",
        "phone",
        "speak",
        "speaks",
        "specialises",
        "specializes",
        "telephone",
        "works",
    ];
    const TURKISH: [&str; 15] = [
        "bakan",
        "bakar",
        "bakiyor",
        "bilen",
        "biliyor",
        "calisiyor",
        "ilgilenen",
        "ilgileniyor",
        "konusan",
        "konusuyor",
        "mail",
        "maili",
        "posta",
        "telefonu",
        "uzman",
    ];
    match locale {
        Locale::En => ENGLISH.contains(&form),
        Locale::Tr => TURKISH.contains(&form),
    }
}

/// Returns whether a folded word has the ending of a finite Turkish verb. A verb that no text has says little about the
/// subject of a question: `gitmezsek`, `engelleyebilir`.
pub(crate) fn is_finite_verb(locale: Locale, form: &str) -> bool {
    const ENDINGS: [&str; 28] = [
        "abilir", "acagim", "acagiz", "acak", "dim", "ebilir", "ecegim", "ecegiz", "ecek", "iyor", "iyorum", "iyoruz",
        "ldi", "maliyim", "maliyiz", "maz", "mazsa", "mazsak", "meliyim", "meliyiz", "mez", "mezse", "mezsek", "ndi",
        "tim", "uyor", "uyorum", "uyoruz",
    ];
    locale == Locale::Tr && form.len() >= 5 && ENDINGS.iter().any(|ending| form.ends_with(ending))
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
        for words in [ENGLISH, TURKISH, EVERYDAY_ENGLISH, EVERYDAY_TURKISH] {
            let words: Vec<&str> = words.split_ascii_whitespace().collect();
            assert!(words.is_sorted_by(|a, b| a < b), "{words:?}");
            assert!(words.iter().all(|word| crate::fold(word) == **word));
        }
    }

    #[test]
    fn everyday_words_are_no_stop_words_and_known_in_any_turkish_form() {
        for (locale, words) in [(Locale::En, EVERYDAY_ENGLISH), (Locale::Tr, EVERYDAY_TURKISH)] {
            for word in words.split_ascii_whitespace() {
                assert!(!is_stop_word(locale, word), "{word}");
                assert!(is_everyday(locale, word, &crate::stem::stem(locale, word)), "{word}");
            }
        }
        for (word, is_known) in [("gecenin", true), ("bulunur", false), ("tazminat", false), ("sozlesme", false)] {
            assert_eq!(is_everyday(Locale::Tr, word, &crate::stem::stem(Locale::Tr, word)), is_known, "{word}");
        }
    }
}
