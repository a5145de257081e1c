//! The editor in the browser, as the service answers. That it works is judged in a browser (`tests/tools/editor.mjs`).

use std::{fs, path::Path};

use contract::{manifest::Class, media, routes};
use site::EditorFile;
use tempfile::TempDir;
use tests::{Firm as _, build_with_editor, built, content_of, copy_folder, files_below};

const SETTINGS: &str =
    "\n[editor]\nforge = \"gitea\"\nrepository = \"firm/site\"\nserver = \"https://git.firm.example\"\n";

fn edited(folder: &Path) -> tests::BuiltFirm {
    copy_folder(&content_of("firm"), folder);
    let settings = folder.join("site.toml");
    fs::write(&settings, fs::read_to_string(&settings).unwrap() + SETTINGS).unwrap();
    let file = |path: String, media_type, bytes: &str| EditorFile { path, media_type, bytes: bytes.into() };
    let program = format!("{}/start.js", routes::ADMIN);
    build_with_editor(
        folder,
        vec![file(routes::ADMIN.to_owned(), media::HTML, "<!doctype html>"), file(program, media::JAVASCRIPT, "1")],
    )
}

#[test]
fn editor_has_a_policy_of_its_own_and_is_not_indexed() {
    let folder = TempDir::new().unwrap();
    let service = edited(folder.path()).serve();
    for path in [routes::ADMIN.to_owned(), format!("{}/start.js", routes::ADMIN)] {
        let reply = service.get(&path, &[]);
        assert_eq!(reply.status, 200, "{path}");
        assert_eq!(reply.header("x-robots-tag"), Some("noindex"));
        let policy = reply.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(policy.ends_with("connect-src 'self' blob: data: https://git.firm.example"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'"), "{policy}");
    }
    for path in [routes::SITEMAP, routes::ROBOTS_TXT, routes::LLMS_TXT, "/en", "/tr"] {
        assert!(!service.get(path, &[]).text().contains(routes::ADMIN), "{path}");
    }
}

#[test]
fn editor_changes_no_public_file_and_is_absent_by_default() {
    let folder = TempDir::new().unwrap();
    let (with, without) = (edited(folder.path()), built("firm"));
    let mut files = files_below(&with.dist());
    files.retain(|path, _| !path.starts_with("admin/") && path != "manifest.json");
    let mut others = files_below(&without.dist());
    others.remove("manifest.json");
    assert!(files == others);
    assert!(!without.manifest().classes.contains_key(&Class::Editor));
    assert_eq!(without.serve().get(routes::ADMIN, &[]).status, 404);
}
