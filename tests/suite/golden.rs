//! The whole output of the fixture firm equals the accepted one.
//!
//! `make bless` accepts the present output; read the difference first.

use std::{collections::BTreeMap, fs};

use aws_lc_rs::digest;
use contract::manifest::{FILE_NAME, Manifest};
use serde_json::Value;
use tests::{Firm as _, build, content_of, files_below, repository};

/// Compressed variants are not compared: their bytes depend on the releases of three libraries.
const COMPRESSED: [&str; 3] = [".br", ".gz", ".zst"];
/// Suffix of the accepted digest of a file that is not text.
const DIGEST: &str = ".sha256";

#[test]
#[expect(clippy::disallowed_methods, reason = "an environment variable selects blessing")]
fn build_of_the_test_firm_equals_the_expected_files() {
    let bless = std::env::var("MECELLE_BLESS").is_ok_and(|value| value == "1");
    let firm = build(&content_of("firm"));
    // Assets are not compared: their names contain their digests and are in the manifest.
    let is_compared = |name: &str| {
        !COMPRESSED.iter().any(|end| name.ends_with(end)) && name != FILE_NAME && !name.starts_with("assets/")
    };
    let files = files_below(&firm.dist()).into_iter().filter(|(name, _)| is_compared(name));
    let mut present: BTreeMap<String, Vec<u8>> = files.map(|(name, bytes)| text_or_digest(name, bytes)).collect();
    present.insert(FILE_NAME.to_owned(), routes_and_fields(&firm.manifest()).into_bytes());
    let folder = repository().join("tests/expected/dist");
    if bless {
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

/// Returns the accepted form of a file: its text, or its digest if it is not text.
fn text_or_digest(name: String, bytes: Vec<u8>) -> (String, Vec<u8>) {
    if str::from_utf8(&bytes).is_ok_and(|text| !text.contains('\0')) {
        return (name, bytes);
    }
    (name + DIGEST, format!("{:?}\n", digest::digest(&digest::SHA256, &bytes)).into_bytes())
}

/// Returns the paths and header fields of the manifest, without digests and sizes, since the files are compared.
fn routes_and_fields(manifest: &Manifest) -> String {
    let mut value = serde_json::to_value(manifest).unwrap();
    remove_members(&mut value, &["build", "size", "digest", "encodings"]);
    serde_json::to_string_pretty(&value).unwrap() + "\n"
}

fn remove_members(value: &mut Value, names: &[&str]) {
    match value {
        Value::Object(fields) => {
            fields.retain(|name, _| !names.contains(&name.as_str()));
            fields.values_mut().for_each(|field| remove_members(field, names));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| remove_members(item, names)),
        _ => {}
    }
}
