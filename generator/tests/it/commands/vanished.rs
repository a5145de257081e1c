//! `check` compares with git and reports public addresses that would vanish.

use std::{fs, path::Path, process::Command};

use super::{NOW, copy, run, text as words_of};

fn git(folder: &Path, arguments: &[&str]) {
    let settings = ["-c", "user.name=A", "-c", "user.email=a@firm.example", "-c", "commit.gpgsign=false"];
    let status = Command::new("git").arg("-C").arg(folder).args(settings).args(arguments).status();
    assert!(status.unwrap().success(), "{arguments:?}");
}

#[test]
fn vanished_address_is_reported_with_the_line_that_keeps_it() {
    let content = copy();
    let (folder, path) = (content.path(), content.path().to_str().unwrap());
    let check = || words_of(&run(&["check", "--now", NOW, "--content", path]).stderr);
    assert!(!check().contains("W0421"), "nothing is known without git");
    git(folder, &["init", "-q"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "one"]);
    assert!(!check().contains("W0421"));
    let article = folder.join("publications/tax-settlement/en.md");
    let before = fs::read_to_string(&article).unwrap();
    let renamed = before.replace("slug: settlement-before-assessment", "slug: tax-settlement");
    fs::write(&article, &renamed).unwrap();
    fs::remove_dir_all(folder.join("publications/electronic-notification")).unwrap();
    let linking = folder.join("publications/remote-work/en.md");
    let link = "[the notice in Turkish](/tr/yayinlar/elektronik-tebligat)";
    let text = fs::read_to_string(&linking).unwrap();
    assert!(text.contains(link));
    fs::write(&linking, text.replace(link, "the notice")).unwrap();
    let report = check();
    for words in [
        "the public address `/en/publications/settlement-before-assessment` will lead nowhere",
        "write `aliases: [settlement-before-assessment]` to redirect it here",
        "the public address `/tr/yayinlar/elektronik-tebligat` will lead nowhere",
        "to redirect readers to another entry, write `aliases: [elektronik-tebligat]` there",
    ] {
        assert!(report.contains(words), "{words}: {report}");
    }
    let kept = renamed.replace("slug: tax-settlement", "slug: tax-settlement\naliases: [settlement-before-assessment]");
    fs::write(&article, kept).unwrap();
    let other = folder.join("publications/tax-settlement/tr.md");
    let turkish = fs::read_to_string(&other).unwrap();
    fs::write(&other, turkish.replace("\nslug: ", "\naliases: [elektronik-tebligat]\nslug: ")).unwrap();
    let report = check();
    assert!(!report.contains("W0421"), "{report}");
}

#[test]
fn withdrawal_names_both_addresses_and_advice_that_is_accepted() {
    let content = copy();
    let (folder, path) = (content.path(), content.path().to_str().unwrap());
    let check = || words_of(&run(&["check", "--now", NOW, "--content", path]).stderr);
    let linking = folder.join("publications/founders-agreements/en.md");
    let text = fs::read_to_string(&linking).unwrap();
    fs::write(&linking, format!("{text}\n[The form](form.pdf)\n")).unwrap();
    fs::write(folder.join("publications/founders-agreements/form.pdf"), "%PDF-1.7\n%%EOF\n").unwrap();
    git(folder, &["init", "-q"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "one"]);
    assert!(!check().contains("W0421"), "{}", check());
    fs::write(&linking, text).unwrap();
    fs::remove_file(folder.join("publications/founders-agreements/form.pdf")).unwrap();
    let article = folder.join("publications/tax-settlement/en.md");
    let before = fs::read_to_string(&article).unwrap();
    fs::write(&article, before.replacen("\nslug: ", "\ndraft: true\nslug: ", 1)).unwrap();
    let said = check();
    for words in [
        "the public address `/en/publications/settlement-before-assessment` will lead nowhere",
        "the public address `/tr/yayinlar/tarhiyat-oncesi-uzlasma` will lead nowhere",
        "give this text another slug and write `aliases: [settlement-before-assessment]` there",
        "the public address `/files/form.pdf` will lead nowhere",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("to redirect it here"), "{said}");
    for (withdrawn, other, slug) in [
        ("tax-settlement/en.md", "founders-agreements/en.md", "settlement-before-assessment"),
        ("tax-settlement/tr.md", "electronic-notification/tr.md", "tarhiyat-oncesi-uzlasma"),
    ] {
        let change = |file: &str, from: &str, to: &str| {
            let path = folder.join("publications").join(file);
            let text = fs::read_to_string(&path).unwrap();
            assert!(text.contains(from), "{file}");
            fs::write(path, text.replacen(from, to, 1)).unwrap();
        };
        change(withdrawn, &format!("\nslug: {slug}"), &format!("\nslug: {slug}-2"));
        change(other, "\nslug: ", &format!("\naliases: [{slug}]\nslug: "));
    }
    let said = check();
    assert_eq!(said.matches("will lead nowhere").count(), 1, "only the form is left: {said}");
    assert!(!said.contains("error["), "{said}");
}

#[test]
fn anchor_that_a_change_removes_or_moves_is_reported_with_the_line_that_keeps_it() {
    let content = copy();
    let (folder, path) = (content.path(), content.path().to_str().unwrap());
    let check = || words_of(&run(&["check", "--now", NOW, "--content", path]).stderr);
    let article = folder.join("publications/tax-settlement/en.md");
    let fields = fs::read_to_string(&article).unwrap();
    let (fields, _) = fields.split_once("---\n\n").unwrap();
    let write = |text: &str| fs::write(&article, format!("{fields}---\n\n{text}")).unwrap();
    write("## Deadlines\n\nThirty days.\n\n## Article 1\n\nScope.\n\n## Costs\n\nNone.\n");
    git(folder, &["init", "-q"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "one"]);
    assert!(!check().contains("W0422"));
    write("## Article 1\n\nPurpose.\n\n## Time limits\n\nThirty days.\n\n## Article 1\n\nScope.\n");
    let report = check();
    let page = "/en/publications/settlement-before-assessment";
    for words in [
        format!("the anchor `#deadlines` of the public page `{page}` is gone"),
        "to keep it, write `## Time limits {#deadlines}`".to_owned(),
        format!("the anchor `#article-1` of the public page `{page}` leads to another section now"),
        "to keep it, write `## Article 1 {#article-1}`".to_owned(),
        format!("the anchor `#costs` of the public page `{page}` is gone"),
        "if another section has its subject now, write `{#costs}` behind that heading".to_owned(),
    ] {
        assert!(report.contains(&words), "{words}: {report}");
    }
    write(
        "## Article 1\n\nPurpose.\n\n## Time limits {#deadlines}\n\nThirty days.\n\n## Article 1 {#article-1}\n\nScope.\n\n## Expenses {#costs}\n\nNone.\n",
    );
    let report = check();
    assert!(!report.contains("W0422"), "{report}");
}

#[test]
fn clause_that_a_change_deletes_or_renumbers_is_reported_with_advice_that_keeps_it() {
    let content = copy();
    let (folder, path) = (content.path(), content.path().to_str().unwrap());
    let check = || words_of(&run(&["check", "--now", NOW, "--content", path]).stderr);
    let article = folder.join("publications/tax-settlement/en.md");
    let fields = fs::read_to_string(&article).unwrap();
    let (fields, _) = fields.split_once("---\n\n").unwrap();
    let write = |text: &str| fs::write(&article, format!("{fields}---\n\n{text}")).unwrap();
    let before = "Article 1 – (1) Scope:\n(a) one,\n(b) two,\n(c) three.\n(2) Term.\n\nArticle 2 – Costs.\n\n## Notices\n\n(a) By post.\n";
    write(before);
    git(folder, &["init", "-q"]);
    git(folder, &["add", "."]);
    git(folder, &["commit", "-qm", "one"]);
    assert!(!check().contains("W0422"), "{}", check());
    let page = "of the public page `/en/publications/settlement-before-assessment`";
    for (change, to, found) in [
        // The last one is deleted, or one before it.
        ("(c) three.\n", "", vec![format!("the anchor `#article.1.1.c` {page} is gone: links")]),
        (
            "(b) two,\n(c) three",
            "(b) three",
            vec![format!("the anchor `#article.1.1.c` {page} is gone: these words have `#article.1.1.b` now")],
        ),
        (
            "(b) two,\n(c) three",
            "(b) new,\n(c) two,\n(d) three",
            vec![
                format!(
                    "the anchor `#article.1.1.b` {page} leads to another clause now: these words have `#article.1.1.c`"
                ),
                format!(
                    "the anchor `#article.1.1.c` {page} leads to another clause now: these words have `#article.1.1.d`"
                ),
            ],
        ),
        (
            "Article 2 –",
            "Article 3 –",
            vec![format!("the anchor `#article.2` {page} is gone: these words have `#article.3` now")],
        ),
        // The advice keeps the anchors, and other words do not move them.
        ("(b) two", "(b) (repealed)", vec![]),
        ("(2) Term", "(1A) New.\n(2) Term", vec![]),
        ("(c) three.", "(c) three;\n(d) four.", vec![]),
        // The heading's own finding keeps what is below it.
        ("## Notices", "## Messages {#notices}", vec![]),
    ] {
        let changed = before.replacen(change, to, 1);
        assert_ne!(changed, before);
        write(&changed);
        let report = check();
        assert_eq!(report.matches("W0422").count(), found.len(), "{to}: {report}");
        for words in found {
            assert!(report.contains(&words), "{words}: {report}");
            assert!(report.contains("write `b) (repealed)` in the place of one that is deleted"), "{report}");
        }
    }
    write(&before.replace("## Notices", "## Messages"));
    let report = check();
    assert_eq!(report.matches("W0422").count(), 1, "{report}");
    assert!(report.contains("`## Messages {#notices}`"), "{report}");
}
