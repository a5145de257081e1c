//! `dist/.kept.json`: fingerprinted files that only pages of earlier builds refer to.
//!
//! A page that was cached before a build still loads the style sheet of its own build. So assets stay in `dist/` for a
//! while after the last build with them, and this list names them. The list is not part of the build: the manifest and
//! the build's name depend only on the input, the list on earlier builds.

use serde::{Deserialize, Serialize};

use crate::manifest::Route;

/// Name of the list inside `dist/`.
pub const FILE_NAME: &str = ".kept.json";
/// The version of this format. A list of another version is ignored.
pub const FORMAT: u32 = 1;

/// The content of [`FILE_NAME`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetainedAssets {
    /// [`FORMAT`].
    pub format: u32,
    /// Sorted by path, each once.
    pub assets: Vec<RetainedAsset>,
}

/// A file of an earlier build.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetainedAsset {
    /// Time of the first build without it, in seconds since the epoch.
    pub since: i64,
    /// Its entry in its manifest: a route of the class of assets with one variant.
    pub route: Route,
}

impl Default for RetainedAssets {
    fn default() -> Self {
        Self { format: FORMAT, assets: Vec::new() }
    }
}
