//! Checks of a host that only serves files: all files are there with their types, and requests that such a host cannot
//! answer are not answered wrongly.

use contract::{
    Locale,
    manifest::{FILE_NAME, PARTS},
    routes,
};
use findings::messages;

use super::{
    BODIES, End, Fault, Faults, Remedy,
    checks::{Named, admin, missing, offers, texts, transport},
    get_ok, rows,
    visit::Visit,
};

pub(super) const ALL: [Named; 9] = [
    (messages::examined_transport, transport),
    (messages::examined_admin, admin),
    (messages::examined_pages, pages),
    (messages::examined_lists, lists),
    (messages::examined_types, |visit, faults| rows::examine(visit, faults, "types")),
    (messages::examined_texts, texts),
    (messages::examined_unknown, missing),
    (messages::examined_internal_files, internal),
    (messages::examined_offers, |visit, faults| {
        offers(visit, faults);
        Ok(())
    }),
];

const PAGES: Remedy = messages::doctor_pages_help;
const LISTS: Remedy = messages::doctor_lists_help;
const INTERNAL: Remedy = messages::doctor_internal_help;

fn pages(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    let start = get_ok(visit, "/", &[])?;
    faults.expect("/", start.has_type("text/html"), PAGES, messages::not_html);
    for locale in Locale::ALL {
        let path = format!("/{locale}");
        let page = visit.get(&path, &[])?;
        let is_page = page.status == 200 && page.has_type("text/html");
        if page.status == 404 {
            faults.push(Fault::new(&path, page.status_message(), PAGES));
        } else {
            faults.expect_answer(visit, (&path, &page), is_page, PAGES, || page.status_message());
        }
        faults.expect(&path, !page.has_script(), BODIES, messages::script_injected);
        // A host for files need not negotiate; both forms have addresses of their own.
        let twin = format!("/{locale}.md");
        drop(get_ok(visit, &twin, &[]).map_err(|fault| faults.push(fault)));
    }
    Ok(())
}

fn lists(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    for operation in routes::OPERATIONS.iter().filter(|operation| operation.localized) {
        let ask = |locale: Locale| visit.get(&format!("{}?locale={locale}", operation.path), &[]);
        let (en, tr) = (ask(Locale::En)?, ask(Locale::Tr)?);
        let path = format!("{}?locale=tr", operation.path);
        faults.expect(&path, tr.status != 200 || tr.body != en.body, LISTS, messages::list_in_other_language);
    }
    Ok(())
}

fn internal(visit: &Visit, faults: &mut Faults) -> Result<(), End> {
    for path in [format!("/{FILE_NAME}"), format!("/{PARTS}/search.en")] {
        let answer = visit.get(&path, &[])?;
        faults.expect(&path, answer.status != 200, INTERNAL, messages::internal_file_published);
    }
    Ok(())
}
