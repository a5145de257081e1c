//! Errors of writing the folder for a host.

use std::{io, path::PathBuf};

use contract::manifest::FORMAT;
use findings::messages::{self, Text};

/// Unless a variant documents otherwise, the folder is unchanged.
#[derive(Debug)]
pub enum HostError {
    /// The folder contains no build.
    NoManifest(PathBuf, io::Error),
    /// The manifest is not valid.
    Malformed(PathBuf, serde_json::Error),
    /// The manifest has another format.
    Format(PathBuf, u32),
    /// A file of the build is missing or does not match its digest in the manifest.
    Damaged(PathBuf),
    /// The sidecar's address cannot be used.
    Sidecar {
        origin: String,
        /// The rule that the address breaks.
        wanted: Text,
    },
    /// The build offers a service, and no sidecar is named.
    NeedsSidecar,
    NoProxy(&'static str),
    /// The host serves only the default port of the scheme; the site's address has another one.
    Port(&'static str, String),
    /// A path contains characters with a special meaning in a host's files.
    Address(String),
    /// A value of the manifest would break out of its place in a host's settings.
    Value(String),
    /// The site is larger than the host allows.
    Limit {
        host: &'static str,
        /// The quantity that is limited.
        what: Text,
        count: u64,
        limit: u64,
        remedy: Text,
    },
    /// A template of the settings has a fault.
    Template(Box<tera::Error>),
    /// One of the two folders is inside the other.
    Nested(PathBuf, PathBuf),
    /// The path of the folder exists and is not a folder.
    NoFolder(PathBuf),
    /// A file that this command did not write.
    Foreign(PathBuf),
    /// A file that was edited after this command wrote it.
    Changed(PathBuf),
    /// The list of files names a path that is not a file of the folder.
    List(PathBuf, String),
    /// Another process writes to the folder.
    Busy(PathBuf),
    /// An I/O error while new files replaced the former ones: the folder is incomplete.
    Halfway(PathBuf, io::Error),
    Disk(PathBuf, io::Error),
}

impl HostError {
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
            Self::Template(_) => messages::host_files_not_made(),
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
