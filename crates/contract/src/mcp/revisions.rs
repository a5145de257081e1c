//! The revisions of the protocol and what differs between them: one row each. A new revision is a row and its tests.

use super::{INVALID_PARAMS, RESOURCE_NOT_FOUND};

/// A revision of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    /// Its name, which is a date.
    pub name: &'static str,
    /// How the protocol is spoken.
    pub era: Era,
    /// Whether it is offered to clients that ask what is supported.
    pub listed: bool,
    /// Whether a body may be an array of messages.
    pub batches: bool,
    /// The error code of an unknown resource.
    pub unknown_resource: i32,
}

/// The two ways of speaking the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// A handshake first (`initialize`), then requests that may name the revision in a header field.
    Handshake,
    /// No handshake: every request names the revision in `_meta` and repeats in header fields what proxies need;
    /// every result says that it is complete and how long it may be kept.
    PerRequest,
}

/// Every revision that is understood, newest first.
pub const REVISIONS: [Revision; 5] = [
    Revision {
        name: "2026-07-28",
        era: Era::PerRequest,
        listed: true,
        batches: false,
        unknown_resource: INVALID_PARAMS,
    },
    Revision {
        name: "2025-11-25",
        era: Era::Handshake,
        listed: true,
        batches: false,
        unknown_resource: RESOURCE_NOT_FOUND,
    },
    Revision {
        name: "2025-06-18",
        era: Era::Handshake,
        listed: true,
        batches: false,
        unknown_resource: RESOURCE_NOT_FOUND,
    },
    Revision {
        name: "2025-03-26",
        era: Era::Handshake,
        listed: true,
        batches: true,
        unknown_resource: RESOURCE_NOT_FOUND,
    },
    // Older than the transport that is served here, yet requested by some clients, which get along.
    Revision {
        name: "2024-11-05",
        era: Era::Handshake,
        listed: false,
        batches: false,
        unknown_resource: RESOURCE_NOT_FOUND,
    },
];

/// The revision called `name`.
#[must_use]
pub fn revision(name: &str) -> Option<&'static Revision> {
    REVISIONS.iter().find(|revision| revision.name == name)
}

/// The names that are offered to clients, newest first.
pub fn supported() -> impl Iterator<Item = &'static str> {
    REVISIONS.iter().filter(|revision| revision.listed).map(|revision| revision.name)
}

/// The newest revision with a handshake: the answer to an `initialize` that asks for an unknown revision.
#[must_use]
pub fn handshake_default() -> &'static Revision {
    const DEFAULT: &Revision = {
        let mut at = 0;
        while !matches!(REVISIONS[at].era, Era::Handshake) {
            at += 1;
        }
        &REVISIONS[at]
    };
    DEFAULT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn newest_revision_is_first_and_each_stands_once() {
        assert!(REVISIONS.is_sorted_by(|newer, older| newer.name > older.name));
    }

    #[test]
    fn handshake_settles_on_the_newest_revision_that_has_one() {
        assert_eq!(handshake_default().name, "2025-11-25");
        assert_eq!(supported().collect::<Vec<_>>(), ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]);
    }

    #[test]
    fn arrays_belong_to_one_revision_only() {
        let with: Vec<_> = REVISIONS.iter().filter(|revision| revision.batches).map(|it| it.name).collect();
        assert_eq!(with, ["2025-03-26"]);
    }
}
