//! The whole output of the small fixture firm, held against what was accepted before.
//!
//! `make bless` accepts the present output; read the difference first.

use std::{collections::BTreeMap, fs};

use tests::{build, content_of, files_below, repository};

/// Files whose bytes are compared as text; the others are named by their digests in the manifest.
const TEXTS: [&str; 7] = [".html", ".md", ".json", ".txt", ".xml", ".atom", "api-catalog"];

#[test]
fn golden() {
    let firm = build(&content_of("firm"));
    let is_text = |name: &str| TEXTS.iter().any(|end| name.ends_with(end)) || !name.contains('.');
    let present: BTreeMap<String, Vec<u8>> = files_below(&firm.dist())
        .into_iter()
        .filter(|(name, _)| is_text(name) && name != "manifest.json" && !name.starts_with("assets/"))
        .collect();
    let folder = repository().join("tests/expected/dist");
    if std::env::var_os("MECELLE_BLESS").is_some() {
        let _ = fs::remove_dir_all(&folder);
        for (name, bytes) in &present {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        }
        return;
    }
    let expected = files_below(&folder);
    for (name, bytes) in &expected {
        let now =
            present.get(name).unwrap_or_else(|| panic!("{name} is no longer rendered: `make bless` accepts that"));
        if now != bytes {
            let (old, new) = (String::from_utf8_lossy(bytes), String::from_utf8_lossy(now));
            let line = old.lines().zip(new.lines()).position(|(old, new)| old != new).unwrap_or_default();
            panic!(
                "{name} differs from line {}:\n- {}\n+ {}\n`make bless` accepts the present output",
                line + 1,
                old.lines().nth(line).unwrap_or_default(),
                new.lines().nth(line).unwrap_or_default(),
            );
        }
    }
    let new: Vec<_> = present.keys().filter(|name| !expected.contains_key(*name)).collect();
    assert!(new.is_empty(), "new files: {new:?}; `make bless` accepts them");
}
