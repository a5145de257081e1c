//! Resolves the credentials of a request to a principal. Independent of the HTTP library and of paths.

mod presented;
mod principal;
mod verifier;

pub(crate) use self::{
    presented::{CredentialField, Presented, PresentedSecret},
    principal::Principal,
    verifier::{CredentialVerifier, Denied, Refused, Verified},
};
