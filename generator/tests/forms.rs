//! Templates of forms and messages that lack what was agreed are reported by name.

#![expect(clippy::unwrap_used, reason = "a broken expectation ends the test that met it")]

mod folder;

use std::{fs, path::Path};

use generator::{
    Loading, load,
    render::{Renderer, Theme},
};
use tempfile::TempDir;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Returns the findings of rendering the repository's templates after `change` in `file`.
fn report(file: &str, change: impl Fn(String) -> String) -> String {
    let folder = TempDir::new().unwrap();
    let templates = Path::new(ROOT).join("templates");
    folder::copy(&templates, folder.path());
    let path = folder.path().join(file);
    fs::write(&path, change(fs::read_to_string(&path).unwrap())).unwrap();
    let content = Path::new(ROOT).join("tests/fixtures/firm/content");
    let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
    let loaded = load(&Loading { content: &content, site_url: None, now, drafts: false }).unwrap();
    let theme = match Theme::load(folder.path()) {
        Ok(theme) => theme,
        Err(faults) => return faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    };
    let renderer = Renderer::new(&loaded.site, &theme);
    let plan = match renderer.plan() {
        Ok(plan) => plan,
        Err(error) => return error.to_string(),
    };
    let texts = plan.texts();
    let failures = plan.jobs().into_iter().filter_map(|job| plan.render(job, &texts).err());
    failures.map(|error| error.to_string()).collect::<Vec<_>>().join("\n")
}

#[test]
fn templates_as_they_are_say_nothing() {
    assert_eq!(report("forms/claim.html", |text| text), "");
}

#[test]
fn form_that_lacks_a_slot_is_named() {
    let text = report("forms/claim.html", |text| text.replace("{{ slot.provider }}", ""));
    assert!(text.contains("/forms/claim.html never says `slot.provider`"), "{text}");
    let text = report("mail/access.txt", |text| text.replace("{{ slot.expires }}", "soon"));
    assert!(text.contains("/mail/access.txt never says `slot.expires`"), "{text}");
}

#[test]
fn slot_that_a_form_does_not_have_is_an_error_at_its_place() {
    let text =
        report("forms/limited.html", |text| format!("{text}{{% block main %}}{{{{ slot.code }}}}{{% endblock %}}"));
    assert!(text.contains("forms/limited.html:2"), "{text}");
    assert!(text.contains("code"), "{text}");
}

#[test]
fn markers_come_from_slots_only() {
    let text = report("strings/en.toml", |text| text.replace("You decide.", "{{=bill}}"));
    assert!(text.contains("`{{=`, which is reserved for slots"), "{text}");
}

#[test]
fn word_that_values_need_is_named() {
    let cases = [
        ("[forms]\nmoment = ", "[forms]\nmonent = ", "no `forms.mo"),
        ("offset_minutes = 180", "offset_minutes = \"3 h\"", "`forms.offset_minutes` is not usable"),
        ("{hour}:", ":", "a moment needs {hour} once"),
    ];
    for (old, new, problem) in cases {
        let text = report("strings/en.toml", |text| text.replacen(old, new, 1));
        assert!(text.contains(problem), "{old}: {text}");
    }
}

#[test]
fn whatever_is_wrong_with_the_words_and_style_sheets_of_a_theme_is_told_at_once_with_its_place() {
    let text =
        report("strings/tr.toml", |text| text.replacen("skip = ", "skib = ", 1).replacen("[feeds]", "[news]", 1));
    let told = |said: &str| assert!(text.lines().any(|line| line.contains(said)), "{said}: {text}");
    told("/strings/tr.toml has no `skip`: is it meant by `skib` in line 2? Otherwise add it, as ");
    // A suggestion is not made for the other file, too.
    told("/strings/tr.toml has no `feeds`: add it, as ");
    told("/strings/en.toml has no `news`: add it, as ");
    assert_eq!(text.lines().count(), 3, "{text}");
    let text = report("strings/en.toml", |text| text.replacen("\"mcp.read\" = ", "\"mpc.read\" = ", 1));
    let told = "tr.toml has no `forms.scopes.mpc.read`: is it meant by `forms.scopes.mcp.read` in line ";
    assert!(text.contains(told) && text.lines().count() == 1, "{text}");
    let text = report("assets/css/site.css", |text| {
        format!("a {{ background: url(x.png) }}\n{}", text.replace("literata.woff2", "literati.woff2"))
    });
    let told = |said: &str| assert!(text.lines().any(|line| line.contains(said)), "{said}: {text}");
    told("/assets/css/site.css:1 names `x.png`, which is not a file of the theme");
    told("names `../fonts/literati.woff2`, which is not a file of the theme: did you mean `../fonts/literata.woff2`?");
}

#[test]
fn git_conflict_in_a_theme_is_told_as_such() {
    for file in ["strings/tr.toml", "assets/css/site.css", "pages/team.html"] {
        let text = report(file, |text| format!("{text}\n<<<<<<< HEAD\n=======\na\n>>>>>>> b\n"));
        assert!(text.contains(&format!("/{file}:")) && text.contains(": git conflict: keep one side"), "{text}");
    }
}
