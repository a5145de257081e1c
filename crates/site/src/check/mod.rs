//! Named checks in one static list. All of them run; none stops the others.
//!
//! A check of a text reads one file while it is open; a check of the site reads the whole draft. Checks only report:
//! the meaning of values is decided where they are parsed.

mod addresses;
mod anchors;
mod conduct;
mod copied;
mod credentials;
mod destinations;
mod entries;
mod facts;
mod foreign;
mod laws;
mod links;
mod menus;
mod offices;
mod pasted;
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
mod vanished;

pub(crate) use conduct::Conduct;
use findings::{
    FileFindings, Finding,
    messages::{self, Text},
};
pub(crate) use slips::{MAX_QUOTES, nested_quotes};
pub(crate) use starter::{find as starter, is_public, refuse_placeholders};
pub(crate) use text::CheckedText;
pub(crate) use vanished::find as vanished;

use crate::Draft;

/// A check and the name of the rule that holds if it finds nothing.
struct SiteCheck {
    name: fn() -> Text,
    run: CheckInput,
}

/// The input of a check.
enum CheckInput {
    /// One text, while its file is open.
    Text(fn(&CheckedText, &mut FileFindings)),
    /// The whole draft.
    Site(fn(&Draft, &mut Vec<Finding>)),
}

/// Every check, in running order.
const CHECKS: [SiteCheck; 72] = [
    of_text(messages::rule_outline, text::outline),
    of_text(messages::rule_heading_words, text::headings_without_words),
    of_text(messages::rule_network_texts, text::of_network),
    of_text(messages::rule_no_html, text::raw_html),
    of_text(messages::rule_nothing_hidden, text::invisible),
    of_text(messages::rule_no_comments, text::hidden_notes),
    of_text(messages::rule_code_closed, text::code),
    of_text(messages::rule_credentials, credentials::published),
    of_text(messages::rule_pictures_described, text::pictures_without_alt),
    of_text(messages::rule_pictures_own, text::pictures_elsewhere),
    of_text(messages::rule_footnotes, text::footnotes),
    of_text(messages::rule_references, text::references),
    of_text(messages::rule_numbers, text::ordinals),
    of_text(messages::rule_links_meant, slips::links),
    of_text(messages::rule_headings_meant, slips::headings),
    of_text(messages::rule_lists_meant, slips::lists),
    of_text(messages::rule_no_boxes, slips::boxes),
    of_text(messages::rule_empty_lines, slips::empty_lines),
    of_text(messages::rule_last_lines, slips::last_lines),
    of_text(messages::rule_emphasis_meant, slips::emphasis),
    of_text(messages::rule_code_meant, slips::code),
    of_text(messages::rule_no_foreign_markup, foreign::markup),
    of_text(messages::rule_no_anchors, foreign::anchors),
    of_text(messages::rule_headings_not_bold, foreign::bold_headings),
    of_text(messages::rule_no_page_numbers, foreign::page_numbers),
    of_text(messages::rule_letters, pasted::letters),
    of_text(messages::rule_marks_kept, pasted::lost_marks),
    of_text(messages::rule_no_columns, pasted::columns),
    of_text(messages::rule_quotations_marked, pasted::lost_quotations),
    of_text(messages::rule_lines_apart, pasted::taken_in),
    of_text(messages::rule_questions_folded, foreign::bold_questions),
    of_text(messages::rule_labels_apart, copied::labelled_lines),
    of_text(messages::rule_rows_in_tables, copied::rows),
    of_text(messages::rule_no_contents, copied::contents),
    of_text(messages::rule_notes_meant, copied::bracket_marks),
    of_text(messages::rule_bullets, copied::bullets),
    of_text(messages::rule_links_untraced, copied::traced_links),
    of_text(messages::rule_tables, slips::tables),
    of_text(messages::rule_links_lead, text::link_forms),
    of_text(messages::rule_own_headings, text::own_anchors),
    of_text(messages::rule_conduct, conduct::text),
    of_site(messages::rule_required_entries, entries::required),
    of_site(messages::rule_page_keys, entries::misspelt_pages),
    of_site(messages::rule_both_languages, entries::translations),
    of_site(messages::rule_entries_with_text, entries::texts),
    of_site(messages::rule_contact_without_text, entries::contact_text),
    of_site(messages::rule_descriptions, facts::description_lengths),
    of_site(messages::rule_dates, facts::dates),
    of_site(messages::rule_portraits, facts::portraits),
    of_site(messages::rule_offices, offices::all),
    of_site(messages::rule_offices_translated, offices::translated),
    of_site(messages::rule_telephones, facts::telephones),
    of_site(messages::rule_expiry, schedule::order),
    of_site(messages::rule_held_back, schedule::held_back),
    of_site(messages::rule_authors, references::authors),
    of_site(messages::rule_categories, references::categories),
    of_site(messages::rule_practice_areas, references::practice_areas),
    of_site(messages::rule_files_exist, pictures::exist),
    of_site(messages::rule_files_used, pictures::used),
    of_site(messages::rule_files_drawn, pictures::drawn),
    of_site(messages::rule_document_addresses, pictures::addresses),
    of_site(messages::rule_slugs, addresses::slugs),
    of_site(messages::rule_addresses_of_service, addresses::reserved),
    of_site(messages::rule_aliases, addresses::aliases),
    of_site(messages::rule_archives, addresses::archives),
    of_site(messages::rule_targets, links::targets),
    of_site(messages::rule_menus, menus::all),
    of_site(messages::rule_pages_reached, menus::reachable),
    of_site(messages::rule_settings, settings::all),
    of_site(messages::rule_contrast, theme::contrast),
    of_site(messages::rule_laws_known, laws::known),
    of_site(messages::rule_law_current, laws::changed),
];

const fn of_text(name: fn() -> Text, run: fn(&CheckedText, &mut FileFindings)) -> SiteCheck {
    SiteCheck { name, run: CheckInput::Text(run) }
}

const fn of_site(name: fn() -> Text, run: fn(&Draft, &mut Vec<Finding>)) -> SiteCheck {
    SiteCheck { name, run: CheckInput::Site(run) }
}

/// Runs every check of a text.
pub(crate) fn text(prose: &CheckedText) -> Vec<Finding> {
    let mut findings = FileFindings::default();
    for check in &CHECKS {
        if let CheckInput::Text(run) = check.run {
            run(prose, &mut findings);
        }
    }
    findings.into_findings()
}

/// Runs every check of the site.
pub(crate) fn site(draft: &Draft) -> Vec<Finding> {
    let mut findings = Vec::new();
    for check in &CHECKS {
        if let CheckInput::Site(run) = check.run {
            run(draft, &mut findings);
        }
    }
    findings
}

/// Returns the rules of the checks, in running order.
pub fn names() -> impl Iterator<Item = Text> {
    CHECKS.iter().map(|check| (check.name)())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use contract::Locale;

    use super::*;

    #[test]
    fn names_of_checks_are_unique() {
        for locale in Locale::ALL {
            let names: HashSet<String> = names().map(|name| name[locale].to_owned()).collect();
            assert_eq!(names.len(), CHECKS.len(), "{locale}");
        }
    }
}
