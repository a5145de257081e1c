//! The program itself: what its smaller commands do to files and say to a person.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

use std::{
    collections::BTreeMap,
    fs, io,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use tempfile::TempDir;
use walkdir::WalkDir;

/// How long a rebuild may take before it counts as missing.
const PATIENCE: Duration = Duration::from_mins(1);

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

/// A copy of the small firm, to change.
fn copy() -> TempDir {
    copy_of(&firm())
}

fn copy_of(original: &Path) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in WalkDir::new(original).into_iter().map(Result::unwrap) {
        let to = folder.path().join(entry.path().strip_prefix(original).unwrap());
        if entry.file_type().is_dir() {
            fs::create_dir_all(to).unwrap();
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
    folder
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn run(arguments: &[&str]) -> Output {
    generator().args(arguments).output().unwrap()
}

#[test]
fn a_new_entry_is_right_once_its_empty_fields_are_filled_in() {
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
    assert!(findings.contains("field `summary` has no value") && findings.contains("space-law/tr.md"), "{findings}");
    for file in files {
        let started = fs::read_to_string(&file).unwrap();
        let filled = started.replace("summary: #", "summary: Law of outer space. #");
        fs::write(&file, filled + "\nSatellites need a licence.\n").unwrap();
    }
    check(true);
}

#[test]
fn a_kind_that_does_not_exist_is_answered_with_those_that_do() {
    let refused = run(&["new", "page", "--en", "History"]);
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

#[test]
fn translations_whose_age_cannot_be_known_are_not_said_to_be_fine() {
    let (content, home) = (copy(), tempfile::tempdir().unwrap());
    let said =
        |folder: &Path| text(&generator().args(["translations", "--content"]).arg(folder).output().unwrap().stderr);
    let unknown = said(content.path());
    assert!(unknown.contains("nothing is known of older") && unknown.contains("warning: git knows"), "{unknown}");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(content.path()).args(["-c", "user.name=A", "-c", "user.email=a@firm.example"]);
        let status = git.args(["-c", "commit.gpgsign=false"]).args(arguments).status();
        assert!(status.expect("git is on the path: `apt-get install git`").success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    assert!(!said(content.path()).contains("warning"), "{}", said(content.path()));
    git(&["commit", "-qm", "two", "--allow-empty"]);
    let short = home.path().join("short");
    let from = format!("file://{}", content.path().display());
    git(&["clone", "-q", "--depth", "1", &from, short.to_str().unwrap()]);
    let cut = said(&short);
    assert!(cut.contains("0 known to have an older") && cut.contains("git fetch --unshallow"), "{cut}");
    let without = generator().args(["translations", "--content"]).arg(content.path()).env("PATH", "").output().unwrap();
    assert!(text(&without.stderr).contains("warning: git knows"), "{}", text(&without.stderr));
}

#[test]
fn a_reader_who_has_seen_enough_changes_no_status() {
    let (content, wrong, out) = (copy(), copy(), tempfile::tempdir().unwrap());
    let page = wrong.path().join("pages/about/en.md");
    fs::write(&page, fs::read_to_string(&page).unwrap().replacen("---\n", "---\nslugg: x\n", 1)).unwrap();
    let content = content.path().to_str().unwrap();
    let (templates, to, wrong) = (templates(), out.path().to_str().unwrap(), wrong.path().to_str().unwrap());
    let build = ["build", "--content", content, "--templates", templates.to_str().unwrap(), "--out", to];
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
fn what_cannot_be_written_is_a_failure() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ended = generator().arg("explain").stdout(full).output().unwrap();
    assert_eq!((ended.status.code(), text(&ended.stderr).contains("cannot be written")), (Some(1), true));
}

#[test]
fn the_doctor_says_when_nobody_is_there() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let asked = run(&["doctor", &format!("http://127.0.0.1:{port}")]);
    assert_eq!(asked.status.code(), Some(1));
    assert!(text(&asked.stderr).contains("does not answer"));
    assert!(text(&run(&["doctor", "firm.example"]).stderr).contains("https://firm.example"));
}

/// A process that ends with its test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_broken_template_is_one_error_with_its_place() {
    let (templates, out) = (copy_of(&templates()), tempfile::tempdir().unwrap());
    fs::write(templates.path().join("pages/team.html"), "{% if %}").unwrap();
    let (folder, to) = (templates.path().to_str().unwrap(), out.path().to_str().unwrap());
    let refused = run(&["build", "--content", firm().to_str().unwrap(), "--templates", folder, "--out", to]);
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains("pages/team.html:1:"), "{said}");
    assert_eq!(said.matches("error").count(), 1, "{said}");
    assert!(!out.path().join("manifest.json").exists());
}

/// Every file below `folder` with its number on the disk and its bytes.
fn files(folder: &Path) -> BTreeMap<PathBuf, (u64, Vec<u8>)> {
    let entries = WalkDir::new(folder).into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
    let file = |entry: walkdir::DirEntry| {
        let inode = entry.metadata().unwrap().ino();
        (entry.path().to_owned(), (inode, fs::read(entry.path()).unwrap()))
    };
    entries.map(file).collect()
}

#[test]
fn files_that_no_build_remembers_are_told() {
    let out = tempfile::tempdir().unwrap();
    let build = || {
        let mut command = generator();
        command.args(["build", "--compression", "fast", "--content"]).arg(firm()).arg("--templates").arg(templates());
        let output = command.arg("--out").arg(out.path()).output().unwrap();
        assert_eq!(output.status.code(), Some(0));
        text(&output.stderr)
    };
    fs::write(out.path().join("README.md"), "What this folder is for.").unwrap();
    assert!(!build().contains("warning"));
    for stranger in ["en/team/gone.html", "robots.old"] {
        fs::write(out.path().join(stranger), "<p>Gone").unwrap();
    }
    assert!(!build().contains("warning"), "what its owner put there is not looked at each time");
    fs::remove_file(out.path().join("manifest.json")).unwrap();
    let said = build();
    assert!(said.contains("warning: ") && said.contains("2 in all, such as en/team/gone.html"), "{said}");
    assert!(out.path().join("en/team/gone.html").exists());
}

#[test]
fn the_bytes_do_not_depend_on_how_many_work() {
    let built = ["1", "2", "7"].map(|threads| {
        let out = tempfile::tempdir().unwrap();
        let mut command = generator();
        command.env("RAYON_NUM_THREADS", threads).args(["build", "--now", "2026-11-21T09:00:00+03:00", "--content"]);
        command.arg(firm()).arg("--templates").arg(templates()).arg("--out").arg(out.path());
        let status = command.output().unwrap();
        assert_eq!(status.status.code(), Some(0), "{}", text(&status.stderr));
        let below = |(path, (_, bytes)): (PathBuf, _)| (path.strip_prefix(out.path()).unwrap().to_owned(), bytes);
        files(out.path()).into_iter().map(below).collect::<BTreeMap<_, _>>()
    });
    assert!(built[0].len() > 100);
    assert!(built.iter().all(|files| *files == built[0]), "more or fewer threads make another build");
}

#[test]
fn content_that_is_wrong_is_status_one_and_touches_nothing_of_the_build_before() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    let build = || {
        let mut command = generator();
        command.args(["build", "--compression", "none", "--content"]).arg(content.path());
        command.arg("--templates").arg(templates()).arg("--out").arg(out.path()).output().unwrap()
    };
    let first = build();
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let before = files(out.path());
    assert!(before.len() > 100);
    let page = content.path().join("pages/about/en.md");
    let changed = fs::read_to_string(&page).unwrap() + "\nOne more sentence.\n";
    fs::write(&page, &changed).unwrap();
    // Whatever could be written of that change, two other files are wrong.
    for wrong in ["team/ayse-yilmaz/en.md", "practice-areas/tax/tr.md"] {
        let file = content.path().join(wrong);
        fs::write(&file, fs::read_to_string(&file).unwrap().replacen("---\n", "---\nslugg: x\n", 1)).unwrap();
    }
    let refused = build();
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(said.contains("ayse-yilmaz/en.md:2:1") && said.contains("tax/tr.md:2:1"), "{said}");
    assert!(files(out.path()) == before, "a file was touched");
}

/// Waits for a line of `lines` that holds `what`.
fn wait_for(lines: &Receiver<String>, what: &str) {
    loop {
        let line = lines.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("{what:?} was not said in time"));
        if line.contains(what) {
            return;
        }
    }
}

/// A watch on `content` that builds into `out`, and the lines that it says.
fn watching(content: &Path, out: &Path) -> (Ended, Receiver<String>) {
    let mut command = generator();
    command.args(["watch", "--compression", "none", "--content"]).arg(content).arg("--templates").arg(templates());
    let mut watching = Ended(command.arg("--out").arg(out).stderr(Stdio::piped()).spawn().unwrap());
    let said = BufReader::new(watching.0.stderr.take().unwrap());
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || said.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    (watching, lines)
}

/// Writes one more sentence into the page about the firm.
fn add_to(content: &Path, sentence: &str) {
    let file = content.join("pages/about/en.md");
    let text = fs::read_to_string(&file).unwrap().trim_end().to_owned();
    fs::write(&file, format!("{text}\n\n{sentence}\n")).unwrap();
}

#[test]
fn watching_goes_on_where_a_folder_is_replaced_or_away_for_a_moment() {
    let (home, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = |name: &str| home.path().join(name);
    for name in ["content", "new"] {
        fs::rename(copy().keep(), folder(name)).unwrap();
    }
    let (_watching, lines) = watching(&folder("content"), out.path());
    let page = || fs::read_to_string(out.path().join("en/about.md")).unwrap();
    wait_for(&lines, "watching ");
    add_to(&folder("new"), "This is the new folder.");
    fs::rename(folder("content"), folder("old")).unwrap();
    fs::rename(folder("new"), folder("content")).unwrap();
    wait_for(&lines, "watching ");
    assert!(page().contains("This is the new folder."));
    add_to(&folder("content"), "It is watched.");
    wait_for(&lines, "built ");
    assert!(page().contains("It is watched."));
    wait_for(&lines, "watching ");
    fs::rename(folder("content"), folder("away")).unwrap();
    wait_for(&lines, "waiting for it");
    add_to(&folder("away"), "It is back.");
    fs::rename(folder("away"), folder("content")).unwrap();
    wait_for(&lines, "built ");
    assert!(page().contains("It is back."));
}

#[test]
fn watching_waits_for_another_build_to_end() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    let (_watching, lines) = watching(content.path(), out.path());
    wait_for(&lines, "watching ");
    let lock = fs::OpenOptions::new().write(true).open(out.path().join(".lock")).unwrap();
    lock.lock().unwrap();
    add_to(content.path(), "This came while another build was writing.");
    wait_for(&lines, "waiting for it to end");
    lock.unlock().unwrap();
    wait_for(&lines, "built ");
    let page = fs::read_to_string(out.path().join("en/about.md")).unwrap();
    assert!(page.contains("This came while another build was writing."));
}

#[test]
fn watching_builds_again_when_a_file_changes_and_survives_a_mistake() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    let (_watching, lines) = watching(content.path(), out.path());
    wait_for(&lines, "watching ");
    let page = || fs::read_to_string(out.path().join("en/about.md")).unwrap();
    let file = content.path().join("pages/about/en.md");
    let (original, before) = (fs::read_to_string(&file).unwrap(), page());
    fs::write(&file, "no front matter").unwrap();
    wait_for(&lines, "error");
    assert_eq!(page(), before, "the build before stays in force");
    fs::write(&file, original.trim_end().to_owned() + "\n\nOne more sentence.\n").unwrap();
    wait_for(&lines, "built ");
    assert!(page().contains("One more sentence."));
}

#[test]
fn watching_builds_for_nothing_that_a_build_does_not_read() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    let (_watching, lines) = watching(content.path(), out.path());
    wait_for(&lines, "watching ");
    let about = content.path().join("pages/about");
    fs::create_dir(content.path().join(".git")).unwrap();
    for file in [content.path().join(".git/index"), about.join(".en.md.swp"), content.path().join(".DS_Store")] {
        fs::write(file, "of an editor").unwrap();
    }
    // No build begins for as long as one would take to be told.
    assert!(lines.recv_timeout(Duration::from_millis(500)).is_err());
    // An editor that saves by a rename changes a file that is read.
    fs::copy(about.join("en.md"), about.join(".en.md.new")).unwrap();
    fs::rename(about.join(".en.md.new"), about.join("en.md")).unwrap();
    wait_for(&lines, "watching ");
}

/// A site that has the same answer to every question.
fn answering(body: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let site = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for mut client in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || {
                let mut lines = BufReader::new(client.try_clone().unwrap()).lines().map_while(Result::ok);
                while lines.by_ref().take_while(|line| !line.is_empty()).count() > 0 {
                    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
                    if client.write_all(head.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    site
}

#[test]
fn the_doctor_repeats_nothing_that_a_terminal_would_obey() {
    let site = answering("{\"items\":[{\"url\":\"https://x.example/\\u001b]0;x\\u0007\"}]}");
    let output = run(&["doctor", &site]);
    let told = text(&output.stdout);
    assert!(told.contains("https://x.example/"), "{told}");
    assert!(!told.contains(['\u{1b}', '\u{7}']), "{told:?}");
}

#[test]
fn the_doctor_takes_the_sitemap_of_a_large_site_and_nothing_else_in_its_place() {
    for (body, is_one) in [("<urlset></urlset>", true), ("<sitemapindex></sitemapindex>", true), ("{}", false)] {
        let told = text(&run(&["doctor", &answering(body)]).stdout);
        assert_eq!(!told.contains("/sitemap.xml holds no"), is_one, "{told}");
    }
}

#[test]
fn the_doctor_asks_a_site_on_this_machine_without_a_proxy() {
    let (site, nobody) = (answering("{}"), TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap());
    let proxy = format!("http://{nobody}");
    let asked =
        generator().args(["doctor", &site]).env("HTTP_PROXY", &proxy).env("http_proxy", &proxy).output().unwrap();
    let said = text(&asked.stderr);
    assert!(said.contains(" checks, ") && !said.contains("does not answer"), "{said}");
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
