//! Why no folder was written for a host.

use std::{fmt, io, path::PathBuf};

use contract::manifest::FORMAT;

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
        wanted: &'static str,
    },
    /// The build offers what only a sidecar can answer.
    NeedsSidecar,
    /// The host cannot pass requests on.
    NoProxy(&'static str),
    /// An address contains characters that mean something else in the files of a host.
    Address(String),
    /// The manifest contains a value that would end its place in the settings of a host.
    Value(String),
    /// The site is larger than the host allows.
    Limit {
        /// The host's name.
        host: &'static str,
        /// What there is too much of.
        what: String,
        /// How much there is, and how much there may be.
        count: u64,
        /// How much there may be.
        limit: u64,
        /// What to do.
        remedy: &'static str,
    },
    /// A text could not be written.
    Text,
    /// One of the two folders is in the other.
    Nested(PathBuf, PathBuf),
    /// The folder contains a file that this command did not write.
    Foreign(PathBuf),
    /// The list of the files of the folder names something that is none.
    List(PathBuf, String),
    /// Another run is writing to the folder.
    Busy(PathBuf),
    /// The operating system reported this error for this path while new files took the places of former ones.
    Halfway(PathBuf, io::Error),
    /// The operating system reported this error for this path.
    Disk(PathBuf, io::Error),
}

impl fmt::Display for HostError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoManifest(path, error) => {
                let path = path.display();
                write!(out, "{path} cannot be read ({error}): make a build with `generator build`, and name its folder with `--dist`")
            }
            Self::Malformed(path, error) => write!(out, "{} is no manifest: {error}; build again", path.display()),
            Self::Format(path, format) => write!(
                out,
                "{} has the format {format}, and this version of the generator reads {FORMAT}: build again with it",
                path.display()
            ),
            Self::Damaged(path) => {
                write!(out, "{} is not what the manifest says: run `generator build --verify`", path.display())
            }
            Self::Sidecar { origin, wanted } => write!(out, "--sidecar: expected {wanted}; found `{origin}`"),
            Self::NeedsSidecar => out.write_str(
                "this build offers agents a service (`/mcp` and registration) that nothing would answer: name the sidecar that \
                 answers it with `--sidecar https://…`, or write `identity_types = []` and `service = false` into `[agents]` of `site.toml` \
                 and build again",
            ),
            Self::NoProxy(host) => write!(
                out,
                "{host} passes no requests on to a sidecar: leave `--sidecar` out and build with `service = false` in `[agents]` of `site.toml`, or choose another host"
            ),
            Self::Address(path) => write!(
                out,
                "the address `{path}` has characters with a meaning of their own in the files of hosts: use letters, digits, \
                 `-`, `_`, `.` and `~` in slugs and names of files"
            ),
            Self::Value(value) => {
                write!(out, "the manifest contains `{value}`, which settings of hosts cannot hold: build again")
            }
            Self::Limit { host, what, count, limit, remedy } => {
                write!(out, "{host} allows {limit} {what}, and this site has {count}: {remedy}")
            }
            Self::Text => out.write_str("the settings of the host could not be written"),
            Self::Nested(one, other) => write!(
                out,
                "{} is in {}: name a folder for `--out` beside the build, such as `hosted`",
                one.display(),
                other.display()
            ),
            Self::Foreign(path) => write!(
                out,
                "{} was not written by `generator host`, and nothing was changed: name another folder with `--out`, or remove it",
                path.display()
            ),
            Self::List(path, name) => write!(
                out,
                "{} names `{name}`, which no run of `generator host` has written, and nothing was changed: name another folder with `--out`, or remove this one",
                path.display()
            ),
            Self::Busy(path) => {
                write!(out, "{}: another run is writing to this folder; wait until it has ended", path.display())
            }
            Self::Halfway(path, error) => {
                write!(out, "{}: {error}; the folder is incomplete: remove the cause and run the command again", path.display())
            }
            Self::Disk(path, error) => write!(out, "{}: {error}; nothing was changed", path.display()),
        }
    }
}

impl std::error::Error for HostError {}
