//! `build`: its output folder and its messages.

use std::{
    collections::BTreeMap,
    fs, io,
    os::unix::fs::{MetadataExt as _, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use brotlic::DecompressorReader;
use libdeflater::Decompressor;
use tempfile::TempDir;
use walkdir::WalkDir;

use super::{NOW, copy, copy_of, firm, generator, run, templates, text};

/// Returns the command that builds `content` into `out`.
fn building(content: &Path, out: &Path) -> Command {
    let mut command = generator();
    command.args(["build", "--now", NOW, "--content"]).arg(content).arg("--templates").arg(templates());
    command.arg("--out").arg(out);
    command
}

/// Builds, and returns the messages of the program.
fn build_output(content: &Path, out: &Path, arguments: &[&str]) -> String {
    let output = building(content, out).args(arguments).output().unwrap();
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    stderr
}

#[test]
fn broken_template_is_one_error_with_its_place() {
    let (templates, out) = (copy_of(&templates()), tempfile::tempdir().unwrap());
    fs::write(templates.path().join("pages/team.html"), "{% if %}").unwrap();
    let (folder, to) = (templates.path().to_str().unwrap(), out.path().to_str().unwrap());
    let content = firm();
    let refused =
        run(&["build", "--now", NOW, "--content", content.to_str().unwrap(), "--templates", folder, "--out", to]);
    let stderr = text(&refused.stderr);
    assert!(!refused.status.success() && stderr.contains("pages/team.html:1:"), "{stderr}");
    assert_eq!(stderr.matches("error[E0701]").count(), 1, "{stderr}");
    assert!(stderr.contains("1 error in "), "{stderr}");
    assert!(!out.path().join("manifest.json").exists());
}

/// Returns every file below `folder` with its inode number and its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, (u64, Vec<u8>)> {
    let entries = WalkDir::new(folder).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    let file = |entry: walkdir::DirEntry| {
        let inode = entry.metadata().unwrap().ino();
        (entry.path().to_owned(), (inode, fs::read(entry.path()).unwrap()))
    };
    entries.map(file).collect()
}

#[test]
fn unknown_files_are_reported() {
    let out = tempfile::tempdir().unwrap();
    let build = || build_output(&firm(), out.path(), &["--compression", "fast"]);
    fs::write(out.path().join("README.md"), "What this folder is for.").unwrap();
    assert!(!build().contains("warning"));
    for stranger in ["en/team/gone.html", "robots.old"] {
        fs::write(out.path().join(stranger), "<p>Gone").unwrap();
    }
    assert!(!build().contains("warning"), "what its owner put there is not looked at each time");
    fs::remove_file(out.path().join("manifest.json")).unwrap();
    let stderr = build();
    assert!(stderr.contains("warning: ") && stderr.contains("2 in all, such as en/team/gone.html"), "{stderr}");
    assert!(out.path().join("en/team/gone.html").exists());
}

#[test]
fn output_does_not_depend_on_the_number_of_threads() {
    let built = ["1", "2", "7"].map(|threads| {
        let out = tempfile::tempdir().unwrap();
        let status = building(&firm(), out.path()).env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert_eq!(status.status.code(), Some(0), "{}", text(&status.stderr));
        let below = |(path, (_, bytes)): (PathBuf, _)| (path.strip_prefix(out.path()).unwrap().to_owned(), bytes);
        files(out.path()).into_iter().map(below).collect::<BTreeMap<_, _>>()
    });
    assert!(built[0].len() > 100);
    assert!(built.iter().all(|files| *files == built[0]), "more or fewer threads make another build");
}

#[test]
fn faulty_content_exits_with_status_one_and_keeps_the_old_build() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    let build = || building(content.path(), out.path()).args(["--compression", "none"]).output().unwrap();
    let first = build();
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let before = files(out.path());
    assert!(before.len() > 100);
    let page = content.path().join("pages/about/en.md");
    let changed = fs::read_to_string(&page).unwrap() + "\nOne more sentence.\n";
    fs::write(&page, &changed).unwrap();
    // Nothing of that change may be written, since two other files are faulty.
    for wrong in ["team/ayse-yilmaz/en.md", "practice-areas/tax/tr.md"] {
        let file = content.path().join(wrong);
        fs::write(&file, fs::read_to_string(&file).unwrap().replacen("---\n", "---\nslugg: x\n", 1)).unwrap();
    }
    let refused = build();
    let stderr = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{stderr}");
    assert!(stderr.contains("ayse-yilmaz/en.md:2:1") && stderr.contains("tax/tr.md:2:1"), "{stderr}");
    assert!(files(out.path()) == before, "a file was touched");
}

/// Returns the size in bytes of each compressed variant of every page, and checks that each unpacks to the page.
fn forms(out: &Path) -> BTreeMap<PathBuf, [usize; 3]> {
    // Files below `.parts` replace pages and have no compressed variants.
    let is_page = |file: &PathBuf| {
        file.extension().is_some_and(|ending| ending == "html") && !file.starts_with(out.join(".parts"))
    };
    let pages = files(out).into_iter().filter(|(file, _)| is_page(file));
    let form_of = |file: &Path, ending: &str, decode: &dyn Fn(&[u8]) -> Vec<u8>, page: &[u8]| {
        let form = fs::read(file.with_added_extension(ending)).unwrap();
        assert!(form.len() < page.len() && decode(&form) == page, "{}.{ending}", file.display());
        form.len()
    };
    let of_page = |(file, (_, page)): (PathBuf, (u64, Vec<u8>))| {
        let unzipped = |form: &[u8]| {
            let mut out = vec![0; page.len()];
            let length = Decompressor::new().gzip_decompress(form, &mut out).unwrap();
            out.truncate(length);
            out
        };
        let sizes = [
            form_of(&file, "br", &|form| read_all(DecompressorReader::new(form)), &page),
            form_of(&file, "zst", &|form| zstd::bulk::decompress(form, page.len()).unwrap(), &page),
            form_of(&file, "gz", &unzipped, &page),
        ];
        (file.strip_prefix(out).unwrap().to_owned(), sizes)
    };
    pages.map(of_page).collect()
}

fn read_all(mut from: impl io::Read) -> Vec<u8> {
    let mut all = Vec::new();
    from.read_to_end(&mut all).unwrap();
    all
}

#[test]
fn best_compression_is_smaller_than_fast_and_none_writes_no_variant() {
    let out = tempfile::tempdir().unwrap();
    build_output(&firm(), out.path(), &[]);
    let usual = forms(out.path());
    build_output(&firm(), out.path(), &["--compression", "best"]);
    let best = forms(out.path());
    build_output(&firm(), out.path(), &["--compression", "fast"]);
    assert_eq!(forms(out.path()), usual, "the default");
    assert!(usual.len() > 20 && best.keys().eq(usual.keys()));
    for (page, fast) in &usual {
        let smaller = best[page].iter().zip(fast).filter(|(best, fast)| best < fast).count();
        assert_eq!(smaller, 3, "{}: {:?} of {fast:?}", page.display(), best[page]);
    }
    build_output(&firm(), out.path(), &["--compression", "none"]);
    let compressed =
        |file: &&PathBuf| ["br", "zst", "gz"].iter().any(|ending| file.extension().is_some_and(|it| it == *ending));
    assert_eq!(files(out.path()).keys().find(compressed), None);
}

#[test]
fn drafts_are_built_only_with_the_option() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    let folder = content.path().to_str().unwrap();
    let made = run(&["new", "publication", "--en", "Law of the sea", "--content", folder]);
    let file = PathBuf::from(text(&made.stdout).trim());
    fs::write(&file, fs::read_to_string(&file).unwrap() + "\nShips have a flag.\n").unwrap();
    let page = out.path().join("en/publications/law-of-the-sea.html");
    for (arguments, is_there) in [(&[][..], false), (&["--drafts"], true), (&[], false)] {
        build_output(content.path(), out.path(), arguments);
        assert_eq!(page.exists(), is_there, "{arguments:?}");
    }
}

#[test]
fn builds_never_write_into_the_folders_that_they_read() {
    let (home, content, templates) = (tempfile::tempdir().unwrap(), copy(), copy_of(&templates()));
    let link = home.path().join("link");
    symlink(content.path(), &link).unwrap();
    let before = [&content, &templates].map(|folder| files(folder.path()));
    let below = |folder: &TempDir, name: &str| folder.path().join(name);
    let outs = [below(&content, ""), below(&content, "o/p"), below(&content, "none/../o"), link.join("o"), link];
    for out in outs.into_iter().chain([below(&templates, ""), below(&templates, "pages")]) {
        for command in ["build", "watch"] {
            let mut building = generator();
            building.args([command, "--now", NOW, "--content"]).arg(content.path());
            building.arg("--templates").arg(templates.path()).arg("--out").arg(&out);
            let refused = building.output().unwrap();
            let stderr = text(&refused.stderr);
            assert_eq!(refused.status.code(), Some(1), "{command} {}: {stderr}", out.display());
            assert!(stderr.contains("name another folder with `--out`"), "{stderr}");
        }
    }
    assert_eq!([&content, &templates].map(|folder| files(folder.path())), before);
    // A folder whose name only begins with that of the content is another one.
    let mut beside = content.path().as_os_str().to_owned();
    beside.push("-dist");
    build_output(content.path(), Path::new(&beside), &[]);
    fs::remove_dir_all(beside).unwrap();
    // A build into the parent folder would publish the content; `.git` is never an output.
    let inside = home.path().join("content");
    fs::rename(content.keep(), &inside).unwrap();
    for out in [home.path(), &home.path().join(".git")] {
        let refused =
            generator().args(["build", "--now", NOW, "--content"]).arg(&inside).arg("--out").arg(out).output().unwrap();
        assert_eq!(refused.status.code(), Some(1), "{}", out.display());
        assert!(text(&refused.stderr).contains("name another folder with `--out`"), "{}", out.display());
    }
}

#[test]
fn draft_build_is_marked_and_not_indexed() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    for (arguments, is_marked) in [(&["--drafts"][..], true), (&[], false)] {
        build_output(content.path(), out.path(), arguments);
        let read = |name: &str| fs::read_to_string(out.path().join(name)).unwrap();
        let (mut pages, mut twins) = (0, 0);
        for file in files(out.path()).into_keys().filter(|file| !file.starts_with(out.path().join(".parts"))) {
            let (mark, noindex) = (["<aside class=\"draft\">", "\n> **"], "<meta name=\"robots\" content=\"noindex\">");
            let of = |locale: &str| if locale == "tr" { "Önizleme:" } else { "Preview:" };
            let name = file.strip_prefix(out.path()).unwrap().to_str().unwrap();
            let word = of(name.split(['/', '.']).next().unwrap());
            match file.extension().and_then(|ending| ending.to_str()) {
                Some("html") => {
                    let text = read(name);
                    assert_eq!(text.contains(&format!("{}<p>{word}", mark[0])), is_marked, "{name}");
                    assert_eq!(text.matches(noindex).count() == 1, is_marked || name.contains("404"), "{name}");
                    pages += 1;
                }
                Some("md")
                    if name.split('/').count() < 4 && !["auth.md"].contains(&name) && !name.contains("SKILL") =>
                {
                    assert_eq!(read(name).contains(&format!("{}{word}", mark[1])), is_marked, "{name}");
                    twins += 1;
                }
                _ => {}
            }
        }
        assert!(pages > 20 && twins == pages, "{pages} pages, {twins} twins");
        assert_eq!(read("robots.txt") == "User-agent: *\nDisallow: /\n", is_marked);
        let manifest: serde_json::Value = serde_json::from_str(&read("manifest.json")).unwrap();
        for (class, policy) in manifest["classes"].as_object().unwrap() {
            let has_field = policy["headers"].as_array().unwrap().iter().any(|field| field[0] == "x-robots-tag");
            assert_eq!(has_field, is_marked || class == "twin", "{class}");
        }
    }
}

#[test]
fn next_scheduled_change_is_in_the_json_output() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    let next = |now: &str| {
        let [from, to] = [content.path(), out.path()].map(|folder| folder.to_str().unwrap());
        let output = run(&["build", "--now", now, "--content", from, "--out", to, "--format", "json"]);
        let last: serde_json::Value = serde_json::from_str(text(&output.stdout).lines().last().unwrap()).unwrap();
        assert_eq!(last["build"].as_str().map(str::len), Some(64), "{last}");
        last["next_scheduled_change"].clone()
    };
    // `security.txt` expires at the end of a day.
    assert_eq!(next(NOW), "2027-07-01T00:00:00Z");
    let page = content.path().join("publications/founders-agreements/en.md");
    let before = fs::read_to_string(&page).unwrap();
    fs::write(&page, before.replacen("---\n", "---\nexpires: 2027-01-02T03:04:05+03:00\n", 1)).unwrap();
    assert_eq!(next(NOW), "2027-01-02T00:04:05Z");
    assert_eq!(next("2028-01-01T00:00:00Z"), serde_json::Value::Null);
    let refused = building(content.path(), out.path()).args(["--format", "sarif"]).output().unwrap();
    assert!(!refused.status.success() && text(&refused.stderr).contains("check --format sarif"));
}

#[test]
fn deny_warnings_fails_on_warnings() {
    let content = copy();
    let check = |arguments: &[&str]| {
        let folder = content.path().to_str().unwrap();
        run(&[&["check", "--now", NOW, "--content", folder], arguments].concat())
    };
    assert!(check(&["--deny", "warnings"]).status.success(), "{}", text(&check(&[]).stderr));
    fs::write(
        content.path().join("team/ayse-yilmaz/unused.svg"),
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1 1\"/>",
    )
    .unwrap();
    assert!(check(&[]).status.success());
    let denied = check(&["--deny", "warnings"]);
    assert_eq!(denied.status.code(), Some(1));
    assert!(text(&denied.stderr).contains("1 warning in "), "{}", text(&denied.stderr));
}

#[test]
fn sarif_and_annotations_have_paths_from_the_root_of_the_repository() {
    let repository = tempfile::tempdir().unwrap();
    let content = repository.path().join("site/içerik");
    crate::folder::copy(&firm(), &content);
    fs::create_dir(repository.path().join(".git")).unwrap();
    let page = content.join("pages/about/en.md");
    fs::write(&page, fs::read_to_string(&page).unwrap().replacen("---\n", "---\nslugg: x\n", 1)).unwrap();
    let mut checking = generator();
    checking.args(["check", "--format", "sarif", "--content", "içerik"]).current_dir(repository.path().join("site"));
    let output = checking.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let place = &report["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "site/i%C3%A7erik/pages/about/en.md");
    assert_eq!(place["region"]["startLine"], 2);
    // Annotations too, in whichever folder the command runs.
    for (folder, content) in [("site", "içerik"), ("site/içerik", "."), ("site/içerik/team", "..")] {
        let mut checking = generator();
        checking
            .args(["check", "--format", "github", "--content", content])
            .current_dir(repository.path().join(folder));
        let stdout = text(&checking.output().unwrap().stdout);
        assert!(stdout.starts_with("::error file=site/içerik/pages/about/en.md,line=2,"), "{folder}: {stdout}");
    }
}

#[test]
fn rewriting_of_line_ends_names_the_git_setting() {
    let repository = tempfile::tempdir().unwrap();
    let content = repository.path().join("content");
    crate::folder::copy(&firm(), &content);
    fs::create_dir(repository.path().join(".git")).unwrap();
    let page = content.join("pages/about/en.md");
    let tidy = fs::read_to_string(&page).unwrap();
    let mend = || {
        fs::write(&page, tidy.replace('\n', "\r\n")).unwrap();
        let output = run(&["check", "--fix", "--content", content.to_str().unwrap()]);
        assert!(output.status.success() && fs::read_to_string(&page).unwrap() == tidy);
        text(&output.stderr)
    };
    let stderr = mend();
    assert!(stderr.contains("`* text=auto eol=lf`") && stderr.contains(".gitattributes"), "{stderr}");
    fs::write(repository.path().join(".gitattributes"), "* text=auto eol=lf\n").unwrap();
    let stderr = mend();
    assert!(stderr.contains("rewr") && !stderr.contains(".gitattributes"), "{stderr}");
}

#[test]
fn portable_copy_links_relatively() {
    let (content, beside) = (copy(), tempfile::tempdir().unwrap());
    let out = beside.path().join("copy");
    let stderr = build_output(content.path(), &out, &["--portable", "--drafts"]);
    assert!(stderr.contains("open index.html there"), "{stderr}");
    let there = files(&out);
    let mut links = 0;
    for (file, (_, bytes)) in &there {
        let text = match file.extension().and_then(|ending| ending.to_str()) {
            Some("html" | "css") => text(bytes),
            _ => continue,
        };
        for before in ["href=\"", "src=\"", "url(\""] {
            for address in text.split(before).skip(1).filter_map(|rest| rest.split('"').next()) {
                if ["https://", "mailto:", "tel:", "#", "data:"].iter().any(|start| address.starts_with(start)) {
                    continue;
                }
                let name = address.split('#').next().unwrap();
                let target = file.parent().unwrap().join(name).canonicalize();
                assert!(target.is_ok_and(|target| target.is_file()), "{}: {address}", file.display());
                links += 1;
            }
        }
        // An attribute selector in CSS is not an address.
        let text = text.replace("^=\"/", "");
        assert!(!text.contains("=\"/") && !text.contains("url(\"/"), "{}", file.display());
    }
    assert!(links > 1000, "{links}");
    // A page with files below its address, such as the feeds of an author, is the index of a folder.
    for page in [
        "index.html",
        "tr/index.html",
        "en/team/index.html",
        "en/team/ayse-yilmaz/index.html",
        "en/team/zeynep-cinar.html",
        "404.html",
        "tr/404.html",
    ] {
        assert!(there.contains_key(&out.join(page)), "{page}");
    }
    for internal in ["manifest.json", ".parts", "en.html", "en/team.html"] {
        assert!(!out.join(internal).exists(), "{internal}");
    }
    // A later copy replaces an earlier one as a whole; any other folder is refused.
    for foreign in ["left", "en/.git"] {
        fs::write(out.join(foreign), "").unwrap();
        let refused = building(content.path(), &out).arg("--portable").output().unwrap();
        assert!(!refused.status.success() && text(&refused.stderr).contains("is not from an earlier portable copy"));
        fs::remove_file(out.join(foreign)).unwrap();
    }
    fs::write(out.join(".DS_Store"), "").unwrap();
    build_output(content.path(), &out, &["--portable"]);
    assert!(!out.join(".DS_Store").exists());
    assert_eq!(fs::read_dir(beside.path()).unwrap().count(), 1);
    let dist = tempfile::tempdir().unwrap();
    build_output(content.path(), dist.path(), &[]);
    let before = files(dist.path());
    let refused = building(content.path(), dist.path()).arg("--portable").output().unwrap();
    assert!(!refused.status.success() && text(&refused.stderr).contains("name another folder with `--out`"));
    assert_eq!(files(dist.path()), before);
}
