//! Plain HTTP requests to the site.

use crate::visit::Findings;

/// A served build.
pub struct Site {
    /// Its origin.
    pub url: String,
    http: reqwest::Client,
}

impl Site {
    /// Creates a client for the site at `url`.
    pub fn new(url: &str) -> Self {
        Self { url: url.trim_end_matches('/').to_owned(), http: reqwest::Client::new() }
    }

    /// Requests the text at a path or an address of this site.
    pub async fn text(&self, path: &str) -> Result<String, Findings> {
        let path = path.strip_prefix(&self.url).unwrap_or(path);
        let reply = self.http.get(format!("{}{path}", self.url)).send().await?.error_for_status()?;
        Ok(reply.text().await?)
    }
}
