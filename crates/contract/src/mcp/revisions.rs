//! The revisions of the protocol and their differences, one row each. A new revision is a row and its tests.

use super::{INVALID_PARAMS, RESOURCE_NOT_FOUND};

/// A revision of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The name, a date.
    pub name: &'static str,
    /// With or without a handshake.
    pub era: Era,
    /// Whether the revision is listed as supported.
    pub listed: bool,
    /// Whether a body may be an array of messages.
    pub batches: bool,
    /// The error code of an unknown resource.
    pub unknown_resource: i32,
}

/// The two modes of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// A handshake first (`initialize`), then requests that may name the revision in a header field.
    Handshake,
    /// No handshake: every request names the revision in `_meta` and repeats data for proxies in header fields; every
    /// result is marked as complete and has a time to live.
    PerRequest,
}

/// Every supported revision, newest first.
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
    // Older than the transport here, but some clients request it and work.
    Revision {
        name: "2024-11-05",
        era: Era::Handshake,
        listed: false,
        batches: false,
        unknown_resource: RESOURCE_NOT_FOUND,
    },
];

/// Returns the revision called `name`.
pub fn revision(name: &str) -> Option<&'static Revision> {
    REVISIONS.iter().find(|revision| revision.name == name)
}

/// Returns the names of the listed revisions, newest first.
pub fn supported() -> impl Iterator<Item = &'static str> {
    REVISIONS.iter().filter(|revision| revision.listed).map(|revision| revision.name)
}

/// Returns the newest revision with a handshake: the answer to an `initialize` with an unknown revision.
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
    fn revisions_are_unique_and_newest_first() {
        assert!(REVISIONS.is_sorted_by(|newer, older| newer.name > older.name));
    }

    #[test]
    fn handshake_default_is_the_newest_revision_with_a_handshake() {
        assert_eq!(handshake_default().name, "2025-11-25");
        assert_eq!(supported().collect::<Vec<_>>(), ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"]);
    }

    #[test]
    fn batches_belong_to_one_revision_only() {
        let with: Vec<_> = REVISIONS.iter().filter(|revision| revision.batches).map(|it| it.name).collect();
        assert_eq!(with, ["2025-03-26"]);
    }
}
