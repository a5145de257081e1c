//! The invariants of `ARCHITECTURE.md`, checked against the source.

mod flow;

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use contract::{agent_errors::AgentErrorCode, errors::ErrorCode, event_errors::EventErrorCode, scopes::Scope};
use tests::{files_below, repository};

/// Folders of the project's own source: the programs, and what their tests share.
const SOURCES: [&str; 15] = [
    "crates/clock/src",
    "crates/contract/src",
    "crates/forms/src",
    "crates/mail/src",
    "crates/mcp/src",
    "crates/private_files/src",
    "crates/registration/src",
    "crates/search/src",
    "crates/settings/src",
    "generator/src",
    "sidecar/src",
    "cli/src",
    "tests/src",
    "tests/cluster/src",
    "tests/journal/src",
];

/// What the sidecar is made of, besides the contract and the search.
const LIBRARIES_OF_THE_SIDECAR: [&str; 7] = [
    "crates/clock/src",
    "crates/forms/src",
    "crates/mail/src",
    "crates/mcp/src",
    "crates/private_files/src",
    "crates/registration/src",
    "crates/settings/src",
];

/// Returns every Rust source file below `folder` with its text, except modules that exist for tests only.
fn sources(folder: &str) -> Vec<(PathBuf, String)> {
    let mut files = Vec::new();
    collect(&repository().join(folder), &mut files);
    assert!(!files.is_empty(), "there is nothing in {folder}");
    let tests: BTreeSet<_> = files.iter().flat_map(|(path, text)| modules_for_tests(path, text)).collect();
    files.retain(|(path, _)| !path.ancestors().any(|place| tests.contains(&place.with_extension(""))));
    files.sort();
    files
}

fn collect(folder: &Path, files: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            files.push((path, text));
        }
    }
}

/// What stands before a module that exists for tests only: of its own crate, or of others too.
const FOR_TESTS: [&str; 2] = ["#[cfg(test)]\n", "#[cfg(any(test, feature = \"testing\"))]\n"];

/// Lists the modules that a file declares for tests only, as the paths of their files or folders, without extension.
fn modules_for_tests(path: &Path, text: &str) -> Vec<PathBuf> {
    let folder = match path.file_name().and_then(|name| name.to_str()) {
        Some("lib.rs" | "main.rs" | "mod.rs") => path.parent().unwrap().to_owned(),
        _ => path.with_extension(""),
    };
    let mut modules = Vec::new();
    for declared in FOR_TESTS.iter().flat_map(|attribute| text.split(attribute).skip(1)) {
        // Other attributes may come in between.
        let line = declared.lines().find(|line| !line.trim_start().starts_with("#[")).unwrap_or_default();
        if let Some((_, name)) = line.strip_suffix(';').and_then(|line| line.split_once("mod ")) {
            modules.push(folder.join(name));
        }
    }
    modules
}

#[test]
fn a_module_is_for_tests_where_its_parent_says_so() {
    let text =
        "mod a;\n#[cfg(test)]\nmod plans;\n\n#[cfg(test)]\n#[expect(x)]\npub(crate) mod tests;\n#[cfg(test)]\nmod y {";
    let found = modules_for_tests(Path::new("src/store/mod.rs"), text);
    assert_eq!(found, [Path::new("src/store/plans"), Path::new("src/store/tests")]);
    assert_eq!(modules_for_tests(Path::new("src/mail.rs"), text)[0], Path::new("src/mail/plans"));
}

/// Returns the lines of a source before its unit tests, without comments.
fn code(text: &str) -> impl Iterator<Item = &str> {
    text.split("\nmod tests {").next().unwrap().lines().filter(|line| !line.trim_start().starts_with("//"))
}

/// Returns the first line of code, or list of imports, that reaches outside the process, or for the clock.
fn reaches_out(text: &str) -> Option<String> {
    let is_in_a_word = |letter: char| letter == '_' || letter.is_alphanumeric();
    let is_outside = |word: &str| ["env", "fs", "io", "process", "time"].contains(&word);
    // The addresses of `std::net` are plain values.
    let clocks_and_sockets = ["Instant", "SystemTime", "TcpListener", "TcpStream", "ToSocketAddrs", "UdpSocket"];
    // `use std::fs;`, and anything that comes from `fs::`.
    let reaches = |line: &str| {
        line.match_indices("::").any(|(at, colons)| {
            let before = line[..at].rsplit(|letter| !is_in_a_word(letter)).next().unwrap();
            let after = line[at + colons.len()..].split(|letter| !is_in_a_word(letter)).next().unwrap();
            is_outside(before) || before == "std" && is_outside(after)
        }) || line.split(|letter| !is_in_a_word(letter)).any(|word| clocks_and_sockets.contains(&word))
    };
    // `use std::{env, fs};`, which may span several lines.
    let all = code(text).collect::<Vec<_>>().join("\n");
    let mut lists = all.split("use std::{").skip(1).filter_map(|rest| rest.split(';').next());
    let list = lists.find(|list| list.split(|letter| !is_in_a_word(letter)).any(is_outside));
    list.or_else(|| code(text).find(|line| reaches(line))).map(str::to_owned)
}

#[test]
fn whoever_reaches_out_is_found_however_it_is_imported() {
    for text in [
        "use std::{env, fs};\n",
        "use std::{\n    collections::HashMap,\n    time::SystemTime,\n};\n",
        "use std::fs;\n",
        "    let text = fs::read_to_string(path);\n",
        "    let text = std::fs::read(path);\n",
        "    let now = Instant::now();\n",
        "fn by(stream: &TcpStream) {}\n",
    ] {
        assert!(reaches_out(text).is_some(), "{text}");
    }
    for text in [
        "use std::{borrow::Cow, fmt};\n",
        "// std::fs is not for us\n",
        "let times = offset::of(time);\n",
        "mod tests {",
    ] {
        assert_eq!(reaches_out(text), None, "{text}");
    }
}

/// Lists what `package` names in any of its tables of dependencies, and whether only its tests use it.
fn dependencies(package: &str) -> Vec<(String, bool)> {
    let text = fs::read_to_string(repository().join(package).join("Cargo.toml")).unwrap();
    let mut names = Vec::new();
    let mut table = String::new();
    for line in text.lines().map(str::trim) {
        let key = line.split(['.', ' ', '=']).next().unwrap_or_default();
        match line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            Some(name) if !line.starts_with("[[") => {
                name.clone_into(&mut table);
                // A table for a single dependency.
                let one = name.split_once("dependencies.").map(|(of, name)| (name.to_owned(), of.ends_with("dev-")));
                names.extend(one);
            }
            Some(_) => table.clear(),
            None if table.ends_with("dependencies") && !key.is_empty() && !key.starts_with('#') => {
                names.push((key.to_owned(), table.ends_with("dev-dependencies")));
            }
            None => {}
        }
    }
    assert!(!names.is_empty(), "{package} depends on something");
    names
}

#[test]
fn the_contract_knows_words_only() {
    for (name, _) in dependencies("crates/contract") {
        assert!(["schemars", "serde", "serde_json"].contains(&name.as_str()), "contract depends on {name}");
    }
    for (path, text) in sources("crates/contract/src") {
        assert_eq!(reaches_out(&text), None, "{}", path.display());
    }
}

#[test]
fn searching_touches_nothing_outside_its_index() {
    for (name, is_for_tests) in dependencies("crates/search") {
        let is_known = ["bytes", "contract", "foldhash", "icu_normalizer"].contains(&name.as_str());
        assert!(is_known || is_for_tests, "search depends on {name}");
    }
    for (path, text) in sources("crates/search/src") {
        assert_eq!(reaches_out(&text), None, "{}", path.display());
    }
}

#[test]
fn generator_sidecar_and_tool_meet_only_through_the_contract() {
    let ours = [
        "clock",
        "contract",
        "forms",
        "mail",
        "mcp",
        "private_files",
        "registration",
        "search",
        "settings",
        "generator",
        "sidecar",
        "cli",
        "tests",
        "cluster",
        "journal",
    ];
    for (package, known, known_to_tests) in [
        ("crates/clock", &[][..], &[][..]),
        ("crates/contract", &[], &[]),
        ("crates/private_files", &[], &[]),
        ("crates/settings", &[], &[]),
        ("crates/search", &["contract"], &[]),
        ("crates/mcp", &["contract", "search"], &[]),
        ("crates/mail", &["clock", "contract", "private_files", "settings"], &["journal"]),
        ("crates/forms", &["clock", "contract", "mail"], &[]),
        // Its feature `testing` needs the tests' server and journal.
        (
            "crates/registration",
            &["clock", "cluster", "contract", "forms", "journal", "mail", "private_files", "settings"],
            &[],
        ),
        ("generator", &["contract", "search"], &[]),
        (
            "sidecar",
            &["clock", "contract", "forms", "mail", "mcp", "private_files", "registration", "search", "settings"],
            &["cluster", "journal"],
        ),
        ("cli", &["contract"], &[]),
    ] {
        for (name, is_for_tests) in dependencies(package).iter().filter(|(name, _)| ours.contains(&name.as_str())) {
            let is_known = known.contains(&name.as_str()) || *is_for_tests && known_to_tests.contains(&name.as_str());
            assert!(is_known, "{package} depends on {name}");
        }
    }
}

/// Ways in which a program gets a file that it may write to.
const WRITES: [&str; 16] = [
    "fs::write",
    "fs::rename",
    "fs::remove",
    "fs::create_dir",
    "fs::copy",
    "fs::symlink(",
    "set_permissions",
    "set_len",
    "hard_link",
    "create_new",
    "openat",
    "OpenOptions",
    "File::create",
    "File::options",
    "DirBuilder",
    "private_files::options",
];
/// Ways in which it gets a file to read.
const READS: [&str; 2] = ["fs::read", "File::open"];

/// Checks the code below `folder` against `places`: which of `words` may occur in which file or folder. A place that
/// does not use what it may is a failure too: whatever it uses instead would not be looked for.
fn is_said_only_in(folder: &str, words: &[&str], places: &[(&str, &[&str])]) {
    let mut used = Vec::new();
    for (path, text) in sources(folder) {
        let path = path.strip_prefix(repository().join(folder)).unwrap().to_owned();
        for word in words.iter().filter(|word| code(&text).any(|line| line.contains(**word))) {
            let place = places.iter().find(|(place, words)| path.starts_with(place) && words.contains(word));
            assert!(place.is_some(), "{folder}/{} uses {word}", path.display());
            used.extend(place.map(|(place, _)| (*place, *word)));
        }
    }
    for (place, words) in places {
        for word in *words {
            assert!(used.contains(&(place, word)), "{folder}/{place} no longer uses {word}");
        }
    }
}

#[test]
fn one_folder_writes_dist_and_one_reads_it() {
    let publisher =
        &["create_new", "hard_link", "OpenOptions", "fs::copy", "fs::create_dir", "fs::remove", "fs::rename"];
    is_said_only_in(
        "generator/src",
        &WRITES,
        &[
            ("publish", publisher),
            // Opens files for anybody who has the folder; only the publisher calls functions that create one.
            ("folder.rs", &["create_new", "openat", "OpenOptions"]),
            // Creates entries in `content/`, and knows no other folder.
            ("scaffold.rs", &["create_new", "File::create", "fs::create_dir", "fs::remove"]),
        ],
    );
    is_said_only_in(
        "sidecar/src",
        &[WRITES.as_slice(), &READS].concat(),
        &[
            ("dist", &["OpenOptions", "fs::read"]),
            // Copies of the store.
            (
                "operator",
                &["File::options", "create_new", "fs::remove", "fs::rename", "hard_link", "private_files::options"],
            ),
        ],
    );
    // What the libraries read and write: settings, certificates and trust lists; messages; the secret and the store.
    for (crate_name, places) in [
        ("clock", &[][..]),
        ("forms", &[]),
        ("mcp", &[]),
        ("settings", &[("lib.rs", &["fs::read"][..])]),
        ("private_files", &[("lib.rs", &["DirBuilder", "OpenOptions", "create_new"])]),
        ("mail", &[("outbox.rs", &["OpenOptions", "fs::read", "fs::remove", "fs::rename", "private_files::options"])]),
        (
            "registration",
            &[
                ("domain/secret", &["File::open", "create_new", "fs::remove", "hard_link"]),
                ("store", &["File::options", "create_new", "set_permissions"]),
            ],
        ),
    ] {
        is_said_only_in(&format!("crates/{crate_name}/src"), &[WRITES.as_slice(), &READS].concat(), places);
    }
    // The module that reads the build opens its files for nothing else.
    for (path, text) in sources("sidecar/src/dist") {
        for word in [".write(true)", ".append(true)", ".truncate(true)", ".create(true)", ".write_all("] {
            assert!(!code(&text).any(|line| line.contains(word)), "{} uses {word}", path.display());
        }
    }
}

#[test]
fn rendering_reads_no_clock_no_randomness_and_no_environment() {
    for (path, text) in sources("generator/src/render") {
        for word in ["SystemTime", "Instant", "Timestamp", "rand::", "env::", "thread::current"] {
            assert!(!code(&text).any(|line| line.contains(word)), "{} uses {word}", path.display());
        }
    }
}

#[test]
fn randomness_comes_from_three_places() {
    let sources = ["SysRng", "RandomState::new", "rand::rng", "rand::random", "getrandom"];
    // Secrets, and anything else that a caller is given; the start of the request names.
    is_said_only_in("crates/registration/src", &sources, &[("domain/secret/entropy.rs", &["SysRng"])]);
    is_said_only_in("sidecar/src", &sources, &[("edge/request_id.rs", &["RandomState::new"])]);
    // Pauses between attempts.
    is_said_only_in("cli/src", &sources, &[("main.rs", &["RandomState::new"])]);
    for folder in SOURCES[..9].iter().chain(&["generator/src"]).filter(|folder| !folder.contains("registration")) {
        is_said_only_in(folder, &sources, &[]);
    }
}

#[test]
fn registrations_change_in_one_place_and_lapse_in_another() {
    is_said_only_in(
        "crates/registration/src",
        &["UPDATE registration", "INTO registration", "DELETE FROM registration"],
        &[
            ("store/registrations.rs", &["UPDATE registration", "INTO registration"]),
            // What has expired is reported once, and what is over is removed.
            ("store/sweep.rs", &["UPDATE registration", "DELETE FROM registration"]),
            ("store/dossier.rs", &["DELETE FROM registration"]),
        ],
    );
}

#[test]
fn the_sidecar_names_no_page_no_slug_and_no_firm() {
    let words =
        ["practice-areas", "practice_areas", "publications", "\"team\"", "/about", "yalicam", "Yalıçam", "attorney"];
    // In quotation marks or as a part of a path: otherwise most are ordinary words.
    let slugs = slugs_of_the_demonstration();
    assert!(slugs.len() > 80 && slugs.contains(&"iletisim".to_owned()), "the slugs were not found");
    for (path, text) in LIBRARIES_OF_THE_SIDECAR.iter().chain(&["sidecar/src"]).flat_map(|folder| sources(folder)) {
        for word in words {
            assert!(!code(&text).any(|line| line.contains(word)), "{} says {word}", path.display());
        }
        for slug in &slugs {
            let (quoted, in_path) = (format!("\"{slug}\""), format!("/{slug}"));
            let names_it = code(&text).any(|line| line.contains(&quoted) || line.contains(&in_path));
            assert!(!names_it, "{} names the page {slug}", path.display());
        }
    }
}

/// Returns the last parts of the demonstration firm's paths, in both languages.
fn slugs_of_the_demonstration() -> Vec<String> {
    let files = files_below(&repository().join("content"));
    let texts = files.iter().filter(|(name, _)| name.ends_with(".md")).map(|(_, bytes)| str::from_utf8(bytes).unwrap());
    texts.filter_map(|text| Some(text.lines().find_map(|line| line.strip_prefix("slug: "))?.to_owned())).collect()
}

#[test]
fn no_anchor_of_a_template_can_be_that_of_a_heading() {
    let files = files_below(&repository().join("templates"));
    // In notations that nobody else writes.
    let pages = files.iter().filter(|(name, _)| name.ends_with(".html") && !name.starts_with("forms/"));
    let texts: Vec<_> = pages.map(|(name, bytes)| (name, str::from_utf8(bytes).unwrap())).collect();
    let ids: Vec<_> =
        texts.iter().flat_map(|(name, text)| text.split(" id=\"").skip(1).map(move |id| (name, id))).collect();
    assert!(ids.len() > 10, "the templates were not found");
    for (name, id) in ids {
        assert!(id.starts_with('_'), "{name} has an anchor without `_`: {id:.40}");
    }
}

#[test]
fn the_http_library_is_named_at_the_edge_only() {
    for (path, text) in LIBRARIES_OF_THE_SIDECAR.iter().chain(&["sidecar/src"]).flat_map(|folder| sources(folder)) {
        let is_edge = path.components().any(|part| part.as_os_str() == "edge");
        let names = ["use actix", "actix_web::", "actix_http::", "actix_service::"];
        let names_it = code(&text).any(|line| names.iter().any(|name| line.contains(name)));
        assert!(is_edge || !names_it, "{} names the HTTP library", path.display());
    }
}

/// Returns the names and values of the string constants in a file of the contract.
fn string_constants(path: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(repository().join(path)).unwrap();
    let constants = text.lines().filter_map(|line| {
        let (name, value) = line.strip_prefix("pub const ")?.split_once(": &str = \"")?;
        Some((name.to_owned(), value.trim_end_matches("\";").to_owned()))
    });
    constants.collect()
}

/// Returns the string literals of `contract::routes` that are paths.
fn route_literals() -> Vec<(String, String)> {
    string_constants("crates/contract/src/routes.rs")
}

#[test]
fn a_path_is_a_literal_once() {
    let literals = route_literals();
    assert!(literals.len() > 25, "the routes were not found");
    for folder in LIBRARIES_OF_THE_SIDECAR.iter().chain(&["generator/src", "sidecar/src", "cli/src"]) {
        for (path, text) in sources(folder) {
            for (name, literal) in &literals {
                let quoted = format!("\"{literal}\"");
                let repeats = code(&text).any(|line| line.contains(&quoted));
                assert!(!repeats, "{} writes {quoted} instead of routes::{name}", path.display());
            }
        }
    }
}

#[test]
fn a_header_name_a_scope_an_error_code_and_a_field_of_a_request_are_a_literal_once() {
    let fields = string_constants("crates/contract/src/agent_requests.rs");
    let header_names = string_constants("crates/contract/src/headers.rs");
    let header_names = header_names.iter().map(|(_, value)| value.as_str());
    // Lists of names for CORS are field values. A name in other letter case is still the same name.
    let header_names = header_names.filter(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase()));
    // Some codes are ordinary words too: `openid`, `expired`. Only those that nobody else would write are looked for.
    let scopes = Scope::ALL.map(Scope::as_str).into_iter().filter(|scope| scope.contains('.'));
    let agents = AgentErrorCode::ALL.iter().map(|code| code.as_str()).filter(|code| code.contains('_'));
    let codes =
        ErrorCode::ALL.map(ErrorCode::as_str).into_iter().chain(EventErrorCode::ALL.map(EventErrorCode::as_str));
    let fields = fields.iter().map(|(_, name)| name.as_str()).filter(|name| name.contains('_'));
    let words: Vec<&str> = header_names.chain(scopes).chain(codes).chain(agents).chain(fields).collect();
    assert!(words.len() > 60, "the names were not found");
    for folder in LIBRARIES_OF_THE_SIDECAR.iter().chain(&["generator/src", "sidecar/src", "cli/src"]) {
        for (path, text) in sources(folder) {
            for word in &words {
                let quoted = format!("\"{word}\"");
                let repeats = code(&text).any(|line| line.to_ascii_lowercase().contains(&quoted));
                assert!(!repeats, "{} writes {quoted}, which `contract` names", path.display());
            }
        }
    }
}

#[test]
fn every_route_has_a_test_that_names_it() {
    let mut suite = String::new();
    let mut files = Vec::new();
    collect(&repository().join("tests/suite"), &mut files);
    for (path, text) in files {
        if !path.ends_with("architecture.rs") {
            suite.push_str(&text);
        }
    }
    for (name, literal) in route_literals() {
        // The whole constant: a test of `/mcp/server-card` does not count for `/mcp`.
        let constant = format!("routes::{name}");
        let by_constant = suite.match_indices(&constant).any(|(at, _)| {
            !suite[at + constant.len()..].starts_with(|next: char| next == '_' || next.is_alphanumeric())
        });
        let named = by_constant || ['"', '?'].iter().any(|end| suite.contains(&format!("\"{literal}{end}")));
        assert!(named, "no test names routes::{name}, {literal}");
    }
}

#[test]
fn no_source_file_is_a_wall() {
    for folder in SOURCES {
        for (path, text) in sources(folder) {
            let lines = text.lines().count();
            assert!(lines <= 450, "{} has {lines} lines: look for the second noun in it", path.display());
        }
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    for folder in SOURCES {
        for (path, text) in sources(folder) {
            assert!(text.starts_with("//!"), "{} has no module documentation", path.display());
        }
    }
}

#[test]
fn every_threat_is_attacked_by_tests_that_exist() {
    let text = fs::read_to_string(repository().join("docs/threats.md")).unwrap();
    let threats: Vec<_> = text.split("\n## ").skip(1).collect();
    assert_eq!(threats.len(), 29, "a heading for each threat");
    for threat in threats {
        let (threat, attacks) = threat.split_once('\n').unwrap();
        let mut found = 0;
        for file in attacks.split("\n- ").skip(1) {
            // The path of the file, and the names of its tests.
            let mut words = file.split('`').skip(1).step_by(2);
            let path = words.next().unwrap_or_else(|| panic!("{threat}: no path in {file}"));
            let source = fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
            for name in words {
                assert!(source.contains(&format!("fn {name}(")), "{threat}: there is no {name} in {path}");
                found += 1;
            }
        }
        assert!(found > 0, "{threat} is not attacked");
    }
}

#[test]
fn decisions_ascend_within_a_section_and_have_anchors() {
    let text = fs::read_to_string(repository().join("docs/decisions.md")).unwrap();
    let mut known = BTreeSet::new();
    for section in text.split("\n## ").skip(1) {
        let mut last = 0;
        for line in section.lines().filter(|line| line.starts_with("**") || line.starts_with("<a id=")) {
            let number = line.split_once("**").and_then(|(_, rest)| rest.split_once(". ")?.0.parse::<u32>().ok());
            let number = number.unwrap_or_else(|| panic!("no number in {line}"));
            assert!(
                line.starts_with(&format!("<a id=\"d{number}\"></a>**{number}. ")),
                "{number} has no anchor of its own"
            );
            assert!(number > last, "{number} stands behind {last}");
            assert!(known.insert(number), "{number} is there twice");
            last = number;
        }
    }
    assert!(known.len() > 25, "the decisions were not found");
}
