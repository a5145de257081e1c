//! Black-box tests, a file for each section of the specification.

mod architecture;
mod authentication;
mod build;
mod content_api;
mod discovery;
mod golden;
mod pages;
mod reload;
mod resources;
