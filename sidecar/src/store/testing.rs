//! Stores for tests.

use std::sync::OnceLock;

use tokio::runtime::Runtime;

use super::{Place, Store};

/// The threads on which stores of tests work.
pub(crate) fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap())
}

/// A new store in a file below `folder`.
pub(crate) fn file(folder: &std::path::Path) -> Store {
    let place = Place::File(folder.join("store.db"));
    runtime().block_on(Store::open(&place, runtime().handle().clone())).unwrap()
}
