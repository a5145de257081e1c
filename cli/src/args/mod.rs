//! The command line: its commands and their help.

mod language;
pub(crate) mod mistake;
mod options;
mod registration;
mod shell;

use clap::{ArgAction, CommandFactory, Parser, Subcommand, ValueHint, builder::PossibleValuesParser};
use contract::{mcp::limits, tool};

pub(crate) use self::{
    language::{LanguageOption, MessageLanguage, SearchLanguage},
    options::{Options, OutputFormat},
    registration::{AssertionArguments, ClaimArguments, LogoutArguments, RegisterArguments, RequestedCredential},
    shell::Shell,
};
use crate::{exit::Exit, surroundings::Surroundings};

const TEMPLATE: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";
/// Help template of commands without requests: it leaves out the options about requests.
const LOCAL_TEMPLATE: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\nArguments:\n{positionals}";
const ROOT_TEMPLATE: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\nCommands:\n{subcommands}{after-help}";

/// Read a law firm's public content: people, fields of law, articles
#[derive(Debug, Parser)]
#[command(name = "mecelle", help_template = ROOT_TEMPLATE, override_usage = "mecelle <COMMAND> [OPTIONS]")]
#[command(disable_version_flag = true, subcommand_required = true, arg_required_else_help = true)]
#[command(before_help = "Examples:\n  mecelle team --locale tr\n  mecelle publications --jq '.items[].title'\n  \
                         mecelle practice-areas --output csv > areas.csv")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Print the version
    #[arg(short = 'V', long, action = ArgAction::Version)]
    version: (),
}

impl Arguments {
    /// Returns an option of the command line that the command would ignore.
    pub(crate) fn unused_option(&self) -> Option<&'static str> {
        use Command::{Assertion, Completion, Logout, Man, Use};
        let Options { api_key, base_url, output, jq, .. } = &self.options;
        let command = &self.command;
        let is_without_data = matches!(command, Assertion(_) | Completion { .. } | Man { .. } | Use { .. } | Logout(_));
        let is_without_host = match command {
            Assertion(wanted) => wanted.audience.is_some(),
            command => matches!(command, Use { .. } | Completion { .. } | Man { .. }),
        };
        [
            ("--api-key", api_key.is_some() && command.sends_no_key()),
            ("--base-url", base_url.is_some() && is_without_host),
            ("--output", output.is_some() && is_without_data),
            ("--jq", jq.is_some() && is_without_data),
        ]
        .into_iter()
        .find_map(|(option, is_unused)| is_unused.then_some(option))
    }
}

/// The commands of the tool.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Set the host that all commands use
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle use https://firm.example\n  mecelle use 127.0.0.1:8080")]
    Use {
        /// The firm's site, with or without /api/v1
        #[arg(value_hint = ValueHint::Url)]
        url: String,
    },
    /// List the firm's fields of law
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle practice-areas\n  mecelle practice-areas --locale tr --wide\n  \
                             mecelle practice-areas --jq '.items[].name'")]
    PracticeAreas(LanguageOption),
    /// List attorneys and team members
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle team\n  mecelle team --locale tr --output markdown\n  \
                             mecelle team --jq '.items[] | select(.email) | .email'")]
    Team(LanguageOption),
    /// List published articles, newest first
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle publications --locale tr\n  mecelle publications --output csv\n  \
                             mecelle publications --cites 6102/553\n  \
                             mecelle publications --jq '.items[0].url'")]
    Publications(PublicationArguments),
    /// Show how to reach the firm
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle contact\n  mecelle contact --locale tr\n  \
                             mecelle contact --jq .telephone")]
    Contact(LanguageOption),
    /// List the service's interfaces (its API catalog)
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle catalog\n  mecelle catalog --jq '.linkset[].anchor'")]
    Catalog,
    /// Search the pages of the site
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle search uzaktan calisma --locale tr\n  \
                             mecelle search --cites 6102/553\n  \
                             mecelle search kvkk -l tr --limit 3 --jq '.results[].url'")]
    Search(SearchArguments),
    /// Register for a key of your own, and store it
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle register\n  mecelle register --email you@firm.example\n  \
                             mecelle assertion --email you@firm.example | mecelle register --assertion -")]
    Register(RegisterArguments),
    /// Sign an identity assertion for tests on this machine
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  \
                             mecelle assertion --email you@firm.example | mecelle register --assertion -\n  \
                             mecelle assertion --email you@firm.example --logout")]
    Assertion(AssertionArguments),
    /// Claim the registration for a person, by e-mail
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle claim --email you@firm.example\n  mecelle claim --code 123456\n  \
                             mecelle claim --wait")]
    Claim(ClaimArguments),
    /// Show which key is used here, and whether it is valid
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle whoami\n  mecelle whoami --jq .scopes")]
    Whoami,
    /// Revoke the key, and delete it here
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle logout\n  mecelle logout --forget")]
    Logout(LogoutArguments),
    /// Check whether the service answers
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle health\n  mecelle health --base-url 127.0.0.1:8080 --retries 0")]
    Health,
    #[command(about = "Show the API's OpenAPI description", help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle openapi\n  mecelle openapi --output json > openapi.json\n  \
                             mecelle openapi --jq '.paths | keys'")]
    Openapi,
    /// Print a completion script for a shell
    #[command(help_template = LOCAL_TEMPLATE)]
    #[command(
        before_help = "Examples:\n  mecelle completion bash > ~/.local/share/bash-completion/completions/mecelle\n  \
                             mecelle completion zsh > \"${fpath[1]}/_mecelle\"\n  \
                             mecelle completion fish > ~/.config/fish/completions/mecelle.fish"
    )]
    Completion {
        /// bash, zsh, fish, powershell, elvish or nushell
        #[arg(hide_possible_values = true)]
        shell: Shell,
    },
    /// Print the manual page of the tool or of one command
    #[command(hide = true, help_template = LOCAL_TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle man > mecelle.1\n  mecelle man team > mecelle-team.1")]
    Man {
        /// Command whose page is printed
        #[arg(hide_possible_values = true)]
        command: Option<String>,
    },
}

/// Arguments of the list of articles.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct PublicationArguments {
    #[command(flatten)]
    pub(crate) language: LanguageOption,
    /// Only articles that cite this law or article of law
    #[arg(long, value_name = "LAW", value_hint = ValueHint::Other, value_parser = law, display_order = 1)]
    pub(crate) cites: Option<String>,
}

/// Arguments of a search.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SearchArguments {
    /// Words to search for
    #[arg(required_unless_present = "cites", value_name = "WORD", value_hint = ValueHint::Other)]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) language: SearchLanguage,
    /// Only texts that cite this law or article of law
    #[arg(long, value_name = "LAW", value_hint = ValueHint::Other, value_parser = law, display_order = 1)]
    pub(crate) cites: Option<String>,
    /// Maximum number of results [default: 10]
    #[arg(long, value_name = "N", default_value_t = 10, hide_default_value = true, display_order = 1)]
    #[arg(value_parser = options::number(1, 50), value_hint = ValueHint::Other)]
    pub(crate) limit: u8,
}

/// Accepts what may name a law or an article of it; the host has the table of laws. Hosts ignore a blank one.
fn law(text: &str) -> Result<String, String> {
    let text = text.trim();
    let is_law = !text.is_empty() && text.chars().count() <= limits::FILTER;
    is_law.then(|| text.to_owned()).ok_or_else(|| "name a law or an article of it, such as 6102 or 6102/553".to_owned())
}

impl Command {
    /// Returns whether the command sends neither a given key nor the sandbox key: it sends no request, or one with a
    /// token, an assertion or the kept key in its body, or one to a new host.
    pub(crate) const fn sends_no_key(&self) -> bool {
        matches!(
            self,
            Self::Assertion(_)
                | Self::Completion { .. }
                | Self::Man { .. }
                | Self::Use { .. }
                | Self::Register(_)
                | Self::Claim(_)
                | Self::Logout(_)
        )
    }

    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Use { .. } => names::USE,
            Self::PracticeAreas(_) => "practice-areas",
            Self::Team(_) => "team",
            Self::Publications(_) => "publications",
            Self::Contact(_) => "contact",
            Self::Catalog => names::CATALOG,
            Self::Search(_) => names::SEARCH,
            Self::Register(_) => names::REGISTER,
            Self::Assertion(_) => "assertion",
            Self::Claim(_) => names::CLAIM,
            Self::Whoami => "whoami",
            Self::Logout(_) => names::LOGOUT,
            Self::Health => names::HEALTH,
            Self::Openapi => "openapi",
            Self::Completion { .. } => names::COMPLETION,
            Self::Man { .. } => names::MAN,
        }
    }
}

/// Names of commands with special treatment.
pub(crate) mod names {
    pub(crate) const USE: &str = "use";
    pub(crate) const CATALOG: &str = "catalog";
    pub(crate) const SEARCH: &str = "search";
    /// If this command fails, there may be a registration whose reply was lost.
    pub(crate) const REGISTER: &str = "register";
    pub(crate) const CLAIM: &str = "claim";
    pub(crate) const LOGOUT: &str = "logout";
    pub(crate) const HEALTH: &str = "health";
    pub(crate) const COMPLETION: &str = "completion";
    pub(crate) const MAN: &str = "man";
}

pub(crate) const VERSION: &str = env!("MECELLE_VERSION");

/// Builds the parser, with help as wide as the terminal.
pub(crate) fn command(env: &Surroundings) -> clap::Command {
    let width = env.screen.map_or(80, |screen| screen.columns.clamp(40, 100));
    let command = Arguments::command().version(VERSION).term_width(width).after_help(after_help());
    let pages = command.get_subcommands().filter(|command| !command.is_hide_set());
    let names = PossibleValuesParser::new(pages.map(|command| command.get_name().to_owned()).collect::<Vec<_>>());
    command.mut_subcommand(names::MAN, |man| man.mut_arg("command", |arg| arg.value_parser(names)))
}

/// Lists the variables and exit codes for the help.
fn after_help() -> String {
    let codes = Exit::ALL.map(|exit| format!("{} {}", exit.code(), exit.meaning()));
    let (first, rest) = codes.split_at(5);
    format!(
        "More: mecelle COMMAND --help, mecelle man.\nVariables: {}, {}, {}, NO_COLOR.\nExit codes: {},\n  {}.",
        tool::BASE_URL,
        tool::API_KEY,
        tool::PAGER,
        first.join(", "),
        rest.join(", ")
    )
}
