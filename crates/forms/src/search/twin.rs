//! Results as Markdown.

use std::fmt::Write as _;

use contract::forms::search::{RESULTS_ON_PAGE, SearchContact};

use super::{SearchPage, query::SearchQuery, results::Results};

/// Returns the results as Markdown, or the message why there are none.
pub(super) fn render(page: &SearchPage, results: Result<&(SearchQuery, Results<'_>), &str>) -> String {
    let text = &page.words.text;
    let (query, results) = match results {
        Ok(results) => results,
        Err(why) => return escape(why),
    };
    // Links lead to Markdown too.
    let path = format!("{}.md", page.words.path);
    let link = |query: &SearchQuery, label: &str| format!("[{}]({})", escape(label), page.url(&query.address(&path)));
    let mut out = escape(&page.sentence(query, results));
    if let Some(suggestion) = &results.suggestion {
        let other = SearchQuery { query: suggestion.clone(), page: 1, ..SearchQuery::default() };
        let _ = write!(out, "\n\n{} {}", escape(&text.did_you_mean), link(&other, suggestion));
    }
    let mut filters = String::new();
    for (filter, name) in [&text.kind, &text.subject, &text.year].into_iter().enumerate() {
        let current = query.filters[filter].as_deref();
        if results.filters[filter].len() < 2 && current.is_none() {
            continue;
        }
        let all = current.map(|_| link(&query.with(filter, None), &text.all));
        let values = results.filters[filter].iter().map(|(value, count)| {
            let label = format!("{} ({count})", page.label(filter, value));
            if current == Some(value) {
                format!("**{}**", escape(&label))
            } else {
                link(&query.with(filter, Some(value)), &label)
            }
        });
        let values: Vec<String> = all.into_iter().chain(values).collect();
        let _ = write!(filters, "\n- {}: {}", escape(name), values.join(", "));
    }
    if !filters.is_empty() {
        let _ = write!(out, "\n{filters}");
    }
    if results.total == 0 {
        out.push('\n');
        for attempt in &text.attempts {
            let _ = write!(out, "\n- {}", escape(attempt));
        }
        let contact = &page.words.contact;
        let firm = format!("[{}]({})", escape(&contact.name), page.url(&contact.path));
        let _ = write!(out, "\n\n{} {firm}{}", escape(&text.ask), contact_links(contact));
        return out;
    }
    out.push('\n');
    for (number, listed) in ((query.page - 1) * RESULTS_ON_PAGE + 1..).zip(&results.hits) {
        let hit = &listed.found.hit;
        let about = page.about(listed).join(" · ");
        let _ = write!(out, "\n{number}. [{}]({}) · {}", escape(hit.title), hit.url, escape(&about));
        if let Some(contact) = &listed.facts.contact {
            out.push_str(&contact_links(contact));
        }
        if !listed.snippet.is_empty() {
            let (mut passage, mut rest) = (String::new(), 0);
            for mark in &listed.marks {
                let (before, word) = (&listed.snippet[rest..mark.start], &listed.snippet[mark.clone()]);
                passage.extend([&escape(before), "**", &escape(word), "**"]);
                rest = mark.end;
            }
            passage.push_str(&escape(&listed.snippet[rest..]));
            let _ = write!(out, "  \n   {}", escape_list_marker(&passage));
        }
    }
    if results.pages > 1 {
        let _ = write!(out, "\n\n{}", escape(&page.number(query, results)));
        let to = |page: usize| SearchQuery { page, ..query.clone() };
        if query.page > 1 {
            let _ = write!(out, " · {}", link(&to(query.page - 1), &text.previous));
        }
        if query.page < results.pages {
            let _ = write!(out, " · {}", link(&to(query.page + 1), &text.next));
        }
    }
    out
}

fn contact_links(contact: &SearchContact) -> String {
    let email = contact.email.as_ref().map(|email| format!(" · [{}](mailto:{email})", escape(email)));
    let telephone = contact
        .telephone
        .as_ref()
        .map(|number| format!(" · [{}](tel:{number})", escape(contact.telephone_display.as_ref().unwrap_or(number))));
    [email, telephone].into_iter().flatten().collect()
}

/// Escapes all Markdown in `text`.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for letter in text.chars() {
        if matches!(letter, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '|' | '~' | '#') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// Escapes a list marker at the start of `line`, such as in `12. madde` or `- `.
fn escape_list_marker(line: &str) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    match line.as_bytes().get(digits) {
        Some(b'.' | b')') if digits > 0 => format!("{}\\{}", &line[..digits], &line[digits..]),
        Some(b'-' | b'+' | b'=') if digits == 0 => format!("\\{line}"),
        _ => line.to_owned(),
    }
}
