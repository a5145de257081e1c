//! The generator from outside, as one program that links the library once: what it makes of content, and what its commands do.

#![expect(clippy::panic, clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

mod any_content;
mod broken_content;
mod commands;
mod conduct;
mod content;
mod fix;
mod folder;
mod foreign;
mod forms;
mod hostile_content;
mod liberal;
mod model;
mod outputs;
mod own_pages;
mod pages;
mod pasted;
mod pictures;
