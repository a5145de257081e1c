use contract::Locale;

use super::{Marked, plain, survey, to_html};
use crate::{Miscount, Note};

fn labels(notes: &[Note]) -> Vec<&str> {
    notes.iter().map(|note| note.label.as_str()).collect()
}

#[test]
fn links_and_images_are_found_with_their_destinations() {
    let text = "## Süre\n\n[tax **law**](@/practice-areas/tax 't') ![a *b*](x.svg) [r][l] <https://a.example> <a@b.example>\n\n[l]: /en/about\n";
    let survey = survey(text, Locale::En);
    let links: Vec<_> =
        survey.links.iter().map(|link| (&*link.destination, &text[link.range.clone()], &*link.text)).collect();
    assert_eq!(
        links,
        [
            ("@/practice-areas/tax", "@/practice-areas/tax", "tax law"),
            ("/en/about", "/en/about", "r"),
            ("https://a.example", "https://a.example", "https://a.example"),
            ("mailto:a@b.example", "a@b.example", "a@b.example"),
        ]
    );
    let image = &survey.images[0];
    assert_eq!((&*image.destination, &text[image.range.clone()], &*image.alt), ("x.svg", "x.svg", "a b"));
    assert_eq!(survey.headings[0].id, "sure");
    assert_eq!(survey.headings[0].level, 2);
}

#[test]
fn link_around_a_picture_is_named_by_it() {
    let survey = survey("[![Chart](x.svg)](y)", Locale::En);
    assert_eq!(survey.links[0].text, "Chart");
    assert!(!survey.has_text);
}

#[test]
fn footnotes_without_their_other_half_are_found() {
    let text = "a[^1] b[^missing] c \\[^no] `[^code]`\n\n[^1]: One.\n\n[^1]: Again.\n\n[^2]: Two.\n";
    let survey = survey(text, Locale::En);
    assert_eq!(labels(&survey.footnotes_undefined), ["missing"]);
    assert_eq!(&text[survey.footnotes_undefined[0].range.clone()], "[^missing]");
    assert_eq!(labels(&survey.footnotes_unused), ["2"]);
    assert_eq!(labels(&survey.footnotes_repeated), ["1"]);
}

#[test]
fn name_of_a_footnote_without_a_text_may_be_of_several_words() {
    for (text, labels_found) in [
        ("a[^Yargıtay 2023] b", &["Yargıtay 2023"][..]),
        ("a[^a\\]b] c", &["a\\]b"]),
        ("a[^one\ntwo] b[^ ] c[^a [b] d[^] [^e", &[]),
        ("a[^ß 1] b\n\n[^SS 1]: Text.", &[]),
    ] {
        assert_eq!(labels(&survey(text, Locale::En).footnotes_undefined), labels_found, "{text}");
    }
}

#[test]
fn references_without_a_definition_are_found_but_brackets_in_prose_are_not() {
    let survey = survey("[a][nowhere], [b][], and [sic].", Locale::En);
    assert_eq!(labels(&survey.references_undefined), ["nowhere", "b"]);
}

#[test]
fn raw_html_is_found_once_per_block() {
    let text = "a <b>bold</b>\n\n<div>\n<p>x</p>\n</div>\n\n<!-- note -->\n";
    let survey = survey(text, Locale::En);
    let found: Vec<_> = survey.raw_html.iter().map(|range| text[range.clone()].trim_end()).collect();
    assert_eq!(found, ["<b>", "</b>", "<div>\n<p>x</p>\n</div>", "<!-- note -->"]);
}

#[test]
fn ordinal_that_starts_a_list_is_found_and_a_list_of_items_is_not() {
    let text =
        "5. maddeye göre iki şey gerekir:\n\n- 29. madde\n- 3\\. fıkra\n\n1. bir\n2. iki\n   1. tek\n\n> 14) bent\n";
    let survey = survey(text, Locale::Tr);
    let found: Vec<_> = survey.ordinals.iter().map(|ordinal| (&text[ordinal.range.clone()], ordinal.slip)).collect();
    assert_eq!(found, ["5.", "29.", "14)"].map(|mark| (mark, Miscount::Starts)));
}

#[test]
fn renumbered_list_item_is_found_and_other_numbers_are_not() {
    for (text, expected) in [
        ("1. madde tanımlar.\n\n3. madde düzenler.\n\n7. madde istisnadır.", &[("3.", 2), ("7.", 3)][..]),
        ("> 1. madde: x\n>\n> 3. madde: y", &[("3.", 2)]),
        ("1. Bu hüküm Kanun’un\n5. maddesine göre\n2. İkinci bent", &[("5.", 2)]),
        ("1. a\n2. b\n4. c\n5. d\n", &[("4.", 3)]),
        ("- a\n  1) b\n  3) c\n", &[("3)", 2)]),
        ("1. a\n1. b\n1. c\n\n***\n\n1. a\n2. b\n10. c\n", &[("10.", 3)]),
        ("1. a\n2. b\n3. c\n   1. d\n   2. e\n4. f\n\n## G\n\n0. h\n1. i\n", &[]),
    ] {
        let found = survey(text, Locale::Tr).ordinals;
        let found: Vec<_> = found.into_iter().map(|ordinal| (&text[ordinal.range], ordinal.slip)).collect();
        let expected: Vec<_> = expected.iter().map(|(mark, shown)| (*mark, Miscount::ShownAs(*shown))).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn shallow_nested_list_is_found_with_the_right_indentation() {
    let found = survey("1. Davacı\n  1. Ahmet\n  2. Mehmet\n2. Davalı\n", Locale::Tr).ordinals;
    let slips: Vec<_> = found.into_iter().map(|ordinal| ordinal.slip).collect();
    assert_eq!(slips, [Miscount::Shallow { shown: 2, item: 1, indent: 3 }, Miscount::ShownAs(4)]);
}

#[test]
fn paragraphs_outside_of_their_item_are_found_once() {
    let ten = (1..=10).map(|number| format!("{number}. a\n   - b\n")).collect::<Vec<_>>().concat();
    let eleven = format!("{ten}11. c\n");
    for (text, expected) in [
        (&*ten, &[("-", 10, 4)][..]),
        (&eleven, &[("-", 10, 4)]),
        ("1. bir\n  - alt\n  - alt\n2. iki\n3. üç\n", &[("-", 1, 3)]),
        ("1. bir\n\n  - alt\n\n2. iki\n\n  * alt\n", &[("-", 1, 3), ("*", 2, 3)]),
        ("1. bir\n2. iki\n\n  Devam.\n\n3. üç\n", &[("3.", 2, 3)]),
        ("1) bir\n\nAra metin\n\n- x\n\n2) iki\n", &[("2)", 1, 3)]),
        ("> 1. bir\n>\n> Ara metin\n>\n> 2. iki\n", &[("2.", 1, 3)]),
        ("- a\n  1.  bir\n\n  Ara metin\n\n  2. iki\n", &[("2.", 1, 6)]),
        ("1.\tbir\n\n  Ara metin\n\n2.\tiki\n", &[("2.", 1, 4)]),
        ("1. bir\n2. iki\n- üç\n\nAra metin\n\n- dört\n", &[]),
        ("1. bir\n   - alt\n\n   Devam.\n2. iki\n", &[]),
    ] {
        let found = survey(text, Locale::Tr).ordinals;
        let found: Vec<_> = found.into_iter().map(|ordinal| (&text[ordinal.range], ordinal.slip)).collect();
        let outside = |item: u64, indent: usize| Miscount::Outside { item, indent };
        let expected: Vec<_> = expected.iter().map(|(mark, item, indent)| (*mark, outside(*item, *indent))).collect();
        assert_eq!(found, expected, "{text}");
    }
    for text in ["1. bir\n2. iki\n\n## Ara\n\n3. üç\n", "1. bir\n2. iki\n3) üç\n"] {
        let found = survey(text, Locale::Tr).ordinals;
        assert!(found.iter().all(|ordinal| ordinal.slip == Miscount::Starts) && found.len() == 1, "{text}");
    }
}

#[test]
fn words_are_counted_across_markup() {
    assert_eq!(survey("# Üç *kısa* söz\n\n- un**likely** – `x`\n", Locale::Tr).words, 5);
    for inner in ["- two", "> two", "```\n  two\n  ```", "# two", "***\n  two", "<!-- -->\n  two"] {
        assert_eq!(survey(&format!("- one\n  {inner}\n"), Locale::Tr).words, 2, "{inner}");
    }
    assert!(!survey(" \n\n---\n", Locale::Tr).has_text);
}

#[test]
fn plain_text_has_one_line_per_block() {
    let text = "# A *b*\n\nc\nd[^1] ![e](f)\n\n|g|h|\n|-|-|\n|i|j|\n\n- k\n\n[^1]: l\n";
    assert_eq!(plain(text).text, "A b\nc d e\ng h\ni j\nk\nl");
}

#[test]
fn block_inside_of_a_tight_item_begins_a_line() {
    for (text, expected) in [
        ("- a\n  - b\n    1. c\n- d\n", "a\nb\nc\nd"),
        ("- a\n\n  - b\n", "a\nb"),
        ("- - a\n", "a"),
        ("- a\n  > b\n", "a\nb"),
        ("- a\n  ```\n  b\n  ```\n", "a\nb"),
        ("- a\n  | b | c |\n  |-|-|\n  | d | e |\n", "a\nb c\nd e"),
        ("- a\n  # b\n  c\n", "a\nb\nc"),
        ("- a\n  ***\n  b\n", "a\nb"),
        ("- a\n  <!-- b -->\n  c\n", "a\nc"),
    ] {
        assert_eq!(plain(text).text, expected, "{text}");
    }
    let plain = plain("- a\n  # b\n");
    assert_eq!(&plain.text[plain.headings[0].clone()], "b");
}

#[test]
fn destination_with_a_space_is_noticed_and_prose_is_not() {
    for (text, expected) in [
        ("[x](https://a.example/b c/)", Some("https://a.example/b c/")),
        ("See [x](/en/a b) there.", Some("/en/a b")),
        ("- **a** [x](@/team/a b)", Some("@/team/a b")),
        ("[x](https://a.example/\nb)", Some("https://a.example/\nb")),
        ("![x](time line.svg)", Some("time line.svg")),
        ("[sic](so it stands there)", None),
        ("[x](https://a.example/b c\n\nd)", Some("https://a.example/b c")),
        ("[x](https://a.example/b c", Some("https://a.example/b c")),
        ("[x](https://a.example\n\nb)", None),
        ("[x](https://a.example\n'title')", None),
        ("[x](</en/a b>)", None),
        ("[x](/en/a \"title\")", None),
        ("[x](/en/a \"a \"title\"\")", Some("/en/a \"a \"title\"\"")),
        ("[x](/en/a 'it's it')", Some("/en/a 'it's it'")),
        ("[x](/en/a \"title\"", Some("/en/a \"title\"")),
        ("![x](line.svg \"a \"title\"\")", Some("line.svg \"a \"title\"\"")),
        ("\\[x](/en/a \"title\") \\[x](line.svg \"title\")", None),
        (r"\[x\](https://a b)", None),
        ("`[x](https://a b)`", None),
    ] {
        let found = survey(text, Locale::En).destinations_cut_off;
        assert_eq!(found.first().map(|note| note.label.as_str()), expected, "{text}");
        assert!(found.iter().all(|note| text[note.range.clone()] == note.label), "{text}");
    }
}

#[test]
fn failed_links_are_noticed_and_other_brackets_are_not() {
    for (text, expected) in [
        ("See [the law] (https://a.example/b).", Some("https://a.example/b")),
        ("See (the law)[https://a.example/b].", Some("https://a.example/b")),
        ("[*a*]  (@/team/a)", Some("@/team/a")),
        ("[2024] (see there), [a](/b) (https://c.example)", None),
        ("[a][b] (https://c.example) `[a] (/b)` [^1] (/c)\n\n[b]: /d\n[^1]: e", None),
        (r"\[a\] (/b), [a] \(/b)", None),
        ("(a)[sic] (b)[^1]\n\n[^1]: c", None),
        ("    [a] (/b)", None),
        ("[TBK m. 27[^1]](https://a.example \"t\")\n\n[^1]: x", Some("https://a.example")),
        ("[a [b](/c) d](/e)", Some("/e")),
        ("[a [2024] [^1]](#b)\n\n[^1]: x", Some("#b")),
        ("a](/b)", Some("/b")),
        (r"\[a](/b) \[a [b] c](/d) [a\](/e)", None),
        ("[^1](/c) [a](/b)(/c)\n\n[^1]: x", None),
    ] {
        let found = survey(text, Locale::En).not_links;
        assert_eq!(found.first().map(|range| &text[range.clone()]), expected, "{text}");
    }
}

#[test]
fn failed_headings_are_noticed_and_other_marks_are_not() {
    for (text, expected) in [
        ("##Kapsam", Some("##")),
        ("a\n###Süre", Some("###")),
        ("> #Kapsam", Some("#")),
        ("##1. Kapsam", Some("##")),
        (r"\##Kapsam", None),
        ("## Kapsam", None),
        ("a\n#b", None),
        ("#12", None),
        ("`##a`\n\n    ##a", None),
        ("#######a", None),
        ("##\u{a0}Kapsam", Some("##")),
        ("#\u{2003}Kapsam", Some("#")),
    ] {
        let found = survey(text, Locale::Tr).not_headings;
        assert_eq!(found.first().map(|range| &text[range.clone()]), expected, "{text}");
    }
}

#[test]
fn failed_lists_are_noticed_once_a_block_and_other_lines_are_not() {
    for (text, expected) in [
        ("• a\n• b\n\n·\tc", &["•", "·"][..]),
        ("Şunlar:\n\u{f0b7} a", &["\u{f0b7}"]),
        ("> ▪ a", &["▪"]),
        ("-\u{a0}madde", &["-"]),
        ("- a\n*\u{202f}b", &["*"]),
        ("o\tb", &["o"]),
        ("– a\n– b\n– c", &["–"]),
        ("1.\u{a0}a\n2.\u{a0}b", &["1."]),
        ("**Şunlar:**\n– a\n– b", &["–"]),
        ("## Başlık\n> □ a\n> □ b", &["□"]),
        ("Kanun koyucu bu hükmü\n– ki 2019’da değişmiştir – ihdas ederken\n– doktrine göre – iki amaç güder.", &[]),
        ("— Birinci satır  \n— ikinci satır\\\n— üçüncü satır", &[]),
        ("□ Evet □ Hayır", &[]),
        ("– a\nb\n\n– c\n\n5.\u{a0}maddeye göre", &[]),
        ("a) bir\nb) iki\nc) üç\n\n1. Tanım:\n   h) bir\n   ı) iki\n2. x", &["a)", "h)"]),
        ("(a) bir\n(b) iki\n\n(1) bir\n(2) iki\n\n> c. üç\n> ç. dört", &["(a)", "(1)", "c."]),
        ("i) bir\nii) iki\n\nIII. üç\nIV. dört\n\n1- bir\n2- iki", &["i)", "III.", "1-"]),
        ("Şunlar:\n1.Birinci\n2.İkinci\n\n9)bir\n10)iki", &["1.", "9)"]),
        ("1.1. bir\n1.2. iki\n\n2.9 bir\n2.10 iki\n\n1.1. bir\n2.1. iki\n\n1.2.26\n1.2.27", &["1.1.", "2.9"]),
        ("-bir\n-iki\n\nŞunlar:\n-bir\n-iki\n\n*bir\n*iki", &["-", "-", "*"]),
        ("− a\n− b\n\n‐ a\n‐ b\n\n✓ a\n✓ b\n\n→ a\n→ b", &["−", "‐", "✓", "→"]),
        ("a) bir  \nb) iki\\\nc) üç\n\na) bir\ndevamı\nb) iki\n\na) bir\n(b) iki", &[]),
        ("A. Yılmaz\nC. Kaya\n\n1.2.2026\n2.2.2026\n\n§ 1\n§ 2\n\n1-2 gün\n2-3 gün\n\n2025- 2026\n2026- 2027", &[]),
        (
            "Bu ek,\n-ki ekiyle ve\n-de ekiyle yazılır.\n\nKanunun\n5. maddesi ile\n6. maddesi\n\n→ a\n✓ b\n\na)\nb)",
            &[],
        ),
        ("A.Ş. ile\nB.Ş. ve\n\ne-posta ile\nf-posta\n\n1- a | b\n-|-\n1- c | d\n2- e | f\n", &[]),
        ("o b\n-5 °C\na • b\n• • •\n\n| • a |\n|-|", &[]),
        ("- a\n\n`• b`\n\n    • c", &[]),
    ] {
        let found = survey(text, Locale::Tr).not_lists;
        let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn failed_emphasis_is_noticed_and_other_asterisks_are_not() {
    for (text, expected) in [
        ("Bu **“önemli”**dir, **bu** da.", &["**“önemli”**"][..]),
        ("**Kanun (TBK)**nun **madde 5.**inci", &["**Kanun (TBK)**", "**madde 5.**"]),
        ("*“metin”*in", &["*“metin”*"]),
        ("**Önemli *“x”*in** metni.", &["**"]),
        ("Bir ** boşluk** var.", &["** boşluk**"]),
        ("Bir ** boşluk ** var, 34 ** 123 ve 06 ** 45 plakalı araç", &[]),
        ("Davacı ** Ltd. Şti. ile davalı ** A.Ş.", &[]),
        ("Numara 0532 *** ** **\n\n0 (5**) *** ** **", &[]),
        ("Kurul, T***(Ş***) hakkında", &[]),
        ("\\* Brüt.\n\n**Net tutar, vergiler düşülmüştür.", &[]),
        ("Tutar* ve net tutar**\n\n*Brüt.\n**Net.\n\nBu **önemli.", &["**"]),
        ("**a\nb\n\n- c **d", &["**", "**"]),
        ("## **“a”**dır\n\n| **(b)**nin |\n|-|", &["**“a”**", "**(b)**"]),
        ("**“a”**’dır **“a”dır** **TTK**'nın *“a”*’in", &[]),
        (r"\*\*a\*\* `**b` \*“a”\*in", &[]),
        ("    **a\n\n```\n**b\n```", &[]),
        ("5* 2 * 3 ve 2*3*4, fiyat* ve tutar** ile A*** B***’nın (x*)", &[]),
        ("*** Ltd. Şti. ile *** A.Ş., ***'nın", &[]),
        ("(**\"a\"**dır)", &["**\"a\"**"]),
        ("*Yazarın notu\n\n** Not", &[]),
        ("__TBK__nın ve __TBK\nm. 5__e\n\n- (__“önemli”__dir)", &["__TBK__", "__TBK\nm. 5__", "__“önemli”__"]),
        ("__a__nın ve __b__ ile __c__nin", &["__a__", "__c__"]),
        ("__a__ __b__’nin my__file__name a/__b__c `__d__e` \\__f__g ___h___i _j_k https://a.example/__l__m", &[]),
        ("Ad: ____ Soyad: __ T.C. __ tarih __/__/20__ve __12__nci ____a____b", &[]),
        ("__a\n\nb__c", &[]),
    ] {
        let found = survey(text, Locale::Tr).not_emphasis;
        let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn code_by_indentation_is_found_outside_of_lists() {
    for (text, expected) in [
        ("a\n\n\tKonu budur.\n\tb\n", &["Konu budur."][..]),
        ("> a\n>\n>     b\n", &["b"]),
        ("- a\n\n      b\n\n```\nc\n```\n\na\n    b\n\n[^1]: d\n\n    e\n", &[]),
    ] {
        let found = survey(text, Locale::Tr).indented_code;
        let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn backticks_inside_of_words_are_found() {
    for (text, expected) in [
        ("TTK`nın ve HMK`nın", &["`nın ve HMK`"][..]),
        ("**TTK`nın\nve HMK`nın** a", &["`nın\nve HMK`"]),
        ("`TTK`nın ve a`b` c, TTK’nın `a`, x``y``z, a\\`b\\`c", &[]),
    ] {
        let found = survey(text, Locale::Tr).code_in_words;
        let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn boxes_of_a_checklist_are_found() {
    for (text, expected) in [
        (
            "- [ ] vekâletname\n- [x] harç\n\n1. [X] a\n   - [ ]\tb\n\n> + [ ] c\n",
            &["[ ]", "[x]", "[X]", "[ ]", "[ ]"][..],
        ),
        ("- \\[ ] a\n- [ ]a\n- [a] b\n- a [ ] b\n- `[ ] a`\n- ☐ a\n\n[ ] a\n\n- [x](https://a.example) b\n", &[]),
        ("-     [ ] code\n-\n- \n  [ ] a\n", &[]),
    ] {
        let found = survey(text, Locale::Tr).boxes;
        let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn hyphens_that_make_a_heading_of_a_paragraph_are_found() {
    for (text, expected) in [
        ("Bu ve\niki satırdır\n---\n", &["---"][..]),
        ("Saygılarımızla,\n-----  \n\n> a.\n> --\n\n- b;\n  ---\n", &["-----", "--", "---"]),
        ("Bu iş biter.\n---\n\nÖrnek A.Ş.\n---\n\nÖrnek Ltd. Şti.\n---\n\nSample & Co.\n---\n", &["---"]),
        ("Kapsam\n---\n\nSon.\n\n---\n\n## Bitti.\n\nBaşlık\niki\n===\n\na.\n***\n", &[]),
    ] {
        let found = survey(text, Locale::Tr).underlines;
        let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn source_that_is_shown_as_quoted_words_is_found() {
    for (text, expected) in [
        ("> Bu hüküm uygulanır.\n> — TTK m. 5\n\na\n", &["— TTK m. 5"][..]),
        ("> İlk.\n>\n> *Bu* hüküm\\\n> — 6102 sayılı *Kanun* \n", &["— 6102 sayılı *Kanun*"]),
        ("> Bu hüküm uygulanır.\n— TTK m. 5\n", &["— TTK m. 5"]),
        ("> a\n>\n> — TTK\n\n> — Soru?\n> — Cevap.\n\na\n— B\n", &[]),
        ("> a\n> — B\n> c\n\n> a\n> — B\n>\n> — C\n\n> a\n> — ki b\n\n> a\n> — O da — b\n\n> - a\n>   — B\n", &[]),
        // A dash without words, as while the author is still typing.
        ("> a\n> — \n\n> a\n> —  \n> Ada\n\n- > a\n  > — \n\n> a \\\n> — \n\n> x\n> ]— \n", &[]),
    ] {
        let found = survey(text, Locale::Tr).sources_quoted;
        let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn line_that_became_a_row_is_found_once_a_table() {
    for (text, expected) in [
        ("|a|b|\n|-|-|\n|1|2|\nsonraki satır\nve bu\n\n|a|\n|-|\nc\n", &["sonraki satır", "c"][..]),
        ("> a|b\n> -|-\n> c\n", &["c"]),
        ("|a|b|\n|-|-|\n1|2\n|3\n\nsonraki\n", &[]),
    ] {
        let found = survey(text, Locale::Tr).rows_without_bars;
        let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn cells_that_a_table_does_not_show_are_found() {
    for (text, expected) in [
        ("|a|b|\n|-|-|\n|1|2|lost three|\n|4|5|\n", &["lost three"][..]),
        ("|a|\n|-|\n|§ 5 | 6|\n|7||\n|8|9|10\n", &["6", "9|10"]),
        ("> a|b\n> -|-\n> 1|2|3\n", &["3"]),
        ("- |a|\n  |-|\n  |1|2|\n", &["2"]),
        ("|a|b|\n|-|-|\n|1|2|  |\n|1\\|2|3|\n|4|\n", &[]),
    ] {
        let survey = survey(text, Locale::En);
        let found: Vec<_> = survey.cells_beyond.iter().map(|range| &text[range.clone()]).collect();
        assert_eq!(found, expected, "{text}");
        assert!(survey.not_tables.is_empty(), "{text}");
    }
}

#[test]
fn table_without_its_head_is_found() {
    for (text, expected) in [
        ("| P | Q |\n|---|\n| 1 | 2 |\n", Some("|---|")),
        ("> | P |\n> |:--|--:|\n", Some("|:--|--:|")),
        ("|a|\n|-|\n", None),
        ("a | b - c\n\n`|---|`\n\n    |---|\n", None),
        (r"\|---|", None),
        ("|Sütun 1|Sütun 2|\n|bir|iki|\n|üç|dört|\n", Some("|Sütun 1|Sütun 2|")),
        ("| a | b |\n| — | — |\n| 1 | 2 |\n", Some("| — | — |")),
        ("a | b\n–|–\n", Some("–|–")),
        ("|a|  \n|b|\n\n|c|\n\n|d|\n", None),
        ("a | b\n-|-\n— | —\n|c|d|\n|e|f|\n\n— a\n", None),
    ] {
        let found = survey(text, Locale::En).not_tables;
        assert_eq!(found.first().map(|range| &text[range.clone()]), expected, "{text}");
    }
}

#[test]
fn cells_separated_by_tabs_are_found_once_per_block() {
    for (text, expected) in [
        ("a\tb\nc\td\ne\tf\n", &["a\tb"][..]),
        ("> Tablo:\n> a\tb \n> c\td\n", &["a\tb"]),
        ("a\tb\nmetin\nc\td\n\na\tb\\\nc\td\n\n\ta\n\tb\n", &[]),
        ("•\ta\n•\tb\n\n1.\ta\n2.\tb\n\na)\tb\nb)\tc\n\na\t|b\n-|-\na\t|b\n", &[]),
    ] {
        let found = survey(text, Locale::Tr).not_cells;
        let found: Vec<_> = found.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn line_that_looks_empty_is_found_and_an_empty_one_is_not() {
    for (text, expected) in [
        ("Par 1.\n\u{a0}\nPar 2.\n", &["\u{a0}"][..]),
        ("a\n\n&nbsp;\n\nb\n\n> \u{2003} &nbsp;\n", &["&nbsp;", "\u{2003} &nbsp;"]),
        ("|a|\n|-|\n|b|\n\u{a0}\nc\n\u{a0}\n", &["\u{a0}"]),
        ("a\n \t\nb&nbsp;c\n\u{a0}d\n\n|a|\n|-|\n|&nbsp;|\n\n    \u{a0}\n\n`\u{a0}`\n", &[]),
    ] {
        let survey = survey(text, Locale::Tr);
        let found: Vec<_> = survey.not_empty.into_iter().map(|range| &text[range]).collect();
        assert_eq!(found, expected, "{text}");
        assert!(survey.rows_without_bars.is_empty(), "{text}");
    }
}

#[test]
fn second_definition_is_found_everywhere() {
    for (text, expected) in [
        ("[y]: /a\n[y]: /b\n\n[a][y]\n", &[8_usize][..]),
        ("[a][y]\n\n[y]: /a\n\n> [Y]: /b\n\n- [y]: /c\n\n[y]: /d", &[19, 30, 39]),
        ("[y]: /a\n\nb\n[y]: /c\n\n`[y]: /d`\n\n    [y]: /e\n\n- f\n  [y]: /g\n\n[y]", &[]),
        ("[y]: /a\n[^y]: /b\n[z]: /c\n\n[y] [z] [^y]", &[]),
        ("[//]: # (a)\n[//]: # (b)\n[y]: /a\n[Y]: </a> \"b\"\n\n[y]", &[]),
    ] {
        let found = survey(text, Locale::En).references_repeated;
        let starts: Vec<_> = found.iter().map(|note| note.range.start).collect();
        assert_eq!(starts, expected, "{text}");
    }
}

#[test]
fn unused_definition_is_surveyed_as_a_link() {
    let text = "[a][x]\n\n[x]: /x\n[y]: @/team/y\n[//]: # (note)\n[z]: <> (note)\n[w]: w.svg\n\n![b][w]\n";
    let links = survey(text, Locale::En).links;
    let links: Vec<_> = links.iter().map(|link| (&*link.destination, &text[link.range.clone()], &*link.text)).collect();
    assert_eq!(links, [("/x", "/x", "a"), ("@/team/y", "@/team/y", "y")]);
}

#[test]
fn labels_of_footnotes_are_folded_as_the_parser_folds_them() {
    for text in ["X[^straße]\n\n[^STRASSE]: words\n", "X[^ΣΑΣ]\n\n[^σας]: words\n"] {
        assert!(survey(text, Locale::En).footnotes_unused.is_empty(), "{text}");
        assert!(to_html(text, Locale::En, &Marked).html.contains("words"), "{text}");
    }
    let apart = survey("X[^i]\n\n[^i]: a\n\n[^ı]: b\n", Locale::Tr);
    assert_eq!(labels(&apart.footnotes_unused), ["ı"]);
}

#[test]
fn unclosed_brackets_do_not_record_the_rest_of_the_text() {
    for piece in [
        "[a](nothttp a b ",
        "[a](https://a b ",
        "[a] (https://a b ",
        "(a)[https://a b ",
        "[y]: ",
        "|--|",
        "[a](/b c](/d) ",
        "1. ",
        "- 1. a\n\nb\n\n",
        "a) b\n\u{a0}\n",
        "> > |a\tb\n",
        "> a\n> — B\n",
        "a`b",
    ] {
        let found = survey(&piece.repeat(6_000), Locale::En);
        let noted = found.destinations_cut_off.iter().map(|note| note.label.len());
        let others =
            [found.not_links, found.not_headings, found.not_tables].into_iter().flatten().map(|range| range.len());
        assert!(noted.chain(others).sum::<usize>() < 1_600_000, "{piece}");
    }
}

#[test]
fn unclosed_code_is_found_everywhere() {
    for (text, expected) in [
        ("```\nmetin", &["```"][..]),
        ("```", &["```"]),
        ("a\n\n  ~~~~ text\nb\n~~~\n\n## c\n", &["~~~~"]),
        ("```\na\n```son\n", &["```"]),
        ("```\na\n    ```\n", &["```"]),
        ("```\n> ```\n", &["```"]),
        ("> ```\n> a\n\nb\n", &["```"]),
        ("- a\n\n  ````\n  ```\n- b\n", &["````"]),
        ("> - ```\n>   a\n>   ```\n", &[]),
        ("```\n```\n\n~~~ x\n\n~~~~  \n\n  ```\na\n ```", &[]),
        ("    ```\n    a\n\n`` ``` ``\n", &[]),
        ("a[^1]\n\n[^1]: b\n\n    ```\n    c\n    ```\n", &[]),
    ] {
        let found = survey(text, Locale::Tr).code_not_closed;
        assert_eq!(found.iter().map(|range| &text[range.clone()]).collect::<Vec<_>>(), expected, "{text}");
    }
}

#[test]
fn definition_that_only_holds_words_is_found() {
    for (text, expected) in [
        ("a\n\n[//]: # (Kaya Ltd)\n[//]: # (more)\n\nb\n", &["[//]: # (Kaya Ltd)", "[//]: # (more)"][..]),
        ("- [comment]: <> (hidden)\n", &["[comment]: <> (hidden)"]),
        ("[x]: https://a.example 'words'\n[y]: /y\n", &["[x]: https://a.example 'words'"]),
        ("[a][x] [b][y]\n\n[x]: https://a.example 'words'\n[y]: #b\n", &[]),
        ("`[//]: # (a)`\n\n    [//]: # (a)\n\nb\n[//]: # (a)\n", &[]),
        ("## Dayanak\n\n[k]: #dayanak\n[l]: #\n[m]: #b\n", &["[l]: #", "[m]: #b"]),
        ("## Dayanak\n\n[k]: #dayanak 'words'\n", &["[k]: #dayanak 'words'"]),
    ] {
        let found = survey(text, Locale::Tr).hidden;
        assert_eq!(found.iter().map(|range| text[range.clone()].trim_end()).collect::<Vec<_>>(), expected, "{text}");
    }
}

#[test]
fn multiplication_that_becomes_emphasis_is_found() {
    let products = |text: &str| {
        let found = survey(text, Locale::Tr).products;
        found.into_iter().map(|range| text[range].to_owned()).collect::<Vec<_>>()
    };
    for (text, words) in [
        ("Tutar 10.000*12*3 liradır.", "10.000*12*3"),
        ("Fiyat 5*x, indirim 3*y olur.", "5*x, indirim 3*y"),
        ("a*b*c", "a*b*c"),
        ("(25)*4*12 m", "(25)*4*12"),
        ("2**3**4", "2**3**4"),
    ] {
        assert_eq!(products(text), [words], "{text}");
    }
    for text in
        ["m. 5*bis* ve 7*ter*’e", "gel*me*di", "*12* gün", "**5** yıl", "5 * 3 * 4", "5\\*3\\*4", "a *b* c", "`5*3*4`"]
    {
        assert_eq!(products(text), [""; 0], "{text}");
    }
}

#[test]
fn pictures_that_begin_lines_are_marks_of_a_list() {
    let marks = |text: &str| {
        let found = survey(text, Locale::Tr).not_lists;
        found.into_iter().map(|range| text[range].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(marks("✅ Bir\n✅ iki\n✅ üç"), ["✅"]);
    assert_eq!(marks("📌 Bir\n⚖️ iki"), ["📌"]);
    assert_eq!(marks("1️⃣ Bir\n2️⃣ iki"), ["1️⃣"]);
    for text in ["✅ Bir\niki", "✅ Bir\\\n✅ iki", "- ☐ Bir\n- ☐ iki", "1️⃣ Bir\n1️⃣ iki"] {
        assert_eq!(marks(text), [""; 0], "{text}");
    }
}
