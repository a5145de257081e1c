//! HTML pages and their Markdown twins: negotiation, links between them, redirects, unknown paths.

use contract::manifest::{Axis, Class};
use tests::{Firm as _, Service, demonstration, files_below, fixture, is_search, repository};

fn media_type(service: &Service, target: &str, accept: &[&str]) -> (u16, String) {
    let reply = service.get(target, accept);
    (reply.status, reply.header("content-type").unwrap_or_default().split(';').next().unwrap().to_owned())
}

/// Returns the paths of all pages of the fixture firm.
fn pages(service: &Service) -> Vec<String> {
    let routes = service.firm.manifest().routes;
    let pages = routes.into_iter().filter(|route| route.class == Class::Page);
    pages.inspect(|route| assert_eq!(route.axis, Some(Axis::Accept))).map(|route| route.path).collect()
}

#[test]
fn markdown_of_a_page_is_open_to_scripts_at_both_addresses() {
    let service = fixture();
    for locale in ["en", "tr"] {
        let twin = service.get(&format!("/{locale}.md"), &[]);
        let negotiated = service.get(&format!("/{locale}"), &["Accept: text/markdown"]);
        assert_eq!(twin.body, negotiated.body);
        for reply in [twin, negotiated] {
            assert_eq!(reply.header("access-control-allow-origin"), Some("*"), "{locale}");
        }
        assert_eq!(service.get(&format!("/{locale}"), &[]).header("access-control-allow-origin"), None);
    }
}

#[test]
fn page_is_html_unless_markdown_is_named() {
    let service = fixture();
    // The unit tests of the negotiation cover every form of the field.
    let table: &[(&[&str], u16, &str)] = &[
        (&[], 200, "text/html"),
        (&["Accept:"], 200, "text/html"),
        (&["Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"], 200, "text/html"),
        (&["Accept: text/markdown, text/html, */*"], 200, "text/markdown"),
        (&["Accept: text/html;q=0.9", "Accept: text/markdown"], 200, "text/markdown"),
        (&["Accept: text/html;q=0, text/markdown;q=0"], 406, "text/plain"),
    ];
    for (accept, status, expected) in table {
        assert_eq!(media_type(&service, "/en/about", accept), (*status, (*expected).to_owned()), "{accept:?}");
    }
}

#[test]
fn page_names_its_newer_translation() {
    let (en, tr) = ("/en/publications/remote-work-agreements", "/tr/yayinlar/uzaktan-calisma-sozlesmesi");
    let service = tests::build_with_stale(&tests::content_of("firm"), &["publications/remote-work/tr.md"]).serve();
    let text = |path: &str| service.get(path, &[]).text();
    let link = format!("<a href=\"{en}\" hreflang=\"en\">İngilizce metni okuyun</a>");
    assert!(text(tr).contains(&link), "{}", text(tr));
    let twin = text(&format!("{tr}.md"));
    let field = format!("translation:\n  of: \"{}{en}\"\n  stale: true\n---\n", tests::SITE_URL);
    assert!(twin.contains(&field), "{twin}");
    assert!(
        twin.contains(&format!("\n\n> **Bu sayfanın İngilizce metni daha yenidir.** {}{en}\n\n# ", tests::SITE_URL))
    );
    let newer = format!(" (İngilizce metin daha yenidir: {}{en}.md)\n", tests::SITE_URL);
    assert!(text("/tr/llms.txt").contains(&newer), "{}", text("/tr/llms.txt"));
    assert!(text("/tr/llms-full.txt").contains(&format!("\nnewer_translation: <{}{en}>\n", tests::SITE_URL)));
    // The newer text, and other pages, are as before.
    let usual = fixture();
    for path in [en, "/tr/hakkimizda", "/en/llms.txt", "/tr"] {
        assert_eq!(text(path), usual.get(path, &[]).text(), "{path}");
    }
}

#[test]
fn every_page_and_its_twin_link_to_each_other() {
    let service = fixture();
    let pages = pages(&service);
    assert!(pages.len() > 40, "{}", pages.len());
    for path in pages {
        let twin_path = if path == "/" { "/index.md".to_owned() } else { format!("{path}.md") };
        let html = service.get(&path, &[]);
        let negotiated = service.get(&path, &["Accept: text/markdown"]);
        let twin = service.get(&twin_path, &["Accept: text/html"]);
        assert_eq!((html.status, negotiated.status, twin.status), (200, 200, 200), "{path}");
        assert_eq!(negotiated.body, twin.body, "{path}");
        assert_ne!(html.header("etag"), negotiated.header("etag"));
        assert!(html.header("vary").unwrap().contains("Accept"));
        assert!(!twin.header("vary").unwrap_or_default().split(", ").any(|name| name == "Accept"));
        let (page_link, twin_link) = (html.header("link").unwrap(), twin.header("link").unwrap());
        let address = |path: &str| {
            if path == "/" { format!("{}/", tests::SITE_URL) } else { format!("{}{path}", tests::SITE_URL) }
        };
        assert!(page_link.contains(&format!("<{}>; rel=\"alternate\"; type=\"text/markdown\"", address(&twin_path))));
        assert!(twin_link.starts_with(&format!("<{}>; rel=\"canonical\"", address(&path))), "{twin_link}");
        assert_eq!(negotiated.header("link"), Some(twin_link), "{path}");
        // Both variants have the same links for programs.
        for relation in ["api-catalog", "service-desc", "service-doc", "describedby", "ai-catalog"] {
            assert!(page_link.contains(&format!("; rel=\"{relation}\"")), "{relation} of {path}: {page_link}");
        }
        assert_eq!(page_link.split_once(", ").unwrap().1, twin_link.split_once(", ").unwrap().1, "{path}");
        assert_eq!(html.header("content-location"), Some(path.as_str()));
        assert_eq!(negotiated.header("content-location"), Some(twin_path.as_str()));
        let tokens: usize = twin.header("x-markdown-tokens").unwrap().parse().unwrap();
        assert!(tokens > twin.text().chars().count() / 6, "{tokens} tokens of {twin_path}");
        for readable in [&twin, &negotiated] {
            assert_eq!(readable.header("access-control-allow-origin"), Some("*"), "{twin_path}");
        }
        assert_eq!(twin.header("x-robots-tag"), Some("noindex"));
    }
}

#[test]
fn page_of_a_category_begins_with_its_articles_and_so_does_its_twin() {
    let service = demonstration();
    for (path, article, category) in [
        ("/en/publications/tax", "/en/publications/withholding-tax-on-dividends", "Tax"),
        ("/tr/yayinlar/vergi-hukuku", "/tr/yayinlar/kar-paylarinda-stopaj", "Vergi hukuku"),
    ] {
        let html = service.get(path, &[]).text();
        assert!(html.find(article).unwrap() < html.find("class=\"archives\"").unwrap(), "{path}");
        let twin = service.get(&format!("{path}.md"), &[]).text();
        let (list, _) = twin.split_once("\n## ").unwrap();
        let line = list.lines().find(|line| line.contains(article)).unwrap();
        assert!(line.contains(&format!("· {category} · Çağrı Ünlü)")), "{line}");
    }
}

#[test]
fn twin_is_self_contained_markdown() {
    let service = demonstration();
    let manifest = service.firm.manifest();
    let listed = |path: &str| !is_search(&manifest, path);
    for route in manifest.routes.iter().filter(|route| route.class == Class::Twin && listed(&route.path)) {
        let text = service.get(&route.path, &[]).text();
        let (front, body) = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n")).unwrap();
        for field in ["title: \"", "description: \"", "canonical_url: \"https://", "lang: "] {
            assert!(front.lines().any(|line| line.starts_with(field)), "{field} of {}", route.path);
        }
        let mut in_code = false;
        let mut titles = 0;
        for line in body.lines() {
            in_code ^= line.starts_with("```");
            titles += usize::from(!in_code && line.starts_with("# "));
            assert!(in_code || (!line.contains("](/") && !line.contains("](@")), "{}: {line}", route.path);
            assert!(in_code || !line.contains("<div") && !line.contains("</"), "{}: {line}", route.path);
        }
        assert_eq!(titles, 1, "{} has one title", route.path);
        assert!(body.contains("/llms.txt"), "{} points to the overview", route.path);
        assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{} ends with one line end", route.path);
    }
}

#[test]
fn page_names_its_languages_in_both_directions() {
    let service = demonstration();
    let alternates = |path: &str| -> Vec<(String, String)> {
        let html = service.get(path, &[]).text();
        html.lines()
            .filter_map(|line| line.strip_prefix("<link rel=\"alternate\" hreflang=\""))
            .filter_map(|rest| rest.split_once("\" href=\""))
            .map(|(language, rest)| (language.to_owned(), rest.trim_end_matches("\">").to_owned()))
            .collect()
    };
    let manifest = service.firm.manifest();
    let listed = |path: &str| !is_search(&manifest, path);
    for route in manifest.routes.iter().filter(|route| route.class == Class::Page && listed(&route.path)) {
        let own = alternates(&route.path);
        assert!(own.iter().any(|(language, _)| language == "x-default"), "{}", route.path);
        for (language, url) in own.iter().filter(|(language, _)| language != "x-default") {
            let path = url.strip_prefix(tests::SITE_URL).unwrap();
            assert!(path.starts_with(&format!("/{language}")), "{url}");
            let theirs = alternates(path);
            if route.path != "/" {
                assert_eq!(theirs, own, "{path} and {} agree", route.path);
            }
        }
    }
}

#[test]
fn pages_have_a_strict_policy_and_load_nothing_from_other_hosts() {
    let service = fixture();
    for path in pages(&service) {
        let reply = service.get(&path, &[]);
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe") && !policy.contains('*'));
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert!(reply.header("referrer-policy").is_some());
        assert!(reply.header("set-cookie").is_none());
        assert!(reply.header("access-control-allow-origin").is_none());
        let html = reply.text();
        for needle in ["<script src", "<script>", " style=\"", " onclick", "<iframe"] {
            assert!(!html.contains(needle), "{path} has {needle}");
        }
        for source in html.split(" src=\"").skip(1) {
            assert!(source.starts_with('/'), "{path} loads {}", source.split('"').next().unwrap());
        }
    }
}

#[test]
fn svg_at_its_own_address_is_sandboxed() {
    let service = fixture();
    let home = service.get("/en", &[]).text();
    let drawing = home.split('"').find(|part| part.starts_with("/assets/") && part.ends_with(".svg")).unwrap();
    let reply = service.get(drawing, &[]);
    assert_eq!(reply.header("content-type"), Some("image/svg+xml"));
    let policy: Vec<&str> = reply.header("content-security-policy").unwrap().split("; ").collect();
    // Security: `sandbox` also prevents navigation by `meta` in XHTML.
    for rule in ["default-src 'none'", "form-action 'none'", "frame-ancestors 'none'", "sandbox"] {
        assert!(policy.contains(&rule), "{policy:?} lacks {rule}");
    }
}

#[test]
fn foreign_and_former_slugs_redirect_to_the_page() {
    let service = demonstration();
    let redirects = service.firm.manifest().redirects;
    assert!(redirects.len() > 50);
    for redirect in redirects {
        let reply = service.get(&format!("{}?x=1", redirect.from), &[]);
        assert_eq!(reply.status, 308, "{}", redirect.from);
        assert_eq!(reply.header("location"), Some(format!("{}?x=1", redirect.to).as_str()));
        assert_eq!(service.get(&redirect.to, &[]).status, 200);
    }
    for (from, to) in [
        ("/tr/about", "/tr/hakkimizda"),
        ("/tr/practice-areas/tax", "/tr/calisma-alanlari/vergi-hukuku"),
        ("/tr/calisma-alanlari/tax", "/tr/calisma-alanlari/vergi-hukuku"),
        ("/en/calisma-alanlari/tax", "/en/practice-areas/tax"),
        ("/en/yayinlar/2025", "/en/publications/2025"),
        ("/en/publications/fikri-mulkiyet", "/en/publications/intellectual-property"),
        ("/tr/yayinlar/teleworking-agreements", "/tr/yayinlar/uzaktan-calisma-sozlesmesi"),
        ("/tr/publications/tele-calisma-sozlesmeleri", "/tr/yayinlar/uzaktan-calisma-sozlesmesi"),
        ("/en/publications/tele-calisma-sozlesmeleri", "/en/publications/remote-work-agreements"),
        ("/en/yayinlar/teleworking-agreements", "/en/publications/remote-work-agreements"),
        ("/en/yayinlar/founders-agreements", "/en/publications/founders-agreements"),
    ] {
        assert_eq!(service.get(from, &[]).header("location"), Some(to), "{from}");
        let (from, to) = (format!("{from}.md"), format!("{to}.md"));
        assert_eq!(service.get(&from, &[]).header("location"), Some(to.as_str()), "{from}");
    }
}

#[test]
fn unknown_path_is_a_negotiated_page_in_its_language() {
    let service = fixture();
    for (path, language) in
        [("/nothing", "en"), ("/en/nothing", "en"), ("/tr/yok", "tr"), ("/tr/ekip/yok", "tr"), ("/trx", "en")]
    {
        let html = service.get(path, &["Accept: text/html"]);
        assert_eq!(html.status, 404, "{path}");
        assert_eq!(html.header("content-language"), Some(language), "{path}");
        assert_eq!(html.header("cache-control"), Some("no-store"));
        assert!(html.text().contains(&format!("<html lang=\"{language}\">")));
        let markdown = service.get(path, &["Accept: text/markdown"]);
        assert_eq!(markdown.status, 404);
        assert_eq!(markdown.header("content-type"), Some("text/markdown; charset=utf-8"));
    }
}

#[test]
fn assets_are_immutable_and_named_by_their_content() {
    let service = fixture();
    let assets: Vec<_> =
        service.firm.manifest().routes.into_iter().filter(|route| route.class == Class::Asset).collect();
    assert!(assets.len() >= 5);
    for route in assets {
        let reply = service.get(&route.path, &[]);
        assert_eq!(reply.header("cache-control"), Some("public, max-age=31536000, immutable"));
        let fingerprint = &route.variants[0].digest.0[..16];
        assert!(route.path.contains(fingerprint), "{}", route.path);
    }
}

#[test]
fn unsupported_method_on_a_page_is_refused_in_its_language() {
    let service = demonstration();
    for (path, locale, method, forms) in [
        ("/en/contact", "en", "does not support", "Available here:"),
        ("/tr/iletisim", "tr", "yöntemini desteklemez", "Şu adreslerde bulunur:"),
    ] {
        for (reply, status, words) in [
            (service.request("DELETE", path, &[]), 405, method),
            (service.get(path, &["Accept: application/pdf"]), 406, forms),
        ] {
            assert_eq!((reply.status, reply.header("content-language")), (status, Some(locale)), "{path}");
            assert!(reply.as_text().contains(words), "{}", reply.as_text());
        }
    }
}

/// Rejected words and characters, by file name: English, Turkish, both.
const WRONG: [(&str, &[&str]); 3] = [
    (".en.", &["reads along", "widened pay", "persons concerned", "accompanies", "a single question"]),
    (".tr.", &["Hukuki durum tarihi", "vukat–müvekkil", "eşlik eder", "Adınıza erişimi olan"]),
    (".", &["‘", "„", "«", "»"]),
];

#[test]
fn texts_of_the_demonstration_contain_no_jargon() {
    let (mut texts, mut found) = (0, Vec::new());
    for folder in ["content", "generator/starter/content", "templates/strings"] {
        for (path, bytes) in files_below(&repository().join(folder)) {
            // For example `about/index.en.md` and `strings/en.toml`.
            let name = path.rsplit('/').next().unwrap();
            let name = format!(".{}", name.strip_prefix("index.").unwrap_or(name));
            if !name.starts_with(".en.") && !name.starts_with(".tr.") {
                continue;
            }
            texts += 1;
            let text = String::from_utf8(bytes).unwrap();
            let wrong = WRONG.iter().filter(|(of, _)| name.starts_with(of)).flat_map(|(_, words)| *words);
            found.extend(wrong.filter(|words| text.contains(**words)).map(|words| format!("{folder}/{path}: {words}")));
            // Citations are written 25(II), not 25/II; the letter in 73/A belongs to the number of the article.
            let cites =
                |of: &str| of.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('/').map(str::to_owned);
            let parts = text.split("Article ").skip(1).filter_map(cites).filter(|_| name.starts_with(".en."));
            let parts = parts.filter(|part| part.starts_with(|c: char| c.is_ascii_digit() || c == 'I' || c == 'V'));
            found.extend(
                parts.map(|part| format!("{folder}/{path}: Article …/{}", part.chars().take(9).collect::<String>())),
            );
        }
    }
    assert!(texts > 150, "{texts}");
    assert!(found.is_empty(), "{found:#?}");
}
