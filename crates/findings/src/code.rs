//! The codes of findings.

use std::{collections::BTreeMap, fmt, sync::LazyLock};

use contract::{Locale, PerLocale};
use serde::Deserialize;

use super::Severity;
use crate::messages;

/// A kind of finding. The identifier, such as `E0107`, is stable and begins with the severity: `E` for errors, `W` for
/// warnings, `T` for warnings that are advice on rules of the profession.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Code(&'static str);

#[derive(Deserialize)]
struct CodeText {
    title: String,
    explanation: String,
}

static ENTRIES: LazyLock<BTreeMap<String, PerLocale<CodeText>>> = LazyLock::new(|| {
    #[expect(clippy::expect_used, reason = "the table is compiled in, and a test reads all of it")]
    toml::from_str(include_str!("codes.toml")).expect("invariant: the table of codes is TOML")
});

/// Declares the codes as constants of `Code`, and lists them.
macro_rules! codes {
    ($($name:ident = $id:literal;)*) => {
        impl Code {
            /// Every code, by area and number.
            pub const ALL: [Self; [$($id,)*].len()] = [$(Self::$name,)*];
            $(
                #[doc = concat!("`", $id, "` in `codes.toml`.")]
                pub const $name: Self = Self($id);
            )*
        }
    };
}

codes! {
    // Fields of front matter and of `site.toml`.
    MISSING_FIELD = "E0101";
    NO_FRONT_MATTER = "E0102";
    FRONT_MATTER_NOT_CLOSED = "E0103";
    YAML_SYNTAX = "E0104";
    TAB = "E0105";
    FIELD_TWICE = "E0106";
    UNKNOWN_FIELD = "E0107";
    SHARED_FIELD_DIFFERS = "E0108";
    WRONG_SHAPE = "E0109";
    NO_VALUE = "E0110";
    BAD_SLUG = "E0111";
    BAD_DATE = "E0112";
    BAD_MOMENT = "E0113";
    BAD_EMAIL = "E0114";
    BAD_URI = "E0115";
    BAD_TELEPHONE = "E0116";
    BAD_INTEGER = "E0117";
    BAD_BOOLEAN = "E0118";
    NOT_ONE_OF = "E0119";
    BAD_LANGUAGE = "E0120";
    BAD_COUNTRY = "E0121";
    BAD_TIME = "E0122";
    TOO_LONG = "E0123";
    CONTROL_CHARACTER = "E0124";
    YAML_FEATURE = "E0125";
    MORE_DOCUMENTS = "E0126";
    TOO_DEEP = "E0127";
    FRONT_MATTER_TOO_LARGE = "E0128";
    FIELD_NOT_HERE = "E0129";
    EXPIRES_TOO_EARLY = "E0130";
    PORTRAIT_ALT = "E0131";
    ITEM_TWICE = "E0132";
    HOURS_ORDER = "E0133";
    BAD_TIME_ZONE = "E0134";
    MARKUP_IN_PLAIN_TEXT = "E0135";
    OFFICES = "E0136";
    BAD_FOCUS = "E0141";
    DESCRIPTION_LENGTH = "W0101";
    DOTTED_I = "W0103";
    DATE_IN_FUTURE = "W0104";
    UPDATED_BEFORE_DATE = "W0105";
    VALUE_CUT_OFF = "W0106";
    OTHER_TELEPHONE = "W0107";
    BOTH_HELD_BACK = "W0108";
    OFFICES_NOT_TRANSLATED = "W0109";
    MOMENT_FOR_DAY = "W0141";
    OTHER_MARKS = "W0142";
    // What front matter refers to.
    UNKNOWN_AUTHOR = "E0201";
    UNKNOWN_CATEGORY = "E0202";
    UNKNOWN_PRACTICE_AREA = "E0203";
    FILE_NOT_FOUND = "E0204";
    FILE_TYPE = "E0205";
    // Links and text.
    LINK_TO_NOTHING = "E0301";
    LINK_KIND = "E0302";
    LINK_ANCHOR = "E0303";
    LINK_OTHER_LANGUAGE = "E0304";
    LINK_NOT_PUBLISHED = "E0305";
    LINK_ADDRESS = "E0306";
    LINK_FORM = "E0307";
    PICTURE_WITHOUT_ALT = "E0308";
    PICTURE_NOT_FOUND = "E0309";
    FIRST_LEVEL_HEADING = "E0310";
    SKIPPED_LEVEL = "E0311";
    RAW_HTML = "E0312";
    EMPTY_TEXT = "E0313";
    FOOTNOTE_UNDEFINED = "E0314";
    PICTURE_ELSEWHERE = "E0315";
    FILE_ELSEWHERE = "E0316";
    REFERENCE_UNDEFINED = "E0317";
    FOOTNOTE_TWICE = "E0318";
    INVISIBLE = "E0319";
    CREDENTIAL = "E0320";
    NETWORK_TEXT = "E0321";
    REFERENCE_TWICE = "E0322";
    TABLE = "E0323";
    CODE_NOT_CLOSED = "E0324";
    HEADING_WITHOUT_WORDS = "E0325";
    HIDDEN_NOTE = "E0326";
    PLACEHOLDER_IN_PUBLIC = "E0327";
    NESTED_QUOTES = "E0328";
    OWN_ANCHOR = "E0329";
    LINK_WITHOUT_TLS = "W0301";
    LINK_REDIRECTS = "W0302";
    FOOTNOTE_UNUSED = "W0303";
    LINK_EXPIRES = "W0304";
    LINK_WITHOUT_TEXT = "W0305";
    ORDINAL_AS_LIST = "W0306";
    NOT_A_LINK = "W0307";
    NOT_A_HEADING = "W0308";
    NOT_A_LIST = "W0309";
    INDENTED_CODE = "W0311";
    ROW_WITHOUT_BARS = "W0313";
    NOT_EMPHASIS = "W0315";
    LIST_CUT = "W0316";
    NOT_EMPTY = "W0317";
    SOURCE_QUOTED = "W0318";
    UNDERLINED = "W0319";
    PLACEHOLDER = "W0320";
    DEMONSTRATION_WORD = "W0321";
    LINE_TAKEN_IN = "W0322";
    FOREIGN_MARKUP = "W0331";
    // Public addresses.
    SLUG_TWICE = "E0401";
    CATEGORY_SLUG = "E0402";
    RESERVED_ADDRESS = "E0403";
    SLUG_IS_A_YEAR = "E0404";
    SLUG_IS_A_CATEGORY = "E0405";
    ALIAS_IS_CURRENT = "E0406";
    ALIAS_TAKEN = "E0407";
    DOCUMENT_TWICE = "E0411";
    ADDRESS_GONE = "W0421";
    ANCHOR_GONE = "W0422";
    // `site.toml`.
    NO_SETTINGS = "E0501";
    TOML_SYNTAX = "E0502";
    BAD_ORIGIN = "E0503";
    SECURITY_TOO_FAR = "E0505";
    NOTHING_OFFERED = "E0506";
    CATEGORY_TWICE = "E0507";
    BAD_SANDBOX_KEY = "E0508";
    BAD_SECURITY_CONTACT = "E0509";
    BAD_MCP_NAME = "E0510";
    MENU_TARGET = "E0511";
    MENU_ENTRY = "E0512";
    MENU_TWICE = "E0513";
    PROFILE_LEFT_OUT = "E0514";
    BAD_LAW = "E0515";
    LAW_AMBIGUOUS = "E0516";
    ORIGIN_WITHOUT_TLS = "W0501";
    SECURITY_EXPIRES = "W0502";
    MENU_LANGUAGE = "W0503";
    // Files and folders.
    NO_CONTENT = "E0601";
    UNKNOWN_FOLDER = "E0602";
    BAD_KEY = "E0603";
    UNKNOWN_TEXT = "E0604";
    NOT_UTF8 = "E0605";
    NUL = "E0606";
    TOO_LARGE = "E0609";
    SYMBOLIC_LINK = "E0610";
    NOT_READABLE = "E0611";
    NO_ENTRY = "E0612";
    NO_TRANSLATION = "E0613";
    NAME_NOT_UTF8 = "E0614";
    MISPLACED_TEXT = "E0616";
    INCOMPLETE = "E0617";
    PICTURE_ACTS = "E0618";
    PICTURE_FORM = "E0619";
    NAME_TWICE = "E0620";
    CONFLICT = "E0622";
    RESERVED_PAGE = "E0623";
    TEXT_TWICE = "E0624";
    DOCUMENT_FORM = "E0631";
    PICTURE_UNUSABLE = "E0632";
    WELL_KNOWN_NAME = "E0633";
    UNKNOWN_FILE = "W0601";
    PICTURE_NOT_USED = "W0602";
    CONTACT_TEXT = "W0603";
    NO_TEXTS = "W0604";
    PAGE_NAME_SLIP = "W0605";
    PAGE_NOT_REACHED = "W0606";
    NAME_IN_CAPITALS = "W0607";
    PICTURE_NOT_DRAWN = "W0608";
    // The theme: templates, words, and what they publish.
    TEMPLATE_SYNTAX = "E0701";
    UNKNOWN_VALUE = "E0702";
    UNKNOWN_NAME = "E0703";
    TEMPLATE_FAILS = "E0704";
    UNKNOWN_WORD = "E0705";
    WORD_UNUSABLE = "E0706";
    FORM_SLOT = "E0707";
    ASSET_NOT_FOUND = "E0708";
    ASSET_TYPE = "E0709";
    ORIGINALS = "E0710";
    BAD_COLOUR = "E0711";
    LOW_CONTRAST = "E0712";
    FONT = "E0713";
    ORIGINAL_CHANGED = "W0701";
    TEMPLATE_NOT_USED = "W0702";
    WORD_NOT_USED = "W0703";
    PROMISE_BROKEN = "W0704";
    // The rules on lawyers' advertising: advice, and the register of what is accepted.
    CLAIM_OF_SUCCESS = "T0801";
    SUPERLATIVE = "T0802";
    CLAIM_OF_SPECIALTY = "T0803";
    COMPARISON = "T0804";
    PRICE = "T0805";
    SOLICITATION = "T0806";
    NAMES_CLIENTS = "T0807";
    DEVIATION_IDLE = "W0811";
    DEVIATION_DATES = "W0812";
    SYNONYM_ALONE = "W0821";
    LAW_CHANGED = "W0831";
    LAW_UNKNOWN = "W0832";
    LAW_WITHOUT_NAME = "W0833";
    // The rules on personal data: advice.
    NO_NOTICE = "T0901";
    NOTICE_LACKS = "T0902";
    BUNDLED_CONSENT = "T0903";
    TRANSFER_UNSAID = "T0904";
}

impl Code {
    /// Finds a code by its identifier, ignoring case.
    pub fn find(id: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|code| code.id().eq_ignore_ascii_case(id.trim()))
    }

    /// Returns the identifier, which is never reused for another kind.
    pub const fn id(self) -> &'static str {
        self.0
    }

    pub const fn severity(self) -> Severity {
        if self.0.as_bytes()[0] == b'E' { Severity::Error } else { Severity::Warning }
    }

    /// Returns whether the code is advice on a rule of the profession, which counsel may accept.
    pub const fn is_advisory(self) -> bool {
        self.0.as_bytes()[0] == b'T'
    }

    /// Returns whether the code is about advertising by lawyers, rather than personal data.
    pub const fn is_of_advertising(self) -> bool {
        self.0.as_bytes()[2] == b'8'
    }

    /// Returns whether the code names what a new site has still to replace, rather than a fault of the firm's own texts.
    pub(crate) fn is_of_new_site(self) -> bool {
        matches!(self, Self::PLACEHOLDER | Self::DEMONSTRATION_WORD)
    }

    /// Returns the title, one line.
    pub fn title(self, locale: Locale) -> &'static str {
        &ENTRIES[self.0][locale].title
    }

    /// Returns the reason and the remedy.
    pub fn explanation(self, locale: Locale) -> &'static str {
        &ENTRIES[self.0][locale].explanation
    }

    /// Returns the output of `explain CODE`.
    pub fn explain(self, locale: Locale) -> String {
        let lines = wrap(self.explanation(locale));
        let manual = messages::manual();
        let manual = if lines.contains("docs/") { format!("\n{}\n", wrap(&manual[locale])) } else { String::new() };
        format!("{}[{}]: {}\n\n{lines}\n{manual}", &self.severity().word()[locale], self.id(), self.title(locale))
    }
}

/// Wraps `text` at 80 columns.
fn wrap(text: &str) -> String {
    let mut lines = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if width + length >= 80 {
            lines.push('\n');
            width = 0;
        } else if width > 0 {
            lines.push(' ');
            width += 1;
        }
        lines.push_str(word);
        width += length;
    }
    lines
}

impl fmt::Debug for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_code_is_listed_once_and_explained() {
        let ids: BTreeSet<&str> = Code::ALL.iter().map(|code| code.id()).collect();
        assert_eq!(ids.len(), Code::ALL.len());
        assert!(ids.iter().eq(ENTRIES.keys()), "codes.toml explains each code and nothing else");
        // By area, then the errors before the warnings.
        let key = |code: &Code| (code.id()[1..3].to_owned(), code.id().to_owned());
        let areas = ["01", "02", "03", "04", "05", "06", "07", "08", "09"].map(str::to_owned);
        let seen: Vec<String> = Code::ALL.iter().map(|code| key(code).0).collect();
        assert!(areas.iter().all(|area| seen.contains(area)) && Code::ALL.is_sorted_by_key(key));
        for code in Code::ALL {
            assert!(matches!(code.id().as_bytes(), [b'E' | b'W' | b'T', digits @ ..] if digits.len() == 4), "{code:?}");
            for locale in Locale::ALL {
                let (title, explanation) = (code.title(locale), code.explanation(locale));
                assert!(explanation.len() > 40 && explanation.ends_with('.'), "{code:?}");
                assert!(!title.ends_with('.') && title.len() < 90, "{code:?}");
            }
        }
    }

    #[test]
    fn advice_names_its_rule_without_a_verdict() {
        for code in Code::ALL.into_iter().filter(|code| code.is_advisory()) {
            assert_eq!(code.severity(), Severity::Warning);
            assert!(matches!(&code.id()[1..3], "08" | "09"), "{code:?}");
            assert_eq!(code.is_of_advertising(), code.id().starts_with("T08"), "{code:?}");
            let (en, tr) = (code.explanation(Locale::En), code.explanation(Locale::Tr));
            assert!(en.contains("Article ") && en.contains("counsel decides"), "{code:?}");
            assert!(tr.contains("m. ") && tr.contains("karar avukatındır"), "{code:?}");
            assert!([en, tr].iter().all(|text| text.contains("deviations.toml")), "{code:?}");
        }
    }

    #[test]
    fn explanation_that_names_a_document_has_the_path_of_the_documents() {
        for (code, locale) in Code::ALL.into_iter().flat_map(|code| Locale::ALL.map(|locale| (code, locale))) {
            let has_path = code.explain(locale).replace('\n', " ").contains("/usr/share/doc/mecelle/docs/");
            assert_eq!(has_path, code.explanation(locale).contains("docs/"), "{code:?}");
            for document in code.explanation(locale).split(' ').filter(|word| word.starts_with("docs/")) {
                let name = document.trim_end_matches(['.', ',', ';']);
                let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
                assert!(path.is_file(), "{code:?}: {name}");
            }
        }
    }

    #[test]
    fn code_is_found_in_any_case() {
        assert_eq!(Code::find(" e0107"), Some(Code::UNKNOWN_FIELD));
        assert_eq!(Code::find("E9999"), None);
    }
}
