//! Configuration for static hosts, computed from a build's manifest.

mod nginx;

pub use nginx::nginx;
