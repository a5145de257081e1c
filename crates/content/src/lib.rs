//! Reads content files into records whose values keep their file, line and column.
//!
//! Only this crate parses front matter and `site.toml` and walks the content folder. It reads one file at a time;
//! comparing files is the task of `site`.

mod agent_settings;
mod boolean;
mod conflicts;
mod deviations;
mod fields;
mod folder;
mod foreign_fields;
pub mod front_matter;
mod kind;
mod kinds;
mod laws;
mod line_mender;
mod menus;
pub mod node;
mod page_kind;
pub mod palette;
mod problem;
mod prose;
mod reader;
mod record;
mod review;
mod setting_values;
mod settings;
mod slugs;
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
pub mod yaml;

pub use agent_settings::Agents;
pub use conflicts::conflicts;
pub use deviations::{Deviation, read_deviations};
pub use fields::{Field, FieldContent, Sharing, fields_of, list_title_of, title_of};
pub use folder::Folder;
pub use front_matter::split;
pub use kind::Kind;
pub use kinds::{EntryFields, author_keys, read_entry};
pub use laws::{ChangeOfLaw, read_law_changes, read_laws};
pub use menus::{MenuEntry, MenuTarget};
pub use page_kind::PageKind;
pub use prose::{Prose, ProseLink, path_on_site, scheme};
pub use record::{At, FieldValue, Focus, Head, Lost, OpeningHours, Record, Values};
pub use review::Review;
pub use settings::{Assistant, Crawlers, EditorForge, EditorSettings};
pub use settings::{CategoryDraft, Checks, SettingsDraft, read_settings};
pub use slugs::new_slug;
pub use synonyms::SynonymGroup;
pub use synonyms::read_synonyms;
pub use text::Checksum;
pub use text::{Lines, SourceText, decode, find_invisible, read as read_text, tidy};
pub use theme_settings::{Colours, ThemeSettings};
pub use toml::syntax_error as toml_syntax_error;
pub use types::{Type, ValueForm};
pub use values::is_language;
pub use walk::is_hidden;
pub use walk::{
    DEVIATIONS, EntryFile, LAW_CHANGES, LAWS, MAX_DOCUMENT_BYTES, MAX_PHOTOGRAPH_BYTES, MAX_PICTURE_BYTES,
    RESERVED_PAGES, SETTINGS, SYNONYMS, Tree, language_of, other_format, walk,
};
pub use web_addresses::{encode_address, origin, web_address};
pub use well_known::{WELL_KNOWN, is_well_known};
