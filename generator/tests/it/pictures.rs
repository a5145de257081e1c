//! Pictures of the firm of the tests: the findings about them and where pages show them.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
};

use contract::Locale;
use render::{Job, Renderer, Theme};

use crate::content::{self, Content};

/// Returns only the beginning and the end of a PNG of that size: the check reads no more.
fn png(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR".to_vec();
    bytes.extend(width.to_be_bytes());
    bytes.extend(height.to_be_bytes());
    bytes.extend([8, 2, 0, 0, 0]);
    bytes.extend(*b"crc.\0\0\0\0IENDcrc.");
    bytes
}

#[test]
fn share_picture_is_named_on_every_page_with_its_size() {
    let content = Content::firm();
    fs::remove_file(content.0.path().join("share.png")).unwrap();
    let missing = content.load().unwrap_err().to_text(Locale::En, false);
    assert!(missing.contains("there is no picture `share.png` beside site.toml"), "{missing}");
    // A misplaced or misspelt setting causes that finding and no other.
    for (old, new) in
        [("[firm]", "share_picture = \"share.png\"\n\n[firm]"), ("[firm]", "[firm]\nog_image = \"share.png\"")]
    {
        let content =
            Content::firm().with("site.toml", "share_picture = \"share.png\"\n", "").with("site.toml", old, new);
        let report = content.load().unwrap_err().to_text(Locale::En, false);
        assert!(report.contains("error[E0107]") && report.contains("1 error in"), "{report}");
    }

    let files = Content::firm().render();
    for page in ["index.html", "en.html", "en/about.html", "tr/iletisim.html"] {
        let page = &files[page];
        let start = page.find("<meta property=\"og:image\" content=\"https://ornek.example/assets/share.").unwrap();
        assert!(page[start..].lines().next().unwrap().ends_with(".png\">"), "{page}");
        assert!(page.contains("<meta property=\"og:image:width\" content=\"1200\">"), "{page}");
        assert!(page.contains("<meta property=\"og:image:height\" content=\"630\">"), "{page}");
    }
}

/// Returns the firm without a share picture, so that one is drawn for each page.
fn drawing_firm() -> Content {
    Content::firm().with("site.toml", "share_picture = \"share.png\"\n", "")
}

/// Returns every page, and the first `drawn` share pictures, by their paths below `dist/`.
fn pages_and_pictures(content: &Content, drawn: usize) -> (BTreeMap<String, String>, BTreeMap<String, Vec<u8>>) {
    let site = content.load().map_err(|findings| findings.to_text(Locale::En, false)).unwrap().site;
    let theme = Theme::built_in().unwrap();
    let renderer = Renderer::new(&site, &theme);
    let plan = renderer.plan().unwrap();
    let of = |is_wanted: fn(&Job) -> bool, most: usize| {
        let jobs = plan.jobs().into_iter().filter(is_wanted).take(most);
        jobs.flat_map(|job| plan.render_alone(job).unwrap().files)
            .map(|file| (file.path, file.bytes))
            .collect::<Vec<_>>()
    };
    let pages = of(|job| matches!(job, Job::Page(_)), usize::MAX).into_iter();
    // Files below `.parts` replace pages and name the same pictures.
    let pages = pages.filter(|(path, _)| !path.starts_with(".parts/"));
    let pages = pages.map(|(path, bytes)| (path, String::from_utf8(bytes).unwrap())).collect();
    (pages, of(|job| matches!(job, Job::SharePicture(_)), drawn).into_iter().collect())
}

/// Returns whether a pixel is ink.
fn is_dark(picture: &image::RgbImage, x: u32, y: u32) -> bool {
    picture.get_pixel(x, y).0[0] < 0x40
}

/// Returns the path of the share picture of a page, below `dist/`.
fn shared_by(page: &str) -> &str {
    page.split("<meta property=\"og:image\" content=\"https://ornek.example/")
        .nth(1)
        .unwrap()
        .split('"')
        .next()
        .unwrap()
}

#[test]
fn share_picture_is_drawn_for_each_shareable_page() {
    let (pages, pictures) = pages_and_pictures(&drawing_firm(), usize::MAX);
    let html = pages.iter().filter(|(path, _)| path.ends_with(".html") && !path.ends_with("404.html"));
    let named: BTreeSet<&str> = html.clone().map(|(_, page)| shared_by(page)).collect();
    assert!(pictures.keys().map(String::as_str).eq(named.iter().copied()));
    let rarely =
        ["privacy-notice", "aydinlatma-metni", "legal-notice", "yasal-uyari", "accessibility", "erisilebilirlik"];
    let (of_home, own): (Vec<_>, Vec<_>) = html.partition(|(path, _)| {
        let name = path.trim_end_matches(".html").rsplit('/').next().unwrap();
        rarely.contains(&name) || name.parse::<u16>().is_ok()
    });
    assert_eq!(named.len(), own.len(), "no two others share one");
    assert_eq!(of_home.len(), rarely.len() + 4, "and two years in two languages");
    for (path, page) in of_home {
        let home = &pages[&format!("{}.html", &path[..2])];
        assert_eq!(shared_by(page), shared_by(home), "{path}");
        let alt = |page: &str| page.split("og:image:alt\" content=").nth(1).unwrap().lines().next().unwrap().to_owned();
        assert_eq!(alt(page), alt(home), "{path}: it describes the picture");
    }
    assert!(!pages["404.html"].contains("og:image"));

    let page = &pages["tr/yayinlar/tarhiyat-oncesi-uzlasma.html"];
    assert!(page.contains("<meta name=\"twitter:card\" content=\"summary_large_image\">"), "{page}");
    assert!(page.contains("<meta property=\"og:image:alt\" content=\"Tarhiyat öncesi uzlaşma\">"), "{page}");
    let bytes = &pictures[shared_by(page)];
    assert!(bytes.len() < 60_000, "{}", bytes.len());
    let picture = image::load_from_memory(bytes).unwrap().to_rgb8();
    assert_eq!(picture.dimensions(), (1200, 630));
    // The ground, the accent line, and the title in ink.
    assert_eq!(picture.get_pixel(20, 300).0, [0xfb, 0xfa, 0xf7]);
    assert_eq!(picture.get_pixel(20, 4).0, [0x1f, 0x3a, 0x5f]);
    assert!((190..500).any(|y| (80..1120).any(|x| is_dark(&picture, x, y))), "the title is drawn");
    assert!((190..500).all(|y| (0..70).chain(1130..1200).all(|x| !is_dark(&picture, x, y))), "it stays in its column");
    // A second build draws the same bytes.
    assert_eq!(pages_and_pictures(&drawing_firm(), 3).1.iter().find(|(path, bytes)| pictures[*path] != **bytes), None);
}

#[test]
fn share_picture_name_changes_with_its_text_only() {
    let article = "publications/tax-settlement/en.md";
    let path = |content: &Content| {
        shared_by(&pages_and_pictures(content, 0).0["en/publications/settlement-before-assessment.html"]).to_owned()
    };
    let before = path(&drawing_firm());
    assert_eq!(path(&drawing_firm().with(article, "The taxpayer may ask", "A taxpayer may ask")), before);
    assert_ne!(path(&drawing_firm().with(article, "title: ", "title: About ")), before);
    let red = drawing_firm().with("site.toml", "[firm]", "[theme.light]\naccent = \"#5a1f1f\"\n\n[firm]");
    assert_ne!(path(&red), before);
}

#[test]
fn share_picture_of_any_title_fits_its_edges() {
    let long = "Uzun ".repeat(30);
    let word = "Muvaffakiyetsizleştiricileştiriveremeyebileceklerimizdenmişsinizcesine";
    for title in [long.trim(), word, "合同法", "A & B’s ]]>"] {
        let content = drawing_firm().with("pages/about/en.md", "title: About", &format!("title: \"{title}\""));
        let (pages, pictures) = pages_and_pictures(&content, usize::MAX);
        let picture = image::load_from_memory(&pictures[shared_by(&pages["en/about.html"])]).unwrap().to_rgb8();
        assert!((190..500).any(|y| (80..1120).any(|x| is_dark(&picture, x, y))), "{title}");
        assert!((12..630).all(|y| (1130..1200).all(|x| !is_dark(&picture, x, y))), "{title}");
    }
}

#[test]
fn icons_are_served_at_the_usual_addresses() {
    let outputs = Content::firm().outputs(&content::templates()).into_iter();
    let files: BTreeMap<String, Vec<u8>> =
        outputs.flat_map(|output| output.files).map(|file| (file.path, file.bytes)).collect();
    let ico = image::load_from_memory(&files["favicon.ico"]).unwrap();
    assert_eq!((ico.width(), ico.height()), (48, 48), "the largest of three");
    assert_eq!(files["favicon.ico"][4], 3);
    let touch = image::load_from_memory(&files["apple-touch-icon.png"]).unwrap().to_rgba8();
    assert_eq!(touch.dimensions(), (180, 180));
    assert!(touch.pixels().all(|pixel| pixel.0[3] == 255), "no part of it is transparent");
    assert_eq!(touch.get_pixel(90, 20).0[..3], [0x1f, 0x3a, 0x5f]);
}

#[test]
fn picture_with_too_many_pixels_is_refused_before_decoding() {
    let words = "The taxpayer may ask for settlement.";
    let content = Content::firm().with("publications/tax-settlement/en.md", words, "![It](a.png)");
    fs::write(content.0.path().join("publications/tax-settlement/a.png"), png(30_000, 30_000)).unwrap();
    let report = content.load().unwrap_err().to_text(Locale::En, false);
    assert!(report.contains("the picture has 900 million pixels; the limit is 64 million"), "{report}");
    assert!(report.contains("--> ") && report.contains("tax-settlement/a.png"), "{report}");
}

#[test]
fn picture_in_a_network_text_is_shown_wherever_the_text_is() {
    let file = "network/keller-brandt/en.md";
    let words = "Matters under German law.";
    let content = Content::firm().with(file, words, "Germany: ![The courts](a.svg) and [the drawing](a.svg).");
    let drawing = r#"<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"/>"#;
    fs::write(content.0.path().join("network/keller-brandt/a.svg"), drawing).unwrap();
    let files = content.render();
    let page = &files["en/global-network.html"];
    assert!(page.contains("<img src=\"/assets/a.") && page.contains("<a href=\"/assets/a."), "{page}");
    assert!(page.contains("width=\"4\" height=\"2\""), "{page}");
    let answer = files.iter().find(|(path, text)| path.starts_with(".parts/mcp") && text.contains("![The courts]"));
    for text in [&files["en/global-network.md"], answer.unwrap().1] {
        assert!(text.contains("![The courts](https://ornek.example/assets/a.") && !text.contains("(a.svg)"), "{text}");
    }
}

#[test]
fn drawing_with_dark_mode_is_recognized() {
    let words = "The taxpayer may ask for settlement.";
    let content =
        Content::firm().with("publications/tax-settlement/en.md", words, "Drawn:\n\n![Both](a.svg)\n\n![One](b.svg)");
    let style = "<style>@media (prefers-color-scheme: dark) { path { fill: #fff } }</style>";
    for (name, style) in [("a.svg", style), ("b.svg", "")] {
        let drawing = format!("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"4\" height=\"2\">{style}</svg>");
        fs::write(content.0.path().join("publications/tax-settlement").join(name), drawing).unwrap();
    }
    let page = &content.render()["en/publications/settlement-before-assessment.html"];
    let tags: Vec<_> = page.split("<img ").filter(|tag| tag.contains("width=\"4\"")).collect();
    assert_eq!(tags.len(), 2, "{page}");
    for (tag, name) in tags.into_iter().zip(["a.", "b."]) {
        let (tag, _) = tag.split_once('>').unwrap();
        assert!(tag.contains(&format!("/assets/{name}")), "{tag}");
        assert_eq!(tag.contains("class=\"adapts\""), name == "a.", "{tag}");
    }
}

#[test]
fn picture_name_with_a_space_is_accepted_in_every_spelling() {
    let file = "publications/tax-settlement/en.md";
    let words = "The taxpayer may ask for settlement.";
    let drawing = r#"<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"/>"#;
    let with = |text: &str| {
        let content = Content::firm().with(file, words, text);
        fs::write(content.0.path().join("publications/tax-settlement/the course.svg"), drawing).unwrap();
        content
    };
    for text in ["See ![it](the%20course.svg).", "See ![it](<the course.svg>)."] {
        let files = with(text).render();
        assert!(
            files["en/publications/settlement-before-assessment.html"].contains("src=\"/assets/the-course."),
            "{text}"
        );
        let twin = &files["en/publications/settlement-before-assessment.md"];
        assert!(twin.contains("(https://ornek.example/assets/the-course.") || twin.contains("(<https://"), "{twin}");
    }
    let near = with("![It](the%20curse.svg)").load().unwrap_err().to_text(Locale::En, false);
    assert!(near.contains("did you mean `the%20course.svg`?"), "{near}");
    let slip = with("![It](the course.svg)").load().unwrap_err().to_text(Locale::En, false);
    assert!(slip.contains("error[E0307]") && slip.contains("write `<the course.svg>`"), "{slip}");
    assert!(!slip.contains("W0602"), "{slip}");
}

#[test]
fn query_or_fragment_ends_a_picture_name_in_check_and_page() {
    let file = "publications/tax-settlement/en.md";
    let words = "The taxpayer may ask for settlement.";
    let drawing = r#"<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"/>"#;
    let with = |name: &str, text: &str| {
        let content = Content::firm().with(file, words, text);
        fs::write(content.0.path().join("publications/tax-settlement").join(name), drawing).unwrap();
        content
    };
    let report = with("chart#2.svg", "See ![it](chart#2.svg).").load().unwrap_err().to_text(Locale::En, false);
    assert!(report.contains("error[E0309]") && report.contains("did you mean `chart%232.svg`?"), "{report}");
    assert!(!report.contains("W0602"), "{report}");
    for (name, text, source) in [
        ("chart#2.svg", "See ![it](chart%232.svg).", "<img src=\"/assets/chart-2."),
        ("a.svg", "See [it](a.svg#view).", "<a href=\"/assets/a."),
        ("a.svg", "See ![it](a.svg#view).", "<img src=\"/assets/a."),
    ] {
        let page = &with(name, text).render()["en/publications/settlement-before-assessment.html"];
        let (_, rest) = page.split_once(source).unwrap_or_else(|| panic!("{text}: {page}"));
        assert!(rest.split('"').next().unwrap().ends_with(text.rsplit_once(".svg").unwrap().1.trim_end_matches(").")));
        assert!(!text.contains('!') || page.contains("width=\"4\" height=\"2\""), "{text}");
    }
    let report = with("a.svg", "See [it](b.svg#view).").load().unwrap_err().to_text(Locale::En, false);
    assert!(report.contains("there is no file `b.svg`") && report.contains("did you mean `a.svg`?"), "{report}");
}

#[test]
fn picture_of_content_and_theme_is_one_route() {
    let content = Content::firm().with("site.toml", "logo = \"logo.svg\"", "logo = \"favicon.svg\"");
    let templates = tempfile::tempdir().unwrap();
    let theirs = content::templates();
    crate::folder::copy(&theirs, templates.path());
    let icon = theirs.join("assets/icons/favicon.svg");
    for folder in [content.0.path().to_owned(), templates.path().join("assets")] {
        fs::copy(&icon, folder.join("favicon.svg")).unwrap();
    }
    fs::remove_file(content.0.path().join("logo.svg")).unwrap();
    let outputs = content.outputs(templates.path()).into_iter();
    let paths: Vec<String> = outputs.flat_map(|output| output.routes).map(|route| route.path).collect();
    assert_eq!(paths.iter().filter(|path| path.starts_with("/assets/favicon.")).count(), 1);
    assert_eq!(paths.iter().filter(|path| path.starts_with("/assets/icons/favicon.")).count(), 1);
}
