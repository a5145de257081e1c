use contract::Locale;

use super::{AsWritten, Identity, Marked, Targets, to_forms, to_html};

fn html(text: &str) -> String {
    to_html(text, Locale::En, &AsWritten).html
}

/// Asserts that every element is closed, the one opened last first, and that no anchor occurs twice.
pub(super) fn assert_balanced(html: &str) {
    let mut open = Vec::new();
    for tag in html.split('<').skip(1) {
        let (tag, _) = tag.split_once('>').unwrap_or_else(|| panic!("a tag without end in {html}"));
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        match name.as_str() {
            "" => panic!("a bare < in {html}"),
            "br" | "hr" | "img" => {}
            _ if tag.starts_with('/') => assert_eq!(open.pop().as_deref(), Some(&*name), "{html}"),
            _ => {
                assert!(name != "a" || !open.contains(&name), "a link in a link in {html}");
                open.push(name);
            }
        }
    }
    assert!(open.is_empty(), "{open:?} left open in {html}");
    let ids: Vec<_> = html.split(" id=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    let mut unique = ids.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(ids.len(), unique.len(), "{html}");
    for target in html.split("href=\"#fn").skip(1).filter_map(|rest| rest.split('"').next()) {
        assert!(html.contains(&format!(" id=\"fn{target}\"")), "{target} leads nowhere in {html}");
    }
}

#[test]
fn headings_have_an_anchor_and_a_permalink_beside_them() {
    assert_eq!(
        to_html("## Süre & *usul*\n", Locale::Tr, &AsWritten).html,
        "<hgroup class=\"heading\"><h2 id=\"sure-ve-usul\">Süre &amp; <em>usul</em></h2> <p><a class=\"anchor\" \
         href=\"#sure-ve-usul\" aria-label=\"Bu bölümün bağlantısı: Süre &amp; usul\"><span aria-hidden=\"true\">#</span>\
         </a></p></hgroup>\n"
    );
}

#[test]
fn links_to_other_sites_have_noopener() {
    assert_eq!(
        html("[a](https://a.example \"t\")"),
        "<p><a href=\"https://a.example\" title=\"t\" rel=\"noopener\">a</a></p>\n"
    );
    assert_eq!(html("[a](/en?x=1&y=ş)"), "<p><a href=\"/en?x=1&amp;y=%C5%9F\">a</a></p>\n");
    assert_eq!(to_html("[a](https://x)", Locale::En, &Marked).html, "<p><a href=\"/m/https://x\">a</a></p>\n");
}

#[test]
fn words_in_another_language_are_marked() {
    assert_eq!(html("An [*anonim* şirket](lang:tr)."), "<p>An <span lang=\"tr\"><em>anonim</em> şirket</span>.</p>\n");
    assert_eq!(html("[a <https://b.example>](lang:en)").matches("<a ").count(), 1);
    assert_eq!(html("<lang:tr>"), "<p>lang:tr</p>\n");
    assert_eq!(html("[a](lang:TR)"), "<p>a</p>\n");
    let rendered = to_html("## The [yalı](lang:tr) house", Locale::En, &Marked);
    assert_eq!(rendered.headings[0].text, "The yalı house");
    assert_eq!(rendered.headings[0].id, "the-yali-house");
}

#[test]
fn address_that_could_run_code_is_no_link() {
    for address in ["javascript:alert(1)", "JaVaScRiPt:x", "data:text/html,x", "vbscript:x"] {
        assert_eq!(html(&format!("[a]({address})")), "<p>a</p>\n");
        assert_eq!(html(&format!("<{address}>")).matches("<a").count(), 0);
    }
    assert!(html("[a](mailto:a@b.example) [b](tel:+90)").matches("<a ").count() == 2);
    assert!(html("<a@b.example>").contains("<a href=\"mailto:a@b.example\">a@b.example</a>"));
    assert!(html("<a%#/b@b.example>").contains("<a href=\"mailto:a%25%23%2Fb@b.example\">a%#/b@b.example</a>"));
}

#[test]
fn raw_html_is_shown_as_text() {
    assert_eq!(html("a <b>x</b>"), "<p>a &lt;b&gt;x&lt;/b&gt;</p>\n");
    assert_eq!(html("<script>\nx\n</script>"), "<p>&lt;script&gt;\nx\n&lt;/script&gt;</p>\n");
}

#[test]
fn picture_alone_is_a_figure() {
    assert_eq!(
        to_html("![A \"b\" *c*](x.svg 'Ti<tle')", Locale::En, &Marked).html,
        "<figure><img src=\"/m/x.svg\" alt=\"A &quot;b&quot; c\" width=\"640\" height=\"480\" loading=\"lazy\" \
         decoding=\"async\"><figcaption>Ti&lt;tle</figcaption></figure>\n"
    );
    assert_eq!(
        html("![a](x.svg 't') b ![c](y.svg 'u')"),
        "<p><img src=\"x.svg\" alt=\"a\" loading=\"lazy\" decoding=\"async\" title=\"t\"> b \
         <img src=\"y.svg\" alt=\"c\" loading=\"lazy\" decoding=\"async\" title=\"u\"></p>\n"
    );
}

#[test]
fn source_stands_below_its_quotation() {
    assert_eq!(
        html("> One.\n>\n> Two.\n>\n> — Law No. 1, [Article 2](https://a.example) *(shortened)*\n"),
        "<div class=\"quotation\"><blockquote>\n<p>One.</p>\n<p>Two.</p>\n</blockquote>\n\
         <p class=\"source\">— Law No.\u{a0}1, <a href=\"https://a.example\" rel=\"noopener\">Article\u{a0}2</a> \
         <em>(shortened)</em></p></div>\n"
    );
    assert_eq!(
        html("> > a\n> >\n> > — b\n>\n> — c"),
        "<div class=\"quotation\"><blockquote>\n<div class=\"quotation\"><blockquote>\n<p>a</p>\n</blockquote>\n\
         <p class=\"source\">— b</p></div>\n</blockquote>\n<p class=\"source\">— c</p></div>\n"
    );
    for none in [
        "> (1) One.\n>\n> (2) Two.",
        "> — One.",
        "> — One.\n>\n> Two.",
        "> One.\n>\n> —— Two.",
        "> One.\n>\n> - — Two.\n>\n> - — Three.",
        "> > One.\n> >\n> > Two.\n>\n> Three — four.",
        "> — Tanık: Evet, gördüm.\n>\n> — Hâkim: Emin misiniz?",
        "> Duruşmada:\n>\n> — Emin misiniz?\n>\n> — Evet.",
        "One.\n\n— Two.",
    ] {
        assert!(!html(none).contains("\"quotation\""), "{none}");
    }
    let twin = "> One.\n>\n> — Law\n";
    assert_eq!(to_forms(twin, Locale::En, &AsWritten, &AsWritten).twin, twin);
}

#[test]
fn tables_scroll_and_have_headers() {
    assert_eq!(
        html("|a|b|\n|-|-:|\n|c|d|\n||e|\n"),
        "<section class=\"table\" tabindex=\"0\" aria-label=\"Table 1\"><table>\n<thead>\n<tr><th scope=\"col\">a</th>\
         <th scope=\"col\" class=\"right\">b</th></tr>\n</thead>\n<tbody>\n<tr><td>c</td><td class=\"right\">d</td></tr>\n\
         <tr><td></td><td class=\"right\">e</td></tr>\n</tbody>\n</table></section>\n"
    );
}

#[test]
fn first_columns_without_a_heading_name_the_rows() {
    assert_eq!(
        html("||b||\n|-|-:|-|\n|*c*|d|e|\n||f|g|\n"),
        "<section class=\"table\" tabindex=\"0\" aria-label=\"Table 1\"><table>\n<thead>\n<tr><td></td>\
         <th scope=\"col\" class=\"right\">b</th><td></td></tr>\n</thead>\n<tbody>\n<tr><th scope=\"row\"><em>c</em></th>\
         <td class=\"right\">d</td><td>e</td></tr>\n<tr><td></td><td class=\"right\">f</td><td>g</td></tr>\n</tbody>\n\
         </table></section>\n"
    );
    // Each table is judged by itself.
    let two = html("||b|\n|-|-|\n|c|d|\n\n|a||\n|-|-|\n|c|d|\n");
    assert!(two.contains("<th scope=\"row\">c</th><td>d</td>") && two.contains("<td>c</td><td>d</td>"), "{two}");
}

#[test]
fn code_blocks_scroll_and_name_their_language() {
    assert_eq!(
        html("```rust,no_run\na < b\n```"),
        "<pre tabindex=\"0\" role=\"group\" aria-label=\"Code\"><code class=\"language-rust\">a &lt; b\n</code></pre>\n"
    );
    assert_eq!(html("    x\n"), "<pre tabindex=\"0\" role=\"group\" aria-label=\"Code\"><code>x\n</code></pre>\n");
}

#[test]
fn footnotes_are_numbered_as_referred_to_and_lead_back() {
    assert_eq!(
        html("a[^b] c[^a] d[^b]\n\n[^a]: One[^c].\n\n[^b]: Two.\n\n[^c]: Three.\n\n[^d]: Never.\n"),
        "<p>a<sup><a href=\"#fn-1\" id=\"fnref-1\" role=\"doc-noteref\" aria-describedby=\"footnote-label\">1</a></sup> \
         c<sup><a href=\"#fn-2\" id=\"fnref-2\" role=\"doc-noteref\" aria-describedby=\"footnote-label\">2</a></sup> \
         d<sup><a href=\"#fn-1\" id=\"fnref-1-2\" role=\"doc-noteref\" aria-describedby=\"footnote-label\">1</a></sup></p>\n\
         <section class=\"footnotes\" role=\"doc-endnotes\" aria-labelledby=\"footnote-label\">\n\
         <h2 id=\"footnote-label\" class=\"visually-hidden\">Footnotes</h2>\n<ol>\n\
         <li id=\"fn-1\"><p>Two. <a class=\"footnote-back\" href=\"#fnref-1\" role=\"doc-backlink\" \
         aria-label=\"Back to reference 1\">↩\u{fe0e}</a> <a class=\"footnote-back\" href=\"#fnref-1-2\" \
         role=\"doc-backlink\" aria-label=\"Back to reference 1-2\">↩\u{fe0e}<sup>2</sup></a></p></li>\n\
         <li id=\"fn-2\"><p>One<sup><a href=\"#fn-3\" id=\"fnref-3\" role=\"doc-noteref\" \
         aria-describedby=\"footnote-label\">3</a></sup>. <a class=\"footnote-back\" href=\"#fnref-2\" \
         role=\"doc-backlink\" aria-label=\"Back to reference 2\">↩\u{fe0e}</a></p></li>\n\
         <li id=\"fn-3\"><p>Three. <a class=\"footnote-back\" href=\"#fnref-3\" role=\"doc-backlink\" \
         aria-label=\"Back to reference 3\">↩\u{fe0e}</a></p></li>\n</ol>\n</section>\n"
    );
}

#[test]
fn link_in_a_link_is_only_its_text() {
    assert_eq!(html("[a <https://b.example>](c)"), "<p><a href=\"c\">a https://b.example</a></p>\n");
}

#[test]
fn anchors_of_headings_differ_from_those_of_footnotes() {
    assert_balanced(&html("# Fn 1\n\n# Fnref 1\n\n# Footnote label\n\na[^1]\n\n[^1]: b"));
}

#[test]
fn numbers_have_non_breaking_spaces_in_visible_text_only() {
    let text = "## Article 5 & m. 6\n\nUnder Article\n344, *m.\n7* and `Article 5`, on 1\nTemmuz 2024\\\n5 **of** 7\n\n\
                |Law No. 6098|\n|-|\n|No. 5|\n\n![No. 5](a.svg)\n\n```\nm. 5\nArticle\n5\n```\n";
    let forms = to_forms(text, Locale::En, &AsWritten, &AsWritten);
    assert_eq!(
        forms.html.html.replace('\u{a0}', "~"),
        "<hgroup class=\"heading\"><h2 id=\"article-5-and-m-6\">Article~5 &amp; m.~6</h2> <p><a class=\"anchor\" \
         href=\"#article-5-and-m-6\" aria-label=\"Link to this section: Article 5 &amp; m. 6\"><span aria-hidden=\"true\">#\
         </span></a></p></hgroup>\n<p>Under Article~344, <em>m.~7</em> and <code>Article 5</code>, on 1~Temmuz 2024<br>\n5 \
         <strong>of</strong> 7</p>\n<section class=\"table\" tabindex=\"0\" aria-label=\"Table 1\"><table>\n<thead>\n\
         <tr><th scope=\"col\">Law No.~6098</th></tr>\n</thead>\n<tbody>\n<tr><td>No.~5</td></tr>\n</tbody>\n</table>\
         </section>\n<figure><img src=\"a.svg\" alt=\"No. 5\" loading=\"lazy\" decoding=\"async\"></figure>\n\
         <pre tabindex=\"0\" role=\"group\" aria-label=\"Code\"><code>m. 5\nArticle\n5\n</code></pre>\n"
    );
    assert!(!forms.twin.contains('\u{a0}') && !forms.plain.text.contains('\u{a0}'));
    assert_eq!(forms.html.headings[0].text, "Article 5 & m. 6");
}

#[test]
fn ipv6_address_keeps_its_brackets() {
    assert_eq!(
        html("[a](https://[2001:db8::1]:8443/b?c&d) [e](https://a.example/[f])"),
        "<p><a href=\"https://[2001:db8::1]:8443/b?c&amp;d\" rel=\"noopener\">a</a> \
         <a href=\"https://a.example/%5Bf%5D\" rel=\"noopener\">e</a></p>\n"
    );
    assert!(html("[a](<https://[\"onclick=]/>)").contains("href=\"https://%5B%22onclick=%5D/\""));
}

#[test]
fn cell_of_a_table_may_have_several_lines() {
    for tag in ["<br>", "<br/>", "<BR />"] {
        let text = format!("| a | b |\n| --- | --- |\n| one{tag}two | c |\n");
        assert!(html(&text).contains("<td>one<br>two</td>"), "{}", html(&text));
        assert_eq!(crate::survey(&text, Locale::En).raw_html, []);
        assert!(crate::plain(&text).text.contains("one two"));
    }
    assert!(html("one<br>two").contains("&lt;br&gt;"));
}

/// A site whose title names questions.
#[derive(Debug)]
struct Asked;

impl Targets for Asked {
    fn resolve(&self, _: &str) -> Option<String> {
        None
    }

    fn asks_questions(&self) -> bool {
        true
    }
}

#[test]
fn questions_below_their_heading_are_folded() {
    let text = "## Sık sorulan sorular\n\n### Ne zaman?\n\nBir yıl sonra.\n\n- (a) bent?\n\n#### Ayrıntı\n\nİki.\n\n### Kim?\n\nHerkes.[^1]\n\n\
                ### Usul\n\nDava.\n\n### Nerede?\n\nMahkemede.\n\n---\n\nGenel bilgidir.\n\n[^1]: Not.\n";
    let html = to_html(text, Locale::Tr, &Identity).html;
    let is_shown = |line: &&str| line.contains("details") || line.contains("<h") || line.starts_with("<p>");
    let shape: Vec<&str> = html
        .lines()
        .filter(is_shown)
        .filter_map(|line| line.split("<p><a class").next()?.split("<sup").next())
        .collect();
    let shape = shape.join("\n") + "\n";
    assert_eq!(
        shape,
        "<hgroup class=\"heading\"><h2 id=\"sik-sorulan-sorular\">Sık sorulan sorular</h2> \n\
        <details class=\"question\"><summary><h3 id=\"ne-zaman\">Ne zaman?</h3></summary>\n\
        <p>Bir yıl sonra.</p>\n\
        <hgroup class=\"heading\"><h4 id=\"ayrinti\">Ayrıntı</h4> \n\
        <p>İki.</p>\n\
        </details>\n\
        <details class=\"question\"><summary><h3 id=\"kim\">Kim?</h3></summary>\n\
        <p>Herkes.\n\
        </details>\n\
        <hgroup class=\"heading\"><h3 id=\"usul\">Usul</h3> \n\
        <p>Dava.</p>\n\
        <details class=\"question\"><summary><h3 id=\"nerede\">Nerede?</h3></summary>\n\
        <p>Mahkemede.</p>\n\
        </details>\n\
        <hr>\n\
        <p>Genel bilgidir.</p>\n\
        <h2 id=\"footnote-label\" class=\"visually-hidden\">Dipnotlar</h2>\n"
    );
    // The copy in Markdown is the same for every program.
    assert_eq!(to_forms(text, Locale::Tr, &Identity, &Identity).twin, text);
}

#[test]
fn only_questions_of_a_section_of_questions_are_folded() {
    for (text, title, expected) in [
        ("## FAQ\n\n### When?\n\nNow.\n", false, 1),
        ("## Questions & answers\n\n### When?\n\nNow.\n\n### Who?\n\nAll.\n", false, 2),
        ("## SIKÇA SORULAN SORULAR\n\n### Ne zaman?\n\nŞimdi.\n", false, 1),
        ("## Kira artışında sık sorulanlar\n\n### Ne zaman?\n\nŞimdi.\n", false, 1),
        ("## When?\n\nNow.\n\n### How?\n\nSo.\n", true, 1),
        ("Intro.\n\n## When? {#when}\n\nNow.\n\n## Who? \n\nAll.\n", true, 2),
        // Articles whose headings are questions, and headings elsewhere.
        ("## When?\n\nNow.\n\n## Who?\n\nAll.\n", false, 0),
        ("## Changes\n\n### When?\n\nNow.\n", true, 0),
        ("## FAQ\n\n### Terms\n\n#### When?\n\nNow.\n", false, 0),
        ("## FAQ\n\nNow.\n\n## When?\n\nNow.\n", false, 0),
        ("## FAQ\n\n> ### When?\n\n- ### Who?\n\n[^1]: ### Why?\n\nA.[^1]\n", false, 0),
        ("## FAQs of the past\n\n### When?\n", false, 0),
    ] {
        let targets: &dyn Targets = if title { &Asked } else { &Identity };
        let html = to_html(text, Locale::En, targets).html;
        let counts = ["<details class=\"question\">", "</details>"].map(|tag| html.matches(tag).count());
        assert_eq!(counts, [expected; 2], "{text}\n{html}");
    }
}

#[test]
fn words_of_one_letter_and_a_hyphen_stay_whole_in_headings() {
    let html = to_html("## **E-posta** ile E-imza\n\nE-posta.\n", Locale::Tr, &Identity).html;
    let expected = "<h2 id=\"e-posta-ile-e-imza\"><strong><span class=\"nobreak\">E-posta</span></strong> ile \
                    <span class=\"nobreak\">E-imza</span></h2>";
    assert!(html.contains(expected) && html.contains("<p>E-posta.</p>"), "{html}");
}
