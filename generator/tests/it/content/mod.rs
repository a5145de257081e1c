//! The firm of the tests, to which tests make changes.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use contract::Locale;
use findings::Findings;
use render::{Output, Renderer, Theme};
use site::{Loaded, Loading, load};
use tempfile::TempDir;

/// Content that differs from the firm of the tests.
pub(crate) struct Content(pub(crate) TempDir);

impl Content {
    pub(crate) fn firm() -> Self {
        let folder = tempfile::tempdir().unwrap();
        crate::folder::copy(&root().join("tests/fixtures/firm/content"), folder.path());
        Self(folder)
    }

    /// Replaces `old` with `new` in a file.
    pub(crate) fn with(self, file: &str, old: &str, new: &str) -> Self {
        let path = self.0.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{file} has no {old}");
        fs::write(path, text.replace(old, new)).unwrap();
        self
    }

    pub(crate) fn load(&self) -> Result<Loaded, Findings> {
        let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
        load(&Loading { content: self.0.path(), site_url: None, now, drafts: false })
    }

    /// Renders all published texts, by their paths below `dist/`.
    pub(crate) fn render(&self) -> BTreeMap<String, String> {
        let files = self.outputs(&templates()).into_iter().flat_map(|output| output.files);
        files.filter_map(|file| Some((file.path, String::from_utf8(file.bytes).ok()?))).collect()
    }

    /// Renders everything with the templates of a folder.
    pub(crate) fn outputs(&self, templates: &Path) -> Vec<Output> {
        let site = self.load().map_err(|findings| findings.to_text(Locale::En, false)).unwrap().site;
        let theme = Theme::load(templates).unwrap();
        let renderer = Renderer::new(&site, &theme);
        let plan = renderer.plan().unwrap();
        let texts = plan.texts();
        let mut outputs: Vec<_> = plan.jobs().into_iter().map(|job| plan.render(job, &texts).unwrap()).collect();
        outputs.extend(Locale::ALL.map(|locale| texts.finish(locale).unwrap()));
        outputs
    }
}

/// Returns the templates of this repository.
pub(crate) fn templates() -> PathBuf {
    root().join("templates")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
