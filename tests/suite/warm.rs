//! A build over the last one, which keeps the pages whose inputs are the same, equals one from nothing.

use std::{fs, path::Path};

use contract::{Locale, retained_assets::FILE_NAME as RETAINED};
use publish::{BuildReport, Compression, Publishing, known_files, publish};
use render::{Renderer, Theme};
use site::{KnownFiles, Loading, load_with_known_files};
use tempfile::TempDir;
use tests::{NOW, SITE_URL, content_of, copy_folder, files_below, publishing};

/// How many pages a build takes over from the last one.
#[derive(Debug)]
enum Kept {
    AllButOne,
    /// Neither all nor none.
    Some,
    None,
    Any,
}

/// A firm that is built again and again into the same folder.
struct WarmFirm {
    content: TempDir,
    /// The firm's own templates.
    templates: TempDir,
    now: &'static str,
    compression: Compression,
    out: TempDir,
}

impl WarmFirm {
    fn new() -> Self {
        let [content, templates, out] = [(); 3].map(|()| TempDir::new().unwrap());
        copy_folder(&content_of("firm"), content.path());
        Self { content, templates, now: NOW, compression: Compression::None, out }
    }

    fn publish(&self, out: &Path, mut known: KnownFiles) -> BuildReport {
        let now = self.now.parse().unwrap();
        let loading = Loading { content: self.content.path(), site_url: Some(SITE_URL), now, drafts: false };
        let loaded = load_with_known_files(&loading, &mut known);
        let loaded = loaded.map_err(|findings| findings.to_text(Locale::En, false)).unwrap();
        let theme = Theme::load(self.templates.path()).unwrap();
        let renderer = Renderer::new(&loaded.site, &theme);
        let sandbox_key = &loaded.site.settings.sandbox_key;
        let compression = self.compression;
        let publishing = Publishing { out, now, sandbox_key, compression, known: Some(&known), ..publishing() };
        publish(&renderer.plan().unwrap(), &publishing).unwrap()
    }

    /// Builds over the last build, and from nothing into another folder; both must be equal.
    fn build(&self, what: &str) -> BuildReport {
        let report = self.publish(self.out.path(), known_files(self.out.path()));
        let cold = TempDir::new().unwrap();
        assert_eq!(self.publish(cold.path(), KnownFiles::default()).kept, 0);
        let (mut warm, cold) = (files_below(self.out.path()), files_below(cold.path()));
        // Style sheets stay for a while.
        warm.retain(|name, _| cold.contains_key(name) || !(name.starts_with("assets/css/") || name == RETAINED));
        assert_eq!(warm.keys().collect::<Vec<_>>(), cold.keys().collect::<Vec<_>>(), "{what}");
        for (name, bytes) in &cold {
            assert!(warm[name] == *bytes, "{what}: {name} differs from a build from nothing");
        }
        report
    }

    fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.content.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} does not contain {from}");
        fs::write(path, text.replace(from, to)).unwrap();
    }

    fn write_template(&self, file: &str, text: &str) {
        let path = self.templates.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

#[test]
fn build_over_the_last_one_equals_one_from_nothing_after_every_kind_of_change() {
    let mut firm = WarmFirm::new();
    assert_eq!(firm.build("first build").kept, 0);
    let all = firm.build("nothing changed").kept;
    assert!(all > 40, "{all} pages are kept");
    let kept = |firm: &WarmFirm, what: &str, expected: Kept| {
        let kept = firm.build(what).kept;
        // What was rendered is known to the next build.
        let BuildReport { kept: all, written, .. } = firm.publish(firm.out.path(), known_files(firm.out.path()));
        assert_eq!(written, 0, "{what}");
        let is_expected = match expected {
            Kept::AllButOne => kept + 1 == all,
            Kept::Some => kept > 0 && kept < all,
            Kept::None => kept == 0,
            Kept::Any => true,
        };
        assert!(is_expected, "{what}: {kept} of {all} pages are kept, not {expected:?}");
    };

    firm.edit("publications/tax-settlement/en.md", "The taxpayer may ask", "Every taxpayer may ask");
    kept(&firm, "text", Kept::AllButOne);
    // Clauses and numbers of inner items are written out in the texts of the search, too.
    let clauses = "\n\n(1) First.\n(2) Second:\na) one;\nb) two.\n\n1. Item\n   1. Inner\n   2. Other\n";
    firm.edit("publications/tax-settlement/en.md", " for settlement.", &format!(" for settlement.{clauses}"));
    kept(&firm, "clauses", Kept::AllButOne);
    firm.edit("publications/tax-settlement/en.md", "title: Settlement", "title: A settlement");
    kept(&firm, "title, which lists and neighbours show", Kept::Some);
    firm.edit("publications/remote-work/en.md", "slug: remote-work-agreements", "slug: remote-agreements");
    kept(&firm, "address, to which other texts lead", Kept::Some);
    firm.edit("team/ayse-yilmaz/en.md", "name: Ayşe Yılmaz", "name: Ayşe Yılmaz Ak");
    kept(&firm, "person", Kept::Some);
    firm.edit("practice-areas/tax/en.md", "name: Tax", "name: Taxes");
    kept(&firm, "area", Kept::Some);
    let article = firm.content.path().join("publications/tax-settlement");
    copy_folder(&article, &firm.content.path().join("publications/second-settlement"));
    for locale in ["en", "tr"] {
        let file = format!("publications/second-settlement/{locale}.md");
        if firm.content.path().join(&file).exists() {
            firm.edit(&file, "slug: ", "slug: second-");
        }
    }
    firm.edit(
        "publications/second-settlement/en.md",
        "category: tax",
        "category: tax\npublish: 2026-12-24T09:00:00+03:00",
    );
    kept(&firm, "article that is held back", Kept::Any);
    firm.now = "2026-12-25T09:00:00+03:00";
    kept(&firm, "moment at which it is published", Kept::Some);
    fs::remove_dir_all(firm.content.path().join("publications/second-settlement")).unwrap();
    kept(&firm, "article that is removed", Kept::Some);
    fs::copy(firm.content.path().join("logo.svg"), article.join("figure.svg")).unwrap();
    firm.edit("publications/tax-settlement/en.md", "\n---\n\n", "\n---\n\n![A figure](figure.svg)\n\n");
    kept(&firm, "picture", Kept::AllButOne);
    let drawing = fs::read_to_string(article.join("figure.svg")).unwrap();
    fs::write(article.join("figure.svg"), drawing.replacen("<svg", "<svg data-a=\"b\"", 1)).unwrap();
    kept(&firm, "picture of the same name", Kept::AllButOne);
    let register = "[[change]]\nlaw = 213\nin_force = 2026-12-01\nwhat = { en = \"More time.\", tr = \"Ek süre.\" }\n";
    firm.edit("publications/tax-settlement/en.md", "may ask for", "may ask under Law No. 213 for");
    kept(&firm, "citation", Kept::Some);
    fs::write(firm.content.path().join("law-changes.toml"), register).unwrap();
    kept(&firm, "change of a law", Kept::Some);
    firm.edit("site.toml", "short_name = \"Örnek\"", "short_name = \"Örnek AO\"");
    kept(&firm, "settings", Kept::None);
    firm.edit("site.toml", "[crawlers]\nsearch = true", "[crawlers]\nsearch = false");
    kept(&firm, "settings that no page shows", Kept::Any);
    firm.write_template("strings/en.toml", "[own]\nfarewell = \"Until soon\"\n");
    firm.write_template("strings/tr.toml", "[own]\nfarewell = \"Görüşmek üzere\"\n");
    kept(&firm, "words", Kept::None);
    firm.write_template("twin/foot.md", "\n{{ t.own.farewell }}\n");
    kept(&firm, "template", Kept::None);
    firm.write_template("assets/css/site.css", "body { color: black }\n");
    kept(&firm, "style sheet", Kept::None);
    firm.compression = Compression::Fast;
    kept(&firm, "compression", Kept::None);

    // Another program, and a cache or a page that is damaged.
    let cache = firm.out.path().join(".known.json");
    let sound = fs::read_to_string(&cache).unwrap();
    let other_version = sound.replacen("{\"recipe\":\"", "{\"recipe\":\"other ", 1);
    let other_inputs = sound.replace("\"inputs\":\"", "\"inputs\":\"0");
    let other_digests = sound.replace("\"digests\":[\"", "\"digests\":[\"0");
    for bytes in [&other_version, &other_inputs, &other_digests, "", "[]", &sound[..sound.len() / 2]] {
        fs::write(&cache, bytes).unwrap();
        kept(&firm, "cache", Kept::None);
    }
    fs::remove_file(firm.out.path().join("en/about.html")).unwrap();
    fs::write(firm.out.path().join("tr/hakkimizda.md"), "half a twin").unwrap();
    assert_eq!(firm.build("damaged pages").written, 2);
}
