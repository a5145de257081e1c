//! Free space on the disk of a folder.

use std::path::Path;

use crate::AccessFinding;

/// Free space in bytes below which a full disk is near.
#[cfg(unix)]
const MIN_FREE: u64 = 256 << 20;

/// Examines whether the disk of `folder`, which need not exist, has space.
#[cfg(unix)]
#[must_use]
pub fn examine_space(folder: &Path) -> AccessFinding {
    let Some(there) = folder.ancestors().find(|folder| folder.is_dir()) else {
        return AccessFinding::Unknown("the folder of the store does not exist yet".to_owned());
    };
    match rustix::fs::statvfs(there) {
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            let text = format!("{} MiB free at {}", free >> 20, there.display());
            if free < MIN_FREE {
                AccessFinding::Fault(format!("{text}; free space before the store cannot be written"))
            } else {
                AccessFinding::Fine(text)
            }
        }
        Err(error) => AccessFinding::Unknown(format!("{}: {error}", there.display())),
    }
}

#[cfg(not(unix))]
#[must_use]
pub fn examine_space(_: &Path) -> AccessFinding {
    AccessFinding::Unknown("not examined on this system".to_owned())
}
