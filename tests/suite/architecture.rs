//! The invariants of `ARCHITECTURE.md` that neither the compiler nor `clippy.toml` nor `deny.toml` proves.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use contract::{
    errors::{AgentErrorCode, ErrorCode, EventErrorCode},
    scopes::Scope,
};
use tests::{files_below, repository};

/// Modules that exist for tests only.
const TEST_MODULES: [&str; 4] = ["tests", "testing", "drills", "plans"];
/// Packages that exist for tests only.
pub(crate) const TEST_PACKAGES: [&str; 3] = ["tests", "cluster", "journal"];
/// The packages of the serving side, except `contract`.
const SERVING: [&str; 14] = [
    "sidecar",
    "clock",
    "connection",
    "dev_provider",
    "forms",
    "mail",
    "mcp",
    "metrics",
    "private_files",
    "providers",
    "registration",
    "secrets",
    "settings",
    "usage",
];

/// What the building side is made of, beside the contract.
const BUILDING: [&str; 14] = [
    "generator",
    "answers",
    "citations",
    "content",
    "findings",
    "hosts",
    "import",
    "markdown",
    "pdf",
    "pictures",
    "publish",
    "render",
    "search",
    "site",
];

/// A package of the workspace, from `cargo metadata`.
struct Package {
    name: String,
    folder: PathBuf,
    /// Its dependencies in the workspace, without dev-dependencies.
    ours: BTreeSet<String>,
    /// Its other dependencies.
    others: BTreeSet<String>,
}

fn packages() -> Vec<Package> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(repository());
    let output = command.output().unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter().map(|package| {
        let dependencies = package["dependencies"].as_array().unwrap().iter().filter(|it| it["kind"] != "dev");
        let (ours, others): (Vec<_>, Vec<_>) = dependencies.partition(|it| it["path"].is_string());
        let names = |them: Vec<&serde_json::Value>| them.into_iter().map(crate_name).collect();
        Package {
            name: crate_name(package),
            folder: Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap().into(),
            ours: names(ours),
            others: names(others),
        }
    });
    packages.collect()
}

/// Returns the name of a crate in code; in registries ours have the prefix `mecelle-`.
fn crate_name(package: &serde_json::Value) -> String {
    let name = package["name"].as_str().unwrap();
    name.strip_prefix("mecelle-").map_or_else(|| name.to_owned(), |own| own.replace('-', "_"))
}

/// Returns the paths and texts of the Rust sources of the packages that `is_meant`, without test modules.
pub(crate) fn sources(is_meant: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let is_for_tests = |path: &str| path.split(['/', '.']).any(|part| TEST_MODULES.contains(&part));
    let mut sources = Vec::new();
    for package in packages().iter().filter(|package| is_meant(&package.name)) {
        let folder = package.folder.join("src");
        let prefix = folder.strip_prefix(repository()).unwrap().display().to_string();
        for (path, bytes) in files_below(&folder) {
            if path.ends_with(".rs") && !is_for_tests(&path) {
                sources.push((format!("{prefix}/{path}"), String::from_utf8(bytes).unwrap()));
            }
        }
    }
    assert!(!sources.is_empty(), "no source was found");
    sources
}

/// Returns a source up to its unit tests, without comments.
fn code(text: &str) -> String {
    let lines = text.split("\nmod tests {").next().unwrap().lines();
    lines.filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Names of types that a library's custom repeats: clap, `std::error` and aliases of `Result`.
const CUSTOMARY_TYPES: [&str; 4] = ["Arguments", "Command", "Error", "Result"];

#[test]
fn type_names_are_unique_in_the_workspace() {
    let mut places: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, text) in sources(|package| !TEST_PACKAGES.contains(&package)) {
        for name in code(&text).lines().filter_map(declared_type) {
            places.entry(name.to_owned()).or_default().insert(path.clone());
        }
    }
    assert!(places.len() > 500, "the types were not found");
    places.retain(|name, places| places.len() > 1 && !CUSTOMARY_TYPES.contains(&name.as_str()));
    assert!(places.is_empty(), "each type has its own name (STYLE.md): {places:#?}");
}

/// Returns the name of the type that a line declares, unless the type is local to a function or a trait.
fn declared_type(line: &str) -> Option<&str> {
    let line = match line.strip_prefix("pub") {
        Some(rest) => rest.strip_prefix(' ').or_else(|| rest.split_once(") ").map(|(_, rest)| rest))?,
        None => line,
    };
    let (keyword, rest) = line.split_once(' ')?;
    let is_type = ["struct", "enum", "trait", "type", "union"].contains(&keyword);
    rest.split(|letter: char| !letter.is_alphanumeric()).next().filter(|_| is_type)
}

#[test]
fn crates_depend_on_each_other_as_the_picture_shows() {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    let (_, crates) = text.split_once("\n## Crates\n").expect("a section on crates");
    let picture = crates.split("```").nth(1).expect("a picture of the crates");
    let mut drawn = BTreeSet::new();
    for (from, to) in picture.lines().filter_map(|line| line.split_once("-->")) {
        // `a --> b & c`
        drawn.extend(to.split('&').map(|to| (from.trim().to_owned(), to.trim().to_owned())));
    }
    let shipped = packages().into_iter().filter(|package| !TEST_PACKAGES.contains(&package.name.as_str()));
    let real = shipped.flat_map(|package| package.ours.into_iter().map(move |to| (package.name.clone(), to)));
    // Test features depend on test packages.
    let real = real.filter(|(_, to)| !TEST_PACKAGES.contains(&to.as_str()));
    assert_eq!(drawn, real.collect(), "left: the picture, right: the packages");
}

#[test]
fn no_library_depends_on_a_program() {
    for package in packages().iter().filter(|package| package.name != "tests") {
        for program in ["generator", "sidecar", "cli"] {
            assert!(!package.ours.contains(program), "{} depends on {program}", package.name);
        }
    }
}

#[test]
fn contract_and_search_depend_on_little() {
    let known = BTreeMap::from([
        ("contract", &["schemars", "serde", "serde_json"][..]),
        ("search", &["bytes", "foldhash", "icu_normalizer"]),
    ]);
    for package in packages() {
        if let Some(known) = known.get(package.name.as_str()) {
            let others: Vec<&str> = package.others.iter().map(String::as_str).collect();
            assert_eq!(others, *known, "{}", package.name);
        }
    }
}

/// Asserts that `words` occur in the code of `packages` only in files or folders of `places`.
fn assert_used_only_in(packages: &[&str], words: &[&str], places: &[&str]) {
    for (path, text) in sources(|name| packages.contains(&name)) {
        let is_place = places.iter().any(|place| path.contains(place));
        let code = code(&text);
        let word = words.iter().find(|word| code.contains(**word));
        assert!(is_place || word.is_none(), "{path} uses {}", word.unwrap_or(&""));
    }
}

#[test]
fn http_library_is_named_in_one_folder_only() {
    let names = ["use actix", "actix_web::", "actix_http::", "actix_service::"];
    assert_used_only_in(&["sidecar"], &names, &["sidecar/src/http/"]);
}

#[test]
fn registrations_change_in_the_store_only() {
    let statements = ["UPDATE registration", "INTO registration", "DELETE FROM registration"];
    assert_used_only_in(&SERVING, &statements, &["/src/store/"]);
}

#[test]
fn randomness_comes_from_few_places() {
    let sources = ["SysRng", "RandomState::new", "rand::rng", "rand::random", "getrandom"];
    // Secrets and identifiers; the prefix of request identifiers.
    assert_used_only_in(&SERVING, &sources, &["crates/secrets/src/entropy.rs", "/request_id.rs"]);
    // Pauses between retries.
    assert_used_only_in(&["cli"], &sources, &["cli/src/main.rs"]);
    assert_used_only_in(&BUILDING, &sources, &[]);
}

#[test]
fn log_filter_names_every_crate_that_logs() {
    let text = fs::read_to_string(repository().join("sidecar/src/log.rs")).unwrap();
    let (_, targets) = text.split_once(".with_targets([").expect("the targets");
    let (targets, _) = targets.split_once(']').unwrap();
    for package in packages().iter().filter(|package| SERVING.contains(&package.name.as_str())) {
        let (name, logs) = (&package.name, package.others.contains("tracing"));
        assert_eq!(targets.contains(&format!("\"{name}\"")), logs, "{name}: whether it logs");
    }
}

#[test]
fn sidecar_contains_no_page_slug_or_firm() {
    let words =
        ["practice-areas", "practice_areas", "publications", "\"team\"", "/about", "yalicam", "Yalıçam", "attorney"];
    // Search slugs in quotation marks or paths only: most are ordinary words.
    let slugs = slugs_of_the_demonstration();
    assert!(slugs.len() > 80 && slugs.contains(&"iletisim".to_owned()), "the slugs were not found");
    for (path, text) in sources(|name| SERVING.contains(&name)) {
        let code = code(&text);
        for word in words {
            assert!(!code.contains(word), "{path} contains {word}");
        }
        for slug in &slugs {
            let names_it = code.contains(&format!("\"{slug}\"")) || code.contains(&format!("/{slug}"));
            assert!(!names_it, "{path} names the page {slug}");
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
fn anchors_of_templates_begin_with_an_underscore() {
    let files = files_below(&repository().join("templates"));
    // Pages only, not forms.
    let pages = files.iter().filter(|(name, _)| name.ends_with(".html") && !name.starts_with("forms/"));
    let texts: Vec<_> = pages.map(|(name, bytes)| (name, str::from_utf8(bytes).unwrap())).collect();
    let ids: Vec<_> =
        texts.iter().flat_map(|(name, text)| text.split(" id=\"").skip(1).map(move |id| (name, id))).collect();
    assert!(ids.len() > 10, "the templates were not found");
    for (name, id) in ids {
        assert!(id.starts_with('_'), "{name} has an anchor without `_`: {id:.40}");
    }
}

/// Returns the names and values of the string constants in a module of the contract.
fn string_constants(module: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(repository().join("crates/contract/src").join(module)).unwrap();
    let constants = text.lines().filter_map(|line| {
        let (name, value) = line.strip_prefix("pub const ")?.split_once(": &str = \"")?;
        Some((name.to_owned(), value.trim_end_matches("\";").to_owned()))
    });
    constants.collect()
}

#[test]
fn literals_of_the_contract_occur_once() {
    let routes = string_constants("routes.rs");
    assert!(routes.len() > 25, "the routes were not found");
    let fields = string_constants("agent_requests.rs");
    let header_names = string_constants("headers.rs");
    let header_names = header_names.iter().map(|(_, value)| value.as_str());
    // Skip the lists of names for CORS, which are field values. Names are compared without letter case.
    let header_names = header_names.filter(|name| name.starts_with(|letter: char| letter.is_ascii_lowercase()));
    // Skip codes that are ordinary words: `openid`, `expired`.
    let scopes = Scope::ALL.map(Scope::as_str).into_iter().filter(|scope| scope.contains('.'));
    let agents = AgentErrorCode::ALL.iter().map(|code| code.as_str()).filter(|code| code.contains('_'));
    let codes =
        ErrorCode::ALL.map(ErrorCode::as_str).into_iter().chain(EventErrorCode::ALL.map(EventErrorCode::as_str));
    let fields = fields.iter().map(|(_, name)| name.as_str()).filter(|name| name.contains('_'));
    let words: Vec<&str> = header_names.chain(scopes).chain(codes).chain(agents).chain(fields).collect();
    assert!(words.len() > 60, "the names were not found");
    let mut quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
    quoted.extend(routes.iter().map(|(_, path)| format!("\"{path}\"")));
    for (path, text) in sources(|name| name != "contract" && !TEST_PACKAGES.contains(&name)) {
        let code = code(&text).to_ascii_lowercase();
        for word in &quoted {
            assert!(!code.contains(word.as_str()), "{path} writes {word}, which `contract` names");
        }
    }
}

#[test]
fn every_route_has_a_test_that_names_it() {
    let files = files_below(&repository().join("tests/suite"));
    let files = files.iter().filter(|(name, _)| *name != "architecture.rs");
    let suite: String = files.map(|(_, bytes)| str::from_utf8(bytes).unwrap()).collect();
    for (name, path) in string_constants("routes.rs") {
        // The whole constant: a test of `/mcp/server-card` does not count for `/mcp`.
        let constant = format!("routes::{name}");
        let by_constant = suite.match_indices(&constant).any(|(at, _)| {
            !suite[at + constant.len()..].starts_with(|next: char| next == '_' || next.is_alphanumeric())
        });
        let named = by_constant || ['"', '?'].iter().any(|end| suite.contains(&format!("\"{path}{end}")));
        assert!(named, "no test names routes::{name}, {path}");
    }
}

#[test]
fn no_crate_has_more_than_10000_lines() {
    let mut lines: BTreeMap<String, usize> = BTreeMap::new();
    for (path, text) in sources(|package| !TEST_PACKAGES.contains(&package)) {
        let (package, _) = path.split_once("/src/").expect("sources are below src");
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        *lines.entry(package.to_owned()).or_default() += code.lines().count();
    }
    assert!(lines.len() > 20, "the crates were not found: {lines:?}");
    lines.retain(|_, lines| *lines > 10_000);
    assert!(lines.is_empty(), "split these crates: {lines:?}");
}

#[test]
fn source_files_are_short_and_have_module_documentation() {
    for (path, text) in sources(|_| true) {
        let lines = text.lines().count();
        assert!(lines <= 800, "{path} has {lines} lines: split it by what it is about");
        assert!(text.starts_with("//!"), "{path} has no module documentation");
    }
}

/// Returns the lines directly above the function `name` in `source`: its attributes and its documentation.
fn above_function<'a>(source: &'a str, name: &str) -> Option<Vec<&'a str>> {
    let (before, _) = source.split_once(&format!("fn {name}("))?;
    let mut lines: Vec<&str> = before.lines().map(str::trim).collect();
    // Drop the part of the line before `fn`, such as `async`.
    if !before.ends_with('\n') {
        lines.pop();
    }
    let is_of_it = |line: &&&str| !line.is_empty() && !line.ends_with(['{', '}', ';']);
    Some(lines.iter().rev().take_while(is_of_it).copied().collect())
}

/// The attribute of tests that only long runs include.
const LONG: &str = "#[ignore = \"make test-long\"]";

#[test]
fn ignored_tests_are_of_long_runs_and_none_is_in_the_suite() {
    let mut count = 0;
    for package in packages() {
        let folders = ["src", "tests", "suite", "sidecar", "drills"].map(|name| package.folder.join(name));
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            let files = files_below(folder).into_iter().filter(|(path, _)| path.ends_with(".rs"));
            for (path, bytes) in files.filter(|(path, _)| path != "architecture.rs") {
                let text = String::from_utf8(bytes).unwrap();
                let left_out = text.lines().filter(|line| line.trim().starts_with("#[ignore")).collect::<Vec<_>>();
                assert!(left_out.iter().all(|line| line.trim() == LONG), "{path}: {left_out:?}");
                assert!(left_out.is_empty() || !folder.ends_with("suite"), "{path}: sections of the specification");
                count += left_out.len();
            }
        }
    }
    assert!(count > 0, "`{LONG}` was not found");
}

#[test]
fn every_threat_is_attacked_by_tests_that_run() {
    let text = fs::read_to_string(repository().join("docs/threats.md")).unwrap();
    let threats: Vec<_> = text.split("\n## ").skip(1).collect();
    assert_eq!(threats.len(), 37, "a heading for each threat");
    for threat in threats {
        let (threat, attacks) = threat.split_once('\n').unwrap();
        let mut found = 0;
        for file in attacks.split("\n- ").skip(1) {
            // The path of the file, then the names of its tests.
            let mut words = file.split('`').skip(1).step_by(2);
            let path = words.next().unwrap_or_else(|| panic!("{threat}: no path in {file}"));
            let source = fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
            for name in words {
                let above = above_function(&source, name);
                let above = above.unwrap_or_else(|| panic!("{threat}: there is no {name} in {path}"));
                let is_test = above.iter().any(|line| *line == "#[test]" || line.starts_with("#[tokio::test"));
                assert!(is_test, "{threat}: {name} in {path} is no test: {above:?}");
                let is_left_out = above.iter().any(|line| line.starts_with("#[ignore"));
                assert!(!is_left_out, "{threat}: only a long run has {name} in {path}");
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

/// Returns the headings of the specification, those of the second level also with the first (`Endpoints: MCP`).
fn sections_of_the_specification() -> BTreeSet<String> {
    let text = fs::read_to_string(repository().join("docs/specification.md")).unwrap();
    let (mut sections, mut above) = (BTreeSet::new(), "");
    for line in text.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            above = heading;
            sections.insert(heading.to_owned());
        } else if let Some(heading) = line.strip_prefix("### ") {
            sections.extend([heading.to_owned(), format!("{above}: {heading}")]);
        }
    }
    sections
}

/// Returns the sections of the specification that comments cite: `(specification, "Limits" and "Errors")`.
fn cited_sections(text: &str) -> Vec<String> {
    let lines = text.lines().filter_map(|line| line.trim_start().strip_prefix("//"));
    let comments = lines.map(|line| line.trim_matches(['/', '!', ' '])).collect::<Vec<_>>().join(" ");
    let mut names = Vec::new();
    for mut rest in comments.split("pecification, \"").skip(1) {
        while let Some((name, after)) = rest.split_once('"') {
            names.push(name.to_owned());
            let Some(next) = after.strip_prefix(" and \"") else { break };
            rest = next;
        }
    }
    names
}

#[test]
fn sections_of_the_specification_that_comments_cite_exist() {
    let sections = sections_of_the_specification();
    let mut count = 0;
    for package in packages() {
        let folders = ["src", "tests", "suite", "sidecar", "drills"].map(|name| package.folder.join(name));
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            for (path, bytes) in files_below(folder).into_iter().filter(|(path, _)| path.ends_with(".rs")) {
                for name in cited_sections(&String::from_utf8(bytes).unwrap()) {
                    assert!(sections.contains(&name), "{}: {name:?} is no section", folder.join(path).display());
                    count += 1;
                }
            }
        }
    }
    assert!(count > 20, "{count} citations were found");
}

#[test]
fn suite_has_the_files_and_sections_of_its_table() {
    let folder = repository().join("tests/suite");
    let text = fs::read_to_string(folder.join("main.rs")).unwrap();
    let rows: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("//! | ")?.strip_suffix("` |")).collect();
    assert!(rows.len() > 10, "{rows:?}");
    let sections = sections_of_the_specification();
    for row in rows {
        let (names, file) = row.split_once(" | `").unwrap();
        for name in names.split("; ") {
            assert!(sections.contains(name), "{name:?} is no section");
        }
        assert!(folder.join(file).with_extension("rs").is_file(), "{file}");
    }
}
