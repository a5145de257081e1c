//! Assets of earlier builds that stay in `dist/`, and repairs by `--verify`.

use std::{fs, path::Path};

use contract::{manifest::Class, retained_assets};
use publish::{BuildReport, Publishing};
use tempfile::TempDir;
use tests::{BuiltFirm, Firm as _, NOW, Service, build, build_with, content_of, copy_folder, files_below, publishing};

/// Editable templates, and builds with them.
struct Drawing {
    templates: TempDir,
    firm: BuiltFirm,
}

impl Drawing {
    fn new() -> Self {
        let templates = TempDir::new().unwrap();
        copy_folder(&tests::templates(), templates.path());
        Self { templates, firm: build(&content_of("firm")) }
    }

    /// Builds with `rule` added to the style sheet, `hours` hours after the first build.
    fn build(&self, rule: &str, hours: i64) -> BuildReport {
        let sheet = self.templates.path().join("assets/css/site.css");
        let text = fs::read_to_string(tests::templates().join("assets/css/site.css")).unwrap();
        fs::write(sheet, format!("{text}\n{rule}\n")).unwrap();
        let now = NOW.parse::<jiff::Timestamp>().unwrap() + jiff::SignedDuration::from_hours(hours);
        let dist = self.firm.dist();
        let publishing = Publishing { out: &dist, now, ..publishing() };
        build_with(&content_of("firm"), self.templates.path(), publishing).unwrap()
    }

    fn sheet(&self) -> String {
        let is_sheet = |path: &str| path.contains("/site.") && has_extension(path, "css");
        let routes = self.firm.manifest().routes;
        let found = routes.into_iter().find(|route| route.class == Class::Asset && is_sheet(&route.path));
        found.expect("a style sheet").path
    }

    fn has(&self, path: &str) -> bool {
        let file = self.firm.dist().join(path.trim_start_matches('/'));
        let br = self.firm.dist().join(format!("{}.br", path.trim_start_matches('/')));
        assert_eq!(file.exists(), br.exists(), "a file and its compressed form go together");
        file.exists()
    }

    fn serve(self) -> Service {
        self.firm.serve()
    }
}

fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|it| it == extension)
}

#[test]
fn style_sheet_of_a_cached_page_stays_for_a_day_and_is_served() {
    let drawing = Drawing::new();
    drawing.build("", 0);
    let first = drawing.sheet();
    drawing.build("main { color: red }", 1);
    let second = drawing.sheet();
    assert_ne!(first, second);
    // A build with an unchanged style sheet removes none.
    drawing.build("main { color: blue }", 2);
    assert!(drawing.has(&first) && drawing.has(&second));
    drawing.build("main { color: blue }", 25);
    assert!(!drawing.has(&first) && drawing.has(&second));

    let third = drawing.sheet();
    let service = drawing.serve();
    for path in [&second, &third] {
        let reply = service.get(path, &["Accept-Encoding: br"]);
        assert_eq!(reply.status, 200, "{path}");
        assert!(reply.header("cache-control").unwrap().contains("immutable"));
    }
    assert_eq!(service.get(&first, &[]).status, 404);
}

#[test]
fn retained_assets_do_not_change_the_build() {
    let drawing = Drawing::new();
    drawing.build("main { color: red }", 1);
    let warm = drawing.build("main { color: blue }", 2);
    let cold = Drawing { firm: empty(), templates: drawing.templates };
    let report = cold.build("main { color: blue }", 2);
    assert_eq!(warm.build, report.build);
    assert!(!cold.firm.dist().join(retained_assets::FILE_NAME).exists());
    let (warm, cold) = (files_below(&drawing.firm.dist()), files_below(&cold.firm.dist()));
    assert!(cold.iter().all(|(name, bytes)| warm.get(name) == Some(bytes)));
    let more: Vec<_> = warm.keys().filter(|name| !cold.contains_key(*name)).collect();
    assert!(more.iter().all(|name| name.contains("/site.") || *name == retained_assets::FILE_NAME), "{more:?}");
}

fn empty() -> BuiltFirm {
    let firm = build(&content_of("firm"));
    fs::remove_dir_all(firm.dist()).unwrap();
    firm
}

#[test]
fn retained_style_sheet_that_returns_is_part_of_the_build() {
    let drawing = Drawing::new();
    drawing.build("main { color: red }", 0);
    let first = drawing.sheet();
    drawing.build("main { color: blue }", 1);
    let second = drawing.sheet();
    drawing.build("main { color: red }", 2);
    assert_eq!(drawing.sheet(), first);
    drawing.build("main { color: red }", 26);
    assert!(drawing.has(&first) && !drawing.has(&second));
    assert!(!drawing.firm.dist().join(retained_assets::FILE_NAME).exists(), "nothing is kept, so there is no list");
}

#[test]
fn damaged_retained_asset_leaves_the_build_served() {
    /// Damages the list; `None` damages the older style sheet instead.
    type Damage = fn(&str) -> Option<String>;
    let ways: [(&str, Damage); 5] = [
        ("a file", |_| None),
        ("a list that ends early", |list| Some(list[..list.len() / 2].to_owned())),
        ("another format", |list| Some(list.replacen("\"format\":1", "\"format\":2", 1))),
        ("a path that leads out", |list| Some(list.replace("\"file\":\"assets/", "\"file\":\"../assets/"))),
        ("a path that is no asset's", |list| Some(list.replace("\"class\":\"asset\"", "\"class\":\"page\""))),
    ];
    for (what, damage) in ways {
        let drawing = Drawing::new();
        drawing.build("", 0);
        let first = drawing.sheet();
        drawing.build("main { color: red }", 1);
        let second = drawing.sheet();
        let dist = drawing.firm.dist();
        let list = fs::read_to_string(dist.join(retained_assets::FILE_NAME)).unwrap();
        match damage(&list) {
            Some(damaged) => {
                assert_ne!(damaged, list, "{what}");
                fs::write(dist.join(retained_assets::FILE_NAME), damaged).unwrap();
            }
            None => fs::write(dist.join(first.trim_start_matches('/')), "damaged").unwrap(),
        }
        let service = drawing.serve();
        assert_eq!((service.get(&first, &[]).status, service.get(&second, &[]).status), (404, 200), "{what}");
    }
}

#[test]
fn verification_repairs_damaged_files_only() {
    let drawing = Drawing::new();
    drawing.build("", 0);
    let first = drawing.sheet();
    drawing.build("main { color: red }", 1);
    let dist = drawing.firm.dist();
    let sound = files_below(&dist);
    for name in ["en/about.html", "en/about.html.br", "api/v1/team.en.json"] {
        let mut bytes = sound[name].clone();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(dist.join(name), bytes).unwrap();
    }
    // A damaged file of an earlier build cannot be rebuilt, so it is removed.
    fs::write(dist.join(first.trim_start_matches('/')), "damaged").unwrap();
    let report = drawing.build("main { color: red }", 2);
    assert_eq!(report.written, 0, "without `--verify`, a build does not read its files");
    let now = NOW.parse().unwrap();
    let publishing = Publishing { out: &dist, verify: true, now, ..publishing() };
    let report = build_with(&content_of("firm"), drawing.templates.path(), publishing).unwrap();
    assert_eq!(report.written, 2, "the page and the list");
    let mended = files_below(&dist);
    let build = |name: &String| !name.starts_with(first.trim_start_matches('/')) && name != retained_assets::FILE_NAME;
    let list = String::from_utf8(mended[retained_assets::FILE_NAME].clone()).unwrap();
    assert!(sound.iter().filter(|(name, _)| build(name)).all(|(name, bytes)| mended.get(name) == Some(bytes)));
    assert!(!drawing.has(&first) && !list.contains(&first), "{list}");
}
