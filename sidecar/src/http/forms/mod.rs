//! The pages that people see: what an agent asks for, and what agents hold.
//!
//! Reading changes nothing, however often a scanner or a preview does it; only a form that a person sends does. Every
//! answer is a filled form of the build; one that reports a failure does so in the same design and language.
//!
//! The pages are HTML whatever `Accept` says: they are steps in a browser, and programs read `/auth.md`.

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
