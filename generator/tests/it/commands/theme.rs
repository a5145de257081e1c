//! The built-in theme: its output, its overrides and the findings about them.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Output,
};

use tempfile::TempDir;

use super::{NOW, copy, firm, generator, text};

/// Runs the program in a firm's own folder, which has `content` and perhaps `templates`.
fn run_in(firm: &TempDir, arguments: &[&str]) -> Output {
    generator().args(arguments).current_dir(firm.path()).output().unwrap()
}

/// Runs the program, which must end with `status`, and returns its output.
fn output_of(firm: &TempDir, arguments: &[&str], status: i32) -> String {
    let output = run_in(firm, arguments);
    let printed = text(&output.stderr) + &text(&output.stdout);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {printed}");
    printed
}

const BUILD: [&str; 5] = ["build", "--compression", "none", "--now", NOW];
const CHECK: [&str; 3] = ["check", "--now", NOW];

/// Creates a firm without templates of its own.
fn firm_without_templates() -> TempDir {
    let home = tempfile::tempdir().unwrap();
    crate::folder::copy(&firm(), &home.path().join("content"));
    home
}

fn write(firm: &TempDir, file: &str, text: &str) {
    let path = firm.path().join(file);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn read(firm: &TempDir, file: &str) -> String {
    fs::read_to_string(firm.path().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

/// Returns every file of the build except the generator's own.
fn built_files(firm: &TempDir) -> BTreeMap<PathBuf, Vec<u8>> {
    output_of(firm, &BUILD, 0);
    let files = walkdir::WalkDir::new(firm.path().join("dist")).into_iter().map(Result::unwrap);
    let is_own = |name: &std::ffi::OsStr| name == ".build.json" || name == ".known.json";
    let files = files.filter(|entry| entry.file_type().is_file() && !is_own(entry.file_name()));
    files
        .map(|entry| {
            let name = entry.path().strip_prefix(firm.path()).unwrap().to_owned();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect()
}

/// Adds a table to the firm's settings.
fn with_settings(table: &str) -> TempDir {
    let firm = firm_without_templates();
    let settings = read(&firm, "content/site.toml") + "\n" + table;
    write(&firm, "content/site.toml", &settings);
    firm
}

#[test]
fn site_needs_no_templates_and_a_copy_of_all_of_them_changes_nothing() {
    let firm = firm_without_templates();
    assert!(output_of(&firm, &CHECK, 0).contains("no findings"));
    let plain = built_files(&firm);
    assert!(plain.len() > 100);
    crate::folder::copy(&super::templates(), &firm.path().join("templates"));
    assert!(output_of(&firm, &CHECK, 0).contains("no findings"));
    assert!(built_files(&firm) == plain);
}

#[test]
fn file_and_word_of_the_firm_replace_the_built_in_ones() {
    let firm = firm_without_templates();
    write(&firm, "templates/per_locale/wordmark.html", "<p>{{ t.own.motto }}</p>");
    write(&firm, "templates/strings/en.toml", "skip = \"Jump\"\n[own]\nmotto = \"Since 1987\"\n");
    write(&firm, "templates/strings/tr.toml", "[own]\nmotto = \"1987’den beri\"\n");
    assert!(output_of(&firm, &CHECK, 0).contains("no findings"));
    output_of(&firm, &BUILD, 0);
    let (english, turkish) = (read(&firm, "dist/en.html"), read(&firm, "dist/tr.html"));
    assert!(english.contains("<p>Since 1987</p>") && english.contains(">Jump</a>"));
    assert!(turkish.contains("<p>1987’den beri</p>") && !turkish.contains("Jump"));
}

#[test]
fn check_reports_every_fault_of_a_theme_in_each_format() {
    let firm = firm_without_templates();
    write(
        &firm,
        "templates/pages/team.html",
        "{% extends \"base.html\" %}\n{% block main %}{{ page.titel }}{% endblock %}\n",
    );
    write(&firm, "templates/pages/contact.html", "<h1>{{ t.contct.heading }}</h1>\n");
    write(&firm, "templates/pages/page.html", "\n<img src=\"{{ asset(name=\"icons/favicn.svg\") }}\">\n");
    write(&firm, "templates/forms/claim-denied.html", "<p>{{ form.name }}</p>");
    write(&firm, "templates/mail/revoked.txt", "Hello.");
    let expected = [
        ("E0702", "templates/pages/team.html", 2, "page.title"),
        ("E0705", "templates/pages/contact.html", 1, "contact"),
        ("E0708", "templates/pages/page.html", 2, "icons/favicon.svg"),
        ("E0707", "templates/mail/revoked.txt", 1, ""),
    ];
    let (lines, annotations, plain) =
        (output_in_format(&firm, "json"), output_in_format(&firm, "github"), output_in_format(&firm, "text"));
    for (code, file, line, _) in expected {
        let is_it = |it: &&str| it.contains(code) && it.contains(file);
        let object = lines.lines().find(is_it).unwrap_or_else(|| panic!("{code} {file}: {lines}"));
        let object: serde_json::Value = serde_json::from_str(object).unwrap();
        assert_eq!((&object["place"]["file"], &object["place"]["line"]), (&file.into(), &line.into()), "{object}");
        assert!(object["place"]["column"].as_u64().unwrap() > 0, "{object}");
        assert!(annotations.contains(&format!("::error file={file},line={line},col=")), "{annotations}");
        assert!(plain.contains(&format!("{file}:{line}:")), "{plain}");
    }
    assert!(plain.contains("did you mean `title`?") && plain.contains("did you mean `contact`?"), "{plain}");
    assert!(plain.contains("did you mean `icons/favicon.svg`?"), "{plain}");
    // A build reports the same, and publishes nothing.
    let built = output_of(&firm, &BUILD, 1);
    for (code, file, line, _) in expected {
        assert!(built.contains(&format!("error[{code}]")) && built.contains(&format!("{file}:{line}:")), "{built}");
    }
    assert!(!firm.path().join("dist/manifest.json").exists());
}

fn output_in_format(firm: &TempDir, format: &str) -> String {
    output_of(firm, &["check", "--now", NOW, "--format", format], 1)
}

#[test]
fn fault_of_a_template_hides_no_other() {
    let firm = firm_without_templates();
    let faulty = [
        "pages/page.html",
        "pages/team.md",
        "pages/person.html",
        "pages/person.md",
        "lists/team.md",
        "twin/head.md",
        "shared_parts/navigation.html",
        "per_locale/footer.html",
        "per_locale/wordmark.html",
        "agents/auth.md",
        "agents/content-skill.md",
        "forms/claim.html",
        "mail/claim.txt",
    ];
    for file in faulty {
        write(&firm, &format!("templates/{file}"), "\n{{ site.nothing }}\n");
    }
    let all = output_of(&firm, &CHECK, 1);
    for file in faulty {
        assert!(all.contains(&format!("templates/{file}:2:")), "{file}: {all}");
    }
    assert!(all.contains(&format!("{} errors", faulty.len())), "{all}");
}

#[test]
fn templates_that_cannot_be_read_are_all_found_at_once() {
    let firm = firm_without_templates();
    write(&firm, "templates/pages/team.html", "<p>\n{% if %}");
    write(&firm, "templates/pages/home.html", "{{ page.title");
    write(&firm, "templates/strings/tr.toml", "skip = \n");
    write(&firm, "templates/strings/en.toml", "skip = \"Jump\"\nskip = \"Go\"\n");
    write(&firm, "templates/assets/css/site.css", "a { background: url(nowhere.png) }");
    write(&firm, "templates/assets/notes.doc", "x");
    let all = output_of(&firm, &CHECK, 1);
    for (code, place) in [
        ("E0701", "templates/pages/team.html:2:"),
        ("E0701", "templates/pages/home.html:1:"),
        ("E0502", "templates/strings/tr.toml:1:"),
        ("E0106", "templates/strings/en.toml:1:1: first given here"),
        ("E0708", "templates/assets/css/site.css:1:"),
        ("E0709", "templates/assets/notes.doc"),
    ] {
        assert!(all.contains(&format!("error[{code}]")) && all.contains(place), "{code} {place}: {all}");
    }
    write(&firm, "templates/pages/team.html", "{% include \"partials/gone.html\" %}{{ page.title | shout }}");
    write(&firm, "templates/pages/home.html", "{% extends \"bass.html\" %}");
    let missing = output_of(&firm, &CHECK, 1);
    assert!(missing.contains("templates/pages/home.html:1:1") && missing.contains("`bass.html`"), "{missing}");
    fs::remove_file(firm.path().join("templates/pages/home.html")).unwrap();
    let missing = output_of(&firm, &CHECK, 1);
    assert!(missing.contains("Unknown template `partials/gone.html`"), "{missing}");
    assert!(
        missing.contains("Unknown filter `shout`") && missing.contains("templates/pages/team.html:1:"),
        "{missing}"
    );
}

#[test]
fn fault_in_a_built_in_file_leads_to_the_override_that_causes_it() {
    let firm = firm_without_templates();
    write(&firm, "templates/partials/items.html", "{% component other() %}{% endcomponent other %}");
    let all = output_of(&firm, &CHECK, 1);
    assert!(all.contains("error[E0703]: Unknown component `item.") && all.contains("(built-in)/pages/"), "{all}");
    assert!(all.contains("the cause is probably an override: partials/items.html"), "{all}");
    write(&firm, "templates/base.html", "<main></main>");
    fs::remove_file(firm.path().join("templates/partials/items.html")).unwrap();
    write(&firm, "templates/per_locale/footer.html", "");
    let all = output_of(&firm, &CHECK, 1);
    assert!(all.contains("Block `main` is not defined") && all.contains("(built-in)/pages/page.html:"), "{all}");
    assert!(all.contains("override: base.html\n"), "{all}");
}

#[test]
fn template_without_a_required_part_is_a_warning() {
    let firm = firm_without_templates();
    let override_with = |file: &str, old: &str, new: &str| {
        let original = fs::read_to_string(super::templates().join(file)).unwrap();
        assert!(original.contains(old), "{file} has no {old}");
        write(&firm, &format!("templates/{file}"), &original.replacen(old, new, 1));
    };
    override_with("pages/team.html", "<h1>{{ page.title }}</h1>", "<p>{{ page.title }}</p>");
    override_with("pages/person.html", "</h1>", "");
    override_with("partials/header.html", "<header", "<script>alert(1)</script>\n<header style=\"color: red\"");
    override_with("forms/frame.html", "<body", "<body onload=\"f()\"");
    override_with("mail/frame.html", "<body", "<body style=\"color: black\"");
    let all = output_of(&firm, &CHECK, 0);
    for (place, message) in [
        ("templates/pages/team.html:1:1", "the page has no `<h1>`"),
        ("templates/pages/person.html:1:1", "`<h1>` is not closed by `</h1>`"),
        ("templates/partials/header.html:1:1", "a script in a page"),
        ("templates/partials/header.html:2:1", "a `style` attribute in a page"),
        ("templates/forms/frame.html:", "`onload` is a script in a page"),
    ] {
        assert!(all.contains(place) && all.contains(message), "{place}: {all}");
    }
    assert!(all.contains("warning[W0704]") && all.contains("5 warnings in"), "{all}");
    // The base template is built in, so the override is named as the probable cause.
    let firm = firm_without_templates();
    write(&firm, "templates/pages/page.html", "<h1>{{ page.title }}</h1>\n");
    let all = output_of(&firm, &CHECK, 0);
    assert_eq!(all.matches("warning[W0704]").count(), 3, "{all}");
    output_of(&firm, &BUILD, 0);
}

#[test]
fn build_failed_by_a_template_reports_all_findings_once() {
    let firm = firm_without_templates();
    write(&firm, "templates/pages/team.html", "{{ page.nothing }}");
    let built = output_of(&firm, &BUILD, 1);
    assert!(built.contains("error[E0702]") && !built.contains("no findings"), "{built}");
    write(&firm, "content/notes.txt", "x");
    let built = output_of(&firm, &BUILD, 1);
    assert!(built.contains("error[E0702]") && built.contains("warning[W0601]"), "{built}");
    assert_eq!(built.lines().filter(|line| line.contains(" in ") && line.contains(" files")).count(), 1, "{built}");
}

#[test]
fn misspelt_name_of_an_override_is_a_warning() {
    let firm = firm_without_templates();
    write(&firm, "templates/pages/publicaton.html", "<p>{{ page.nothing }}</p>");
    write(&firm, "templates/favicon.ico", "x");
    let all = output_of(&firm, &CHECK, 0);
    assert!(all.contains("warning[W0702]") && all.contains("did you mean `pages/publication.html`?"), "{all}");
    assert!(all.contains("templates/favicon.ico") && all.contains("2 warnings in "), "{all}");
}

#[cfg(unix)]
#[test]
fn symlink_among_templates_is_an_error() {
    let firm = firm_without_templates();
    fs::create_dir_all(firm.path().join("templates/pages")).unwrap();
    std::os::unix::fs::symlink("/etc/hostname", firm.path().join("templates/pages/team.html")).unwrap();
    assert!(output_of(&firm, &CHECK, 1).contains("error[E0610]"));
}

#[test]
fn named_folder_must_exist() {
    let firm = firm_without_templates();
    let all = output_of(&firm, &[&CHECK[..], &["--templates", "theme"]].concat(), 1);
    assert!(all.contains("the folder of templates cannot be read") && all.contains("--> theme"), "{all}");
}

#[test]
fn copies_are_listed_and_compared_and_never_overwritten() {
    let firm = firm_without_templates();
    let row = |name: &str| {
        let list = output_of(&firm, &["templates", "list"], 0);
        list.lines().find(|line| line.starts_with(&format!("{name} "))).map(str::to_owned)
    };
    assert!(row("pages/team.html").unwrap().ends_with("  built in"));
    assert!(output_of(&firm, &["templates", "diff"], 0).contains("the theme is as it is built in"));
    let copied = output_of(&firm, &["templates", "copy", "pages/team.html", "mail/", "assets/fonts/inter.woff2"], 0);
    assert!(
        copied.contains("templates/pages/team.html\n") && copied.contains("templates/mail/claim.txt\n"),
        "{copied}"
    );
    let original = read(&firm, "templates/pages/team.html");
    assert_eq!(original, fs::read_to_string(super::templates().join("pages/team.html")).unwrap());
    assert!(row("pages/team.html").unwrap().ends_with("  same as built in"));
    assert_eq!(output_of(&firm, &["templates", "diff"], 0), "");

    write(&firm, "templates/pages/team.html", &original.replace("class=\"people\"", "class=\"us\""));
    assert!(row("pages/team.html").unwrap().ends_with("  overridden"));
    let difference = output_of(&firm, &["templates", "diff", "pages/team.html"], 0);
    assert!(difference.starts_with("--- built-in/pages/team.html\n+++ templates/pages/team.html\n@@ "), "{difference}");
    assert!(
        difference.contains("\n-<ul class=\"people\" role=\"list\">\n+<ul class=\"us\" role=\"list\">\n"),
        "{difference}"
    );

    let own = "{% extends \"base.html\" %}{% block main %}<h1>{{ page.title }}</h1>{% endblock %}\n";
    write(&firm, "templates/pages/page.html", own);
    assert!(row("pages/page.html").unwrap().ends_with("  overridden, original not recorded"));
    output_of(&firm, &["templates", "accept", "pages/page.html"], 0);
    assert!(row("pages/page.html").unwrap().ends_with("  overridden"));

    let refused = output_of(&firm, &["templates", "copy", "pages/home.html", "pages/team.html"], 1);
    assert!(refused.contains("nothing is copied") && refused.contains("pages/team.html"), "{refused}");
    assert!(!firm.path().join("templates/pages/home.html").exists());
    let unknown = output_of(&firm, &["templates", "copy", "pages/teem.html"], 1);
    assert!(unknown.contains("did you mean `pages/team.html`?"), "{unknown}");
    assert!(output_of(&firm, &CHECK, 0).contains("no findings"));
}

#[test]
fn copy_that_fails_leaves_nothing_behind() {
    let firm = firm_without_templates();
    output_of(&firm, &["templates", "copy", "base.html"], 0);
    let record = read(&firm, "templates/originals.toml");
    // A file stands where the last copy needs a folder.
    write(&firm, "templates/twin", "x");
    let refused = output_of(&firm, &["templates", "copy", "pages", "twin/foot.md"], 1);
    assert!(refused.contains("nothing is copied"), "{refused}");
    assert_eq!(fs::read_dir(firm.path().join("templates/pages")).unwrap().count(), 0);
    assert_eq!(read(&firm, "templates/originals.toml"), record);
    let firm = firm_without_templates();
    write(&firm, "templates", "a file");
    assert!(output_of(&firm, &["templates", "copy", "base.html"], 1).contains("this is not a folder"));
}

#[test]
fn copied_words_have_no_effect_until_uncommented() {
    let firm = firm_without_templates();
    output_of(&firm, &["templates", "copy", "strings"], 0);
    assert!(output_of(&firm, &CHECK, 0).contains("no findings"));
    let words = read(&firm, "templates/strings/tr.toml").replacen("# skip = ", "skip = ", 1);
    write(&firm, "templates/strings/tr.toml", &words.replacen("İçeriğe geç", "Metne geç", 1));
    let difference = output_of(&firm, &["templates", "diff"], 0);
    assert!(difference.contains("+skip = "), "{difference}");
}

#[test]
fn override_of_a_changed_original_is_a_warning_until_accepted() {
    let firm = firm_without_templates();
    crate::folder::copy(&second_theme(), &firm.path().join("templates"));
    let all = output_of(&firm, &BUILD, 0);
    assert!(all.contains("warning[W0701]") && all.contains(" = and 4 more, in"), "{all}");
    // The older version had a word that no longer exists.
    assert!(all.contains("warning[W0703]: the theme has no word `skip_to_text`"), "{all}");
    let named = "copied from version 0.0.9 (00000000000000b6), but the built-in file is now that of version ";
    assert!(all.contains(named) && all.contains("templates/pages/team.html:1:1"), "{all}");
    let list = output_of(&firm, &["templates", "list"], 0);
    assert!(list.contains("overridden, original changed") && !list.contains("not recorded"), "{list}");
    output_of(&firm, &["templates", "accept", "pages/team.html", "per_locale/footer.html"], 0);
    let all = output_of(&firm, &CHECK, 0);
    assert_eq!(all.matches("warning[W0701]").count(), 3, "{all}");
    assert!(!all.contains("pages/team.html"), "{all}");
    let refused = output_of(&firm, &["templates", "accept", "pages/home.html"], 1);
    assert!(refused.contains("overrides no file `pages/home.html`"), "{refused}");
    write(&firm, "templates/originals.toml", "\"pages/team.html\" = 1\n");
    assert!(output_of(&firm, &CHECK, 1).contains("error[E0710]"));
}

fn second_theme() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures/second-theme/templates")
}

#[test]
fn second_theme_of_five_files_builds_on_this_version() {
    let firm = firm_without_templates();
    crate::folder::copy(&second_theme(), &firm.path().join("templates"));
    output_of(&firm, &BUILD, 0);
    let team = read(&firm, "dist/en/team.html");
    assert!(team.contains("<h1 class=\"second-team\">") && team.contains("Since 1987."), "{team}");
    assert!(team.contains(">To the text</a>") && !team.contains("class=\"people\""), "{team}");
    assert!(read(&firm, "dist/tr/ekip.html").contains("1987’den beri."));
    assert!(read(&firm, "dist/en/contact.html").contains("second-hours"));
    assert!(read(&firm, "dist/en/contact.html").contains("second-breadcrumbs"));
}

#[test]
fn colours_of_site_toml_reach_pages_forms_messages_and_icon() {
    let firm = with_settings(
        "[theme.light]\naccent = \"#7a1f3d\"\nink = \"#101418\"\npaper = \"#fffdf9\"\n\
         [theme.dark]\naccent = \"#f2b8c6\"\npaper = \"#0d0f12\"\n",
    );
    assert!(output_of(&firm, &CHECK, 0).contains("no findings"));
    let files = built_files(&firm);
    let of = |is_it: &dyn Fn(&str) -> bool| -> String {
        let found = files.iter().filter(|(name, _)| is_it(name.to_str().unwrap()));
        found.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect()
    };
    let page = of(&|name| name == "dist/en.html");
    assert!(page.contains("content=\"#FFFDF9\"") && page.contains("content=\"#0D0F12\""), "{page}");
    let sheet = of(&|name| name.starts_with("dist/assets/css/site."));
    assert!(sheet.contains("--paper: #fffdf9; --ink: #101418;") && sheet.contains("--link: #7a1f3d;"), "{sheet}");
    assert!(sheet.contains("prefers-color-scheme: dark) { :root { --paper: #0d0f12;"), "{sheet}");
    let icon = of(&|name| name.starts_with("dist/assets/icons/favicon."));
    assert!(icon.contains("#7a1f3d") && icon.contains("#fffdf9") && !icon.contains("1F3A5F"), "{icon}");
    let parts = of(&|name| name.starts_with("dist/.parts/"));
    assert!(parts.contains("background: #7a1f3d; color: #fffdf9;"), "messages");
    assert!(parts.contains("content=\"#FFFDF9\""), "forms");
    for old in ["#1f3a5f", "#fbfaf7", "#FBFAF7"] {
        assert!(!page.contains(old) && !parts.contains(old), "{old}");
    }
}

#[test]
fn unreadable_colours_are_refused_with_the_nearest_readable_ones() {
    let firm = with_settings("[theme.light]\naccent = \"#c9a227\"\n\n[theme.dark]\nink = \"#333333\"\n");
    let all = output_of(&firm, &CHECK, 1);
    assert_eq!(all.matches("error[E0712]").count(), 2, "{all}");
    assert!(all.contains("in light mode the accent `#c9a227` has a contrast of 2."), "{all}");
    assert!(all.contains("the nearest that passes: `#") && all.contains("content/site.toml:"), "{all}");
    // One paper may be too close to both ink and accent.
    let firm = with_settings("[theme.light]\npaper = \"#556270\"\n");
    let both = output_of(&firm, &CHECK, 1);
    assert_eq!(both.matches("error[E0712]").count(), 1, "{both}");
    assert!(both.contains("the ink `#1b1f27` has") && both.contains(" and the accent `#1f3a5f` has"), "{both}");
    // The colours that the finding names pass.
    let nearest = all.split("the nearest that pass").nth(2).and_then(|rest| rest.split('`').nth(1));
    let first = all.split("the nearest that pass").nth(1).and_then(|rest| rest.split('`').nth(1));
    let (accent, ink) = (first.unwrap(), nearest.unwrap());
    let firm = with_settings(&format!("[theme.light]\naccent = \"{accent}\"\n\n[theme.dark]\nink = \"{ink}\"\n"));
    assert!(output_of(&firm, &CHECK, 0).contains("no findings"));
}

#[test]
fn invalid_theme_values_are_refused_with_their_places() {
    for (table, code, message) in [
        ("[theme.light]\naccent = \"#abc\"", "E0711", "write `\"#aabbcc\"`"),
        ("[theme.light]\npaper = \"white\"", "E0711", "expected a colour such as"),
        ("[theme.light]\naccnt = \"#112233\"", "E0107", "did you mean `accent`?"),
        ("[theme]\nicon = \"icon.ico\"", "E0119", "expected a picture that ends in"),
        ("[theme]\nicon = \"gone.svg\"", "E0204", "there is no picture `gone.svg`"),
        ("[theme.fonts]\ntext = \"gone.woff2\"", "E0708", "there is no font `gone.woff2`"),
        ("[theme.fonts]\ntext = \"letters.ttf\"", "E0713", "ends in `.woff2`"),
        ("[theme.fonts]\ntext = \"a'.woff2\"", "E0713", "rename the file"),
        ("[theme.fonts]\ntext = \"../letters.woff2\"", "E0204", "the name of a file in the same folder"),
        ("[theme.fonts]\ntext_bold = \"bold.woff2\"", "E0101", "`theme.fonts.text` is missing"),
    ] {
        let firm = with_settings(table);
        let all = output_of(&firm, &CHECK, 1);
        assert!(all.contains(&format!("error[{code}]")) && all.contains(message), "{table}: {all}");
        assert!(all.contains("content/site.toml:"), "{table}: {all}");
    }
    let firm = with_settings("[theme.fonts]\nheadings = \"false.woff2\"");
    write(&firm, "templates/assets/fonts/false.woff2", "<html>");
    assert!(output_of(&firm, &CHECK, 1).contains("error[E0713]"));
    let firm = with_settings("[theme]\nicon = \"icon.svg\"");
    write(&firm, "content/icon.svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>x</script></svg>");
    assert!(output_of(&firm, &CHECK, 1).contains("error[E0618]"));
}

#[test]
fn fonts_and_icon_of_site_toml_reach_pages_and_forms() {
    let firm = with_settings(
        "[theme]\nicon = \"icon.svg\"\n\n[theme.fonts]\ntext = \"own.woff2\"\ntext_bold = \"own.woff2\"\nheadings = \"head.woff2\"\n",
    );
    fs::copy(super::templates().join("assets/icons/favicon.svg"), firm.path().join("content/icon.svg")).unwrap();
    let fonts = super::templates().join("assets/fonts");
    for (from, to) in [("literata.woff2", "own.woff2"), ("inter.woff2", "head.woff2")] {
        let target = firm.path().join("templates/assets/fonts").join(to);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::copy(fonts.join(from), target).unwrap();
    }
    assert!(output_of(&firm, &CHECK, 0).contains("no findings"));
    let files = built_files(&firm);
    let claim = files.iter().find(|(name, _)| name.to_str().unwrap().contains("/forms/claim."));
    for page in [read(&firm, "dist/en/team.html"), String::from_utf8(claim.unwrap().1.clone()).unwrap()] {
        assert!(page.contains("href=\"/assets/fonts/own.") && page.contains("href=\"/assets/fonts/head."), "{page}");
        assert!(page.contains("<link rel=\"icon\" href=\"/assets/icon.") && !page.contains("literata"), "{page}");
    }
    let sheet = files.iter().find(|(name, _)| name.to_str().unwrap().starts_with("dist/assets/css/site.")).unwrap();
    let sheet = String::from_utf8(sheet.1.clone()).unwrap();
    assert!(sheet.contains("--serif: \"Site text\"") && sheet.contains("font-family: \"Site headings\""), "{sheet}");
    assert!(sheet.contains("url(\"/assets/fonts/own."), "{sheet}");
}

#[test]
fn theme_is_listed_without_content() {
    let home = copy();
    assert!(output_of(&home, &["templates", "list"], 0).lines().count() > 90);
}
