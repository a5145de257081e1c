//! Modules of a package do not import each other in circles.
//!
//! A module and its nested modules count as one. Packages and modules for tests are skipped.

use std::collections::{BTreeMap, BTreeSet};

use crate::architecture::{TEST_PACKAGES, sources};

/// The imports of each module of a package, by its path from the root of the package.
type Imports = BTreeMap<Vec<String>, BTreeSet<Vec<String>>>;

#[test]
fn modules_do_not_import_each_other() {
    let mut packages: BTreeMap<String, Vec<(Vec<String>, String)>> = BTreeMap::new();
    for (path, text) in sources(|package| !TEST_PACKAGES.contains(&package)) {
        let (package, file) = path.split_once("/src/").expect("sources are below src");
        packages.entry(package.to_owned()).or_default().push((module_of(file), text));
    }
    let mut circles = Vec::new();
    for (package, modules) in packages {
        let imports = imports(&modules);
        for module in imports.keys() {
            if let Some(circle) = way_back(module, &imports) {
                circles.push(format!("{package}: {}", circle.join(" -> ")));
            }
        }
    }
    assert!(circles.is_empty(), "modules import each other:\n{}", circles.join("\n"));
}

/// Returns the path of the module in `file`: `a/b.rs` and `a/b/mod.rs` are `a::b`.
fn module_of(file: &str) -> Vec<String> {
    let mut path: Vec<String> = file.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if matches!(path.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        path.pop();
    }
    path
}

fn imports(modules: &[(Vec<String>, String)]) -> Imports {
    let known: BTreeSet<&Vec<String>> = modules.iter().map(|(module, _)| module).collect();
    let mut imports = Imports::new();
    for (module, text) in modules {
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let code: String = code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let named = paths(&code).into_iter().filter_map(|path| {
            let mut target = absolute(module, &path)?;
            while !known.contains(&target) {
                target.pop()?;
            }
            (!target.is_empty() && !target.starts_with(module) && !module.starts_with(&target)).then_some(target)
        });
        imports.entry(module.clone()).or_default().extend(named);
    }
    imports
}

/// Returns the paths that begin with `crate`, `self` or `super`; braces are expanded.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for start in ["crate::", "self::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let is_whole =
                !code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_' || before == ':');
            if is_whole {
                tree(&code[at..], &mut Vec::new(), &mut paths);
            }
        }
    }
    paths
}

/// Adds the paths of the tree at the start of `code`, each with `prefix`; returns the length of the tree in bytes.
fn tree(code: &str, prefix: &mut Vec<String>, paths: &mut Vec<Vec<String>>) -> usize {
    let (depth, mut at) = (prefix.len(), 0);
    loop {
        let rest = &code[at..];
        let name = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(rest.len());
        if name > 0 {
            prefix.push(rest[..name].to_owned());
            at += name;
            if code[at..].starts_with("::") {
                at += "::".len();
                continue;
            }
        } else if rest.starts_with('{') {
            at += 1;
            while !code[at..].starts_with('}') && at < code.len() {
                let skipped = code[at..].len() - code[at..].trim_start_matches([' ', ',']).len();
                at += skipped;
                let length = tree(&code[at..], prefix, paths);
                at += length;
                if skipped + length == 0 {
                    break;
                }
            }
            at = (at + 1).min(code.len());
        }
        paths.push(prefix.clone());
        prefix.truncate(depth);
        return at;
    }
}

/// Returns the absolute path of `path` in `module`.
fn absolute(module: &[String], path: &[String]) -> Option<Vec<String>> {
    let ups = path.iter().take_while(|part| *part == "super").count();
    let base = match path.first().map(String::as_str) {
        Some("crate") => &[],
        _ => &module[..module.len().checked_sub(ups)?],
    };
    let rest = path.iter().skip_while(|part| ["crate", "self", "super"].contains(&part.as_str()));
    Some(base.iter().chain(rest).cloned().collect())
}

/// Returns the shortest circle through `module`.
fn way_back(module: &Vec<String>, imports: &Imports) -> Option<Vec<String>> {
    let mut ways = vec![vec![module]];
    let mut seen = BTreeSet::new();
    while !ways.is_empty() {
        let mut longer = Vec::new();
        for way in ways {
            for next in imports.get(*way.last()?).into_iter().flatten() {
                if next == module {
                    let names = way.iter().chain([&module]).map(|module| module.join("::"));
                    return Some(names.collect());
                }
                if seen.insert(next) {
                    longer.push(way.iter().copied().chain([next]).collect());
                }
            }
        }
        ways = longer;
    }
    None
}

#[test]
fn paths_in_braces_are_read_each_by_itself() {
    let code = "use crate::{a::{self, B}, c as d}; fn f() { super::e::g(1, my_crate::hh); }";
    let read: BTreeSet<String> = paths(code).into_iter().map(|path| path.join("::")).collect();
    for path in ["crate::a::self", "crate::a::B", "crate::c", "super::e::g"] {
        assert!(read.contains(path), "{path} in {read:?}");
    }
    assert!(!read.iter().any(|path| path.contains("hh")), "a path of another crate in {read:?}");
}
