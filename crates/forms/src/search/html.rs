//! Results as HTML.

use contract::forms::search::{MAX_RESULTS, RESULTS_ON_PAGE, SearchContact};

use super::{
    SearchPage,
    query::{FILTERS, SearchQuery},
    results::{ListedPage, Results},
};
use crate::value::escape_into;

/// Writes HTML; [`Self::text`] escapes.
#[derive(Default)]
struct ResultsHtml(String);

impl ResultsHtml {
    fn raw(&mut self, markup: &str) -> &mut Self {
        self.0.push_str(markup);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        escape_into(&mut self.0, text);
        self
    }

    fn link(&mut self, attributes: &str, address: &str, text: &str) -> &mut Self {
        self.raw("<a").raw(attributes).raw(" href=\"").text(address).raw("\">").text(text).raw("</a>")
    }
}

/// Returns the results as HTML, or the message why there are none.
pub(super) fn render(page: &SearchPage, results: Result<&(SearchQuery, Results<'_>), &str>) -> String {
    let (text, mut out) = (&page.words.text, ResultsHtml::default());
    let (query, results) = match results {
        Ok(results) => results,
        Err(why) => {
            out.raw("<p class=\"found\" role=\"status\">").text(why).raw("</p>\n");
            return out.0;
        }
    };
    out.raw("<p class=\"found\" role=\"status\">").text(&page.sentence(query, results)).raw("</p>\n");
    if let Some(suggestion) = &results.suggestion {
        let address =
            SearchQuery { query: suggestion.clone(), page: 1, ..SearchQuery::default() }.address(&page.words.path);
        out.raw("<p class=\"meant\">").text(&text.did_you_mean).raw(" ").link("", &address, suggestion).raw("</p>\n");
    }
    write_filters(page, query, results, &mut out);
    if results.total == 0 {
        write_no_results(page, &mut out);
    } else {
        let start = (query.page - 1) * RESULTS_ON_PAGE + 1;
        out.raw("<ol class=\"hits\" role=\"list\" start=\"").text(&start.to_string()).raw("\">\n");
        results.hits.iter().for_each(|hit| write_result(page, hit, &mut out));
        out.raw("</ol>\n");
        write_page_links(page, query, results, &mut out);
    }
    out.0
}

fn write_no_results(page: &SearchPage, out: &mut ResultsHtml) {
    let text = &page.words.text;
    out.raw("<ul class=\"attempts\">\n");
    for attempt in &text.attempts {
        out.raw("<li>").text(attempt).raw("</li>\n");
    }
    let contact = &page.words.contact;
    out.raw("</ul>\n<p class=\"ask\">").text(&text.ask).raw(" ").link("", &contact.path, &contact.name).raw("</p>\n");
    write_contact(contact, out);
}

fn write_result(page: &SearchPage, listed: &ListedPage<'_>, out: &mut ResultsHtml) {
    let (hit, locale) = (&listed.found.hit, listed.found.locale);
    let language = format!(" lang=\"{locale}\" hreflang=\"{locale}\"");
    out.raw("<li>\n<h2>").link(&language, hit.id, hit.title).raw("</h2>\n<p class=\"about\">");
    for (at, about) in page.about(listed).iter().enumerate() {
        out.raw(if at == 0 { "" } else { " · " }).text(about);
    }
    out.raw("</p>\n");
    if !listed.snippet.is_empty() {
        out.raw("<p class=\"passage\" lang=\"").raw(locale.as_str()).raw("\">");
        let mut rest = 0;
        for mark in &listed.marks {
            out.text(&listed.snippet[rest..mark.start])
                .raw("<mark>")
                .text(&listed.snippet[mark.clone()])
                .raw("</mark>");
            rest = mark.end;
        }
        out.text(&listed.snippet[rest..]).raw("</p>\n");
    }
    if let Some(contact) = &listed.facts.contact {
        write_contact(contact, out);
    }
    out.raw("</li>\n");
}

fn write_contact(contact: &SearchContact, out: &mut ResultsHtml) {
    let email = contact.email.as_ref().map(|email| (format!("mailto:{email}"), email));
    let telephone =
        contact.telephone.as_ref().map(|it| (format!("tel:{it}"), contact.telephone_display.as_ref().unwrap_or(it)));
    let ways: Vec<_> = [email, telephone].into_iter().flatten().collect();
    if ways.is_empty() {
        return;
    }
    out.raw("<p class=\"reach\">");
    for (at, (address, label)) in ways.iter().enumerate() {
        out.raw(if at == 0 { "" } else { " · " }).link("", address, label);
    }
    out.raw("</p>\n");
}

fn write_filters(page: &SearchPage, query: &SearchQuery, results: &Results<'_>, out: &mut ResultsHtml) {
    let text = &page.words.text;
    let labels = [&text.kind, &text.subject, &text.year];
    // A filter with one value is not shown.
    let is_shown = |filter: &usize| results.filters[*filter].len() > 1 || query.filters[*filter].is_some();
    let visible: Vec<usize> = (0..FILTERS.len()).filter(is_shown).collect();
    if visible.is_empty() {
        return;
    }
    out.raw("<nav class=\"filters\" aria-label=\"").text(&text.filters).raw("\">\n<dl>\n");
    for filter in visible {
        out.raw("<div><dt>").text(labels[filter]).raw("</dt>");
        let current = query.filters[filter].as_deref();
        if current.is_some() {
            let address = query.with(filter, None).address(&page.words.path);
            out.raw("<dd>").link("", &address, &text.all).raw("</dd>");
        }
        for (value, count) in &results.filters[filter] {
            let label = format!("{} ({count})", page.label(filter, value));
            out.raw("<dd>");
            if current == Some(value) {
                out.raw("<strong aria-current=\"true\">").text(&label).raw("</strong>");
            } else {
                out.link("", &query.with(filter, Some(value)).address(&page.words.path), &label);
            }
            out.raw("</dd>");
        }
        out.raw("</div>\n");
    }
    out.raw("</dl>\n</nav>\n");
}

fn write_page_links(page: &SearchPage, query: &SearchQuery, results: &Results<'_>, out: &mut ResultsHtml) {
    if results.pages == 1 {
        return;
    }
    let text = &page.words.text;
    let to = |page: usize| SearchQuery { page, ..query.clone() };
    let here = page.number(query, results);
    out.raw("<nav class=\"pages\" aria-label=\"").text(&here).raw("\">\n<p>");
    if query.page > 1 {
        out.link(" rel=\"prev\"", &to(query.page - 1).address(&page.words.path), &text.previous).raw(" ");
    }
    out.raw("<span>").text(&here).raw("</span>");
    if query.page < results.pages {
        out.raw(" ").link(" rel=\"next\"", &to(query.page + 1).address(&page.words.path), &text.next);
    }
    out.raw("</p>\n</nav>\n");
}

impl SearchPage {
    /// Returns the sentence with the number of results.
    pub(super) fn sentence(&self, query: &SearchQuery, results: &Results<'_>) -> String {
        let text = &self.words.text;
        let sentence = match results.total {
            0 => &text.nothing,
            1 => &text.found_one,
            MAX_RESULTS.. => &text.found_most,
            _ => &text.found,
        };
        // Replace `{query}` last, so that the query is not expanded.
        sentence.replace("{total}", &results.total.to_string()).replacen("{query}", &query.query, 1)
    }

    /// Returns the number of this page of results, as text.
    pub(super) fn number(&self, query: &SearchQuery, results: &Results<'_>) -> String {
        let page = self.words.text.page.replace("{pages}", &results.pages.to_string());
        page.replace("{page}", &query.page.to_string())
    }

    /// Returns the kind, the date and the language of a result.
    pub(super) fn about(&self, listed: &ListedPage<'_>) -> Vec<String> {
        let kind = self.words.kinds.get(listed.found.hit.kind).cloned();
        let as_of = listed.facts.as_of.as_deref().map(|date| self.words.text.as_of.replace("{date}", &self.date(date)));
        let language = (listed.found.locale != self.locale).then(|| self.words.text.in_other.clone());
        [kind, as_of, language].into_iter().flatten().collect()
    }

    pub(super) fn label<'s>(&'s self, filter: usize, value: &'s str) -> &'s str {
        let names = [Some(&self.words.kinds), Some(&self.words.subjects), None];
        names[filter].and_then(|names| names.get(value)).map_or(value, String::as_str)
    }

    /// Formats a day of ISO 8601 as day, name of the month and year, as both languages do.
    fn date(&self, iso: &str) -> String {
        let parts: Vec<&str> = iso.splitn(3, '-').collect();
        let [year, month, day] = parts[..] else { return iso.to_owned() };
        let number = month.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let name = number.and_then(|number| self.words.months.get(number));
        name.map_or_else(|| iso.to_owned(), |name| format!("{} {name} {year}", day.trim_start_matches('0')))
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.words.site_url)
    }
}
