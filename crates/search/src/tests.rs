//! Queries in both languages against a small invented site; damaged bytes and hostile queries.

mod hostile;

use bytes::Bytes;
use contract::Locale;
use proptest::prelude::*;

use crate::{
    Builder, Index, IndexedDocument,
    typo::{letter_set, may_be_one_slip},
};

/// Id, title, summary, headings, body.
type Page = (&'static str, &'static str, &'static str, &'static [&'static str], &'static str);

const TURKISH: &[Page] = &[
    (
        "/tr",
        "Yalın Hukuk",
        "İstanbul'da bir hukuk bürosu.",
        &[],
        "Hoş geldiniz. Çalışma alanlarımız ve ekibimiz burada.",
    ),
    (
        "/tr/alan/is",
        "İş Hukuku",
        "İşveren ve çalışanlara iş hukuku danışmanlığı.",
        &["Toplu işten çıkarma"],
        "İş sözleşmelerinin hazırlanması, işe iade davalarında temsil ve kıdem tazminatı hesapları. İşverenler için el kitapları hazırlıyoruz.",
    ),
    (
        "/tr/alan/vergi",
        "Vergi",
        "Vergi uyuşmazlıkları ve planlama.",
        &[],
        "Vergi incelemelerinde ve davalarda temsil; iş ortaklıklarının vergilendirilmesi.",
    ),
    (
        "/tr/yayin/veri",
        "Kişisel verilerin yurt dışına aktarılması",
        "6698 sayılı Kanun'un 9. maddesi değişti.",
        &["Standart sözleşme"],
        "KVKK’nın 9. maddesine göre aktarım üç yolla yapılır. Standart sözleşme beş iş günü içinde Kurum'a bildirilir. Açık rıza artık istisnadır.",
    ),
    (
        "/tr/yayin/izin",
        "Yabancılar için çalışma izni",
        "Başvuru, süreler ve ret.",
        &[],
        "Çalışma izninin alınması için işveren başvurur. m. 12/3 uyarınca süre bir yıldır. Kadıköy ve Şişli ilçelerinde oturanlar için kural aynıdır.",
    ),
    (
        "/tr/kisi/isik",
        "Ömer Işık",
        "Avukat, tahkim ve uyuşmazlık çözümü.",
        &[],
        "Ömer Işık tahkim davalarında müvekkilleri temsil eder. IŞIK ailesindendir.",
    ),
    (
        "/tr/iletisim",
        "İletişim",
        "Adres, telefon ve e-posta.",
        &[],
        "Levent, İstanbul. Hafta içi 09.00 ile 18.00 arası açıktır.",
    ),
];

const ENGLISH: &[Page] = &[
    (
        "/en/area/employment",
        "Employment",
        "Advice for employers and employees.",
        &["Collective dismissals"],
        "We draft contracts, litigate reinstatement claims and advise on non-compete clauses.",
    ),
    (
        "/en/pub/dismissal",
        "Dismissing an employee in Türkiye",
        "Notice, severance and reinstatement.",
        &[],
        "An employer who dismisses an employee must state the reasons in writing. The notice period depends on seniority.",
    ),
    (
        "/en/pub/awards",
        "Enforcing foreign arbitral awards",
        "The New York Convention before Turkish courts.",
        &[],
        "Arbitration is chosen often. Courts enforced 12 awards; §5 of the Act and Art. 12/3 apply. Law No. 6698 does not matter here.",
    ),
    (
        "/en/pub/lease",
        "Rent increases in residential leases",
        "What landlords may ask for.",
        &[],
        "A tenant whose lease was renewed pays the increased rent from the first month. The firm’s lawyers advise tenants.",
    ),
    (
        "/en/person/isik",
        "Ömer Işık",
        "Attorney, arbitration.",
        &[],
        "Ömer Işık represents clients in arbitrations in İstanbul.",
    ),
];

fn index(locale: Locale, pages: &[Page]) -> Index {
    Index::parse(Bytes::from(bytes(locale, pages))).unwrap()
}

fn bytes(locale: Locale, pages: &[Page]) -> Vec<u8> {
    let mut builder = Builder::new(locale);
    for page in pages {
        add(&mut builder, page);
    }
    builder.build()
}

fn add(builder: &mut Builder, (id, title, summary, headings, body): &Page) {
    let url = format!("https://yalin.example{id}");
    builder.add(&IndexedDocument {
        id,
        title,
        url: &url,
        kind: "page",
        headings,
        summary,
        body,
        ..IndexedDocument::default()
    });
}

fn ids(index: &Index, query: &str) -> Vec<String> {
    index.search(query, 10).iter().map(|hit| hit.id.to_owned()).collect()
}

/// Asserts that each query finds its page first.
fn first(locale: Locale, pages: &[Page], table: &[(&str, &str)]) {
    let index = index(locale, pages);
    let wrong: Vec<String> = table
        .iter()
        .filter(|(query, expected)| ids(&index, query).first().map(String::as_str) != Some(*expected))
        .map(|(query, expected)| format!("{query}: {:?}, not {expected}", ids(&index, query)))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn turkish_queries_find_the_intended_page() {
    first(
        Locale::Tr,
        TURKISH,
        &[
            ("iş hukuku", "/tr/alan/is"),
            ("is hukuku", "/tr/alan/is"),
            ("IS HUKUKU", "/tr/alan/is"),
            ("İŞ HUKUKU", "/tr/alan/is"),
            ("calisma izni", "/tr/yayin/izin"),
            ("çalışma izninin", "/tr/yayin/izin"),
            ("çalışma izinleri", "/tr/yayin/izin"),
            ("standart sozlesme", "/tr/yayin/veri"),
            ("standart sözleşmesinin", "/tr/yayin/veri"),
            ("kişisel veri", "/tr/yayin/veri"),
            ("6698", "/tr/yayin/veri"),
            ("KVKK'nın 9. maddesi", "/tr/yayin/veri"),
            ("kvkk", "/tr/yayin/veri"),
            ("m. 12/3", "/tr/yayin/izin"),
            ("IŞIK", "/tr/kisi/isik"),
            ("ışık", "/tr/kisi/isik"),
            ("isik", "/tr/kisi/isik"),
            ("omer isik", "/tr/kisi/isik"),
            ("İstanbul'daki tahkim davaları", "/tr/kisi/isik"),
            ("vergi davası", "/tr/alan/vergi"),
            ("işe iade", "/tr/alan/is"),
            ("kıdem tazmnatı", "/tr/alan/is"),
            ("yurtdışı aktarım", "/tr/yayin/veri"),
            ("sisli", "/tr/yayin/izin"),
            ("kadikoy", "/tr/yayin/izin"),
            ("e-posta", "/tr/iletisim"),
            ("ileti", "/tr/iletisim"),
            ("işten çıkarmalarda", "/tr/alan/is"),
            ("çalışma izni nasıl alınır", "/tr/yayin/izin"),
            ("\"açık rıza\"", "/tr/yayin/veri"),
        ],
    );
}

#[test]
fn english_queries_find_the_intended_page() {
    first(
        Locale::En,
        ENGLISH,
        &[
            ("employment", "/en/area/employment"),
            ("dismiss employees", "/en/pub/dismissal"),
            ("dismissed employee", "/en/pub/dismissal"),
            ("how do I dismiss an employee?", "/en/pub/dismissal"),
            ("notice periods", "/en/pub/dismissal"),
            ("arbitral award enforcement", "/en/pub/awards"),
            ("arbitration awards", "/en/pub/awards"),
            ("enforce foreign award", "/en/pub/awards"),
            ("§ 5", "/en/pub/awards"),
            ("art. 12/3", "/en/pub/awards"),
            ("6698", "/en/pub/awards"),
            ("leases", "/en/pub/lease"),
            ("increasing the rent", "/en/pub/lease"),
            ("tenants' leases", "/en/pub/lease"),
            ("the firm's lawyers", "/en/pub/lease"),
            ("noncompete", "/en/area/employment"),
            ("non-compete", "/en/area/employment"),
            ("collective dismissal", "/en/area/employment"),
            ("Omer Isik", "/en/person/isik"),
            ("istanbul", "/en/person/isik"),
            ("reinstatemant", "/en/pub/dismissal"),
            ("landl", "/en/pub/lease"),
            ("\"New York Convention\"", "/en/pub/awards"),
        ],
    );
}

#[test]
fn documents_with_more_of_the_words_come_first() {
    let index = index(
        Locale::En,
        &[
            ("/a", "Lease lease lease", "lease", &["Lease"], "lease lease lease lease"),
            ("/b", "Other", "", &[], "The lease ends on the day of the pledge."),
            ("/c", "Pledge", "", &[], "A pledge."),
        ],
    );
    assert_eq!(ids(&index, "lease pledge")[0], "/b");
    assert_eq!(ids(&index, "lease pledge").len(), 3);
}

#[test]
fn title_counts_more_than_a_text() {
    let index = index(
        Locale::En,
        &[("/a", "Other", "", &[], "Trademark trademark trademark trademark."), ("/b", "Trademark", "", &[], "Words.")],
    );
    assert_eq!(ids(&index, "trademarks"), ["/b", "/a"]);
}

#[test]
fn quoted_words_must_be_adjacent() {
    let index = index(Locale::Tr, TURKISH);
    assert_eq!(ids(&index, "“standart sözleşmenin”"), ["/tr/yayin/veri"]);
    assert_eq!(ids(&index, "\"sözleşme standart\""), [""; 0]);
    assert_eq!(ids(&index, "\"uzay mekiği\""), [""; 0]);
    assert_eq!(ids(&index, "\"Ömer Işık"), ["/tr/kisi/isik"]);
}

#[test]
fn documents_that_were_not_searched_for_a_phrase_come_last() {
    let long: &str = Box::leak(format!("Artış olur. Kira {}", "söz ".repeat(100_000)).into_boxed_str());
    let mut pages: Vec<Page> = ["/00", "/01", "/02", "/03", "/04", "/05", "/06", "/07", "/08", "/09", "/10"]
        .map(|id| (id, "Artış ve kira", "", [].as_slice(), long))
        .into();
    pages.push(("/phrase", "Metin", "", &[], "Burada kira artışı anlatılır."));
    pages.push(("/one", "Metin", "", &[], "Burada kira anlatılır."));
    let index = index(Locale::Tr, &pages);
    // Ten of the long texts were searched.
    assert_eq!(ids(&index, "\"kira artışı\""), ["/10", "/phrase"]);
    assert_eq!(index.search("\"kira artışı\"", 1).len(), 1);
}

#[test]
fn closing_quotation_mark_ends_a_word() {
    let page = |id, body| (id, "Metin", "", [].as_slice(), body);
    let index = index(Locale::Tr, &[page("/a", "Her iş biter."), page("/b", "Her işveren bilir.")]);
    for query in ["\"iş\"", "\"iş\" ", "“iş”", "iş "] {
        assert_eq!(ids(&index, query), ["/a"], "{query}");
    }
    for query in ["iş", "\"her\" iş", "iş\""] {
        assert_eq!(ids(&index, query), ["/a", "/b"], "{query}");
    }
}

#[test]
fn word_of_the_other_language_with_a_known_stem_stays_foreign() {
    let turkish = index(Locale::Tr, &[("/a", "Sözleşme", "", &[], "Sözleşmeye bir not düşülür; notlar saklanır.")]);
    let english = index(Locale::En, &[("/a", "Termination", "", &[], "The notice ends the contract.")]);
    for query in ["notice", "sözleşme notice", "termination"] {
        assert!(turkish.may_be_in_language_of(query, &english), "{query}");
    }
    // Forms that occur in no text are known by their stems; stop words are not considered.
    for query in ["not", "notun", "sözleşmeden", "sözleşme nasıl yapılır", "saklanır"] {
        assert!(!turkish.may_be_in_language_of(query, &english), "{query}");
    }
}

#[test]
fn word_that_is_a_stop_word_only_when_folded_is_of_the_other_language() {
    let english = index(Locale::En, &[("/a", "Notice", "", &[], "When it is given, and on which day.")]);
    let turkish = index(Locale::Tr, &[("/a", "İş hukuku", "", &[], "İş sözleşmesi ve ön ödeme.")]);
    for query in ["iş", "İŞ", "ön"] {
        assert!(english.may_be_in_language_of(query, &turkish), "{query}");
        assert_eq!(ids(&english, query), [""; 0], "{query}");
        assert_eq!(ids(&turkish, query), ["/a"], "{query}");
    }
    assert_eq!(ids(&english, "is"), ["/a"]);
    assert!(!english.may_be_in_language_of("is", &turkish));
}

#[test]
fn query_in_the_first_language_finds_only_names_in_the_other() {
    let english = index(Locale::En, &[("/a", "Tax", "", &[], "What the lawyer does.")]);
    let turkish = index(Locale::Tr, &[("/a", "İş hukuku", "", &[], "İş davası."), ("/b", "UETS", "", &[], "Law yer.")]);
    let found = |query| -> Vec<&str> { turkish.search_after(&english, query, 9).iter().map(|hit| hit.id).collect() };
    // This `is` may be English or a Turkish word.
    assert_eq!(found("is hukuku"), ["/a"]);
    assert_eq!(found("what is UETS"), ["/b"]);
    assert_eq!(turkish.search("what is UETS", 9).len(), 2, "it is `iş` to who asks in Turkish");
    for query in ["the lawyer", "lawyer", "what is tax"] {
        assert_eq!(found(query), [""; 0], "{query}");
    }
    // It may be two Turkish words.
    assert_eq!(found("hukukudavası"), ["/a"]);
}

#[test]
fn words_as_typed_rank_before_other_forms() {
    let page = |id, body| (id, "Metin", "", [].as_slice(), body);
    let index =
        index(Locale::Tr, &[page("/a", "Satışların sonu."), page("/b", "Satışı durdurur."), page("/c", "Durdurur.")]);
    assert_eq!(ids(&index, "satışların"), ["/a", "/b"]);
    assert_eq!(ids(&index, "satışı"), ["/b", "/a"]);
    assert_eq!(ids(&index, "satışta"), ["/a", "/b"], "no text has it so");
}

#[test]
fn title_ranks_before_a_rare_word() {
    let page = |id, title, body| (id, title, "", [].as_slice(), body);
    let mut pages = vec![page("/rare", "Metin", "Politika."), page("/title", "Çerez", "Metin.")];
    let others = ["/1", "/2", "/3", "/4", "/5", "/6", "/7", "/8", "/9"];
    pages.extend(others.map(|id| page(id, "Metin", if id < "/3" { "Bir çerez." } else { "Başka." })));
    assert_eq!(ids(&index(Locale::Tr, &pages), "çerez politikası")[0], "/title");
}

#[test]
fn similar_stems_of_different_words_are_no_slip() {
    let english = index(Locale::En, &[("/a", "Tax", "", &[], "A refund of tax. Reinstatement.")]);
    assert_eq!(ids(&english, "redundancy"), [""; 0]);
    assert_eq!(ids(&english, "reinstatemant"), ["/a"]);
    let turkish = index(Locale::Tr, &[("/a", "Metin", "", &[], "Temel kural: Tazminatın tavanı.")]);
    assert_eq!(ids(&turkish, "temettü"), [""; 0]);
    for slip in ["tazmnatı", "tazmnattan", "tazmnatlarının"] {
        assert_eq!(ids(&turkish, slip), ["/a"], "{slip}");
    }
}

#[test]
fn equal_documents_come_in_the_order_of_their_ids() {
    let page = |id| (id, "Same", "same", [].as_slice(), "same words");
    let index = index(Locale::En, &[page("/c"), page("/a"), page("/b")]);
    assert_eq!(ids(&index, "same"), ["/a", "/b", "/c"]);
    assert_eq!(index.search("same", 2).len(), 2);
    assert_eq!(index.search("same", 0).len(), 0);
}

#[test]
fn queries_without_a_word_find_nothing() {
    let index = index(Locale::En, ENGLISH);
    for query in ["", " ", "§ — /", "\"\"", "'", "\u{301}", "qqqqqqq"] {
        assert_eq!(ids(&index, query), [""; 0], "{query:?}");
    }
    let empty = self::index(Locale::En, &[]);
    assert!(empty.is_empty());
    assert_eq!(ids(&empty, "lease"), [""; 0]);
}

#[test]
fn common_words_alone_still_count() {
    assert_eq!(ids(&index(Locale::En, ENGLISH), "what for")[0], "/en/pub/lease");
}

#[test]
fn long_queries_are_cut() {
    let index = index(Locale::En, ENGLISH);
    let query = format!("lease {}", "of the ".repeat(10_000));
    assert_eq!(ids(&index, &query)[0], "/en/pub/lease");
    assert_eq!(ids(&index, &"ı".repeat(100_000)), [""; 0]);
}

#[test]
fn stop_words_do_not_use_up_the_limit_of_a_query() {
    let page = |id, body| (id, "Text", "", [].as_slice(), body);
    let body = "What we do is to know the law. It is what we are for, and we do it for you as we do it for all of us.";
    let index = index(
        Locale::En,
        &[
            page("/a", body),
            page("/b", "Dividends are taxed at their source."),
            ("/c", "Withholding tax", "", &[], "A withholding tax."),
        ],
    );
    let query = "what do I need to do about the withholding tax on dividends";
    assert_eq!(ids(&index, query)[0], "/c");
    let filler = "what is to be had about the ".repeat(8);
    let marked = |query: &str| index.marker(query).places("dividends").len();
    assert_eq!(marked(&format!("{filler} dividends")), 1, "as long as a query may be");
    // All words of a phrase are looked for, however many; and all of them may be such words.
    assert_eq!(ids(&index, &format!("\"{body}\"")), ["/a"]);
    assert_eq!(ids(&index, &format!("\"{}\"", body.replace("you", "me"))), [""; 0]);
    assert_eq!(ids(&index, &"what we do ".repeat(30)), ["/a"]);
    // More than twelve others do not count.
    let others = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda my";
    assert_eq!([marked(&format!("{others} dividends")), marked(&format!("{others} nu dividends"))], [1, 0]);
}

#[test]
fn page_with_one_word_of_many_is_left_out() {
    let english = index(Locale::En, ENGLISH);
    for query in ["cheap flights to istanbul tomorrow", "Which firm of plumbers repairs washing machines?"] {
        assert_eq!(ids(&english, query), [""; 0], "{query}");
    }
    assert_eq!(ids(&english, "istanbul"), ["/en/person/isik"]);
    assert_eq!(ids(&english, "lawyer in istanbul"), ["/en/person/isik"]);
    let turkish = index(Locale::Tr, TURKISH);
    assert_eq!(ids(&turkish, "öğlen Levent'te hava kaç derece olacak"), [""; 0]);
    assert_eq!(ids(&turkish, "Levent")[0], "/tr/iletisim");
    // A page that has every word is found, however common they are.
    let page = |id, body| (id, "Metin", "", [].as_slice(), body);
    let common =
        index(Locale::Tr, &[page("/a", "Her iş, her dava."), page("/b", "Her dava."), page("/c", "Her iş, dava.")]);
    assert_eq!(ids(&common, "her iş ").len(), 2);
}

#[test]
fn word_of_everyday_language_does_not_outweigh_the_subject() {
    let page = |id, title| (id, title, "", [].as_slice(), "Of a lease.");
    let mut pages = vec![page("/everyday", "Last"), page("/pledge", "Pledge"), page("/1", "Pledge and rent")];
    pages.extend(["/2", "/3", "/4", "/5", "/6", "/7", "/8"].map(|id| page(id, "Of rent")));
    let found = ids(&index(Locale::En, &pages), "a pledge last");
    assert_eq!(found[0], "/pledge", "{found:?}");
}

#[test]
fn page_with_a_text_ranks_before_one_that_bears_the_name_only() {
    let index = index(
        Locale::En,
        &[
            ("/a-law", "Bankruptcy", "", &[], ""),
            ("/area", "Bankruptcy", "", &[], "Works on other things."),
            ("/x", "X", "", &[], "X."),
        ],
    );
    assert_eq!(ids(&index, "bankruptcy"), ["/area", "/a-law"]);
}

#[test]
fn telephone_number_is_found_however_it_is_grouped() {
    let page = |id, digits: &'static [&'static str]| {
        (id, "Person", "", digits, "Telephone: +90 212 555 01 06. The period is 30 days.")
    };
    let index = index(Locale::En, &[page("/a", &["902125550106"]), page("/b", &["902125550107"])]);
    for query in [
        "+902125550106",
        "02125550106",
        "0090 212 555 01 06",
        "(0212) 555-0106",
        "2125550106",
        "555 01 06",
        "who has 0212 5550106?",
    ] {
        assert_eq!(ids(&index, query)[0], "/a", "{query}");
        assert!(!ids(&index, query).contains(&"/b".to_owned()), "{query}");
    }
    assert_eq!(ids(&index, "0212 5550199"), [""; 0]);
    assert_eq!(ids(&index, "30").len(), 2, "short numbers are words");
}

#[test]
fn dative_of_work_is_no_stop_word() {
    let index = index(
        Locale::Tr,
        &[
            ("/a", "Metin", "", &[], "Belgelerin iade edilmesi; iade ve teslim, iade süresi."),
            ("/b", "Metin", "", &[], "Arabulucuya başvurmadan işe iade davası açılamaz."),
        ],
    );
    assert_eq!(ids(&index, "işe iade")[0], "/b");
    assert_eq!(ids(&index, "İşe iade")[0], "/b");
}

#[test]
fn question_about_a_word_in_no_title_finds_nothing() {
    let page = |id| (id, "Text", "", [].as_slice(), "The fee is due. Other words follow.");
    let mut pages = vec![page("/a"), page("/b"), page("/c"), page("/d"), page("/e"), page("/f")];
    pages.push(("/g", "Text", "", &[], "Something else altogether."));
    let without = index(Locale::En, &pages);
    assert_eq!(ids(&without, "What are your fees?"), [""; 0]);
    assert_eq!(ids(&without, "fees").len(), 6, "someone who looks for a word gets every page");
    pages.push(("/title", "Fees", "", &[], "What the firm charges."));
    assert_eq!(ids(&index(Locale::En, &pages), "What are your fees?"), ["/title"]);
}

#[test]
fn last_word_of_a_question_is_whole() {
    let pages = [("/a", "Cards", "", [].as_slice(), "Payment by cards."), ("/b", "Police", "", &[], "Police search.")];
    let index = index(Locale::En, &pages);
    assert_eq!(ids(&index, "car"), ["/a"], "a word that is being typed");
    assert_eq!(ids(&index, "police search my car"), ["/b"]);
}

#[test]
fn country_has_one_name() {
    let index = index(Locale::En, &[("/a", "Courts of Türkiye", "", &[], "Text.")]);
    assert_eq!(ids(&index, "Turkey"), ["/a"]);
}

proptest! {
    #[test]
    fn words_one_slip_apart_have_nearly_the_same_letters(word in "[a-z0-9]{2,12}", at in 0_usize..12, letter in "[a-z0-9]") {
        let at = at % word.len();
        let (before, after) = word.split_at(at);
        let mut swapped = word.clone().into_bytes();
        swapped.swap(at, at.saturating_sub(1));
        let slips = [
            format!("{before}{letter}{after}"),
            format!("{before}{}", &after[1..]),
            format!("{before}{letter}{}", &after[1..]),
            String::from_utf8(swapped).unwrap(),
        ];
        for slip in slips {
            prop_assert!(may_be_one_slip(letter_set(word.as_bytes()), letter_set(slip.as_bytes())), "{word} {slip}");
        }
    }
}

#[test]
fn at_most_three_words_may_have_a_slip() {
    let index = index(Locale::Tr, &[("/a", "Tazminat", "", &[], "Metin.")]);
    let marked = |query: &str| index.marker(query).places("Tazminat").len();
    assert_eq!(marked("qqqqq wwwww tazmnat"), 1);
    assert_eq!(marked("qqqqq wwwww zzzzz tazmnat"), 0);
    assert_eq!(marked("qqqqq wwwww zzzzz tazminat"), 1);
}

#[test]
fn hits_have_the_fields_of_their_document() {
    let index = index(Locale::Tr, TURKISH);
    let hits = index.search("standart sözleşme", 1);
    assert_eq!(hits[0].id, "/tr/yayin/veri");
    assert_eq!(hits[0].url, "https://yalin.example/tr/yayin/veri");
    assert_eq!(hits[0].title, "Kişisel verilerin yurt dışına aktarılması");
    assert_eq!(hits[0].kind, "page");
    assert_eq!(
        hits[0].snippet(),
        "Standart sözleşme beş iş günü içinde Kurum'a bildirilir. Açık rıza artık istisnadır."
    );
    // Only the summary has the word.
    assert_eq!(index.search("telefon", 1)[0].snippet(), "Adres, telefon ve e-posta.");
}

#[test]
fn passages_are_cut_at_words() {
    let body = format!(
        "{}Kefalet sözleşmesi yazılı olur; {}",
        "Birinci uzun cümle, sürer. ".repeat(40),
        "devam eder ".repeat(60)
    );
    let page: Page = ("/a", "Metin", "", &[], Box::leak(body.into_boxed_str()));
    let index = index(Locale::Tr, &[page]);
    let snippet = index.search("kefaletin", 1)[0].snippet();
    assert!(snippet.starts_with("Kefalet sözleşmesi yazılı olur; devam eder devam"), "{snippet}");
    assert!(snippet.ends_with("devam…") || snippet.ends_with("eder…"), "{snippet}");
    assert!(snippet.chars().count() <= 240, "{snippet}");
    let snippet = index.search("yazılı", 1)[0].snippet();
    assert!(snippet.starts_with("Kefalet"), "{snippet}");
}

#[test]
fn passage_begins_at_a_sentence_or_with_an_ellipsis() {
    let far = "uzun bir giriş cümlesi burada sürüp gider, çünkü yer kaplar ve ";
    for (body, query, start) in [
        ("Kanun’un 4. maddesi rekabeti sınırlar.", "madde", "Kanun’un 4. maddesi"),
        ("Borçlar Kanunu m. 344 kira bedelini belirler.", "344", "Borçlar Kanunu m. 344"),
        ("Halaskargazi Cad. No: 0, 34371 Şişli.", "34371", "Halaskargazi Cad. No: 0"),
        ("Önce bir cümle. Sonra kira gelir.", "kira", "Sonra kira"),
        ("Sorar: Kira nedir?", "kira", "Kira nedir"),
        ("Sorar mı? kira nedir.", "kira", "Sorar mı"),
        ("Başlık\nkira gelir.", "kira", "kira gelir"),
    ] {
        let page = |body| ("/a", "Metin", "", [].as_slice(), body);
        let near = index(Locale::Tr, &[page(body)]);
        assert!(near.search(query, 1)[0].snippet().starts_with(start), "{:?}", near.search(query, 1)[0].snippet());
    }
    let body: &str = Box::leak(format!("{far}(Kanun No. 4054) kira, Kanun’un 4. maddesi.").into_boxed_str());
    let index = index(Locale::Tr, &[("/a", "Metin", "", &[], body)]);
    for query in ["4054", "maddesi"] {
        let snippet = index.search(query, 1)[0].snippet();
        assert!(snippet.starts_with('…') && snippet.contains("Kanun"), "{snippet}");
    }
}

#[test]
fn passage_keeps_the_marks_of_its_last_letter() {
    // Decomposed, as some systems write file names and texts: ü is u and U+0308.
    let words = format!("Kefalet {}", "su\u{308}ru\u{308} — ".repeat(60));
    let one = format!("Kefalet{}", "u\u{308}".repeat(200));
    for (text, end) in [(words, "su\u{308}ru\u{308}…"), (one, "u\u{308}…")] {
        for shift in 0..3 {
            let summary = format!("{}{text}", "a".repeat(shift));
            let page: Page = ("/a", "Metin", Box::leak(summary.into_boxed_str()), &[], "Başka.");
            let index = index(Locale::Tr, &[page]);
            let snippet = index.search("metin", 1)[0].snippet();
            assert!(snippet.ends_with(end) && snippet.chars().count() <= 240, "{snippet}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn order_of_documents_does_not_matter(pages in Just(TURKISH.to_vec()).prop_shuffle()) {
        prop_assert_eq!(bytes(Locale::Tr, &pages), bytes(Locale::Tr, TURKISH));
    }

    #[test]
    fn index_does_not_depend_on_the_builder_of_a_document(of in prop::collection::vec(0..3_usize, TURKISH.len())) {
        let mut builders: Vec<Builder> = (0..3).map(|_| Builder::new(Locale::Tr)).collect();
        for (page, number) in TURKISH.iter().zip(of) {
            add(&mut builders[number], page);
        }
        prop_assert_eq!(Builder::join(Locale::Tr, builders, &[]), bytes(Locale::Tr, TURKISH));
    }

    #[test]
    fn any_text_is_indexed_and_returned_unchanged(title in any::<String>(), body in "[\\PC'’ .\u{301}\u{ad}]{0,300}") {
        let mut builder = Builder::new(Locale::Tr);
        builder.add(&IndexedDocument { id: "/a", title: &title, url: "u", kind: "k", headings: &[&title], body: &body, ..IndexedDocument::default() });
        let index = Index::parse(Bytes::from(builder.build())).unwrap();
        for word in body.split_whitespace().chain(title.split_whitespace()).take(8) {
            for hit in index.search(word, 3) {
                prop_assert!(hit.snippet().chars().count() <= 240);
                prop_assert_eq!(hit.title, &title);
            }
        }
    }

    #[test]
    fn queries_never_panic(query in any::<String>(), mixed in "[a-zığüşöçİ\"'’ §0-9-]{0,40}", limit in any::<usize>()) {
        for (locale, pages) in [(Locale::Tr, TURKISH), (Locale::En, ENGLISH)] {
            let index = index(locale, pages);
            for query in [&query, &mixed] {
                let hits = index.search(query, limit);
                prop_assert!(hits.len() <= pages.len());
                prop_assert!(hits.is_sorted_by(|a, b| (b.score, a.id) < (a.score, b.id)));
                prop_assert!(hits.iter().all(|hit| hit.score > 0.0 && hit.snippet().chars().count() <= 240));
            }
        }
    }
}

fn with_synonyms(locale: Locale, pages: &[Page], groups: &[&[&str]]) -> Index {
    let mut builder = Builder::new(locale);
    for page in pages {
        add(&mut builder, page);
    }
    let groups: Vec<Vec<String>> =
        groups.iter().map(|group| group.iter().map(|it| (*it).to_owned()).collect()).collect();
    Index::parse(Bytes::from(Builder::join(locale, [builder], &groups))).unwrap()
}

#[test]
fn query_finds_pages_with_a_synonym() {
    let groups: &[&[&str]] =
        &[&["redundancy", "collective dismissal"], &["landlord's claim", "rent"], &["kira", "lease"]];
    let index = with_synonyms(Locale::En, ENGLISH, groups);
    assert_eq!(ids(&index, "redundancy").first().map(String::as_str), Some("/en/area/employment"));
    assert_eq!(ids(&index, "landlord claim").first().map(String::as_str), Some("/en/pub/lease"));
    assert_eq!(ids(&index, "kira").first().map(String::as_str), Some("/en/pub/lease"), "words of both languages");
    assert!(ids(&index, "lawyer for redundancies").contains(&"/en/area/employment".to_owned()));
    assert!(ids(&self::index(Locale::En, ENGLISH), "redundancy").is_empty(), "a firm that lists none has none");
}

#[test]
fn phrases_of_a_text_are_translated() {
    let pairs = [
        (vec!["kıdem tazminatı".to_owned()], vec!["severance pay".to_owned()]),
        (vec!["kira".to_owned()], vec!["rent".to_owned()]),
    ];
    let pairs = pairs.iter().map(|(from, to)| (from.as_slice(), to.as_slice()));
    assert_eq!(crate::translated(Locale::Tr, "Kıdem tazminatının hesabı", pairs), ["severance pay"]);
}

#[test]
fn person_ranks_first_when_a_lawyer_is_named() {
    let person = IndexedDocument {
        id: "/en/person/a",
        title: "Ada",
        url: "u",
        kind: crate::PERSON,
        headings: &["Attorney", "Employment"],
        body: "Ada works on employment law.",
        ..IndexedDocument::default()
    };
    let mut builder = Builder::new(Locale::En);
    for page in ENGLISH {
        add(&mut builder, page);
    }
    builder.add(&person);
    let index = Index::parse(Bytes::from(builder.build())).unwrap();
    assert_eq!(ids(&index, "employment lawyer")[0], "/en/person/a");
    assert_eq!(ids(&index, "employment")[0], "/en/area/employment");
}

#[test]
fn suggestion_has_the_spelling_of_the_texts() {
    let index = index(Locale::Tr, TURKISH);
    assert_eq!(index.suggestion("Omer Isikk").as_deref(), Some("Omer Işık"));
    assert_eq!(index.suggestion("tahkim"), None);
    assert_eq!(index.suggestion("xqzwv"), None);
    assert_eq!(index.suggestion("sözleşmeni hazrlanması?").as_deref(), Some("sözleşmeni hazırlanması?"));
}

#[test]
fn marker_marks_every_form_of_a_word() {
    let index = index(Locale::Tr, TURKISH);
    let text = "İş sözleşmelerinin, sözleşme, vergi";
    let marks: Vec<&str> = index.marker("sözleşme").places(text).into_iter().map(|place| &text[place]).collect();
    assert_eq!(marks, ["sözleşmelerinin", "sözleşme"]);
}

#[test]
fn passage_separates_a_heading_with_a_dot() {
    let page: Page = ("/a", "Title", "", &[], "Ending a lease\nThe tenant gives notice.\nThe landlord replies");
    let hits = index(Locale::En, &[page]);
    assert_eq!(hits.search("lease", 1)[0].snippet(), "Ending a lease · The tenant gives notice. The landlord replies");
}
