//! What the address of a result page asks for.

use contract::{
    forms::search::{SearchWords, parameters},
    mcp::limits::QUERY,
};
use percent_encoding::{percent_decode, utf8_percent_encode};

use super::SearchPage;
use crate::value::UNRESERVED;

/// The parameters of an address, understood.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SearchQuery {
    /// The words, without what cannot be shown.
    pub(super) query: String,
    /// The filters, by the place of their parameter: kind, subject, year.
    pub(super) filters: [Option<String>; 3],
    /// From 1 on.
    pub(super) page: usize,
}

/// The parameters of the filters.
pub(super) const FILTERS: [&str; 3] = [parameters::KIND, parameters::SUBJECT, parameters::YEAR];

impl SearchQuery {
    /// Reads an address. Other parameters, as mail programs add them, are ignored.
    ///
    /// # Errors
    /// Returns the words if a filter or a number is none that a page of results could have.
    pub(super) fn parse(address: &str, words: &SearchWords) -> Result<Self, String> {
        let mut found = Self { page: 1, ..Self::default() };
        let (mut seen, mut is_bad) = (Vec::new(), false);
        for pair in address.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let (name, value) = (decode(name), decode(value));
            let Some(name) = parameters::ALL.into_iter().find(|known| *known == name) else { continue };
            is_bad |= seen.contains(&name);
            seen.push(name);
            let value = SearchPage::clean(&value);
            if value.is_empty() {
                continue;
            }
            match name {
                parameters::QUERY => found.query = value.chars().take(QUERY).collect(),
                parameters::PAGE => match value.parse() {
                    Ok(page) if page > 0 => found.page = page,
                    _ => is_bad = true,
                },
                _ => {
                    let is_known = match name {
                        parameters::KIND => words.kinds.contains_key(&value),
                        parameters::SUBJECT => words.subjects.contains_key(&value),
                        _ => value.len() == 4 && value.bytes().all(|byte| byte.is_ascii_digit()),
                    };
                    is_bad |= !is_known;
                    if let Some(at) = FILTERS.iter().position(|filter| *filter == name) {
                        found.filters[at] = Some(value);
                    }
                }
            }
        }
        if is_bad { Err(found.query) } else { Ok(found) }
    }

    /// The address of another page of results for the same words.
    pub(super) fn address(&self, path: &str) -> String {
        let mut address = format!("{path}?{}={}", parameters::QUERY, utf8_percent_encode(&self.query, UNRESERVED));
        let page = (self.page > 1).then(|| self.page.to_string());
        let others = FILTERS.into_iter().zip(self.filters.iter()).chain([(parameters::PAGE, &page)]);
        for (name, value) in others {
            if let Some(value) = value {
                address.extend(["&", name, "=", &utf8_percent_encode(value, UNRESERVED).to_string()]);
            }
        }
        address
    }

    /// The same question with one filter set to `value`, from the first page on.
    pub(super) fn with(&self, filter: usize, value: Option<&str>) -> Self {
        let mut other = Self { page: 1, ..self.clone() };
        other.filters[filter] = value.map(str::to_owned);
        other
    }
}

fn decode(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode(spaced.as_bytes()).decode_utf8_lossy().into_owned()
}
