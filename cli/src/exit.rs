//! Exit codes.

use std::process::ExitCode;

/// How a run ended. The numbers are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Done; also with the cached answer of an unreachable host.
    Success = 0,
    /// Any failure without a code of its own.
    Failure = 1,
    /// The command line or the environment is wrong.
    Usage = 2,
    /// The credential was refused.
    Authentication = 4,
    /// 404 or 410.
    NotFound = 5,
    /// No reply from the host.
    Network = 6,
    /// 5xx, or 429.
    Server = 7,
}

impl Exit {
    pub(crate) const ALL: [Self; 7] =
        [Self::Success, Self::Failure, Self::Usage, Self::Authentication, Self::NotFound, Self::Network, Self::Server];

    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// Returns the meaning, for help and manual.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Success => "ok",
            Self::Failure => "failure",
            Self::Usage => "usage",
            Self::Authentication => "authentication",
            Self::NotFound => "not found",
            Self::Network => "network or time-out",
            Self::Server => "server",
        }
    }

    /// Returns the code for an error status.
    pub(crate) const fn of_status(status: u16) -> Self {
        match status {
            401 | 403 => Self::Authentication,
            404 | 410 => Self::NotFound,
            429 | 500..=599 => Self::Server,
            _ => Self::Failure,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        exit.code().into()
    }
}
