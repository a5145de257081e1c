//! `mecelle assertion`: signs a token with the key of the development provider.

use std::{path::Path, time::UNIX_EPOCH};

use dev_provider::DevProvider;

use crate::{
    args::{self, Options},
    failure::Failure,
    settings,
    surroundings::{Out, Surroundings},
};

pub(crate) fn run(
    wanted: &args::AssertionArguments,
    options: &Options,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    let args::AssertionArguments { email, provider, audience, logout } = wanted;
    let audience = match audience {
        Some(audience) => settings::parse_base_url("--audience", audience)?,
        None => settings::resolve_host(options, env)?.base,
    };
    let provider = DevProvider::load(Path::new(provider)).map_err(|error| unusable(&error.to_string()))?;
    let now = env.clock.now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let sign = if *logout { DevProvider::logout } else { DevProvider::assertion };
    let token = sign(&provider, email, &audience.to_string(), now).map_err(unusable)?;
    writeln!(out.data, "{token}").map_err(Failure::Write)
}

fn unusable(problem: &str) -> Failure {
    Failure::Usage {
        what: format!("The token cannot be signed: {problem}."),
        remedy: Some(format!(
            "Run `sidecar dev-provider` on the machine of the service, or name its key file ({}) with --provider.",
            dev_provider::KEY_FILE
        )),
        next: Some("sidecar dev-provider".to_owned()),
    }
}
