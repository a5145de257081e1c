//! Whether the user of the service can read and write what the settings name. Root, which may do everything, cannot see it
//! by trying, so that the permissions are compared as the kernel does.
//!
//! Access control lists are not read.

use std::{
    fs::{self, Metadata},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use crate::{AccessFinding, ServiceFiles, real, service_unit::ServiceUnit};

const READ: u32 = 0o4;
const WRITE: u32 = 0o2;
const ENTER: u32 = 0o1;
/// The folder in which systemd keeps the data of users that it makes. Other users cannot enter it; the service can.
const DYNAMIC_DATA: &str = "/var/lib/private";
/// A user that owns nothing and is in no group: one that systemd makes.
const STRANGER: u32 = 61_184;

/// Examines whether the user of the service can use `files`, if this process runs as root; any other user has just tried.
#[must_use]
pub fn examine_as_root(files: &ServiceFiles<'_>) -> Vec<AccessFinding> {
    let is_root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    if is_root { examine(Path::new("/"), files) } else { Vec::new() }
}

/// Examines whether the user of the service can use `files`. Units and users are those below `root`.
fn examine(root: &Path, files: &ServiceFiles<'_>) -> Vec<AccessFinding> {
    let settings = files.settings.and_then(|settings| std::path::absolute(settings).ok());
    let unit = settings.and_then(|settings| ServiceUnit::find(root, &settings));
    let owner = files.written.first().and_then(|data| data.metadata().ok());
    let owner = owner.map(|data| data.uid()).filter(|owner| *owner != 0);
    let user = match (&unit, owner) {
        (Some(ServiceUnit { user: Some(name), .. }), _) => {
            match ServiceUser::find(root, |(known, id)| known == name || name.parse() == Ok(id)) {
                Some(user) => user,
                None => return vec![AccessFinding::Unknown(unknown_user(name, files.build))],
            }
        }
        (Some(ServiceUnit { is_dynamic: false, .. }), _) => {
            ServiceUser { name: "root".to_owned(), id: 0, groups: Vec::new() }
        }
        (_, Some(owner)) => {
            ServiceUser::find(root, |(_, id)| id == owner).unwrap_or_else(|| ServiceUser::nameless(owner))
        }
        (Some(_), None) => ServiceUser { name: "that systemd makes".to_owned(), ..ServiceUser::nameless(STRANGER) },
        (None, None) => {
            let text = "the user of the service is not known: no unit `mecelle` starts it with these settings, and no \
                        folder of data belongs to another user than root; run this again after its first start";
            return vec![AccessFinding::Unknown(text.to_owned())];
        }
    };
    let mut faults = user.faults(files, unit.as_ref());
    if faults.is_empty() {
        let text = format!("the service's user {} can read the build and the settings, and write its data", user.name);
        return vec![AccessFinding::Fine(text)];
    }
    faults.dedup();
    faults.into_iter().map(AccessFinding::Fault).collect()
}

fn unknown_user(name: &str, build: &Path) -> String {
    format!(
        "the service's user {name} is not in /etc/passwd, and its permissions were not compared; run \
         `runuser -u {name} -- find -L {0} ! -readable`, which prints what it cannot read, or that {0} is closed to it",
        build.display()
    )
}

#[derive(Clone, Debug)]
struct ServiceUser {
    name: String,
    id: u32,
    groups: Vec<u32>,
}

impl ServiceUser {
    fn nameless(id: u32) -> Self {
        Self { name: id.to_string(), id, groups: Vec::new() }
    }

    /// Returns the first user below `root` whose name and number `is_meant`.
    fn find(root: &Path, is_meant: impl Fn((&str, u32)) -> bool) -> Option<Self> {
        let read = |name| fs::read_to_string(root.join("etc").join(name)).unwrap_or_default();
        let (users, groups) = (read("passwd"), read("group"));
        let (name, id, rest) = users.lines().filter_map(fields).find(|(name, id, _)| is_meant((name, *id)))?;
        let own = rest.split(':').next().and_then(|group| group.parse().ok());
        let others = groups.lines().filter_map(fields).filter(|(.., members)| members.split(',').any(|it| it == name));
        let groups = own.into_iter().chain(others.map(|(_, group, _)| group)).collect();
        Some(Self { name: name.to_owned(), id, groups })
    }

    fn may(&self, file: &Metadata, rights: u32) -> bool {
        let shift = match () {
            () if file.uid() == self.id => 6,
            () if self.groups.contains(&file.gid()) => 3,
            () => 0,
        };
        self.id == 0 || file.mode() >> shift & rights == rights
    }

    /// Returns the first folder on the way to `path` that this user cannot enter.
    fn closed_folder(&self, path: &Path) -> Option<PathBuf> {
        let mut folders: Vec<&Path> = path.ancestors().skip(1).collect();
        folders.reverse();
        let is_closed = |folder: &&Path| folder.metadata().is_ok_and(|it| !self.may(&it, ENTER));
        folders.into_iter().filter(|folder| *folder != Path::new(DYNAMIC_DATA)).find(is_closed).map(Path::to_owned)
    }

    /// Returns the obstacle on the way to `path`, or at it, with the remedy. A path that does not exist has none.
    fn obstacle(&self, path: &Path, unit: Option<&ServiceUnit>) -> Option<String> {
        let shown = path.display();
        let path = &real(path);
        if let Some((folder, setting)) = unit.and_then(|unit| unit.hidden(path)) {
            return Some(format!(
                "the unit hides {folder} from the service ({setting}), and so {shown}: move it, for example below /srv/mecelle"
            ));
        }
        let closed = self.closed_folder(path)?.display().to_string();
        Some(format!(
            "the service's user {} cannot enter {closed}, and so not reach {shown}: run `chmod a+x {closed}`, or move it \
             elsewhere",
            self.name
        ))
    }

    fn faults(&self, files: &ServiceFiles<'_>, unit: Option<&ServiceUnit>) -> Vec<String> {
        let mut faults = Vec::new();
        let build = files.build;
        if let Some(obstacle) = self.obstacle(build, unit) {
            faults.push(obstacle);
        } else if let (Some(first), number) = self.unreadable_in(build) {
            faults.push(format!(
                "the service's user {} cannot read {number} of the files and folders of the build, such as {}; run \
                 `chmod -R a+rX {}`",
                self.name,
                first.display(),
                build.display()
            ));
        }
        for path in files.settings.iter().chain(files.read) {
            faults.extend(self.obstacle(path, unit).or_else(|| self.explain_unreadable(path)));
        }
        for path in files.written {
            // One that does not exist is made by the service, or by its unit.
            faults.extend(self.obstacle(path, unit).or_else(|| self.explain_unwritable(path)));
        }
        faults
    }

    fn explain_unreadable(&self, path: &Path) -> Option<String> {
        let (file, path) = (path.metadata().ok()?, path.display());
        // A user without a name has no group of its own.
        let remedy = match self.groups.first() {
            Some(group) => format!("chgrp {group} {path} && chmod g+r {path}"),
            None => format!("chmod a+r {path}"),
        };
        let text = || format!("the service's user {} cannot read {path}; run `{remedy}`", self.name);
        (!self.may(&file, READ)).then(text)
    }

    fn explain_unwritable(&self, path: &Path) -> Option<String> {
        let (file, path) = (path.metadata().ok()?, path.display());
        let rights = if file.is_dir() { READ | WRITE | ENTER } else { READ | WRITE };
        let recursive = if file.is_dir() { "-R " } else { "" };
        let text =
            || format!("the service's user {0} cannot write {path}; run `chown {recursive}{0} {path}`", self.name);
        // A unit gives its folder to the user that it makes.
        (!self.may(&file, rights) && self.id != STRANGER).then(text)
    }

    /// Returns the first file or folder below `folder` that this user cannot read, and their number.
    fn unreadable_in(&self, folder: &Path) -> (Option<PathBuf>, usize) {
        let Ok(own) = folder.metadata() else { return (None, 0) };
        if !self.may(&own, READ | ENTER) {
            return (Some(folder.to_owned()), 1);
        }
        let (mut first, mut number) = (None, 0);
        let mut entries: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path())).collect();
        entries.sort();
        for path in entries {
            let (found, count) = match path.symlink_metadata() {
                Ok(entry) if entry.is_dir() => self.unreadable_in(&path),
                Ok(entry) if entry.is_file() && !self.may(&entry, READ) => (Some(path), 1),
                _ => (None, 0),
            };
            first = first.or(found);
            number += count;
        }
        (first, number)
    }
}

/// Returns name, number and the rest of a line of `passwd` or `group`.
fn fields(line: &str) -> Option<(&str, u32, &str)> {
    let mut fields = line.splitn(4, ':');
    let name = fields.next()?;
    let number = fields.nth(1)?.parse().ok()?;
    Some((name, number, fields.next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use tempfile::TempDir;

    use super::*;

    /// A machine with a unit, a user, a build and settings below its folder.
    struct Machine(TempDir);

    impl Machine {
        fn new() -> Self {
            let machine = Self(tempfile::tempdir().unwrap());
            machine.set("", 0o755);
            machine.write("etc/passwd", "root:x:0:0::/root:/bin/sh\nmecelle:x:61111:61112::/:/bin/false\n");
            machine.write("etc/group", "mecelle:x:61112:\nstaff:x:61113:other,mecelle\n");
            for file in ["dist/manifest.json", "dist/en/page.html", "sidecar.toml", "data/registrations.db"] {
                machine.write(file, "text");
            }
            machine
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn write(&self, name: &str, text: &str) {
            fs::create_dir_all(self.path(name).parent().unwrap()).unwrap();
            fs::write(self.path(name), text).unwrap();
            self.set(name, 0o644);
            for folder in self.path(name).parent().unwrap().ancestors().take_while(|it| *it != self.0.path()) {
                fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }

        fn set(&self, name: &str, mode: u32) {
            fs::set_permissions(self.path(name), fs::Permissions::from_mode(mode)).unwrap();
        }

        fn unit(&self, settings: &str) {
            let start = format!("ExecStart=/usr/bin/sidecar serve --config {}", self.path("sidecar.toml").display());
            self.write("usr/lib/systemd/system/mecelle.service", &format!("[Service]\n{start}\n{settings}\n"));
        }

        fn examine(&self) -> Vec<AccessFinding> {
            let [settings, build, data, store] =
                ["sidecar.toml", "dist", "data", "data/registrations.db"].map(|it| self.path(it));
            let files = ServiceFiles { settings: Some(&settings), build: &build, read: &[], written: &[&data, &store] };
            examine(self.0.path(), &files)
        }

        fn faults(&self) -> String {
            let faults = self.examine().into_iter().map(|it| match it {
                AccessFinding::Fault(text) => text.replace(&self.0.path().display().to_string(), "~"),
                other => panic!("{other:?}"),
            });
            faults.collect::<Vec<_>>().join("\n")
        }
    }

    #[test]
    fn unreadable_files_of_the_build_are_counted_with_the_remedy() {
        let machine = Machine::new();
        machine.unit("DynamicUser=yes");
        // Before the first start.
        fs::remove_dir_all(machine.path("data")).unwrap();
        assert!(matches!(&machine.examine()[..], [AccessFinding::Fine(_)]), "{:?}", machine.examine());
        machine.set("dist/en/page.html", 0o600);
        machine.set("dist/manifest.json", 0o640);
        let text = machine.faults();
        assert!(text.contains("that systemd makes cannot read 2 of") && text.contains("~/dist/en/page.html"), "{text}");
        assert!(text.contains("run `chmod -R a+rX ~/dist`") && text.lines().count() == 1, "{text}");
    }

    #[test]
    fn user_of_the_unit_is_compared_with_owner_group_and_mode() {
        let machine = Machine::new();
        machine.unit("User=mecelle");
        machine.set("data", 0o777);
        machine.set("data/registrations.db", 0o666);
        assert!(matches!(&machine.examine()[..], [AccessFinding::Fine(_)]), "{:?}", machine.examine());
        machine.set("sidecar.toml", 0o640);
        let text = machine.faults();
        assert!(
            text.contains("mecelle cannot read ~/sidecar.toml; run `chgrp 61112 ~/sidecar.toml && chmod g+r"),
            "{text}"
        );
        machine.set("sidecar.toml", 0o644);
        machine.set("data", 0o755);
        assert!(
            machine.faults().contains("cannot write ~/data; run `chown -R mecelle ~/data`"),
            "{}",
            machine.faults()
        );
        machine.set("data", 0o777);
        machine.set("dist", 0o744);
        assert!(machine.faults().contains("such as ~/dist;"), "{}", machine.faults());
        machine.set("", 0o700);
        let text = machine.faults();
        assert!(text.contains("cannot enter ~, and so not reach ~/dist") && text.contains("`chmod a+x ~`"), "{text}");
        machine.set("", 0o755);
        machine.set("dist", 0o755);
        machine.write("etc/systemd/system/mecelle.service.d/own.conf", "[Service]\nUser=stranger\n");
        assert!(
            matches!(&machine.examine()[..], [AccessFinding::Unknown(text)] if text.contains("runuser -u stranger")),
            "{:?}",
            machine.examine()
        );
    }

    #[test]
    fn user_is_in_its_own_group_and_in_others() {
        let machine = Machine::new();
        let user = ServiceUser::find(machine.0.path(), |(_, id)| id == 61_111).unwrap();
        assert_eq!((&*user.name, user.groups), ("mecelle", vec![61_112, 61_113]));
    }

    #[test]
    fn unit_of_other_settings_is_not_the_service() {
        let machine = Machine::new();
        machine.write(
            "etc/systemd/system/mecelle.service",
            "[Service]\nUser=mecelle\nExecStart=sidecar --config /etc/mecelle/sidecar.toml\n",
        );
        let found = machine.examine();
        assert!(!format!("{found:?}").contains("user mecelle"), "{found:?}");
    }

    #[test]
    fn folders_that_the_unit_hides_are_named() {
        let machine = Machine::new();
        machine.unit("User=mecelle\nPrivateTmp=yes\nProtectHome=yes\nProtectHome=");
        let unit = ServiceUnit::find(machine.0.path(), &machine.path("sidecar.toml")).unwrap();
        assert_eq!(unit.hidden(Path::new("/tmp/site/dist")), Some(("/tmp", "PrivateTmp")));
        assert_eq!(unit.hidden(Path::new("/home/ada/site/dist")), None);
        machine.unit("User=mecelle\nProtectHome=yes");
        let unit = ServiceUnit::find(machine.0.path(), &machine.path("sidecar.toml")).unwrap();
        assert_eq!(unit.hidden(Path::new("/home/ada/site/dist")), Some(("/home", "ProtectHome")));
        assert_eq!(unit.hidden(Path::new("/homes/ada")), None);
    }
}
