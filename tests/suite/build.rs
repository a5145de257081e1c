//! Publishing a build: determinism, rewritten files, and remains of killed builds.

use contract::Locale;
use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

use contract::{
    manifest::{Class, FILE_NAME, PARTS, PREVIOUS, SEARCH},
    routes,
};
use publish::{Compression, Publishing, publish};
use render::{Renderer, Theme};
use site::{Loading, load};
use tempfile::TempDir;
use tests::{Firm as _, build, build_from, content_of, copy_folder, files_below};

/// Returns a copy of the content of the fixture firm.
fn editable() -> TempDir {
    let folder = TempDir::new().unwrap();
    copy_folder(&content_of("firm"), folder.path());
    folder
}

fn edit(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).unwrap();
    assert!(text.contains(from), "{} does not contain {from}", path.display());
    fs::write(path, text.replace(from, to)).unwrap();
}

fn inodes(dist: &Path) -> Vec<(String, u64, i64)> {
    let names = files_below(dist).into_keys();
    let stat = |name: String| {
        let metadata = fs::metadata(dist.join(&name)).unwrap();
        (name, metadata.ino(), metadata.mtime_nsec())
    };
    names.map(stat).collect()
}

#[test]
fn two_builds_of_the_same_content_are_the_same_bytes() {
    let first = build(&content_of("content"));
    let second = build(&content_of("content"));
    let (first, second) = (files_below(&first.dist()), files_below(&second.dist()));
    assert!(first.len() > 500, "the demonstration firm has {} files", first.len());
    assert_eq!(first.keys().collect::<Vec<_>>(), second.keys().collect::<Vec<_>>());
    for (name, bytes) in &first {
        assert!(second[name] == *bytes, "{name} differs");
    }
}

#[test]
fn build_does_not_depend_on_the_order_in_which_files_were_created() {
    let copy = TempDir::new().unwrap();
    let content = content_of("firm");
    let mut files: Vec<_> = files_below(&content).into_iter().collect();
    files.reverse();
    for (name, bytes) in files {
        let path = copy.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    let (one, other) = (build(&content), build(copy.path()));
    assert_eq!(one.report.build, other.report.build);
}

#[test]
fn second_build_of_unchanged_content_writes_no_file() {
    let firm = build(&content_of("firm"));
    let before = inodes(&firm.dist());
    let report = build_from(&content_of("firm"), &firm.dist());
    assert_eq!((report.written, report.removed), (0, 0));
    assert_eq!(inodes(&firm.dist()), before);
}

#[test]
fn files_are_rewritten_only_if_their_bytes_changed_and_the_result_equals_a_cold_build() {
    let content = editable();
    let firm = build(content.path());
    let before = files_below(&firm.dist());
    edit(&content.path().join("pages/about/en.md"), "\n---\n\n", "\n---\n\nOne more sentence.\n\n");
    let report = build_from(content.path(), &firm.dist());
    let cold = build(content.path());
    assert_eq!(files_below(&firm.dist()), files_below(&cold.dist()));
    let after = files_below(&firm.dist());
    let changed: Vec<_> =
        after.iter().filter(|(name, bytes)| before.get(*name) != Some(bytes)).map(|(name, _)| name).collect();
    let index = format!("{PARTS}/{SEARCH}.en");
    let may_change = |name: &str| {
        name.starts_with("en/about.") || name.contains("llms-full.txt") || name == index || name == FILE_NAME
    };
    assert!(changed.iter().all(|name| may_change(name)), "{changed:?}");
    assert_eq!(report.written, 5, "page, twin, the two full texts and the search index");
}

#[test]
fn removed_entry_leaves_no_file_behind() {
    let content = editable();
    let firm = build(content.path());
    let only_english = fs::read_dir(content.path().join("publications")).unwrap().map(|entry| entry.unwrap().path());
    let victim =
        only_english.into_iter().find(|path| !path.join("tr.md").exists()).expect("an English-only publication");
    fs::remove_dir_all(victim).unwrap();
    let report = build_from(content.path(), &firm.dist());
    assert!(report.removed >= 2);
    assert_eq!(files_below(&firm.dist()), files_below(&build(content.path()).dist()));
}

#[test]
fn killed_build_is_undone_by_the_next_one() {
    let content = editable();
    let firm = build(content.path());
    let dist = firm.dist();
    let old = files_below(&dist);
    // The remains of a build killed just before its manifest is written: one file is replaced, the old one retained.
    let page = "en/about.html";
    let digest = firm
        .manifest()
        .routes
        .iter()
        .flat_map(|route| route.variants.clone())
        .find(|variant| variant.file == page)
        .unwrap()
        .digest;
    fs::create_dir(dist.join(PREVIOUS)).unwrap();
    fs::rename(dist.join(page), dist.join(PREVIOUS).join(&digest.0)).unwrap();
    fs::write(dist.join(page), "half a page").unwrap();
    let report = build_from(content.path(), &dist);
    assert_eq!(report.written, 0, "recovery puts the old file back, so nothing has changed");
    assert_eq!(files_below(&dist), old);
}

/// Runs a build of changed pages into `dist`, which fails after many files are replaced.
fn fail_halfway(content: &Path, dist: &Path, compression: Compression) {
    // Every page changes, so files are replaced before the failure.
    edit(&content.join("site.toml"), "short_name = \"", "short_name = \"New ");
    let now = tests::NOW.parse().unwrap();
    let loaded = load(&Loading { content, site_url: Some(tests::SITE_URL), now, drafts: false }).unwrap();
    let theme = Theme::load(&tests::templates()).unwrap();
    // The failure: a text changes after the check.
    edit(&content.join("pages/about/en.md"), "\n---\n\n", "\n---\n\nToo late. ");
    let sandbox_key = &loaded.site.settings.sandbox_key;
    let publishing = Publishing { out: dist, sandbox_key, compression, ..tests::publishing() };
    let refused = publish(&Renderer::new(&loaded.site, &theme).plan().unwrap(), &publishing).unwrap_err();
    assert!(refused.message()[Locale::En].contains("changed during the build"), "{refused:?}");
}

#[test]
fn failed_build_leaves_the_old_one_in_force() {
    let content = editable();
    let firm = build(content.path());
    let old = files_below(&firm.dist());
    fail_halfway(content.path(), &firm.dist(), tests::publishing().compression);
    let now = files_below(&firm.dist());
    for (name, bytes) in &old {
        assert!(now.get(name) == Some(bytes), "{name} is not what it was");
    }
}

#[test]
fn failed_build_keeps_existing_files_without_a_readable_manifest() {
    let content = editable();
    let out = TempDir::new().unwrap();
    let publishing = Publishing { out: out.path(), compression: Compression::Fast, ..tests::publishing() };
    tests::build_with(content.path(), &tests::templates(), publishing).unwrap();
    let manifest = out.path().join(FILE_NAME);
    let readable = fs::read_to_string(&manifest).unwrap();
    // A missing file of the build, and a file of no build.
    fs::remove_file(out.path().join("en/about.html")).unwrap();
    fs::write(out.path().join("notes.txt"), "theirs").unwrap();
    let of_another_version = readable.replacen("{\"format\":", "{\"format\":9", 1);
    for left in [None, Some("damaged"), Some(&of_another_version)] {
        left.map_or_else(|| fs::remove_file(&manifest), |text| fs::write(&manifest, text)).unwrap();
        let old = files_below(out.path());
        assert!(old.contains_key("en/about.html.br") && old.contains_key("tr.html"));
        for compression in [Compression::Fast, Compression::None] {
            fail_halfway(content.path(), out.path(), compression);
            let now = files_below(out.path());
            assert_eq!(now.keys().collect::<Vec<_>>(), old.keys().collect::<Vec<_>>());
            assert!(old.iter().all(|(name, bytes)| now[name] == *bytes));
        }
    }
    let publishing = Publishing { out: out.path(), compression: Compression::Fast, ..tests::publishing() };
    let report = tests::build_with(content.path(), &tests::templates(), publishing).unwrap();
    assert_eq!((report.removed, report.foreign), (0, vec!["notes.txt".to_owned()]));
    let cold = TempDir::new().unwrap();
    let publishing = Publishing { out: cold.path(), ..publishing };
    tests::build_with(content.path(), &tests::templates(), publishing).unwrap();
    fs::remove_file(out.path().join("notes.txt")).unwrap();
    assert!(files_below(out.path()) == files_below(cold.path()));
}

#[test]
fn file_that_cannot_be_restored_does_not_stop_others_or_hide_the_reason() {
    let content = editable();
    let firm = build(content.path());
    let dist = firm.dist();
    let old = files_below(&dist);
    // Two files have the same content, hence the same name among the retained ones.
    let blocked = dist.join("en/llms.txt");
    assert_eq!(old["llms.txt"], old["en/llms.txt"]);
    fs::remove_file(&blocked).unwrap();
    fs::create_dir_all(blocked.join("theirs")).unwrap();
    edit(&content.path().join("site.toml"), "en = \"Örnek Law\"", "en = \"New Law\"");
    let mut refused = Vec::new();
    // The second time, no other file needs to be restored.
    for _ in 0..2 {
        refused.push(tests::try_build_from(content.path(), &dist).unwrap_err());
        let now = files_below(&dist);
        for (name, bytes) in old.iter().filter(|(name, _)| *name != "en/llms.txt") {
            assert!(now.get(name) == Some(bytes), "{name} is not what it was");
        }
    }
    let is_reported = |refused: &str| refused.contains("cannot restore") && refused.contains("files of two builds");
    assert!(refused.iter().all(|refused| is_reported(refused) && !refused.contains("as it is")), "{refused:?}");
    assert!(refused[0].starts_with("cannot ") && refused[0].contains("; then cannot restore "), "{refused:?}");
    fs::remove_dir_all(&blocked).unwrap();
    build_from(content.path(), &dist);
    assert_eq!(files_below(&dist), files_below(&build(content.path()).dist()));
}

#[test]
fn unmoved_files_are_not_restored() {
    let content = editable();
    let firm = build(content.path());
    let dist = firm.dist();
    // Two files have the same content and only one was replaced: the folder of the other need not be writable.
    let (replaced, left) = (dist.join("llms.txt"), dist.join("en/llms.txt"));
    let manifest = firm.manifest();
    let mut variants = manifest.routes.iter().flat_map(|route| &route.variants);
    let digest = variants.find(|variant| variant.file == "llms.txt").unwrap().digest.clone();
    fs::create_dir(dist.join(PREVIOUS)).unwrap();
    fs::rename(&replaced, dist.join(PREVIOUS).join(&digest.0)).unwrap();
    fs::write(&replaced, "half a text").unwrap();
    let before = fs::metadata(&left).unwrap().ino();
    build_from(content.path(), &dist);
    assert_eq!(fs::metadata(&left).unwrap().ino(), before);
    assert_eq!(fs::read(&replaced).unwrap(), fs::read(&left).unwrap());
}

#[test]
fn failed_first_build_leaves_no_file() {
    let content = editable();
    let now = tests::NOW.parse().unwrap();
    let loading = Loading { content: content.path(), site_url: Some(tests::SITE_URL), now, drafts: false };
    let loaded = load(&loading).unwrap();
    let theme = Theme::load(&tests::templates()).unwrap();
    edit(&content.path().join("pages/about/en.md"), "\n---\n\n", "\n---\n\nToo late. ");
    let place = TempDir::new().unwrap();
    let sandbox_key = &loaded.site.settings.sandbox_key;
    let publishing =
        Publishing { out: place.path(), sandbox_key, compression: Compression::Fast, ..tests::publishing() };
    publish(&Renderer::new(&loaded.site, &theme).plan().unwrap(), &publishing).unwrap_err();
    let left: Vec<String> = files_below(place.path()).into_keys().filter(|name| name != ".lock").collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn files_of_a_killed_build_are_deleted_by_the_next_one() {
    let content = editable();
    let firm = build(content.path());
    let dist = firm.dist();
    let old = files_below(&dist);
    // Two pages of the killed build, a path that leads outside, and a page of the build in force.
    fs::create_dir_all(dist.join("en/publications/deep")).unwrap();
    fs::write(dist.join("en/publications/withdrawn.html"), "a page that was never in force").unwrap();
    fs::write(dist.join("en/publications/deep/withdrawn.html"), "another").unwrap();
    let outside = dist.parent().unwrap().join("outside");
    fs::write(&outside, "not ours").unwrap();
    let list = "en/publications/withdrawn.html\nen/publications/deep/withdrawn.html\n../outside\nen/about.html\n";
    fs::write(dist.join(".unsettled"), list).unwrap();
    build_from(content.path(), &dist);
    assert_eq!(files_below(&dist), old);
    assert!(!dist.join("en/publications/deep").exists() && !dist.join(".unsettled").exists());
    assert!(outside.exists());
}

#[cfg(unix)]
#[test]
fn symlink_inside_the_folder_leads_no_file_out_of_it() {
    use std::os::unix::fs::symlink;
    let content = editable();
    let elsewhere = TempDir::new().unwrap();
    let out = TempDir::new().unwrap();
    let theirs = elsewhere.path().join("theirs");
    fs::write(&theirs, "theirs").unwrap();
    let ours = ["en.html", ".unsettled", ".manifest.json", ".build.json", "manifest.json"];
    for file in ours.into_iter().chain([".lock"]) {
        symlink(&theirs, out.path().join(file)).unwrap();
    }
    build_from(content.path(), out.path());
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    assert!(ours.iter().all(|file| !out.path().join(file).is_symlink()));
    // As long as the right content, so that the length does not reveal the change.
    let robots = out.path().join("robots.txt");
    let length = fs::metadata(&robots).unwrap().len();
    fs::write(&theirs, vec![b'x'; usize::try_from(length).unwrap()]).unwrap();
    fs::remove_file(&robots).unwrap();
    symlink(&theirs, &robots).unwrap();
    build_from(content.path(), out.path());
    assert!(!robots.is_symlink() && fs::read_to_string(&robots).unwrap().contains("Sitemap:"));
    let copy = elsewhere.path().join("en");
    fs::rename(out.path().join("en"), &copy).unwrap();
    symlink(&copy, out.path().join("en")).unwrap();
    let refused = tests::try_build_from(content.path(), out.path()).unwrap_err();
    assert!(refused.contains("it is a symbolic link"), "{refused}");
    fs::remove_dir_all(&copy).unwrap();
    let out = TempDir::new().unwrap();
    symlink(elsewhere.path(), out.path().join("en")).unwrap();
    let refused = tests::try_build_from(content.path(), out.path()).unwrap_err();
    assert!(refused.contains("en belongs to no build"), "{refused}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 1);
}

#[test]
fn foreign_folder_is_left_unchanged() {
    let content = editable();
    for file in ["manifest.json", ".previous/notes", "robots.txt", "en/about.html", "tr.html.br", "en"] {
        let out = TempDir::new().unwrap();
        for (file, text) in [(file, "theirs"), ("photos/holiday.txt", "theirs, too")] {
            let file = out.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        // The lock of a build that was killed at its start.
        fs::write(out.path().join(".lock"), "").unwrap();
        let before = files_below(out.path());
        // Every attempt is refused.
        for _ in 0..2 {
            let refused = tests::try_build_from(content.path(), out.path()).unwrap_err();
            assert!(refused.contains("belongs to no build"), "{file}: {refused}");
        }
        let after = files_below(out.path());
        assert!(before.iter().all(|(file, bytes)| after.get(file) == Some(bytes)), "{file}: {:?}", after.keys());
        assert!(!after.keys().any(|file| file.ends_with(".html") && file != "en/about.html"), "{:?}", after.keys());
        // Without the obstacle the folder is used, and the report names foreign files.
        fs::remove_dir_all(out.path().join(".previous")).or_else(|_| fs::remove_file(out.path().join(file))).unwrap();
        assert_eq!(tests::try_build_from(content.path(), out.path()).unwrap().foreign, ["photos/holiday.txt"]);
        fs::write(out.path().join("manifest.json"), "damaged").unwrap();
        tests::try_build_from(content.path(), out.path()).unwrap();
    }
}

#[test]
fn text_may_link_to_every_route_of_the_build() {
    let content = editable();
    let manifest = build(content.path()).manifest();
    // Attachments are linked by file name; pages have rules of their own.
    let addresses =
        manifest.routes.iter().filter(|route| !matches!(route.class, Class::Asset | Class::Page | Class::Twin));
    let more = [routes::MCP, routes::ACCESS, "/en/laws/4857", "/tr/kanunlar/4857.md"];
    let addresses: Vec<_> = addresses.map(|route| route.path.as_str()).chain(more).collect();
    for address in [routes::API_BASE, routes::TEAM, routes::CONTENT_SKILL, routes::ROBOTS_TXT, "/tr/atom.xml"] {
        assert!(addresses.contains(&address), "{address}");
    }
    let links = addresses.iter().map(|address| format!("- [{address}]({address})\n"));
    let file = content.path().join("practice-areas/tax/en.md");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.clone() + "\n" + &links.collect::<String>()).unwrap();
    assert_eq!(build(content.path()).manifest().routes.len(), manifest.routes.len());
    // A link to a redirect is a warning that names the target: twins, archives, slugs of the other language.
    for kind in ["/en/team/z-cinar.md", "/en/yayinlar/2026", "/tr/about"] {
        assert!(manifest.redirects.iter().any(|redirect| redirect.from.contains(kind)), "{kind}");
    }
    // At most 20 findings of one kind are reported for a file.
    // Texts cannot link to an address with a space, and one with a query is the home page's.
    let links: Vec<_> = manifest.redirects.iter().filter(|redirect| !redirect.from.contains(['?', ' '])).collect();
    for redirects in links.chunks(20) {
        let links = redirects.iter().map(|redirect| format!("- [{0}]({0})\n", redirect.from));
        fs::write(&file, text.clone() + "\n" + &links.collect::<String>()).unwrap();
        let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
        let loaded = load(&Loading { content: content.path(), site_url: None, now, drafts: false });
        let report = loaded
            .map_or_else(|found| found.to_text(Locale::En, false), |loaded| loaded.warnings.to_text(Locale::En, false));
        for redirect in redirects {
            let (link, remedy) = (format!("`{}` is", redirect.from), format!("write `{}`", redirect.to));
            let is_reported = report.split("\n\n").any(|finding| finding.contains(&link) && finding.contains(&remedy));
            assert!(is_reported, "{}:\n{report}", redirect.from);
        }
        assert!(!report.contains("error["), "{report}");
    }
}

#[test]
fn files_of_editors_and_systems_are_skipped() {
    let (content, templates, out) = (editable(), TempDir::new().unwrap(), TempDir::new().unwrap());
    copy_folder(&tests::templates(), templates.path());
    let plain = build(content.path());
    let hidden =
        ["pages/about/.en.md.swp", "team/ayse-yilmaz/._portrait.svg", ".DS_Store", ".git/config.toml", ".old/x.md"];
    let in_templates =
        ["assets/.DS_Store", "assets/css/.site.css.swp", "assets/.git/index", "pages/.page.html", ".per_locale/x.html"];
    let folders = [(content.path(), hidden), (templates.path(), in_templates)];
    for (folder, file) in folders.into_iter().flat_map(|(folder, files)| files.map(|file| (folder, file))) {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), "{% not a template %}").unwrap();
    }
    let publishing = Publishing { out: out.path(), ..tests::publishing() };
    tests::build_with(content.path(), templates.path(), publishing).unwrap();
    assert!(files_below(out.path()) == files_below(&plain.dist()));
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let loaded = load(&Loading { content: content.path(), site_url: None, now, drafts: false }).unwrap();
    assert!(
        loaded.warnings.to_text(Locale::En, false).starts_with("no findings"),
        "{}",
        loaded.warnings.to_text(Locale::En, false)
    );
}

#[test]
fn suggested_spellings_without_a_space_are_accepted() {
    let content = editable();
    let file = content.path().join("publications/remote-work/en.md");
    let text = fs::read_to_string(&file).unwrap();
    for name in ["time line.svg", "100% (of it).svg"] {
        fs::copy(file.with_file_name("timeline.svg"), file.with_file_name(name)).unwrap();
    }
    let findings_of = |slip: &str| {
        fs::write(&file, format!("{text}\n{slip}\n")).unwrap();
        let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
        let loaded = load(&Loading { content: content.path(), site_url: None, now, drafts: false });
        loaded.map_or_else(|found| found.to_text(Locale::En, false), |_| String::new())
    };
    for (slip, remedy) in [
        ("[x](tel:+90 212 555 01 01)", Some("tel:+902125550101")),
        ("[x](tel:+90 (212) 555 01 01)", Some("tel:+90(212)5550101")),
        ("[x](https://law.example/a b \"Title\")", Some("https://law.example/a%20b \"Title\"")),
        ("[x](http://law.example/a b)", Some("http://law.example/a%20b")),
        ("[x](mailto:info @law.example?subject=A word)", Some("mailto:info@law.example?subject=A%20word")),
        ("![Line](time line.svg)", Some("<time line.svg>")),
        ("[x](time line.svg)", Some("<time line.svg>")),
        ("![Line](100%25 (of it).svg)", Some("<100%25 (of it).svg>")),
        ("[x](https://law.example/a \"The \"best\" firm\")", Some(r#"https://law.example/a "The \"best\" firm""#)),
        ("[x](/en/about \"Our \"team\"\")", Some(r#"/en/about "Our \"team\"""#)),
        ("[x](http://law.example/a b 'It's ours')", Some(r"http://law.example/a%20b 'It\'s ours'")),
        ("[x](/en/about \"Our team)", Some("/en/about \"Our team\"")),
        ("![Line](timeline.svg \"The \"line\"\")", Some(r#"timeline.svg "The \"line\"""#)),
        ("[x](/en/about \"Our\" team)", None),
        ("[x](https://exa mple/)", None),
        ("[x](tel:the desk)", None),
        ("[x](mailto:the desk)", None),
        ("[x](/en/a b)", None),
        ("[x](@/team/ayse yilmaz)", None),
        ("![Line](/assets/time line.svg)", None),
        ("![Line](https://law.example/time line.svg)", None),
        ("[x](https://law.example/a b", None),
        ("[x](https://law.example/a\nb)", None),
    ] {
        let report = findings_of(slip);
        assert!(report.contains("error[E0307]"), "{slip}: {report}");
        let offered = report.split_once("^ write `").map(|(_, rest)| rest.split('`').next().unwrap());
        assert_eq!(offered, remedy, "{slip}: {report}");
        assert!(remedy.is_some() || !report.contains("%20") && !report.contains("write `<"), "{report}");
        if let Some(remedy) = remedy {
            let (before, _) = slip.split_once("](").unwrap();
            assert_eq!(findings_of(&format!("{before}]({remedy})")), "", "{slip}");
        }
    }
}

#[test]
fn every_file_of_a_build_is_named_by_its_manifest() {
    let firm = build(&content_of("content"));
    let manifest = firm.manifest();
    let variants = manifest
        .routes
        .iter()
        .flat_map(|route| &route.variants)
        .chain(manifest.not_found.iter().flat_map(|answer| &answer.variants))
        .chain(manifest.parts.iter().map(|part| &part.variant));
    let mut named: Vec<String> = variants
        .flat_map(|variant| {
            let encodings = &variant.encodings;
            let forms = [(".br", &encodings.br), (".zst", &encodings.zstd), (".gz", &encodings.gzip)];
            let siblings = forms.into_iter().filter(|(_, form)| form.is_some());
            let siblings: Vec<_> = siblings.map(|(suffix, _)| format!("{}{suffix}", variant.file)).collect();
            siblings.into_iter().chain([variant.file.clone()])
        })
        .chain([FILE_NAME.to_owned()])
        .collect();
    named.sort();
    named.dedup();
    let present: Vec<String> = files_below(&firm.dist()).into_keys().collect();
    assert_eq!(present, named);
}
