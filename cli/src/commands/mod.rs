//! The request of each command, and the sheet that shows its answer.

mod assertion;
mod catalog;
mod claim;
mod contact;
mod decision;
mod health;
mod lists;
mod logout;
mod man;
mod openapi;
mod publications;
mod register;
mod registration;
mod search;
mod session;
mod tool_call;
mod use_host;
mod whoami;
mod words;

use contract::routes;

use self::session::{Session, parse};
use crate::{
    args::{Arguments, Command, LanguageOption, PublicationArguments},
    client,
    failure::{Failure, KeptKey},
    keyring::Keyring,
    output::sheet::Sheet,
    settings::{CacheMode, SentKey, Settings},
    surroundings::{Out, Surroundings},
    typed::TypedLine,
};

/// Runs the command; `typed` is its command line.
pub(crate) fn run(
    arguments: &Arguments,
    typed: &TypedLine,
    env: &Surroundings,
    out: &mut Out<'_>,
) -> Result<(), Failure> {
    if let Some(option) = arguments.unused_option() {
        let what = format!("`mecelle {}` does not use {option} here.", arguments.command.name());
        return Err(Failure::usage(what, format!("Leave {option} out.")));
    }
    match &arguments.command {
        Command::Completion { shell } => man::completion(*shell, env, out),
        Command::Man { command } => man::write(command.as_deref(), env, out),
        Command::Assertion(wanted) => assertion::run(wanted, &arguments.options, env, out),
        Command::Use { url } => {
            let settings = Settings::of_new_host(url, &arguments.options, typed, env)?;
            use_host::run(&mut Session { settings: &settings, env, out })
        }
        command => {
            let needs_keys =
                matches!(command, Command::Register(_) | Command::Claim(_) | Command::Whoami | Command::Logout(_));
            let mut settings = Settings::load(&arguments.options, typed, needs_keys, env, out.notes)?;
            // A pager replaces the tool's process, so these commands could not write their advice below it.
            settings.view.paged &= !matches!(command, Command::Register(_) | Command::Claim(_));
            if settings.sent == SentKey::Unknown && !command.sends_no_key() && settings.cache_mode != CacheMode::Only {
                settings.sent = use_host::learn_key(&settings, env);
            }
            dispatch(command, &mut Session { settings: &settings, env, out })
                .map_err(|failure| discard_refused_key(failure, &settings, env))
        }
    }
}

fn dispatch(command: &Command, session: &mut Session<'_, '_>) -> Result<(), Failure> {
    let mut read = |path: &str, sheet: &dyn Fn(&[u8]) -> Result<Sheet, Failure>| {
        let body = client::fetch(path, session.settings, session.env, session.out.notes)?.body;
        session.show(&body, path, sheet)
    };
    match command {
        Command::PracticeAreas(language) => {
            read(&localized_path(routes::PRACTICE_AREAS, *language), &|body| parse(body).map(lists::practice_areas))
        }
        Command::Team(language) => read(&localized_path(routes::TEAM, *language), &|body| parse(body).map(lists::team)),
        Command::Publications(PublicationArguments { language, cites: Some(cites) }) => {
            publications::citing(cites, language.locale(), session)
        }
        Command::Publications(PublicationArguments { language, cites: None }) => {
            read(&localized_path(routes::PUBLICATIONS, *language), &|body| parse(body).map(lists::publications))
        }
        // The body does not name its language.
        Command::Contact(language) => read(&localized_path(routes::CONTACT, *language), &|body| {
            parse(body).map(|contact| contact::sheet(contact, language.locale()))
        }),
        Command::Catalog => read(routes::API_CATALOG, &|body| parse(body).map(catalog::sheet)),
        Command::Openapi => read(routes::API_OPENAPI, &|body| parse(body).map(openapi::sheet)),
        Command::Health => health::run(session),
        Command::Search(search) => search::run(search, session),
        Command::Register(register) => register::run(register, session),
        Command::Claim(claim) => claim::run(claim, session),
        Command::Whoami => whoami::run(session),
        Command::Logout(logout) => logout::run(*logout, session),
        // `run` handles these.
        Command::Assertion(_) | Command::Completion { .. } | Command::Man { .. } | Command::Use { .. } => Ok(()),
    }
}

/// Deletes a kept key that the service refused (specification, "Authentication").
fn discard_refused_key(failure: Failure, settings: &Settings, env: &Surroundings) -> Failure {
    match (failure, &settings.sent) {
        (Failure::Refused(mut refusal), SentKey::Kept(key)) if refusal.status == 401 && refusal.keyed => {
            refusal.kept = match Keyring::of(env).map(|ring| ring.discard(&settings.base, key.reveal())) {
                Some(Ok(true)) => KeptKey::Dropped,
                Some(Err(Failure::Keyring { file, what })) => KeptKey::Stuck(format!("{file}: {what}")),
                _ => KeptKey::Untouched,
            };
            Failure::Refused(refusal)
        }
        (other, _) => other,
    }
}

/// Returns the path with `locale`, which is always present, so that access logs show it.
fn localized_path(path: &str, language: LanguageOption) -> String {
    format!("{path}?locale={}", language.locale())
}
