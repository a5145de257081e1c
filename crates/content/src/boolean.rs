//! Boolean values.

use findings::{Code, messages};

use super::{
    node::Node,
    problem::{Problem, Reading},
    values::{expected, scalar},
};

pub(super) fn boolean(node: &Node) -> Reading<String> {
    match scalar(node)? {
        (text @ ("true" | "false"), true) => Ok(text.to_owned()),
        (text, _) => {
            let problem = Problem::new(Code::BAD_BOOLEAN, expected(messages::boolean_wanted(), text));
            Err(Some(match parse_boolean_word(text) {
                Some(value) => problem.correction(value.to_string()),
                None => problem,
            }))
        }
    }
}

/// Reads the other words that people write for true and false.
fn parse_boolean_word(text: &str) -> Option<bool> {
    match text.to_lowercase().as_str() {
        "true" | "yes" | "y" | "on" | "1" | "evet" | "doğru" => Some(true),
        "false" | "no" | "n" | "off" | "0" | "hayır" | "hayir" | "yanlış" => Some(false),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use contract::Locale;
    use findings::Span;

    use super::*;
    use crate::node::Value;

    fn read(text: &str, plain: bool) -> Reading<String> {
        boolean(&Node { at: Span::START, value: Value::Scalar { text: text.into(), plain } })
    }

    #[test]
    fn other_words_for_a_boolean_are_refused_with_a_correction() {
        assert_eq!([read("true", true).unwrap(), read("false", true).unwrap()], ["true", "false"]);
        for (text, is_plain, correction) in [
            ("true", false, Some("write `true`")),
            ("True", true, Some("write `true`")),
            ("yes", true, Some("write `true`")),
            ("evet", true, Some("write `true`")),
            ("no", true, Some("write `false`")),
            ("HAYIR", true, Some("write `false`")),
            ("perhaps", true, None),
        ] {
            assert_eq!(
                read(text, is_plain).unwrap_err().unwrap().label.as_ref().map(|label| &label[Locale::En]),
                correction,
                "{text}"
            );
        }
    }
}
