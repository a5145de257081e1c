//! Runs pandoc, which reads texts of other programs and writes Markdown.
//!
//! Security: the texts may be hostile. pandoc runs without files and network (`--sandbox`), without the environment, and
//! with limits of memory, time and output.

use std::{
    io::{self, Read as _, Write as _},
    path::Path,
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use findings::messages::{self, Text};
use serde_json::Value;

/// The longest output of one run, in bytes. A whole book has about a megabyte.
const MAX_OUTPUT: u64 = 64 << 20;
const MAX_DURATION: Duration = Duration::from_mins(2);
/// The memory of pandoc, as an option of its run-time system.
const MEMORY: [&str; 3] = ["+RTS", "-M1024m", "-RTS"];
/// What the site's Markdown has beyond `CommonMark`. It has no raw HTML.
const MARKDOWN: &str = "commonmark+pipe_tables+footnotes+strikeout-raw_html";

/// Returns the text of `file` as pandoc's tree. `format` is pandoc's name of its form.
pub(crate) fn read(file: &Path, format: &str) -> Result<Value, Text> {
    let mut command = pandoc();
    command.args(["--from", format, "--to", "json"]).arg(file);
    // Reads the changes and comments of Word as part of the tree.
    if format == "docx" {
        command.arg("--track-changes=all");
    }
    let output = run(command, Vec::new())?;
    serde_json::from_slice(&output).map_err(|error| messages::pandoc_failed(error.to_string()))
}

/// Returns a tree as Markdown.
pub(crate) fn write(tree: &Value) -> Result<String, Text> {
    let mut command = pandoc();
    command.args(["--from", "json", "--to", MARKDOWN, "--wrap=none"]);
    let output = run(command, tree.to_string().into_bytes())?;
    String::from_utf8(output).map_err(|error| messages::pandoc_failed(error.to_string()))
}

fn pandoc() -> Command {
    let mut command = Command::new("pandoc");
    command.args(MEMORY).arg("--sandbox");
    command
}

fn run(mut command: Command, input: Vec<u8>) -> Result<Vec<u8>, Text> {
    // Programs are found by `PATH`; a folder of templates or a proxy of the user must not change the result.
    for name in ["HOME", "XDG_DATA_HOME", "http_proxy", "https_proxy", "GHCRTS"] {
        command.env_remove(name);
    }
    // pandoc reads and writes UTF-8 only where the locale says so.
    command.env("LC_ALL", "C.UTF-8").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => messages::pandoc_absent(),
        _ => messages::pandoc_failed(error.to_string()),
    })?;
    let stdin = child.stdin.take();
    thread::spawn(move || stdin.map(|mut stdin| stdin.write_all(&input)));
    let (sender, results) = mpsc::channel();
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    thread::spawn(move || {
        let mut output = Vec::new();
        if let Some(stdout) = stdout {
            let _ = stdout.take(MAX_OUTPUT + 1).read_to_end(&mut output);
        }
        let _ = sender.send(output);
    });
    let errors = thread::spawn(move || {
        let mut text = Vec::new();
        if let Some(stderr) = stderr {
            let _ = stderr.take(4096).read_to_end(&mut text);
        }
        String::from_utf8_lossy(&text).trim().to_owned()
    });
    let output = results.recv_timeout(MAX_DURATION).ok().filter(|output| output.len() as u64 <= MAX_OUTPUT);
    let Some(output) = output else {
        let _ = child.kill();
        let _ = child.wait();
        return Err(messages::pandoc_limit());
    };
    let status = child.wait().map_err(|error| messages::pandoc_failed(error.to_string()))?;
    let errors = errors.join().unwrap_or_default();
    match status.code() {
        Some(0) => Ok(output),
        // The exit status of Haskell's run-time system for exhausted memory.
        Some(251) => Err(messages::pandoc_limit()),
        _ if errors.contains("--sandbox") => Err(messages::pandoc_old()),
        _ => Err(messages::pandoc_failed(errors)),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn pandoc_reads_neither_files_nor_addresses() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("secret.txt"), "a word of this machine").unwrap();
        let secret = folder.path().join("secret.txt").display().to_string();
        let text = folder.path().join("text.html");
        let html = format!(
            "<p>before</p><iframe src=\"{secret}\"></iframe><img src=\"{secret}\" alt=\"x\">\
             <object data=\"file://{secret}\"></object><script src=\"http://127.0.0.1:9/x.js\"></script><p>behind</p>"
        );
        fs::write(&text, html).unwrap();
        let tree = read(&text, "html").unwrap();
        let written = write(&tree).unwrap();
        assert!(written.contains("before") && written.contains("behind"), "{written}");
        assert!(!written.contains("a word of this machine"), "{written}");
    }
}
