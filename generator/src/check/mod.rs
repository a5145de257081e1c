//! Named checks in one static list. All of them run; none stops the others.
//!
//! A check of a text sees one file while it is open; a check of the site sees everything that was read. A check only
//! looks and reports: what a value means is decided where it is read.

mod addresses;
mod conduct;
mod credentials;
mod destinations;
mod entries;
mod facts;
mod foreign;
mod links;
mod menus;
mod offices;
mod pictures;
mod published;
mod redirects;
mod references;
mod schedule;
mod settings;
mod slips;
mod starter;
mod targets;
mod text;
mod theme;

pub(crate) use conduct::Conduct;
pub(crate) use starter::{find as starter, is_public, refuse_placeholders};
pub(crate) use text::Prose;

use crate::{
    diagnostic::{Finding, Told},
    site::Draft,
};

/// A check and the name of the rule that holds if it finds nothing.
struct Check {
    name: &'static str,
    run: Scope,
}

/// What a check looks at.
enum Scope {
    /// One text, while its file is open.
    Text(fn(&Prose, &mut Told)),
    /// Everything that was read.
    Site(fn(&Draft, &mut Vec<Finding>)),
}

/// Every check, in the order in which they run.
const CHECKS: [Check; 58] = [
    of_text("sections start at the second level, and headings skip none", text::outline),
    of_text("headings have words", text::headings_without_words),
    of_text("texts on firms of the network have neither headings nor footnotes", text::of_network),
    of_text("texts contain no HTML", text::raw_html),
    of_text("texts hide nothing", text::invisible),
    of_text("texts contain no comments", text::hidden_notes),
    of_text("code ends where it is closed", text::code),
    of_text("texts show no credential but the published key", credentials::published),
    of_text("pictures are described", text::pictures_without_alt),
    of_text("pictures are our own", text::pictures_elsewhere),
    of_text("footnotes have a text and a mark", text::footnotes),
    of_text("references are defined, each once", text::references),
    of_text(
        "numbered lists begin where they are meant to, are counted as written and are not cut in two",
        text::ordinals,
    ),
    of_text("what is meant as a link is one", slips::links),
    of_text("what is meant as a heading is one", slips::headings),
    of_text("what is meant as a list, or as cells, is one", slips::lists),
    of_text("lists have no boxes", slips::boxes),
    of_text("lines that look empty are", slips::empty_lines),
    of_text("horizontal lines and sources come after an empty line", slips::last_lines),
    of_text("what is meant as emphasis is", slips::emphasis),
    of_text("what is shown as code is meant as code", slips::code),
    of_text("texts contain no markup of other programs", foreign::markup),
    of_text("headings carry no anchors", foreign::anchors),
    of_text("headings are not in bold instead", foreign::bold_headings),
    of_text("texts contain no page numbers", foreign::page_numbers),
    of_text("paragraphs and clauses of statutes begin a line", foreign::statutes),
    of_text("tables have a header, show all cells and end where they should", slips::tables),
    of_text("links lead somewhere", text::link_forms),
    of_text("links of the same text find their heading", text::own_anchors),
    of_text("counsel has nothing to look at under the rules on advertising and personal data", conduct::text),
    of_site("required entries are there", entries::required),
    of_site("keys of pages are no slips for those that have a meaning", entries::misspelt_pages),
    of_site("entries exist in both languages, where they must", entries::translations),
    of_site("entries have a text", entries::texts),
    of_site("the contact entry has no text", entries::contact_text),
    of_site("descriptions fit into search results", facts::description_lengths),
    of_site("dates are not in the future", facts::dates),
    of_site("portraits are described", facts::portraits),
    of_site("the contact entry says where the firm is", offices::all),
    of_site("offices are written in both languages", offices::translated),
    of_site("the telephone number that is shown is the one that is dialled", facts::telephones),
    of_site("entries expire after they are published", schedule::order),
    of_site("no entry is held back by the file of one language alone", schedule::held_back),
    of_site("authors are in the team", references::authors),
    of_site("categories are in site.toml", references::categories),
    of_site("practice areas exist", references::practice_areas),
    of_site("pictures and documents exist", pictures::exist),
    of_site("pictures are shown and documents linked", pictures::used),
    of_site("documents have addresses of their own", pictures::addresses),
    of_site("slugs are unique in their section", addresses::slugs),
    of_site("addresses of the service are left alone", addresses::reserved),
    of_site("former addresses are free", addresses::aliases),
    of_site("archives have their addresses to themselves", addresses::archives),
    of_site("links find their target", links::targets),
    of_site("menus lead somewhere in every language", menus::all),
    of_site("readers can find the pages of the firm's own", menus::reachable),
    of_site("site.toml is consistent and in force", settings::all),
    of_site("text and links have enough contrast", theme::contrast),
];

const fn of_text(name: &'static str, run: fn(&Prose, &mut Told)) -> Check {
    Check { name, run: Scope::Text(run) }
}

const fn of_site(name: &'static str, run: fn(&Draft, &mut Vec<Finding>)) -> Check {
    Check { name, run: Scope::Site(run) }
}

/// Runs every check of a text.
pub(crate) fn text(prose: &Prose) -> Vec<Finding> {
    let mut findings = Told::default();
    for check in &CHECKS {
        if let Scope::Text(run) = check.run {
            run(prose, &mut findings);
        }
    }
    findings.into_findings()
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

/// Returns the rules that hold where no check finds anything, in the order in which the checks run.
pub fn names() -> impl Iterator<Item = &'static str> {
    CHECKS.iter().map(|check| check.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_check_has_a_name_of_its_own() {
        let mut names: Vec<_> = names().collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), CHECKS.len());
    }
}
