//! What the last build rendered: a page with the same inputs is not rendered again.
//!
//! A page is known by a digest of everything that its templates read, and of the program. It is kept only if its files
//! in the folder of the build still have the digests that are recorded here.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde::{Deserialize, Serialize};

/// The pages of the last build, by path.
#[derive(Debug, Default)]
pub struct KnownPages {
    before: BTreeMap<String, KnownPage>,
    /// Those of this build.
    now: Mutex<BTreeMap<String, KnownPage>>,
}

/// A rendered page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownPage {
    /// The digest of everything that its files were made from.
    pub inputs: String,
    /// The digest of its text and of what the text asked of the site; empty without a text.
    pub text: String,
    /// What the text asked, with the destinations.
    pub asked: BTreeSet<(Question, String)>,
    /// The digests of the page and of its twin.
    pub digests: [String; 2],
    /// The range of the twin that the text of the whole site repeats.
    pub content: (usize, usize),
    /// The estimated number of model tokens of the twin.
    pub tokens: u64,
}

/// What a text asks of the site: a function of [`markdown::Targets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Question {
    #[serde(rename = "r")]
    Resolve,
    #[serde(rename = "s")]
    Size,
    #[serde(rename = "a")]
    Adapts,
    #[serde(rename = "f")]
    Forms,
    #[serde(rename = "n")]
    Numbering,
    #[serde(rename = "d")]
    Document,
}

impl KnownPages {
    pub(crate) fn new(before: BTreeMap<String, KnownPage>) -> Self {
        Self { before, now: Mutex::default() }
    }

    /// Returns the page at `path` if it was made from the same `inputs`.
    pub fn get(&self, path: &str, inputs: &str) -> Option<&KnownPage> {
        self.before.get(path).filter(|page| page.inputs == inputs)
    }

    /// Returns the page of the last build at `path`, whatever it was made from.
    pub fn last(&self, path: &str) -> Option<&KnownPage> {
        self.before.get(path)
    }

    /// Stores a page for the next build.
    pub fn note(&self, path: String, page: KnownPage) {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).insert(path, page);
    }

    pub(crate) fn noted(&self) -> MutexGuard<'_, BTreeMap<String, KnownPage>> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
