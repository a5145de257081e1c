//! Content files → records that remember file, line and column.
//!
//! This is the only module that knows the grammar of front matter and of `site.toml`, and the only one that walks the
//! content folder. It looks at one file at a time; what files say about each other is not its concern.

mod agent_settings;
mod boolean;
mod conflicts;
mod deviations;
mod fields;
mod foreign_fields;
pub(crate) mod front_matter;
mod hours;
mod kind;
mod kinds;
mod line_mender;
mod menus;
pub(crate) mod node;
mod offices;
mod page_kind;
mod problem;
mod prose;
mod record;
mod review;
mod settings;
mod synonyms;
mod text;
mod theme_settings;
mod times;
mod toml;
mod types;
mod values;
mod walk;
mod web_addresses;
mod well_known;
pub(crate) mod yaml;

pub use agent_settings::Agents;
pub(crate) use conflicts::conflicts;
pub(crate) use deviations::{Deviation, read_deviations};
pub(crate) use front_matter::split;
pub(crate) use kind::Kind;
pub(crate) use kinds::{Reading, fields_of, read_facts};
pub use menus::{MenuEntry, MenuTarget};
pub use page_kind::PageKind;
pub(crate) use prose::{Link, Prose, below, scheme};
pub(crate) use record::{
    AreaFacts, ArticleFacts, AssociateFacts, At, Change, ContactFacts, Facts, Head, Lost, MemberFacts, Office, Record,
};
pub use record::{Focus, Hours};
pub(crate) use review::Review;
pub use settings::Crawlers;
pub(crate) use settings::{CategoryDraft, Checks, SettingsDraft, read_settings, settings_fields};
pub use synonyms::SynonymGroup;
pub(crate) use synonyms::read_synonyms;
pub use text::Checksum;
pub(crate) use text::{Lines, Text as SourceText, decode, find_invisible, read as read_text, tidy};
pub(crate) use theme_settings::{Colours, ThemeSettings};
pub(crate) use types::{Content, Field, Form};
pub(crate) use values::is_language;
pub use walk::is_hidden;
pub(crate) use walk::{
    DEVIATIONS, EntryFile, MAX_DOCUMENT_BYTES, MAX_PHOTOGRAPH_BYTES, MAX_PICTURE_BYTES, RESERVED_PAGES, SETTINGS,
    SYNONYMS, Tree, language_of, other_format, walk,
};
pub(crate) use web_addresses::{encoded, is_loopback, origin, web_address};
pub(crate) use well_known::{WELL_KNOWN, is_well_known};
