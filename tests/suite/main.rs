//! Black-box tests, a file for each section of the specification.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

mod architecture;
mod authentication;
mod build;
mod claim;
mod connections;
mod content_api;
mod discovery;
mod errors;
mod events;
mod forms;
mod golden;
mod id_jag;
mod kept;
mod lifecycle;
mod limits;
mod logs;
mod mcp;
mod pages;
mod registration;
mod reload;
mod resources;
mod revocation;
mod search;
mod states;
mod tampered;
mod tool;
mod versioning;
