//! Names of the commands that are treated specially.

pub(crate) const CATALOG: &str = "catalog";
pub(crate) const SEARCH: &str = "search";
/// If this command fails, there may be a registration that nobody knows of.
pub(crate) const REGISTER: &str = "register";
pub(crate) const CLAIM: &str = "claim";
pub(crate) const LOGOUT: &str = "logout";
pub(crate) const HEALTH: &str = "health";
pub(crate) const COMPLETION: &str = "completion";
pub(crate) const MAN: &str = "man";
