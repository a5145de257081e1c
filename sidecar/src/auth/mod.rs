//! From what a request presents to who is asking. Knows no HTTP library and no path.

mod presented;
mod principal;
mod verifier;

pub(crate) use self::{
    presented::{Presented, Scheme, Secret},
    principal::Principal,
    verifier::{Denied, Refused, Verified, Verifier},
};
