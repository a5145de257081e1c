//! Attacks on the verifier: one for each row of the threat table.

mod issued;
mod keys;
mod mutation;
mod tokens;
mod vectors;

use super::{Keys, Trust, Verifier};
use crate::testing::{NOW_SECONDS, SITE};
