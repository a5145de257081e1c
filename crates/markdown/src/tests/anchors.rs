//! The anchors of articles and clauses: permanent addresses, so each shape that lawyers write has its own row.

use std::{collections::HashSet, fmt::Write as _};

use contract::Locale::{self, En, Tr};
use proptest::prelude::*;

use super::{super::clauses::Clauses, AsWritten};
use crate::to_html;

/// Returns the anchors of a text, which those of its page must equal.
fn anchors(text: &str, locale: Locale) -> Vec<String> {
    let html = to_html(text, locale, &AsWritten);
    let anchors = Clauses::read(text).anchors(&html.headings, locale);
    let ids = html.html.split(" id=\"").skip(1).filter_map(|id| id.split_once('"'));
    let of_page: Vec<&str> = ids.map(|(id, _)| id).filter(|id| id.contains('.')).collect();
    assert_eq!(of_page, anchors, "{text}");
    anchors
}

const SHAPES: &[(Locale, &str, &str)] = &[
    // Numbers that repeat those above.
    (Tr, "1\\. A\n1.1. B\n1.2. C\n2\\. D\n2.1. E", "bolum.1 bolum.1.1 bolum.1.2 bolum.2 bolum.2.1"),
    (Tr, "1. A\n1.1. B\n1.2. C\n2. D\n2.1. E", "bolum.1 bolum.1.1 bolum.1.2 bolum.2 bolum.2.1"),
    (
        Tr,
        "1. Taraflar\n\n1.1. Bir.\n\n1.2. İki.\n\n2. Konu\n\n2.1. Bir.",
        "bolum.1 bolum.1.1 bolum.1.2 bolum.2 bolum.2.1",
    ),
    (Tr, "1. Taraflar\n\n2. Konu\n\n2.1. Bir.\n\n2.2. İki.\n\n3. Süre", "bolum.1 bolum.2 bolum.2.1 bolum.2.2 bolum.3"),
    (Tr, "3. Sözleşme\n3.1. Taraflar:\na) Kiracı,\nb) Kiraya veren.", "bolum.3 bolum.3.1 bolum.3.1.a bolum.3.1.b"),
    (Tr, "3.1. Taraflar:\na) Kiracı,\nb) Kiraya veren.\n3.2. Konu", "bolum.3.1 bolum.3.1.a bolum.3.1.b bolum.3.2"),
    (
        Tr,
        "1.1. A\n1.1.1. B\n1.1.2. C\n1.2. D\n1.2.1. E\n2.1. F",
        "bolum.1.1 bolum.1.1.1 bolum.1.1.2 bolum.1.2 bolum.1.2.1 bolum.2.1",
    ),
    (
        Tr,
        "1.1 A\n\n1.2 B\n\n2.1 C\n\n(a) D\n\n(b) E\n\n3.1 F\n\n3.2 G",
        "bolum.1.1 bolum.1.2 bolum.2.1 bolum.2.1.a bolum.2.1.b bolum.3.1 bolum.3.2",
    ),
    (
        Tr,
        "**1. Taraflar**\n1.1. Bir.\n1.2. İki.\n\n**2. Konu**\n2.1. Bir.",
        "bolum.1 bolum.1.1 bolum.1.2 bolum.2 bolum.2.1",
    ),
    (
        Tr,
        "2.1. Bedel\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\na) peşin,\nb) taksitle.\n\n2.2. Süre",
        "bolum.2.1 bolum.2.1.a bolum.2.1.b bolum.2.2",
    ),
    (
        Tr,
        "2.1. Bedel:\n\n- peşin\n- taksitle\n\na) bir,\nb) iki.\n\n2.2. Süre",
        "bolum.2.1 bolum.2.1.a bolum.2.1.b bolum.2.2",
    ),
    (Tr, "3.1. Kiracı:\n3.1.a) öder,\n3.1.b) bakar.\n3.2. Son.", "bolum.3.1 bolum.3.1.a bolum.3.1.b bolum.3.2"),
    (Tr, "1.1) Bir\n1.2) İki", "bolum.1.1 bolum.1.2"),
    (Tr, "Madde 1- TARAFLAR\n\n1.1- Ada\n\n1.2- Deniz", "madde.1 madde.1.1 madde.1.2"),
    (Tr, "MADDE 4 BEDEL\n\na-) Aylık\n\nb-) Yıllık", "madde.4 madde.4.a madde.4.b"),
    (Tr, "1-) Taraflar\n2-) Konu", "bolum.1 bolum.2"),
    (
        Tr,
        "A. Kuruluş\nI. İrade\n1. Genel\nMADDE 1- Bir.\n\n2. Öteki\nMADDE 2- İki.\n\nII. Şekil\n\n1. Genel olarak\n\nMADDE 3- Üç.\n\nB. Hüküm\n\nMADDE 4- Dört.",
        "madde.1 madde.2 madde.3 madde.4",
    ),
    (Tr, "1. Bir\n2. İki\n3. Üç\n\nMadde 5 – Beş.", "madde.5"),
    (
        En,
        "§ 1 Scope\n\n(1) This Act applies.\n\n§ 2 Exceptions\n\n(1) None.",
        "section.1 section.1.1 section.2 section.2.1",
    ),
    (
        Tr,
        "## Madde 5 – Fesih\n\n5.1. Bir.\n5.2. İki:\n5.2.1. alt,\n5.2.2. alt.\n5.3. Son.",
        "madde.5 madde.5.1 madde.5.2 madde.5.2.1 madde.5.2.2 madde.5.3",
    ),
    (Tr, "## Madde 5\n\n5.2.1. alt,\n5.2.2. alt.", "madde.5 madde.5.2.1 madde.5.2.2"),
    (Tr, "## Madde 5\n\n5.1. Bir:\na) alt,\nb) alt.", "madde.5 madde.5.1 madde.5.1.a madde.5.1.b"),
    (Tr, "## Madde 5\n\n(5) Bir:\n1) alt,\n2) alt.", "madde.5 madde.5.5 madde.5.5.1 madde.5.5.2"),
    (
        En,
        "## 5. Termination\n\n5.1 Notice.\n\n(a) one,\n\n(b) two.\n\n5.2 Effect.",
        "5-termination.5.1 5-termination.5.1.a 5-termination.5.1.b 5-termination.5.2",
    ),
    (En, "## Scope\n\n1.1. One.\n1.2. Two.", "scope.1.1 scope.1.2"),
    // Paragraphs, letters and numbers below them.
    (
        Tr,
        "## Madde 5 – Süre\n\n(1) Bir.\n(2) İki:\na) alt,\nb) alt:\n1) iç,\n2) iç,\nc) alt,\nç) alt.",
        "madde.5 madde.5.1 madde.5.2 madde.5.2.a madde.5.2.b madde.5.2.b.1 madde.5.2.b.2 madde.5.2.c madde.5.2.c2",
    ),
    (
        Tr,
        "(1) Hâller\n\na) bir,\n\nb) iki\n\n1) alt,\n\n2) alt,\n\nc) üç.\n\n(2) Son.",
        "bolum.1 bolum.1.a bolum.1.b bolum.1.b.1 bolum.1.b.2 bolum.1.c bolum.2",
    ),
    (
        Tr,
        "(1) Hâller:\na) bir,\nb) iki\n1) alt,\n2) alt:\naa) iç,\nbb) iç,\nc) üç.\n(2) Son.",
        "bolum.1 bolum.1.a bolum.1.b bolum.1.b.1 bolum.1.b.2 bolum.1.b.2.aa bolum.1.b.2.bb bolum.1.c bolum.2",
    ),
    (
        Tr,
        "(1) Hâller:\na) bir,\nb) iki,\n\nhükmü saklıdır.\n\nc) üç.\n\n(2) Son.",
        "bolum.1 bolum.1.a bolum.1.b bolum.1.c bolum.2",
    ),
    (
        Tr,
        "1) Genel kurul:\na) olağan:\n1) yıllık,\n2) ara,\nb) olağanüstü.\n2) Yönetim kurulu.",
        "bolum.1 bolum.1.a bolum.1.a.1 bolum.1.a.2 bolum.1.b bolum.2",
    ),
    (Tr, "(1) Bir.\n(3) Üç:\na) bir,\nc) üç.", "bolum.1 bolum.3 bolum.3.a bolum.3.c"),
    (Tr, "a) bir,\nb) iki.\n(2) Son:\na) üç,\nb) dört.", "bolum.a bolum.b bolum.2 bolum.2.a bolum.2.b"),
    (Tr, "(1) Bir.\n\nDüz yazı.\n\na) bir,\nb) iki.\n\n(2) Son.", "bolum.1 bolum.a bolum.b bolum.2"),
    (
        Tr,
        "I- Giriş\nA) Genel\n1- Bir\n2- İki\nB) Özel\nII- Son",
        "bolum.i bolum.i.a bolum.i.a.1 bolum.i.a.2 bolum.i.b bolum.ii",
    ),
    (
        En,
        "(1) A person:\n(a) acts, and\n(b) the act is:\n(i) intended,\n(ii) reckless.\n(2) Nothing.",
        "section.1 section.1.a section.1.b section.1.b.i section.1.b.ii section.2",
    ),
    (
        En,
        "(1) One.\n(1A) Inserted:\n(a) one,\n(b) two.\n(1B) Inserted.\n(2) Two.",
        "section.1 section.1a section.1a.a section.1a.b section.1b section.2",
    ),
    (En, "(a)(i) One,\n(ii) two.\n(b) Three.", "section.a section.a.i section.a.ii section.b"),
    (En, "(1) (a) One,\n(b) two.\n(2) Three.", "section.1 section.1.a section.1.b section.2"),
    (Tr, "(1) Bir.\n(2) (a) bendi saklıdır.\n(3) Son.", "bolum.1 bolum.2 bolum.3"),
    (En, "(h) eight,\n(i) nine,\n(j) ten.", "section.h section.i section.j"),
    (
        En,
        "(b) The Lender may:\n(i) demand:\n(A) repayment,\n(B) interest,\n(ii) enforce.",
        "section.b section.b.i section.b.i.a section.b.i.b section.b.ii",
    ),
    (En, "y) one,\nz) two,\naa) three.", "section.y section.z section.aa"),
    (En, "A. Yılmaz wrote:\n\n(1) One.\n(2) Two.", "section.1 section.2"),
    (En, "(1) One.\n(2) Two.\n\n---\n\n(1) Again.\n(2) Again.", "section.1 section.2"),
    // Letters with a margin below a number.
    (
        En,
        "1. The Buyer shall:\n   (a) pay;\n2. The Seller shall:\n   (a) deliver;",
        "section.1 section.1.a section.2 section.2.a",
    ),
    (
        Tr,
        "1. Alıcı:\n    a) öder,\n    b) alır.\n\n2. Satıcı:\n    a) verir.",
        "bolum.1 bolum.1.a bolum.1.b bolum.2 bolum.2.a",
    ),
    // Bullets in a clause.
    (
        Tr,
        "(1) Alıcı:\na) bakar,\nb) şunları alır:\n- Fatura,\n- Konşimento.\nc) öder.\n(2) Son.",
        "bolum.1 bolum.1.a bolum.1.b bolum.1.c bolum.2",
    ),
    (
        Tr,
        "Madde 1 – (1) Şunlar:\n- bir\n- iki\n(2) Şunlar:\n- üç\n- dört\n(3) Son.",
        "madde.1 madde.1.1 madde.1.2 madde.1.3",
    ),
    // Headings.
    (
        En,
        "## Termination {#end}\n\n(a) One,\n(b) two:\n(i) inner,\n(ii) inner.\n\n## Notices\n\n(a) One,\n(b) two.",
        "end.a end.b end.b.i end.b.ii notices.a notices.b",
    ),
    (
        Tr,
        "## Madde 1\n\n(1) Bir.\n\n## Ek\n\n1) Bir:\na) alt,\nb) alt.\n2) İki.",
        "madde.1 madde.1.1 ek.1 ek.1.a ek.1.b ek.2",
    ),
    (
        Tr,
        "## Ek 1 – Ücretler\n\n1.1. Bir.\n1.2. İki.\n\n## Ek 2\n\na) Bir,\nb) iki.",
        "ek.1 ek.1.1 ek.1.2 ek.2 ek.2.a ek.2.b",
    ),
    (
        En,
        "## Schedule 1 – Fees\n\n1. Fixed:\n(a) one,\n(b) two.\n2. Success.",
        "schedule.1 schedule.1.1 schedule.1.1.a schedule.1.1.b schedule.1.2",
    ),
    (En, "## Section 2. Term\n\n(a) One,\n(b) two.", "section.2 section.2.a section.2.b"),
    (En, "## Article 5\n\n(1) One.\n\n## Article 5A\n\n(1) Two.", "article.5 article.5.1 article.5a article.5a.1"),
    (
        Tr,
        "## Madde 5\n\n(1) Bir.\n\n## Madde 5/A\n\n(1) İki.\n\n## Mükerrer Madde 5\n\n(1) Üç.",
        "madde.5 madde.5.1 madde.5-a madde.5-a.1 mukerrer-madde.5 mukerrer-madde.5.1",
    ),
    (Tr, "## Madde 1\n\n(1) Bir.\n\n## Ek\n\n## Madde 1\n\n(1) Öteki.", "madde.1 madde.1.1 madde.1-2 madde.1-2.1"),
    (Tr, "## Madde 5 – Süre\n\nMADDE 5 – (1) Bir.\n(2) İki.", "madde.5 madde.5.1 madde.5.2"),
    (
        Tr,
        "Madde 1 – Amaç\nMadde 2 – Kapsam\n\n## Madde 1 – Amaç\n\n(1) Bir.\n\n## Madde 2 – Kapsam\n\n(1) İki.",
        "madde.1 madde.1.1 madde.2 madde.2.1",
    ),
    // Articles that are paragraphs.
    (Tr, "Madde 1- (1) Bir.\n(2) İki.\n\nMadde 2- (1) Üç.", "madde.1 madde.1.1 madde.1.2 madde.2 madde.2.1"),
    (Tr, "Madde 5 – (1) Bir.\n\n(2) İki.", "madde.5 madde.5.1 madde.5.2"),
    (Tr, "MADDE 3- Bir.\na) alt,\nb) alt.", "madde.3 madde.3.a madde.3.b"),
    (
        Tr,
        "MADDE 7 – (1) Bir.\n(2) İki.\n\nEK MADDE 1 – (1) Bir.\n(2) İki.",
        "madde.7 madde.7.1 madde.7.2 ek-madde.1 ek-madde.1.1 ek-madde.1.2",
    ),
    (
        Tr,
        "**Amaç**\n**MADDE 1 –** (1) Bir.\n(2) İki.\n**Kapsam**\n**MADDE 2 –** (1) Üç.",
        "madde.1 madde.1.1 madde.1.2 madde.2 madde.2.1",
    ),
    (Tr, "**Madde 5** (1) Bir.\n(2) İki.", "madde.5 madde.5.1 madde.5.2"),
    (Tr, "m. 5 – (1) Bir.\n(2) İki.", "madde.5 madde.5.1 madde.5.2"),
    (
        Tr,
        "GEÇİCİ MADDE 1 – (1) Bir.\nEK MADDE 3/A – (1) İki.",
        "gecici-madde.1 gecici-madde.1.1 ek-madde.3-a ek-madde.3-a.1",
    ),
    (Tr, "MADDE 3 – (1) a) Bir,\nb) iki.\n(2) Son.", "madde.3 madde.3.1 madde.3.1.a madde.3.1.b madde.3.2"),
    (
        Tr,
        "MADDE 5 – Fesih\n5.1. Bir.\n5.2. İki.\nMADDE 6 – Süre\n6.1. Bir.",
        "madde.5 madde.5.1 madde.5.2 madde.6 madde.6.1",
    ),
    // Notes of amendments stand before the paragraph.
    (
        Tr,
        "MADDE 5 – (Değişik: 2/3/2024-7499/33 md.) (1) Sorumlu;\na) bildirir,\n(2) Diğer.",
        "madde.5 madde.5.1 madde.5.1.a madde.5.2",
    ),
    (Tr, "**Madde 2/A-** (Ek: 18/1/2023-7420/3 md.) (1) Bir.\n(2) İki.", "madde.2-a madde.2-a.1 madde.2-a.2"),
    (Tr, "Madde 7 (Değişik birinci fıkra: 7499/3 md.)(1) Bir.\n\n(2) İki.", "madde.7 madde.7.1 madde.7.2"),
    (
        Tr,
        "MADDE 8 – **(Mülga: 7499/3 md.; Yeniden düzenleme: 7500 (m. 2))**[^1] (Ek: 1/1/2025) (1) Bir.\n(2) İki.",
        "madde.8 madde.8.1 madde.8.2",
    ),
    (
        Tr,
        "MADDE 9 – (1) Bir:\na) (Değişik: 7499/3 md.) bir,\n(Ek: 7499/4 md.) b) iki,\nc) üç.\n(2) (Ek: 7499/5 md.) a) bir,\nb) iki.",
        "madde.9 madde.9.1 madde.9.1.a madde.9.1.b madde.9.1.c madde.9.2 madde.9.2.a madde.9.2.b",
    ),
    (Tr, "MADDE 5 – (Ekli cetvel) (1) Bir.\n\nDiğer.", "madde.5"),
    (
        En,
        "Article 5 – [Amended by Act 5 of 2024] (1) One.\n(2) Two.\n\nArticle 6. (Repealed and added: 2024) (1) One.",
        "article.5 article.5.1 article.5.2 article.6 article.6.1",
    ),
    (Tr, "MADDE 5 – Fesih\n\nKiracı şunları yapar:\n\na) bir,\n\nb) iki.", "madde.5 madde.5.a madde.5.b"),
    (Tr, "Bkz. TBK\nMadde 5. fıkra ve\nm. 5/1-a hükümleri.", ""),
    (En, "Article 5 – (1) One.\n(2) Two.\n\nArticle 5A – Three.", "article.5 article.5.1 article.5.2 article.5a"),
    (
        En,
        "Section 2. Term. The term is:\n(a) one year, or\n(b) two.\n\nSection 3. Fees.",
        "section.2 section.2.a section.2.b section.3",
    ),
    (En, "ARTICLE IV SHARES\n\n4.1 One.\n\n4.2 Two.", "article.iv article.iv.4.1 article.iv.4.2"),
    (En, "The parties agree as set out in\nArticle 5. The rest is void.", ""),
    (
        En,
        "Rule 3. Service\n\n(a) By whom:\n(1) a party,\n(2) an officer.\n\n(b) When.",
        "rule.3 rule.3.a rule.3.a.1 rule.3.a.2 rule.3.b",
    ),
    // Quotations.
    (Tr, "> (1) Bir:\n> a) alt,\n> b) alt.\n>\n> — TBK m. 1", "bolum.1 bolum.1.a bolum.1.b"),
    (Tr, "> MADDE 5 – (1) Bir.\n> (2) İki.", "madde.5 madde.5.1 madde.5.2"),
    (
        Tr,
        "## Madde 3\n\n(1) Eski hâli:\n\n> MADDE 3 – (1) Bir.\n> (2) İki.\n\n(2) Kendi fıkrası.",
        "madde.3 madde.3.1 madde.3.2",
    ),
];

#[test]
fn clause_has_the_anchor_of_its_citation() {
    let mut wrong = Vec::new();
    for (locale, text, expected) in SHAPES {
        let anchors = anchors(text, *locale).join(" ");
        if anchors != *expected {
            wrong.push(format!("{text}\n  is     {anchors}\n  should {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Advice about lists, to escape a number, must not change the address that a link has.
#[test]
fn anchors_outlive_the_advice_about_lists() {
    for text in [
        "1. Taraflar\n\na) Kiracı\n\nb) Kiraya veren\n\n2. Konu\n\na) Taşınmaz\n\nb) Süre",
        "1. Taraflar\n\n(1) Kiracı\n\n(2) Kiraya veren\n\n2. Konu",
        "1. Taraflar\n\n1.1. Kiracı\n\n1.2. Kiraya veren\n\n2. Konu\n\n2.1. Taşınmaz",
        "3. Konu\n\n3.1. Taşınmaz\n\n3.2. Süre",
        "1. Taraflar\na) Kiracı\nb) Kiraya veren\n\n2. Konu",
    ] {
        let clauses = Clauses::read(text);
        assert_eq!(crate::survey(&clauses.text, Tr).ordinals, [], "{text}");
        let escaped: String = text.lines().map(|line| line.replacen(". ", "\\. ", 1) + "\n").collect();
        let escaped = escaped.replace(".1\\.", ".1.").replace(".2\\.", ".2.");
        assert_eq!(anchors(&escaped, Tr), anchors(text, Tr), "{escaped}");
    }
    // The words between are no clauses, so that the numbers are those of lists, whose items have no address.
    let text = "1. Taraflar\n\nKiracı ve kiraya veren:\n\na) Ada,\n\nb) Deniz.\n\n2. Konu";
    let indented = "1. Taraflar\n\n   Kiracı ve kiraya veren:\n\n   a) Ada,\n\n   b) Deniz.\n\n2. Konu";
    let escaped = text.replace("1.", "1\\.").replace("2.", "2\\.");
    for mended in [indented, &escaped] {
        assert!(crate::survey(&Clauses::read(mended).text, Tr).ordinals.is_empty(), "{mended}");
        let kept = anchors(mended, Tr);
        assert!(anchors(text, Tr).iter().all(|anchor| kept.contains(anchor)), "{mended}: {kept:?}");
    }
}

/// How the articles of a made statute are written.
const ARTICLES: [(&str, &str); 5] = [
    ("## Madde {} – Konu", "\n\n"),
    ("MADDE {} – ", ""),
    ("**Madde {}-** ", ""),
    ("Madde {} – Konu", "\n\n"),
    ("m. {} – ", ""),
];
/// How the numbered paragraphs of a contract are written.
const SECTIONS: [&str; 3] = ["{}. Konu", "**{}. Konu**", "{}\\. Konu"];
const LETTERS: [&str; 5] = ["a", "b", "c", "ç", "d"];

/// The items at each level of a made text: how many there are in each item of the level above.
type Counts = Vec<Vec<Vec<usize>>>;

fn counts(outer: std::ops::Range<usize>) -> impl Strategy<Value = Counts> {
    let inner = prop::collection::vec(prop::collection::vec(0_usize..4, 0..5), outer);
    prop::collection::vec(inner, 1..4)
}

/// Returns how many items an enumeration has: a single one in running lines is words, unless a colon announces it.
fn items(count: usize, is_shown: bool) -> usize {
    if count == 1 && !is_shown { 2 } else { count }
}

fn label(letter: &str) -> String {
    letter.replace('ç', "c2")
}

proptest! {
    /// Whatever a statute holds, and however its lines are set apart, each clause has the anchor of its place.
    #[test]
    fn anchors_of_a_statute_follow_its_structure(
        counts in counts(1..4), article in 0..ARTICLES.len(), is_apart: bool, is_announced: bool, is_indented: bool,
    ) {
        let between = if is_apart { "\n\n" } else { "\n" };
        let end = if is_announced { ":" } else { "," };
        let margin = |level| if is_indented { "    ".repeat(level) } else { String::new() };
        let (mut text, mut expected) = (String::new(), Vec::new());
        for (number, paragraphs) in (1..).zip(&counts) {
            let (opening, behind) = ARTICLES[article];
            text.extend([opening.replace("{}", &number.to_string()).as_str(), behind]);
            expected.push(format!("madde.{number}"));
            for (paragraph, letters) in (1..).zip(paragraphs) {
                let _ = write!(text, "({paragraph}) Fıkra{}{between}", if letters.is_empty() { "." } else { end });
                expected.push(format!("madde.{number}.{paragraph}"));
                let letters = letters.iter().map(|count| items(*count, is_apart || is_announced)).collect::<Vec<_>>();
                let letters = if letters.len() == 1 && !(is_apart || is_announced) { vec![letters[0]; 2] } else { letters };
                for (letter, numbers) in LETTERS.iter().zip(&letters) {
                    let end = if *numbers > 0 { end } else { "," };
                    let _ = write!(text, "{}{letter}) bent{end}{between}", margin(1));
                    let letter = format!("madde.{number}.{paragraph}.{}", label(letter));
                    expected.push(letter.clone());
                    for inner in 1..=*numbers {
                        let _ = write!(text, "{}{inner}) alt bent,{between}", margin(2));
                        expected.push(format!("{letter}.{inner}"));
                    }
                }
            }
            text += "\n\n";
        }
        prop_assert_eq!(anchors(&text, Tr), expected, "{}", text);
        let twin = crate::to_twin(&text, Tr, &AsWritten);
        prop_assert_eq!(crate::to_twin(&twin, Tr, &AsWritten), twin, "{}", text);
    }

    #[test]
    fn anchors_of_a_contract_follow_its_numbers(
        counts in counts(2..4), section in 0..SECTIONS.len(), is_apart: bool, is_announced: bool,
    ) {
        let between = if is_apart { "\n\n" } else { "\n" };
        let end = if is_announced { ":" } else { "," };
        let (mut text, mut expected) = (String::new(), Vec::new());
        for (number, clauses) in (1..).zip(&counts) {
            let _ = write!(text, "{}{between}", SECTIONS[section].replace("{}", &number.to_string()));
            expected.push(format!("section.{number}"));
            for (clause, inner) in (1..).zip(clauses) {
                let _ = write!(text, "{number}.{clause}. Clause.{between}");
                expected.push(format!("section.{number}.{clause}"));
                for (part, letters) in (1..).zip(inner) {
                    let _ = write!(text, "{number}.{clause}.{part}. part{end}{between}");
                    expected.push(format!("section.{number}.{clause}.{part}"));
                    for letter in &["a", "b", "c"][..items(*letters, is_apart || is_announced)] {
                        let _ = write!(text, "({letter}) letter;{between}");
                        expected.push(format!("section.{number}.{clause}.{part}.{letter}"));
                    }
                }
            }
        }
        prop_assert_eq!(anchors(&text, En), expected, "{}", text);
    }

    /// Of any lines, each anchor is used once.
    #[test]
    fn anchors_are_unique(
        lines in prop::collection::vec(
            prop::sample::select(vec![
                "(1) a", "(2) b", "a) c", "b) d", "1) e", "2) f", "1. g", "2. h", "1.1. i", "1.2 j", "2.1 k", "i. l", "ii. m",
                "## Madde 1", "MADDE 1 – (1) n", "Madde 2 –", "## Ek", "> (1) o", "prose:", "", "- p", "| q |", "(a)(i) r",
            ]),
            0..24,
        ),
    ) {
        let text = lines.join("\n");
        let anchors = anchors(&text, Tr);
        let unique: HashSet<_> = anchors.iter().collect();
        prop_assert_eq!(unique.len(), anchors.len(), "{}", text);
    }
}
