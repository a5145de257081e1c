//! Finds out who is asking from what a request presents. Knows no HTTP library and no path.

mod presented;
mod principal;
mod verifier;

pub(crate) use self::{
    presented::{CredentialField, Presented, PresentedSecret},
    principal::Principal,
    verifier::{CredentialVerifier, Denied, Refused, Verified},
};
