//! Regular expressions of `--jq` (`test`, `match`, `scan`, `sub` …), for all letters.
//!
//! The engine of the jq library knows ASCII only: `\w+` would end before `ğ`, and the flag `i` would not find `ÇAĞRI`.

use jaq_core::{
    Cv, DataT, Error,
    native::{self, Fun, bome},
};
use jaq_json::{Val, ValR};
use regex::{Captures, Regex, RegexBuilder};

/// The flags of jq; `n` ignores empty matches, `p` is `m` and `s`, `l` reverses greediness.
const FLAGS: &str = "gnimspxl";

/// The functions on which the jq library's definitions rest, in place of its own.
pub(super) const NAMES: [&str; 3] = ["matches", "split_matches", "split_"];

/// Returns the functions with these [`NAMES`].
pub(super) fn functions<D: for<'a> DataT<V<'a> = Val>>() -> [Fun<D>; 3] {
    [
        native::run((NAMES[0], native::v(2), |run| bome(parts::<D>(run, false, true)))),
        native::run((NAMES[1], native::v(2), |run| bome(parts::<D>(run, true, true)))),
        native::run((NAMES[2], native::v(2), |run| bome(parts::<D>(run, true, false)))),
    ]
}

/// Returns the texts between the matches (strings) and the matches (arrays of objects), in their order.
fn parts<'a, D: DataT<V<'a> = Val>>(mut run: Cv<'a, D>, with_texts: bool, with_matches: bool) -> ValR {
    let (flags, pattern) = (run.0.pop_var(), run.0.pop_var());
    let (text, pattern, flags) = (as_text(&run.1)?, as_text(&pattern)?, as_text(&flags)?);
    if let Some(flag) = flags.chars().find(|flag| !FLAGS.contains(*flag)) {
        return Err(Error::str(format_args!("the flag `{flag}` is not one of {FLAGS}")));
    }
    let has = |flag| flags.contains(flag);
    let folded = fold(text, has('i'));
    let regex = build(&fold(pattern, has('i')), has)
        .map_err(|why| Error::str(format_args!("the regular expression `{pattern}` cannot be used: {why}")))?;
    // Folding changes the number of bytes, not of characters, in which jq counts.
    let starts = |text: &str| text.char_indices().map(|(at, _)| at).chain([text.len()]).collect::<Vec<_>>();
    let (places, folded_places) = (starts(text), starts(&folded));
    let place = |byte: usize| folded_places.partition_point(|at| *at < byte);
    let slice = |from: usize, to: usize| Val::from(text[places[from]..places[to]].to_owned());
    let describe = |captures: &Captures<'_>| -> Val {
        let groups = captures.iter().zip(regex.capture_names()).filter_map(|(group, name)| Some((group?, name)));
        let groups = groups.map(|(group, name)| {
            let (from, to) = (place(group.start()), place(group.end()));
            let fields = [("offset", from.into()), ("length", (to - from).into()), ("string", slice(from, to))];
            let name = name.map(|name| ("name", Val::from(name.to_owned())));
            Val::obj(fields.into_iter().chain(name).map(|(field, value)| (field.to_owned().into(), value)).collect())
        });
        groups.collect()
    };
    let (mut found, mut end) = (Vec::new(), 0);
    for captures in regex.captures_iter(&folded) {
        let whole = captures.get_match();
        if has('n') && whole.is_empty() {
            continue;
        }
        if with_texts {
            found.push(slice(end, place(whole.start())));
            end = place(whole.end());
        }
        if with_matches {
            found.push(describe(&captures));
        }
        if !has('g') {
            break;
        }
    }
    if with_texts {
        found.push(slice(end, places.len() - 1));
    }
    Ok(found.into_iter().collect())
}

fn as_text(value: &Val) -> Result<&str, Error<Val>> {
    match value {
        Val::TStr(text) => str::from_utf8(text).map_err(Error::str),
        other => Err(Error::typ(other.clone(), "string")),
    }
}

/// Makes the four letters `i` of Turkish one if case is ignored: in Unicode, `I` and `ı` are not the same letter.
fn fold(text: &str, ignores_case: bool) -> String {
    if ignores_case { text.replace(['ı', 'İ'], "i") } else { text.to_owned() }
}

fn build(pattern: &str, has: impl Fn(char) -> bool) -> Result<Regex, String> {
    let mut builder = RegexBuilder::new(pattern);
    builder.case_insensitive(has('i')).ignore_whitespace(has('x')).swap_greed(has('l'));
    builder.multi_line(has('m') || has('p')).dot_matches_new_line(has('s') || has('p'));
    // The library's message shows the expression on several lines; the last one is the reason.
    builder.build().map_err(|error| {
        let text = error.to_string();
        let last = text.lines().last().unwrap_or_default();
        last.strip_prefix("error: ").unwrap_or(last).to_owned()
    })
}
