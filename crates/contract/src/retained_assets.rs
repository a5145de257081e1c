//! `dist/.kept.json`: fingerprinted files that only pages of earlier builds name.
//!
//! A page that a cache took a minute before a build still asks for the style sheet of its time. So the files of its
//! assets stay in `dist/` for a while after the build that named them, and this list says which they are. It is not
//! part of the build: the manifest, and with it the build's name, depends on the input alone, this list on what was
//! there before.

use serde::{Deserialize, Serialize};

use crate::manifest::Route;

/// Name of the list inside `dist/`.
pub const FILE_NAME: &str = ".kept.json";
/// The version of this format. Another one is ignored.
pub const FORMAT: u32 = 1;

/// The list.
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
    /// When the first build without it was made, in seconds since 1970.
    pub since: i64,
    /// Its entry in its manifest: a route of the class of assets with one variant.
    pub route: Route,
}

impl Default for RetainedAssets {
    fn default() -> Self {
        Self { format: FORMAT, assets: Vec::new() }
    }
}
