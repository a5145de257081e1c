//! The parts of the systemd unit of the service that decide which files it can use.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// The folders of units, the most important first.
const FOLDERS: [&str; 5] = [
    "etc/systemd/system",
    "run/systemd/system",
    "usr/local/lib/systemd/system",
    "usr/lib/systemd/system",
    "lib/systemd/system",
];
const NAME: &str = "mecelle.service";
/// The folders that a setting hides.
const HIDDEN: [(&str, &[&str]); 2] =
    [("ProtectHome", &["/home", "/root", "/run/user"]), ("PrivateTmp", &["/tmp", "/var/tmp"])];

#[derive(Clone, Debug, Default)]
pub(crate) struct ServiceUnit {
    pub(crate) user: Option<String>,
    /// Whether systemd makes a user, unless one of that name exists.
    pub(crate) is_dynamic: bool,
    /// The settings of [`HIDDEN`] that are in force.
    hiding: Vec<&'static str>,
}

impl ServiceUnit {
    /// Returns the unit below `root` that starts the service with the file `settings`.
    pub(crate) fn find(root: &Path, settings: &Path) -> Option<Self> {
        let unit = FOLDERS.iter().find_map(|folder| fs::read_to_string(root.join(folder).join(NAME)).ok())?;
        let mut additions: Vec<PathBuf> = FOLDERS
            .iter()
            .filter_map(|folder| fs::read_dir(root.join(folder).join(format!("{NAME}.d"))).ok())
            .flat_map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())))
            .filter(|path| path.extension().is_some_and(|ending| ending == "conf"))
            .collect();
        // systemd reads them in the order of their names.
        additions.sort_by(|one, other| one.file_name().cmp(&other.file_name()));
        let texts = std::iter::once(Ok(unit)).chain(additions.into_iter().map(fs::read_to_string));
        let text: String = texts.filter_map(Result::ok).flat_map(|text| [text, "\n".to_owned()]).collect();
        let mut own = Self::default();
        let mut start = "";
        for (name, value) in text.lines().filter_map(|line| line.trim().split_once('=')) {
            let is_on = ["yes", "true", "on", "1", "tmpfs", "disconnected"].contains(&value);
            match name {
                "User" => own.user = Some(value.to_owned()).filter(|name| !name.is_empty()),
                "DynamicUser" => own.is_dynamic = is_on,
                "ExecStart" => start = value,
                _ => {
                    let known = HIDDEN.iter().map(|(setting, _)| *setting).filter(|setting| *setting == name);
                    own.hiding.retain(|setting| *setting != name);
                    own.hiding.extend(known.filter(|_| is_on));
                }
            }
        }
        // A user that systemd makes under a name cannot be found by it before the service runs.
        own.user = own.user.filter(|_| !own.is_dynamic);
        let is_own = start.split_whitespace().any(|word| word.ends_with(&*settings.to_string_lossy()));
        is_own.then_some(own)
    }

    /// Returns the folder around `path` that the service cannot see, and the setting that hides it.
    pub(crate) fn hidden(&self, path: &Path) -> Option<(&'static str, &'static str)> {
        HIDDEN.iter().filter(|(setting, _)| self.hiding.contains(setting)).find_map(|(setting, folders)| {
            folders.iter().find(|folder| path.starts_with(folder)).map(|folder| (*folder, *setting))
        })
    }
}
