//! What is expected of a host that hands out files and nothing more: that they are all there, with their types, and that
//! nothing is answered wrongly which such a host cannot answer at all.

use contract::{
    Locale,
    manifest::{FILE_NAME, PARTS},
    routes,
};

use super::{
    Fault,
    checks::{Check, expect, missing, offers, texts, transport, types},
    found, unanswered,
    visit::Visit,
};

/// Every check, with its name.
pub(super) const ALL: [(&str, Check); 8] = [
    ("transport", transport),
    ("pages", pages),
    ("lists", lists),
    ("types", types),
    ("texts for programs", texts),
    ("unknown addresses", missing),
    ("internal files", internal),
    ("offers", |visit, faults| {
        offers(visit, faults);
        Ok(())
    }),
];

const PAGES: &str =
    "let the host answer `/en/team` with `en/team.html`, or take the folder that `generator host` makes for it";
const LISTS: &str = "a host for files cannot answer by query: take one that runs code (`generator host` knows several), or publish no \
                     lists there; an answer in another language is worse than none";
const INTERNAL: &str = "publish the folder that `generator host` makes instead of dist/ itself";

fn pages(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    let start = found(visit, "/", &[])?;
    expect(faults, start.has_type("text/html"), PAGES, || "/ is not HTML".to_owned());
    for locale in Locale::ALL {
        let path = format!("/{locale}");
        let page = visit.get(&path, &[]).map_err(unanswered)?;
        expect(faults, page.status == 200 && page.has_type("text/html"), PAGES, || {
            format!("{path} answers {} as `{}`", page.status, page.field("content-type"))
        });
        // Such a host is not expected to negotiate, only to keep both forms apart.
        let twin = format!("/{locale}.md");
        drop(found(visit, &twin, &[]).map_err(|fault| faults.push(fault)));
    }
    Ok(())
}

fn lists(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for operation in routes::OPERATIONS.iter().filter(|operation| operation.localized) {
        let ask = |locale: Locale| visit.get(&format!("{}?locale={locale}", operation.path), &[]).map_err(unanswered);
        let (en, tr) = (ask(Locale::En)?, ask(Locale::Tr)?);
        expect(faults, tr.status != 200 || tr.body != en.body, LISTS, || {
            format!("{}?locale=tr answers in another language, with 200", operation.path)
        });
    }
    Ok(())
}

fn internal(visit: &Visit, faults: &mut Vec<Fault>) -> Result<(), Fault> {
    for path in [format!("/{FILE_NAME}"), format!("/{PARTS}/search.en")] {
        let answer = visit.get(&path, &[]).map_err(unanswered)?;
        expect(faults, answer.status != 200, INTERNAL, || format!("{path} is published"));
    }
    Ok(())
}
