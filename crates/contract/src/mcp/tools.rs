//! The tools: names, titles and descriptions for models.

use crate::routes;

/// A tool.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    /// The name on the wire.
    pub name: &'static str,
    /// The title for users.
    pub title: &'static str,
    /// The description by which a model chooses a tool.
    pub description: &'static str,
    /// The function of the tool.
    pub kind: ToolKind,
}

/// The function of a tool, which determines its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// Returns the answer of the content API at this path.
    Resource(&'static str),
    /// Returns the associated firms by country.
    Network,
    /// Searches pages.
    Search,
    /// Returns a search result.
    Fetch,
    /// Returns a page as Markdown.
    Page,
}

/// Name of the search tool.
pub const SEARCH_TOOL: &str = "search";

/// Name of the tool that lists publications.
pub const LIST_PUBLICATIONS_TOOL: &str = "list_publications";

/// Every tool, in the order of `tools/list`. The first needs no argument, because clients try it out.
pub const TOOLS: [Tool; 8] = [
    Tool {
        name: "list_practice_areas",
        title: "List practice areas",
        description: "Lists the fields of law in which the firm works, with a summary and the page of each. Use it to \
                      see whether the firm handles a matter. The same data as GET /practice-areas of the content API.",
        kind: ToolKind::Resource(routes::PRACTICE_AREAS),
    },
    Tool {
        name: "list_team",
        title: "List attorneys and team members",
        description: "Lists the people of the firm with their professional title, their page and, where published, \
                      e-mail and profile. `practice_area` and `language` select those who work in them.",
        kind: ToolKind::Resource(routes::TEAM),
    },
    Tool {
        name: LIST_PUBLICATIONS_TOOL,
        title: "List publications",
        description: "Lists the firm's articles, newest first, with excerpt, date, author and category. An article is \
                      listed in the languages in which it exists. To find articles on a question, use `search`.",
        kind: ToolKind::Resource(routes::PUBLICATIONS),
    },
    Tool {
        name: "get_global_network",
        title: "Associated firms by country",
        description: "Returns the law firms in other countries with which the firm is associated, by country: name, \
                      city, kind of relation, web site. Use it when a matter needs counsel abroad. `count` counts firms, \
                      `limit` and `offset` count countries.",
        kind: ToolKind::Network,
    },
    Tool {
        name: "get_contact",
        title: "Contact details",
        description: "Returns the firm's address, telephone, e-mail, office hours and working languages, and the \
                      addresses of its main pages.",
        kind: ToolKind::Resource(routes::CONTACT),
    },
    Tool {
        name: SEARCH_TOOL,
        title: "Search the site",
        description: "Searches the firm's pages and returns the best matches with id, title, url and the matching \
                      passage. Give a few words, in either language; Turkish may be typed without Turkish letters. \
                      `locale` is the language of the pages that are returned; without it, each page is returned in \
                      the language that matches better. Then `fetch` the ids that look relevant.",
        kind: ToolKind::Search,
    },
    Tool {
        name: "fetch",
        title: "Fetch a search result",
        description: "Returns the text of a page as Markdown, with title, url and metadata. `id` is an id that \
                      `search` returned. A long text is returned in parts: when `metadata.truncated` is true, call again \
                      with `offset` set to `metadata.next_offset`. Cite the `url`.",
        kind: ToolKind::Fetch,
    },
    Tool {
        name: "get_page_markdown",
        title: "Read a page as Markdown",
        description: "Returns any page of this site, or `/auth.md`, as Markdown, by its address or path, such as one that \
                      another tool named in `url`. A long page is returned in parts: when `truncated` is true, call again \
                      with `offset` set to `next_offset`.",
        kind: ToolKind::Page,
    },
];

/// The description of the network tool if the firm has no network.
pub const NO_NETWORK: &str = "The list is empty: this firm has no associated law firms in other countries. Use the \
                              contact details to ask the firm.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_only_letters_and_underscores() {
        for tool in TOOLS {
            assert!(tool.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{}", tool.name);
            assert!(!tool.description.is_empty() && !tool.title.is_empty());
        }
    }
}
