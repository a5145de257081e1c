//! The pages for people: claim requests, and the grants of agents.
//!
//! GET changes nothing, however often a scanner or a preview sends it; only a submitted form does. Every response, also
//! of an error, is a filled form of the build.
//!
//! The pages are HTML whatever `Accept` says: they are for browsers, and programs read `/auth.md`.

mod access;
mod authorize;
mod claim;
mod error_response;
mod messages;
mod origin;
mod reply;
mod visit;

pub(crate) use self::{
    access::{answer as access, list as access_list, revoke as access_revoke},
    authorize::answer as authorize,
    claim::{challenge as claim_challenge, deny as claim_deny, view as claim_view},
    error_response::unread,
    messages::answer as messages,
    visit::{limited_response, refused_response},
};
