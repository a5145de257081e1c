//! The program: effects and messages of its smaller commands.

mod build;
mod diff;
mod doctor;
mod init;
mod preview;
mod theme;
mod turkish;
mod vanished;
mod watch;

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

/// The time of every build here: some facts of the firm expire.
const NOW: &str = "2026-11-21T09:00:00+03:00";

fn firm() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/firm/content")
}

fn templates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../templates")
}

fn generator() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_generator"));
    command.env("NO_COLOR", "1").stdin(Stdio::null());
    command
}

/// Returns a copy of the small firm that tests may change.
fn copy() -> TempDir {
    copy_of(&firm())
}

fn copy_of(original: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    crate::folder::copy(original, folder.path());
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn run(arguments: &[&str]) -> Output {
    generator().args(arguments).output().unwrap()
}

#[test]
fn new_entry_is_valid_once_its_fields_are_filled_in() {
    let content = copy();
    let folder = content.path().to_str().unwrap();
    let made = run(&["new", "practice-area", "--en", "Space law", "--tr", "Uzay hukuku", "--content", folder]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let files: Vec<_> = text(&made.stdout).lines().map(PathBuf::from).collect();
    assert!(files[0].ends_with("practice-areas/space-law/en.md"), "{}", files[0].display());
    let check = |expected: bool| {
        let checked = run(&["check", "--content", folder]);
        assert_eq!(checked.status.success(), expected, "{}", text(&checked.stderr));
        text(&checked.stderr)
    };
    let findings = check(false);
    assert!(
        findings.contains("the required field `summary` is empty") && findings.contains("space-law/tr.md"),
        "{findings}"
    );
    for file in files {
        let started = fs::read_to_string(&file).unwrap();
        let filled = started.replace("summary: #", "summary: Law of outer space. #");
        fs::write(&file, filled + "\nSatellites need a licence.\n").unwrap();
    }
    check(true);
}

#[test]
fn translation_can_be_started_later() {
    let content = copy();
    let folder = content.path().to_str().unwrap();
    let new = |arguments: &[&str]| run(&[&["new", "publication", "--content", folder], arguments].concat());
    let started = new(&["--en", "Null", "--key", "founders"]);
    assert!(started.status.success(), "{}", text(&started.stderr));
    let english = content.path().join("publications/founders/en.md");
    let ready = fs::read_to_string(&english).unwrap().replace("draft: true\n", "") + "Words.\n";
    fs::write(&english, &ready).unwrap();
    let alike = new(&["--tr", "Founders"]);
    assert_eq!(alike.status.code(), Some(1));
    assert!(text(&alike.stderr).contains("if this is its translation, add --key founders"));
    let added = new(&["--tr", "Kurucular sözleşmesi", "--key", "founders"]);
    let stderr = text(&added.stderr);
    assert!(added.status.success(), "{stderr}");
    assert!(stderr.contains("only when it is ready"), "{stderr}");
    let turkish = content.path().join("publications/founders/tr.md");
    let text_started = fs::read_to_string(&turkish).unwrap();
    assert!(text_started.contains("slug: kurucular-sozlesmesi\n"), "{text_started}");
    assert!(!text_started.contains("draft") && !text_started.contains("date"), "{text_started}");
    assert_eq!(fs::read_to_string(&english).unwrap(), ready, "what exists is not touched");
    fs::write(&turkish, text_started + "Metin.\n").unwrap();
    let checked = run(&["check", "--content", folder]);
    assert!(checked.status.success(), "{}", text(&checked.stderr));
    let again = new(&["--tr", "Kurucular sözleşmesi", "--key", "founders"]);
    assert_eq!(again.status.code(), Some(1));
    assert!(text(&again.stderr).contains("tr.md exists: edit it"), "{}", text(&again.stderr));
}

#[test]
fn unknown_kind_is_refused_with_the_known_ones() {
    let refused = run(&["new", "contact", "--en", "History"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("`practice-area`"));
}

#[test]
fn missing_translations_are_listed() {
    let content = copy();
    let listed = run(&["translations", "--all", "--content", content.path().to_str().unwrap()]);
    assert!(listed.status.success());
    let table = text(&listed.stdout);
    assert!(table.starts_with("KIND") && table.lines().count() > 5, "{table}");
}

/// Runs git in `folder`, as if on a day of November.
fn git_on(day: u8, folder: &Path, arguments: &[&str]) {
    let when = format!("2026-11-{day:02}T09:00:00+03:00");
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).args(["-c", "user.name=A", "-c", "user.email=a@firm.example"]);
    git.args(["-c", "commit.gpgsign=false"]).env("GIT_AUTHOR_DATE", &when).env("GIT_COMMITTER_DATE", &when);
    let status = git.args(arguments).status();
    assert!(
        status.is_ok_and(|status| status.success()),
        "git {arguments:?}; `apt-get install git` puts it on the path"
    );
}

/// Returns a repository with the small firm in its folder `content`; one English text is newer than its translation.
fn repository() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let content = home.path().join("content");
    crate::folder::copy(&firm(), &content);
    git_on(1, home.path(), &["init", "-q"]);
    git_on(1, home.path(), &["add", "."]);
    git_on(1, home.path(), &["commit", "-qm", "one"]);
    let page = content.join("pages/about/en.md");
    fs::write(&page, fs::read_to_string(&page).unwrap() + "\nMore.\n").unwrap();
    git_on(2, home.path(), &["commit", "-qam", "two"]);
    home
}

#[test]
fn original_is_not_older_than_a_later_translation() {
    let home = repository();
    let content = home.path().join("content");
    let listed = || text(&generator().args(["translations", "--content"]).arg(&content).output().unwrap().stdout);
    assert!(listed().contains("2026-11-01 older"), "{}", listed());
    fs::write(content.join("pages/about/tr.md"), "new").unwrap();
    git_on(3, home.path(), &["commit", "-qam", "three"]);
    assert!(listed().contains("2026-11-02 older"), "it is not known which of two changed texts is the original");
    git_on(4, home.path(), &["rm", "-q", "content/pages/about/tr.md"]);
    git_on(4, home.path(), &["commit", "-qm", "four"]);
    fs::write(content.join("pages/about/tr.md"), "newest").unwrap();
    git_on(5, home.path(), &["add", "."]);
    git_on(5, home.path(), &["commit", "-qm", "five"]);
    assert!(!listed().contains("older"), "{}", listed());
}

#[test]
fn translations_are_compared_by_the_history_of_the_content_in_a_hook_of_git() {
    let home = repository();
    let other = tempfile::tempdir().unwrap();
    git_on(1, other.path(), &["init", "-q"]);
    for repository in [home.path(), other.path()] {
        let git = repository.join(".git");
        let mut command = generator();
        command.args(["translations", "--content"]).arg(home.path().join("content"));
        // Git sets these variables for its hooks.
        command.env("GIT_DIR", &git).env("GIT_INDEX_FILE", git.join("index")).env("GIT_PREFIX", "");
        let listed = command.output().unwrap();
        assert!(text(&listed.stdout).contains("2026-11-01 older"), "{}", text(&listed.stderr));
    }
}

#[cfg(unix)]
#[test]
fn unreadable_translations_are_a_failure() {
    let content = copy();
    std::os::unix::fs::symlink(firm().join("publications"), content.path().join("publications/linked")).unwrap();
    let listed = run(&["translations", "--all", "--content", content.path().to_str().unwrap()]);
    let stderr = text(&listed.stderr);
    assert_eq!(listed.status.code(), Some(1), "{stderr}");
    assert!(text(&listed.stdout).starts_with("KIND") && stderr.contains("publications/linked"), "{stderr}");
    assert!(stderr.contains("entries: "), "{stderr}");
}

#[test]
fn translations_of_unknown_age_are_not_reported_as_current() {
    let (content, home) = (copy(), tempfile::tempdir().unwrap());
    let warnings =
        |folder: &Path| text(&generator().args(["translations", "--content"]).arg(folder).output().unwrap().stderr);
    let unknown = warnings(content.path());
    assert!(
        unknown.contains("age of translations is unknown") && unknown.contains("warning: git has no history"),
        "{unknown}"
    );
    let git = |arguments: &[&str]| git_on(1, content.path(), arguments);
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    assert!(!warnings(content.path()).contains("warning"), "{}", warnings(content.path()));
    git(&["commit", "-qm", "two", "--allow-empty"]);
    let short = home.path().join("short");
    let from = format!("file://{}", content.path().display());
    git(&["clone", "-q", "--depth", "1", &from, short.to_str().unwrap()]);
    let cut = warnings(&short);
    assert!(cut.contains("known to have an older translation: 0") && cut.contains("git fetch --unshallow"), "{cut}");
    let without = generator().args(["translations", "--content"]).arg(content.path()).env("PATH", "").output().unwrap();
    assert!(text(&without.stderr).contains("warning: git has no history"), "{}", text(&without.stderr));
}

#[test]
fn list_for_a_law_names_its_places_and_no_other_finding() {
    let content = copy();
    let file = |name: &str| content.path().join(name);
    let article = file("publications/remote-work/en.md");
    let written = fs::read_to_string(&article).unwrap();
    let line = written.lines().count() + 2;
    fs::write(&article, format!("{written}\nArticle 21 of the Labour Law (Law No. 4857) applies.\n")).unwrap();
    fs::copy(file("logo.svg"), file("publications/remote-work/unused.svg")).unwrap();
    let list = |law: &str, language: &str| {
        let arguments = ["check", "--now", NOW, "--lang", language, "--law-changed", law, "--content"];
        let output = generator().args(arguments).arg(content.path()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    let place = format!("{}:{line}: Article 21 of the Labour Law (Law No. 4857)\n", article.display());
    let (places, note) = list("4857/21", "en");
    assert_eq!(places, place);
    let advice = "review it, then write the day into `updated`\n";
    assert!(note.starts_with("1 place in 1 file cites 4857/21 (") && note.ends_with(advice), "{note}");
    assert_eq!(note.lines().count(), 1, "{note}");
    let turkish = list("4857/21", "tr").1;
    assert!(turkish.starts_with("4857/21 (") && turkish.contains("): 1 dosya içinde 1 atıf var."), "{turkish}");
    // A recorded change that the text does not state yet concerns the law that is listed.
    let register =
        "[[change]]\nlaw = 4857\narticles = [\"21\"]\nin_force = 2026-10-15\nwhat.en = \"x\"\nwhat.tr = \"x\"\n";
    fs::write(file("law-changes.toml"), register).unwrap();
    let (places, note) = list("4857/21", "en");
    assert_eq!(places, place);
    assert!(note.contains("W0831") && note.contains(&format!("publications/remote-work/en.md:{line}:1\n")), "{note}");
    assert!(!note.contains("W0602") && note.ends_with(advice), "{note}");
    assert!(!list("4857/14", "en").1.contains("W0831"));
    let whole = generator().args(["check", "--now", NOW, "--content"]).arg(content.path()).output().unwrap();
    assert!(text(&whole.stderr).contains("W0602"), "{}", text(&whole.stderr));
}

#[test]
fn list_for_a_law_counts_articles_whose_law_is_not_certain() {
    let content = copy();
    let article = content.path().join("publications/remote-work/en.md");
    let written = fs::read_to_string(&article).unwrap();
    let text_of_two = "Law No. 6102 and Law No. 6098 differ.\n\nArticle 376 prescribes steps.\n";
    fs::write(&article, format!("{written}\n{text_of_two}")).unwrap();
    let list = |law: &str| {
        let arguments = ["check", "--now", NOW, "--lang", "en", "--law-changed", law, "--content"];
        text(&generator().args(arguments).arg(content.path()).output().unwrap().stderr)
    };
    let note =
        "articles without a certain law in texts that cite 6102: 1 (publications/remote-work/en.md); review them";
    assert!(list("6102/376").contains(note), "{}", list("6102/376"));
    assert!(!list("6102/377").contains("without a certain law"), "{}", list("6102/377"));
    // The law of the paragraph is certain.
    fs::write(
        &article,
        format!("{written}\n{}", text_of_two.replace("Article 376", "Law No. 6102 is long. Article 376")),
    )
    .unwrap();
    let listed = list("6102/376");
    assert!(
        listed.contains("1 place in 1 file cites 6102/376") && !listed.contains("without a certain law"),
        "{listed}"
    );
}

#[test]
fn overtaken_text_is_named_with_its_citation_article_and_lines() {
    let content = copy();
    let file = |name: &str| content.path().join(name);
    let article = file("publications/remote-work/tr.md");
    let written = fs::read_to_string(&article).unwrap();
    let line = written.lines().count() + 2;
    let cites = "TTK m. 550-555 saklıdır.\n\nTTK’nın 553. maddesi de öyle; TTK m. 7 değil.\n";
    fs::write(&article, format!("{written}\n{cites}")).unwrap();
    let register = "[[change]]\nlaw = 6102\narticles = [\"553\", \"900\"]\nin_force = 2026-10-15\nwhat.en = \"x\"\nwhat.tr = \"x\"\n";
    fs::write(file("law-changes.toml"), register).unwrap();
    let check = |language: &str| {
        let arguments = ["check", "--now", NOW, "--lang", language, "--content"];
        text(&generator().args(arguments).arg(content.path()).output().unwrap().stderr)
    };
    let english = check("en");
    for part in [
        "warning[W0831]: law 6102, art. 553 changed on 2026-10-15; the text cites it (`TTK m. 550-555`) and states the law as of",
        &format!("publications/remote-work/tr.md:{line}:1\n"),
        &format!("= further lines that cite it: {}\n", line + 2),
        "= review the text and set `updated` to the day of the review\n",
    ] {
        assert!(english.contains(part), "{part}: {english}");
    }
    let turkish = check("tr");
    let part =
        "6102 sayılı Kanun m. 553 2026-10-15 tarihinde değişti; buna atıf yapan (`TTK m. 550-555`) metin hukuki durumu";
    assert!(turkish.contains(part), "{turkish}");
}

#[test]
fn build_marks_the_text_that_lacks_a_change() {
    let (content, home) = (copy(), tempfile::tempdir().unwrap());
    let article = content.path().join("publications/remote-work/en.md");
    let git = |day, arguments: &[&str]| git_on(day, content.path(), arguments);
    let build = || {
        let out = home.path().join("dist");
        let mut command = generator();
        command.args(["build", "--now", NOW, "--templates"]).arg(templates()).arg("--out").arg(&out);
        let output = command.arg("--content").arg(content.path()).output().unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let read = |file: &str| fs::read_to_string(out.join(file)).unwrap();
        let twins = ["tr/yayinlar/uzaktan-calisma-sozlesmesi.md", "en/publications/remote-work-agreements.md"];
        twins.map(|file| {
            read(file).split("\ntranslation:\n").nth(1).map(|it| it.split("---").next().unwrap().to_owned())
        })
    };
    assert_eq!(build(), [None, None], "without a repository");
    git(1, &["init", "-q"]);
    git(1, &["add", "."]);
    git(1, &["commit", "-qm", "one"]);
    assert_eq!(build(), [None, None], "both were added together");
    let changed = fs::read_to_string(&article).unwrap().replace("| Answer | 30 |", "| Answer | 60 |");
    fs::write(&article, &changed).unwrap();
    git(2, &["commit", "-qam", "two"]);
    let of = "  of: \"https://ornek.example/en/publications/remote-work-agreements\"\n";
    assert_eq!(build(), [Some(format!("{of}  stale: true\n")), None]);
    fs::write(&article, changed.replacen("slug: ", "reviewed: 2026-11-02\nslug: ", 1)).unwrap();
    git(3, &["commit", "-qam", "three"]);
    let [tr, en] = build().map(Option::unwrap);
    assert_eq!(tr, format!("{of}  reviewed: 2026-11-02\n  stale: false\n"));
    assert!(en.ends_with("  reviewed: 2026-11-02\n  stale: false\n"), "{en}");
}

#[test]
fn closed_pipe_does_not_change_the_status() {
    let (content, wrong, out) = (copy(), copy(), tempfile::tempdir().unwrap());
    let page = wrong.path().join("pages/about/en.md");
    fs::write(&page, fs::read_to_string(&page).unwrap().replacen("---\n", "---\nslugg: x\n", 1)).unwrap();
    let content = content.path().to_str().unwrap();
    let (templates, to, wrong) = (templates(), out.path().to_str().unwrap(), wrong.path().to_str().unwrap());
    let templates = templates.to_str().unwrap();
    let build = ["build", "--now", NOW, "--content", content, "--templates", templates, "--out", to];
    for (arguments, status) in [
        (&build[..], 0),
        (&["explain"], 0),
        (&["explain", "E0101"], 0),
        (&["explain", "E9999"], 2),
        (&["check", "--format", "json", "--content", wrong], 1),
        (&["check", "--format", "github", "--content", wrong], 1),
        (&["check", "--content", wrong], 1),
        (&["translations", "--all", "--content", content], 0),
        (&["new", "practice-area", "--en", "Space law", "--tr", "Uzay hukuku", "--content", content], 0),
        (&["doctor", "firm.example"], 1),
    ] {
        let (data, notes) = (io::pipe().unwrap().1, io::pipe().unwrap().1);
        let ended = generator().args(arguments).stdout(data).stderr(notes).status().unwrap();
        assert_eq!(ended.code(), Some(status), "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn failed_output_is_a_failure() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = generator().arg("explain").stdout(full).output().unwrap();
    assert_eq!((ended.status.code(), text(&ended.stderr).contains("cannot be written")), (Some(1), true));
}

#[test]
fn explain_without_a_code_lists_what_is_checked_and_every_code() {
    let listed = run(&["explain"]);
    let listed = text(&listed.stdout);
    assert!(
        listed.contains("\n  required entries are there\n") && listed.contains("\n  E0107 unknown field\n"),
        "{listed}"
    );
}
