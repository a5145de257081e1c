//! Shells with a completion script.

use clap_complete::Shell as CommonShell;

/// The argument of `completion`.
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
    /// Returns the completion library's value; Nushell has a library of its own.
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
