//! The environment variables of the command-line tool. A shell that has them may start other programs of the project too.

/// The host to ask.
pub const BASE_URL: &str = "MECELLE_BASE_URL";
/// The credential to send.
pub const API_KEY: &str = "MECELLE_API_KEY";
/// The folder of stored answers.
pub const CACHE_DIR: &str = "MECELLE_CACHE_DIR";
/// The folder of kept keys.
pub const CONFIG_DIR: &str = "MECELLE_CONFIG_DIR";
/// The program that shows long output.
pub const PAGER: &str = "MECELLE_PAGER";

/// All of them.
pub const VARIABLES: [&str; 5] = [BASE_URL, API_KEY, CACHE_DIR, CONFIG_DIR, PAGER];
