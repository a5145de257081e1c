//! Help, manual pages and errors of the command line.

use cli::Exit;

use crate::tool::Tool;

pub(crate) const COMMANDS: [&str; 15] = [
    "use",
    "practice-areas",
    "team",
    "publications",
    "contact",
    "catalog",
    "search",
    "register",
    "assertion",
    "claim",
    "whoami",
    "logout",
    "health",
    "openapi",
    "completion",
];

fn tool() -> Tool {
    Tool::asking("https://unreachable.example")
}

#[test]
fn help_begins_with_examples_and_fits_on_a_screen() {
    for command in COMMANDS.into_iter().chain(["man", ""]) {
        let outcome = tool().run(&format!("{command} --help"));
        assert_eq!((outcome.exit, outcome.notes.as_str()), (Exit::Success, ""), "{command}");
        let text = outcome.text();
        assert!(text.find("Examples:").unwrap() < text.find("Usage:").unwrap(), "{text}");
        let limit = if command.is_empty() { 32 } else { 28 };
        assert!(text.lines().count() < limit, "{command} has {} lines:\n{text}", text.lines().count());
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
    }
}

#[test]
fn help_and_manual_list_every_exit_code() {
    let help = tool().run("--help");
    let manual = tool().run("man");
    for (code, meaning) in [
        (0, "ok"),
        (1, "failure"),
        (2, "usage"),
        (4, "authentication"),
        (5, "not found"),
        (6, "network or time-out"),
        (7, "server"),
    ] {
        assert!(help.text().contains(&format!("{code} {meaning}")), "{}", help.text());
        let entry = format!("\\fB{code}\\fR\n{}", meaning.replace('-', "\\-"));
        assert!(manual.text().contains(&entry), "{entry} is missing in: {}", manual.text());
    }
}

#[test]
fn document_and_manual_list_every_variable() {
    let document = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/tool.md")).unwrap();
    let manual = tool().run("man");
    for name in contract::tool::VARIABLES {
        assert!(document.contains(&format!("| `{name}`")), "{name}");
        assert!(manual.text().contains(name), "{name}");
    }
}

#[test]
fn every_command_has_a_manual_page_with_its_examples() {
    for command in COMMANDS {
        let outcome = tool().run(&format!("man {command}"));
        assert!(
            outcome.text().contains(".SH EXAMPLES") && outcome.text().contains(".SH \"EXIT STATUS\""),
            "{}",
            outcome.text()
        );
    }
    let title = format!(".TH mecelle-team 1 \" \" \"mecelle {}", env!("CARGO_PKG_VERSION"));
    assert!(tool().run("man team").text().contains(&title), "{}", tool().run("man team").text());
    for name in ["nothing", "help", "man"] {
        assert_eq!(tool().run(&format!("man {name}")).exit, Exit::Usage, "{name}");
    }
    assert!(!tool().run("man").text().contains("mecelle\\-help"), "{}", tool().run("man").text());
}

#[test]
fn manual_page_has_the_usage_of_the_help() {
    for (command, usage) in [
        ("search", "mecelle search [OPTIONS] [WORD]..."),
        ("claim", "mecelle claim [OPTIONS] <--email <ADDRESS>|--code <CODE>|--wait>"),
        ("completion", "mecelle completion [OPTIONS] <SHELL>"),
    ] {
        let (help, page) = (tool().run(&format!("{command} --help")), tool().run(&format!("man {command}")));
        assert!(help.text().contains(&format!("Usage: {usage}\n")), "{}", help.text());
        let (name, rest) = usage.split_at(usage.find(" [").unwrap());
        let synopsis = format!(".SH SYNOPSIS\n\\fB{name}\\fR{}\n", rest.replace('-', "\\-"));
        assert!(page.text().contains(&synopsis), "{synopsis} is missing in: {}", page.text());
    }
    let page = tool().run("man completion");
    assert!(!page.text().contains("\n\\fB\\-\\-offline"), "it sends no request: {}", page.text());
    assert!(tool().run("man team").text().contains("\n\\fB\\-\\-offline"));
}

#[test]
fn version_is_that_of_the_package() {
    let outcome = tool().run("--version");
    assert!(outcome.text().starts_with(concat!("mecelle ", env!("CARGO_PKG_VERSION"))), "{}", outcome.text());
}

#[test]
fn wrong_command_line_is_a_usage_error_with_the_allowed_values() {
    for (line, word) in [
        ("tem", "'team'"),
        ("team --locale de", "en, tr"),
        ("team --locale TR", "en, tr"),
        ("health --locale tr", "--locale"),
        ("team --output xml", "markdown"),
        ("team --timeout 0", "seconds"),
        ("team --retries 99", "99"),
        ("team --base-url https://a.example/firm", "path"),
        ("", "Usage"),
    ] {
        let outcome = tool().run(line);
        assert_eq!(outcome.exit, Exit::Usage, "{line}");
        assert!(outcome.data.is_empty() && outcome.notes.contains(word), "{line}: {}", outcome.notes);
    }
}

#[test]
fn usage_error_has_one_command_to_try() {
    for (line, next) in [
        ("tem", "mecelle --help"),
        ("team --locale de", "mecelle team --help"),
        ("--locale tr team", "mecelle team --help"),
        ("search", "mecelle search --help"),
        ("claim", "mecelle claim --help"),
        ("help --help", "mecelle --help"),
        ("help tem", "mecelle --help"),
        ("man nothing", "mecelle man --help"),
    ] {
        let outcome = tool().run(line);
        assert!(outcome.notes.starts_with("error: ") && !outcome.notes.contains("\n\n"), "{}", outcome.notes);
        assert!(outcome.notes.ends_with(&format!("  try: {next}\n")), "{}", outcome.notes);
    }
    let outcome = tool().run("--locale tr team");
    assert!(outcome.notes.contains("follow the command: mecelle team"), "{}", outcome.notes);
}

#[test]
fn help_command_equals_the_help_option() {
    assert_eq!(tool().run("help team").text(), tool().run("team --help").text());
    assert_eq!(tool().run("help").text(), tool().run("--help").text());
}

#[test]
fn lang_does_not_choose_the_language() {
    let server = crate::server::Server::start([]);
    let outcome = Tool::asking(&server.url()).with("LANG", "tr_TR.UTF-8").run("team --jq .locale");
    assert_eq!(outcome.text(), "en\n");
}
