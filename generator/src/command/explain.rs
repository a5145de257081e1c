//! `generator explain [CODE]`.

use std::process::ExitCode;

use findings::{Code, messages};
use site::check;

use super::{fail, language, write};

pub(crate) fn run(id: Option<&str>) -> Result<(), ExitCode> {
    let Some(id) = id else {
        return write(&overview());
    };
    let Some(code) = Code::find(id) else {
        fail(&messages::code_not_found(id));
        return Err(ExitCode::from(2));
    };
    write(&format!("{}\n", code.explain(language())))
}

fn overview() -> String {
    let language = language();
    let checks = check::names().map(|name| format!("  {}\n", &name[language]));
    let codes = Code::ALL.iter().map(|code| format!("  {} {}\n", code.id(), code.title(language)));
    let lines = [format!("{}\n", &messages::checks_listed()[language])].into_iter().chain(checks);
    let codes = lines.chain([format!("\n{}\n", &messages::codes_listed()[language])]).chain(codes);
    codes.chain([format!("\n{}\n", &messages::manual()[language])]).collect()
}
