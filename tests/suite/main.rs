//! Black-box tests: one file for each section of the specification, and properties of the whole.
//!
//! | section of the specification | file |
//! |---|---|
//! | Resources and their fields | `resources` |
//! | States and transitions | `states` |
//! | Endpoints: Content API | `content_api` |
//! | Endpoints: Discovery; Scopes; Discovery metadata | `discovery` |
//! | Endpoints: MCP | `mcp` |
//! | Authentication: Content API and MCP | `authentication` |
//! | Registration | `registration` |
//! | Registration in the identity profile | `identity` |
//! | Claim ceremony | `claim` |
//! | Revocation | `revocation` |
//! | Events | `events` |
//! | Errors | `errors` |
//! | Limits | `limits` |
//! | Versioning | `versioning` |
//!
//! Two parts of "What the service does" have files too: `pages` for the pages with their Markdown, and `tool`.

#![expect(clippy::expect_used, clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

// Sections of the specification.
mod authentication;
mod claim;
mod content_api;
mod discovery;
mod errors;
mod events;
mod identity;
mod limits;
mod mcp;
mod offers;
mod registration;
mod report;
mod resources;
mod revocation;
mod states;
mod versioning;
mod warm;

// Other interfaces for readers, people and tools.
mod answers;
mod commands;
mod doctor;
mod editor;
mod files;
mod forms;
mod id_jag;
mod own_firm;
mod pages;
mod search;
mod search_page;
mod tool;

// Builds, and the program that serves them.
mod build;
mod connections;
mod cost;
mod golden;
mod hosts_document;
mod laws;
mod legal_texts;
mod lifecycle;
mod logs;
mod reload;
mod retained_assets;
mod settings;
mod tampered;

// The sources.
mod architecture;
mod import_circles;
mod words;
