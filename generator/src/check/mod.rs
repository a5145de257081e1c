//! Named checks in one static list. All of them run; none stops the others.
//!
//! A check of a text sees one file while it is open; a check of the site sees everything that was read. A check only
//! looks and reports: what a value means is decided where it is read.

mod addresses;
mod entries;
mod facts;
mod links;
mod pictures;
mod references;
mod schedule;
mod settings;
mod targets;
mod text;

use std::ops::Range;

use crate::{
    diagnostic::{Finding, Span},
    markdown::Survey,
    site::Draft,
};

/// A check with the name under which the documentation lists it.
struct Check {
    name: &'static str,
    run: Scope,
}

/// What a check looks at.
enum Scope {
    /// One text, while its file is open.
    Text(fn(&text::Prose, &mut Vec<Finding>)),
    /// Everything that was read.
    Site(fn(&Draft, &mut Vec<Finding>)),
}

/// Every check, in the order in which they run.
const CHECKS: [Check; 31] = [
    of_text("sections start at the second level", text::first_level_headings),
    of_text("headings skip no level", text::skipped_levels),
    of_text("texts hold no HTML", text::raw_html),
    of_text("texts hide nothing", text::invisible),
    of_text("pictures are described", text::pictures_without_alt),
    of_text("pictures are our own", text::pictures_elsewhere),
    of_text("footnotes have a text and a mark", text::footnotes),
    of_text("references are defined", text::references),
    of_text("ordinals do not start a list", text::ordinals),
    of_text("links lead somewhere", text::link_forms),
    of_text("links of the same text find their heading", text::own_anchors),
    of_site("required entries are there", entries::required),
    of_site("entries exist in both languages", entries::translations),
    of_site("entries have a text", entries::texts),
    of_site("the contact entry has no text", entries::contact_text),
    of_site("descriptions fit into search results", facts::description_lengths),
    of_site("letters are not taken apart", facts::decomposed),
    of_site("dates have come", facts::dates),
    of_site("portraits are described", facts::portraits),
    of_site("entries expire after they are published", schedule::order),
    of_site("authors are in the team", references::authors),
    of_site("categories are in site.toml", references::categories),
    of_site("practice areas exist", references::practice_areas),
    of_site("pictures exist", pictures::exist),
    of_site("pictures are shown and small enough", pictures::used),
    of_site("slugs are unique in their section", addresses::slugs),
    of_site("addresses of the service are left alone", addresses::reserved),
    of_site("former addresses are free", addresses::aliases),
    of_site("archives have their addresses to themselves", addresses::archives),
    of_site("links find their target", links::targets),
    of_site("site.toml is consistent and in force", settings::all),
];

const fn of_text(name: &'static str, run: fn(&text::Prose, &mut Vec<Finding>)) -> Check {
    Check { name, run: Scope::Text(run) }
}

const fn of_site(name: &'static str, run: fn(&Draft, &mut Vec<Finding>)) -> Check {
    Check { name, run: Scope::Site(run) }
}

/// Runs every check of a text. `span` places a range of the text in its file.
pub(crate) fn text(file: &str, text: &str, survey: &Survey, span: &dyn Fn(Range<usize>) -> Span) -> Vec<Finding> {
    let prose = text::Prose { file, text, survey, span };
    let mut findings = Vec::new();
    for check in &CHECKS {
        if let Scope::Text(run) = check.run {
            run(&prose, &mut findings);
        }
    }
    findings
}

/// Runs every check of the site.
pub(crate) fn site(draft: &Draft) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in &CHECKS {
        if let Scope::Site(run) = check.run {
            run(draft, &mut findings);
        }
    }
    findings
}

/// The names of all checks, for the documentation.
#[must_use]
pub fn names() -> Vec<&'static str> {
    CHECKS.iter().map(|check| check.name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_a_name_of_its_own() {
        let mut names = names();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
    }
}
