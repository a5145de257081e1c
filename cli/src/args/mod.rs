//! The command line: its words and its help.

mod options;

use clap::{ArgAction, CommandFactory, Parser, Subcommand};
use clap_complete::Shell as CommonShell;
use contract::Locale;

pub(crate) use self::options::{Format, Options};
use crate::{exit::Exit, surroundings::Surroundings};

const TEMPLATE: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";
/// For commands that ask nobody, and so have no use for the options about asking.
const LOCAL_TEMPLATE: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\nArguments:\n{positionals}";
const ROOT_TEMPLATE: &str = "{about}\n\n{before-help}{usage-heading} {usage}\n\nCommands:\n{subcommands}{after-help}";

/// Read a law firm's public content: people, fields of law, articles
#[derive(Debug, Parser)]
#[command(name = "mecelle", help_template = ROOT_TEMPLATE, disable_help_subcommand = true)]
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

/// What the tool does.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the firm's fields of law
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle practice-areas\n  mecelle practice-areas --locale tr --wide\n  \
                             mecelle practice-areas --jq '.items[].name'")]
    PracticeAreas(Language),
    /// List attorneys and team members
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle team\n  mecelle team --locale tr --output markdown\n  \
                             mecelle team --jq '.items[] | select(.email) | .email'")]
    Team(Language),
    /// List published articles, newest first
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle publications --locale tr\n  mecelle publications --output csv\n  \
                             mecelle publications --jq '.items[0].url'")]
    Publications(Language),
    /// Show how to reach the firm
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle contact\n  mecelle contact --locale tr\n  \
                             mecelle contact --jq .telephone")]
    Contact(Language),
    /// List the service's interfaces (its API catalog)
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle catalog\n  mecelle catalog --jq '.linkset[].anchor'")]
    Catalog,
    /// Find pages by what they say
    #[command(help_template = TEMPLATE)]
    #[command(
        before_help = "Examples:\n  mecelle search remote work\n  mecelle search uzaktan calisma --locale tr\n  \
                             mecelle search kvkk -l tr --limit 3 --jq '.results[].url'"
    )]
    Search(Search),
    /// Register for a key of your own, and keep it
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle register\n  mecelle register --email you@firm.example\n  \
                             provider-cli assertion | mecelle register --assertion -")]
    Register(Register),
    /// Claim the registration as a person, by mail
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle claim --email you@firm.example\n  mecelle claim --code 123456\n  \
                             mecelle claim --wait")]
    Claim(Claim),
    /// Show which key is used here, and whether it is valid
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle whoami\n  mecelle whoami --jq .scopes")]
    Whoami,
    /// Revoke the kept key and throw it away
    #[command(help_template = TEMPLATE)]
    #[command(before_help = "Examples:\n  mecelle logout")]
    Logout,
    /// Ask whether the service answers
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
        /// A command
        command: Option<String>,
    },
}

impl Command {
    /// The name on the command line.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::PracticeAreas(_) => "practice-areas",
            Self::Team(_) => "team",
            Self::Publications(_) => "publications",
            Self::Contact(_) => "contact",
            Self::Catalog => "catalog",
            Self::Search(_) => "search",
            Self::Register(_) => "register",
            Self::Claim(_) => "claim",
            Self::Whoami => "whoami",
            Self::Logout => "logout",
            Self::Health => "health",
            Self::Openapi => "openapi",
            Self::Completion { .. } => "completion",
            Self::Man { .. } => "man",
        }
    }
}

/// What to look for.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Search {
    /// What a page should be about
    #[arg(required = true, value_name = "WORD")]
    pub(crate) words: Vec<String>,
    #[command(flatten)]
    pub(crate) language: Language,
    /// Most results [default: 10]
    #[arg(long, value_name = "N", default_value_t = 10, hide_default_value = true, display_order = 1)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=50))]
    pub(crate) limit: u8,
}

/// With what to register; with nothing, anonymously.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Register {
    /// Register for the person with this mailbox, who then claims it
    #[arg(long, value_name = "ADDRESS", display_order = 0, conflicts_with = "assertion")]
    pub(crate) email: Option<String>,
    /// File with an agent provider's assertion (ID-JAG); - is standard input
    #[arg(long, value_name = "FILE", display_order = 1)]
    pub(crate) assertion: Option<String>,
    /// api-key or access-token, if the service offers both
    #[arg(long, value_name = "TYPE", display_order = 2, hide_possible_values = true)]
    pub(crate) credential: Option<CredentialType>,
}

/// A kind of credential.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum CredentialType {
    #[value(alias = "api_key")]
    ApiKey,
    #[value(alias = "access_token")]
    AccessToken,
}

/// The next step of a claim.
#[derive(Clone, Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct Claim {
    /// Send a message to this mailbox; its link shows a code
    #[arg(long, value_name = "ADDRESS", display_order = 0)]
    pub(crate) email: Option<String>,
    /// The code that the page showed
    #[arg(long, value_name = "CODE", display_order = 1)]
    pub(crate) code: Option<String>,
    /// Ask until the person has decided, and fetch the key
    #[arg(long, display_order = 2)]
    pub(crate) wait: bool,
}

/// The language of an answer.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Language {
    /// Language of the answer: en or tr (LANG is not read)
    #[arg(short, long, value_name = "LOCALE", default_value = "en", hide_possible_values = true)]
    #[arg(hide_default_value = true, value_parser = LOCALES, display_order = 0)]
    locale: Locale,
}

/// Only the codes of the API; the parser names them when another one is given.
const LOCALES: LocaleParser = LocaleParser;

#[derive(Clone, Copy)]
struct LocaleParser;

impl clap::builder::TypedValueParser for LocaleParser {
    type Value = Locale;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Locale, clap::Error> {
        let codes = clap::builder::PossibleValuesParser::new(Locale::ALL.map(Locale::as_str));
        let code = codes.parse_ref(command, arg, value)?;
        code.parse().map_err(|_| clap::Error::new(clap::error::ErrorKind::InvalidValue))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = clap::builder::PossibleValue> + '_>> {
        Some(Box::new(Locale::ALL.into_iter().map(|locale| clap::builder::PossibleValue::new(locale.as_str()))))
    }
}

impl Language {
    /// The chosen language.
    pub(crate) const fn locale(self) -> Locale {
        self.locale
    }
}

/// Shells for which completions are written.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
#[expect(clippy::enum_variant_names, reason = "that shell is called so")]
pub(crate) enum Shell {
    Bash,
    Zsh,
    Fish,
    #[value(name = "powershell")]
    PowerShell,
    Elvish,
    Nushell,
}

impl Shell {
    /// The shell as the completion library knows it; Nushell has a library of its own.
    pub(crate) const fn common(self) -> Option<CommonShell> {
        match self {
            Self::Bash => Some(CommonShell::Bash),
            Self::Zsh => Some(CommonShell::Zsh),
            Self::Fish => Some(CommonShell::Fish),
            Self::PowerShell => Some(CommonShell::PowerShell),
            Self::Elvish => Some(CommonShell::Elvish),
            Self::Nushell => None,
        }
    }
}

/// The version, with the commit when the tool was built from a checkout.
pub(crate) const VERSION: &str = env!("MECELLE_VERSION");

/// The parser, with help as wide as the terminal.
pub(crate) fn command(env: &Surroundings) -> clap::Command {
    let width = env.screen.map_or(80, |screen| screen.columns.clamp(60, 100));
    Arguments::command().version(VERSION).term_width(width).after_help(exit_codes())
}

/// The exit codes and variables, as the help tells them.
pub(crate) fn exit_codes() -> String {
    let mut codes = Exit::ALL.map(|exit| format!("{} {}", exit.code(), exit.meaning()));
    codes[5].insert_str(0, "\n  ");
    format!(
        "Options follow the command: mecelle COMMAND --help. Variables: MECELLE_BASE_URL,\n  \
         MECELLE_API_KEY, MECELLE_PAGER, NO_COLOR.\nExit codes: {}.",
        codes.join(", ").replace(", \n", ",\n")
    )
}
