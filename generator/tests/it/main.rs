//! Tests of the generator from outside: its output for content, and its commands. One program, so that the library is
//! linked once.

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
