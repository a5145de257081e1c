//! The language of an answer, or of a message.

use contract::Locale;

/// The language of an answer.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct LanguageOption {
    /// Language of the answer: en or tr (LANG is not read)
    #[arg(short, long, value_name = "LOCALE", default_value = "en", hide_possible_values = true)]
    #[arg(hide_default_value = true, value_parser = LOCALES, display_order = 0)]
    locale: Locale,
}

/// The language of search results.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct SearchLanguage {
    /// Language of the results: en or tr [default: both]
    #[arg(short, long, value_name = "LOCALE", hide_possible_values = true, value_parser = LOCALES)]
    #[arg(display_order = 0)]
    pub(crate) locale: Option<Locale>,
}

/// The language of an e-mail.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct MessageLanguage {
    /// Language of the e-mail: en or tr
    #[arg(short, long, value_name = "LOCALE", hide_possible_values = true, value_parser = LOCALES)]
    #[arg(display_order = 3)]
    pub(crate) locale: Option<Locale>,
}

/// Accepts only the API's locale codes, and lists them in the error.
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

impl LanguageOption {
    pub(crate) const fn locale(self) -> Locale {
        self.locale
    }
}
