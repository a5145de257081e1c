//! Why no folder was written for a host.

use std::{io, path::PathBuf};

use contract::manifest::FORMAT;
use findings::messages::{self, Text};

/// Why no folder was written. What was there is as it was, unless the variant says otherwise.
#[derive(Debug)]
pub enum HostError {
    /// The folder contains no build.
    NoManifest(PathBuf, io::Error),
    /// The manifest cannot be understood.
    Malformed(PathBuf, serde_json::Error),
    /// The manifest has another format.
    Format(PathBuf, u32),
    /// A file of the build is missing, or has other bytes than the manifest says.
    Damaged(PathBuf),
    /// The sidecar's address is not usable.
    Sidecar {
        /// The address as it was given.
        origin: String,
        /// What is expected.
        wanted: Text,
    },
    /// The build offers what only a sidecar can answer.
    NeedsSidecar,
    /// The host cannot pass requests on.
    NoProxy(&'static str),
    /// The host serves no other port than that of the scheme, and the site has one.
    Port(&'static str, String),
    /// An address contains characters that mean something else in the files of a host.
    Address(String),
    /// The manifest contains a value that would end its place in the settings of a host.
    Value(String),
    /// The site is larger than the host allows.
    Limit {
        /// The host's name.
        host: &'static str,
        /// What there is too much of.
        what: Text,
        /// How much there is.
        count: u64,
        /// How much there may be.
        limit: u64,
        /// What to do.
        remedy: Text,
    },
    /// A text could not be written.
    Text,
    /// One of the two folders is in the other.
    Nested(PathBuf, PathBuf),
    /// The folder is something else.
    NoFolder(PathBuf),
    /// The folder contains a file that this command did not write.
    Foreign(PathBuf),
    /// The folder contains a file that somebody changed after this command had written it.
    Changed(PathBuf),
    /// The list of the files of the folder names something that is none.
    List(PathBuf, String),
    /// Another run is writing to the folder.
    Busy(PathBuf),
    /// The operating system reported this error for this path while new files took the places of former ones.
    Halfway(PathBuf, io::Error),
    /// The operating system reported this error for this path.
    Disk(PathBuf, io::Error),
}

impl HostError {
    /// Returns the reason in words.
    #[must_use]
    pub fn message(&self) -> Text {
        match self {
            Self::NoManifest(path, error) => messages::build_not_readable(path.display(), error),
            Self::Malformed(path, error) => messages::manifest_malformed(path.display(), error),
            Self::Format(path, format) => messages::manifest_of_other_format(path.display(), format, FORMAT),
            Self::Damaged(path) => messages::build_damaged(path.display()),
            Self::Sidecar { origin, wanted } => messages::sidecar_not_usable(wanted.clone(), origin),
            Self::NeedsSidecar => messages::sidecar_needed(),
            Self::NoProxy(host) => messages::host_without_proxy(host),
            Self::Port(host, origin) => messages::host_without_ports(host, origin),
            Self::Address(path) => messages::address_not_portable(path),
            Self::Value(value) => messages::value_not_portable(value),
            Self::Limit { host, what, count, limit, remedy } => {
                messages::host_limit(host, limit, what.clone(), count, remedy.clone())
            }
            Self::Text => messages::host_files_not_made(),
            Self::Nested(inner, outer) => messages::folders_nested(inner.display(), outer.display()),
            Self::NoFolder(path) => messages::host_folder_is_none(path.display()),
            Self::Foreign(path) => messages::host_folder_foreign(path.display()),
            Self::Changed(path) => messages::host_file_changed(path.display()),
            Self::List(path, name) => messages::host_list_foreign(path.display(), name),
            Self::Busy(path) => messages::host_folder_busy(path.display()),
            Self::Halfway(path, error) => messages::host_folder_incomplete(path.display(), error),
            Self::Disk(path, error) => messages::host_folder_unchanged(path.display(), error),
        }
    }
}
