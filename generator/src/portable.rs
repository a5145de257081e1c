//! A copy of a build for plain file servers, or for a browser without a server: every link is relative and names a
//! file.
//!
//! A page with other pages below its address becomes the `index.html` of their folder. Links that need the service keep
//! their address on the site.

mod links;

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs, io,
    path::Path,
};

use contract::{
    Locale,
    manifest::{Axis, Class, FILE_NAME, FORMAT, Manifest, Route, is_file_path},
};
use findings::messages::{self, Text};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use walkdir::WalkDir;

/// The file that marks a folder as a copy and lists its files.
const NOTE: &str = "PORTABLE.txt";
const NOTE_HEAD: &str = "A copy of a site to look at, made by `generator build --portable`.";
/// The line above the list of files.
const LIST_HEAD: &str = "\nThe files of this copy, which the next one replaces:\n";
/// Files that operating systems add to folders.
const OF_FOLDERS: [&str; 3] = [".DS_Store", "Thumbs.db", "desktop.ini"];
/// Characters of a path that are not percent-encoded.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Checks that `out` does not exist, is an empty folder, or contains only an earlier copy.
///
/// # Errors
/// If `out` contains anything else.
pub fn check_place(out: &Path) -> Result<(), Text> {
    match fs::read_dir(out) {
        Ok(mut entries) => {
            if entries.next().is_none() {
                return Ok(());
            }
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            return Err(messages::copy_place_taken(out.display()));
        }
        Err(error) => return Err(Text::at_path(out, error)),
    }
    let note = fs::read_to_string(out.join(NOTE)).unwrap_or_default();
    let Some((_, list)) = note.split_once(LIST_HEAD).filter(|_| note.starts_with(NOTE_HEAD)) else {
        return Err(messages::copy_place_taken(out.display()));
    };
    let own: HashSet<&str> = list.lines().chain([NOTE]).collect();
    for entry in WalkDir::new(out) {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(out).to_owned();
            Text::at_path(&path, io::Error::from(error))
        })?;
        let name = entry.path().strip_prefix(out).ok().and_then(Path::to_str).map(|name| name.replace('\\', "/"));
        let is_known = name.is_some_and(|name| own.contains(name.as_str()))
            || OF_FOLDERS.iter().any(|other| entry.file_name() == *other);
        if !entry.file_type().is_dir() && !is_known {
            return Err(messages::copy_place_taken(entry.path().display()));
        }
    }
    Ok(())
}

/// Copies the build in the folder `build` to `out` atomically, and returns the number of files.
///
/// # Errors
/// If `out` holds something else, `build` is no build, or the disk fails.
pub fn copy(build: &Path, out: &Path) -> Result<usize, Text> {
    check_place(out)?;
    let manifest = manifest(build)?;
    let copy = Copy::new(&manifest);
    let out = fs::canonicalize(out).or_else(|_| std::path::absolute(out)).unwrap_or_else(|_| out.to_owned());
    let disk = |error: io::Error| Text::at_path(&out, error);
    let parent = out.parent().unwrap_or(&out);
    fs::create_dir_all(parent).map_err(disk)?;
    // On the same file system, so that it can be renamed. Dropping it deletes it.
    let made = tempfile::Builder::new().prefix(".portable-").tempdir_in(parent).map_err(disk)?;
    let [new, old] = ["new", "old"].map(|name| made.path().join(name));
    fs::create_dir(&new).map_err(disk)?;
    let files = copy.write(build, &new)?;
    if out.exists() {
        fs::rename(&out, &old).map_err(disk)?;
    }
    fs::rename(&new, &out).map_err(|error| {
        let _ = fs::rename(&old, &out);
        disk(error)
    })?;
    Ok(files)
}

fn manifest(build: &Path) -> Result<Manifest, Text> {
    let path = build.join(FILE_NAME);
    let bytes = fs::read(&path).map_err(|error| Text::at_path(&path, error))?;
    let manifest: Option<Manifest> = serde_json::from_slice(&bytes).ok();
    manifest
        .filter(|manifest| manifest.format == FORMAT)
        .ok_or_else(|| messages::manifest_of_other_version(path.display()))
}

/// A file of a path: its language if it is a list, its path in the build and its path in the copy.
type CopiedFile<'m> = (Option<Locale>, &'m str, String);

/// The files of a build and their places in the copy.
struct Copy<'m> {
    site_url: &'m str,
    files: HashMap<&'m str, Vec<CopiedFile<'m>>>,
    redirects: HashMap<&'m str, &'m str>,
    /// The pages for unknown addresses.
    not_found: Vec<&'m str>,
}

impl<'m> Copy<'m> {
    fn new(manifest: &'m Manifest) -> Self {
        let above: BTreeSet<&str> = manifest.routes.iter().flat_map(|route| folders(&route.path)).collect();
        let of_route = |route: &'m Route| {
            // Negotiated routes keep the first form; the other has an address of its own.
            let variants = if route.axis == Some(Axis::Accept) { &route.variants[..1] } else { &route.variants[..] };
            let file = |file: &'m str| match file.strip_suffix(".html") {
                Some(stem)
                    if route.class == Class::Page && above.contains(route.path.as_str()) && route.path != "/" =>
                {
                    format!("{stem}/index.html")
                }
                _ => file.to_owned(),
            };
            let files = variants.iter().filter(|variant| is_file_path(&variant.file));
            let files = files.map(|variant| (variant.locale, variant.file.as_str(), file(&variant.file)));
            (route.path.as_str(), files.collect())
        };
        let not_found = manifest.not_found.iter().filter_map(|it| it.variants.first());
        Self {
            site_url: &manifest.site_url,
            files: manifest.routes.iter().filter(|route| !route.variants.is_empty()).map(of_route).collect(),
            redirects: manifest.redirects.iter().map(|it| (it.from.as_str(), it.to.as_str())).collect(),
            not_found: not_found.map(|it| it.file.as_str()).filter(|file| is_file_path(file)).collect(),
        }
    }

    /// Writes every file, and returns their number.
    fn write(&self, build: &Path, out: &Path) -> Result<usize, Text> {
        let answers = self.files.values().flatten().map(|(_, from, to)| (*from, to.as_str()));
        let mut pairs: Vec<(&str, &str)> = answers.chain(self.not_found.iter().map(|file| (*file, *file))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        for (from, to) in &pairs {
            let (source, target) = (build.join(from), out.join(to));
            let bytes = fs::read(&source).map_err(|error| Text::at_path(&source, error))?;
            let link = |address: &str, is_link: bool| self.address(to, address, is_link);
            let bytes = match media_ending(to) {
                "html" => links::rewrite_html(&String::from_utf8_lossy(&bytes), &link).into_bytes(),
                "css" => links::rewrite_css(&String::from_utf8_lossy(&bytes), &link).into_bytes(),
                _ => bytes,
            };
            fs::create_dir_all(target.parent().unwrap_or(out)).map_err(|error| Text::at_path(&target, error))?;
            fs::write(&target, bytes).map_err(|error| Text::at_path(&target, error))?;
        }
        let note = out.join(NOTE);
        let files: Vec<&str> = pairs.iter().map(|(_, to)| *to).collect();
        // Readers of the folder may speak either language.
        let words = messages::copy_note(self.site_url);
        let (en, tr) = (&words[Locale::En], &words[Locale::Tr]);
        let text = format!("{NOTE_HEAD}\n{en}\n\n{tr}\n{LIST_HEAD}{}\n", files.join("\n"));
        fs::write(&note, text).map_err(|error| Text::at_path(&note, error))?;
        Ok(pairs.len() + 1)
    }

    /// Returns the address to write into the file `from` in place of `address`; `None` to keep it. A link with the
    /// origin of the site is rewritten too; metadata for search engines keeps it.
    fn address(&self, from: &str, address: &str, is_link: bool) -> Option<String> {
        let own =
            || address.strip_prefix(self.site_url).filter(|rest| rest.is_empty() || rest.starts_with(['/', '?', '#']));
        let local = match own().filter(|_| is_link) {
            Some("") => "/",
            Some(rest) => rest,
            None => address,
        };
        if !local.starts_with('/') || local.starts_with("//") {
            return None;
        }
        let (rest, fragment) = local.split_at(local.find('#').unwrap_or(local.len()));
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        match self.file(path, query) {
            Some(to) => Some(relative(from, to) + fragment),
            None => Some([self.site_url, local].concat()),
        }
    }

    fn file(&self, path: &str, query: &str) -> Option<&str> {
        let path = percent_decode_str(path).decode_utf8().ok()?;
        let known = |path: &str| self.files.get(path);
        let files = known(&path).or_else(|| known(self.redirects.get(&*path)?))?;
        let requested = query.split('&').find_map(|pair| pair.strip_prefix("locale=")?.parse::<Locale>().ok());
        let named = files.iter().find(|(locale, ..)| requested.is_some() && *locale == requested);
        named.or(files.first()).map(|(_, _, to)| to.as_str())
    }
}

/// Returns the folders above a path: `/en` and `/en/team` for `/en/team/a`.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/').skip(1).map(|(at, _)| &path[..at])
}

fn media_ending(file: &str) -> &str {
    file.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// Returns the relative address of the file `to` from the file `from`; both are paths below the root of the copy.
fn relative(from: &str, to: &str) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.split('/').collect(), to.split('/').collect());
    let folders = from.len().min(to.len()) - 1;
    let common = from[..folders].iter().zip(&to[..folders]).take_while(|(one, other)| one == other).count();
    let up = "../".repeat(from.len() - 1 - common);
    // A colon in the first segment would end a scheme, but colons are percent-encoded.
    up + &utf8_percent_encode(&to[common..].join("/"), IN_PATH).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portable_address_is_relative_to_its_file() {
        for (from, to, expected) in [
            ("index.html", "en/index.html", "en/index.html"),
            ("en/team/index.html", "en/team/a.html", "a.html"),
            ("en/team/a.html", "en/index.html", "../index.html"),
            ("en/team/a.html", "assets/x y.css", "../../assets/x%20y.css"),
            ("tr/a.html", "tr/a.html", "a.html"),
        ] {
            assert_eq!(relative(from, to), expected, "{from} to {to}");
        }
    }

    #[test]
    fn portable_folders_are_those_above_a_path() {
        assert_eq!(folders("/en/team/a").collect::<Vec<_>>(), ["/en", "/en/team"]);
        assert_eq!(folders("/").count(), 0);
    }
}
