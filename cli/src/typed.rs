//! The command line as typed, to be suggested again with one change.

use std::ffi::OsString;

/// Shown instead of a credential.
const HIDDEN: &str = "KEY";
/// The option whose value is a secret.
const SECRET: &str = "--api-key";
/// The option that names the host.
const HOST: &str = "--base-url";

/// Options to change that have a short form.
const SHORT: [(&str, &str); 2] = [("--output", "-o"), ("--jq", "-q")];

/// The short form of `--wide`.
const SWITCH: &str = "-w";

/// The arguments without the name of the program. Security: without the credential.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct TypedLine(Vec<String>);

impl TypedLine {
    /// Reads the arguments; the first is the name of the program.
    pub(crate) fn of(args: &[OsString]) -> Self {
        let mut words = Vec::new();
        let (mut is_secret, mut is_plain) = (false, false);
        for word in args.iter().skip(1).map(|word| word.to_string_lossy()) {
            match (word.strip_prefix(SWITCH), word.strip_prefix("--api-key=")) {
                _ if is_secret && !word.is_empty() => words.push(HIDDEN.to_owned()),
                // Characters after the switch are further options.
                (Some(rest), _) if !rest.is_empty() && !is_plain => {
                    words.extend([SWITCH.to_owned(), format!("-{rest}")]);
                }
                (_, Some(value)) if !value.is_empty() => words.push(format!("{SECRET}={HIDDEN}")),
                _ => words.push(word.to_string()),
            }
            is_secret = word == SECRET;
            // After `--` there are no options.
            is_plain |= word == "--";
        }
        Self(words)
    }

    /// Returns `command` without any option.
    pub(crate) fn bare(command: &str) -> Self {
        Self(vec![command.to_owned()])
    }

    /// Returns the first of `names` among the words.
    pub(crate) fn command<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        let names: Vec<&str> = names.into_iter().collect();
        self.0.iter().find_map(|word| names.iter().copied().find(|name| name == word))
    }

    /// Returns the command `line` with the host of this one.
    pub(crate) fn on_same_host(&self, line: &str) -> String {
        self.host().map_or_else(|| line.to_owned(), |host| format!("{line} {HOST} {}", quote(host)))
    }

    fn host(&self) -> Option<&str> {
        let mut words = self.0.iter().map(String::as_str).take_while(|word| *word != "--");
        while let Some(word) = words.next() {
            if word == HOST {
                return words.next();
            }
            if let Some(host) = word.strip_prefix(HOST).and_then(|rest| rest.strip_prefix('=')) {
                return Some(host);
            }
        }
        None
    }

    pub(crate) fn unchanged(&self) -> String {
        let words = ["mecelle"].into_iter().chain(self.0.iter().map(String::as_str));
        words.map(quote).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn with_option(&self, option: &str, value: &str) -> String {
        self.replace_option(option, value).unchanged()
    }

    /// Returns the arguments with `value` for `option`.
    pub(crate) fn replace_option(&self, option: &str, value: &str) -> Self {
        let mut line = self.remove_option(option, true);
        // Insert before `--`: after it there are no options.
        let end = line.0.iter().position(|word| word == "--").unwrap_or(line.0.len());
        line.0.splice(end..end, [option.to_owned(), value.to_owned()]);
        line
    }

    pub(crate) fn without_switch(&self, switch: &str) -> String {
        self.remove_option(switch, false).unchanged()
    }

    fn remove_option(&self, option: &str, has_value: bool) -> Self {
        let short = SHORT.iter().find(|(long, _)| *long == option).map_or(option, |(_, short)| short);
        let mut kept = Vec::new();
        let mut words = self.0.iter();
        while let Some(word) = words.next() {
            let is_joined = word.strip_prefix(option).is_some_and(|rest| rest.starts_with('='))
                || (short != option && word.len() > short.len() && word.starts_with(short));
            if has_value && (word == option || word == short) {
                words.next();
            } else if word != option && !is_joined {
                kept.push(word.clone());
            }
        }
        Self(kept)
    }
}

/// Quotes a word for a shell.
fn quote(word: &str) -> String {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-._/:@%+=,".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(words: &[&str]) -> TypedLine {
        TypedLine::of(&["mecelle"].iter().chain(words).map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn suggested_line_changes_one_option_only() {
        let line = typed(&["search", "uzaktan çalışma", "--timeout=5", "-l", "tr"]);
        assert_eq!(line.with_option("--timeout", "60"), "mecelle search 'uzaktan çalışma' -l tr --timeout 60");
        let line = typed(&["team", "--timeout", "5", "--offline", "--jq", ".a|.b"]);
        assert_eq!(line.with_option("--timeout", "60"), "mecelle team --offline --jq '.a|.b' --timeout 60");
        assert_eq!(line.without_switch("--offline"), "mecelle team --timeout 5 --jq '.a|.b'");
        assert_eq!(typed(&["team", "-q", ".a", "-l", "tr"]).with_option("--jq", "."), "mecelle team -l tr --jq .");
        assert_eq!(typed(&["team", "-ocsv"]).with_option("--output", "json"), "mecelle team --output json");
        assert_eq!(typed(&["team", "-wq", ".a"]).with_option("--jq", "."), "mecelle team -w --jq .");
        assert_eq!(typed(&["team", "-wq.a"]).with_option("--jq", "."), "mecelle team -w --jq .");
        assert_eq!(typed(&["search", "--", "-wq"]).unchanged(), "mecelle search -- -wq");
        assert_eq!(typed(&["search", "--", "-x"]).with_option("--api-key", ""), "mecelle search --api-key '' -- -x");
    }

    #[test]
    fn suggested_command_keeps_the_host() {
        for words in [&["--base-url", "a.example", "team"][..], &["team", "--base-url=a.example"]] {
            assert_eq!(typed(words).on_same_host("mecelle health"), "mecelle health --base-url a.example");
        }
        assert_eq!(typed(&["search", "--", "--base-url", "a"]).on_same_host("mecelle health"), "mecelle health");
    }

    #[test]
    fn credential_is_not_repeated() {
        for words in [&["team", "--api-key", "ak_secret"][..], &["team", "--api-key=ak_secret"]] {
            let line = typed(words);
            assert!(!format!("{line:?}{}", line.unchanged()).contains("secret"), "{line:?}");
        }
        assert_eq!(typed(&["team", "--api-key", ""]).unchanged(), "mecelle team --api-key ''");
    }

    #[test]
    fn quote_is_escaped_for_the_shell() {
        assert_eq!(typed(&["search", "it's"]).unchanged(), "mecelle search 'it'\\''s'");
    }
}
