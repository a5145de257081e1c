//! The sidecar over real sockets: one file for each concern; each server has its own port and folder.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod agent;
mod agent_claim;
mod agent_credentials;
mod agent_requests;
mod binary;
mod caching;
mod deploy;
mod endpoints;
mod forms;
mod framing;
mod hostile;
mod limits;
mod loading;
mod log;
mod mail;
mod mcp;
mod mcp_hostile;
mod mcp_site;
mod operators;
mod pages;
mod people;
mod swapping;
mod threats;

/// A served synthetic firm.
type Site = tests::Service<tests::SyntheticFirm>;
