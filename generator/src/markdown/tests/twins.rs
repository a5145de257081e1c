use super::{Marked, to_twin};

#[test]
fn only_destinations_change() {
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
    ] {
        assert_eq!(to_twin(text, &Marked), twin);
    }
}
