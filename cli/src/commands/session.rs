//! The context of a command: settings, surroundings and output; and the parsing of answers.

use serde::de::DeserializeOwned;

use crate::{
    client::{self, HttpReply, PostRequest},
    failure::Failure,
    output::{self, sheet::Sheet, text::note},
    settings::Settings,
    surroundings::{Out, Surroundings},
};

pub(super) struct Session<'a, 'o> {
    pub(super) settings: &'a Settings,
    pub(super) env: &'a Surroundings,
    pub(super) out: &'a mut Out<'o>,
}

impl Session<'_, '_> {
    /// Posts once and returns any reply.
    pub(super) fn post(&mut self, post: &PostRequest<'_>) -> Result<HttpReply, Failure> {
        client::post(post, self.settings, self.env, self.out.notes)
    }

    /// Returns the body of `reply` if it is a successful JSON object.
    pub(super) fn success_body(&self, reply: &HttpReply, post: &PostRequest<'_>) -> Result<Vec<u8>, Failure> {
        client::success_body(reply, post, self.settings, self.env)
    }

    /// Shows the `body` from `path` in the requested format.
    pub(super) fn show(
        &mut self,
        body: &[u8],
        path: &str,
        sheet: impl FnOnce(&[u8]) -> Result<Sheet, Failure>,
    ) -> Result<(), Failure> {
        output::show(body, sheet, &self.settings.view, self.env, self.out)
            .map_err(|failure| with_url(failure, &self.settings.base.join(path)))
    }

    /// Writes one line of advice.
    pub(super) fn advise(&mut self, text: &str) {
        note(self.out.notes, text);
    }

    /// Writes one line of advice below the data.
    pub(super) fn advise_below(&mut self, text: &str) {
        if self.env.screen.is_some() && self.env.notes_on_screen {
            self.advise("");
        }
        self.advise(text);
    }
}

pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Failure> {
    serde_json::from_slice(body).map_err(|error| shape_failure(&error))
}

/// Builds the failure of a body with an unexpected shape.
pub(super) fn shape_failure(error: &serde_json::Error) -> Failure {
    Failure::Misshapen { what: error.to_string(), url: String::new() }
}

/// Adds the URL to a failure without one.
pub(super) fn with_url(failure: Failure, address: &str) -> Failure {
    match failure {
        Failure::Unusable { what, url } if url.is_empty() => Failure::Unusable { what, url: address.to_owned() },
        Failure::Misshapen { what, url } if url.is_empty() => Failure::Misshapen { what, url: address.to_owned() },
        other => other,
    }
}
