//! The redirects of a draft, which `render::redirects` computes again from the site.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    iter,
};

use content::{Kind, Record};
use contract::Locale;

use super::published::{ArchiveKind, FEEDS, archives, is_published, paths_beside};
use crate::{Draft, Paths, draft::former_addresses, laws_path, redirects};

/// Returns the target of each redirect.
pub(super) fn of(draft: &Draft) -> BTreeMap<String, String> {
    let published = || draft.records.iter().filter(|record| is_published(draft, record));
    let of_entries = published().filter_map(|record| of_entry(draft, record));
    let all: BTreeSet<(Locale, ArchiveKind)> =
        published().flat_map(|it| archives(draft, it).map(|archive| (it.locale, archive))).collect();
    let of_archives = all.iter().filter_map(|(locale, archive)| {
        let other = locale.other();
        let here = archive.slug(draft, *locale)?;
        let translation = all.contains(&(other, *archive)).then(|| archive.slug(draft, other)).flatten();
        let there = below(draft, Kind::Publications, other, &[translation.as_deref().unwrap_or(&here)]);
        let slugs: Vec<&str> = iter::once(here.as_str()).chain(archive.former_slugs(draft)).collect();
        let here = below(draft, Kind::Publications, *locale, &slugs);
        let has_feeds = matches!(archive, ArchiveKind::Category(_));
        let feeds = FEEDS.iter().filter(|_| has_feeds);
        let beside = here.first().map(|path| feeds.map(|feed| format!("{path}{feed}")).collect())?;
        Some(Paths { locale: *locale, here, there, former: Vec::new(), beside })
    });
    let of_laws = cited_laws(draft).into_iter().map(|(locale, law)| {
        let path = |locale| vec![format!("{}{law}", laws_path(locale)).into()];
        Paths { locale, here: path(locale), there: path(locale.other()), former: Vec::new(), beside: Vec::new() }
    });
    redirects(of_entries.collect(), of_archives.chain(of_laws).collect())
}

/// Returns the laws that have a page in a locale: published articles cite them.
pub(super) fn cited_laws(draft: &Draft) -> BTreeSet<(Locale, &str)> {
    let published = draft.of_kind(Kind::Publications).iter().filter(|record| is_published(draft, record));
    let laws = published.flat_map(|record| record.cites.iter().map(|cited| (record.locale, cited)));
    laws.filter_map(|(locale, cited)| Some((locale, draft.settings.laws.get(cited.law()?)?.number.as_str()))).collect()
}

fn of_entry<'a>(draft: &'a Draft, record: &'a Record) -> Option<Paths<'a>> {
    let here = paths(draft, record)?;
    let twin = draft.twin(record).filter(|twin| is_published(draft, twin));
    let there = match twin {
        Some(twin) => paths(draft, twin).unwrap_or_default(),
        None if record.kind == Kind::Pages => Vec::new(),
        None => below(draft, record.kind, record.locale.other(), &[record.head.slug.as_ref()?.value.as_str()]),
    };
    let former = former_addresses(record).map(Cow::Borrowed).collect();
    let beside = if here.len() > 1 { paths_beside(draft, record, &here[0]) } else { Vec::new() };
    Some(Paths { locale: record.locale, here, there, former, beside })
}

/// Returns the path of an entry and its former paths.
fn paths<'a>(draft: &Draft, record: &Record) -> Option<Vec<Cow<'a, str>>> {
    Some(iter::once(draft.path(record)?).chain(draft.former_paths(record)).map(Cow::Owned).collect())
}

/// Returns the paths of each of `slugs` in the section of a kind, under the section's current and former slugs.
fn below<'a>(draft: &Draft, kind: Kind, locale: Locale, slugs: &[&str]) -> Vec<Cow<'a, str>> {
    let Some(page) = draft.record(Kind::Pages, kind.folder(), locale) else { return Vec::new() };
    let Some(section) = &page.head.slug else { return Vec::new() };
    let sections = iter::once(section).chain(&page.head.aliases);
    let pairs = sections.flat_map(|section| slugs.iter().map(move |slug| (&section.value, slug)));
    pairs.map(|(section, slug)| format!("/{locale}/{section}/{slug}").into()).collect()
}
