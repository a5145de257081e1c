//! `generator explain CODE`.

use std::process::ExitCode;

use generator::diagnostic::Code;

pub(crate) fn run(id: &str) -> Result<(), ExitCode> {
    let Some(code) = Code::find(id) else {
        eprintln!("error: there is no code `{id}`; a finding shows its code in brackets, such as error[E0101]");
        return Err(ExitCode::from(2));
    };
    println!("{}", code.explain());
    Ok(())
}
