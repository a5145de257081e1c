//! The Turkish help and errors of the arguments. The English help is in the doc comments of the arguments.

use std::{net::AddrParseError, process::ExitCode, sync::LazyLock};

use clap::{
    Arg, Command, Error,
    error::{ContextKind, ContextValue, ErrorKind},
};
use contract::Locale;
use findings::messages::{self, Text};
use generator::scaffold::UnknownKind;
use toml::Table;

use super::{fail, language, note};

/// The Turkish texts: a table for each command, and those that commands share.
static TEXTS: LazyLock<Table> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the table is compiled in, and a test reads all of it")]
    toml::from_str(include_str!("help.tr.toml")).expect("invariant: the table of help is TOML")
});

static NONE: LazyLock<Table> = LazyLock::new(Table::new);

/// Returns `command` with its help in Turkish.
pub(crate) fn in_turkish(mut command: Command) -> Command {
    // Adds clap's own options, which are translated too.
    command.build();
    translate_command(command, &TEXTS).about(text("generator", "about"))
}

fn translate_command(command: Command, texts: &'static Table) -> Command {
    let usage = text("clap", "usage");
    let command = command
        .help_template(format!("{{about-with-newline}}\n{usage} {{usage}}\n\n{{all-args}}{{after-help}}"))
        .subcommand_help_heading(text("clap", "commands"))
        .subcommand_value_name(text("clap", "command"))
        .mut_args(|argument| translate_argument(argument, texts))
        .mut_subcommands(|command| match command.get_name() {
            "help" => command.about(text("clap", "help_command")),
            // It takes the arguments of `build`.
            "watch" => translate_command(command, table(texts, "build")).about(text("watch", "about")),
            name => {
                let texts = table(texts, name);
                translate_command(command, texts)
            }
        });
    let command = match string(texts, "about") {
        Some(about) => command.about(about),
        None => command,
    };
    match string(texts, "after_help") {
        Some(after_help) => command.after_help(after_help.trim_start()),
        None => command,
    }
}

fn translate_argument(argument: Arg, texts: &'static Table) -> Arg {
    let id = argument.get_id().as_str();
    let places = [table(texts, "arguments"), table(table(&TEXTS, "shared"), "arguments"), table(&TEXTS, "clap")];
    let help = places.into_iter().find_map(|texts| string(texts, id)).unwrap_or_default();
    let default = match argument.get_default_values() {
        [default] if argument.get_action().takes_values() => {
            format!(" [{} {}]", text("clap", "default"), default.display())
        }
        _ => String::new(),
    };
    let values: Vec<_> = argument.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    let values = if argument.get_action().takes_values() && !values.is_empty() {
        format!(" [{} {}]", text("clap", "possible_values"), values.join(", "))
    } else {
        String::new()
    };
    let names = argument.get_value_names().unwrap_or_default();
    let names: Option<Vec<_>> = names.iter().map(|name| string(table(&TEXTS, "value_names"), name)).collect();
    let heading = if argument.is_positional() { "arguments" } else { "options" };
    let argument = argument
        .help(format!("{help}{values}{default}"))
        .long_help(None::<&str>)
        .hide_default_value(true)
        .hide_possible_values(true)
        .help_heading(text("clap", heading));
    match names {
        Some(names) if !names.is_empty() => argument.value_names(names),
        _ => argument,
    }
}

fn table(texts: &'static Table, name: &str) -> &'static Table {
    texts.get(name).and_then(|texts| texts.as_table()).unwrap_or(&NONE)
}

fn string(texts: &'static Table, name: &str) -> Option<&'static str> {
    texts.get(name).and_then(|text| text.as_str())
}

fn text(group: &str, name: &str) -> &'static str {
    string(table(&TEXTS, group), name).unwrap_or_default()
}

/// Prints clap's result if it is not a command: an error, the help or the version.
pub(crate) fn explain(error: &Error) -> ExitCode {
    if language() == Locale::En || !error.use_stderr() {
        error.exit();
    }
    fail(&argument_error(error));
    note(&messages::help_of_arguments("generator"));
    ExitCode::from(2)
}

/// Returns an error of clap as a message.
fn argument_error(error: &Error) -> Text {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.clone(),
        Some(ContextValue::Strings(texts)) => texts.join(", "),
        _ => String::new(),
    };
    let (argument, value) = (context(ContextKind::InvalidArg), context(ContextKind::InvalidValue));
    let problem = match error.kind() {
        ErrorKind::UnknownArgument => messages::unknown_argument(argument),
        ErrorKind::InvalidSubcommand => messages::unknown_command(context(ContextKind::InvalidSubcommand)),
        ErrorKind::InvalidValue if value.is_empty() => messages::argument_without_value(argument),
        ErrorKind::InvalidValue => messages::value_not_possible(argument, value, context(ContextKind::ValidValue)),
        ErrorKind::ValueValidation => {
            let why = std::error::Error::source(error).map(|why| {
                let kind = why.downcast_ref::<UnknownKind>().map(|unknown| unknown.message());
                let address = why.is::<AddrParseError>().then(messages::listen_form);
                let moment = why.is::<jiff::Error>().then(messages::moment_form);
                kind.or(address).or(moment).unwrap_or_else(|| Text::verbatim(why))
            });
            messages::value_not_valid(argument, value, why.unwrap_or_default())
        }
        ErrorKind::MissingRequiredArgument => messages::missing_arguments(argument),
        ErrorKind::MissingSubcommand | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => messages::no_command(),
        ErrorKind::ArgumentConflict => messages::arguments_conflict(argument, context(ContextKind::PriorArg)),
        _ => Text::verbatim(error.to_string().trim()),
    };
    let near = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue].map(context);
    // clap lists the nearest suggestion last.
    match near.iter().filter_map(|names| names.rsplit(", ").next()).find(|name| !name.is_empty()) {
        Some(nearest) => messages::argument_meant(problem, nearest),
        None => problem,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::CommandFactory as _;

    use super::*;
    use crate::Arguments;

    /// Collects the paths of the texts that `command` may have, and of those that it lacks.
    fn collect_paths(
        command: &Command,
        path: &str,
        texts: &'static Table,
        paths: &mut BTreeSet<String>,
        missing: &mut Vec<String>,
    ) {
        let general = [table(table(&TEXTS, "shared"), "arguments"), table(&TEXTS, "clap")];
        for argument in command.get_arguments() {
            let (id, own) = (argument.get_id().as_str(), table(texts, "arguments"));
            let path = format!("{path}.arguments.{id}");
            if ![own, general[0], general[1]].iter().any(|texts| texts.contains_key(id)) {
                missing.push(path.clone());
            }
            paths.insert(path);
            if argument.get_action().takes_values() {
                for name in argument.get_value_names().unwrap_or_default() {
                    missing.extend(string(table(&TEXTS, "value_names"), name).is_none().then(|| name.to_string()));
                    paths.insert(format!("value_names.{name}"));
                }
            }
        }
        for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
            let (name, texts) = (command.get_name(), table(texts, command.get_name()));
            let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
            missing.extend(string(texts, "about").is_none().then(|| path.clone()));
            paths.insert(format!("{path}.about"));
            // It takes the arguments of `build`.
            if name != "watch" {
                collect_paths(command, &path, texts, paths, missing);
            }
        }
    }

    /// Collects the paths of the texts below `texts`.
    fn collect_written(texts: &Table, path: &str, paths: &mut BTreeSet<String>) {
        for (name, text) in texts {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            match text {
                toml::Value::Table(texts) => collect_written(texts, &path, paths),
                _ => assert!(paths.insert(path)),
            }
        }
    }

    #[test]
    fn turkish_help_has_a_text_for_each_argument_and_no_other() {
        let mut program = Arguments::command();
        program.build();
        let (mut possible, mut missing, mut idle) = (BTreeSet::new(), Vec::new(), BTreeSet::new());
        collect_paths(&program, "", &TEXTS, &mut possible, &mut missing);
        assert!(missing.is_empty(), "{missing:?}");
        collect_written(&TEXTS, "", &mut idle);
        idle.retain(|path| {
            let is_general = ["generator.", "clap.", "shared."].iter().any(|group| path.starts_with(group));
            !is_general && !path.ends_with(".after_help") && !possible.contains(path)
        });
        assert!(idle.is_empty(), "{idle:?}");
    }

    #[test]
    fn argument_errors_are_printed_in_turkish() {
        for (arguments, expected) in [
            ("biuld", "`biuld` diye bir komut yok; bunu mu yazmak istediniz: `build`?"),
            ("check --formt json", "`--formt` diye bir argüman yok; bunu mu yazmak istediniz: `--format`?"),
            ("chekc", "bunu mu yazmak istediniz: `check`?"),
            ("host ngnix --out x", "; bunu mu yazmak istediniz: `nginx`?"),
            ("host heroku --out x", "`<AD>` için `heroku` yazılamaz; kullanılabilecek değerler: cloudflare, netlify"),
            ("check --format x", "`--format <BİÇİM>` için `x` yazılamaz"),
            ("check --now dün", "`--now <AN>` için `dün` yazılamaz"),
            ("new", "şu argümanlar eksik"),
            ("", "bir komut yazılmamış"),
        ] {
            let program = in_turkish(Arguments::command());
            let words = std::iter::once("generator").chain(arguments.split_whitespace());
            let error = program.try_get_matches_from(words).unwrap_err();
            let message = argument_error(&error);
            assert!(message[Locale::Tr].contains(expected), "{arguments}: {}", &message[Locale::Tr]);
        }
    }
}
