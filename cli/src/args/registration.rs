//! Arguments of `register`, `assertion`, `claim` and `logout`.

use clap::ValueHint;

use super::MessageLanguage;

/// Arguments of `register`; without any, the registration is anonymous.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct RegisterArguments {
    /// Send this person an e-mail to claim the registration
    #[arg(long, value_name = "ADDRESS", display_order = 0, conflicts_with = "assertion")]
    #[arg(value_parser = mailbox, value_hint = ValueHint::EmailAddress)]
    pub(crate) email: Option<String>,
    /// File with an identity assertion (ID-JAG), - for stdin
    #[arg(long, value_name = "FILE", display_order = 1, value_hint = ValueHint::FilePath)]
    pub(crate) assertion: Option<String>,
    /// api-key or access-token [default: service's choice]
    #[arg(long, value_name = "TYPE", display_order = 2, hide_possible_values = true)]
    pub(crate) credential: Option<RequestedCredential>,
    #[command(flatten)]
    pub(crate) language: MessageLanguage,
}

/// Arguments of `assertion`.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct AssertionArguments {
    /// E-mail address of the user
    #[arg(long, value_name = "ADDRESS", display_order = 0, value_parser = mailbox, value_hint = ValueHint::EmailAddress)]
    pub(crate) email: String,
    /// Key file of `sidecar dev-provider`
    #[arg(long, value_name = "FILE", display_order = 1, default_value = "data/dev-provider.json")]
    #[arg(value_hint = ValueHint::FilePath)]
    pub(crate) provider: String,
    /// Service that the assertion is for [default: the host]
    #[arg(long, value_name = "URL", display_order = 2, value_hint = ValueHint::Url)]
    pub(crate) audience: Option<String>,
    /// Sign a logout token, which revokes the registrations
    #[arg(long, display_order = 3)]
    pub(crate) logout: bool,
}

/// The value of `--credential`.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
pub(crate) enum RequestedCredential {
    #[value(alias = "api_key")]
    ApiKey,
    #[value(alias = "access_token")]
    AccessToken,
}

/// Arguments of `claim`: exactly one step.
#[derive(Clone, Debug, clap::Args)]
#[group(skip)]
#[command(group = clap::ArgGroup::new("step").required(true))]
pub(crate) struct ClaimArguments {
    /// Send an e-mail to this address; its link shows a code
    #[arg(long, value_name = "ADDRESS", display_order = 0, group = "step")]
    #[arg(value_parser = mailbox, value_hint = ValueHint::EmailAddress)]
    pub(crate) email: Option<String>,
    /// Complete the claim with the code from that page
    #[arg(long, value_name = "CODE", display_order = 1, group = "step", value_hint = ValueHint::Other)]
    pub(crate) code: Option<String>,
    /// Wait until the claim is complete, then fetch the key
    #[arg(long, display_order = 2, group = "step")]
    pub(crate) wait: bool,
    #[command(flatten)]
    pub(crate) language: MessageLanguage,
}

/// Arguments of `logout`.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct LogoutArguments {
    /// Only delete the key here; do not revoke it
    #[arg(long, display_order = 0)]
    pub(crate) forget: bool,
}

/// Accepts anything that may be an e-mail address; the service checks more strictly.
fn mailbox(text: &str) -> Result<String, String> {
    let is_address = |(name, host): (&str, &str)| !name.is_empty() && !host.is_empty();
    if text.rsplit_once('@').is_some_and(is_address) && !text.contains(char::is_whitespace) {
        Ok(text.to_owned())
    } else {
        Err("give an e-mail address, such as you@firm.example".to_owned())
    }
}
