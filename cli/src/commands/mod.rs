//! What each command asks and how its answer reads. A command is a path and a sheet; the rest is shared.

mod catalog;
mod completion;
mod contact;
mod health;
mod man;
mod openapi;
mod practice_areas;
mod publications;
mod team;
mod words;

use contract::{Locale, routes};
use serde::de::DeserializeOwned;

use crate::{
    args::{Arguments, Command},
    client,
    failure::Failure,
    output::{self, sheet::Sheet},
    settings::Settings,
    surroundings::{Out, Surroundings},
};

/// Makes a sheet of a body.
type Reading = fn(&[u8]) -> Result<Sheet, Failure>;

/// Runs the command.
pub(crate) fn run(arguments: &Arguments, env: &Surroundings, out: &mut Out<'_>) -> Result<(), Failure> {
    match &arguments.command {
        Command::Completion { shell } => completion::write(*shell, env, out),
        Command::Man { command } => man::write(command.as_deref(), env, out),
        reading => {
            let settings = Settings::load(&arguments.options, env)?;
            read(reading, &settings, env, out)
        }
    }
}

fn read(command: &Command, settings: &Settings, env: &Surroundings, out: &mut Out<'_>) -> Result<(), Failure> {
    let (path, sheet): (String, Reading) = match command {
        Command::PracticeAreas(language) => {
            (localized(routes::PRACTICE_AREAS, language.locale()), |body| parsed(body).map(practice_areas::sheet))
        }
        Command::Team(language) => (localized(routes::TEAM, language.locale()), |body| parsed(body).map(team::sheet)),
        Command::Publications(language) => {
            (localized(routes::PUBLICATIONS, language.locale()), |body| parsed(body).map(publications::sheet))
        }
        // The body of this one does not say its language, so the sheets differ.
        Command::Contact(language) => match language.locale() {
            Locale::En => {
                (localized(routes::CONTACT, Locale::En), |body| parsed(body).map(|it| contact::sheet(it, Locale::En)))
            }
            Locale::Tr => {
                (localized(routes::CONTACT, Locale::Tr), |body| parsed(body).map(|it| contact::sheet(it, Locale::Tr)))
            }
        },
        Command::Health => (routes::HEALTH.to_owned(), |body| parsed(body).map(|health| health::sheet(&health))),
        Command::Openapi => (routes::API_OPENAPI.to_owned(), |body| parsed(body).map(openapi::sheet)),
        Command::Catalog | Command::Completion { .. } | Command::Man { .. } => {
            (routes::API_CATALOG.to_owned(), |body| parsed(body).map(catalog::sheet))
        }
    };
    let body = client::fetch(&path, settings, env, out.notes)?;
    output::show(&body, sheet, settings, env, out).map_err(|failure| located(failure, &settings.base.join(&path)))
}

/// The path that asks for `locale`. It is always named, so that a default never has to be guessed from a log.
fn localized(path: &str, locale: Locale) -> String {
    format!("{path}?locale={locale}")
}

fn parsed<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| Failure::Unusable {
        what: format!(
            "The answer has another shape than this version knows: {error}; --output json shows it as it is."
        ),
        url: String::new(),
    })
}

/// Adds the address, which the sheet does not know.
fn located(failure: Failure, address: &str) -> Failure {
    match failure {
        Failure::Unusable { what, url } if url.is_empty() => Failure::Unusable { what, url: address.to_owned() },
        other => other,
    }
}
