//! `generator explain [CODE]`.

use std::process::ExitCode;

use generator::{check, diagnostic::Code, messages};

use super::{fail, language, write};

pub(crate) fn run(id: Option<&str>) -> Result<(), ExitCode> {
    let Some(id) = id else {
        return write(&overview());
    };
    let Some(code) = Code::find(id) else {
        fail(&format!("there is no code `{id}`; a finding shows its code in brackets, such as error[E0101]"));
        return Err(ExitCode::from(2));
    };
    write(&format!("{}\n", code.explain(language())))
}

/// Lists what is checked, and every code.
fn overview() -> String {
    let checks = check::names().map(|name| format!("  {name}\n"));
    let codes = Code::ALL.iter().map(|code| format!("  {} {}\n", code.id(), code.title(language())));
    let lines = ["Besides the form of each field, these things are checked:\n".to_owned()].into_iter().chain(checks);
    let codes = lines.chain(["\nThese codes can be explained:\n".to_owned()]).chain(codes);
    codes.chain([format!("\n{}\n", &messages::manual()[language()])]).collect()
}
