//! Data flows one way: neither the parts of a program nor those of any folder in it depend on each other in a circle. A
//! folder's own module is left out: parent and child may know each other. Method calls are not followed: a module that
//! calls one mostly names its type.

use std::collections::{BTreeMap, BTreeSet};

use tests::repository;

use super::{code, sources};

/// Names from the root of a program down, or as they are written in the source.
type Path = Vec<String>;

/// The parts that each part of one folder depends on.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// What a module refers to.
#[derive(Default)]
struct Module {
    /// Its imports, by the name that it gives them.
    imports: BTreeMap<String, Path>,
    /// Paths that it names.
    named: Vec<Path>,
}

/// The modules of a program.
struct Program(BTreeMap<Path, Module>);

/// What a path leads to: the module itself, or an item in it.
enum Found {
    Module(Path),
    Item(Path),
}

impl Program {
    fn of(package: &str) -> Self {
        let folder = format!("{package}/src");
        let root = repository().join(&folder);
        let modules = sources(&folder).into_iter().filter_map(|(file, text)| {
            let place = file.strip_prefix(&root).unwrap().with_extension("");
            let mut path: Path = place.iter().map(|part| part.to_string_lossy().into_owned()).collect();
            if path.last().is_some_and(|last| last == "mod") || path == ["lib"] {
                path.pop();
            }
            (path != ["main"]).then(|| (path, Module::parse(&code(&text).collect::<Vec<_>>().join("\n"))))
        });
        Self(modules.collect())
    }

    /// Follows a path written in `from`, through any re-exports.
    fn find(&self, from: &[String], written: &[String], patience: u8) -> Option<Found> {
        let patience = patience.checked_sub(1)?;
        let (mut at, mut rest) = (from.to_vec(), written);
        let child = |at: &[String], name: &String| [at, std::slice::from_ref(name)].concat();
        match written.first()?.as_str() {
            "crate" => (at, rest) = (Path::new(), &written[1..]),
            "self" => rest = &written[1..],
            "super" => {
                while let Some(("super", after)) = rest.split_first().map(|(first, after)| (first.as_str(), after)) {
                    at.pop();
                    rest = after;
                }
            }
            _ => {
                let is_import = self.0.get(from)?.imports.get(&written[0]).is_some_and(|path| path != written);
                if !is_import && !self.0.contains_key(&child(from, &written[0])) {
                    return None;
                }
            }
        }
        while let Some((name, after)) = rest.split_first() {
            let below = child(&at, name);
            if self.0.contains_key(&below) {
                at = below;
            } else if let Some(import) = self.0.get(&at)?.imports.get(name).filter(|import| *import != rest) {
                match self.find(&at, import, patience)? {
                    Found::Module(module) => at = module,
                    item @ Found::Item(_) => return Some(item),
                }
            } else {
                return Some(Found::Item(at));
            }
            rest = after;
        }
        Some(Found::Module(at))
    }

    /// Returns which parts of each folder depend on which others in it.
    fn arrows(&self) -> BTreeMap<Path, Arrows> {
        let mut folders: BTreeMap<Path, Arrows> = BTreeMap::new();
        for (from, module) in &self.0 {
            for written in &module.named {
                let Some(Found::Item(to)) = self.find(from, written, 16) else { continue };
                let apart = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
                if let (Some(one), Some(other)) = (from.get(apart), to.get(apart)) {
                    let arrows = folders.entry(from[..apart].to_vec()).or_default();
                    arrows.entry(one.clone()).or_default().insert(other.clone());
                    arrows.entry(other.clone()).or_default();
                }
            }
        }
        folders
    }
}

impl Module {
    fn parse(code: &str) -> Self {
        let mut module = Self::default();
        let mut body = String::new();
        let mut rest = code;
        while let Some((before, statement, after)) = next_import(rest) {
            // The text before it on its line: `pub` and its visibility.
            let before = match before.rsplit_once('\n').unwrap_or(("", before)) {
                (all, line) if line.trim_start().starts_with("pub") => all,
                _ => before,
            };
            let is_of_tests = before.trim_end().ends_with("#[cfg(test)]");
            for (path, name) in expand(statement, &[]) {
                if !is_of_tests {
                    module.named.push(path.clone());
                }
                module.imports.insert(name, path);
            }
            body.push_str(before);
            rest = after;
        }
        body.push_str(rest);
        let is_in_a_path = |letter: char| letter == '_' || letter == ':' || letter.is_alphanumeric();
        for path in body.split(|letter| !is_in_a_path(letter)).filter(|path| path.contains("::")) {
            let path: Path = path.trim_end_matches(':').split("::").map(str::to_owned).collect();
            if path.len() > 1 && path[0].starts_with(|first: char| first == '_' || first.is_lowercase()) {
                module.named.push(path);
            }
        }
        module
    }
}

/// Returns the text before the next import, what it imports, and the text after it.
fn next_import(code: &str) -> Option<(&str, &str, &str)> {
    let starts = code.match_indices("use ").map(|(at, _)| at);
    let is_import = |at: &usize| {
        let line = code[..*at].rsplit('\n').next().unwrap().trim();
        line.is_empty() || line == "pub" || (line.starts_with("pub(") && line.ends_with(')'))
    };
    let at = starts.into_iter().find(is_import)?;
    let (statement, after) = code[at + "use ".len()..].split_once(';')?;
    Some((&code[..at], statement, after))
}

/// Returns the paths of an import with the names that they are given: `a::{B, c::{self, D as E}}`.
fn expand(text: &str, before: &[String]) -> Vec<(Path, String)> {
    let text = text.trim();
    let parts = |text: &str| -> Path {
        let parts =
            text.split("::").map(str::trim).filter(|part| !part.is_empty() && *part != "self" || before.is_empty());
        before.iter().cloned().chain(parts.filter(|part| !part.is_empty()).map(str::to_owned)).collect()
    };
    if let Some((head, list)) = text.split_once('{') {
        let (list, head) = (list.trim_end().strip_suffix('}').unwrap_or(list), parts(head));
        let mut depth = 0;
        let outer = list.split(move |letter: char| {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            letter == ',' && depth == 0
        });
        return outer.filter(|part| !part.trim().is_empty()).flat_map(|part| expand(part, &head)).collect();
    }
    let (path, name) =
        text.split_once(" as ").map_or((text, None), |(path, name)| (path, Some(name.trim().to_owned())));
    let path = parts(path);
    let name = name.or_else(|| path.last().cloned());
    name.filter(|name| name != "*").map(|name| (path, name)).into_iter().collect()
}

/// Returns what is left after removing, for as long as there are any, the parts that depend on none of the others.
fn circles(mut arrows: Arrows) -> Arrows {
    while let Some(last) = arrows.iter().find(|(_, known)| known.is_empty()).map(|(part, _)| part.clone()) {
        arrows.remove(&last);
        for known in arrows.values_mut() {
            known.remove(&last);
        }
    }
    arrows
}

#[test]
fn whom_a_module_knows_is_found_however_it_is_imported() {
    let path = |text: &str| -> Path { text.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect() };
    let program = Program(
        [
            ("", "pub use self::a::{Handed, b::Deep};"),
            ("a", "mod b;\nmod c;\npub(crate) use self::{b::Own, c::*};\nuse crate::d;\nfn f() { d::g() }"),
            ("a/b", "use super::{c::{self, X as Y}, Mine};\nuse crate::Handed;\nfn f() { c::g(); self::h() }"),
            ("a/c", "pub use super::b::Deep;\nfn f() { super::super::e::g() }"),
            (
                "d",
                "use contract::{a, b::C};\nuse crate::{\n    a::{Own, c},\n    e,\n};\nfn f() { c::g(e::h::<u8>()) }",
            ),
            ("e", "#[cfg(test)]\nuse crate::d::T;\nuse std::fmt;\nfn f() { crate::a::b::g(\"crate\") }"),
        ]
        .map(|(place, text)| (path(place), Module::parse(text)))
        .into(),
    );
    let known = |arrows: &[(&str, &[&str])]| -> Arrows {
        arrows
            .iter()
            .map(|(part, known)| ((*part).to_owned(), known.iter().map(|&one| one.to_owned()).collect()))
            .collect()
    };
    let expected = [
        (path(""), known(&[("a", &["d", "e"]), ("d", &["a", "e"]), ("e", &["a"])])),
        (path("a"), known(&[("b", &["c"]), ("c", &["b"])])),
    ];
    assert_eq!(program.arrows(), expected.into());
    let two = |one: &str, other: &str| (one.to_owned(), BTreeSet::from([other.to_owned()]));
    let circle = Arrows::from([two("a", "b"), two("b", "a")]);
    assert_eq!(circles(circle.clone().into_iter().chain([two("c", "a")]).collect()).len(), 3);
    assert!(circles(Arrows::from([two("a", "b"), ("b".to_owned(), BTreeSet::new())])).is_empty());
}

#[test]
fn the_parts_of_a_program_and_of_its_folders_know_each_other_in_no_circle() {
    let mut found = BTreeMap::new();
    for package in [
        "cli",
        "crates/contract",
        "crates/forms",
        "crates/mail",
        "crates/mcp",
        "crates/registration",
        "crates/search",
        "generator",
        "sidecar",
    ] {
        let folders = Program::of(package).arrows();
        assert!(folders.contains_key(&Path::new()), "no part of {package} knows another");
        for (folder, arrows) in folders {
            let folder = [&[package.to_owned()][..], &folder].concat().join("/");
            found.insert(folder, circles(arrows));
        }
    }
    found.retain(|_, circle| !circle.is_empty());
    assert_eq!(found, BTreeMap::new());
}
