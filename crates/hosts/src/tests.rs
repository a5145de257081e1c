//! Folders for hosts from builds that no generator made: large, hostile and empty ones.

use std::{fs, path::Path};

use contract::{
    Locale,
    manifest::{
        Axis, Class, Encoded, Encodings, FORMAT, FileDigest, Manifest, NotFound, Policy, Redirect, Route, Variant,
    },
};
use sha2::{Digest as _, Sha256};

use super::*;

const SITE: &str = "https://firm.example";

fn digest(text: &str) -> FileDigest {
    FileDigest(hex::encode(Sha256::digest(text)))
}

fn variant(file: &str, media_type: &str, locale: Option<&str>) -> Variant {
    Variant {
        file: file.to_owned(),
        media_type: media_type.to_owned(),
        size: file.len() as u64,
        digest: digest(file),
        encodings: Encodings::default(),
        locale: locale.map(|it| it.parse().unwrap()),
        link: None,
        location: None,
        tokens: None,
    }
}

/// Adds a page and its Markdown.
fn page(manifest: &mut Manifest, path: &str) {
    let locale = &path[1..3];
    let links = format!(", </{locale}/llms.txt>; rel=\"describedby\"");
    let html = Variant {
        link: Some(format!("<{SITE}{path}.md>; rel=\"alternate\"; type=\"text/markdown\"{links}")),
        location: Some(path.to_owned()),
        ..variant(&format!("{}.html", &path[1..]), contract::media::HTML, Some(locale))
    };
    let markdown = Variant {
        link: Some(format!("<{SITE}{path}>; rel=\"canonical\"{links}")),
        tokens: Some(300),
        ..variant(&format!("{}.md", &path[1..]), contract::media::MARKDOWN, Some(locale))
    };
    let twin = Variant { location: Some(format!("{path}.md")), ..markdown.clone() };
    let route = |path: String, class, axis, variants| Route { path, class, axis, variants };
    manifest.routes.push(route(path.to_owned(), Class::Page, Some(Axis::Accept), vec![html, twin]));
    manifest.routes.push(route(format!("{path}.md"), Class::Twin, None, vec![markdown]));
}

/// Adds a redirect of a page and of its Markdown.
fn moves(manifest: &mut Manifest, from: &str, to: &str) {
    for end in ["", ".md"] {
        manifest.redirects.push(Redirect { from: format!("{from}{end}"), to: format!("{to}{end}") });
    }
}

/// Returns a manifest with this number of articles in both languages, each with its own slug in each.
fn firm(articles: usize) -> Manifest {
    let policy = Policy { cache_control: "public, max-age=300".to_owned(), ..Policy::default() };
    let missing = |prefix: &str, folder: &str, locale| NotFound {
        prefix: prefix.to_owned(),
        variants: vec![
            variant(&format!("{folder}404.html"), contract::media::HTML, Some(locale)),
            variant(&format!("{folder}404.md"), contract::media::MARKDOWN, Some(locale)),
        ],
    };
    let mut manifest = Manifest {
        format: FORMAT,
        build: digest("build"),
        site_url: SITE.to_owned(),
        sandbox_key: "sandbox_firm".to_owned(),
        next_change: Some("2026-12-01T06:00:00Z".to_owned()),
        classes: Class::ALL.into_iter().map(|class| (class, policy.clone())).collect(),
        routes: Vec::new(),
        redirects: Vec::new(),
        not_found: vec![missing("", "", "en"), missing("/tr", "tr/", "tr")],
        parts: Vec::new(),
    };
    for path in ["/en", "/tr", "/en/publications", "/tr/yayinlar"] {
        page(&mut manifest, path);
    }
    moves(&mut manifest, "/tr/publications", "/tr/yayinlar");
    moves(&mut manifest, "/en/yayinlar", "/en/publications");
    for number in 0..articles {
        let (en, tr) = (format!("the-law-of-{number}"), format!("hukuk-{number}"));
        for (locale, own, other, slug, foreign) in
            [("en", "publications", "yayinlar", &en, &tr), ("tr", "yayinlar", "publications", &tr, &en)]
        {
            let path = format!("/{locale}/{own}/{slug}");
            page(&mut manifest, &path);
            moves(&mut manifest, &format!("/{locale}/{own}/{foreign}"), &path);
            moves(&mut manifest, &format!("/{locale}/{other}/{foreign}"), &path);
            moves(&mut manifest, &format!("/{locale}/{other}/{slug}"), &path);
        }
    }
    manifest.routes.sort_by(|one, other| one.path.cmp(&other.path));
    manifest.redirects.sort_by(|one, other| one.from.cmp(&other.from));
    manifest
}

/// Writes a build: each file contains its own name.
fn build(manifest: &Manifest, dist: &Path) {
    let pages = manifest.not_found.iter().flat_map(|answer| &answer.variants);
    for variant in manifest.routes.iter().flat_map(|route| &route.variants).chain(pages) {
        let path = dist.join(&variant.file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, &variant.file).unwrap();
    }
    fs::write(dist.join(contract::manifest::FILE_NAME), serde_json::to_vec(manifest).unwrap()).unwrap();
}

fn refusal(manifest: &Manifest) -> Text {
    HostedSite::of(manifest, None).err().unwrap()
}

#[test]
fn articles_and_redirects_follow_rules_and_are_not_listed() {
    let manifest = firm(20);
    let site = HostedSite::of(&manifest, None).unwrap();
    assert!(site.rules.listed.is_empty());
    assert_eq!(site.rules.hidden, ["tr/404.html", "tr/404.md"]);
    let redirects = &site.rules.redirects;
    assert_eq!(redirects.sections.len(), 2);
    // One line for the other-language slug of each article, and one for each section itself.
    assert_eq!((manifest.redirects.len(), redirects.listed.len()), (2 * (2 + 6 * 20), 2 + 2 * 20));
    for redirect in &manifest.redirects {
        assert_eq!(redirects.target(&redirect.from).as_ref(), Some(&redirect.to), "{}", redirect.from);
    }
}

#[test]
fn five_thousand_articles_fit_or_the_error_names_the_limit() {
    let manifest = firm(5_000);
    let site = HostedSite::of(&manifest, None).unwrap();
    for host in Host::ALL {
        let made = host.files(&site);
        match host {
            Host::Vercel | Host::Apache => {
                let message = made.unwrap_err()[Locale::En].to_owned();
                let what = if host == Host::Vercel { "15000 files" } else { "4000 former addresses" };
                assert!(message.contains(what) && message.contains("use another host"), "{message}");
            }
            _ => {
                let files = made.unwrap();
                assert!(files.len() > 20_000, "{}", host.as_str());
                for file in files {
                    // Rules that a host parses.
                    let HostFileContent::Text(text) = file.content else { continue };
                    assert!(text.len() < 3_000_000, "{}: {} has {} bytes", host.as_str(), file.path, text.len());
                }
            }
        }
    }
}

#[test]
fn compressed_files_are_written_only_for_nginx_and_caddy() {
    let mut manifest = firm(1);
    for variant in manifest.routes.iter_mut().flat_map(|route| &mut route.variants) {
        variant.encodings.gzip = Some(Encoded { size: 1, digest: digest("gzip") });
    }
    for host in Host::ALL {
        let files = host.files(&HostedSite::of(&manifest, None).unwrap()).unwrap();
        let is_given = files.iter().any(|file| file.path.ends_with(".gz"));
        assert_eq!(is_given, [Host::Nginx, Host::Caddy].contains(&host), "{}", host.as_str());
    }
}

#[test]
fn equal_builds_give_equal_folders() {
    let (one, other) = (firm(3), firm(3));
    for host in Host::ALL {
        let files = [&one, &other].map(|manifest| host.files(&HostedSite::of(manifest, None).unwrap()).unwrap());
        assert_eq!(files[0], files[1]);
        assert!(files[0].is_sorted_by(|one, other| one.path < other.path), "{}: a path is there twice", host.as_str());
    }
}

#[test]
fn address_with_special_characters_is_rejected() {
    for slug in [":splat", "*", "a*", "100%25", "a;b", "$1", "{path}", "..", "a\nb", "a\"b", "~^x\\"] {
        let mut manifest = firm(1);
        let address = format!("/en/publications/{slug}");
        moves(&mut manifest, &address, "/en/publications");
        assert_eq!(refusal(&manifest), messages::address_not_portable(&address), "in a redirect");
        let mut manifest = firm(1);
        page(&mut manifest, &address);
        assert_eq!(refusal(&manifest), messages::address_not_portable(&address), "in a page");
    }
}

#[test]
fn addresses_of_a_former_site_lead_on_everywhere() {
    let mut manifest = firm(1);
    let to = "/tr/yayinlar/hukuk-0";
    for from in ["/2019/05/kira", "/haber kirası.html", "/?p=7", "/index.php?id=7"] {
        manifest.redirects.push(Redirect { from: from.to_owned(), to: to.to_owned() });
    }
    manifest.redirects.sort_by(|one, other| one.from.cmp(&other.from));
    let site = HostedSite::of(&manifest, None).unwrap();
    let text = |host: Host, path: &str| {
        let file = host.files(&site).unwrap().into_iter().find(|file| file.path == path);
        match file.map(|file| file.content) {
            Some(HostFileContent::Text(text)) => text,
            _ => panic!("{}: {path}", host.as_str()),
        }
    };
    for (host, file, lines) in [
        (
            Host::Nginx,
            "nginx.conf",
            ["\"/haber kirası.html\" /tr/yayinlar/hukuk-0;", "\"/index.php/?id=7\" /tr/yayinlar/hukuk-0;"],
        ),
        (Host::Caddy, "Caddyfile", ["\"/haber kirası.html\" /tr/yayinlar/hukuk-0", "\"/?p=7\" /tr/yayinlar/hukuk-0"]),
        (Host::Apache, "public/.htaccess", ["\"=/haber kirası.html\"", "RewriteCond %{QUERY_STRING} \"=p=7\""]),
        (
            Host::Netlify,
            "public/_redirects",
            ["/2019/05/kira /tr/yayinlar/hukuk-0 308!", "/index.php id=7 /tr/yayinlar/hukuk-0 308!"],
        ),
        (Host::Netlify, "netlify/edge-functions/documents.js", ["\"/(.*%.*)\"", "\"/*.html\""]),
        (Host::Cloudfront, "redirects.json", ["\"key\":\"/haber kirası.html\"", "\"key\":\"/index.php?id=7\""]),
        (
            Host::GithubPages,
            "public/haber kirası.html",
            ["url=https://firm.example/tr/yayinlar/hukuk-0\"", "canonical"],
        ),
        (
            Host::GithubPages,
            "public/2019/05/kira/index.html",
            ["href=\"https://firm.example/tr/yayinlar/hukuk-0\"", "canonical"],
        ),
    ] {
        let text = text(host, file);
        for line in lines {
            assert!(text.contains(line), "{} {file}: {line}\n{text}", host.as_str());
        }
    }
    // The engine compares what is sent, and the encoding of a letter has several forms.
    assert!(!text(Host::Netlify, "public/_redirects").contains("haber"));
}

#[test]
fn service_without_a_sidecar_is_rejected() {
    let mut manifest = firm(0);
    let card = variant("mcp/server-card", contract::media::SERVER_CARD, Some("en"));
    let path = contract::routes::SERVER_CARD.to_owned();
    manifest.routes.push(Route { path, class: Class::Discovery, axis: None, variants: vec![card] });
    let folder = tempfile::tempdir().unwrap();
    let (dist, out) = (folder.path().join("dist"), folder.path().join("out"));
    build(&manifest, &dist);
    let site = HostedSite::of(&manifest, Some("https://agents.firm.example")).unwrap();
    for host in Host::ALL {
        let takes_none = [Host::GithubPages, Host::Apache].contains(&host);
        let none = messages::host_without_proxy(host.as_str());
        assert_eq!(host.files(&site).err(), takes_none.then(|| none.clone()));
        let refused = write(host, &dist, &out, None).unwrap_err();
        assert_eq!(refused, if takes_none { none } else { messages::sidecar_needed() });
    }
}

#[test]
fn host_is_parsed_from_its_name() {
    for host in Host::ALL {
        assert_eq!(Host::parse(host.as_str()), Some(host));
    }
    assert_eq!(Host::parse("heroku"), None);
}

/// Returns a text file of the folder for a host.
fn text_of(host: Host, manifest: &Manifest, sidecar: Option<&str>, path: &str) -> String {
    let files = host.files(&HostedSite::of(manifest, sidecar).unwrap()).unwrap();
    match files.into_iter().find(|file| file.path == path).unwrap().content {
        HostFileContent::Text(text) => text,
        HostFileContent::Copied { .. } => panic!("{path} is a copy"),
    }
}

#[test]
fn port_of_the_site_is_served_or_rejected() {
    let mut manifest = firm(1);
    manifest.site_url = "https://firm.example:8443".to_owned();
    let nginx = text_of(Host::Nginx, &manifest, Some("https://agents.firm.example"), "nginx.conf");
    for line in ["listen 8443 ssl", "return 308 https://firm.example:8443$request_uri", "Host $host:8443;"] {
        assert!(nginx.contains(line), "{line}");
    }
    assert!(text_of(Host::Caddy, &manifest, None, "Caddyfile").contains("\nhttps://firm.example:8443 {\n"));
    manifest.site_url = "http://firm.example:8080".to_owned();
    let nginx = text_of(Host::Nginx, &manifest, None, "nginx.conf");
    assert!(nginx.contains("listen 8080;") && !nginx.contains("ssl") && !nginx.contains("max-age=31536000"));
    assert!(!text_of(Host::Caddy, &manifest, None, "Caddyfile").contains("strict-transport-security"));
    let folder = tempfile::tempdir().unwrap();
    let (dist, out) = (folder.path().join("dist"), folder.path().join("out"));
    build(&manifest, &dist);
    for host in Host::ALL {
        let refused = messages::host_without_ports(host.as_str(), &manifest.site_url);
        let is_refused = ![Host::Nginx, Host::Caddy, Host::Apache].contains(&host);
        assert_eq!(write(host, &dist, &out, None).err(), is_refused.then_some(refused));
    }
}

/// The templates list these routes; all others of [`firm`] follow the pattern.
#[test]
fn listed_routes_of_each_axis_are_served() {
    let mut manifest = firm(1);
    let route = |path: &str, class, axis, files: &[(&str, &str, Option<&str>)]| {
        let variants = files.iter().map(|(file, media_type, locale)| variant(file, media_type, *locale));
        Route { path: path.to_owned(), class, axis, variants: variants.collect() }
    };
    let (html, markdown, json) = (contract::media::HTML, contract::media::MARKDOWN, contract::media::JSON);
    let index = [("index.html", html, Some("en")), ("index.md", markdown, Some("en"))];
    let team = [("api/v1/team.en.json", json, Some("en")), ("api/v1/team.tr.json", json, Some("tr"))];
    manifest.routes.push(route("/", Class::Page, Some(Axis::Accept), &index));
    manifest.routes.push(route(contract::routes::TEAM, Class::Api, Some(Axis::Locale), &team));
    manifest.routes.push(route("/robots.txt", Class::Text, None, &[("robots.txt", contract::media::TEXT, None)]));
    for (host, path, parts) in [
        (Host::Nginx, "nginx.conf", ["location = / {", "try_files /api/v1/team.$", "try_files /robots.txt =404;"]),
        (
            Host::Caddy,
            "Caddyfile",
            ["serve /index.md \"", "serve /api/v1/team.{mecelle_locale}.json ", "^/robots\\.txt$"],
        ),
        (Host::Apache, "public/.htaccess", ["^$ index.md [", "/team.%{ENV:mecelle_locale}.json [", "^robots\\.txt$ "]),
    ] {
        let text = text_of(host, &manifest, None, path);
        for part in parts {
            assert!(text.contains(part), "{path}: {part}");
        }
    }
}

/// Names that two sites on one server would share: variables, captures, upstreams and snippets.
#[test]
fn sites_on_one_server_share_no_names() {
    let (one, mut other) = (firm(2), firm(2));
    other.site_url = "https://other.example".to_owned();
    let names = |manifest: &Manifest| {
        let sidecar = Some("https://agents.firm.example");
        let nginx = text_of(Host::Nginx, manifest, sidecar, "nginx.conf");
        let caddy = text_of(Host::Caddy, manifest, sidecar, "Caddyfile");
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let names = nginx.split(|letter| !is_name(letter)).filter(|word| word.starts_with("mecelle_"));
        let snippets = caddy.lines().filter_map(|line| line.strip_prefix('(')?.strip_suffix(") {"));
        let used = caddy.lines().filter_map(|line| line.trim_start().strip_prefix("import ")?.split(' ').next());
        names.chain(snippets).chain(used).map(str::to_owned).collect::<std::collections::BTreeSet<_>>()
    };
    let (one, other) = (names(&one), names(&other));
    assert!(one.len() > 30 && one.is_disjoint(&other), "{:?}", one.intersection(&other).collect::<Vec<_>>());
}

#[test]
fn sidecar_origin_must_be_https_unless_it_is_local() {
    let folder = tempfile::tempdir().unwrap();
    let (dist, out) = (folder.path().join("dist"), folder.path().join("out"));
    build(&firm(1), &dist);
    for origin in [
        "http://agents.firm.example",
        "https://agents.firm.example/",
        "https://a.example/x",
        "agents",
        "ftp://a.example",
        "",
    ] {
        let refused = write(Host::Cloudflare, &dist, &out, Some(origin));
        assert!(refused.unwrap_err()[Locale::En].ends_with(&format!("found `{origin}`")), "{origin}");
    }
    write(Host::Cloudflare, &dist, &out, Some("https://agents.firm.example")).unwrap();
    for origin in ["http://127.0.0.1:8080", "http://localhost:8080"] {
        for host in [Host::Cloudflare, Host::Netlify, Host::Vercel, Host::Cloudfront] {
            let refused = write(host, &dist, &out, Some(origin));
            let refused = refused.unwrap_err();
            assert_eq!(refused, messages::sidecar_not_usable(messages::reachable_address_wanted(), origin));
        }
        for host in [Host::Nginx, Host::Caddy] {
            write(host, &dist, &out, Some(origin)).unwrap();
        }
    }
}

#[test]
fn unreadable_build_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let (dist, out) = (folder.path().join("dist"), folder.path().join("out"));
    let manifest = dist.join(contract::manifest::FILE_NAME);
    let absent = fs::read(&manifest).unwrap_err();
    let refused = write(Host::Nginx, &dist, &out, None).unwrap_err();
    assert_eq!(refused, messages::build_not_readable(manifest.display(), absent));
    build(&firm(1), &dist);
    fs::write(&manifest, "{\"format\": 99}").unwrap();
    let refused = write(Host::Nginx, &dist, &out, None).unwrap_err();
    assert!(refused[Locale::En].contains("has the format 99"), "{refused:?}");
    fs::write(&manifest, "{").unwrap();
    let broken = serde_json::from_str::<Manifest>("{").unwrap_err();
    let refused = write(Host::Nginx, &dist, &out, None).unwrap_err();
    assert_eq!(refused, messages::manifest_malformed(manifest.display(), broken));
    assert!(!out.exists());
}

#[test]
fn folder_with_foreign_files_is_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let (dist, out) = (folder.path().join("dist"), folder.path().join("out"));
    build(&firm(1), &dist);
    fs::create_dir_all(out.join("public")).unwrap();
    fs::write(out.join("public/notes.txt"), "mine").unwrap();
    let foreign = messages::host_folder_foreign(out.join("public/notes.txt").display());
    assert_eq!(write(Host::Nginx, &dist, &out, None), Err(foreign));
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
    fs::remove_file(out.join("public/notes.txt")).unwrap();
    write(Host::Nginx, &dist, &out, None).unwrap();
    // Host tools keep files there too.
    fs::create_dir(out.join(".vercel")).unwrap();
    fs::write(out.join(".vercel/project.json"), "{}").unwrap();
    write(Host::Vercel, &dist, &out, None).unwrap();
    assert!(out.join(".vercel/project.json").exists() && out.join("vercel.json").exists());
    assert!(!out.join("nginx.conf").exists(), "what the other host was given is gone");
}

#[test]
fn edited_file_is_not_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let (dist, out) = (folder.path().join("dist"), folder.path().join("out"));
    build(&firm(1), &dist);
    write(Host::Nginx, &dist, &out, None).unwrap();
    let path = out.join("nginx.conf");
    fs::write(&path, "mine").unwrap();
    assert_eq!(write(Host::Caddy, &dist, &out, None), Err(messages::host_file_changed(path.display())));
    assert_eq!(fs::read_to_string(&path).unwrap(), "mine");
    assert!(!out.join("Caddyfile").exists());
    fs::remove_file(&path).unwrap();
    write(Host::Nginx, &dist, &out, None).unwrap();
    assert!(fs::read_to_string(&path).unwrap().starts_with("# Made by `generator host nginx`, which overwrites it."));
    assert_eq!(write(Host::Nginx, &dist, &path, None), Err(messages::host_folder_is_none(path.display())));
}

#[test]
fn forged_list_removes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (dist, out) = (folder.path().join("dist"), folder.path().join("out"));
    build(&firm(1), &dist);
    write(Host::Nginx, &dist, &out, None).unwrap();
    for line in ["../x", "", "/etc", "public/../../x", ".git/config", ".mecelle-host"] {
        let list = out.join(".mecelle-host");
        fs::write(&list, format!("nginx\n{line}\n")).unwrap();
        let refused = write(Host::Nginx, &dist, &out, None);
        assert_eq!(refused, Err(messages::host_list_foreign(list.display(), line)));
        assert!(dist.exists() && out.join("nginx.conf").exists(), "{line:?}");
    }
}

#[test]
fn certificate_of_an_https_sidecar_is_verified() {
    let manifest = firm(1);
    for (origin, is_known) in [("https://agents.firm.example", true), ("http://127.0.0.1:8080", false)] {
        let text = text_of(Host::Nginx, &manifest, Some(origin), "nginx.conf");
        assert_eq!(text.contains("proxy_ssl_verify on;"), is_known, "{origin}");
    }
}

#[test]
fn damaged_build_leaves_the_folder_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let (dist, out) = (folder.path().join("dist"), folder.path().join("out"));
    build(&firm(1), &dist);
    write(Host::Nginx, &dist, &out, None).unwrap();
    let before = fs::read(out.join("nginx.conf")).unwrap();
    fs::write(dist.join("tr/yayinlar.html"), "damaged").unwrap();
    let damaged = messages::build_damaged(dist.join("tr/yayinlar.html").display());
    assert_eq!(write(Host::Caddy, &dist, &out, None), Err(damaged));
    assert_eq!(fs::read(out.join("nginx.conf")).unwrap(), before);
    assert!(!out.join("Caddyfile").exists());
}

#[test]
fn nested_folders_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let dist = folder.path().join("dist");
    build(&firm(1), &dist);
    for out in [dist.clone(), dist.join("out"), folder.path().to_owned(), dist.join("x/../../dist/out")] {
        let nested = [(&out, &dist), (&dist, &out)];
        let nested = nested.map(|(inner, outer)| messages::folders_nested(inner.display(), outer.display()));
        assert!(nested.contains(&write(Host::Nginx, &dist, &out, None).unwrap_err()), "{}", out.display());
    }
}

#[test]
fn value_that_breaks_out_of_settings_is_rejected() {
    for (value, put) in [
        ("k\";return 200;#", (|it, value| it.sandbox_key = value) as fn(&mut Manifest, String)),
        ("https://firm.example;", |it, value| it.site_url = value),
        ("<'; return 200 x>", |it, value| it.routes[0].variants[0].link = Some(value)),
        ("text/html\nx", |it, value| it.routes[0].variants[0].media_type = value),
        ("x-a\r\n", |it, value| {
            it.classes.values_mut().for_each(|it| it.headers.push((value.clone(), String::new())));
        }),
        ("\"", |it, value| it.classes.values_mut().for_each(|it| it.cache_control = value.clone())),
    ] {
        let mut manifest = firm(1);
        put(&mut manifest, value.to_owned());
        assert_eq!(refusal(&manifest), messages::value_not_portable(value));
    }
}
