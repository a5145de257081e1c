use contract::Locale;

use super::*;

const ROOT: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" \
                    xmlns:svg=\"http://www.w3.org/2000/svg\" \
                    xmlns:inkscape=\"http://www.inkscape.org/namespaces/inkscape\">";

fn of(inside: &str) -> Option<DrawingFault> {
    fault(&drawing(inside))
}

fn drawing(inside: &str) -> String {
    format!("{ROOT}{inside}</svg>")
}

#[test]
fn passive_drawing_is_accepted() {
    for inside in [
        "",
        "<title>A > B</title><!-- <script> --><path d='M0 0'/>",
        "<style>path { fill: url(#g) }</style><linearGradient id=\"g\"/>",
        "<use href=\"#g\"/><use xlink:href='#g'/><image href=\"data:image/png;base64,AA\"/>",
        "<text font-family=\"a\" style=\"fill:red\">one = two</text>",
        "<style><![CDATA[ a > b {} ]]></style>",
        "<style>/* <![CDATA[ */ a > b { fill: url( '#g' ) } /* ]]> */</style>",
        "<style><!-- drawn by hand -->p {}</style>",
        "<g style=\"fill: url(&quot;#g&quot;)\" fill='url( &apos;#g&apos;)'/><g style='fill: url(&#34;#g&#x22;)'/>",
        "<style>p { fill: url(&#039;#g&#x27;) }</style>",
        "<title>&#304;&#x15F; &#38; &#10;&amp; a&#45;&gt;b C:\\d</title>",
        "<metadata><r:RDF xmlns:r=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\"><r:li r:about=\"\"/></r:RDF></metadata>",
        "<g xmlns:unused=\"http://www.w3.org/1999/xhtml\" xml:space=\"preserve\"/>",
        "<g inkscape:export-filename=\"C:\\Users\\a.png\" aria-label=\"&#304;&#45;\"/>",
        "<g data-name=\"C:\\Users\\logo\" id='a\\b' aria-label=\"see url(x)\" content=\"@import, image-set(x)\"/>",
        "<linearGradient o:paint=\"solid\" xmlns:o=\"http://www.openswatchbook.org/uri/2009/osb\"/>",
        "<g t:text=\"\\url(x)\" t:href=\"a.tex\" t:onload=\"1\" xmlns:t=\"http://www.iki.example/textext/\"/>",
        "<o:swatch xmlns:o=\"http://www.openswatchbook.org/uri/2009/osb\"/>",
        "<style>p { fill: red }</style><text>\\</text>",
        "<style>p { fill: red }</style><text>C:\\&#65;</text><style>q { fill: red }</style><style/><text>\\</text>",
    ] {
        assert_eq!(of(inside), None, "{inside}");
    }
    for declaration in ["", " encoding=\"UTF-8\"", " encoding='utf-8' standalone=\"no\""] {
        assert_eq!(fault(&format!("<?xml version=\"1.0\"{declaration}?>\n<!-- a -->{}", drawing("<g/>"))), None);
    }
    assert_eq!(fault("<x:svg width='3' xmlns:x='http://www.w3.org/2000/svg'><x:g\n></x:g ></x:svg>\n"), None);
}

#[test]
fn active_drawing_is_refused() {
    for inside in [
        "<script>1</script>",
        "<x:SCRIPT xmlns:x=\"http://www.w3.org/1999/xhtml\">1</x:SCRIPT>",
        "<svg:script>1</svg:script>",
        "<path onload=\"1\"/>",
        "<path d=\"a\" ONLOAD = '1'/>",
        "<path\nonload='1'/>",
        "<foreignObject/>",
        "<a href=\"#x\"/>",
        "<use href=\"javascript:1\"/>",
        "<use href=\"&#106;avascript:1\"/>",
        "<use xlink:href=\"https://other.example/a.svg#x\"/>",
        "<use x:href='a.svg#x' xmlns:x='http://www.w3.org/1999/xlin&#107;'/>",
        "<g xml:base=\"https://other.example/a.svg\"/>",
        "<image href=\"//other.example/a.png\"/>",
        "<image href=\"data:image/svg+xml,x\"/>",
        "<style>@import 'x'</style>",
        "<path style=\"fill:url( 'https://other.example/')\"/>",
        "<set attributeName=\"href\" to=\"javascript:1\"/>",
        "<path style=\"fill:&#117;rl(https://other.example/)\"/>",
        "<path style=\"fill:&#x00075;rl(https://other.example/)\"/>",
        "<path style=\"fill:u\\72l(https://other.example/)\"/>",
        "<path fill=\"&#117;rl(https://other.example/)\"/>",
        "<style>p { fill: u\\72l(https://other.example/) }</style>",
        "<style><![CDATA[p { fill: u\\72l(https://other.example/) }]]></style>",
        "<svg:style>&#64;import 'x'</svg:style>",
        "<style><![CDATA[/*</*/@\\69mport \"//other.example/x.css\";]]></style>",
        "<style><g></g>@\\69mport \"//other.example/x.css\";</style>",
        "<style><!--</style>-->@\\69mport 'x'</style >",
        "<style><![CDATA[</style>]]>@\\69mport 'x'</style>",
        "<style><style></style>@\\69mport 'x'</style>",
        "<style>p{}</style><g/><style>@\\69mport 'x'</style>",
        "<style>@imp<!-- -->ort '//other.example/x.css';</style>",
        "<style>@imp<![CDATA[ort]]> '//other.example/x.css';</style>",
        "<style>@imp<g/>ort '//other.example/x.css';</style>",
        "<style>p { fill: u<!---->rl(//other.example/x) }</style>",
        "<path style=\"fill: url(&quot;a.svg#g&quot;)\"/>",
        "<path style=\"fill: url(&amp;quot;#g)\"/>",
        "<path style=\"fill: url(&quot;&quot;a)\"/>",
        "<style><![CDATA[p { fill: url(&quot;#g) }]]></style>",
        "<style>p { fill: ur<![CDATA[l(&#34;#g)]]> }</style>",
        "<path style=\"cursor: image-set('//other.example/x' 1x)\"/>",
        "<?xml-stylesheet href='x'?>",
    ] {
        assert_eq!(of(inside).unwrap().code, Code::PICTURE_ACTS, "{inside}");
    }
    for text in [
        "<!DOCTYPE svg [<!ENTITY a 'b'>]><svg/>",
        "<?xml-stylesheet href='x'?><svg/>",
        "<?xml\tversion='1.0'?><svg/>",
        "",
        "<html><svg/></html>",
        // A quotation mark in one encoding is half a letter in the other.
        "<?xml version=\"1.0\" encoding=\"ISO-2022-JP\"?><svg/>",
        "<?xml version='1.0'\nencoding = 'utf-7' ?><svg/>",
        "\u{feff}<?xml version=\"1.0\" encoding=\"utf-16\"?><svg/>",
        "<?xml version=\"encoding='utf-8'\" encoding='utf-7' standalone=\"encoding='utf-8'\"?><svg/>",
        "<?xml version='1.0?>' encoding='utf-7'?><svg/>",
        "<svg><rect a=\"\u{1b}$B\"!\u{1b}(B\"/><script>1</script>\u{1b}$B\"!\u{1b}(B></svg>",
        "<svg>\0</svg>",
    ] {
        assert_eq!(fault(text).unwrap().code, Code::PICTURE_ACTS, "{text}");
    }
}

#[test]
fn document_type_is_accepted_only_if_it_is_of_the_w3c_and_declares_nothing() {
    let known = "PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\"";
    let typed = |what: &str| fault(&format!("<?xml version=\"1.0\"?>\n{what}\n{}", drawing("<g/>")));
    assert_eq!(typed(&format!("<!-- drawn --><!DOCTYPE svg {known}>")), None);
    assert_eq!(typed(&format!("<!DOCTYPE svg {} >", known.replace("\" \"", "\"\n  \""))), None);
    let entity = "[<!ENTITY a '&#60;script/>'>]";
    for what in [
        "<!DOCTYPE svg>".to_owned(),
        format!("<!DOCTYPE html {known}>"),
        format!("<!DOCTYPE svg {known} {entity}>"),
        format!("<!DOCTYPE svg {known}{entity}>"),
        format!("<!DOCTYPE svg {entity}>"),
        format!("<!-- <!DOCTYPE svg {known}> --><!DOCTYPE svg {entity}>"),
        format!("<!DOCTYPE svg {known}><!DOCTYPE svg {entity}>"),
        "<!DOCTYPE svg SYSTEM \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">".to_owned(),
        "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"https://other.example/svg11.dtd\">".to_owned(),
        "<!DOCTYPE svg PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">".to_owned(),
    ] {
        let DrawingFault { code, message, .. } = typed(&what).unwrap();
        assert_eq!((code, &message[Locale::En]), (Code::PICTURE_ACTS, "the picture declares a document type"), "{what}");
    }
    // No browser fetches the declarations of the type, so its entities do not exist.
    let text = format!("<!DOCTYPE svg {known}>{}", drawing("&nbsp;"));
    assert!(fault(&text).unwrap().message[Locale::En].contains("unknown entity"));
    let found = fault(&format!("<!DOCTYPE svg {known}>{}", drawing("<script/>"))).unwrap();
    assert_eq!(&found.message[Locale::En], "the picture contains an element `script`");
}

#[test]
fn element_or_attribute_of_a_foreign_namespace_is_refused() {
    let page = "http://www.w3.org/1999/xhtml";
    let hidden = "http://www.w3.org/1999/&#x78;html";
    for inside in [
        format!("<h:meta xmlns:h=\"{page}\" http-equiv=\"refresh\" content=\"0;url=//other.example/\"/>"),
        format!("<g xmlns:q=\"{hidden}\"><q:meta http-equiv=\"refresh\" content=\"0;url=//other.example/\"/></g>"),
        format!("<img xmlns='{page}' srcset=\"//other.example/a.png 1x\" alt=\"\"/>"),
        format!("<g xmlns=\"{hidden}\"><form><button formaction=\"//other.example/\"/></form></g>"),
        format!("<inkscape:x xmlns:inkscape=\"{page}\"/>"),
        "<m:maction xmlns:m=\"http://www.w3.org/1998/Math/MathML\"/>".to_owned(),
        "<xi:include xmlns:xi=\"http://www.w3.org/2001/XInclude\"/>".to_owned(),
        "<x:stylesheet xmlns:x=\"http://www.w3.org/1999/XSL/Transform\"/>".to_owned(),
        "<g m:href=\"#g\" xmlns:m=\"http://www.w3.org/1998/Math/MathML\"/>".to_owned(),
        format!("<g h:style=\"fill: red\" xmlns:h=\"{hidden}\"/>"),
        "<g ev:event=\"load\" xmlns:ev=\"http://www.w3.org/2001/xml-events\"/>".to_owned(),
        "<x:y xmlns:x=\"https://other.example/\"/>".to_owned(),
    ] {
        let DrawingFault { code, message, .. } = of(&inside).unwrap();
        assert!(code == Code::PICTURE_ACTS && message[Locale::En].ends_with("that is not part of SVG"), "{inside}");
    }
}

#[test]
fn drawing_that_browsers_cannot_show_is_reported_with_the_place() {
    let root = "<svg xmlns=\"http://www.w3.org/2000/svg\">";
    let whole = root.replace('>', "/>");
    for (text, place, words) in [
        ("<svg><rect/></svg>".to_owned(), "<svg", "lacks `xmlns=\"http://www.w3.org/2000/svg\"` in its first tag"),
        ("<x:svg xmlns:x='http://www.serif.com/'/>".to_owned(), "<x:svg", "lacks `xmlns:x="),
        (whole.replace("<svg", "<x:svg"), "x", "uses the prefix `x` without `xmlns:x`"),
        (format!("{root}<g>\u{131}<rect></svg>"), "<", "closes `svg`, where `rect` is open"),
        (format!("{root}<G></g></svg>"), "<", "closes `g`, where `G` is open"),
        (format!("{root}<g><rect/>\n"), "", "breaks off"),
        (format!("{root}<path d=\"unclosed</svg>"), "<", "is not well-formed XML: expected '\"' not '<'"),
        (format!("{whole}</svg>"), "<", "is not well-formed XML"),
        (format!("{whole}{whole}"), "<", "is not well-formed XML"),
        (format!("{root}<use xlink:href=\"#g\"/></svg>"), "x", "uses the prefix `xlink` without `xmlns:xlink`"),
        (format!("{root}<path d=\"a\"id=\"b\"/></svg>"), "i", "is not well-formed XML"),
        (format!("{root}\n&nbsp;</svg>"), "&", "is not well-formed XML: unknown entity reference 'nbsp'"),
    ] {
        let found = fault(&text).unwrap();
        let message = &found.message[Locale::En];
        assert!(
            message.strip_prefix("the picture ").is_some_and(|message| message.starts_with(words)),
            "{text}: {message}"
        );
        assert_eq!((&text[found.at], found.code), (place, Code::PICTURE_FORM), "{text}: {message}");
    }
    // An active element takes precedence over the missing namespace.
    assert_eq!(fault("<svg><script>1</script></svg>").unwrap().code, Code::PICTURE_ACTS);
}

#[test]
fn very_many_elements_are_accepted_and_too_many_attributes_or_namespaces_refused() {
    let numbered = |count: usize, form: fn(usize) -> String| (0..count).map(form).collect::<Vec<_>>().concat();
    let attributes = |count| of(&format!("<g{}/>", numbered(count, |at| format!(" a{at}=''"))));
    let namespaces = |count| {
        let open = numbered(count, |at| format!("<g xmlns:a{at}='b'>"));
        of(&[open, "</g>".repeat(count)].concat())
    };
    assert_eq!(of(&["<g>".repeat(50_000), "</g>".repeat(50_000)].concat()), None);
    assert_eq!((attributes(MAX_ATTRIBUTES), namespaces(MAX_NAMESPACES - 4)), (None, None));
    assert!(attributes(MAX_ATTRIBUTES + 1).unwrap().message[Locale::En].contains("attributes"));
    assert!(namespaces(MAX_NAMESPACES + 1).unwrap().message[Locale::En].contains("namespaces"));
}

#[test]
fn very_many_styles_are_accepted() {
    assert_eq!(of(&"<style>p{}</style>".repeat(20_000)), None);
}

#[test]
fn place_of_a_fault_is_the_tag_the_attribute_or_the_word() {
    for (inside, place) in [
        ("<title>İş</title><SCRIPT a='>'>1</SCRIPT>", "<SCRIPT"),
        ("<g>\n<path onload=\"1\"/></g>", "onload=\"1\""),
        ("<style>p{fill:url(#g)} @import 'x'</style>", "@import"),
        ("<g style='fill:url(#g)'/><g style='fill:URL(x)'/>", "URL("),
        ("<style><![CDATA[p{fill:url(#g)} q{fill:url(x)}]]></style>", "url("),
        ("<style>@imp<!-- -->ort 'x'</style>", "<style"),
        ("<g style='fill:&#117;rl(x)'/>", "style='fill:&#117;rl(x)'"),
    ] {
        let DrawingFault { at, message, .. } = of(inside).unwrap();
        assert_eq!(&drawing(inside)[at], place, "{message:?}");
    }
}

#[test]
fn large_logo_is_not_drawn() {
    let drawing = |letters: usize| drawing(&format!("<title>{}</title>", "a".repeat(letters)));
    assert!(drawable(drawing(MAX_DRAWN_BYTES - 1_000).as_bytes()).is_ok());
    assert_eq!(drawable(drawing(MAX_DRAWN_BYTES).as_bytes()).unwrap_err().reason, UndrawnReason::Work);
}
