//! Shells that can complete what is typed.

use clap_complete::Shell as CommonShell;

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
    /// Returns the shell as the completion library knows it; Nushell has a library of its own.
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
