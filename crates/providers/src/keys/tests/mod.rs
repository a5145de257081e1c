//! Tests of usable keys, of the times of fetches, and of fetches.

mod cache;
mod fetch;
mod set;
mod state;
mod tls;
