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
    for slug in ["settlement-before-assessment", "tarhiyat-oncesi-uzlasma"] {
        assert!(!said.contains(&format!("{slug}` will lead nowhere")), "{said}");
    }
    assert!(!said.contains("error["), "{said}");
}

/// A copy of the firm in git, of which one commit is made.
struct Committed {
    content: tempfile::TempDir,
}

impl Committed {
    /// Changes the firm, and commits it.
    fn new(change: impl FnOnce(&Self)) -> Self {
        let committed = Self { content: copy() };
        change(&committed);
        let folder = committed.content.path();
        git(folder, &["init", "-q"]);
        git(folder, &["add", "."]);
        git(folder, &["commit", "-qm", "one"]);
        assert_eq!(committed.findings(), "");
        committed
    }

    fn replace(&self, file: &str, from: &str, to: &str) {
        let path = self.content.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file}: {from}");
        fs::write(path, text.replacen(from, to, 1)).unwrap();
    }

    fn write(&self, file: &str, bytes: &[u8]) {
        fs::write(self.content.path().join(file), bytes).unwrap();
    }

    /// Returns the findings on addresses.
    fn findings(&self) -> String {
        let path = self.content.path().to_str().unwrap();
        let checked = run(&["check", "--now", NOW, "--all", "--content", path]);
        let report = words_of(&checked.stderr);
        assert!(checked.status.success(), "{report}");
        report.split("\n\n").filter(|finding| finding.contains("W042")).collect::<Vec<_>>().join("\n\n")
    }

    #[track_caller]
    fn assert_findings(&self, words: &[&str]) {
        let found = self.findings();
        for words in words {
            assert!(found.contains(words), "{words}: {found}");
        }
        assert_eq!(
            found.matches("will lead").count(),
            words.iter().filter(|it| it.contains("will lead")).count(),
            "{found}"
        );
    }
}

const PDF: &[u8] = b"%PDF-1.7\n%%EOF\n";

#[test]
fn document_is_named_by_its_public_address_however_it_was_linked() {
    let article = "publications/founders-agreements/en.md";
    let firm = Committed::new(|firm| {
        let links = "[a](şartname.pdf) [b](ek%20bir.pdf) [c](%C3%B6rnek.pdf)";
        firm.replace(article, "---\n\n", &format!("---\n\n{links}\n\n"));
        for name in ["şartname.pdf", "ek bir.pdf", "örnek.pdf"] {
            firm.write(&format!("publications/founders-agreements/{name}"), PDF);
        }
    });
    let folder = firm.content.path().join("publications/founders-agreements");
    firm.replace(article, "[a](şartname.pdf) [b](ek%20bir.pdf)", "");
    for name in ["şartname.pdf", "ek bir.pdf"] {
        fs::remove_file(folder.join(name)).unwrap();
    }
    firm.assert_findings(&[
        "the public address `/files/sartname.pdf` will lead nowhere",
        "put `şartname.pdf` beside a public text",
        "the public address `/files/ek-bir.pdf` will lead nowhere",
    ]);
    // The advice: beside any public text.
    fs::write(firm.content.path().join("publications/tax-settlement/şartname.pdf"), PDF).unwrap();
    fs::write(firm.content.path().join("publications/tax-settlement/Ek bir.pdf"), PDF).unwrap();
    firm.replace("publications/tax-settlement/en.md", "---\n\n", "---\n\n[a](şartname.pdf) [b](Ek%20bir.pdf)\n\n");
    firm.assert_findings(&[]);
}

#[test]
fn withdrawn_text_takes_along_its_twin_pictures_documents_and_lists() {
    let article = "publications/remote-work/en.md";
    let firm = Committed::new(|firm| {
        firm.replace(article, "---\n\n", "---\n\n[The form](form.pdf)\n\n");
        firm.write("publications/remote-work/form.pdf", PDF);
        for (area, link) in [("en", "#deadlines"), ("tr", "#sureler")] {
            let link = format!("(@/publications/remote-work{link})");
            firm.replace(&format!("practice-areas/employment/{area}.md"), &link, "(@/pages/about)");
        }
    });
    firm.replace(article, "aliases: [remote-work]", "aliases: [remote-work]\ndraft: true");
    let found = firm.findings();
    for words in [
        "the public address `/en/publications/remote-work-agreements` will lead nowhere",
        "write `aliases: [remote-work-agreements, remote-work]` there",
        "withdrawn with it: `/en/publications/remote-work-agreements.md`",
        "`/tr/yayinlar/uzaktan-calisma-sozlesmesi.md`, `publications/remote-work/timeline.svg`",
        "the public address `/files/form.pdf` will lead nowhere",
        "no public text links to `form.pdf` any more",
        "the public address `/en/publications/employment` will lead nowhere",
        "`/en/publications/employment` in `aliases` of this page leads to the list of all articles",
        "these public addresses will lead nowhere: `/en/team/ayse-yilmaz/atom.xml`",
    ] {
        assert!(found.contains(words), "{words}: {found}");
    }
    firm.replace(article, "slug: remote-work-agreements", "slug: remote-work-3");
    firm.replace(article, "aliases: [remote-work]\n", "");
    let other = "publications/tax-settlement/en.md";
    firm.replace(other, "\nslug", "\naliases: [remote-work-agreements, remote-work]\nslug");
    firm.replace("pages/publications/en.md", "\nslug", "\naliases: [/en/publications/employment]\nslug");
    let found = firm.findings();
    for gone in
        ["remote-work-agreements` will", "/en/publications/remote-work` will", "/en/publications/employment` will"]
    {
        assert!(!found.contains(gone), "{gone}: {found}");
    }
}

#[test]
fn dropped_alias_is_reported_where_it_was() {
    let firm = Committed::new(|_| {});
    firm.replace("publications/remote-work/en.md", "aliases: [remote-work]\n", "");
    firm.replace(
        "publications/remote-work/tr.md",
        "aliases: [/2019/05/12/uzaktan-calisma/, /makale/uzaktan%20çalışma.html, \"/?p=123\"]",
        "aliases: [/makale/uzaktan%20çalışma.html]",
    );
    firm.assert_findings(&[
        "the public address `/en/publications/remote-work` will lead nowhere",
        "write `aliases: [remote-work]`",
        "the public address `/2019/05/12/uzaktan-calisma` will lead nowhere",
        "add `/2019/05/12/uzaktan-calisma` to the list `aliases`",
        "the public address `/?p=123` will lead nowhere",
        "add `\"/?p=123\"` to the list `aliases`",
    ]);
    firm.replace("publications/remote-work/en.md", "\nslug", "\naliases: [remote-work]\nslug");
    let list = "aliases: [/makale/uzaktan%20çalışma.html, /2019/05/12/uzaktan-calisma, \"/?p=123\"]";
    firm.replace("publications/remote-work/tr.md", "aliases: [/makale/uzaktan%20çalışma.html]", list);
    firm.assert_findings(&[]);
}

#[test]
fn changed_slug_of_a_category_a_person_an_area_and_a_section_is_reported_with_what_keeps_it() {
    let firm = Committed::new(|_| {});
    firm.replace(
        "site.toml",
        r#"slug = { en = "employment", tr = "is-hukuku" }"#,
        r#"slug = { en = "work", tr = "is-hukuku" }"#,
    );
    firm.replace("team/ayse-yilmaz/en.md", "slug: ayse-yilmaz", "slug: ayse-kaya");
    firm.replace("practice-areas/tax/tr.md", "slug: vergi-hukuku", "slug: vergi");
    firm.replace("pages/team/en.md", "slug: team", "slug: people");
    firm.assert_findings(&[
        "the public address `/en/publications/employment` will lead nowhere",
        "put into `aliases` of this category: `aliases = [\"employment\"]`",
        "the public address `/en/team/ayse-yilmaz` will lead nowhere",
        "the public address `/tr/ekip/ayse-yilmaz` will lead nowhere",
        "write `aliases: [ayse-yilmaz]`",
        "the public address `/tr/calisma-alanlari/vergi-hukuku` will lead nowhere",
        "write `aliases: [vergi-hukuku]`",
        "the public address `/en/team` will lead nowhere",
        "write `aliases: [team]`",
    ]);
    firm.replace(
        "site.toml",
        r#"slug = { en = "work", tr = "is-hukuku" }"#,
        "slug = { en = \"work\", tr = \"is-hukuku\" }\naliases = [\"employment\"]",
    );
    for (file, alias) in [
        ("team/ayse-yilmaz/en.md", "ayse-yilmaz"),
        ("practice-areas/tax/tr.md", "vergi-hukuku"),
        ("pages/team/en.md", "team"),
    ] {
        firm.replace(file, "\nslug", &format!("\naliases: [{alias}]\nslug"));
    }
    firm.assert_findings(&[]);
    // Feeds and cards redirect as well.
    let out = tempfile::tempdir().unwrap();
    let [from, to] = [firm.content.path(), out.path()].map(|folder| folder.to_str().unwrap().to_owned());
    let built = run(&["build", "--now", NOW, "--content", &from, "--out", &to, "--compression", "none"]);
    assert!(built.status.success(), "{}", words_of(&built.stderr));
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(out.path().join("manifest.json")).unwrap()).unwrap();
    let target = |from: &str| {
        let redirects = manifest["redirects"].as_array().unwrap();
        redirects.iter().find(|it| it["from"] == from).map(|it| it["to"].as_str().unwrap().to_owned())
    };
    for (from, to) in [
        ("/en/publications/employment", "/en/publications/work"),
        ("/en/publications/employment/atom.xml", "/en/publications/work/atom.xml"),
        ("/en/team/ayse-yilmaz.vcf", "/en/people/ayse-kaya.vcf"),
        ("/en/team/ayse-kaya/feed.json", "/en/people/ayse-kaya/feed.json"),
    ] {
        assert_eq!(target(from).as_deref(), Some(to), "{from}");
    }
}

#[test]
fn former_slug_of_a_category_must_be_free() {
    let firm = Committed::new(|_| {});
    let aliases = r#"aliases = ["tax", "remote-work", "employment", "is-hukuku-2"]"#;
    firm.replace("site.toml", "tr = \"is-hukuku\" }", &format!("tr = \"is-hukuku\" }}\n{aliases}"));
    let path = firm.content.path().to_str().unwrap();
    let report = words_of(&run(&["check", "--now", NOW, "--all", "--content", path]).stderr);
    for words in
        ["`tax` is the address of category `tax`", "former slug `remote-work` belongs to publication `remote-work`"]
    {
        assert!(report.contains(words), "{words}: {report}");
    }
    assert_eq!(report.matches("E0407").count(), 2, "{report}");
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
            vec![
                format!(
                    "the anchor `#article.1.1.b` {page} leads to another clause now: these words had another anchor"
                ),
                format!("the anchor `#article.1.1.c` {page} is gone: these words have `#article.1.1.b` now"),
            ],
        ),
        // Two are swapped, each with the mark of its place.
        (
            "(b) two,\n(c) three.",
            "(b) three,\n(c) two.",
            vec![
                format!(
                    "the anchor `#article.1.1.b` {page} leads to another clause now: these words have `#article.1.1.c`"
                ),
                format!(
                    "the anchor `#article.1.1.c` {page} leads to another clause now: these words have `#article.1.1.b`"
                ),
            ],
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
