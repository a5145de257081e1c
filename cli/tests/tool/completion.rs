//! Completion scripts: each lists the commands, and bash loads and runs its own.

#[cfg(unix)]
use std::process::{Command, Stdio};

use cli::Exit;

use crate::{help::COMMANDS, tool::Tool};

fn script(shell: &str) -> String {
    let outcome = Tool::asking("https://unreachable.example").run(&format!("completion {shell}"));
    assert_eq!(outcome.exit, Exit::Success, "{}", outcome.notes);
    outcome.text().to_owned()
}

#[test]
fn completion_of_every_shell_lists_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish", "nushell"] {
        let script = script(shell);
        for command in COMMANDS {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
    }
}

/// Returns the completions of bash for the last of `words`.
#[cfg(unix)]
fn complete(words: &[&str]) -> String {
    let call = r#"
compopt() { :; } # It speaks only to a bash that is completing.
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_mecelle mecelle "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}"
echo "${COMPREPLY[*]}""#;
    let program = script("bash") + call;
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &program, "bash", "mecelle"]).args(words).stdin(Stdio::null());
    let output = bash.output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

#[cfg(unix)]
#[test]
fn bash_completes_commands_and_values() {
    assert_eq!(complete(&["te"]), "team");
    assert_eq!(complete(&["team", "--loc"]), "--locale");
    assert_eq!(complete(&["team", "--locale", ""]), "en tr");
    assert_eq!(complete(&["publications", "--output", ""]), "table json csv markdown");
    assert_eq!(complete(&["register", "--credential", "a"]), "api-key access-token");
    assert_eq!(complete(&["completion", "po"]), "powershell");
    assert_eq!(complete(&["man", "te"]), "team");
}

#[cfg(unix)]
#[test]
fn bash_offers_no_files_for_a_number() {
    for words in [["team", "--retries", ""], ["search", "--limit", ""], ["publications", "--cites", ""]] {
        assert_eq!(complete(&words), "", "{words:?}");
    }
}
