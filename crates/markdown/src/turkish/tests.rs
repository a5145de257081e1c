use contract::{
    Locale,
    text::{Date, Slug},
};
use proptest::prelude::*;

use super::{Language, case, fold, slug};

fn turkish() -> Language {
    Language::new(Locale::Tr)
}

fn english() -> Language {
    Language::new(Locale::En)
}

fn sorted(language: &Language, words: &str) -> String {
    let mut words: Vec<_> = words.split(' ').collect();
    words.sort_by(|a, b| language.compare(a, b));
    words.join(" ")
}

#[test]
fn dotted_and_dotless_i_keep_their_dots_in_turkish() {
    assert_eq!(case::lower(Locale::Tr, "ILIMAN İSTANBUL"), "ılıman istanbul");
    assert_eq!(case::upper(Locale::Tr, "istanbul ılık"), "İSTANBUL ILIK");
    assert_eq!(case::lower(Locale::En, "ILIMAN"), "iliman");
    assert_eq!(case::upper(Locale::En, "istanbul"), "ISTANBUL");
}

#[test]
fn words_are_capitalized_by_the_rules_of_their_language() {
    assert_eq!(case::capitalize(Locale::Tr, "iş HUKUKU"), "İş hukuku");
    assert_eq!(case::title(Locale::Tr, "ılıman istanbul'DA iş-işçi"), "Ilıman İstanbul'da İş-İşçi");
    assert_eq!(case::title(Locale::En, "the FIRM's istanbul office"), "The Firm's Istanbul Office");
    assert_eq!(case::title(Locale::Tr, " 3'lü  (iki) "), " 3'lü  (İki) ");
    assert_eq!(case::title(Locale::Tr, "“iş HUKUKU” ‘icra’ «x"), "“İş Hukuku” ‘İcra’ «X");
    assert_eq!(case::title(Locale::Tr, "iş—işçi…izin TÜRKİYE’DE"), "İş—İşçi…İzin Türkiye’de");
    assert_eq!(case::title(Locale::En, "e\u{301}e\u{301} co\u{ad}op §2a m²"), "E\u{301}e\u{301} Co\u{ad}op §2a M²");
    assert_eq!(case::capitalize(Locale::Tr, ""), "");
}

#[test]
fn turkish_alphabet_has_its_own_order() {
    let words = "Ümit Umut Şule Su Ömer Ozan İpek Iğdır Hülya Ğ Gül Çağla Cem Irmak İnci";
    assert_eq!(sorted(&turkish(), words), "Cem Çağla Gül Ğ Hülya Iğdır Irmak İnci İpek Ozan Ömer Su Şule Umut Ümit");
}

#[test]
fn names_are_sorted_by_the_turkish_alphabet() {
    let words = "Ülkü Umut Şule Ömer İpek Iğdır Çağla Cem";
    assert_eq!(sorted(&turkish(), words), "Cem Çağla Iğdır İpek Ömer Şule Umut Ülkü");
}

#[test]
fn english_sorts_the_same_people_differently() {
    assert_eq!(sorted(&english(), "Cem Çağla Iğdır İpek Irmak Zeki Şule"), "Çağla Cem Iğdır İpek Irmak Şule Zeki");
}

#[test]
fn dates_are_long_and_british() {
    let date = Date::parse("2026-11-20").unwrap();
    assert_eq!(turkish().date(&date), "20 Kasım 2026");
    assert_eq!(english().date(&date), "20 November 2026");
    assert_eq!(english().date(&Date::parse("2024-02-01").unwrap()), "1 February 2024");
}

#[test]
fn numbers_are_grouped_by_thousands() {
    assert_eq!(turkish().number(1_234_567), "1.234.567");
    assert_eq!(english().number(1_234_567), "1,234,567");
    assert_eq!(turkish().number(999), "999");
    assert_eq!(turkish().number(1000), "1.000");
    assert_eq!(turkish().number(0), "0");
}

#[test]
fn days_and_hours_are_formatted() {
    assert_eq!(turkish().weekday("mon"), Some("Pazartesi"));
    assert_eq!(english().weekday("sun"), Some("Sunday"));
    assert_eq!(turkish().weekday("Mon"), None);
    assert_eq!(turkish().weekdays(["mon", "tue", "wed", "thu", "fri"]), "Pazartesi–Cuma");
    assert_eq!(english().weekdays(["mon", "wed", "thu"]), "Monday, Wednesday, Thursday");
    assert_eq!(english().weekdays(["sat", "mon", "tue", "wed"]), "Monday–Wednesday, Saturday");
    assert_eq!(english().weekdays([]), "");
    assert_eq!(turkish().time("09:00"), "09.00");
    assert_eq!(english().time("09:00"), "09:00");
}

#[test]
fn names_are_joined_as_each_language_does() {
    for (names, in_english, in_turkish) in [
        (&[][..], "", ""),
        (&["A"], "A", "A"),
        (&["A", "B"], "A and B", "A ve B"),
        (&["A", "B", "C"], "A, B and C", "A, B ve C"),
    ] {
        assert_eq!((english().list(names).as_str(), turkish().list(names).as_str()), (in_english, in_turkish));
    }
}

#[test]
fn languages_and_countries_have_names_in_both_locales() {
    assert_eq!(turkish().language_name("en").as_deref(), Some("İngilizce"));
    assert_eq!(english().language_name("tr").as_deref(), Some("Turkish"));
    assert_eq!(turkish().language_name("de").as_deref(), Some("Almanca"));
    assert_eq!(turkish().country_name("TR").as_deref(), Some("Türkiye"));
    assert_eq!(english().country_name("TR").as_deref(), Some("Türkiye"));
    assert_eq!(turkish().country_name("DE").as_deref(), Some("Almanya"));
    assert_eq!(english().country_name("GB").as_deref(), Some("United Kingdom"));
    for unknown in ["", "T", "tr", "XX", "TR\t"] {
        assert_eq!(turkish().country_name(unknown), None, "{unknown:?}");
    }
}

#[test]
fn slugs_are_ascii() {
    for (title, expected) in [
        ("İş Hukuku ve Uyuşmazlık Çözümü", "is-hukuku-ve-uyusmazlik-cozumu"),
        ("Şirketler ve Birleşme-Devralma", "sirketler-ve-birlesme-devralma"),
        ("M&A", "m-ve-a"),
        ("Bankacılık & Finans", "bankacilik-ve-finans"),
        ("İstanbul'daki Işık", "istanbuldaki-isik"),
        ("İstanbul’daki ışık", "istanbuldaki-isik"),
        ("Kâr payı, hâkim, millî", "kar-payi-hakim-milli"),
        ("I\u{307}s\u{327} (2024) — §5", "is-2024-5"),
        ("Łódź Straße Ærø", "lodz-strasse-aero"),
        ("  --  ", ""),
        ("Договор", ""),
        ("&", "ve"),
    ] {
        assert_eq!(slug(title, Locale::Tr), expected, "{title}");
    }
    assert_eq!(slug("M&A", Locale::En), "m-and-a");
    assert_eq!(slug("The firm's clients", Locale::En), "the-firms-clients");
}

#[test]
fn long_slug_ends_after_a_word() {
    let long = slug(&"uzun ".repeat(30), Locale::Tr);
    assert_eq!(long.len(), 79);
    assert!(long.ends_with("-uzun"));
    assert_eq!(slug(&"u".repeat(100), Locale::Tr).len(), 80);
}

#[test]
fn search_finds_words_however_they_are_typed() {
    for [typed, written] in [
        ["UYUŞMAZLIK", "uyusmazlik"],
        ["IŞIK", "ışık"],
        ["ILIMAN", "ılıman"],
        ["İstanbul", "istanbul"],
        ["ISTANBUL", "istanbul"],
        ["I\u{307}stanbul", "ISTANBUL"],
        ["hâkim", "hakim"],
        ["s\u{327}o\u{308}ğüt", "SÖĞÜT"],
        ["İstanbul’daki", "istanbul'daki"],
        ["ﬁnans", "finans"],
        ["söz\u{ad}leşme", "sozlesme"],
        ["ΟΔΟΣ", "οδος"],
    ] {
        assert_eq!(fold(typed), fold(written));
    }
    assert_eq!(fold("İşçi & Çağ"), "isci & cag");
}

#[test]
fn folding_any_letter_twice_changes_nothing() {
    for letter in ('\0'..='\u{ffff}').map(String::from) {
        let once = fold(&letter);
        assert_eq!(fold(&once), once, "{letter:?}");
    }
}

proptest! {
    #[test]
    fn slug_is_empty_or_valid_and_its_own_slug(title in "\\PC{0,60}|[a-zA-ZığüşöçİĞÜŞÖÇ&' -]{0,120}") {
        for locale in Locale::ALL {
            let once = slug(&title, locale);
            prop_assert!(once.is_empty() || Slug::parse(&once).is_ok(), "{once}");
            prop_assert_eq!(&slug(&once, locale), &once);
        }
    }

    #[test]
    fn folding_twice_changes_nothing(text in any::<String>()) {
        let once = fold(&text);
        prop_assert_eq!(&fold(&once), &once);
    }
}
