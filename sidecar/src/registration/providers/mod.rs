//! Agent providers: which are trusted, where their keys are, and what they signed.
//!
//! Nothing here knows the store, HTTP status codes or what a registration is.

mod jti;
mod keys;
mod trust;
mod verifier;

pub(crate) use self::{
    jti::JtiDigest,
    keys::Keys,
    trust::{Trust, TrustError},
    verifier::Verifier,
};
