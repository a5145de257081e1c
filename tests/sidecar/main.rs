//! The sidecar as a whole, over real sockets: one file for each concern, and for each server its own port and folder.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod agent;
mod agent_claim;
mod agent_credentials;
mod agent_requests;
mod api;
mod binary;
mod caching;
mod client;
mod deploy;
mod discovery;
mod endpoints;
mod fixture;
mod forms;
mod framing;
mod hostile;
mod journal;
mod letters;
mod limits;
mod loading;
mod log;
mod mcp;
mod mcp_hostile;
mod mcp_site;
mod operators;
mod pages;
mod parts;
mod people;
mod secrets_in_logs;
mod swapping;
mod threats;
