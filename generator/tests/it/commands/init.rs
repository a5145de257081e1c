//! `generator init`: a new folder for a firm.

use std::{fs, path::Path, process::Output};

use tempfile::TempDir;
use walkdir::WalkDir;

use super::{run, text};

const NAME_EN: &str = "Çınar \"Ilgın\" & Partners";
const NAME_TR: &str = "Çınar \"Ilgın\" & Ortakları Avukatlık Bürosu";

fn init(folder: &Path, site_url: &str, name_en: &str) -> Output {
    let folder = folder.to_str().unwrap();
    run(&["init", folder, "--name-en", name_en, "--name-tr", NAME_TR, "--site-url", site_url])
}

fn build(folder: &Path, site_url: &str) -> Output {
    let [content, out] = ["content", "dist"].map(|name| folder.join(name).display().to_string());
    run(&["build", "--content", &content, "--out", &out, "--site-url", site_url, "--compression", "none"])
}

/// Returns the names in a folder, including hidden ones.
fn names(folder: &Path) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn new_folder_builds_at_once_without_words_of_the_demonstration() {
    let beside = TempDir::new().unwrap();
    let firm = beside.path().join("çınar");
    let made = init(&firm, "https://cinar.example", NAME_EN);
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert_eq!(names(beside.path()), ["çınar"], "nothing is left of the making");
    for hidden in [".gitattributes", ".gitignore", ".editorconfig"] {
        assert!(firm.join(hidden).is_file(), "{hidden}");
    }
    let checked = run(&["check", "--content", firm.join("content").to_str().unwrap(), "--format", "json"]);
    assert!(checked.status.success(), "{}", text(&checked.stdout));
    let found = text(&checked.stdout);
    let mut codes: Vec<&str> = found.split("\"code\":\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    codes.dedup();
    assert_eq!(codes, ["W0320"], "every finding is a text to be filled in: {found}");
    let built = build(&firm, "https://cinar.example");
    assert!(built.status.success(), "{}", text(&built.stderr));
    let home = fs::read_to_string(firm.join("dist/tr.html")).unwrap();
    assert!(home.contains("Çınar &quot;Ilgın&quot; &amp; Ortakları"), "{home}");
}

#[test]
fn public_build_reports_each_file_with_placeholders_once() {
    let beside = TempDir::new().unwrap();
    let firm = beside.path().join("cinar");
    assert!(init(&firm, "https://cinar.av.tr", NAME_EN).status.success());
    let local = build(&firm, "http://127.0.0.1:8080");
    assert!(local.status.success(), "{}", text(&local.stderr));
    let refused = build(&firm, "https://cinar.av.tr");
    assert!(!refused.status.success());
    let stderr = text(&refused.stderr);
    let content = firm.join("content");
    let marked = WalkDir::new(content).into_iter().filter(|file| {
        let text = fs::read_to_string(file.as_ref().unwrap().path()).unwrap_or_default();
        text.contains("[FILL IN:") || text.contains("[TAMAMLAYIN:")
    });
    assert!(stderr.contains("error[E0327]") && stderr.contains(&format!("{} errors in", marked.count())), "{stderr}");
}

#[test]
fn bad_input_is_reported_and_leaves_nothing_behind() {
    let beside = TempDir::new().unwrap();
    let firm = beside.path().join("cinar");
    for (url, name, message) in [
        ("cinar.example", NAME_EN, "--site-url: expected"),
        ("https://cinar.example/site", NAME_EN, "--site-url: expected"),
        ("https://cinar.example", " ", "--name-en: a name is needed"),
        ("https://cinar.example", "Two\nlines", "--name-en: a name is one line of text"),
        ("https://cinar.example", &"long ".repeat(40), "--name-en: the header of a page has room for 80 characters"),
    ] {
        let refused = init(&firm, url, name);
        let stderr = text(&refused.stderr);
        assert!(!refused.status.success() && stderr.contains(message), "{url}, {name}: {stderr}");
        assert_eq!(names(beside.path()), [""; 0], "{url}, {name}");
    }
}

#[test]
fn invalid_value_is_reported_without_the_placeholders() {
    let beside = TempDir::new().unwrap();
    let refused = init(&beside.path().join("cinar"), "https://cinar.example", "**Çınar**");
    let stderr = text(&refused.stderr);
    assert!(!refused.status.success() && stderr.contains("error[E0135]") && !stderr.contains("warning"), "{stderr}");
    assert_eq!(names(beside.path()), [""; 0]);
}

#[test]
fn non_empty_folder_is_left_unchanged() {
    let beside = TempDir::new().unwrap();
    let firm = beside.path().join("cinar");
    fs::create_dir(&firm).unwrap();
    fs::write(firm.join("notes.txt"), "mine").unwrap();
    let refused = init(&firm, "https://cinar.example", NAME_EN);
    assert!(!refused.status.success() && text(&refused.stderr).contains("not an empty folder"));
    assert_eq!(names(&firm), ["notes.txt"]);
    let file = beside.path().join("file");
    fs::write(&file, "mine").unwrap();
    assert!(!init(&file, "https://cinar.example", NAME_EN).status.success());
    assert_eq!(fs::read_to_string(file).unwrap(), "mine");
}

#[test]
fn empty_folder_and_clone_of_an_empty_repository_are_used() {
    let beside = TempDir::new().unwrap();
    let firm = beside.path().join("cinar");
    fs::create_dir_all(firm.join(".git")).unwrap();
    assert!(init(&firm, "https://cinar.example", NAME_EN).status.success());
    assert!(firm.join(".git").is_dir() && firm.join("content/site.toml").is_file());
    let empty = TempDir::new().unwrap();
    let here = ["init", ".", "--name-en", NAME_EN, "--name-tr", NAME_TR, "--site-url", "https://cinar.example"];
    let made = super::generator().args(here).current_dir(empty.path()).output().unwrap();
    assert!(made.status.success(), "{}", text(&made.stderr));
    assert!(empty.path().join("content/site.toml").is_file());
}

#[test]
fn remains_of_an_interrupted_run_are_harmless() {
    let beside = TempDir::new().unwrap();
    let firm = beside.path().join("cinar");
    let half = beside.path().join(".init-abc/content/team");
    fs::create_dir_all(&half).unwrap();
    fs::write(half.join("en.md"), "half").unwrap();
    assert!(init(&firm, "https://cinar.example", NAME_EN).status.success());
    assert!(!firm.join("content/team/en.md").exists() && half.join("en.md").is_file());
}

#[test]
fn workflows_of_each_forge_call_the_script() {
    let beside = TempDir::new().unwrap();
    let firm = beside.path().join("cinar");
    let with = |extra: &[&str]| {
        let folder = firm.to_str().unwrap();
        let url = "https://cinar.example";
        let named = ["init", folder, "--name-en", NAME_EN, "--name-tr", NAME_TR, "--site-url", url];
        run(&[&named[..], extra].concat())
    };
    let refused = with(&["--forge", "github,gitlab", "--host", "github-pages"]);
    assert!(!refused.status.success() && text(&refused.stderr).contains("only `--forge github`"));
    assert!(text(&with(&["--host", "apach"]).stderr).contains("a similar value exists: 'apache'"));
    assert_eq!(names(beside.path()), [""; 0]);
    let made = with(&["--forge", "github,gitlab,forgejo", "--host", "netlify"]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    for workflow in [".github/workflows/site.yaml", ".gitlab-ci.yml", ".forgejo/workflows/site.yaml"] {
        let text = fs::read_to_string(firm.join(workflow)).unwrap();
        for command in ["install", "review", "comment", "due", "build", "deploy"] {
            assert!(text.contains(&format!("scripts/ci {command}")), "{workflow}: {command}");
        }
    }
    assert!(fs::read_to_string(firm.join("scripts/ci.conf")).unwrap().contains("\nhost=netlify\n"));
    assert!(fs::read_to_string(firm.join("README.md")).unwrap().contains("scripts/ci pin"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(firm.join("scripts/ci")).unwrap().permissions().mode() & 0o777, 0o755);
    }
}

#[test]
fn folders_for_all_hosts_are_written_from_a_new_build() {
    let beside = TempDir::new().unwrap();
    let [firm, out] = ["cinar", "host"].map(|name| beside.path().join(name));
    let (url, folder) = ("https://cinar.example", firm.to_str().unwrap());
    let named = ["init", folder, "--name-en", NAME_EN, "--name-tr", NAME_TR, "--site-url", url, "--host", "apache"];
    assert!(run(&named).status.success());
    let built = build(&firm, url);
    assert!(built.status.success(), "{}", text(&built.stderr));
    let (dist, out) = (firm.join("dist").display().to_string(), out.display().to_string());
    for host in ["cloudflare", "netlify", "vercel", "cloudfront", "github-pages", "nginx", "caddy", "apache"] {
        let made = run(&["host", host, "--dist", &dist, "--out", &out]);
        assert!(made.status.success(), "{host}: {}", text(&made.stderr));
    }
}

#[test]
fn folder_for_content_only_is_written_in_one_step_from_a_site_with_a_service() {
    let beside = TempDir::new().unwrap();
    let [firm, out] = ["cinar", "host"].map(|name| beside.path().join(name));
    let (url, folder) = ("https://cinar.example", firm.to_str().unwrap());
    assert!(run(&["init", folder, "--name-en", NAME_EN, "--name-tr", NAME_TR, "--site-url", url]).status.success());
    // What only the firm can know.
    let built = build(&firm, url);
    assert!(built.status.success(), "{}", text(&built.stderr));
    let (dist, content) = (firm.join("dist").display().to_string(), firm.join("content").display().to_string());
    for host in ["nginx", "github-pages"] {
        let out = out.join(host);
        let to = out.to_str().unwrap();
        let refused = run(&["host", host, "--dist", &dist, "--out", to]);
        assert!(!refused.status.success() && text(&refused.stderr).contains("`--content-only`"), "{host}");
        let made = run(&["host", host, "--content-only", "--content", &content, "--out", to]);
        let printed = text(&made.stderr);
        assert!(made.status.success() && printed.contains("left out: MCP"), "{host}: {printed}");
        let catalog = fs::read_to_string(out.join("public/.well-known/api-catalog")).unwrap();
        assert!(!catalog.contains("/mcp") && !out.join("public/.well-known/mcp").exists(), "{catalog}");
    }
    assert!(!run(&["host", "nginx", "--content-only", "--sidecar", url, "--out", "x"]).status.success());
}

#[test]
fn site_for_content_only_is_started_without_a_service() {
    let beside = TempDir::new().unwrap();
    let firm = beside.path().join("cinar");
    let url = "https://cinar.example";
    let named = ["--name-en", NAME_EN, "--name-tr", NAME_TR, "--site-url", url, "--content-only"];
    assert!(run(&[&["init", firm.to_str().unwrap()], &named[..]].concat()).status.success());
    let settings = fs::read_to_string(firm.join("content/site.toml")).unwrap();
    assert!(settings.contains("service = false") && settings.contains("identity_types = []"), "{settings}");
}

#[test]
fn schemas_are_renewed_by_their_own_command() {
    let beside = TempDir::new().unwrap();
    let firm = beside.path().join("cinar");
    assert!(init(&firm, "https://cinar.example", NAME_EN).status.success());
    let schemas = firm.join(".vscode/schemas");
    let team = fs::read_to_string(schemas.join("team.json")).unwrap();
    assert_eq!(text(&run(&["schema", "team"]).stdout), team);
    fs::write(schemas.join("team.json"), "{}").unwrap();
    fs::remove_file(schemas.join("site.json")).unwrap();
    let renewed = run(&["schema", "--out", schemas.to_str().unwrap()]);
    assert!(renewed.status.success() && text(&renewed.stderr).contains("wrote 7 schemas"), "{}", text(&renewed.stderr));
    assert_eq!((fs::read_to_string(schemas.join("team.json")).unwrap(), names(&schemas).len()), (team, 7));
    let refused = text(&run(&["schema", "people"]).stderr);
    assert!(
        refused.contains("possible values") && refused.contains("practice-areas") && refused.contains("site"),
        "{refused}"
    );
    let in_the_way = firm.join("README.md");
    let refused = text(&run(&["schema", "site", "--out", in_the_way.to_str().unwrap()]).stderr);
    assert!(refused.contains("README.md cannot be written"), "{refused}");
}
