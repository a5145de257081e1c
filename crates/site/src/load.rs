//! Loads a content folder as a [`Site`], or reports its errors.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    fs,
    path::Path,
};

use citations::{Cited, Laws};
use content::{
    DEVIATIONS, EntryFields, EntryFile, Folder, Kind, LAW_CHANGES, LAWS, Lines, Lost, Prose, Record, SETTINGS,
    SYNONYMS, SettingsDraft, SourceText, Tree, Values,
};
use contract::text::Uri;
use findings::{Accepted, Code, Excerpts, Finding, Findings, Place, Severity, messages};
use jiff::Timestamp;
use rayon::prelude::*;

use crate::{
    Draft, KnownFiles, Site, Status, assemble,
    check::{self, Conduct},
    inspect,
    known_files::{FaultlessTexts, KnownText},
    share,
};

/// The input of [`load`].
#[derive(Clone, Copy, Debug)]
pub struct Loading<'a> {
    /// The content folder.
    pub content: &'a Path,
    /// Replaces the origin in `site.toml`.
    pub site_url: Option<&'a str>,
    /// The moment of the build, which determines whether an entry is published, early or expired.
    pub now: Timestamp,
    /// Whether drafts, early entries and expired entries are shown as well.
    pub drafts: bool,
}

/// A site without errors, with its warnings.
#[derive(Debug)]
pub struct Loaded {
    pub site: Site,
    pub warnings: Findings,
    /// The number of files.
    pub files: usize,
    /// The entries that only a preview shows, by file.
    pub held_back: BTreeMap<String, HeldBack>,
}

/// The reason why an entry is not public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeldBack {
    Draft,
    /// The entry is published at this moment.
    Early(Timestamp),
    /// The entry expired at this moment.
    Expired(Timestamp),
}

impl Loaded {
    /// Returns the errors that forbid publication at a public address: the first text of each file that is still to be
    /// filled in.
    pub fn unfinished(&self) -> Findings {
        if !check::is_public(self.site.settings.site_url.as_str()) {
            return Findings::default();
        }
        let (root, files) = (self.warnings.root(), self.warnings.files());
        Findings::new(check::refuse_placeholders(self.warnings.items()), root, files)
    }
}

/// Reads, checks and assembles a site. No content makes it panic or stop early.
///
/// # Errors
/// All findings, including warnings, if at least one is an error.
pub fn load(loading: &Loading) -> Result<Loaded, Findings> {
    load_with_known_files(loading, &mut KnownFiles::default())
}

/// Loads a site as [`load`] does, but does not read the photographs that are `known`. Afterwards `known` contains the
/// present photographs.
///
/// # Errors
/// As [`load`].
pub fn load_with_known_files(loading: &Loading, known: &mut KnownFiles) -> Result<Loaded, Findings> {
    finish(loading, examine(loading, HashMap::new(), known)?)
}

/// Loads a site as [`load_with_known_files`] does and keeps every text in memory, so that later changes of the files do not affect
/// rendering.
///
/// # Errors
/// As [`load`].
pub fn load_into_memory(loading: &Loading, known: &mut KnownFiles) -> Result<Loaded, Findings> {
    let (tree, _) = content::walk(loading.content);
    let folder = Folder::new(loading.content).with_stored(tree.stored);
    let text = |file: EntryFile| Some((fs::read_to_string(folder.path_of(&file.file)).ok()?, file.file));
    let texts = tree.entries.into_par_iter().filter_map(text).map(|(text, file)| (file, text)).collect();
    finish(loading, examine(loading, texts, known)?)
}

/// Assembles a site unless a finding is an error.
fn finish(loading: &Loading, examined: CheckedDraft) -> Result<Loaded, Findings> {
    let CheckedDraft { draft, folder, found: mut all, files, accepted, .. } = examined;
    let is_sound = all.iter().all(|finding| finding.severity() != Severity::Error);
    let names = folder.clone();
    let held_back = held_back(&draft);
    let site = if is_sound { assemble(draft, folder).map_err(|finding| all.push(*finding)).ok() } else { None };
    let findings = report(loading, &names, all, files).accepting(accepted);
    match site {
        Some(site) if findings.errors() == 0 => Ok(Loaded { site, warnings: findings, files, held_back }),
        _ => Err(findings),
    }
}

/// Returns the entries that only a preview shows, by file.
fn held_back(draft: &Draft) -> BTreeMap<String, HeldBack> {
    let articles = draft.of_kind(Kind::Publications).iter().filter(|_| draft.drafts);
    let entries = articles.filter_map(|record| {
        let reason = match Draft::public_status_at(record, draft.now) {
            Status::Draft => HeldBack::Draft,
            Status::Early(moment) => HeldBack::Early(moment),
            Status::Expired(moment) => HeldBack::Expired(moment),
            Status::Published | Status::Unknown => return None,
        };
        Some((record.file.clone(), reason))
    });
    entries.collect()
}

/// The draft of a site, with its findings.
pub struct CheckedDraft {
    draft: Draft,
    pub folder: Folder,
    pub found: Vec<Finding>,
    pub files: usize,
    /// The findings that counsel accepts.
    pub accepted: Vec<Accepted>,
    /// The paths of the texts, of `site.toml` and of the registers beside it.
    pub texts: Vec<String>,
}

impl CheckedDraft {
    /// Returns whether the text of `file` is public.
    pub fn is_public(&self, file: &str) -> bool {
        let records = self.draft.records.iter().filter(|record| record.file == file);
        records.map(|record| self.draft.status(record)).any(|status| status == Status::Published)
    }

    /// Returns the findings on public addresses of `before`, an earlier state of the content, that this one does not
    /// answer.
    pub fn vanished_since(&self, before: &Self) -> Vec<Finding> {
        check::vanished(&before.draft, &self.draft)
    }
}

/// Reads and checks a site; `texts` replace those on disk.
///
/// # Errors
/// If there is no content folder.
#[expect(clippy::implicit_hasher, reason = "each caller has the default one")]
pub fn examine(
    loading: &Loading,
    texts: HashMap<String, String>,
    known: &mut KnownFiles,
) -> Result<CheckedDraft, Findings> {
    let content = loading.content;
    if !content.is_dir() {
        let message = if content.exists() { messages::content_no_folder() } else { messages::content_missing() };
        let finding = Finding::new(Code::NO_CONTENT, Place::file(""), message).help(messages::content_help());
        return Err(Findings::new(vec![finding], content.display().to_string(), 0));
    }
    let (mut tree, mut found) = content::walk(content);
    let folder = Folder::new(content).with_stored(std::mem::take(&mut tree.stored)).with_texts(texts);
    let others = tree.settings.iter().map(|file| (*file).to_owned());
    let texts: Vec<String> = tree.entries.iter().map(|entry| entry.file.clone()).chain(others).collect();
    let files = texts.len() + tree.files.len();
    let (draft, accepted) = read(loading, &folder, tree, known, &mut found);
    found.extend(check::site(&draft));
    Ok(CheckedDraft { draft, folder, found, files, accepted, texts })
}

/// Of the findings with `code` keeps only those in the first file; its first one mentions the number of other files.
fn note_once(found: &mut Vec<Finding>, code: Code) {
    let files: BTreeSet<&str> = found.iter().filter(|it| it.code == code).map(|it| it.place.file.as_str()).collect();
    let (Some(first), others) = (files.first().map(|file| (*file).to_owned()), files.len().saturating_sub(1)) else {
        return;
    };
    found.retain(|it| it.code != code || it.place.file == first);
    if let Some(finding) = found.iter_mut().find(|it| it.code == code).filter(|_| others > 0) {
        finding.help.push(messages::more_files_with_moments(others));
    }
}

/// Returns a report of the findings, with the lines concerned.
pub fn report(loading: &Loading, folder: &Folder, mut found: Vec<Finding>, files: usize) -> Findings {
    note_once(&mut found, Code::MOMENT_FOR_DAY);
    add_excerpts(folder, &mut found);
    Findings::new(found, loading.content.display().to_string(), files)
}

/// Reads every file once, in parallel, and pairs the languages.
fn read(
    loading: &Loading,
    folder: &Folder,
    tree: Tree,
    known: &mut KnownFiles,
    found: &mut Vec<Finding>,
) -> (Draft, Vec<Accepted>) {
    let mut conduct = conduct(loading, folder, &tree, found);
    let mut settings = settings(folder, tree.has(SETTINGS), &mut conduct, found);
    if tree.has(SYNONYMS) {
        let (text, findings) = content::read_text(folder, SYNONYMS);
        found.extend(findings);
        if let Some(text) = text {
            let (read, findings) = content::read_synonyms(&text.text, SYNONYMS);
            found.extend(findings);
            settings.synonyms = read;
        }
    }
    read_laws(folder, &tree, &mut settings, found);
    // Texts refer to the site by its public address, even if the site is built for another one.
    let origin = settings.site_url.as_ref().map(|url| url.value.clone());
    if let Some(text) = loading.site_url {
        match content::origin(text) {
            Ok(value) => settings.site_url = Some(content::At::new(value, findings::Span::FILE)),
            Err(wanted) => {
                let message = messages::origin_of_build_invalid(wanted, text);
                found.push(Finding::new(Code::BAD_ORIGIN, Place::file(""), message));
            }
        }
    }
    let (mut records, mut findings) = (Vec::new(), Vec::new());
    let sandbox_key = settings.sandbox_key.as_ref().map(|key| key.value.as_str());
    let origin = origin.as_ref().map(Uri::as_str);
    let circumstances = format!("{sandbox_key:?} {origin:?} {} {:?}", conduct.circumstances(), settings.own_laws);
    if let Some(texts) = &mut known.texts {
        texts.reset_unless(&circumstances);
    }
    let texts = known.texts.as_ref();
    let context = TextContext {
        sandbox_key,
        origin,
        conduct: &conduct,
        circumstances: &circumstances,
        laws: &settings.laws,
        faultless: &known.faultless,
    };
    tree.entries
        .into_par_iter()
        .map(|file| {
            let (text, findings) = content::read_text(folder, &file.file);
            let same = texts.zip(text.as_ref()).and_then(|(texts, text)| texts.get(&file.file, text.checksum));
            same.unwrap_or_else(|| entry(file, (text, findings), &context))
        })
        .unzip_into_vecs(&mut records, &mut findings);
    if let Some(texts) = &mut known.texts {
        texts.note(&records, &findings);
    }
    known.faultless.forget_others();
    found.extend(findings.into_iter().flatten());
    let (files, faults) = inspect(folder, tree.files, known);
    found.extend(faults);
    records.sort_by(|a, b| (a.kind, &a.key, a.locale).cmp(&(b.kind, &b.key, b.locale)));
    found.extend(share(&mut records));
    let (folder, now, drafts) = (folder.clone(), loading.now, loading.drafts);
    let draft = Draft { records, settings, files, folder, now, drafts };
    (draft, conduct.accepted())
}

/// Reads the laws that the firm added and the changes of laws, if it has recorded any.
fn read_laws(folder: &Folder, tree: &Tree, settings: &mut SettingsDraft, found: &mut Vec<Finding>) {
    let mut text_of = |file: &str, exists: bool| {
        let (text, findings) = exists.then(|| content::read_text(folder, file))?;
        found.extend(findings);
        text
    };
    let (laws, changes) = (text_of(LAWS, tree.has(LAWS)), text_of(LAW_CHANGES, tree.has(LAW_CHANGES)));
    if let Some(text) = laws {
        let (laws, findings) = content::read_laws(&text.text, LAWS);
        found.extend(findings);
        settings.laws.add(laws.iter().map(|law| law.value.clone()));
        settings.own_laws = laws;
    }
    if let Some(text) = changes {
        let (changes, findings) = content::read_law_changes(&text.text, LAW_CHANGES);
        found.extend(findings);
        settings.law_changes = changes;
    }
}

/// Reads the register of deviations, if it exists.
fn conduct(loading: &Loading, folder: &Folder, tree: &Tree, found: &mut Vec<Finding>) -> Conduct {
    let mut deviations = Vec::new();
    if tree.has(DEVIATIONS) {
        let (text, findings) = content::read_text(folder, DEVIATIONS);
        found.extend(findings);
        if let Some(text) = text {
            let (read, findings) = content::read_deviations(&text.text, DEVIATIONS);
            found.extend(findings);
            deviations = read;
        }
    }
    let (conduct, findings) = Conduct::new(deviations, tree, loading.now);
    found.extend(findings);
    conduct
}

fn settings(folder: &Folder, exists: bool, conduct: &mut Conduct, found: &mut Vec<Finding>) -> SettingsDraft {
    if !exists {
        let finding = Finding::new(Code::NO_SETTINGS, Place::file(SETTINGS), messages::settings_missing());
        found.push(finding.help(messages::settings_missing_help()));
        return SettingsDraft::default();
    }
    let (text, findings) = content::read_text(folder, SETTINGS);
    found.extend(findings);
    let Some(text) = text else { return SettingsDraft::default() };
    let (draft, findings) = content::read_settings(&text.text, SETTINGS);
    found.extend(findings);
    found.extend(check::starter(&text.text, SETTINGS, draft.site_url.as_ref().map(|url| url.value.as_str())));
    conduct.checks = draft.checks;
    found.extend(conduct.of_settings(&text.text));
    draft
}

/// What the checks of a text depend on besides the text.
struct TextContext<'a> {
    sandbox_key: Option<&'a str>,
    origin: Option<&'a str>,
    conduct: &'a Conduct,
    laws: &'a Laws,
    /// All of the above, as text.
    circumstances: &'a str,
    faultless: &'a FaultlessTexts,
}

/// Reads a language file and checks it by itself, without the other files. Texts in which an earlier build found nothing
/// are not checked again.
fn entry(
    file: EntryFile,
    (text, mut findings): (Option<SourceText>, Vec<Finding>),
    context: &TextContext,
) -> (Record, Vec<Finding>) {
    let &TextContext { sandbox_key, origin, conduct, laws, circumstances, faultless } = context;
    let mut record = Record {
        kind: file.kind,
        key: file.key,
        locale: file.locale,
        file: file.file,
        body_start: 0,
        checksum: text.as_ref().map(|text| text.checksum).unwrap_or_default(),
        values: Values::default(),
        head: content::Head::default(),
        lost: Lost::All,
        twin_lost: Lost::Nothing,
        prose: None,
        note: None,
        cites: Vec::new(),
    };
    let Some(text) = text.map(|text| text.text) else { return (record, findings) };
    let digest = FaultlessTexts::digest(circumstances, &record.file, &text);
    let known = faultless.take(&digest);
    let starter = if known.is_some() { Vec::new() } else { check::starter(&text, &record.file, origin) };
    let is_finished = starter.is_empty();
    findings.extend(starter);
    let (known, cites) = known.map(|known| (known.prose, known.cites)).unzip();
    record.cites = cites.unwrap_or_else(|| cited(&text, laws));
    let split = match content::split(&text, &record.file) {
        Ok(split) => split,
        Err(finding) => {
            findings.push(*finding);
            return (record, findings);
        }
    };
    let EntryFields { values, lost, findings: more } =
        content::read_entry((record.kind, &record.key, record.locale), split.fields, &record.file);
    findings.extend(more);
    (record.values, record.lost) = (values, lost);
    record.body_start = split.body_start;
    // Fields contain no empty lines: the beginning of a text was mistaken for fields.
    if !record.is_readable() && split.fields.lines().any(|line| line.trim().is_empty()) {
        return (record, findings);
    }

    if record.kind == Kind::Network {
        record.note = Some(markdown::trimmed(split.body).to_owned());
    }
    if known.is_some() {
        record.prose = known;
        return (record, findings);
    }
    let lines = Lines::of(&text);
    if let Some(range) = check::nested_quotes(split.body) {
        let span = lines.span(&text, range.start + split.body_start..range.end + split.body_start);
        let place = Place::new(record.file.as_str(), span);
        let finding = Finding::new(Code::NESTED_QUOTES, place, messages::quotes_nested(check::MAX_QUOTES));
        findings.push(finding.help(messages::quotes_nested_help()));
        return (record, findings);
    }
    // The page is rendered from this text, and findings are shown in the author's.
    let clauses = markdown::Clauses::read(split.body);
    let mut survey = markdown::survey(&clauses.text, record.locale);
    survey.clause_anchors = clauses.anchors(&survey.headings, record.locale);
    let span = |range: std::ops::Range<usize>| {
        let range = clauses.origin(range);
        lines.span(&text, range.start + split.body_start..range.end + split.body_start)
    };
    let prose = check::CheckedText {
        kind: record.kind,
        key: &record.key,
        locale: record.locale,
        file: &record.file,
        title: record.head.title.as_ref().map_or("", |title| &title.value),
        text: &clauses.text,
        survey: &survey,
        sandbox_key,
        origin,
        written: std::cell::OnceCell::new(),
        conduct,
        whole: &text,
        lines: &lines,
        body_start: split.body_start,
        span: &span,
    };
    let found = check::text(&prose);
    let prose = Prose::new(&survey, origin, span);
    if is_finished && found.is_empty() {
        faultless.note(digest, KnownText { prose: prose.clone(), cites: record.cites.clone() });
    }
    findings.extend(found);
    record.prose = Some(prose);
    (record, findings)
}

/// Returns what a file cites, each once. The whole file: titles and summaries cite laws too.
fn cited(text: &str, laws: &Laws) -> Vec<Cited> {
    let mut cited: Vec<Cited> = Vec::new();
    for citation in citations::find(text, laws) {
        if !cited.contains(&citation.cited) {
            cited.push(citation.cited);
        }
    }
    cited
}

/// Adds the lines concerned to the findings; reads their files again.
fn add_excerpts(content: &Folder, findings: &mut [Finding]) {
    findings.sort_by(|a, b| a.place.cmp(&b.place));
    for of_file in findings.chunk_by_mut(|a, b| a.place.file == b.place.file) {
        let Some(first) = of_file.iter().position(|finding| finding.place.span.line > 0) else { continue };
        let file = &of_file[first].place.file;
        let bytes = content.text(file).map_or_else(|| fs::read(content.path_of(file)), |text| Ok(text.into()));
        let Ok(bytes) = bytes else { continue };
        let text = String::from_utf8_lossy(&bytes);
        let text = content::tidy(&text);
        let lines: Vec<&str> = text.lines().collect();
        for of_line in of_file[first..].chunk_by_mut(|a, b| a.place.span.line == b.place.span.line) {
            let number = of_line[0].place.span.line as usize;
            let mut excerpts = Excerpts::of(lines.get(number - 1).copied().unwrap_or_default());
            for finding in of_line {
                finding.source = Some(excerpts.cut(finding.place.span));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Copies the firm of the tests to `to`.
    fn copy_firm(to: &Path) {
        let firm = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/firm/content");
        let (tree, _) = content::walk(&firm);
        let texts = tree.entries.into_iter().map(|entry| entry.file);
        for file in texts.chain(tree.files.into_keys()).chain([SETTINGS.to_owned()]) {
            fs::create_dir_all(to.join(&file).parent().unwrap()).unwrap();
            fs::copy(firm.join(&file), to.join(&file)).unwrap();
        }
    }

    /// Returns the findings of a build with what is `known`.
    fn found_in(content: &Path, known: &mut KnownFiles) -> Vec<Finding> {
        let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
        let loading = Loading { content, site_url: None, now, drafts: true };
        load_with_known_files(&loading, known).map_or_else(|found| found, |loaded| loaded.warnings).items().to_vec()
    }

    #[test]
    fn text_without_findings_is_known_until_it_or_the_settings_change() {
        let (firm, cache) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
        copy_firm(firm.path());
        let mut known = KnownFiles::default();
        let before = found_in(firm.path(), &mut known);
        let bytes = known.to_bytes().unwrap();
        fs::write(&cache, &bytes).unwrap();
        let mut known = KnownFiles::read(cache.path());
        assert_eq!(found_in(firm.path(), &mut known), before);
        assert_eq!(known.to_bytes().unwrap(), bytes);

        let page = firm.path().join("publications/tax-settlement/tr.md");
        let text = fs::read_to_string(&page).unwrap();
        fs::write(&page, format!("{text}\n\\footnote{{not}}\n")).unwrap();
        let found = found_in(firm.path(), &mut KnownFiles::read(cache.path()));
        assert!(found.iter().any(|it| it.code == Code::FOREIGN_MARKUP), "{found:?}");
        fs::write(&page, text).unwrap();

        let (page, settings) = (firm.path().join("pages/about/tr.md"), firm.path().join(SETTINGS));
        let (text, written) = (fs::read_to_string(&page).unwrap(), fs::read_to_string(&settings).unwrap());
        fs::write(&page, format!("{text}\nBüromuz en iyi hukuk bürosudur.\n")).unwrap();
        fs::write(&settings, format!("{written}\n[checks]\nadvertising = \"off\"\n")).unwrap();
        let mut known = KnownFiles::default();
        assert_eq!(found_in(firm.path(), &mut known), before);
        fs::write(&cache, known.to_bytes().unwrap()).unwrap();
        fs::write(&settings, written).unwrap();
        let found = found_in(firm.path(), &mut KnownFiles::read(cache.path()));
        assert!(found.iter().any(|it| it.code == Code::SUPERLATIVE), "{found:?}");
    }

    #[test]
    fn cache_of_known_texts_is_ignored_if_it_is_damaged_or_of_another_version() {
        let (firm, cache) = (tempfile::tempdir().unwrap(), tempfile::NamedTempFile::new().unwrap());
        copy_firm(firm.path());
        let mut known = KnownFiles::default();
        let before = found_in(firm.path(), &mut known);
        let sound = String::from_utf8(known.to_bytes().unwrap()).unwrap();
        let other_version = sound.replacen("{\"recipe\":\"", "{\"recipe\":\"other ", 1);
        assert_ne!(other_version, sound);
        let stranger = "{\"prose\":{\"words\":1,\"has_text\":true,\"anchors\":\"\",\"links\":[],\"pictures\":[],\"has_lost_names\":false},\"cites\":[]}";
        let strangers = ["", "../x", "\\u0000"].map(|digest| format!("\"{digest}\":{stranger},")).concat();
        let strangers = sound.replacen("\"faultless\":{", &format!("\"faultless\":{{{strangers}"), 1);
        assert_ne!(strangers, sound);
        for (bytes, is_used) in [
            (sound.as_bytes(), true),
            (strangers.as_bytes(), true),
            (other_version.as_bytes(), false),
            (&sound.as_bytes()[..sound.len() / 2], false),
            (b"", false),
            (b"[]", false),
            (b"{\"faultless\":7}", false),
            (&[0xff; 64], false),
        ] {
            fs::write(&cache, bytes).unwrap();
            let mut known = KnownFiles::read(cache.path());
            assert_eq!(known.faultless.is_empty(), !is_used, "{}", String::from_utf8_lossy(bytes));
            assert_eq!(found_in(firm.path(), &mut known), before);
            // The next cache has only texts of this build.
            assert_eq!(known.to_bytes().unwrap(), sound.as_bytes());
        }
    }

    #[test]
    fn texts_stay_known_after_every_build() {
        let content = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/firm/content");
        let now = "2026-11-21T09:00:00+03:00".parse().unwrap();
        let loading = Loading { content: &content, site_url: None, now, drafts: true };
        let mut known = KnownFiles::with_texts();
        for _ in 0..2 {
            load_into_memory(&loading, &mut known).unwrap();
            assert!(known.texts.as_ref().is_some_and(|texts| texts.len() > 40));
        }
    }
}
