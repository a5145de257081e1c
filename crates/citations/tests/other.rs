//! Laws that only look like those of the table, and the numbers between two laws.

use citations::{Laws, find};

fn found(text: &str) -> Vec<String> {
    find(text, &Laws::default()).iter().map(|it| it.cited.to_string()).collect()
}

fn assert_found(cases: &[(&str, &[&str])]) {
    let wrong: Vec<_> = cases.iter().filter(|(text, expected)| found(text) != *expected).collect();
    let found = wrong.iter().map(|(text, _)| found(text));
    assert!(wrong.is_empty(), "{:#?}", wrong.iter().zip(found).collect::<Vec<_>>());
}

#[test]
fn number_of_a_law_ends_a_list_of_articles() {
    assert_found(&[
        ("TTK m. 3, 6098 sayılı Kanun m. 344", &["6102/3", "6098/344"]),
        ("TTK m. 553 ile 6098 sayılı TBK m. 49", &["6102/553", "6098/49"]),
        ("TTK m. 3 ve 6098 sayılı Kanun m. 344 ile 7511 sayılı Kanun m. 3.", &["6102/3", "6098/344"]),
        ("TTK m. 553, 554 ve 4721 sayılı Kanun m. 2", &["6102/553", "6102/554", "4721/2"]),
        ("TTK m. 553, 554 ve 4721 sayılı Türk Medeni Kanunu", &["6102/553", "6102/554", "4721"]),
        ("TTK'nın 3, 5 ve 6098 sayılı Kanun'un 344. maddesi", &["6102", "6098/344"]),
        ("TTK m. 3, 6098 s.K. m. 344", &["6102/3", "6098/344"]),
        ("TTK m. 3, 6098 s. K. m. 344", &["6102/3", "6098/344"]),
        ("TTK m. 3 ve 6098 s. Kanun m. 344", &["6102/3", "6098/344"]),
        ("TTK m. 3 ve 6098 s. TBK m. 344", &["6102/3", "6098/344"]),
        ("TTK m. 3 ve 6098 no.lu Kanun m. 344", &["6102/3", "6098/344"]),
        ("TTK m. 3 ve 6098 sayılı Kanun'un 344 ve 4857 sayılı Kanun'un 18. maddeleri", &["6102/3", "6098", "4857/18"]),
        ("TTK m. 553 ve 678 sayılı KHK m. 3", &["6102/553"]),
        ("Art. 3 TCC and Law No. 6098, Art. 344", &["6102/3", "6098/344"]),
        ("TCC Art. 3, Law No. 6098, Art. 344", &["6102/3", "6098/344"]),
        ("TCC Articles 553, 554 and Law No. 4721", &["6102/553", "6102/554", "4721"]),
        ("Articles 553, 554 and Law No. 4721", &["4721"]),
        ("TCC Art. 3 and 6098 numbered Law Art. 344", &["6102/3", "6098/344"]),
        ("Dava TTK'ya göre açılır (m. 3, 6098 sayılı Kanun m. 344).", &["6102", "6102/3", "6098/344"]),
        ("TTK ile TBK'nın 5. maddesi", &["6102", "6098/5"]),
        ("TTK m. 445, 3 aylık süre", &["6102/445"]),
        ("TTK m. 445 ve 1 Ocak 2024", &["6102/445"]),
    ]);
}

#[test]
fn law_that_the_table_lacks_is_not_the_last_one() {
    assert_found(&[
        ("TTK m. 553 uygulanır. 7223 sayılı Kanun m. 3 de geçerlidir.", &["6102/553"]),
        ("TTK m. 553 uygulanır. 7223 sayılı Kanun’un 3. maddesi de geçerlidir.", &["6102/553"]),
        ("TTK m. 553; 7223 sayılı Ürün Güvenliği ve Teknik Düzenlemeler Kanunu m. 3", &["6102/553"]),
        ("TTK m. 553; 6750 sayılı Ticari İşlemlerde Taşınır Rehni Kanunu (m. 4)", &["6102/553"]),
        ("TTK m. 553; Ticari İşlemlerde Taşınır Rehni Hakkında Kanun m. 4", &["6102/553"]),
        ("TTK m. 553; 7223 sayılı Kanun uygulanır. Kanun’un 3. maddesi süre verir (m. 5).", &["6102/553"]),
        ("TTK m. 553; Kanun No: 7223 m. 3", &["6102/553"]),
        ("TTK m. 553; 2019/10 sayılı Kanun m. 3", &["6102/553"]),
        ("TTK m. 553; 678 sayılı Kanun Hükmünde Kararname m. 3, Kanun m. 5", &["6102/553"]),
        ("TTK m. 553 uygulanır. Bu Kanun’un 3. maddesi", &["6102/553", "6102/3"]),
        ("Article 553 TCC; Law No. 7223 (art. 3)", &["6102/553"]),
        ("Article 553 TCC; Law No. 7223, art. 3", &["6102/553"]),
        ("Article 553 TCC; Article 3 of Law No. 7223; Article 4 of the Law", &["6102/553"]),
        ("Article 553 TCC; Article 3 of the Law on Movable Pledges", &["6102/553"]),
        ("Article 553 TCC; the rule (Article 3, Law No. 7223)", &["6102/553"]),
    ]);
}

#[test]
fn former_or_foreign_law_is_not_that_of_the_table() {
    assert_found(&[
        ("6762 sayılı TTK m. 340", &[]),
        ("6762 sayılı Kanun m. 341", &[]),
        ("6762 sayılı Türk Ticaret Kanunu'nun 341. maddesi", &[]),
        ("6762 sayılı Türk Ticaret Kanunu (TTK) m. 341", &[]),
        ("TTK m. 3; 6762 sayılı TTK m. 340 ve Kanun'un 5. maddesi", &["6102/3"]),
        ("Mülga 818 sayılı Borçlar Kanunu m. 41", &[]),
        ("818 s. Borçlar Kanunu m. 41", &[]),
        ("Mülga Borçlar Kanunu m. 41", &[]),
        ("Eski TTK m. 336", &[]),
        ("eski Türk Ticaret Kanunu'nun 336. maddesi", &[]),
        ("e-TTK m. 336", &[]),
        ("(mülga) TTK m. 336", &[]),
        ("TTK (mülga) m. 336", &[]),
        ("Yürürlükten kaldırılan Borçlar Kanunu m. 41", &[]),
        ("Article 41 of the former Code of Obligations No. 818", &[]),
        ("Article 41 of the Code of Obligations No. 818", &[]),
        ("Article 41 of the repealed Turkish Code of Obligations", &[]),
        ("Code of Obligations (Law No. 818), Article 41", &[]),
        ("Code of Obligations, No. 818, Article 41", &[]),
        ("Article 41 of the Code of Obligations of 1926", &[]),
        ("the former TCC art. 3", &[]),
        ("Commercial Code of France, art. 3", &[]),
        ("Article 3 of the Commercial Code of France", &[]),
        ("Civil Code of the Netherlands, art. 3", &[]),
        ("Article 3 of the Civil Code of the Republic of Azerbaijan", &[]),
        ("Article 3 of the German Commercial Code", &[]),
        ("Swiss Code of Obligations, art. 41", &[]),
        ("the California Civil Code, section 1714", &[]),
        ("Article 2 of the U.S. Constitution", &[]),
        ("İsviçre Borçlar Kanunu m. 41", &[]),
        ("Fransa'nın Ticaret Kanunu m. 3", &[]),
        ("Azerbaycan Cumhuriyeti Medeni Kanun m. 3", &[]),
    ]);
}

#[test]
fn law_of_the_table_is_found_beside_such_words() {
    assert_found(&[
        ("Eski İş Kanunu m. 14", &["1475/14"]),
        ("eski İş Kanunu m. 14", &["1475/14"]),
        ("Article 14 of the former Labour Law", &["1475/14"]),
        ("Article 14 of Labour Law No. 1475", &["1475/14"]),
        ("1475 sayılı İş Kanunu m. 14", &["1475/14"]),
        ("Article 3 of the Commercial Code of Türkiye", &["6102/3"]),
        ("Article 3 of the Civil Code of the Republic of Turkey", &["4721/3"]),
        ("Law No. 6698 of 24 March 2016, Article 5", &["6698"]),
        ("Yeni Türk Ticaret Kanunu m. 3", &["6102/3"]),
        ("Article 18 of the Turkish Labour Law", &["4857/18"]),
        ("Under Labour Law Article 18", &["4857/18"]),
    ]);
}

#[test]
fn article_without_law_belongs_to_a_certain_law_or_to_none() {
    let debts = "# Delay\n\nArticles 470 to 486 of the Code of Obligations apply to the Code of Obligations.\n\n";
    let of_debts = |text: &str| found(&format!("{debts}{text}")).split_off(2);
    for (text, expected) in [
        // An aside does not change the law of the text.
        ("Notice: Article 18(3) of the Commercial Code.\n\nA penalty (Article 179(2)).", ["6102/18/3", "6098/179/2"]),
        ("Notice: Article 18(3) of the Commercial Code. A penalty (Article 179(2)).", ["6102/18/3", ""]),
        ("The Commercial Code has rules.\n\nA penalty (Article 179(2)).", ["6102", ""]),
        ("The Commercial Code has rules.\n\n## Penalty\n\nA penalty (Article 179(2)).", ["6102", "6098/179/2"]),
        ("The Commercial Code has rules.\n\n## Penalty\n\nArticle 179 is clear.", ["6102", "6098/179"]),
        ("The Storage Regulation has rules.\n\nA penalty (Article 179(2)).", ["", ""]),
    ] {
        let expected: Vec<&str> = expected.into_iter().filter(|it| !it.is_empty()).collect();
        assert_eq!(of_debts(text), expected, "{text}");
    }
    assert_found(&[
        ("TTK ve TBK uygulanır.\n\nBu süre kısadır (m. 553).", &["6102", "6098"]),
        ("TTK uygulanır.\n\n376. madde üç aşamayı gösterir.", &["6102", "6102/376"]),
        ("TTK uygulanır.\n\nGündemin 5. maddesi görüşülür.", &["6102"]),
        ("TTK uygulanır.\n\nSözleşmedeki 5. madde görüşülür.", &["6102"]),
        ("TTK uygulanır.\n\n[TTK](@/a/6098-5) uygulanır. [Kanun’un](b) 376. maddesi", &["6102", "6102", "6102/376"]),
        ("The Commercial Code applies.\n\nArticle 376 prescribes steps.", &["6102", "6102/376"]),
        ("The Commercial Code applies.\n\n| a | Article 516 |", &["6102", "6102/516"]),
        ("The Commercial Code applies.\n\nArticle 33 GDPR differs, and Article 5 of the contract.", &["6102"]),
        ("Article 376 of [the Commercial Code](@/practice-areas/corporate) applies.", &["6102/376"]),
        ("[Türk Ticaret Kanunu’nun](@/practice-areas/corporate) 376. maddesi", &["6102/376"]),
        ("Law No. 2004 applies to a concordat (Articles 285 and following).", &["2004", "2004/285"]),
    ]);
}

#[test]
fn article_is_not_of_the_last_law_if_the_text_cites_it_of_another_one() {
    assert_found(&[
        (
            "Article 15 of Law No. 4054 permits inspections.\n\nArticle 21 of the Constitution protects the home. The words in \
             Article 15(1) are not contrary to it, and Article 35 adds nothing.",
            &["4054/15", "2709/21", "2709/35"],
        ),
        (
            "İİK m. 308 uygulanır.\n\n6183 sayılı Kanun kapsamındaki alacaklar bağlı değildir (m. 308/c).",
            &["2004/308", "6183"],
        ),
        (
            "TTK m. 5 uygulanır. TBK m. 5 ve 6 da uygulanır; 5. madde süre verir.",
            &["6102/5", "6098/5", "6098/6", "6098/5"],
        ),
    ]);
}

#[test]
fn law_in_parentheses_is_not_the_law_of_later_sections() {
    let text = |first: &str| format!("## 1\n\n{first}\n\nArticle 184 adds more.\n\n## 2\n\nArticle 490 applies.");
    assert_eq!(found(&text("It is assigned (Article 183 of the Code of Obligations).")), ["6098/183", "6098/184"]);
    let all = ["6098/183", "6098/184", "6098/490"];
    assert_eq!(found(&text("Article 183 of the Code of Obligations applies.")), all);
    assert_eq!(found(&text("The Code of Obligations applies (Article 183 of the Code of Obligations).")).len(), 4);
}
