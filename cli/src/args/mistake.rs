//! Errors of the command line, reported like any other failure.

use clap::error::{ContextKind, ContextValue, ErrorKind};

use crate::failure::Failure;

/// Returns whether the parser stopped for help or the version, or because there were no arguments.
pub(crate) fn is_help(error: &clap::Error) -> bool {
    !error.use_stderr() || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
}

/// Builds the failure from the error, the allowed values and the help to read. `command` is empty if none was
/// recognized.
pub(crate) fn usage_failure(error: &clap::Error, command: &str) -> Failure {
    let context = |kind| error.get(kind).map(words).filter(|words| !words.is_empty());
    let is_before_command = error.kind() == ErrorKind::UnknownArgument
        && !command.is_empty()
        && context(ContextKind::Usage).is_some_and(|usage| !usage.contains(command));
    let remedy = if is_before_command {
        Some(format!("Options follow the command: mecelle {command} …"))
    } else if let Some(values) = context(ContextKind::ValidValue) {
        Some(format!("Use one of: {values}."))
    } else {
        let near = [ContextKind::SuggestedSubcommand, ContextKind::SuggestedArg];
        near.into_iter().find_map(context).map(|name| format!("Did you mean '{name}'?"))
    };
    Failure::Usage { what: message(error), remedy, next: None }
}

/// Returns the first paragraph of the parser's message on one line, without the values, which the remedy lists.
fn message(error: &clap::Error) -> String {
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).take_while(|line| !line.is_empty());
    let lines: Vec<&str> = lines.filter(|line| !line.starts_with("[possible values")).collect();
    let line = lines.join(" ");
    // The usage of a repeated argument ends with dots.
    format!("{}.", line.strip_prefix("error: ").unwrap_or(&line).trim_end_matches('.'))
}

fn words(value: &ContextValue) -> String {
    match value {
        ContextValue::Strings(words) => words.join(", "),
        ContextValue::StyledStrs(words) => words.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}
