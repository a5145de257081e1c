//! `mecelle man` and `mecelle completion`: manual pages and completion scripts, generated from the help.

use std::io::{self, Write};

use clap_mangen::{
    Man,
    roff::{Roff, roman},
};
use contract::tool;

use crate::{
    args::{self, Shell, names},
    exit::Exit,
    failure::Failure,
    surroundings::{Out, Surroundings},
};

const VARIABLES: [(&str, &str); 9] = [
    (tool::BASE_URL, "The host to contact instead of the kept one, with or without /api/v1. --base-url overrides it."),
    (tool::API_KEY, "The key to send instead of the kept key or the sandbox key. --api-key overrides it."),
    (tool::CACHE_DIR, "The folder of cached answers, instead of the platform's."),
    (tool::CONFIG_DIR, "The folder of kept keys and of the kept host, instead of the platform's."),
    ("MECELLE_PAGER, PAGER", "The pager for long output on a terminal; empty means none."),
    ("NO_COLOR, CLICOLOR, CLICOLOR_FORCE, FORCE_HYPERLINK", "Colours and links on a terminal."),
    ("COLUMNS", "The width of a table that does not go to a terminal."),
    (
        "ALL_PROXY, HTTPS_PROXY, HTTP_PROXY, NO_PROXY",
        "The proxy, and the hosts to contact without it; never used for this machine itself.",
    ),
    ("SSL_CERT_FILE", "A PEM file of authorities to trust instead of the built-in ones."),
];

pub(crate) fn write(command: Option<&str>, env: &Surroundings, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut root = args::command(env).after_help("").disable_help_subcommand(true);
    root.build();
    let found = command.and_then(|name| root.find_subcommand(name).cloned());
    let page = found.map_or(root, |found| found.version(args::VERSION));
    out.data.write_all(&render(page).map_err(Failure::Write)?).map_err(Failure::Write)
}

fn render(command: clap::Command) -> io::Result<Vec<u8>> {
    let has_commands = command.get_subcommands().any(|command| !command.is_hide_set());
    let examples = command.get_before_help().map(ToString::to_string).unwrap_or_default();
    let usage = command.clone().render_usage().to_string();
    let mut command = command.before_help("").override_usage(usage.trim_start_matches("Usage: ").to_owned());
    if command.get_name() == names::COMPLETION {
        // This command sends no request: hide the options about requests.
        command = command.mut_args(|arg| if arg.is_global_set() { arg.hide(true) } else { arg });
    }
    // No date: the same sources give the same page. The blank keeps the source in its column.
    let man = Man::new(command).date(" ").source(format!("mecelle {}", args::VERSION)).manual("Mecelle");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    section(&mut page, "EXAMPLES", &examples_of(&examples))?;
    man.render_options_section(&mut page)?;
    if has_commands {
        man.render_subcommands_section(&mut page)?;
    }
    section(
        &mut page,
        "OUTPUT",
        &[
            "On a terminal the output is a table; in a pipe it is the exact bytes of the API. Data goes to the standard \
             output, everything else to the standard error."
                .to_owned(),
            "Answers are cached with their entity tags. If the host is unreachable, the cached answer is shown, a line \
             on the standard error names its date, and the exit code is 0."
                .to_owned(),
            "The key that `register` obtains is kept in the platform's configuration folder, readable by its owner only, and \
             sent only to the host that issued it. At the first 401 it is deleted. POST requests are not retried."
                .to_owned(),
            "--jq prints strings raw and anything else as compact JSON, one result per line.".to_owned(),
            "CSV follows RFC 4180 and has the API's field names; cells are not changed for spreadsheets.".to_owned(),
        ],
    )?;
    tagged_section(
        &mut page,
        "EXIT STATUS",
        Exit::ALL.map(|exit| (exit.code().to_string(), exit.meaning().to_owned())),
    )?;
    tagged_section(&mut page, "ENVIRONMENT", VARIABLES.map(|(name, text)| (name.to_owned(), text.to_owned())))?;
    section(
        &mut page,
        "DEFAULTS",
        &[
            "The host is the one that `mecelle use` sets; the language is en, whatever LANG is.".to_owned(),
            "The key is the kept key of the host, else the sandbox key that its API description publishes, which is read \
             once, else none. If the host refuses the sandbox key, the request is repeated without a key, with a line on \
             the standard error."
                .to_owned(),
        ],
    )?;
    man.render_version_section(&mut page)?;
    Ok(page)
}

fn examples_of(text: &str) -> Vec<String> {
    text.lines().skip(1).map(|line| line.trim().to_owned()).collect()
}

fn section(page: &mut dyn Write, title: &str, paragraphs: &[String]) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for (place, paragraph) in paragraphs.iter().enumerate() {
        if place > 0 {
            roff.control("PP", []);
        }
        roff.text([roman(paragraph)]);
    }
    roff.to_writer(page)
}

fn tagged_section(
    page: &mut dyn Write,
    title: &str,
    rows: impl IntoIterator<Item = (String, String)>,
) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", [title]);
    for (tag, text) in rows {
        roff.control("TP", []);
        roff.text([clap_mangen::roff::bold(tag)]);
        roff.text([roman(text)]);
    }
    roff.to_writer(page)
}

pub(crate) fn completion(shell: Shell, env: &Surroundings, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut command = args::command(env);
    let name = command.get_name().to_owned();
    // Into memory first: the generators panic if a pipe is closed early.
    let mut script = Vec::new();
    match shell.common() {
        Some(shell) => clap_complete::generate(shell, &mut command, name, &mut script),
        None => clap_complete::generate(clap_complete_nushell::Nushell, &mut command, name, &mut script),
    }
    out.data.write_all(&script).map_err(Failure::Write)
}
