//! The sidecar as a whole, over real sockets: each file one concern, each server its own port and folder.

mod binary;
mod client;
mod fixture;

mod api;
mod caching;
mod discovery;
mod endpoints;
mod hostile;
mod limits;
mod loading;
mod operators;
mod pages;
mod swapping;
