//! `mecelle completion`.

use crate::{
    args::{self, Shell},
    failure::Failure,
    surroundings::{Out, Surroundings},
};

pub(crate) fn write(shell: Shell, env: &Surroundings, out: &mut Out<'_>) -> Result<(), Failure> {
    let mut command = args::command(env);
    let name = command.get_name().to_owned();
    // Generated in memory: the generators panic when a pipe is closed early.
    let mut script = Vec::new();
    match shell.common() {
        Some(shell) => clap_complete::generate(shell, &mut command, name, &mut script),
        None => clap_complete::generate(clap_complete_nushell::Nushell, &mut command, name, &mut script),
    }
    out.data.write_all(&script).map_err(Failure::Write)
}
