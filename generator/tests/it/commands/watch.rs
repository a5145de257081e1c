//! `watch`: a build after every change.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{self, Receiver},
    thread,
    time::Duration,
};

use jiff::{SignedDuration, Timestamp};

use super::{NOW, copy, generator, templates};

/// How long a rebuild may take before it counts as missing.
const TIMEOUT: Duration = Duration::from_mins(2);

/// A process that ends with its test.
pub(crate) struct KillOnDrop(pub(crate) Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Waits for a line of `lines` that contains `what`.
fn wait_for(lines: &Receiver<String>, what: &str) {
    loop {
        let line = lines.recv_timeout(TIMEOUT).unwrap_or_else(|_| panic!("{what:?} was not printed in time"));
        if line.contains(what) {
            return;
        }
    }
}

/// Starts a watch on `content` that builds into `out`, and returns it with the lines that it prints.
fn watching(content: &Path, out: &Path) -> (KillOnDrop, Receiver<String>) {
    watching_with(&["--now", NOW], content, out)
}

fn watching_with(arguments: &[&str], content: &Path, out: &Path) -> (KillOnDrop, Receiver<String>) {
    let mut command = generator();
    command.arg("watch").args(arguments).args(["--compression", "none", "--content"]).arg(content);
    command.arg("--templates").arg(templates()).arg("--out").arg(out);
    start_command(command)
}

/// Starts a command, and returns it with the lines that it prints.
fn start_command(mut command: Command) -> (KillOnDrop, Receiver<String>) {
    let mut watching = KillOnDrop(command.stderr(Stdio::piped()).spawn().unwrap());
    let stderr = BufReader::new(watching.0.stderr.take().unwrap());
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    (watching, lines)
}

/// Adds a sentence to the page about the firm.
fn add_to(content: &Path, sentence: &str) {
    let file = content.join("pages/about/en.md");
    let text = fs::read_to_string(&file).unwrap().trim_end().to_owned();
    fs::write(&file, format!("{text}\n\n{sentence}\n")).unwrap();
}

#[test]
fn watch_survives_a_replaced_or_missing_folder() {
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
    wait_for(&lines, "waiting for the folder");
    add_to(&folder("away"), "It is back.");
    fs::rename(folder("away"), folder("content")).unwrap();
    wait_for(&lines, "built ");
    assert!(page().contains("It is back."));
}

#[test]
fn watch_starts_without_templates_and_picks_them_up() {
    let home = tempfile::tempdir().unwrap();
    fs::rename(copy().keep(), home.path().join("content")).unwrap();
    let mut command = generator();
    command.args(["watch", "--now", NOW, "--compression", "none"]).current_dir(home.path());
    let (_watching, lines) = start_command(command);
    let page = || fs::read_to_string(home.path().join("dist/en.html")).unwrap();
    wait_for(&lines, "watching content; ");
    let own = home.path().join("own/per_locale");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("wordmark.html"), "<p>Our own</p>").unwrap();
    fs::rename(home.path().join("own"), home.path().join("templates")).unwrap();
    wait_for(&lines, "watching content and templates; ");
    assert!(page().contains("<p>Our own</p>"));
    fs::write(home.path().join("templates/per_locale/wordmark.html"), "<p>Another</p>").unwrap();
    wait_for(&lines, "built ");
    assert!(page().contains("<p>Another</p>"));
}

#[test]
fn watch_survives_a_replaced_parent_folder() {
    let (home, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let folder = |name: &str| home.path().join(name).join("content");
    for name in ["site", "new"] {
        fs::create_dir(home.path().join(name)).unwrap();
        fs::rename(copy().keep(), folder(name)).unwrap();
    }
    let (_watching, lines) = watching(&folder("site"), out.path());
    let page = || fs::read_to_string(out.path().join("en/about.md")).unwrap();
    wait_for(&lines, "watching ");
    add_to(&folder("new"), "This is the new folder.");
    fs::rename(home.path().join("site"), home.path().join("old")).unwrap();
    fs::rename(home.path().join("new"), home.path().join("site")).unwrap();
    wait_for(&lines, "built ");
    assert!(page().contains("This is the new folder."));
    wait_for(&lines, "watching ");
    add_to(&folder("site"), "It is watched.");
    wait_for(&lines, "built ");
    assert!(page().contains("It is watched."));
}

#[test]
fn watch_waits_for_another_build() {
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
fn watch_rebuilds_after_a_change_and_survives_an_error() {
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
#[expect(clippy::disallowed_methods, reason = "the program that is tested reads the clock")]
fn watching_builds_when_a_scheduled_change_is_due() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    let in_seconds = |seconds: i64| Timestamp::now() + SignedDuration::from_secs(seconds);
    let settings = content.path().join("site.toml");
    let text = fs::read_to_string(&settings).unwrap();
    let valid = in_seconds(90 * 24 * 3600).to_string();
    fs::write(&settings, text.replace("2027-06-30", &valid[..10])).unwrap();
    let (_watching, lines) = watching_with(&[], content.path(), out.path());
    wait_for(&lines, "; next scheduled build at ");
    let file = content.path().join("publications/tax-settlement/en.md");
    let text = fs::read_to_string(&file).unwrap();
    let moment = in_seconds(6);
    fs::write(&file, text.replacen("---\n", &format!("---\npublish: {moment}\n"), 1)).unwrap();
    wait_for(&lines, &format!("; next scheduled build at {moment}"));
    let page = out.path().join("en/publications/settlement-before-assessment.md");
    assert!(!page.exists());
    // A late notification of the change may cause one more build before.
    (0..3).find(|_| {
        wait_for(&lines, "built ");
        page.exists()
    });
    assert!(page.exists());
}

#[test]
fn watch_ignores_files_that_a_build_does_not_read() {
    let (content, out) = (copy(), tempfile::tempdir().unwrap());
    let (_watching, lines) = watching(content.path(), out.path());
    wait_for(&lines, "watching ");
    let about = content.path().join("pages/about");
    fs::create_dir(content.path().join(".git")).unwrap();
    for file in [content.path().join(".git/index"), about.join(".en.md.swp"), content.path().join(".DS_Store")] {
        fs::write(file, "of an editor").unwrap();
    }
    // No build is reported in the time that one would take.
    assert!(lines.recv_timeout(Duration::from_millis(500)).is_err());
    // An editor that saves by renaming changes a file that the build reads.
    fs::copy(about.join("en.md"), about.join(".en.md.new")).unwrap();
    fs::rename(about.join(".en.md.new"), about.join("en.md")).unwrap();
    wait_for(&lines, "watching ");
}
