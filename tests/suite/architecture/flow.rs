//! Data flows one way: the parts of a program, which are its first modules, know each other in no circle.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

use tests::repository;

use super::{code, sources};

/// Whom each part of a program knows.
type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The first name of each path below `crate::`, from `use crate::a::B;`, `use crate::{a, b::{C, D}};` and `crate::a::b()`.
fn known(code: &str) -> BTreeSet<String> {
    let is_in_a_name = |letter: &char| *letter == '_' || letter.is_alphanumeric();
    let first = |path: &str| path.trim_start().chars().take_while(is_in_a_name).collect::<String>();
    let mut names = BTreeSet::new();
    for (at, root) in code.match_indices("crate::") {
        let rest = &code[at + root.len()..];
        // Of a list, what stands in no list inside it.
        let mut depth = 0;
        let outer = rest.chars().map_while(|letter| {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            (depth > 0).then_some((depth, letter))
        });
        let outer: String = outer.filter(|(depth, _)| *depth == 1).map(|(_, letter)| letter).collect();
        match outer.strip_prefix('{') {
            Some(list) => names.extend(list.split(',').map(first)),
            None => _ = names.insert(first(rest)),
        }
    }
    names.remove("");
    names
}

/// Whose is what the root hands on, as in `pub use crate::{a::B, c::{D, E}};`.
fn handed_on(root: &str, parts: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut owners = BTreeMap::new();
    for list in root.split("pub use ").skip(1).filter_map(|rest| rest.split(';').next()) {
        let mut owner = "";
        for name in list.split(|letter: char| letter != '_' && !letter.is_alphanumeric()) {
            if parts.contains(name) {
                owner = name;
            }
            owners.insert(name.to_owned(), owner.to_owned());
        }
    }
    owners
}

fn arrows(package: &str) -> Arrows {
    let folder = format!("{package}/src");
    let root = repository().join(&folder);
    let mut arrows = Arrows::new();
    for (file, text) in sources(&folder) {
        let part = part(&file, &root);
        if !["lib", "main"].contains(&part.as_str()) {
            arrows.entry(part).or_default().extend(known(&code(&text).collect::<Vec<_>>().join("\n")));
        }
    }
    let parts: BTreeSet<String> = arrows.keys().cloned().collect();
    let root = fs::read_to_string(root.join("lib.rs")).unwrap();
    let owners = handed_on(&root, &parts);
    for (part, known) in &mut arrows {
        *known = known.iter().map(|name| owners.get(name).unwrap_or(name)).cloned().collect();
        known.retain(|name| name != part && parts.contains(name));
    }
    arrows
}

/// The module below the root that a file belongs to.
fn part(file: &Path, root: &Path) -> String {
    let first = file.strip_prefix(root).unwrap().iter().next().unwrap();
    Path::new(first).file_stem().unwrap().to_string_lossy().into_owned()
}

/// What is left when parts that know none of the others are taken away for as long as there are any.
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
fn names_are_found_however_they_are_imported() {
    let text = "use crate::a;\nuse crate::b::C;\nuse crate::{\n    d,\n    e::{F, g::H},\n    i::{self},\n    J,\n};\ncrate::k::l()";
    assert_eq!(known(text), ["a", "b", "d", "e", "i", "J", "k"].map(str::to_owned).into());
    let parts = ["a", "b"].map(str::to_owned).into();
    let owners = handed_on("mod a;\npub use crate::{\n    a::{C, D},\n    b::e,\n};\nuse a::F;", &parts);
    assert!(owners["D"] == "a" && owners["e"] == "b" && !owners.contains_key("F"));
    let two = |one: &str, other: &str| (one.to_owned(), BTreeSet::from([other.to_owned()]));
    let circle = Arrows::from([two("a", "b"), two("b", "a")]);
    assert_eq!(circles(circle.clone().into_iter().chain([two("c", "a")]).collect()).len(), 3);
    assert!(circles(Arrows::from([two("a", "b"), ("b".to_owned(), BTreeSet::new())])).is_empty());
}

#[test]
fn the_parts_of_a_program_know_each_other_in_no_circle() {
    for package in ["cli", "contract", "generator", "search", "sidecar"] {
        let arrows = arrows(package);
        assert!(arrows.values().any(|known| !known.is_empty()), "no part of {package} knows another");
        assert_eq!(circles(arrows), Arrows::new(), "{package}");
    }
}
