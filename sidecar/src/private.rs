//! Files for their owner alone: the store, what stands beside it, copies of it, the secret file and kept letters.

use std::fs::OpenOptions;

/// Options with which a file that is made is its owner's alone. One that is there keeps the permissions that it has.
pub(crate) fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}
