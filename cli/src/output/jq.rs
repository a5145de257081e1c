//! `--jq`: applies a jq filter. Strings are written raw, everything else as JSON.

use std::{cell::Cell, fmt, io::Write, rc::Rc};

use jaq_core::{
    Compiler, Ctx, DataT, Exn, Lut, Vars,
    data::HasLut,
    load::{self, Arena, File, Loader},
    native::{self, Fun},
};
use jaq_json::{Num, Val, read, write};

use crate::{
    failure::Failure,
    output::{regex, text::clean},
};

/// Maximum length of an error message, in characters.
const MAX_MESSAGE_CHARS: usize = 120;

#[derive(Clone)]
pub(crate) struct JqFilter(Rc<jaq_core::Filter<JqData>>);

impl fmt::Debug for JqFilter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Filter(…)")
    }
}

impl JqFilter {
    pub(crate) fn parse(filter: &str) -> Result<Self, Failure> {
        let wrong =
            |what: String| Failure::usage(format!("--jq: {what}."), "Give a jq filter, for example '.items[].url'.");
        let formats = load::parse(include_str!("formats.jq"), |parser| parser.defs()).unwrap_or_default();
        let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(formats);
        let standard = jaq_std::funs().filter(|(name, ..)| !regex::NAMES.contains(name));
        let functions = jaq_core::funs().chain(standard).chain(jaq_json::funs());
        let functions = functions.chain(regex::functions()).chain([last_words()]);
        let arena = Arena::default();
        let modules = Loader::new(definitions)
            .load(&arena, File { code: filter, path: () })
            .map_err(|errors| wrong(syntax_error(&errors, filter)))?;
        let compiled = Compiler::default().with_funs(functions).compile(modules).map_err(|errors| {
            let unknown = errors.into_iter().flat_map(|(_, errors)| errors).next();
            wrong(
                unknown.map_or_else(String::new, |(name, kind)| format!("`{name}` is an undefined {}", kind.as_str())),
            )
        })?;
        Ok(Self(Rc::new(compiled)))
    }

    /// Writes each result for `body` as soon as it is there: there may be no end of results.
    pub(crate) fn apply(&self, body: &[u8], layout: Layout, out: &mut dyn Write) -> Result<(), Failure> {
        let input = read::parse_single(body).map_err(|error| filter_failure(&error))?;
        let last_words = Cell::new(None);
        let run = RunData { lut: &self.0.lut, last_words: &last_words };
        let context = Ctx::<JqData>::new(run, Vars::new([]));
        for value in self.0.id.run((context, input)) {
            let value = match value.map_err(Exn::get_err) {
                Ok(value) => value,
                Err(Ok(error)) => return Err(filter_failure(&error)),
                Err(Err(end)) => {
                    return match end.get_halt() {
                        Ok(code) if code != 0 => Err(halt_failure(last_words.take(), code)),
                        // The end of the results.
                        _ => Ok(()),
                    };
                }
            };
            match value {
                Val::TStr(text) => out.write_all(&text),
                other => write::write(&mut *out, &layout.rules(), 0, &as_json(other)?),
            }
            .and_then(|()| out.write_all(b"\n"))
            .map_err(Failure::Write)?;
        }
        Ok(())
    }
}

/// Converts `value` to valid JSON, as jq does; the library's values go beyond JSON.
fn as_json(value: Val) -> Result<Val, Failure> {
    Ok(match value {
        Val::Num(Num::Float(number)) if number.is_nan() => Val::Null,
        Val::Num(Num::Float(number)) => Val::Num(Num::Float(number.clamp(f64::MIN, f64::MAX))),
        Val::TStr(text) if str::from_utf8(&text).is_err() => Val::from(String::from_utf8_lossy(&text).into_owned()),
        Val::BStr(_) => return Err(filter_failure(&format!("{value} is a byte string, which JSON does not have"))),
        Val::Arr(items) => items.iter().cloned().map(as_json).collect::<Result<_, _>>()?,
        Val::Obj(entries) => {
            let entry = |(key, value): (&Val, &Val)| match key {
                Val::TStr(_) => Ok((as_json(key.clone())?, as_json(value.clone())?)),
                key => Err(filter_failure(&format!("an object has the key {key}, which is not a string"))),
            };
            Val::obj(entries.iter().map(entry).collect::<Result<_, _>>()?)
        }
        other => other,
    })
}

/// Types for a run of the library.
struct JqData;

#[derive(Clone, Copy)]
struct RunData<'a> {
    lut: &'a Lut<JqData>,
    last_words: &'a Cell<Option<Val>>,
}

impl DataT for JqData {
    type V<'a> = Val;
    type Data<'a> = RunData<'a>;
}

impl<'a> HasLut<'a, JqData> for RunData<'a> {
    fn lut(&self) -> &'a Lut<JqData> {
        self.lut
    }
}

/// `last_words`: stores its input as the error message. The library's own `halt_error` writes it to a log.
fn last_words() -> Fun<JqData> {
    native::run(("last_words", native::v(0), |(context, input)| {
        context.data().last_words.set(Some(input));
        Box::new(std::iter::empty())
    }))
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Layout {
    /// On one line, for programs.
    Compact,
    /// Indented, for people.
    Indented,
}

impl Layout {
    fn rules(self) -> write::Pp {
        match self {
            Self::Compact => write::Pp::default(),
            Self::Indented => write::Pp { indent: Some("  ".to_owned()), sep_space: true, ..write::Pp::default() },
        }
    }
}

/// Returns `body` indented, with the same order and the same digits.
pub(crate) fn indent_json(body: &[u8]) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    let value = read::parse_single(body).map_err(|error| filter_failure(&error))?;
    write::write(&mut out, &Layout::Indented.rules(), 0, &value).map_err(Failure::Write)?;
    out.push(b'\n');
    Ok(out)
}

/// Returns the error with the first place at which parsing failed.
fn syntax_error(errors: &jaq_core::load::Errors<&str, ()>, filter: &str) -> String {
    use jaq_core::load::Error;
    let rest = errors.iter().find_map(|(_, error)| match error {
        Error::Io(_) => None,
        Error::Lex(found) => found.first().map(|(_, rest)| *rest),
        Error::Parse(found) => found.first().map(|(_, token)| *token),
    });
    match rest {
        Some(rest) if !rest.is_empty() => format!("the filter cannot be parsed at `{rest}`"),
        _ if filter.trim().is_empty() => "the filter is empty".to_owned(),
        _ => format!("the filter `{filter}` is not complete"),
    }
}

/// Builds the failure of `halt` and `halt_error`.
fn halt_failure(last_words: Option<Val>, code: i32) -> Failure {
    let words = last_words.map_or_else(String::new, |words| match words {
        Val::TStr(text) => String::from_utf8_lossy(&text).trim().to_owned(),
        other => other.to_string(),
    });
    if words.is_empty() { filter_failure(&format!("it ended with {code}")) } else { filter_failure(&words) }
}

/// Builds the failure of a filter. The middle of a long message is left out: it may repeat the whole answer.
fn filter_failure(why: &impl ToString) -> Failure {
    let why = clean(&why.to_string());
    let chars: Vec<char> = why.trim_end_matches('.').chars().collect();
    let what = if chars.len() <= MAX_MESSAGE_CHARS {
        chars.into_iter().collect()
    } else {
        let half = MAX_MESSAGE_CHARS / 2;
        let (head, tail) = (&chars[..half], &chars[chars.len() - half + 1..]);
        head.iter().chain(&['…']).chain(tail).collect()
    };
    Failure::Filter { what }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(filter: &str) -> String {
        let body = r#"{"items":[{"name":"Ayşe","n":1.50},{"name":"İnci","n":12345678901234567890}],"none":null}"#;
        let mut out = Vec::new();
        match JqFilter::parse(filter).and_then(|filter| filter.apply(body.as_bytes(), Layout::Compact, &mut out)) {
            Ok(()) => String::from_utf8(out).unwrap(),
            Err(Failure::Filter { what } | Failure::Usage { what, .. }) => what,
            Err(other) => panic!("{other:?}"),
        }
    }

    #[test]
    fn regular_expressions_know_turkish_letters() {
        assert_eq!(
            result("\"alacağın tahsili\" | [test(\"ALACAĞI\"; \"i\"), test(\"Ğ\"), test(\"İLE\"; \"i\")]"),
            "[true,false,false]\n"
        );
        assert_eq!(
            result("\"IŞIK ılık İNCİ\" | [match(\"ışık|ilik|inci\"; \"gi\") | .string, .offset]"),
            "[\"IŞIK\",0,\"ılık\",5,\"İNCİ\",10]\n"
        );
        assert_eq!(result("\"çağrı ve öğüt\" | [scan(\"\\\\w+\")]"), "[\"çağrı\",\"ve\",\"öğüt\"]\n");
        assert_eq!(result("\"Ağır iş\" | gsub(\"\\\\b(?<first>\\\\w)\"; \"<\" + .first + \">\")"), "<A>ğır <i>ş\n");
        assert_eq!(
            result("\"a1ı22\" | [splits(\"[0-9]+\")], capture(\"(?<n>ı)\")"),
            "[\"a\",\"ı\",\"\"]\n{\"n\":\"ı\"}\n"
        );
    }

    #[test]
    fn wrong_regular_expression_is_reported_in_one_line() {
        for (filter, message) in [
            (r#""a" | test("(")"#, r#""the regular expression `(` cannot be used: unclosed group""#),
            (r#""a" | test("a"; "y")"#, r#""the flag `y` is not one of gnimspxl""#),
        ] {
            assert_eq!(result(filter), message, "{filter}");
        }
    }

    #[test]
    fn strings_are_raw_and_the_rest_is_compact_json() {
        assert_eq!(result(".items[].name"), "Ayşe\nİnci\n");
        assert_eq!(result(".items[0]"), "{\"name\":\"Ayşe\",\"n\":1.50}\n");
        assert_eq!(result(".none, (.items | length)"), "null\n2\n");
        assert_eq!(result("[.items[].name | test(\"^A\")]"), "[true,false]\n");
        assert_eq!(result(".items[] | [.name] | @csv"), "\"Ayşe\"\n\"İnci\"\n");
        assert_eq!(result("[\"a\\tb\", 1, null, \"c\\\\d\"] | @tsv"), "a\\tb\t1\t\tc\\\\d\n");
        assert_eq!(result("[\"say \\\"hi\\\"\", true] | @csv"), "\"say \"\"hi\"\"\",true\n");
        assert_eq!(result("empty"), "");
        assert_eq!(result("1, halt, 2"), "1\n", "the process goes on to write what there is");
    }

    #[test]
    fn numbers_beyond_json_are_written_as_jq_writes_them() {
        assert_eq!(result("0/0, [nan]"), "null\n[null]\n");
        assert_eq!(result("1/0, {a: -infinite}"), "1.7976931348623157e308\n{\"a\":-1.7976931348623157e308}\n");
        for text in [result("1.0, [1.5e400], (\"[NaN, -Infinity, 01]\" | fromjson)"), result("[\"/w==\" | @base64d]")] {
            for line in text.lines() {
                assert!(serde_json::from_str::<&serde_json::value::RawValue>(line).is_ok(), "{line}");
            }
        }
    }

    #[test]
    fn values_that_json_lacks_are_a_failure() {
        assert_eq!(result("{(1): 2}"), "an object has the key 1, which is not a string");
        assert_eq!(result("[{a: {([null]): 2}}]"), "an object has the key [null], which is not a string");
        assert_eq!(result("\"a\" | tobytes"), "b\"a\" is a byte string, which JSON does not have");
        assert_eq!(result("[\"a\" | tobytes]"), "b\"a\" is a byte string, which JSON does not have");
    }

    #[test]
    fn definitions_that_the_library_lacks_are_added() {
        assert_eq!(result(".items[].n | IN(1.5, 2)"), "true\nfalse\n");
        assert_eq!(result("IN(.items[].n; 1.5)"), "true\n");
        assert_eq!(
            result("INDEX(.items[]; .name) | map_values(.n)"),
            "{\"Ayşe\":1.50,\"İnci\":12345678901234567890}\n"
        );
        assert_eq!(result(".items | INDEX(.n) | keys"), "[\"1.50\",\"12345678901234567890\"]\n");
    }

    #[test]
    fn filter_that_halts_is_a_failure_with_its_message() {
        for (filter, words) in [
            ("\"too many\\n\" | halt_error", "too many"),
            ("try (\"too many\" | halt_error(3)) catch \"all is well\"", "too many"),
            (".items | length | halt_error", "2"),
            ("\"\" | halt_error", "it ended with 5"),
            ("1, halt(4)", "it ended with 4"),
        ] {
            let body = r#"{"items":[1,2]}"#;
            let failure = JqFilter::parse(filter).unwrap().apply(body.as_bytes(), Layout::Compact, &mut Vec::new());
            assert!(matches!(&failure, Err(Failure::Filter { what }) if what == words), "{filter}: {failure:?}");
        }
        assert_eq!(result("1, halt(0), 2"), "1\n");
    }

    #[test]
    fn indented_json_has_the_same_values() {
        let text = String::from_utf8(indent_json(br#"{"b":[1.50,"\u015f"],"a":{}}"#).unwrap()).unwrap();
        assert_eq!(text, "{\n  \"b\": [\n    1.50,\n    \"ş\"\n  ],\n  \"a\": {}\n}\n");
    }

    #[test]
    fn invalid_filter_is_reported_with_its_place() {
        assert_eq!(result(".items["), "--jq: the filter `.items[` is not complete.");
        assert_eq!(result(" "), "--jq: the filter is empty.");
        assert!(result("nothing").contains("`nothing`"), "{}", result("nothing"));
        assert!(result(".items.name").contains("index"), "{}", result(".items.name"));
    }

    #[test]
    fn filter_failure_does_not_repeat_a_long_answer() {
        let body = format!("{{\"items\":[{}1]}}", "1,".repeat(10_000));
        let failure = JqFilter::parse(".items.name").unwrap().apply(body.as_bytes(), Layout::Compact, &mut Vec::new());
        let Err(Failure::Filter { what }) = failure else { panic!("{failure:?}") };
        assert_eq!(what.chars().count(), MAX_MESSAGE_CHARS);
        assert!(what.starts_with("cannot index [1,1,") && what.ends_with(",1,1] with \"name\""), "{what}");
    }
}
