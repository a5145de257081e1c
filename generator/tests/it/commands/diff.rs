//! `diff`: its report about two builds.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{NOW, copy, run, text};

fn build_to_folder(content: &Path) -> TempDir {
    let out = tempfile::tempdir().unwrap();
    let [from, to] = [content, out.path()].map(|folder| folder.to_str().unwrap().to_owned());
    let done = run(&["build", "--now", NOW, "--content", &from, "--out", &to, "--compression", "none"]);
    assert!(done.status.success(), "{}", text(&done.stderr));
    out
}

fn diff(old: &Path, new: &Path, format: &str) -> String {
    let output = run(&["diff", old.to_str().unwrap(), new.to_str().unwrap(), "--format", format]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn edit(content: &Path, file: &str, change: impl FnOnce(String) -> String) {
    let file = content.join(file);
    let before = fs::read_to_string(&file).unwrap();
    fs::write(file, change(before)).unwrap();
}

#[test]
fn diff_of_a_build_with_itself_is_empty() {
    let content = copy();
    let build = build_to_folder(content.path());
    assert_eq!(diff(build.path(), build.path(), "text"), "no address differs\n");
    let difference: Value = serde_json::from_str(&diff(build.path(), build.path(), "json")).unwrap();
    assert_eq!(difference["pages"]["tr"], json!({ "added": [], "changed": [], "restyled": [], "removed": [] }));
}

#[test]
fn diff_names_clauses_that_are_gone_or_renumbered() {
    let content = copy();
    let article = "publications/tax-settlement/en.md";
    let clauses = "\nArticle 1 – (1) Scope:\n(a) one,\n(b) two,\n(c) three.\n\n## Article 2\n\n(1) Costs.\n";
    edit(content.path(), article, |text| text + clauses);
    let old = build_to_folder(content.path());
    edit(content.path(), article, |text| {
        text.replace("(a) one,\n", "(a) new,\n(b) one,\n")
            .replace("(b) two,\n(c) three.", "(c) two,")
            .replace("## Article 2", "## Article 3")
    });
    let new = build_to_folder(content.path());
    let difference: Value = serde_json::from_str(&diff(old.path(), new.path(), "json")).unwrap();
    let page = "/en/publications/settlement-before-assessment";
    let gone = ["article.2", "article-2", "article.2.1"].map(|anchor| format!("{page}#{anchor}"));
    assert_eq!(difference["pages"]["en"]["anchors"], json!(gone));
    // The third one is gone, and the second one has its letter.
    let address = |letter| format!("{page}#article.1.1.{letter}");
    let moved = [("a", Some("b")), ("b", Some("c")), ("c", None)]
        .map(|(from, to)| json!({ "anchor": address(from), "now": to.map(address) }));
    assert_eq!(difference["pages"]["en"]["moved_anchors"], json!(moved));
    let text = diff(old.path(), new.path(), "text");
    assert!(text.contains(&format!("  - {page}#article.1.1.a -> {page}#article.1.1.b\n")), "{text}");
    assert!(text.contains(&format!("  - {page}#article.1.1.c -> ?\n")), "{text}");
    let comment = diff(old.path(), new.path(), "markdown");
    assert!(comment.contains(&format!("anchor of another clause: `{page}#article.1.1.b`")), "{comment}");
    assert!(comment.contains(&format!("`{page}#article.1.1.c`**; its former words are gone")), "{comment}");
}

#[test]
fn diff_names_new_changed_and_removed_addresses_by_language() {
    let content = copy();
    let old = build_to_folder(content.path());
    edit(content.path(), "pages/about/tr.md", |text| text.replace("\n## ", "\n## Yeni ") + "\nYeni bir cümle.\n");
    // One article gets another slug and keeps the former one, one vanishes without a trace.
    edit(content.path(), "publications/remote-work/en.md", |text| {
        let renamed = text.replace("slug: remote-work-agreements", "slug: working-from-home");
        renamed.replace("aliases: [remote-work]", "aliases: [remote-work, remote-work-agreements]")
    });
    fs::remove_dir_all(content.path().join("publications/tax-settlement")).unwrap();
    let page = content.path().join("pages/careers");
    fs::create_dir(&page).unwrap();
    for (locale, slug, title) in [("en", "careers", "Careers"), ("tr", "kariyer", "Kariyer")] {
        let text = format!(
            "---\ntitle: {title}\nslug: {slug}\ndescription: {title} and what this firm offers those who would like to work here.\nupdated: 2026-11-01\n---\n\n{title}.\n"
        );
        fs::write(page.join(format!("{locale}.md")), text).unwrap();
    }
    let new = build_to_folder(content.path());
    let difference: Value = serde_json::from_str(&diff(old.path(), new.path(), "json")).unwrap();
    let pages = &difference["pages"];
    assert_eq!(pages["en"]["added"], json!(["/en/careers", "/en/publications/working-from-home"]));
    assert_eq!(pages["tr"]["added"], json!(["/tr/kariyer"]));
    assert!(pages["tr"]["changed"].as_array().unwrap().contains(&json!("/tr/hakkimizda")), "{pages}");
    assert!(!pages["en"]["changed"].as_array().unwrap().contains(&json!("/en/about")), "{pages}");
    assert_eq!(pages["tr"]["anchors"], json!(["/tr/hakkimizda#buro"]));
    let removed = pages["en"]["removed"].as_array().unwrap();
    let renamed = removed.iter().find(|it| it["path"] == "/en/publications/remote-work-agreements").unwrap();
    assert_eq!(renamed["redirect"], "/en/publications/working-from-home");
    let lost = removed.iter().find(|it| it["path"] == "/en/publications/settlement-before-assessment").unwrap();
    assert_eq!(lost["redirect"], Value::Null);
    assert!(difference["programs"]["changed"].as_array().unwrap().contains(&json!("/api/v1/publications?locale=tr")));

    let comment = diff(old.path(), new.path(), "markdown");
    for line in [
        "- new: `/en/careers`\n",
        "- new: `/tr/kariyer`\n",
        "- gone: `/en/publications/remote-work-agreements`, leads to `/en/publications/working-from-home`\n",
        "- **gone: `/en/publications/settlement-before-assessment`, without a redirect**\n",
        " gone without a redirect:** ",
        "- **anchor gone: `/tr/hakkimizda#buro`**\n",
    ] {
        assert!(comment.contains(line), "{line} in {comment}");
    }
    let printed = diff(old.path(), new.path(), "text");
    assert!(printed.contains("  + /en/careers\n") && printed.contains("warning: "), "{printed}");
    assert!(printed.contains("  - /tr/hakkimizda#buro\n"), "{printed}");
}

#[test]
fn diff_names_former_addresses_that_lead_nowhere_any_more() {
    let content = copy();
    edit(content.path(), "publications/remote-work/en.md", |text| {
        text.replace("aliases: [remote-work]", "aliases: [remote-work, /2019/05/12/remote-work/, \"/?p=124\"]")
    });
    let old = build_to_folder(content.path());
    edit(content.path(), "publications/remote-work/en.md", |text| {
        text.replace("aliases: [remote-work, /2019/05/12/remote-work/, \"/?p=124\"]\n", "")
    });
    let new = build_to_folder(content.path());
    let difference: Value = serde_json::from_str(&diff(old.path(), new.path(), "json")).unwrap();
    let removed: Vec<_> =
        difference["pages"]["en"]["removed"].as_array().unwrap().iter().map(|it| &it["path"]).collect();
    for path in ["/en/publications/remote-work", "/2019/05/12/remote-work", "/?p=124"] {
        assert!(removed.contains(&&json!(path)), "{path} in {removed:?}");
    }
    assert!(diff(old.path(), new.path(), "text").contains("  - /2019/05/12/remote-work"));
}

#[test]
fn diff_advises_aliases_for_pages_only() {
    let content = copy();
    let article = "publications/tax-settlement/en.md";
    edit(content.path(), article, |text| text + "\n[The form](form.pdf)\n");
    fs::write(content.path().join("publications/tax-settlement/form.pdf"), "%PDF-1.7\n%%EOF\n").unwrap();
    let old = build_to_folder(content.path());
    edit(content.path(), article, |text| text.replace("\n[The form](form.pdf)\n", ""));
    fs::remove_file(content.path().join("publications/tax-settlement/form.pdf")).unwrap();
    let new = build_to_folder(content.path());
    for format in ["text", "markdown"] {
        let report = diff(old.path(), new.path(), format);
        assert!(report.contains("/files/form.pdf") && report.contains("no alias leads to a file"), "{report}");
        assert!(!report.contains("`aliases`"), "{report}");
    }
}

#[test]
fn diff_of_other_folders_names_the_expected_arguments() {
    let (content, empty) = (copy(), tempfile::tempdir().unwrap());
    let build = build_to_folder(content.path());
    let compare = |old: &Path| run(&["diff", old.to_str().unwrap(), build.path().to_str().unwrap()]);
    assert!(text(&compare(empty.path()).stderr).contains("name two folders that `generator build` wrote"));
    fs::write(empty.path().join("manifest.json"), "{\"format\": 99}").unwrap();
    let refused = compare(empty.path());
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("is not the manifest of a build of this version"));
}
