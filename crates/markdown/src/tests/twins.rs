use contract::Locale;

use super::{Marked, Shelf, goes_on_with_list, to_html, to_twin, trimmed, with_own_labels};

#[test]
fn twins_change_only_destinations() {
    for (text, twin) in [
        ("See [tax](@/practice-areas/tax).", "See [tax](/m/@/practice-areas/tax)."),
        ("[a]( b  \"title\" )", "[a]( /m/b  \"title\" )"),
        ("[a](<b c>)", "[a](</m/b c>)"),
        (r"[a\]b](c\)d)", r"[a\]b](/m/c\)d)"),
        ("[![alt](a.svg 't')](b)", "[![alt](/m/a.svg 't')](/m/b)"),
        ("[*a* `b](x)` c](d)", "[*a* `b](x)` c](/m/d)"),
        ("[a][b]\n\n[b]: /c 'd'", "[a][b]\n\n[b]: /m//c 'd'"),
        ("[a][B]\n\n> [b]:\n> </c d>", "[a][B]\n\n> [b]:\n> </m//c d>"),
        ("<https://a.example>", "<https://a.example>"),
        ("`[a](b)`\n\n    [a](b)", "`[a](b)`\n\n    [a](b)"),
        ("x[^1]\n\n[^1]: See [a](b).", "x[^1]\n\n[^1]: See [a](/m/b)."),
        ("|a|\n|-|\n|[x](y\\|z)|", "|a|\n|-|\n|[x](/m/y\\|z)|"),
        ("[a](b&amp;c)", "[a](/m/b&c)"),
        ("> [a](\n> b)", "> [a](\n> /m/b)"),
        ("[a]()", "[a](/m/)"),
        ("İş [ğ](ş#ö)", "İş [ğ](/m/ş#ö)"),
        ("An [*anonim* şirket](lang:tr), a [b](c).", "An *anonim* şirket, a [b](/m/c)."),
        ("> [Hello \\] `]` ![alt](a.svg)](lang:en)", "> Hello \\] `]` ![alt](/m/a.svg)"),
        ("[Satz][x]\n\n[x]: lang:de", "Satz\n\n[x]: lang:de"),
        ("<lang:tr>", "<lang:tr>"),
        ("[![Çizelge][]](lang:tr) a\n\n[Çizelge]: a.svg", "![Çizelge][] a\n\n[Çizelge]: /m/a.svg"),
        ("[![alt][]](b)\n\n[alt]: a.svg", "[![alt][]](/m/b)\n\n[alt]: /m/a.svg"),
        ("[Satz][] a\n\n[Satz]: lang:de", "Satz a\n\n[Satz]: lang:de"),
    ] {
        assert_eq!(to_twin(text, Locale::En, &Marked), twin);
    }
}

#[test]
fn link_to_a_document_shows_type_and_size_on_the_page_and_in_the_twin() {
    for (text, twin, html) in [
        (
            "The [*short* form](form.pdf \"2026\"), [here](a.svg).",
            "The [*short* form](/files/form.pdf \"2026\") (PDF, 1,2 MB), [here](a.svg).",
            "<p>The <a href=\"/files/form.pdf\" title=\"2026\"><em>short</em> form <span class=\"document nobreak\">(PDF, 1,2 MB)</span></a>, \
             <a href=\"a.svg\">here</a>.</p>\n",
        ),
        (
            "[form][]s\n\n[form]: form.pdf",
            "[form][] (PDF, 1,2 MB)s\n\n[form]: /files/form.pdf",
            "<p><a href=\"/files/form.pdf\">form <span class=\"document nobreak\">(PDF, 1,2 MB)</span></a>s</p>\n",
        ),
    ] {
        assert_eq!(to_twin(text, Locale::En, &Shelf), twin);
        assert_eq!(to_html(text, Locale::En, &Shelf).html, html);
    }
}

#[test]
fn labels_are_prefixed_with_their_owner_and_all_else_stays() {
    for (text, joined) in [
        ("a[^1] b[^n]\n\n[^1]: c\n\n[^N]: d\n    e", "a[^3-1] b[^3-n]\n\n[^3-1]: c\n\n[^3-N]: d\n    e"),
        ("[a][b] ![c][ b]\n\n[b]: /d 'e'", "[a][3-b] ![c][ 3-b]\n\n[3-b]: /d 'e'"),
        (
            "[*b*][] ![b] [B], [sic]\n\n> [b]: /d\n\n[*b*]: <e>",
            "[*b*][3-*b*] ![b][3-b] [B][3-B], [sic]\n\n> [3-b]: /d\n\n[3-*b*]: <e>",
        ),
        ("|a|\n|-|\n|[b] x[^1]|\n\n[b]: /d\n[^1]: e", "|a|\n|-|\n|[b][3-b] x[^3-1]|\n\n[3-b]: /d\n[^3-1]: e"),
        ("[![a]][b]\n\n[a]: a.svg\n[b]: /b\n[b]: /b", "[![a][3-a]][3-b]\n\n[3-a]: a.svg\n[3-b]: /b\n[3-b]: /b"),
        (
            "`[^1]` [^1]\n\n```\n[^1]: a\n[b]: /c\n```\n\n[^1]: d",
            "`[^1]` [^3-1]\n\n```\n[^1]: a\n[b]: /c\n```\n\n[^3-1]: d",
        ),
        ("[![a][]][b] [![b][]][]\n\n[a]: a.svg\n[b]: /b", "[![a][3-a]][3-b] [![b][3-b]][]\n\n[3-a]: a.svg\n[3-b]: /b"),
        ("[ Law ] [ Law\t][]\n\n[law]: /d", "[ Law ][3-Law] [ Law\t][3-Law]\n\n[3-law]: /d"),
        ("[a](b) <https://c.example> [d]: e", "[a](b) <https://c.example> [d]: e"),
    ] {
        assert_eq!(with_own_labels(text, "3-"), joined);
    }
}

#[test]
fn texts_that_would_continue_a_list_are_recognized() {
    for text in ["- a", "\n\n  - a", "-\n  a", "    a", "\n\ta", "- - -"] {
        assert!(goes_on_with_list(text), "{text}");
    }
    for text in ["", "a\n- b", "* a", "1. a", "-a", "---", "**a**"] {
        assert!(!goes_on_with_list(text), "{text}");
    }
    assert_eq!(trimmed("\n \n    a\n\n    b \n\n"), "    a\n\n    b");
    assert_eq!(trimmed(" \n\t"), "");
}
