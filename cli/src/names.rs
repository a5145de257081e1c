//! The names of those commands that are told apart.

pub(crate) const CATALOG: &str = "catalog";
pub(crate) const SEARCH: &str = "search";
/// After its failure a registration may be there that nobody knows of.
pub(crate) const REGISTER: &str = "register";
pub(crate) const CLAIM: &str = "claim";
pub(crate) const LOGOUT: &str = "logout";
pub(crate) const HEALTH: &str = "health";
pub(crate) const COMPLETION: &str = "completion";
pub(crate) const MAN: &str = "man";
