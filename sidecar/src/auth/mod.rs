//! Finds out who is asking from what a request presents. Knows no HTTP library and no path.

mod presented;
mod principal;
mod verifier;

pub(crate) use self::{
    presented::{Presented, Scheme, Secret},
    principal::Principal,
    verifier::{Denied, Refused, Verified, Verifier},
};
