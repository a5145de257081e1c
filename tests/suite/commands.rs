//! Commands of the published documents and of the repository's own, run by a shell as they are written. Only the address of
//! the site is that of the service under test, and `<NAME>` the value of that name.

use std::{collections::BTreeMap, fs, process::Command};

use tempfile::TempDir;
use tests::{BuiltFirm, Firm, SITE_URL, Service, built, repository};

/// A shell beside a service.
pub(crate) struct CommandShell {
    /// The texts that stand for others.
    replaced: Vec<(String, String)>,
    values: BTreeMap<&'static str, String>,
    home: TempDir,
}

impl CommandShell {
    /// Replaces `site_url` in commands by the address of `service`.
    pub(crate) fn beside<F: Firm>(service: &Service<F>, site_url: &str) -> Self {
        let here = format!("http://{}", service.address());
        Self { replaced: vec![(site_url.to_owned(), here)], values: BTreeMap::new(), home: TempDir::new().unwrap() }
    }

    /// Sets the value of `<name>`.
    pub(crate) fn set(&mut self, name: &'static str, value: &str) {
        self.values.insert(name, value.to_owned());
    }

    /// Runs a command and returns its output.
    pub(crate) fn run(&self, command: &str) -> String {
        let mut text = command.to_owned();
        for (from, to) in &self.replaced {
            text = text.replace(from, to);
        }
        for (name, value) in &self.values {
            text = text.replace(&format!("<{name}>"), value);
        }
        assert!(!text.contains('<'), "a value is not set: {text}");
        let output = Command::new("sh").args(["-ec", &text]).env("CURL_HOME", self.home.path()).output().unwrap();
        assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Makes `curl` fail if the answer is an error.
    fn fail_on_errors(&self) {
        fs::write(self.home.path().join(".curlrc"), "fail\nsilent\nshow-error\n").unwrap();
    }
}

/// Returns the code blocks in `text` that are in this `language`.
pub(crate) fn blocks(text: &str, language: &str) -> Vec<String> {
    let begin = format!("```{language}\n");
    let inside = text.split(begin.as_str()).skip(1).map(|rest| rest.split("```").next().unwrap());
    inside.map(|block| block.trim().to_owned()).collect()
}

/// Returns the commands of `curl` in the blocks of a document, but for those that continue another command.
fn curl_commands(text: &str) -> Vec<String> {
    let mut commands = Vec::new();
    for block in blocks(text, "sh") {
        let mut is_continued = false;
        for line in block.replace("\\\n", " ").lines() {
            let line = line.trim();
            if line.starts_with("curl ") && !is_continued {
                commands.push(line.to_owned());
            }
            is_continued = line.ends_with('|');
        }
    }
    commands
}

#[test]
fn curl_commands_of_pages_and_documents_run_as_written() {
    const DEMONSTRATION: &str = "https://yalicam.example";
    let firm: BuiltFirm = built("content");
    let service = firm.serve();
    let mut shell = CommandShell::beside(&service, DEMONSTRATION);
    shell.replaced.push(("http://127.0.0.1:8080".to_owned(), format!("http://{}", service.address())));
    shell.fail_on_errors();
    let pages = ["/en/developers.md", "/tr/gelistiriciler.md", "/llms.txt", "/en/llms.txt", "/tr/llms.txt"];
    let mut documents: Vec<(String, String)> =
        pages.iter().map(|path| ((*path).to_owned(), service.get(path, &[]).text())).collect();
    let files = fs::read_dir(repository().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    for path in
        files.chain([repository().join("README.md")]).filter(|path| path.extension().is_some_and(|it| it == "md"))
    {
        documents.push((path.display().to_string(), fs::read_to_string(&path).unwrap()));
    }
    let mut count = 0;
    for (name, text) in documents {
        for command in curl_commands(&text) {
            assert!(!shell.run(&command).is_empty(), "{name}: {command}");
            count += 1;
        }
    }
    assert!(count >= 20, "{count} commands were found");
}

#[test]
fn first_credential_takes_a_document_and_three_commands() {
    let service = Service::of("firm");
    let shell = CommandShell::beside(&service, SITE_URL);
    let text = shell.run(&format!("curl -sS {SITE_URL}/auth.md"));
    let find = |part: &str| blocks(&text, "sh").into_iter().find(|block| block.contains(part)).unwrap();
    let mut shell = shell;
    let registered: serde_json::Value = serde_json::from_str(&shell.run(&find("\"anonymous\""))).unwrap();
    let next = registered["next"].as_str().unwrap();
    assert!(next.contains("`Authorization: Bearer`") && next.contains("`claim_url`"), "{next}");
    shell.set("CREDENTIAL", registered["credential"].as_str().unwrap());
    assert!(shell.run(&find("/agent/registration")).contains("\"state\""));
    assert_eq!(shell.run(&find("token=<CREDENTIAL>")), "");
    assert!(shell.run(&find("/agent/registration")).contains("\"error\""), "the credential is revoked");
}
