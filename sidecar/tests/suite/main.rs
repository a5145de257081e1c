//! The sidecar as a whole, over real sockets: each file one concern, each server its own port and folder.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod binary;
mod client;
mod fixture;
mod log;

mod agent;
mod agent_claim;
mod agent_credentials;
mod agent_requests;

mod api;
mod caching;
mod discovery;
mod endpoints;
mod forms;
mod hostile;
mod letters;
mod limits;
mod loading;
mod logs;
mod mcp;
mod mcp_hostile;
mod mcp_site;
mod operators;
mod pages;
mod parts;
mod people;
mod swapping;
mod threats;
