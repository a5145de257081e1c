//! `--jq`: the answer through a jq filter. Strings come out raw and everything else as compact JSON, one a line.

use jaq_core::{
    Compiler, Ctx, Vars, data,
    load::{self, Arena, File, Loader},
    unwrap_valr,
};
use jaq_json::{Val, read, write};

use crate::failure::Failure;

pub(crate) fn filtered(body: &[u8], filter: &str) -> Result<Vec<u8>, Failure> {
    let formats = load::parse(include_str!("formats.jq"), |parser| parser.defs()).unwrap_or_default();
    let definitions = jaq_core::defs().chain(jaq_std::defs()).chain(jaq_json::defs()).chain(formats);
    let functions = jaq_core::funs().chain(jaq_std::funs()).chain(jaq_json::funs());
    let arena = Arena::default();
    let modules = Loader::new(definitions)
        .load(&arena, File { code: filter, path: () })
        .map_err(|errors| wrong(syntax(&errors, filter)))?;
    let compiled = Compiler::default().with_funs(functions).compile(modules).map_err(|errors| {
        let unknown = errors.into_iter().flat_map(|(_, errors)| errors).next();
        wrong(unknown.map_or_else(String::new, |(name, kind)| format!("`{name}` is an undefined {}", kind.as_str())))
    })?;
    let input = read::parse_single(body).map_err(|error| wrong(error.to_string()))?;
    let context = Ctx::<data::JustLut<Val>>::new(&compiled.lut, Vars::new([]));
    let mut out = Vec::new();
    for value in compiled.id.run((context, input)).map(unwrap_valr) {
        let value = value.map_err(|error| wrong(error.to_string()))?;
        match &value {
            Val::TStr(text) => out.extend_from_slice(text),
            other => write::write(&mut out, &write::Pp::default(), 0, other).map_err(Failure::Write)?,
        }
        out.push(b'\n');
    }
    Ok(out)
}

/// The first place at which the filter cannot be read.
fn syntax(errors: &jaq_core::load::Errors<&str, ()>, filter: &str) -> String {
    use jaq_core::load::Error;
    let rest = errors.iter().find_map(|(_, error)| match error {
        Error::Io(_) => None,
        Error::Lex(found) => found.first().map(|(_, rest)| *rest),
        Error::Parse(found) => found.first().map(|(_, token)| *token),
    });
    match rest {
        Some(rest) if !rest.is_empty() => format!("it cannot be read at `{rest}`"),
        _ => format!("`{filter}` is not complete"),
    }
}

fn wrong(what: String) -> Failure {
    let end = if what.ends_with('.') { "" } else { "." };
    Failure::Filter { what: what + end }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(filter: &str) -> String {
        let body = r#"{"items":[{"name":"Ayşe","n":1.50},{"name":"İnci","n":12345678901234567890}],"none":null}"#;
        match filtered(body.as_bytes(), filter) {
            Ok(bytes) => String::from_utf8(bytes).unwrap(),
            Err(Failure::Filter { what }) => what,
            Err(other) => panic!("{other:?}"),
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
    }

    #[test]
    fn a_wrong_filter_says_where() {
        assert!(result(".items[").contains("complete"), "{}", result(".items["));
        assert!(result("nothing").contains("`nothing`"), "{}", result("nothing"));
        assert!(result(".items.name").contains("index"), "{}", result(".items.name"));
    }
}
