//! Kinds of readers, and the names under which programs introduce themselves.
//!
//! Tokens of `User-Agent` are as their operators publish them; a program may send any. Those that operators publish for
//! `robots.txt` only (`Google-Extended`, `Applebot-Extended`) are sent by no program.

contract::names! {
    /// A kind of reader.
    pub enum ReaderGroup {
        Browser "browser",
        Search "search_engine",
        /// A program of the operator of a language model.
        Agent "agent",
        /// A client of the Model Context Protocol.
        Mcp "mcp",
        /// Any other program.
        Tool "tool",
    }
}

/// A reader, by its row in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownReader(u8);

use ReaderGroup::{Agent, Browser, Mcp, Search, Tool};

/// Group, name, and the token of `User-Agent` in lower case. The first match counts.
const READERS: [(ReaderGroup, &str, &str); 65] = [
    (Browser, "browser", ""),
    (Mcp, "mcp", ""),
    (Tool, "other", ""),
    // https://platform.openai.com/docs/bots
    (Agent, "GPTBot", "gptbot"),
    (Agent, "OAI-SearchBot", "oai-searchbot"),
    (Agent, "ChatGPT-User", "chatgpt-user"),
    // https://support.claude.com/en/articles/8896518
    (Agent, "ClaudeBot", "claudebot"),
    (Agent, "Claude-User", "claude-user"),
    (Agent, "Claude-SearchBot", "claude-searchbot"),
    (Agent, "Claude-Web", "claude-web"),
    // https://docs.perplexity.ai/guides/bots
    (Agent, "PerplexityBot", "perplexitybot"),
    (Agent, "Perplexity-User", "perplexity-user"),
    // https://developers.google.com/search/docs/crawling-indexing/google-common-crawlers, -special- and -user-triggered-
    (Agent, "Google-CloudVertexBot", "google-cloudvertexbot"),
    (Agent, "Google-NotebookLM", "google-notebooklm"),
    (Agent, "GoogleOther", "googleother"),
    (Search, "Google-InspectionTool", "google-inspectiontool"),
    (Search, "Googlebot", "googlebot"),
    // https://developer.amazon.com/amazonbot
    (Agent, "Amazonbot", "amazonbot"),
    (Agent, "Amzn-SearchBot", "amzn-searchbot"),
    (Agent, "Amzn-User", "amzn-user"),
    // https://developers.facebook.com/docs/sharing/webmasters/web-crawlers
    (Agent, "meta-externalagent", "meta-externalagent"),
    (Agent, "meta-externalfetcher", "meta-externalfetcher"),
    (Agent, "meta-webindexer", "meta-webindexer"),
    (Tool, "facebookexternalhit", "facebookexternalhit"),
    // https://docs.mistral.ai/robots
    (Agent, "MistralAI-User", "mistralai-user"),
    (Agent, "MistralAI-Index", "mistralai-index"),
    // https://duckduckgo.com/duckduckgo-help-pages/results/duckassistbot and duckduckbot
    (Agent, "DuckAssistBot", "duckassistbot"),
    (Search, "DuckDuckBot", "duckduckbot"),
    // https://commoncrawl.org/ccbot
    (Agent, "CCBot", "ccbot"),
    // https://about.you.com/youbot
    (Agent, "YouBot", "youbot"),
    (Agent, "Bytespider", "bytespider"),
    (Agent, "cohere-ai", "cohere-"),
    // https://support.apple.com/en-us/119829
    (Search, "Applebot", "applebot"),
    // https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0
    (Search, "bingbot", "bingbot"),
    // https://yandex.com/support/webmaster/en/robot-workings/user-agent
    (Search, "Yandex", "yandex.com/bots"),
    (Search, "Baiduspider", "baiduspider"),
    // https://webmaster.petalsearch.com/site/petalbot
    (Search, "PetalBot", "petalbot"),
    (Search, "SeznamBot", "seznambot"),
    (Search, "Qwantbot", "qwant"),
    (Search, "Sogou", "sogou"),
    (Search, "Mojeek", "mojeekbot"),
    // Previews of links in messages and networks.
    (Tool, "LinkedInBot", "linkedinbot"),
    (Tool, "Twitterbot", "twitterbot"),
    (Tool, "WhatsApp", "whatsapp"),
    (Tool, "TelegramBot", "telegrambot"),
    (Tool, "Slackbot", "slackbot"),
    (Tool, "Discordbot", "discordbot"),
    (Tool, "SkypeUriPreview", "skypeuripreview"),
    // Archives and analysts of links.
    (Tool, "archive.org_bot", "archive.org_bot"),
    (Tool, "AhrefsBot", "ahrefsbot"),
    (Tool, "SemrushBot", "semrushbot"),
    (Tool, "MJ12bot", "mj12bot"),
    (Tool, "DotBot", "dotbot"),
    // Programs and libraries.
    (Tool, "mecelle", "mecelle/"),
    (Tool, "curl", "curl/"),
    (Tool, "Wget", "wget/"),
    (Tool, "python", "python"),
    (Tool, "aiohttp", "aiohttp/"),
    (Tool, "Go", "go-http-client"),
    (Tool, "node", "node"),
    (Tool, "axios", "axios/"),
    (Tool, "okhttp", "okhttp/"),
    (Tool, "Java", "java/"),
    (Tool, "Postman", "postmanruntime/"),
    (Tool, "PowerShell", "powershell/"),
];

/// Words of programs that call themselves a browser too.
const PROGRAMS: [&str; 6] = ["bot", "crawl", "spider", "headless", "http://", "https://"];
/// Longer values are cut before they are examined.
const MAX_BYTES: usize = 512;

impl KnownReader {
    pub(crate) const COUNT: usize = READERS.len();
    const BROWSER: Self = Self(0);
    /// A client of the Model Context Protocol, whatever it calls itself.
    pub const MCP: Self = Self(1);
    /// A program without a known name.
    pub const OTHER: Self = Self(2);

    /// Recognizes the sender of a request by its `User-Agent`.
    pub fn of(user_agent: &[u8]) -> Self {
        let mut name = user_agent[..user_agent.len().min(MAX_BYTES)].to_ascii_lowercase();
        name.retain(u8::is_ascii);
        let name = str::from_utf8(&name).unwrap_or_default();
        let named = (0..).zip(READERS).skip(3).find(|(_, (_, _, token))| name.contains(token));
        match named {
            Some((row, _)) => Self(row),
            None if name.starts_with("mozilla/") && !PROGRAMS.iter().any(|word| name.contains(word)) => Self::BROWSER,
            None => Self::OTHER,
        }
    }

    /// Whether `generator doctor` sends the request: an operator's check is no reading.
    pub fn is_check(user_agent: &[u8]) -> bool {
        user_agent.starts_with(b"mecelle-doctor/")
    }

    pub fn group(self) -> ReaderGroup {
        READERS[usize::from(self.0)].0
    }

    pub fn name(self) -> &'static str {
        READERS[usize::from(self.0)].1
    }

    pub(crate) fn row(self) -> usize {
        usize::from(self.0)
    }

    pub(crate) fn at(row: usize) -> Self {
        Self(u8::try_from(row).unwrap_or(Self::OTHER.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_are_recognized_by_their_published_names() {
        for (agent, group, name) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", Browser, "browser"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                 Version/18.5 Mobile/15E148 Safari/604.1",
                Browser,
                "browser",
            ),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
                Agent,
                "GPTBot",
            ),
            (
                "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; ClaudeBot/1.0; +claudebot@anthropic.com)",
                Agent,
                "ClaudeBot",
            ),
            ("Mozilla/5.0 (compatible; Claude-User/1.0; +Claude-User@anthropic.com)", Agent, "Claude-User"),
            ("Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)", Search, "bingbot"),
            ("Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)", Search, "Yandex"),
            ("Mozilla/5.0 (compatible; SomethingBot/1.0; +https://bot.example)", Tool, "other"),
            ("curl/8.14.1", Tool, "curl"),
            ("mecelle/0.1.0", Tool, "mecelle"),
            ("python-requests/2.32", Tool, "python"),
            ("", Tool, "other"),
        ] {
            let reader = KnownReader::of(agent.as_bytes());
            assert_eq!((reader.group(), reader.name()), (group, name), "{agent}");
        }
        assert_eq!(KnownReader::of(&[0xff; 9000]), KnownReader::OTHER);
        assert_eq!(
            KnownReader::of(&[&[b'x'; 600][..], b"curl/8"].concat()),
            KnownReader::OTHER,
            "only the beginning is read"
        );
    }

    #[test]
    fn every_row_of_the_table_is_found_by_its_own_name() {
        for (row, (_, name, token)) in READERS.iter().enumerate().skip(3) {
            assert_eq!(KnownReader::of(format!("{token}1.0").as_bytes()), KnownReader::at(row), "{name}");
            assert_eq!(*token, token.to_ascii_lowercase());
        }
    }
}
