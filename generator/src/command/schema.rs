//! `generator schema`.

use std::{path::PathBuf, process::ExitCode};

use clap::builder::PossibleValuesParser;
use findings::messages;
use generator::schema::{names, schema, write as write_to};

use super::{fail, note, write};

#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  generator schema team\n  generator schema --out .vscode/schemas")]
pub(crate) struct Arguments {
    /// Folder of the entries whose fields to describe, or `site` for `site.toml`.
    #[arg(value_parser = PossibleValuesParser::new(names()), required_unless_present = "out")]
    kind: Option<String>,
    /// Folder to write the schema to, or all schemas; existing ones are overwritten.
    #[arg(long)]
    out: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), ExitCode> {
    let kind = arguments.kind.as_deref();
    let Some(folder) = &arguments.out else {
        return write(&kind.and_then(schema).unwrap_or_default());
    };
    let wanted = names().filter(|name| kind.is_none_or(|kind| kind == *name));
    let written = write_to(folder, wanted);
    let written = written.map_err(|(path, error)| fail(&messages::schema_not_written(path.display(), error)))?;
    note(&messages::schemas_written(written.len(), folder.display()));
    Ok(())
}
