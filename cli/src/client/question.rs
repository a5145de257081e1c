//! Requests that ask the service something, and requests that hand something over to it.

use crate::settings::Key;

/// One attempt at a request.
#[derive(Clone, Copy)]
pub(crate) struct Attempt<'a> {
    pub(crate) url: &'a str,
    pub(crate) key: Option<&'a Key>,
    /// The tag of the stored answer.
    pub(crate) tag: Option<&'a str>,
}

/// A request that is posted to the service.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Post<'a> {
    pub(crate) path: &'a str,
    /// Media type of the body.
    pub(crate) media_type: &'a str,
    /// Further header fields.
    pub(crate) fields: &'a [(&'static str, &'a str)],
    pub(crate) body: &'a [u8],
    /// Whether the settings' key is sent with it.
    pub(crate) keyed: bool,
}
