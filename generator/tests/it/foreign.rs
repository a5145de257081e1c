//! Markup of other programs has one finding for each kind and file, which names the program and the replacement; the
//! result of `--fix` has no finding.

use contract::Locale;
use std::fs;

use crate::content::Content;
use generator::fix;
use regex_lite::Regex;
use site::Loading;

const ARTICLE: &str = "publications/tax-settlement/en.md";
const TEXT: &str = "The taxpayer may ask for settlement.";

/// Returns the findings on an article with this text: code, line, message and remedy.
fn finding_lines(text: &str) -> Vec<String> {
    let content = Content::firm().with(ARTICLE, TEXT, text);
    let findings = content.load().map_or_else(|findings| findings, |loaded| loaded.warnings);
    let line = |finding: &findings::Finding| {
        let more = if finding.more > 0 { format!(" (+{})", finding.more) } else { String::new() };
        let help = finding.help.iter().map(|help| &help[Locale::En]).collect::<Vec<_>>().join("; ");
        format!(
            "{} {}{more}: {} | {help}",
            finding.code.id(),
            finding.place.span.line - 9,
            &finding.message[Locale::En]
        )
    };
    findings.items().iter().map(line).collect()
}

/// Returns the text after `--fix`.
fn fixed_text(text: &str) -> String {
    let content = Content::firm().with(ARTICLE, TEXT, text);
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let fixes = fix::find(&Loading { content: content.0.path(), site_url: None, now, drafts: false }).unwrap();
    fixes.changes.iter().for_each(|change| change.apply().unwrap());
    let whole = fs::read_to_string(content.0.path().join(ARTICLE)).unwrap();
    whole.split_once("---\n\n").unwrap().1.trim_end().to_owned()
}

/// Returns the patterns of the table with their programs.
fn kinds() -> Vec<(Regex, String)> {
    let table: toml::Table = include_str!("../../../crates/site/src/check/foreign.toml").parse().unwrap();
    let kinds = table["kind"].as_array().unwrap().iter();
    kinds.map(|it| (Regex::new(it["pattern"].as_str().unwrap()).unwrap(), it["of"]["en"].to_string())).collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn markup_of_other_programs_is_named_once_and_its_advice_is_right() {
    let mut kinds = kinds();
    // Foreign names contain these letters, so only Turkish texts are checked for them.
    kinds.retain(|(kind, _)| !kind.is_match("kiþi"));
    for (text, program, written) in [
        ("A [b](https://b.example){width=50%}", "pandoc or kramdown", "A [b](https://b.example)"),
        ("A\n{: .lead}", "pandoc or kramdown", "A"),
        ("[A](https://a.example){.button target=_blank}", "pandoc or kramdown", "[A](https://a.example)"),
        ("[TOC]\n\nA", "table of contents", "A"),
        ("[[_TOC_]]\n\nA", "table of contents", "A"),
        ("> [!NOTE]\n> A", "GitHub or Obsidian", "> **Note:** A"),
        (":::note\nA\n:::", "Docusaurus or pandoc", "**Note:** A"),
        ("::: {.warning}\nA\n:::", "Docusaurus or pandoc", "**Warning:** A"),
        ("!!! note\nA", "MkDocs", "> A"),
        ("{{< youtube x >}}", "Hugo", "[The film](https://video.example/x)"),
        ("{{% notice %}}A{{% /notice %}}", "Hugo", "A"),
        ("{% include x %}", "Liquid or Jinja", "The words of x"),
        ("A {{ page.title }}", "a template", "A title"),
        ("A {{Note|b=1}} b", "a template or a wiki", "A b"),
        ("A【4:0†source】 b", "an AI assistant", "A b"),
        ("A citeturn0search3turn1news2 b", "an AI assistant", "A b"),
        (
            "A [1][2] b\n\n[1]: https://a.example\n[2]: https://b.example",
            "an AI assistant or a word processor",
            "A[^1] b\n\n[^1]: a",
        ),
        ("A[\\[1\\]](#_ftn1) b", "a word processor (a footnote)", "A[^1] b\n\n[^1]: a"),
        ("A\n\n¹ Kuru, s. 45.\n² Pekcanıtez, s. 3.", "a word processor (a footnote)", "A[^1]\n\n[^1]: Kuru, s. 45."),
        ("the di-\nrector", "a PDF", "the director"),
        ("A\u{fffd} b", "a program that lost a letter", "Aş b"),
        ("Dear *|FNAME|*", "Mailchimp", "Dear reader"),
        ("[contact-form-7 id=\"1\"]", "WordPress", "Write to us."),
        ("A :contentReference[oaicite:0]{index=0} b [cite: 1, 2]", "an AI assistant", "A b"),
        ("A Ã¶rnek ve â€œbâ€\u{9d}", "wrong encoding", "A örnek ve “b”"),
        ("{panel:title=A}\nb\n{panel}", "Confluence or Jira", "> b"),
        ("import A from './a'\n\nb", "MDX", "b"),
        ("- A\n  id:: 6543\n- b", "Logseq or Obsidian", "- A\n- b"),
        ("#+BEGIN_QUOTE\nA\n#+END_QUOTE", "Org mode", "> A"),
        ("A ==mark== b", "Obsidian or Typora", "A **mark** b"),
        ("H~2~O", "pandoc", "H₂O"),
        ("x^2^ and y^n+1^", "pandoc", "x² and yⁿ⁺¹"),
        ("A^[inline note] b", "pandoc", "A[^1] b\n\n[^1]: inline note"),
        ("Term\n: definition", "PHP Markdown Extra", "**Term:** definition"),
        ("*[KVKK]: Law\n\nKVKK", "PHP Markdown Extra", "KVKK (Law)"),
        ("Good :smile: day", "GitHub or Slack", "Good 🙂 day"),
        ("See [[wiki]] and [[other|page]]", "a wiki", "See [wiki](@/publications/remote-work) and page"),
        ("See www.kvkk.gov.tr", "without its scheme", "See https://www.kvkk.gov.tr"),
        ("See <www.kvkk.gov.tr>", "without its scheme", "See <https://www.kvkk.gov.tr>"),
        ("A %%note%% b", "Obsidian", "A b"),
        ("== Heading ==\n\nA", "MediaWiki", "## Heading\n\nA"),
        ("== Heading\n\nA", "AsciiDoc", "## Heading\n\nA"),
        ("image::a.png[A]", "AsciiDoc", "[A](https://a.example/a.png)"),
        (".. note:: A", "reStructuredText", "> A"),
        ("See :ref:`a`", "reStructuredText", "See [a](@/publications/remote-work)"),
        ("See `words <https://a.example>`_", "reStructuredText", "See [words](https://a.example)"),
        ("A '''bold''' b", "MediaWiki", "A **bold** b"),
        ("See [https://a.example words] b", "MediaWiki", "See [words](https://a.example) b"),
        ("A [b]bold[/b] b", "BBCode", "A **bold** b"),
        ("[quote]A[/quote]", "BBCode", "> A"),
        ("[gallery ids=\"1,2\"]", "WordPress", "Three pictures."),
        ("A \\textbf{bold} b", "LaTeX", "A **bold** b"),
        ("\\section{A}\n\nb", "LaTeX", "## A\n\nb"),
        ("A\\footnote{b}", "LaTeX", "A[^1]\n\n[^1]: b"),
        ("\\newpage\n\nA", "LaTeX or pandoc", "A"),
        ("#+TITLE: A", "Org mode", "A"),
        ("h2. Heading\n\nA", "Textile", "## Heading\n\nA"),
        ("A HYPERLINK \"https://a.example\" b", "a word processor", "A [words](https://a.example) b"),
        ("The \\*\\*Code (CO)\\*\\*’s rule", "a visual editor", "The **Code (CO)**’s rule"),
        ("The \\*\\*“word”\\*\\*s meaning", "a visual editor", "The **“words”** meaning"),
        ("\\## A\n\nb", "a visual editor", "## A\n\nb"),
        ("A \\[b\\](https://b.example)", "a visual editor", "A [b](https://b.example)"),
        ("A rate of $r = 9\\%$ b", "LaTeX (a formula)", "A rate of 9 % b"),
        ("A \\( \\frac{1}{2} \\) b", "LaTeX (a formula)", "A half b"),
        ("A [@smith2024, p. 3] b", "pandoc or a reference manager", "A[^1] b\n\n[^1]: Smith 2024, p. 3."),
        ("A ADDIN ZOTERO_ITEM CSL_CITATION {} b", "a reference manager", "A b"),
        ("A { HYPERLINK \"https://a.example\" } b", "a word processor", "A [words](https://a.example) b"),
        ("Bkz. Hata! Yer işareti tanımlanmamış.", "a word processor", "Bkz. 3. bölüm."),
        ("A\n\n- 1 -\n\nb\n\n- 2 -\n\nc", "a paper's pages", "A\n\nb\n\nc"),
        ("A\n\nSayfa 1 / 9\n\nb", "a paper's page", "A\n\nb"),
        ("A\n\n3 | Page\n\nb\n\n4 | Page", "a paper's pages", "A\n\nb"),
        (
            "**A**\n\na\n\n**B**\n\nb\n\n**C:**\n\nc",
            "stand by themselves, like headings",
            "## A\n\na\n\n## B\n\nb\n\n## C\n\nc",
        ),
        (
            "__A__\n\na\n\n**B**\n\nb\n\n__C:__\n\nc",
            "stand by themselves, like headings",
            "## A\n\na\n\n## B\n\nb\n\n## C\n\nc",
        ),
        ("A\n{:toc}", "kramdown", "A"),
        ("[source,rust]\n\nA", "AsciiDoc", "A"),
        ("A [i]word[/i] b", "BBCode", "A *word* b"),
        ("A [url=https://a.example]word[/url] b", "BBCode", "A [word](https://a.example) b"),
        ("A \\emph{word} b", "LaTeX", "A *word* b"),
        ("A claim.[oai_citation:0‡law.example](https://law.example/a) b", "an AI assistant", "A claim. b"),
        ("A claim.【5†source】 b", "an AI assistant", "A claim. b"),
        ("A \\*word\\* b", "a visual editor (emphasis)", "A *word* b"),
        ("A \\_word\\_ b", "a visual editor (emphasis)", "A *word* b"),
        ("\\- One\n\\- Two", "a visual editor (a list)", "- One\n- Two"),
        ("\\> A quotation", "a visual editor (a quotation)", "> A quotation"),
        ("\\| a \\| b \\|\n\\| c \\| d \\|", "a visual editor (a table)", "| a | b |\n| --- | --- |\n| c | d |"),
        ("The h(cid:3)use", "a PDF (letters", "The house"),
        ("A&amp;nbsp;b", "a character by its name", "A b"),
        ("Bay=C4=B1nd=C4=B1r", "a mail program", "Bayındır"),
        ("A ``word'' b", "LaTeX (quotation marks)", "A “word” b"),
        ("## A[edit]\n\nb", "Wikipedia", "## A\n\nb"),
        ("İçtihat Metni\n\nb", "a database of decisions", "b"),
        ("Açıklama [AY1]: kısa.\n\nb", "a comment or a tracked change", "b"),
        ("As an AI language model, I cannot advise. b", "words about itself", "b"),
        ("A\n\n\\[\nx = 2\n\\]", "LaTeX (a formula)", "x is 2"),
        ("A\n\n$$\nx = 2\n$$", "LaTeX (a formula)", "x is 2"),
        ("A claim[1] and another[2]\n\n[1] Note.", "the mark of a note", "A claim[^1]\n\n[^1]: Note."),
        ("A claim.(1)\n\n________\n(1) Note.", "notes below a line", "A claim.[^1]\n\n[^1]: Note."),
        ("A claim[i] b\n\n[i] Note.", "the mark of a note", "A claim[^1] b\n\n[^1]: Note."),
        ("A claim[AY1] b", "the mark of a comment", "A claim b"),
        ("A claim[a] b\n\n[a] Check this.", "the mark of a comment", "A claim b"),
        ("Scope ........ 3\n\nCosts ........ 12", "the contents of a paper", "b"),
        ("[A](https://a.example/?b=1&utm_source=chatgpt.com)", "the AI assistant", "[A](https://a.example/?b=1)"),
        ("x^3^", "pandoc", "x³"),
        ("a~i~", "pandoc", "aᵢ"),
    ] {
        let all = finding_lines(text);
        let found: Vec<_> = all.iter().filter(|line| line.starts_with("W0331")).collect();
        assert!(found.iter().any(|line| line.contains(program)), "{text}: {found:#?}");
        assert!(found.len() <= 2, "{text}: {found:#?}");
        // The remedy has no finding of its own, and neither has the result of `--fix`.
        assert_eq!(self::finding_lines(written), [""; 0], "{written}");
        let mended = fixed_text(text);
        assert!(mended == text || self::finding_lines(&mended).len() < all.len(), "{text}: {mended}");
        kinds.retain(|(kind, _)| !kind.is_match(text));
    }
    assert!(kinds.is_empty(), "no text here has {kinds:#?}");
}

#[test]
fn misread_turkish_letters_are_found() {
    let content = Content::firm().with("publications/electronic-notification/tr.md", "muhatabın", "teblið ve kiþi");
    let findings = content.load().map_or_else(|findings| findings, |loaded| loaded.warnings);
    let [finding] = findings.items() else { panic!("{findings:?}") };
    assert!(finding.message[Locale::Tr].contains("`teblið`"), "{finding:?}");
    assert_eq!(finding.more, 1);
}

#[test]
fn ordinary_texts_have_no_finding() {
    for text in [
        "See `{{ x }}`, `H~2~O` and `[TOC]`.",
        "```\n:::note\n== A ==\n{% x %}\n```",
        "[Words](https://a.example/?a=~2~c) and <https://a.example/a~user~>.",
        "On 12:30, at 10:15:20; a ratio of 1:2:3.",
        "“A”: B. Note: see below (s. 3/12).",
        "One ~~struck~~ word and 5 ~ 6, x = y, a == b.",
        "**A sentence that matters.**\n\nb",
        "**A**\n\nb",
        "Art. 5 (1) and (2) apply.\n\n(2) Another paragraph.",
        "MADDE 2 – (1) Bir.\\\n(2) İki.\\\n(3) Üç.",
        "MADDE 2 – (1) Bir.\n(2) İki:\na) bir,\nb) iki.\n(3) Üç.",
        "Başlık\nMADDE 5- (1) Bir.",
        "Prices from € 5 [sic] {see below}.",
        "Þór Ðorðarson of Ýmir; Ångström, Ägypten, Âdil, São Paulo; std::fmt, a::b.",
        "A line\nthat ends- with\na well-known word, e-mail and [1] or [a][b].\n\n[b]: https://b.example",
        "Import duties from “China”: see below.",
        "A line\n\n3\n\nb",
        "Write to bilgi@firma.example or see https://kvkk.gov.tr.",
    ] {
        assert_eq!(finding_lines(text), [""; 0], "{text}");
    }
}

#[test]
fn markup_with_one_meaning_is_rewritten() {
    for (text, expected) in [
        ("A [b](https://a.example){target=_blank} c", "A [b](https://a.example) c"),
        ("H~2~O and x^2^", "H₂O and x²"),
        ("See www.kvkk.gov.tr/a.\n\n<www.kvkk.gov.tr>", "See https://www.kvkk.gov.tr/a.\n\n<https://www.kvkk.gov.tr>"),
        ("A '''bold''' and [b]bold[/b] and \\textbf{bold}", "A **bold** and **bold** and **bold**"),
        ("[url=https://a.example]words[/url]", "[words](https://a.example)"),
        ("**A**\n\na\n\n**B**\n\nb\n\n**C:**\n\nc", "## A\n\na\n\n## B\n\nb\n\n## C\n\nc"),
        (
            "**1. A**\n\na\n\n**1.1. B**\n\nb\n\n**1.1.1. C**\n\nc\n\n**Sayın D**",
            "## 1. A\n\na\n\n### 1.1. B\n\nb\n\n#### 1.1.1. C\n\nc\n\n**Sayın D**",
        ),
        // A line end does not end an item of a list.
        ("a) bir,\n1) alt,\n2) alt,\nb) iki.", "a) bir,\n1) alt,\n2) alt,\nb) iki."),
        ("One\u{b}two\u{200b} three", "One\\\ntwo three"),
    ] {
        assert_eq!(fixed_text(text), expected, "{text}");
    }
}

#[test]
fn anchor_behind_a_heading_is_kept_if_it_can_be_used() {
    let links = "[a](#baslik) ".repeat(3);
    assert_eq!(finding_lines(&format!("## Süre {{#baslik}}\n\n{links}\n\n## Başlık\n\nA")), [""; 0]);
    let twice = finding_lines("## A {#same}\n\na\n\n## B {#same}\n\nb");
    let help = "choose another one, or remove it: links to this heading are then written `#b`";
    assert_eq!(twice, [format!("E0329 5: `same` is the anchor of another heading above | {help}")]);
    let content = Content::firm().with(ARTICLE, TEXT, "## Başlık {#Süre.ve}\n\nA");
    let findings = content.load().unwrap_err();
    let label = &findings.items()[0].label.as_ref().unwrap()[Locale::En];
    assert_eq!(label, "write `{#sure-ve}`");
}

#[test]
fn link_leads_into_a_clause() {
    let statute = "## Article 2\n\n(1) One:\na) first,\nb) second:\n1) inner,\n2) other.\n(2) Two.";
    let links = "See [2(1)(b)(2)](#article.2.1.b.2) and [2(2)](@/publications/tax-settlement#article.2.2).";
    assert_eq!(finding_lines(&format!("{statute}\n\n{links}")), [""; 0]);
    let found = finding_lines(&format!("{statute}\n\n[2(1)(c)](#article.2.1.c)"));
    assert!(found[0].starts_with("E0303 10: no heading or clause `#article.2.1.c`"), "{found:#?}");
}

#[test]
fn advice_on_headings_keeps_their_order() {
    let raised = finding_lines("### A\n\na\n\n### B\n\nb\n\n### C\n\nc\n\n### D\n\nd");
    let help = "write `## A`, then `## B`, then `## C`, and likewise for 1 more below";
    assert_eq!(raised, [format!("E0311 1: heading of level 3 after one of level 1 | {help}")]);
    let lowered = finding_lines("# A\n\na\n\n## B\n\nb\n\n## C\n\nc");
    let help = "the title is the first level; write `## A`, then `### B`, then `### C`";
    assert_eq!(lowered, [format!("E0310 1: first-level heading in the text | {help}")]);
}

#[test]
fn inline_picture_is_never_printed() {
    let content = Content::firm();
    let picture = format!("![şema](data:image/png;base64,{})", "iVBORw0KGgo".repeat(30_000));
    let content = content.with(ARTICLE, TEXT, &format!("{picture}\n\n{TEXT}"));
    let findings = content.load().unwrap_err();
    for output in [
        findings.to_text(Locale::En, false),
        findings.to_json_lines(Locale::En),
        findings.to_annotations(Locale::En, &|_| None),
    ] {
        assert!(output.len() < 2_000, "{} bytes", output.len());
        assert!(output.contains("the picture is inside the text") && output.contains("save it as a file"), "{output}");
    }
}

#[test]
fn nested_list_may_have_one_item() {
    assert_eq!(finding_lines("1. One\n   1. Only\n2. Two\n\n- a\n  1. Only\n- b"), [""; 0]);
    assert_eq!(finding_lines("- 1. maddeye göre\n- b").len(), 1);
}

#[test]
fn invisible_character_has_a_plain_name() {
    assert_eq!(
        finding_lines("One\u{b}two"),
        ["E0319 1: a line break of a word processor (U+000B) is invisible | for a line break, end the line with `\\`"]
    );
    assert!(finding_lines("One\u{202e}two")[0].contains("a mark that turns the direction of writing (U+202E)"));
}

#[test]
fn fields_of_other_systems_are_found_with_their_replacement() {
    let title = "title: Settlement before assessment";
    for (field, message) in [
        ("pubDate: 2025-11-02", "unknown field `pubDate`"),
        ("layout: post", "the folder of an entry determines how it is shown"),
        ("image: a.png", "put the picture beside the text"),
        ("lang: en", "the name of the file"),
        ("toc: true", "it is for another program"),
        ("description: A", "unknown field `description`"),
    ] {
        let content = Content::firm().with(ARTICLE, title, &format!("{title}\n{field}"));
        let findings = content.load().unwrap_err().to_text(Locale::En, false);
        assert!(findings.contains(message), "{findings}");
    }
    for (old, new, written) in [("date: 2025", "pubDate: 2025", "date"), ("excerpt: ", "description: ", "excerpt")] {
        let findings = Content::firm().with(ARTICLE, old, new).load().unwrap_err().to_text(Locale::En, false);
        assert!(findings.contains(&format!("write `{written}`")) && findings.contains("1 error in"), "{findings}");
    }
}
