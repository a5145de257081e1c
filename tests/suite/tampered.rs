//! Tampering with `dist/`: a build trusts no name and no digest there, and writes and removes nothing outside.

use std::{fs, path::Path};

use contract::manifest::{FILE_NAME, PREVIOUS};
use publish::Publishing;
use serde_json::Value;
use tempfile::TempDir;
use tests::{
    BuiltFirm, Firm as _, build_from, build_with, built, content_of, copy_folder, files_below, publishing,
    try_build_from,
};

fn firm() -> BuiltFirm {
    built("firm")
}

/// Rewrites the manifest.
fn tamper(dist: &Path, change: impl FnOnce(&mut Value)) {
    let path = dist.join(FILE_NAME);
    let mut manifest: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    change(&mut manifest);
    fs::write(path, serde_json::to_vec(&manifest).unwrap()).unwrap();
}

#[test]
fn paths_out_of_the_folder_are_not_followed() {
    let firm = firm();
    let dist = firm.dist();
    let clean = files_below(&dist);
    let outside = dist.parent().unwrap().join("precious");
    let kept = dist.join(PREVIOUS);
    let lies = [
        ("file", outside.to_str().unwrap().to_owned(), "aa"),
        ("file", "../precious".to_owned(), "aa"),
        ("digest", "../../precious".to_owned(), "index.html"),
    ];
    for (member, lie, previous) in lies {
        fs::write(&outside, "theirs").unwrap();
        fs::create_dir_all(&kept).unwrap();
        fs::write(kept.join(previous), "evil").unwrap();
        tamper(&dist, |manifest| {
            let variant = &mut manifest["routes"][0]["variants"][0];
            if member == "file" {
                variant["digest"] = previous.into();
            }
            variant[member] = lie.as_str().into();
        });
        build_from(&content_of("firm"), &dist);
        assert_eq!(fs::read_to_string(&outside).unwrap(), "theirs", "{member}: {lie}");
        assert_eq!(files_below(&dist), clean, "{member}: {lie}");
    }
}

#[cfg(unix)]
#[test]
fn symlinked_folder_is_neither_restored_nor_emptied() {
    use std::os::unix::fs::symlink;
    let firm = firm();
    let dist = firm.dist();
    let elsewhere = TempDir::new().unwrap();
    fs::write(elsewhere.path().join("about.html"), "theirs").unwrap();
    fs::write(elsewhere.path().join("withdrawn.html"), "theirs").unwrap();
    let page = dist.join("en/about.html");
    let manifest = firm.manifest();
    let mut variants = manifest.routes.iter().flat_map(|route| &route.variants);
    let digest = variants.find(|variant| variant.file == "en/about.html").unwrap().digest.clone();
    fs::create_dir(dist.join(PREVIOUS)).unwrap();
    fs::rename(&page, dist.join(PREVIOUS).join(&digest.0)).unwrap();
    fs::rename(dist.join("en"), dist.join("moved")).unwrap();
    symlink(elsewhere.path(), dist.join("en")).unwrap();
    let refused = try_build_from(&content_of("firm"), &dist).unwrap_err();
    assert!(refused.contains("it is a symbolic link"), "{refused}");
    fs::remove_dir_all(dist.join(PREVIOUS)).unwrap();
    fs::write(dist.join(".unsettled"), "en/withdrawn.html\n").unwrap();
    let refused = try_build_from(&content_of("firm"), &dist).unwrap_err();
    assert!(refused.contains("it is a symbolic link"), "{refused}");
    for file in ["about.html", "withdrawn.html"] {
        assert_eq!(fs::read_to_string(elsewhere.path().join(file)).unwrap(), "theirs");
    }
}

#[test]
fn altered_digest_does_not_reach_the_next_manifest() {
    let firm = firm();
    let dist = firm.dist();
    let clean = files_below(&dist);
    for member in ["digest", "size"] {
        tamper(&dist, |manifest| {
            let mut variants = manifest["routes"].as_array_mut().unwrap().iter_mut().map(|it| &mut it["variants"][0]);
            let compressed = variants.find_map(|variant| variant["encodings"].get_mut("br")).unwrap();
            let other = compressed["digest"].as_str().unwrap().chars().rev().collect::<String>();
            compressed[member] = if member == "size" { 1.into() } else { other.into() };
        });
        build_from(&content_of("firm"), &dist);
        assert_eq!(files_below(&dist), clean, "{member}");
    }
}

#[test]
fn compressed_variant_with_other_content_is_rewritten() {
    let firm = firm();
    let dist = firm.dist();
    let clean = files_below(&dist);
    let other = fs::read(dist.join("tr.html.br")).unwrap();
    fs::write(dist.join("en.html.br"), &other).unwrap();
    tamper(&dist, |manifest| {
        let variants = manifest["routes"].as_array_mut().unwrap().iter_mut().map(|it| &mut it["variants"][0]);
        let variants: Vec<&mut Value> = variants.collect();
        let theirs = variants.iter().find(|it| it["file"] == "tr.html").unwrap()["encodings"]["br"].clone();
        for variant in variants.into_iter().filter(|it| it["file"] == "en.html") {
            variant["encodings"]["br"] = theirs.clone();
        }
    });
    build_from(&content_of("firm"), &dist);
    assert_eq!(files_below(&dist), clean);
}

#[test]
fn unfinished_copy_does_not_replace_a_complete_one() {
    let firm = firm();
    let dist = firm.dist();
    let clean = files_below(&dist);
    let digest = firm.manifest().routes[0].variants[0].digest.clone();
    fs::create_dir(dist.join(PREVIOUS)).unwrap();
    fs::write(dist.join(PREVIOUS).join(&digest.0), "half").unwrap();
    let report = build_from(&content_of("firm"), &dist);
    assert_eq!((report.written, files_below(&dist)), (0, clean));
}

#[test]
fn failure_after_all_writes_leaves_the_old_build_intact() {
    let firm = firm();
    let dist = firm.dist();
    let templates = TempDir::new().unwrap();
    copy_folder(&tests::templates(), templates.path());
    let style = templates.path().join("assets/css/site.css");
    fs::write(&style, fs::read_to_string(&style).unwrap() + "\nbody { margin: 1px }\n").unwrap();
    let clean = files_below(&dist);
    // A folder in the place of the list of retained files makes its write fail.
    let obstacle = dist.join(".kept.json.new");
    fs::create_dir(&obstacle).unwrap();
    fs::write(obstacle.join("full"), "").unwrap();
    let publish = || build_with(&content_of("firm"), templates.path(), Publishing { out: &dist, ..publishing() });
    let refused = publish().unwrap_err();
    assert!(refused.contains("the current build is unchanged"), "{refused}");
    fs::remove_dir_all(&obstacle).unwrap();
    assert_eq!(files_below(&dist), clean);
    assert!(publish().unwrap().written > 0);
}
