//! Resolves the credentials of a request to a principal. Independent of the HTTP library and of paths.

mod presented;
mod verifier;

pub(crate) use self::{
    presented::{CredentialField, Presented, PresentedSecret},
    verifier::{CredentialVerifier, Denied, Principal, Refused, Verified},
};
