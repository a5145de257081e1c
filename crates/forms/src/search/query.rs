//! Parses the query of a result page.

use contract::{
    forms::search::{SearchWords, parameters},
    mcp::limits::QUERY,
};
use percent_encoding::{percent_decode, utf8_percent_encode};

use super::SearchPage;
use crate::value::UNRESERVED;

/// The parameters of a result page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SearchQuery {
    /// The search words, cleaned.
    pub(super) query: String,
    /// The values of [`FILTERS`].
    pub(super) filters: [Option<String>; 3],
    /// Counts from 1.
    pub(super) page: usize,
}

pub(super) const FILTERS: [&str; 3] = [parameters::KIND, parameters::SUBJECT, parameters::YEAR];

impl SearchQuery {
    /// Parses a query. Unknown parameters, such as those of mail programs, are ignored.
    ///
    /// # Errors
    /// Returns the search words if a filter or a page number is invalid.
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

    /// Returns this query with one filter set to `value`, on the first page.
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
