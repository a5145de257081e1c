//! Missing and unknown slots in templates of forms and messages are reported by name.

use std::{fs, path::Path};

use contract::Locale;
use findings::{Finding, Place};
use render::{Renderer, Theme};
use site::{Loading, load};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Returns the findings of rendering the repository's templates after `change` in `file`.
fn report(file: &str, change: impl Fn(String) -> String) -> String {
    let folder = TempDir::new().unwrap();
    let templates = Path::new(ROOT).join("templates");
    crate::folder::copy(&templates, folder.path());
    let path = folder.path().join(file);
    fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
    let content = Path::new(ROOT).join("tests/fixtures/firm/content");
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let loaded = load(&Loading { content: &content, site_url: None, now, drafts: false }).unwrap();
    let found = match Theme::load(folder.path()) {
        Ok(theme) => theme.warnings().clone().and(Renderer::new(&loaded.site, &theme).faults().unwrap()),
        Err(findings) => findings,
    };
    let one = |finding: &Finding| {
        let Place { file, span } = &finding.place;
        let file = file.strip_prefix(folder.path().to_str().unwrap()).unwrap_or(file);
        let label = finding.label.as_ref().map_or("", |label| &label[Locale::En]);
        format!("{} {file}:{}:{} {} {label}", finding.code.id(), span.line, span.column, &finding.message[Locale::En])
    };
    found.items().iter().map(one).collect::<Vec<_>>().join("\n")
}

#[test]
fn built_in_templates_have_no_finding() {
    assert_eq!(report("forms/claim.html", |text| text), "");
}

#[test]
fn form_without_a_slot_is_named() {
    let text = report("forms/claim.html", |text| text.replace("{{ slot.provider }}", ""));
    assert!(text.contains("E0707 /forms/claim.html:1:1 the template does not contain `slot.provider`"), "{text}");
    let text = report("mail/access.txt", |text| text.replace("{{ slot.expires }}", "soon"));
    assert!(text.contains("E0707 /mail/access.txt:1:1 the template does not contain `slot.expires`"), "{text}");
}

#[test]
fn unknown_slot_is_an_error_with_its_place() {
    let text =
        report("forms/limited.html", |text| format!("{text}{{% block main %}}{{{{ slot.code }}}}{{% endblock %}}"));
    assert!(text.contains("E0702 /forms/limited.html:2:"), "{text}");
    assert!(text.contains("code"), "{text}");
}

#[test]
fn markers_come_from_slots_only() {
    let text = report("strings/en.toml", |text| text.replace("You decide.", "{{=bill}}"));
    assert!(text.contains("`{{=`, which is reserved for slots"), "{text}");
}

#[test]
fn unusable_word_is_a_finding_with_its_place() {
    let cases = [
        (
            "[forms]\nmoment = ",
            "[forms]\nmonent = ",
            "W0703 /strings/en.toml:",
            "the theme has no word `forms.monent` did you mean `moment`?",
        ),
        (
            "offset_minutes = 180",
            "offset_minutes = \"3 h\"",
            "E0706 /strings/en.toml:",
            "`forms.offset_minutes` is a whole number, not a text",
        ),
        ("{hour}:", ":", "E0706 /strings/en.toml:", "a moment needs {hour} once"),
    ];
    for (old, new, place, problem) in cases {
        let text = report("strings/en.toml", |text| text.replacen(old, new, 1));
        assert!(text.contains(place) && text.contains(problem) && text.lines().count() == 1, "{old}: {text}");
    }
}

#[test]
fn faults_of_words_and_style_sheets_are_found_at_once_with_their_places() {
    let text =
        report("strings/tr.toml", |text| text.replacen("skip = ", "skib = ", 1).replacen("[feeds]", "[news]", 1));
    let expect = |message: &str| assert!(text.lines().any(|line| line.contains(message)), "{message}: {text}");
    expect("W0703 /strings/tr.toml:2:1 the theme has no word `skib` did you mean `skip`?");
    expect("the theme has no word `news`");
    assert_eq!(text.lines().count(), 2, "{text}");
    let text = report("strings/en.toml", |text| text.replacen("\"mcp.read\" = ", "\"mpc.read\" = ", 1));
    let expected = "the theme has no word `forms.scopes.mpc.read` did you mean `mcp.read`?";
    assert!(text.contains(expected) && text.lines().count() == 1, "{text}");
    let text = report("assets/css/site.css", |text| {
        format!("a {{ background: url(x.png) }}\n{}", text.replace("literata.woff2", "literati.woff2"))
    });
    let expect = |message: &str| assert!(text.lines().any(|line| line.contains(message)), "{message}: {text}");
    expect("E0708 /assets/css/site.css:1:21 the style sheet names `x.png`, which is not a file of the theme");
    expect("names `../fonts/literati.woff2`, which is not a file of the theme did you mean `../fonts/literata.woff2`?");
}

#[test]
fn words_of_the_firm_are_in_both_languages() {
    let text = report("strings/tr.toml", |text| format!("{text}\n[own]\ncareers = \"Kariyer\"\n"));
    assert!(text.contains("the word `own` is not in strings/en.toml"), "{text}");
}

#[test]
fn git_conflict_in_a_theme_is_named() {
    for file in ["strings/tr.toml", "assets/css/site.css", "pages/team.html"] {
        let text = report(file, |text| format!("{text}\n<<<<<<< HEAD\n=======\na\n>>>>>>> b\n"));
        assert!(
            text.contains(&format!("E0622 /{file}:")) && text.contains("both sides of a git conflict are in the file"),
            "{text}"
        );
    }
}
